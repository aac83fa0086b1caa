"""Marts of WorldPrediction: scores, and what is left of them where usual orders lead astray."""

import duckdb
import polars as pl
import pytest
from questions.world.tidied_rooms import tidied

from enact_assets.answers.baselines.predict import predictions_of
from enact_assets.answers.world.models import WorldMaterial, baseline_answers
from enact_assets.engine.publishing.sql_files import released_columns, sql_folder
from enact_assets.questions.world.embedded_questions import as_tables, embedded_questions
from enact_assets.questions.world.shown_questions import ask_world_questions
from enact_assets.questions.world.tables import WorldQuestions
from enact_assets.results.statistics.models import compare_models
from enact_assets.results.verification.evaluate import PAPER_ANSWERS, evaluate
from enact_assets.results.verification.tables import Evaluation
from enact_assets.settings.registry import load_registry
from enact_assets.settings.world import WorldSettings

ASKED = ("tidy-0", "clear-0")


@pytest.fixture(scope="module")
def tables() -> dict[str, pl.DataFrame]:
    recorded = tidied(ASKED, ("tidy-901", "tidy-902", "clear-901"))
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
