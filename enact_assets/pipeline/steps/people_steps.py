"""Answers by people: a copy of them, agreement, and the quality of questions."""

from collections.abc import Mapping
from typing import Annotated, Any

import polars as pl

from enact_assets.answers.people.annotator_agreement import agreement
from enact_assets.answers.people.answered import Answered
from enact_assets.answers.people.keeping import kept_questions as kept_of
from enact_assets.answers.people.keeping import question_ambiguities
from enact_assets.answers.people.quality import question_quality as quality_of
from enact_assets.answers.people.quality import verified_answers
from enact_assets.answers.people.tables import (
    HumanAgreement,
    HumanAnswers,
    KeptQuestions,
    QuestionQuality,
)
from enact_assets.engine.parameters import All, Each
from enact_assets.engine.steps import step
from enact_assets.engine.tables import Of
from enact_assets.pipeline.steps.inputs import OF_BASELINE, OF_ENACT, Ambiguous, VariantName
from enact_assets.questions.asked.tables import AskedQuestions, QuestionSet
from enact_assets.results.verification.tables import Evaluation
from enact_assets.settings.registry import QuestionSetSettings

NO_ANSWERS = "no answers yet"


def _answered(human_answers: pl.DataFrame) -> Mapping[str, Any]:
    given = human_answers.filter("is_last", pl.col("revision").is_not_null())
    if given.is_empty():
        return {"answers": NO_ANSWERS}
    return {f"answers by {role}": n for (role, n) in given.group_by("role").len().iter_rows()}


@step(group="answers", job="import_answers_by_people", summary=_answered)
def human_answers(answered: Answered) -> Of[HumanAnswers]:
    """Questions assigned to annotators and their answers on the page of `enact-assets annotate`,
    with all revisions: a copy of the page's database.
    """
    return HumanAnswers.of(answered.table())


def _agreed(human_agreement: pl.DataFrame) -> Mapping[str, Any]:
    whole = human_agreement.filter(
        pl.col("kind").is_null(), pl.col("length").is_null(), annotators="all", role="person"
    )
    if whole.is_empty():
        return {"agreement of people": NO_ANSWERS}
    return {f"people: {m}": v for m, v in whole.select("measure", "value").iter_rows()}


@step(group="statistics", job="measure_agreement", summary=_agreed)
def human_agreement(
    evaluated: All[Evaluation], questions: Of[AskedQuestions], variant: VariantName
) -> Of[HumanAgreement]:
    """How far annotators agree: unanimous questions, alpha of whole answers and of places, and
    both again with every accepted order as the reference. Roles are never mixed.
    """
    return HumanAgreement.of(agreement(verified_answers(evaluated, questions), variant))


@step(group="statistics", job="measure_agreement")
def question_quality(
    answers: Of[HumanAnswers], evaluated: All[Evaluation], variant: VariantName
) -> Of[QuestionQuality]:
    """How many annotators solved each question, the time they needed, and why they could not
    decide.
    """
    return QuestionQuality.of(quality_of(answers.filter(variant=variant), evaluated))


@step(group="statistics", job="keep_questions", when=OF_ENACT)
def kept_questions(
    chosen: Of[QuestionSet],
    quality: Annotated[Of[QuestionQuality], OF_BASELINE],
    written: Each[Ambiguous],
    asked: QuestionSetSettings,
) -> Of[KeptQuestions]:
    """Questions of a set that people solved, if the set has `keep: solved_by >= k of n`, and that
    have none of the ambiguities listed under `without`.
    """
    names = sorted(set(chosen["demonstration"])) if asked.without else []
    found = [question_ambiguities(written[n].questions, written[n].changes) for n in names]
    return KeptQuestions.of(kept_of(chosen, quality, asked, pl.concat(found) if found else None))
