"""Answers of annotators to questions of WorldPrediction, and the filter of questions."""

from collections.abc import Iterable

import polars as pl

from enact_assets.answers.people.annotator_agreement import agreement
from enact_assets.answers.people.annotator_names import PERSON
from enact_assets.answers.world.content import asked_under, version_shown
from enact_assets.answers.world.messages import message_of
from enact_assets.answers.world.people_tables import (
    WorldHumanAgreement,
    WorldHumanEvaluation,
    WorldHumanFilter,
)
from enact_assets.engine.errors import PredictionError
from enact_assets.questions.world.candidates import LETTERS
from enact_assets.questions.world.items import WorldItem
from enact_assets.questions.world.pictures import WorldPictures

N_DECIDING = 2
"""Persons who decide whether a question is kept. Source: WorldPrediction, section 3."""
_ASKED = ("question_id", "task", "condition", "length", "recording", "n_videos")
_JOINT = "|"


def versions_now(
    items: Iterable[WorldItem], pictures: WorldPictures, world_source: str
) -> dict[str, str]:
    """Id of each question whose pictures are all there -> version that is shown now."""
    found = {}
    for item in items:
        try:
            message = message_of(item, pictures)
        except PredictionError:
            continue
        found[item.row["question_id"]] = version_shown(message, world_source)
    return found


def evaluate_annotators(
    answers: pl.DataFrame, questions: pl.DataFrame, versions: dict[str, str], world_source: str
) -> pl.DataFrame:
    """Table ``world_human_evaluation``, from rows of ``human_answers`` and ``world_questions``.

    ``versions`` maps questions to the version that is shown now: answers to another one are left
    out.
    """
    now = pl.DataFrame(
        {"question_id": list(versions), "version": list(versions.values())},
        schema={"question_id": pl.String, "version": pl.String},
    )
    of_source = answers.filter(pl.col("variant") == asked_under(world_source))
    said = of_source.filter("is_last").join(now, on=["question_id", "version"], how="semi")
    first = of_source.group_by("annotator", "version").agg(first=pl.col("received_at").min())
    rows = said.join(first, on=["annotator", "version"], how="left").join(
        questions.select(*_ASKED, right="answer"), on="question_id"
    )
    letter = pl.col("answer").list.first().replace_strict(_LETTER, return_dtype=pl.String)
    is_missing = pl.col("revision").is_null()
    found = rows.with_columns(answer=letter).with_columns(
        world_source=pl.lit(world_source),
        answer_status=pl.when(is_missing)
        .then(pl.lit("missing"))
        .when(pl.col("answer").is_null())
        .then(pl.lit("unparsed"))
        .otherwise(pl.lit("parsed")),
        is_correct=pl.when(~is_missing).then(pl.col("answer").eq_missing(pl.col("right"))),
        received_at=pl.col("first"),
    )
    return WorldHumanEvaluation.arranged(found.select(list(WorldHumanEvaluation.schema())))


_LETTER = dict(enumerate(LETTERS, 1))


def human_filter(evaluated: pl.DataFrame, world_source: str) -> pl.DataFrame:
    """Table ``world_human_filter`` from rows of ``world_human_evaluation``.

    The first two persons who answered decide; others measure how well people do.
    """
    said = evaluated.filter(pl.col("role") == PERSON, pl.col("answer_status") != "missing")
    said = said.sort("received_at", "annotator")
    is_first = pl.int_range(pl.len()).over("question_id") < N_DECIDING
    is_right, is_cannot = pl.col("is_correct"), pl.col("answer_status") == "unparsed"
    of_question = said.with_columns(is_first=is_first).group_by(
        *_ASKED[:5], maintain_order=True
    ).agg(
        n_deciding=pl.col("is_first").sum().cast(pl.Int64),
        n_solved=(is_right & pl.col("is_first")).sum().cast(pl.Int64),
        n_cannot_tell=(is_cannot & pl.col("is_first")).sum().cast(pl.Int64),
        n_letters=pl.col("answer").filter("is_first").n_unique(),
        n_later=(~pl.col("is_first")).sum().cast(pl.Int64),
        n_later_solved=(is_right & ~pl.col("is_first")).sum().cast(pl.Int64),
    )  # fmt: skip
    n_right, n_cannot = pl.col("n_solved"), pl.col("n_cannot_tell")
    is_decided = pl.col("n_deciding") == N_DECIDING
    outcome = (
        pl.when(~is_decided)
        .then(pl.lit("undecided"))
        .when(n_right == N_DECIDING)
        .then(pl.lit("kept"))
        .when(n_right > 0)
        .then(pl.lit("one_wrong"))
        .when(n_cannot == N_DECIDING)
        .then(pl.lit("cannot_tell"))
        .when((pl.col("n_letters") == 1) & (n_cannot == 0))
        .then(pl.lit("same_wrong"))
        .otherwise(pl.lit("both_wrong"))
    )
    rows = of_question.with_columns(
        world_source=pl.lit(world_source),
        outcome=outcome,
        is_kept=pl.when(is_decided).then(n_right == N_DECIDING),
    )
    return WorldHumanFilter.arranged(rows.select(list(WorldHumanFilter.schema())))


def human_agreement_of(evaluated: pl.DataFrame, world_source: str) -> pl.DataFrame:
    """Table ``world_human_agreement`` from rows of ``world_human_evaluation``: unanimous questions
    and alpha of answers, as of orders. "Cannot tell" is no answer.
    """
    number = pl.col("answer").replace_strict({v: k for k, v in _LETTER.items()}, default=None)
    answer = pl.when(pl.col("answer").is_not_null()).then(pl.concat_list(number.cast(pl.Int64)))
    rows = evaluated.filter(pl.col("answer_status") != "missing").select(
        *("role", "annotator", "question_id", "length"),
        kind=pl.concat_str("task", "condition", separator=_JOINT),
        demonstration="recording",
        answer=answer,
        as_accepted=answer,
    )
    found = agreement(rows, world_source).filter(
        pl.col("measure").is_in(["unanimous", "alpha_answers"])
    )
    kind = pl.col("kind").str.split(_JOINT)
    named = found.rename(
        {
            "variant": "world_source",
            "n_demonstrations": "n_recordings",
            "low_demonstrations": "low_recordings",
            "high_demonstrations": "high_recordings",
        }
    ).with_columns(task=kind.list.get(0), condition=kind.list.get(1))
    return WorldHumanAgreement.arranged(named.select(list(WorldHumanAgreement.schema())))
