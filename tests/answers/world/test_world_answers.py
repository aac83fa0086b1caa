"""Models of one's own answer questions of WorldPrediction; small ones need nothing else."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from questions.world.tidied_rooms import tidied
from scipy.stats import binomtest

from enact_assets.answers.world.models import WORLD_MODELS, WorldMaterial, predictions_of
from enact_assets.engine.errors import UnknownNameError
from enact_assets.questions.world.candidates import LETTERS, PP, WM
from enact_assets.questions.world.embedded_questions import as_tables, embedded_questions
from enact_assets.questions.world.items import answer_text, items_of, read_answer
from enact_assets.questions.world.pictures import WorldPictures
from enact_assets.results.world.evaluation import (
    compare_world_models,
    evaluate_world,
    exact_interval,
)
from enact_assets.settings.world import WorldSettings

ASKED = ("tidy-0", "clear-0")


@pytest.fixture(scope="module")
def asked():
    recorded = tidied(ASKED, ("tidy-901", "tidy-902", "clear-901"))
    questions, candidates = as_tables(
        embedded_questions(recorded, ASKED, WorldSettings(plans_per_length=2)), recorded
    )
    return WorldMaterial(questions, candidates)


def test_answers_are_read_as_the_release_asks_for_them():
    assert read_answer('{"action": "B"}') == "B"
    assert read_answer('First {"action": "A"}, no: {"plan": "c"}.') == "C"
    assert read_answer("The answer is D.") == "D"
    assert read_answer("A or B") is None
    assert read_answer('{"action": "E"}') is None
    assert read_answer("") is None
    # Thoughts are no answer (issue 41, section 1).
    assert read_answer('<think>{"answer": "A"}</think> B') == "B"
    assert read_answer('so {"action": "A"}?</think>{"action": "C"}') == "C"
    assert read_answer('<think>{"action": "A"}') is None
    assert read_answer('<think>{"action": "A"}</think> I cannot tell.') is None


@given(st.sampled_from(LETTERS), st.sampled_from([WM, PP]), st.text(max_size=20))
def test_what_is_written_is_read(letter, task, words):
    assert read_answer(words + answer_text(task, letter)) == letter


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_exact_intervals_are_those_of_scipy(counts):
    k, n = counts
    low, high = exact_interval(pl.Series([k, 0]), pl.Series([n, 0]))
    expected = binomtest(k, n).proportion_ci(0.95, "exact")
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high))
    assert low[1] is None
    assert high[1] is None


def test_references_score_what_they_must(asked):
    evaluated = {
        name: evaluate_world(predictions_of(name, "embedded", asked), asked.questions)
        for name in ("oracle", "first", "random")
    }
    assert evaluated["oracle"]["is_correct"].all()
    wm = evaluated["first"].filter(pl.col("task") == WM)
    assert wm["is_correct"].mean() == 0.25  # each letter is right once per set
    k, n = evaluated["random"]["is_correct"].sum(), evaluated["random"].height
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
    given_ = predictions_of("oracle", "embedded", asked)[:1]
    answers = given_.with_columns(raw_answer=pl.lit(text), stop=pl.lit(stop, pl.String))
    found = evaluate_world(answers, asked.questions).row(0, named=True)
    assert (found["answer"], found["reason"]) == (letter, reason)
    assert found["answer_status"] == ("unparsed" if letter is None else "parsed")


def test_missing_and_unreadable_answers_differ(asked):
    given_ = predictions_of("oracle", "embedded", asked).with_row_index("row")
    raw = pl.col("raw_answer")
    texts = pl.when(pl.col("row") == 0).then(None).when(pl.col("row") == 1).then(pl.lit("?"))
    answers = given_.with_columns(raw_answer=texts.otherwise(raw)).drop("row")
    found = evaluate_world(answers, asked.questions)
    counts = dict(found["answer_status"].value_counts().iter_rows())
    assert counts == {"missing": 1, "unparsed": 1, "parsed": found.height - 2}
    accuracies, _ = compare_world_models(found, "embedded", ["oracle"])
    every = accuracies.filter(pl.col("length").is_null())
    assert every["n_missing"].sum() == 1
    assert every["n_scored"].sum() == found.height - 1
    assert every["n_correct"].sum() == found.height - 2


def test_pairs_of_models_are_compared_per_task_and_condition(asked):
    rows = pl.concat(
        evaluate_world(predictions_of(name, "embedded", asked), asked.questions)
        for name in ("oracle", "first", "clip_chain")
    )
    accuracies, pairs = compare_world_models(rows, "embedded", list(WORLD_MODELS))
    oracle = accuracies.filter(pl.col("world_model") == "oracle", pl.col("length").is_null())
    assert set(oracle.select("task", "condition").iter_rows()) == {
        (t, c) for t in (WM, PP) for c in ("same", "view", "equivalent")
    }
    assert set(oracle["accuracy"]) == {1.0}
    # Without pictures one model has no score, and is in no pair.
    none = accuracies.filter(pl.col("world_model") == "clip_chain")
    assert none["accuracy"].null_count() == none.height
    assert set(pairs.select("model_a", "model_b").iter_rows()) == {("first", "oracle")}


def test_an_unknown_model_is_named(asked):
    with pytest.raises(UnknownNameError, match="clip_chain"):
        predictions_of("clip_chian", "embedded", asked)


def painted(asked, condition):
    """Pictures in which the room of each recording has a grey of its own, and time passes at the
    same pace in all of them: a clip of the recording itself continues its states.
    """
    pixels: dict[str, np.ndarray] = {}
    rooms = {name: 20 * k for k, name in enumerate(sorted(asked.candidates["recording"].unique()))}

    def picture(recording, moment):
        sha = f"{recording} {moment}"
        found = np.full((64, 64, 3), rooms[recording], np.uint8)
        found[:, int(moment) * 2 : int(moment) * 2 + 2] = 250
        pixels[sha] = found
        return sha

    of = asked.questions.filter(pl.col("condition") == condition)
    keys = pl.concat(
        [of.select("recording", k=c) for c in ("key_frame_before", "key_frame_after")]
    ).unique()
    states = [
        {"demonstration": r, "key_frame": k, "image_sha": picture(r, k)}
        for r, k in keys.iter_rows()
    ]
    shown = asked.candidates.join(of.select("question_id"), on="question_id")
    clips = [
        {"demonstration": r, "action": a, "view": v, "place": p, "image_sha": picture(r, a - 1 + p)}
        for r, a, v in shown.select("recording", "action", "view").unique().iter_rows()
        for p in (0, 1)
    ]
    pictures = WorldPictures(pl.DataFrame(states), pl.DataFrame(clips), pixels.__getitem__)
    return WorldMaterial(of, shown, pictures)


@pytest.mark.parametrize(("name", "task"), [("clip_continuity", WM), ("clip_chain", PP)])
def test_continuity_finds_clips_of_the_recording_itself(asked, name, task):
    material = painted(asked, "same")
    found = evaluate_world(predictions_of(name, "embedded", material), material.questions)
    assert found.filter(pl.col("task") == task)["is_correct"].all()
    others = found.filter(pl.col("task") != task)
    assert set(others["answer_status"]) == {"missing"}


def test_a_missing_picture_leaves_its_questions_unanswered(asked):
    material = painted(asked, "same")
    fewer = WorldMaterial(material.questions, material.candidates, painted(asked, "view").pictures)
    found = predictions_of("clip_continuity", "embedded", fewer)
    assert found["raw_answer"].null_count() == found.height


def test_items_have_their_pool_by_number(asked):
    for item in items_of(asked.questions, asked.candidates):
        assert [c["pool"] for c in item.pool] == list(range(1, len(item.pool) + 1))
        assert item.plan(LETTERS.index(item.row["answer"])) == item.row["plan"]
