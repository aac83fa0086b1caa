"""A model whose evaluation is missing stays on the leaderboard, without scores."""

import polars as pl
import pytest
from sql.tiny_lake import SQL_FILES, Relations, add_statistics, query, tiny_rows

from enact_assets.engine.publishing.relations import StalePartitions
from enact_assets.engine.publishing.warehouse_checks import run_check


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
