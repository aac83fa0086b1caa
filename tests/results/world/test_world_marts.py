"""Marts of WorldPrediction: scores, and what is left of them where usual orders lead astray."""

import duckdb
import polars as pl
import pytest
from questions.world.tidied_rooms import tidied

from enact_assets.answers.baselines.predict import predictions_of
from enact_assets.answers.world.models import WorldMaterial, baseline_answers
from enact_assets.demonstrations.replay.tables import Demonstrations
from enact_assets.engine.publishing.sql_files import released_columns, sql_folder
from enact_assets.questions.world.embedded_questions import as_tables, embedded_questions
from enact_assets.questions.world.shown_questions import ask_world_questions
from enact_assets.questions.world.tables import AnnotatedActions, WorldFilters, WorldQuestions
from enact_assets.results.statistics.models import compare_models
from enact_assets.results.verification.evaluate import PAPER_ANSWERS, evaluate
from enact_assets.results.verification.tables import Evaluation
from enact_assets.settings.registry import load_registry
from enact_assets.settings.world import WorldSettings

ASKED = ("tidy-0", "clear-0")
ACTIVITIES = {"tidy-0": "tidying", "clear-0": "clearing"}
ACTIVITIES |= {"tidy-901": "tidying", "tidy-902": "tidying", "clear-901": "clearing"}
RECORDED = tidied(ASKED, ("tidy-901", "tidy-902", "clear-901"))


@pytest.fixture(scope="module")
def tables() -> dict[str, pl.DataFrame]:
    recorded = RECORDED
    made = embedded_questions(recorded, ASKED, WorldSettings(plans_per_length=2))
    questions, candidates = as_tables(made, recorded)
    material = WorldMaterial(questions, candidates)
    names = ("oracle", "first", "clip_chain")
    variant = load_registry().variant("world:embedded")
    asked = ask_world_questions(questions, candidates, variant, lambda _clip: [])
    answers = {n: predictions_of(n, variant.name, baseline_answers(n, material)) for n in names}
    evaluated = pl.concat(evaluate(of, asked, {}, PAPER_ANSWERS) for of in answers.values())
    accuracies, comparisons = compare_models(evaluated, variant.name, references=names)
    return {
        "world_questions": questions,
        "world_candidates": candidates,
        "predictions": pl.concat(answers.values()),
        "evaluation": evaluated,
        "model_accuracies": accuracies,
        "model_comparisons": comparisons,
        "action_states": recorded.states,
        "annotated_actions": AnnotatedActions.empty(),
        "world_filters": WorldFilters.empty(),
        "demonstrations": Demonstrations.build(
            [
                {
                    "demonstration": name,
                    "source": "embedded",
                    "activity": activity,
                    "seed": 0,
                    "n_frames": 200,
                    "frame_rate_hz": 5.0,
                    "world_sha": "0" * 64,
                    "frame_id_runs": [],
                }
                for name, activity in ACTIVITIES.items()
            ]
        ),
    }


@pytest.fixture
def published(tables):
    with duckdb.connect() as connection:
        for name, rows in tables.items():
            connection.register("rows", rows.to_arrow())
            connection.execute(f"create table {name} as select * from rows")  # noqa: S608
        yield connection


def run(connection, folder, name):
    return connection.execute((sql_folder() / folder / f"{name}.sql").read_text("utf-8"))


def rows_of(connection, name):
    found = connection.execute(f"from {name}")
    names = [column[0] for column in found.description]
    return pl.DataFrame(found.fetchall(), schema=names, orient="row", infer_schema_length=None)


def test_old_names_still_answer(published):
    """Version 0.2.0 had tables of these names."""
    for name in ("world_predictions", "world_evaluation", "world_accuracies", "world_comparisons"):
        run(published, "marts", name)
        columns = released_columns(sql_folder())[name][1]
        assert published.execute(f"select {', '.join(columns)} from {name}").fetchone()  # noqa: S608
    rows = published.execute(
        "select n_correct, n_scored from world_accuracies "
        "where world_model = 'oracle' and length is null"
    ).fetchall()
    assert len(rows) == 6
    assert all(n == of > 0 for n, of in rows)
    wrong = published.execute(
        "select count(*) from world_evaluation as old join world_questions using (question_id) "
        "where old.world_model = 'oracle' and old.answer <> world_questions.answer"
    ).fetchone()
    assert wrong == (0,)
    run(published, "marts", "world_leaderboard")
    rows = published.execute(
        "select task, world_model, same_recording, other_view, equivalent from world_leaderboard"
    ).fetchall()
    assert ("wm", "oracle", 1.0, 1.0, 1.0) in rows
    assert ("wm", "first", 0.25, 0.25, 0.25) in rows
    # Without pictures it has no score, and no row.
    assert {model for _, model, *_ in rows} == {"oracle", "first"}


def test_plans_by_length_tell_how_many_recordings_their_clips_are_of(published):
    run(published, "marts", "world_by_length")
    rows = published.execute(
        "select condition, length, n_scored, n_one_video, accuracy from world_by_length "
        "where world_model = 'oracle'"
    ).fetchall()
    assert {condition for condition, *_ in rows} == {"same", "view", "equivalent"}
    assert all(n == n_one for condition, _, n, n_one, _ in rows if condition != "equivalent")
    assert {accuracy for *_, accuracy in rows} == {1.0}


def test_conditions_are_compared_in_pairs(published):
    run(published, "marts", "world_conditions")
    questions = published.execute(
        "select task, condition, count(*) from world_questions group by all"
    ).fetchall()
    n = {(task, condition): count for task, condition, count in questions}
    rows = published.execute(
        "select task, condition, n_pairs, difference, only_same from world_conditions "
        "where world_model = 'first'"
    ).fetchall()
    assert len(rows) == 4
    # Twins share their letters: whoever looks at nothing scores the same.
    assert all(row == (row[0], row[1], n[row[:2]], 0.0, 0) for row in rows)


def test_checks_find_what_they_are_for(published):
    name = "world_questions_have_their_candidates"
    assert run(published, "checks", name).fetchall() == []
    published.execute("update world_candidates set category = 'x' where option = 'A' and place = 1")
    (n_a,) = published.execute("select count(*) from world_questions where answer = 'A'").fetchone()
    found = run(published, "checks", "world_questions_have_their_candidates").fetchall()
    assert len(found) == n_a > 0
    assert run(published, "checks", "oracle_is_always_right").fetchall() == []
    published.execute("update evaluation set is_accepted = null where question_id in "
                      "(select min(question_id) from world_questions)")  # fmt: skip
    assert len(run(published, "checks", "oracle_is_always_right").fetchall()) == 1


COLUMNS = "n_scored, accuracy, n_markov_right, markov_right, n_markov_wrong, markov_wrong"


def test_scores_are_split_by_what_usual_orders_answer() -> None:
    """Question -> whether Markov and a model are right, and whether it is decidable."""
    right = {"a": (True, True, True), "b": (True, False, None), "c": (False, True, False)}
    answered = pl.DataFrame(
        [
            {"variant": "world:films", "model": name, "question_id": q, "is_accepted": is_right}
            for q, (markov, model, _) in right.items()
            for name, is_right in (("markov", markov), ("model", model), ("mute", None))
        ]
    )
    asked = pl.DataFrame(
        [
            {"world_source": "films", "question_id": q, "task": "pp", "condition": "equivalent"}
            | {"is_decidable": of[2]}
            for q, of in right.items()
        ]
    )
    assert set(answered.columns) < set(Evaluation.schema())
    assert set(asked.columns) < set(WorldQuestions.schema())
    with duckdb.connect() as connection:
        for name, rows in (("evaluation", answered), ("world_questions", asked)):
            connection.register("rows", rows.to_arrow())
            connection.execute(f"create table {name} as select * from rows")  # noqa: S608
        connection.execute((sql_folder() / "marts/world_by_orders.sql").read_text("utf-8"))
        of_model = f"select {COLUMNS} from world_by_orders where world_model = 'model'"  # noqa: S608
        assert connection.execute(of_model).fetchall() == [(3, 0.6667, 2, 0.5, 1, 1.0)]
        decided = "select world_model, n_decidable, decidable, n_undecidable, undecidable "
        rows = connection.execute(decided + "from world_by_orders").fetchall()
        assert rows == [("markov", 1, 1.0, 1, 0.0), ("model", 1, 1.0, 1, 1.0)]


def test_people_are_no_baseline_under_the_old_name(published):
    for table, name in (("evaluation", "person_1"), ("model_accuracies", "people (1)")):
        published.execute(
            f"insert into {table} select * replace ('{name}' as model) from {table} "  # noqa: S608
            "where model = 'oracle'"
        )
    run(published, "marts", "world_accuracies")
    found = published.execute("select distinct world_model, is_reference from world_accuracies")
    told = dict(found.fetchall())
    assert told["oracle"]
    assert not told["people (1)"]


@pytest.mark.parametrize("name", ["world_conditions", "world_by_length", "world_by_orders"])
def test_shortcuts_are_those_of_models_not_of_single_annotators(published, name):
    """Persons had rows beside models, of a few questions each."""
    published.execute(
        "insert into evaluation select * replace ('person_1' as model) from evaluation "
        "where model = 'oracle'"
    )
    run(published, "marts", name)
    models = {m for (m,) in published.execute(f"select world_model from {name}").fetchall()}  # noqa: S608
    assert "oracle" in models
    assert "person_1" not in models


def test_statistics_of_questions_are_those_counted_by_hand(published, tables):
    run(published, "marts", "world_question_statistics")
    found = rows_of(published, "world_question_statistics")
    questions, candidates = tables["world_questions"], tables["world_candidates"]
    activity = {"tidy-0": "tidying", "clear-0": "clearing"}
    for row in found.iter_rows(named=True):
        mine = questions.filter(task=row["task"], condition=row["condition"])
        if row["activity"] is not None:
            mine = mine.filter(pl.col("recording").replace_strict(activity) == row["activity"])
        shown = candidates.join(mine, on="question_id", how="semi")
        clips = shown.unique(["question_id", "pool"])
        assert row["n_questions"] == mine.height > 0
        assert row["n_recordings"] == mine["recording"].n_unique()
        assert row["n_activities"] == (1 if row["activity"] else len(activity))
        assert row["n_clips"] == clips.select("recording", "action").n_unique()
        assert row["n_unique_actions"] == clips["category"].n_unique()
        assert row["mean_length"] == pytest.approx(mine["length"].mean())
        # Each step takes ten frames, at five a second.
        assert row["mean_duration_s"] == row["most_duration_s"] == 2
        if row["task"] == "wm":
            assert row["without_goal"] is None
            continue
        classes = mine["classes"].to_list()
        fitting = [sum(c in ("truth", "final") for c in of) for of in classes]
        assert row["without_goal"] == pytest.approx(
            sum(1 / n for n in fitting) / len(fitting), abs=1e-4
        )
        assert row["without_goal"] <= 0.5
        for kind in ("final", "initial", "internal"):
            assert row[f"n_{kind}"] == sum(of.count(kind) for of in classes)
    assert set(found["activity"]) == {None, *activity.values()}
    of_kind = found.filter(pl.col("activity").is_not_null()).group_by("task", "condition")
    assert of_kind.agg(pl.col("share").sum())["share"].to_list() == pytest.approx([1.0] * 6)


def test_what_filters_leave_out_is_counted_apart(published, tables):
    """Statistics and values are those of the other questions alone."""
    run(published, "marts", "world_question_statistics")
    before = rows_of(published, "world_question_statistics")
    reasons = ["too_different", "too_alike", "occluded", None, None]
    rows = [
        {"variant": "world:embedded", "question_id": question, "removed_by": reasons[k % 5]}
        | {"distance": 1.0, "is_occluded": None}
        for k, question in enumerate(tables["world_questions"]["question_id"])
    ]
    filters = WorldFilters.build(rows)
    published.register("filters", filters.to_arrow())
    published.execute("create or replace table world_filters as from filters")
    for relation in ("world_question_statistics", "world_question_values"):
        published.execute(f"drop table if exists {relation}")
        run(published, "marts", relation)
    found = rows_of(published, "world_question_statistics")
    values = rows_of(published, "world_question_values")
    removed = ["n_too_different", "n_too_alike", "n_occluded"]
    key = ["task", "condition", "activity"]
    joined = found.join(before, on=key, nulls_equal=True, suffix="_before")
    assert joined.height == before.height
    left = joined.select(pl.sum_horizontal("n_questions", *removed) == pl.col("n_questions_before"))
    assert left.to_series().all()
    assert before.select(pl.sum_horizontal(removed)).sum().item() == 0
    for name, why in zip(removed, reasons, strict=False):
        n = filters.filter(removed_by=why).height
        assert found.filter(pl.col("activity").is_null())[name].sum() == n > 0
    # A twin: the tables without the rows that were left out.
    kept = filters.filter(pl.col("removed_by").is_null()).select("question_id")
    published.register("kept", kept.to_arrow())
    published.execute("delete from world_filters")
    for name in ("world_questions", "world_candidates"):
        published.execute(f"delete from {name} where question_id not in (from kept)")  # noqa: S608
    for relation, known in (
        ("world_question_statistics", found.filter(pl.col("n_questions") > 0).drop(removed)),
        ("world_question_values", values),
    ):
        published.execute(f"drop table {relation}")
        run(published, "marts", relation)
        twin = rows_of(published, relation).select(known.columns)
        assert twin.equals(known)


def test_values_are_counted_once_for_each_question_that_shows_them(published, tables):
    run(published, "marts", "world_question_values")
    found = rows_of(published, "world_question_values")
    mine = tables["world_questions"].filter(task="pp", condition="same")
    rows = found.filter(task="pp", condition="same")
    lengths = rows.filter(measure="actions of a plan").sort("place")
    expected = mine.group_by("length").len().sort("length")
    assert lengths["value"].cast(pl.Int64).to_list() == expected["length"].to_list()
    assert lengths["n"].to_list() == expected["len"].to_list()
    clips = tables["world_candidates"].join(mine, on="question_id", how="semi")
    clips = clips.unique(["question_id", "pool"])
    actions = rows.filter(measure="action").sort("place")
    counts = clips.group_by("category").len().sort(["len", "category"], descending=[True, False])
    assert actions.select("value", "n").rows() == counts.rows()
    assert actions["share"].sum() == pytest.approx(1)
    (seconds,) = rows.filter(measure="duration of a clip").select("value", "n").rows()
    assert seconds == ("2", clips.height)
