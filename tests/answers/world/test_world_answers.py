"""Models of one's own answer questions of WorldPrediction; small ones need nothing else."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from questions.world.tidied_rooms import scenes_of, tidied
from scipy.stats import binomtest

from enact_assets.answers.baselines.predict import predictions_of
from enact_assets.answers.baselines.references import REFERENCES, WORLD_BASELINES
from enact_assets.answers.baselines.requests import build_request
from enact_assets.answers.world.models import WORLD_MODELS, WorldMaterial, baseline_answers
from enact_assets.engine.errors import UnknownNameError
from enact_assets.questions.asked.choices import answer_text, read_letter
from enact_assets.questions.asked.types import type_of
from enact_assets.questions.world.embedded_questions import as_tables, embedded_questions
from enact_assets.questions.world.items import items_of
from enact_assets.questions.world.shown_questions import ask_world_questions
from enact_assets.results.statistics.models import compare_models, exact_interval
from enact_assets.results.verification.evaluate import PAPER_ANSWERS, evaluate
from enact_assets.settings.registry import load_registry
from enact_assets.settings.world import KINDS, LETTERS, PP, WM, WorldSettings

WORLD = "world:embedded"
ASKED = ("tidy-0", "clear-0")


@pytest.fixture(scope="module")
def asked():
    recorded = tidied(ASKED, ("tidy-901", "tidy-902", "clear-901"))
    questions, candidates = as_tables(
        embedded_questions(recorded, ASKED, WorldSettings(plans_per_length=2)), recorded
    )
    return WorldMaterial(questions, candidates)


def answers_of(name, material):
    return predictions_of(name, WORLD, baseline_answers(name, material))


def asked_of(material):
    variant = load_registry().variant(WORLD)
    return ask_world_questions(material.questions, material.candidates, variant, lambda _clip: [])


def scored(answers, material):
    return evaluate(answers, asked_of(material), {}, PAPER_ANSWERS)


def test_answers_are_read_as_the_release_asks_for_them():
    assert read_letter('{"action": "B"}')[0] == "B"
    assert read_letter('First {"action": "A"}, no: {"plan": "c"}.')[0] == "C"
    assert read_letter("The answer is D.")[0] == "D"
    assert read_letter("A or B")[0] is None
    assert read_letter('{"action": "E"}')[0] is None
    assert read_letter("")[0] is None
    # Thoughts are no answer (issue 41, section 1).
    assert read_letter('<think>{"answer": "A"}</think> B')[0] == "B"
    assert read_letter('so {"action": "A"}?</think>{"action": "C"}')[0] == "C"
    assert read_letter('<think>{"action": "A"}')[0] is None
    assert read_letter('<think>{"action": "A"}</think> I cannot tell.')[0] is None


@given(st.sampled_from(LETTERS), st.sampled_from([WM, PP]), st.text(max_size=20))
def test_what_is_written_is_read(letter, task, words):
    assert read_letter(words + answer_text(task, letter))[0] == letter


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_exact_intervals_are_those_of_scipy(counts):
    k, n = counts
    low, high = exact_interval(np.array([k, 0]), np.array([n, 0]))
    expected = binomtest(k, n).proportion_ci(0.95, "exact")
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high))
    assert np.isnan([low[1], high[1]]).all()


def test_references_score_what_they_must(asked):
    evaluated = {
        name: scored(answers_of(name, asked), asked) for name in ("oracle", "first", "random")
    }
    assert evaluated["oracle"]["is_accepted"].all()
    wm = evaluated["first"].filter(pl.col("kind").str.starts_with(WM))
    assert wm["is_accepted"].mean() == 0.25  # each letter is right once per set
    k, n = evaluated["random"]["is_accepted"].sum(), evaluated["random"].height
    interval = binomtest(k, n).proportion_ci(0.99, "exact")
    assert interval.low <= 0.25 <= interval.high


@pytest.mark.parametrize(
    ("text", "stop", "letter", "reason"),
    [
        ('<think>{"action": "A"} or', "cut", None, "cut"),
        ('<think>{"action": "A"} or', "complete", None, "open_thought"),
        ("Perhaps A, but", "cut", None, "cut"),
        ('{"action": "C"}, since', "cut", "C", None),
        ('{"action": "C"}', "refused", None, "refused"),
        ("<think>A</think>", None, None, "empty_answer"),
        ("I'm sorry, but I can't assist with that.", "complete", None, "declined"),
        ("A or B", "complete", None, "no_letter"),
    ],
)
def test_why_an_answer_ended_counts_here_too(asked, text, stop, letter, reason):
    """public K2: a cut thought was unparsed for no reason that anybody could see, and the first
    letter of an answer that was cut was read."""
    given_ = answers_of("oracle", asked)[:1]
    answers = given_.with_columns(raw_answer=pl.lit(text), stop=pl.lit(stop, pl.String))
    found = scored(answers, asked).row(0, named=True)
    assert found["answer"] == (None if letter is None else [LETTERS.index(letter) + 1])
    assert found["reason"] == reason
    assert found["answer_status"] == ("unparsed" if letter is None else "parsed")


def test_missing_and_unreadable_answers_differ(asked):
    given_ = answers_of("oracle", asked).with_row_index("row")
    raw = pl.col("raw_answer")
    texts = pl.when(pl.col("row") == 0).then(None).when(pl.col("row") == 1).then(pl.lit("?"))
    answers = given_.with_columns(raw_answer=texts.otherwise(raw)).drop("row")
    found = scored(answers, asked)
    counts = dict(found["answer_status"].value_counts().iter_rows())
    assert counts == {"missing": 1, "unparsed": 1, "parsed": found.height - 2}
    by_status = {row["answer_status"]: row for row in found.iter_rows(named=True)}
    assert by_status["missing"]["is_accepted"] is None
    assert by_status["missing"]["pairwise_accuracy"] is None
    assert by_status["unparsed"]["is_accepted"] is False
    assert by_status["unparsed"]["pairwise_accuracy"] == 0


def test_pairs_of_models_are_compared_per_kind(asked):
    rows = pl.concat(scored(answers_of(name, asked), asked) for name in ("oracle", "first"))
    accuracies, pairs = compare_models(rows, WORLD, references=["first"])
    oracle = accuracies.filter(pl.col("length").is_null(), model="oracle", metric="task_accuracy")
    assert set(oracle["kind"]) == set(KINDS)
    assert set(oracle["accuracy"]) == {1.0}
    expected = [binomtest(n, n).proportion_ci(0.95, "exact").low for n in oracle["n_scored"]]
    assert oracle["exact_low"].to_list() == pytest.approx(expected)
    assert set(pairs.select("model_a", "model_b").iter_rows()) == {("first", "oracle")}


def test_a_baseline_answers_its_tasks_alone(asked):
    for name, model in WORLD_MODELS.items():
        tasks = asked.questions.filter(pl.col("task").is_in(model.tasks))
        assert answers_of(name, asked).height == tasks.height


def test_every_baseline_says_what_it_does_and_is_not_ranked():
    assert set(WORLD_BASELINES) | {"random", "oracle"} == set(WORLD_MODELS)
    assert set(WORLD_MODELS) <= set(REFERENCES)


def test_an_unknown_model_is_named(asked):
    with pytest.raises(UnknownNameError, match="clip_chain"):
        baseline_answers("clip_chian", asked)


def painted(asked, condition, shown=None):
    """Pictures in which the room of each recording has a grey of its own, and time passes at the
    same pace in all of them: a clip of the recording itself continues its states. ``shown`` is the
    condition whose pictures there are.
    """
    of = asked.questions.filter(pl.col("condition") == condition)
    rooms = {name: 20 * k for k, name in enumerate(sorted(asked.candidates["recording"].unique()))}

    def picture(recording, moment):
        found = np.full((64, 64, 3), rooms[recording], np.uint8)
        found[:, int(moment) * 2 : int(moment) * 2 + 2] = 250
        return found

    def read(recording, *where):
        # A key frame, or camera, action and place in the clip.
        return picture(recording, where[0] if len(where) == 1 else where[1] - 1 + where[2])

    there = asked.questions.filter(pl.col("condition") == (shown or condition))
    views = asked.candidates.join(there, on="question_id", how="semi")["view"].unique()

    def clip(candidate):
        return [(candidate["recording"], candidate["view"], candidate["action"], p) for p in (0, 1)]

    variant = load_registry().variant(WORLD)
    rows = ask_world_questions(of, asked.candidates, variant, clip)
    found = {}
    for row in rows.iter_rows(named=True):
        keys = [part.key for part in type_of(row).parts(row) if not isinstance(part, str)]
        shas = {k: str(k) for k in keys if len(k) == 2 or k[1] in set(views)}
        found[row["question_id"]] = build_request(row, read, shas)
    return WorldMaterial(of, asked.candidates, found)


@pytest.mark.parametrize(("name", "task"), [("clip_continuity", WM), ("clip_chain", PP)])
def test_continuity_finds_clips_of_the_recording_itself(asked, name, task):
    material = painted(asked, "same")
    found = scored(answers_of(name, material), material)
    assert set(found["kind"]) == {f"{task}_same"}
    assert found["is_accepted"].all()


def test_a_missing_picture_leaves_its_questions_unanswered(asked):
    found = answers_of("clip_continuity", painted(asked, "same", shown="view"))
    assert found["raw_answer"].null_count() == found.height


def test_who_does_not_know_the_goal_takes_any_plan_that_fits_the_first_state():
    """Before plans ended elsewhere, whoever knew labels and the first state was always right."""
    recorded = tidied(("pack-0",), ("pack-901",))
    settings = WorldSettings(plans_per_length=9, conditions=("same",))
    tables = as_tables(embedded_questions(recorded, ("pack-0",), settings), recorded)
    material = WorldMaterial(*tables, scenes=scenes_of(recorded))
    plans = {row["question_id"]: row for row in tables[0].filter(task=PP).iter_rows(named=True)}
    known = answers_of("socratic_rules", material).filter(pl.col("question_id").is_in([*plans]))
    assert scored(known, material)["is_accepted"].all()
    blind = answers_of("socratic_no_goal", material)
    assert blind.height == len(plans) > 20
    chosen = [
        plans[question]["classes"][LETTERS.index(str(read_letter(text)[0]))]
        for question, text in blind.select("question_id", "raw_answer").iter_rows()
    ]
    assert set(chosen) == {"truth", "final"}
    expected = sum(1 / sum(c in ("truth", "final") for c in row["classes"])
                   for row in plans.values())  # fmt: skip
    # Four standard deviations of a binomial.
    assert abs(chosen.count("truth") - expected) < 4 * (len(plans) / 4) ** 0.5
    assert expected / len(plans) <= 0.5


def test_items_have_their_pool_by_number(asked):
    for item in items_of(asked.questions, asked.candidates):
        assert [c["pool"] for c in item.pool] == list(range(1, len(item.pool) + 1))
        assert item.plan(LETTERS.index(item.row["answer"])) == item.row["plan"]
