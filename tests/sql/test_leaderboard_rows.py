"""Annotators on the leaderboard: one row per role, over what they were assigned.

A model whose evaluation is missing stays on it, without scores."""

import polars as pl
import pytest
from sql.tiny_lake import (
    SQL_FILES,
    TABLE,
    Relations,
    Rows,
    add_statistics,
    answer,
    query,
    tiny_rows,
)

from enact_assets.answers.people.pooling import with_pooled_annotators
from enact_assets.engine.publishing.relations import StalePartitions
from enact_assets.engine.publishing.warehouse_checks import run_check
from enact_assets.results.statistics.models import compare_models
from enact_assets.results.verification.tables import Evaluation

SCORES = "n_questions, n_answers, n_scored, n_missing, n_unparsed, task_accuracy, is_reference"


def answered() -> Rows:
    """f1 by both persons, right and wrong; f2 by one, who cannot tell; f3 not yet; i1 by nobody."""
    rows = tiny_rows()
    answer(rows, "person_1", "baseline", "f1", parsed=[2, 1], passed=2)
    answer(rows, "person_2", "baseline", "f1", parsed=[1, 2], passed=0)
    answer(rows, "person_1", "baseline", "f2", raw="cannot tell: unseen")
    answer(rows, "person_2", "baseline", "f3")
    answer(rows, "person_2", "baseline", "f4", parsed=[2, 1], passed=2)
    answer(rows, "solver_1", "baseline", "f1", parsed=[2, 1], passed=2)
    evaluation = Evaluation.build([r for r in rows["evaluation"] if r["variant"] == "baseline"])
    pooled, names = with_pooled_annotators(evaluation)
    accuracies, _ = compare_models(pooled, "baseline", references=names)
    rows["model_accuracies"] = [
        row for row in rows["model_accuracies"] if row["variant"] != "baseline"
    ] + accuracies.to_dicts()
    return rows


@pytest.fixture(scope="module")
def relations() -> Relations:
    return Relations(answered())


def test_people_are_one_row_and_other_roles_are_not_people(relations: Relations) -> None:
    found = query(
        relations,
        f"select model, {SCORES} from leaderboard_details where variant = 'baseline' "  # noqa: S608
        "and kind = 'forward' and length is null and model similar to '.*[(].*|.*_[0-9]'",
    )
    rows = {row.pop("model"): row for row in found.iter_rows(named=True)}
    assert set(rows) == {"people (2)", "solvers (1)"}
    people = rows["people (2)"]
    assert people["task_accuracy"] == 2 / 4
    counts = ("n_questions", "n_answers", "n_scored", "n_missing")
    assert [people[name] for name in counts] == [4, 5, 3, 1]
    assert people["n_unparsed"] == 1
    assert people["is_reference"]
    assert rows["solvers (1)"]["task_accuracy"] == 1
    intervals = query(
        relations,
        "select model, accuracy from model_accuracies where kind = 'forward' and length is null "
        "and metric = 'task_accuracy' and model = 'people (2)'",
    )
    assert intervals["accuracy"].to_list() == [2 / 4]


def test_people_have_no_place_and_change_nobody_elses(relations: Relations) -> None:
    sql = (
        "select model, task_accuracy_rank, pairwise_accuracy_rank from leaderboard_details "
        "where variant = 'baseline' and model not like '%(%' order by all"
    )
    without = Relations(tiny_rows())
    assert query(relations, sql).equals(query(without, sql))
    assert query(
        relations, "from leaderboard_details where model like '%(%' and task_accuracy_rank > 0"
    ).is_empty()


def test_what_was_not_assigned_is_not_missing() -> None:
    rows = answered()
    rows["evaluation"] = [r for r in rows["evaluation"] if r["model"] != "person_2"]
    relations = Relations(rows)
    assert query(relations, "from absent_evaluations where model like 'person%'").is_empty()


def test_scores_on_kept_questions() -> None:
    """f1 is kept, f2 is not; a third person solved f1 after those who decided."""
    rows = answered()
    asked = {"question_set": "solved", "demonstration": TABLE, "kind": "forward", "length": 3}
    rows["kept_questions"] = []
    for question, n in (("f1", 1), ("f2", 0)):
        solved = {"n_solved": 2 * n, "n_deciding": 2, "n_later": n, "n_later_solved": n}
        kept = {"question_id": question, "ambiguities": [], "is_kept": bool(n)}
        rows["kept_questions"].append({**asked, **solved, **kept})
    relations = Relations(rows)
    found = query(relations, "from leaderboard_kept where model in ('people (2)', 'oracle')")
    of = {row["model"]: row for row in found.iter_rows(named=True)}
    people = of["people (2)"]
    assert (people["n_questions"], people["n_kept"], people["n_undecided"]) == (2, 1, 0)
    assert people["task_accuracy"] == 1 / 3
    assert (people["n_kept_scored"], people["task_accuracy_kept"]) == (1, 1)
    models = query(relations, "select distinct model from leaderboard_kept")["model"]
    assert not [name for name in models if "_1" in name]
    (guesser,) = query(relations, "from leaderboard_kept where model = 'guesser'").to_dicts()
    (own,) = (
        row
        for row in rows["evaluation"]
        if (row["model"], row["variant"], row["question_id"]) == ("guesser", "baseline", "f1")
    )
    assert guesser["task_accuracy_kept"] == float(own["is_accepted"])


@pytest.fixture(scope="module")
def warehouse() -> Relations:
    """The guesser answered, and nobody could evaluate it; the scores of the oracle are old."""
    rows = tiny_rows()
    for name in ("evaluation", "compared_steps", "compared_components", "probes"):
        rows[name] = [row for row in rows[name] if row["model"] != "guesser"]
    add_statistics(rows)
    told = [
        ("evaluation", "oracle|baseline", "stale"),
        ("evaluation", "guesser|baseline", "missing"),
        ("evaluation", "guesser|aperture_80", "missing"),
        ("probes", "guesser|baseline", "missing"),
    ]
    listed = StalePartitions.build(
        [{"asset": a, "partition": p, "state": state, "why": "so"} for a, p, state in told]
    )
    return Relations(rows, stale=listed)


def test_it_has_the_questions_it_was_asked_and_no_score(warehouse: Relations) -> None:
    """Left out, or with 0, an outage would look like a model that nobody ran, or like a bad one."""
    board = query(warehouse, "from leaderboard_details")
    absent = board.filter(model="guesser")
    counts = ("kind", "length", "n_questions", "n_missing")
    assert absent.select(counts).rows() == [
        ("forward", None, 4, 4),
        ("forward", 3, 3, 3),
        ("forward", 4, 1, 1),
        ("inverse", None, 1, 1),
        ("inverse", 4, 1, 1),
    ]
    assert set(absent["state"]) == {"missing"}
    assert absent.select("n_scored", "n_parsed", "n_unparsed").sum().row(0) == (0, 0, 0)
    scores = absent.select(pl.col("^.*(accuracy|rank|place|tied).*$"))
    assert scores.width > 15
    assert all(column.is_null().all() for column in scores)
    # The others are ranked as if it were not there, and said to be what they are.
    others = board.filter(pl.col("model") == "oracle", pl.col("length").is_null())
    assert set(others.select("state", "task_accuracy_rank").iter_rows()) == {("stale", 1)}


def test_it_has_a_row_wherever_lengths_stand_side_by_side(warehouse: Relations) -> None:
    for mart, condition in (("by_length", "true"), ("with_published", "source = 'ours'")):
        found = query(
            warehouse,
            "select kind, metric, all_lengths, length_3 "  # noqa: S608 - our own names
            f"from leaderboard_{mart} where model = 'guesser' and {condition}",
        )
        metrics = {"task_accuracy", "pairwise_accuracy"}
        assert metrics <= set(found["metric"])
        assert found.height == 2 * found["metric"].n_unique()
        assert set(found.select("all_lengths", "length_3").iter_rows()) == {(None, None)}


def test_other_variants_are_counted_apart(warehouse: Relations) -> None:
    found = query(
        warehouse,
        "select variant, kind, n_questions from absent_evaluations where length is null",
    )
    assert found.rows() == [
        ("aperture_80", "forward", 2),
        ("baseline", "forward", 4),
        ("baseline", "inverse", 1),
    ]


def test_the_counts_of_the_leaderboard_add_up_with_it(warehouse: Relations) -> None:
    """The check would keep a warehouse with an absent model from being published."""
    check = SQL_FILES["leaderboard_counts_add_up"]
    assert run_check(warehouse.connection_for(check.text), check).is_passed
