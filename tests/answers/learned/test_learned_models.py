"""What learned references answer: by looking and reading, and from nothing else."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import polars as pl
import pytest
from answers.learned.household_lessons import (
    ACTIVITY,
    OTHER,
    Lesson,
    accuracy,
    answered,
    asked,
    model,
    statistics,
    taught,
)
from numpy.typing import NDArray

from enact_assets.answers.baselines.learned_names import (
    FACT_READER,
    LEARNED,
    LEARNED_PRECEDENCE,
    LEARNED_PROGRESS,
    TRANSFER,
)
from enact_assets.answers.baselines.predict import answers_to, predictions_of
from enact_assets.answers.baselines.references import baseline, random_order
from enact_assets.answers.baselines.requests import ModelRequest, Picture, build_request
from enact_assets.answers.learned.fitting import as_matrix, learn
from enact_assets.answers.learned.models import learned_model
from enact_assets.answers.learned.picture_features import features_of
from enact_assets.answers.learned.read_facts import PROGRESS, change_of
from enact_assets.engine.errors import MissingPartitionError, PredictionError
from enact_assets.pipeline.steps.learned_steps import fact_reader
from enact_assets.questions.asked.sentence_reading import actions_of
from enact_assets.questions.asked.types import KeyFramePicture
from enact_assets.settings.components import Component

CHANCE = 0.22
"""Of orders of two to five steps, a twelfth of each: (1/2 + 1/6 + 1/24 + 1/120) / 4, and a bit."""


def requests(lesson: Lesson) -> list[ModelRequest]:
    rows = lesson.questions.iter_rows(named=True)
    return [build_request(row, lambda _name, k: lesson.pictures[k], lesson.shas) for row in rows]


def said(name: str, questions: list[ModelRequest]) -> list[str | None]:
    return [reply.raw_answer for reply in model(name).ask(questions)]


def shifted(lesson: Lesson, column: str) -> pl.DataFrame:
    """``column`` of each question is that of the next one of its kind and length."""
    parts = lesson.questions.partition_by("kind", "length", maintain_order=True)
    after = [
        part[column].gather([(k + 1) % part.height for k in range(part.height)]) for part in parts
    ]
    return pl.concat([part.with_columns(new) for part, new in zip(parts, after, strict=True)])


@pytest.mark.slow
def test_the_reader_orders_both_kinds_and_halves_of_a_question_score_at_chance() -> None:
    """What is left when pictures or actions are another question's was never read in them."""
    lesson = asked()
    whole = accuracy(FACT_READER, lesson)
    assert min(whole.values()) > 0.7
    for column in ("prompt", "shown_key_frames"):
        assert max(accuracy(FACT_READER, lesson, shifted(lesson, column)).values()) < CHANCE + 0.1


@pytest.mark.slow
def test_answers_hang_on_nothing_that_is_not_shown() -> None:
    """The answer, the true changes, ids, key frames and seeds are known to the process."""
    questions = requests(asked())

    def other(part: Picture) -> KeyFramePicture:
        return KeyFramePicture("x", f"{ACTIVITY}-7", 99 - part.shown.key[1])

    def scrambled(request: ModelRequest, question_id: str) -> ModelRequest:
        parts = tuple(
            replace(part, shown=other(part), read=lambda *_key, part=part: part.load())
            if isinstance(part, Picture)
            else part
            for part in request.parts
        )
        n = len(request.answer)
        return replace(
            request,
            parts=parts,
            question_id=question_id,
            answer=tuple(range(n, 0, -1)),
            told_components=(("+Open(fridge)",),) * n,
        )

    changed = [scrambled(request, "another") for request in questions]
    for name in (FACT_READER, TRANSFER):
        assert said(name, questions) == said(name, changed)
    # Halves draw what they cannot know, by the id.
    changed = [scrambled(request, request.question_id) for request in questions]
    for name in (LEARNED_PROGRESS, LEARNED_PRECEDENCE):
        assert said(name, questions) == said(name, changed)


@pytest.mark.parametrize("kind", ["forward", "inverse"])
def test_the_order_fits_best_of_all(kind: str) -> None:
    """Against every order of a short question, step by step."""
    lesson = asked()
    reader, _ = taught(FACT_READER)
    rows = reader.filter(activity=ACTIVITY)
    weights = dict(zip(rows["reading"], as_matrix(rows["weights"]).astype(float), strict=True))
    shown = [r for r in requests(lesson) if r.kind == kind and len(r.pictures) == 5][:4]
    for request in shown:
        x = features_of(np.stack([p.load() for p in request.pictures])).astype(float)
        fits = []
        for action in actions_of("\n".join(p for p in request.parts if isinstance(p, str))):
            rises = np.zeros(len(x))
            for fact, sign in map(change_of, action):
                for reading in fact.readings():
                    rises += sign * (x @ weights[reading]) if reading in weights else 0
            fits.append(rises)

        def total(order: tuple[int, ...], fits: list[np.ndarray] = fits) -> float:
            pictures = (0, *order) if kind == "forward" else tuple(range(len(order) + 1))
            actions = range(len(order)) if kind == "forward" else [k - 1 for k in order]
            steps = zip(actions, pictures, pictures[1:], strict=False)
            return sum(fits[a][j] - fits[a][i] for a, i, j in steps)

        (answer,) = said(FACT_READER, [request])
        given = tuple(int(k) for k in str(answer).strip("[]").split(","))
        best = max(map(total, permutations(range(1, len(given) + 1))))
        assert total(given) == pytest.approx(best, abs=1e-4)


def test_halves_of_the_training_answer_one_kind_and_draw_the_other() -> None:
    questions = requests(asked())
    for name, random_kind in ((LEARNED_PROGRESS, "inverse"), (LEARNED_PRECEDENCE, "forward")):
        found = said(name, questions)
        drawn = [str(random_order(request)) for request in questions]
        for kind in ("forward", "inverse"):
            of_kind = [k for k, request in enumerate(questions) if request.kind == kind]
            same = np.mean([found[k] == drawn[k] for k in of_kind])
            assert (same == 1) == (kind == random_kind)


def test_transfer_learns_from_other_activities_alone() -> None:
    """An own lesson among them would make it the reader of the activity."""
    every = statistics()
    brighter = every.with_columns(
        net=pl.when(pl.col("training_activity") == ACTIVITY)
        .then(pl.col("net") * 3)
        .otherwise("net")
    )
    before, after = (learn(TRANSFER, rows).reader for rows in (every, brighter))
    same = before.join(after, on=before.columns, how="semi")
    assert same.equals(before.filter(activity=ACTIVITY))
    assert before["activity"].unique().sort().to_list() == sorted((ACTIVITY, OTHER))
    alone = learn(TRANSFER, every.filter(training_activity=ACTIVITY))
    assert alone.reader.is_empty()


def test_transfer_is_refused_until_all_activities_are_trained() -> None:
    """Learned from two of thirty-nine it would be published as if it were from all."""
    with pytest.raises(PredictionError, match=r"all 39 activities; 37 have no .*, first assemb"):
        _ = fact_reader(statistics=statistics(), model=TRANSFER)
    reader, precedences = fact_reader(statistics=statistics(), model=FACT_READER)
    assert reader.height > 0
    assert precedences.is_empty()


def test_progress_and_order_are_learned_apart_from_facts() -> None:
    progress = taught(LEARNED_PROGRESS)
    assert progress.reader["reading"].unique().to_list() == [PROGRESS]
    assert PROGRESS not in taught(FACT_READER).reader["reading"]
    order = taught(LEARNED_PRECEDENCE)
    assert order.reader.is_empty()
    rows = statistics().filter(~pl.col("is_mirrored"), training_activity=ACTIVITY)
    most = order.precedences.filter(pl.col("earlier") != pl.col("later"), activity=ACTIVITY)
    for earlier, later, n in most.sort("n").tail(3).select("earlier", "later", "n").iter_rows():
        counted = 0
        for part in rows.partition_by("seed"):
            told = [
                {str(change_of(Component.parse(text))) for text in texts}
                for texts in part.sort("key_frame")["changes"].to_list()
            ]
            counted += sum(
                earlier in first and later in second
                for at, first in enumerate(told)
                for second in told[at + 1 :]
            )
        assert n == counted > 1


ELSEWHERE = "refuses this question: it is trained on the embedded simulator and answers no question"


@pytest.mark.parametrize("name", LEARNED)
@pytest.mark.parametrize(
    ("demonstration", "reason"),
    [
        ("household-9", ELSEWHERE),
        ("setting_the_table_1", ELSEWHERE),  # a task of imported questions
        ("picking_up_toys_1", ELSEWHERE),  # an annotated video
        (f"{ACTIVITY}-103", "or is one that it was trained on"),
        ("make_a_steak-0", "was not trained for make_a_steak (trained for: "),
    ],
)
def test_what_it_was_not_trained_for_is_refused(name: str, demonstration: str, reason: str) -> None:
    """A guess would be scored as if it were an answer."""
    lesson = asked(demonstration)
    found = answered(name, lesson)
    assert found["raw_answer"].null_count() == found.height == lesson.questions.height
    assert all(reason in error for error in found["error"])


@pytest.mark.parametrize("name", LEARNED)
def test_a_recording_with_the_name_of_an_embedded_demonstration_is_refused(name: str) -> None:
    """The source decides, not the name: the same questions of the simulator are answered."""
    lesson = asked()
    assert answered(name, lesson)["error"].null_count() == lesson.questions.height
    found = answered(name, lesson, lesson.questions.with_columns(source=pl.lit("recorded")))
    assert found["raw_answer"].null_count() == found.height
    reason = f"{ELSEWHERE} about anything else. The source of {lesson.name} is recorded."
    assert set(found["error"]) == {f"PredictionError: {name} {reason}"}


def test_another_wording_is_refused_where_words_are_read() -> None:
    lesson = asked()
    symbols = lesson.questions.with_columns(
        pl.col("prompt").str.replace_all(r"(?m)^(\[Action \d+\]) .*$", "${1} OnTop(mug, table)")
    )
    for name in (FACT_READER, TRANSFER):
        found = answered(name, lesson, symbols)
        assert all(
            "sentences, and nothing else. 'OnTop(mug, table)' is not" in e for e in found["error"]
        )


def test_untrained_models_say_how_to_train_them() -> None:
    with pytest.raises(PredictionError, match=r"fact_reader has to be trained first, .*--model f"):
        _ = baseline(FACT_READER)


def test_a_picture_that_cannot_be_read_is_a_reason() -> None:
    """One lost file costs its questions only."""
    lesson = asked()

    def lost(_name: str, key_frame: int) -> NDArray[np.uint8]:
        if key_frame == 5:
            raise MissingPartitionError("images: sha 5 is gone")
        return lesson.pictures[key_frame]

    parts = "baseline", lesson.questions, lost, lesson.shas
    found = predictions_of(
        FACT_READER,
        "baseline",
        answers_to(FACT_READER, *parts, learned=model.__wrapped__(FACT_READER)),
    )
    assert set(found["error"].drop_nulls()) == {"MissingPartitionError: images: sha 5 is gone"}
    assert 0 < found["raw_answer"].null_count() < found.height
    grey = replace(lesson, pictures=lesson.pictures[..., 0])
    model.cache_clear()  # it knows pictures by their hash
    found = answered(FACT_READER, grey)
    model.cache_clear()
    assert all("Current State: expected a picture of shape" in error for error in found["error"])


def test_a_model_without_any_knowledge_refuses() -> None:
    none = learn(FACT_READER, statistics().clear())
    (reply, *_) = learned_model(FACT_READER, *none).ask(requests(asked())[:1])
    assert "trained for: nothing" in str(reply.error)
