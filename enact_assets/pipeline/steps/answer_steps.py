"""Answers: raw answers of each model, their scores, and their errors."""

from collections.abc import Mapping
from typing import Annotated, Any

import polars as pl

from enact_assets.answers.baselines.model_asker import Answers, ModelAsker
from enact_assets.answers.baselines.predict import answers_to, predictions_of
from enact_assets.answers.baselines.references import BASELINE_NAMES, MODELS, WORLD_BASELINES
from enact_assets.answers.baselines.requests import build_request
from enact_assets.answers.baselines.tables import Predictions
from enact_assets.answers.learned.models import learned_model
from enact_assets.answers.world.captioned_models import answers_from_captions
from enact_assets.answers.world.captions import SceneTables
from enact_assets.answers.world.label_models import LabelMaterial, known_of
from enact_assets.answers.world.models import (
    WORLD_MODELS,
    WorldMaterial,
    baseline_answers,
)
from enact_assets.demonstrations.pictures.tables import FrameImages
from enact_assets.engine.parameters import All, Each
from enact_assets.engine.steps import step
from enact_assets.engine.tables import Of
from enact_assets.pipeline.handles.tools import MirrorImage, Pictures
from enact_assets.pipeline.steps.changes import Changes
from enact_assets.pipeline.steps.inputs import (
    ALL_OF_THEM,
    EVIDENCE,
    IF_ASKS_WORLD,
    IF_CAPTIONED,
    IF_EMBEDDED_WORLD,
    IF_LEARNED,
    IF_MIRRORED,
    IF_WORLD_SET,
    OF_ENACT_ALONE,
    DemonstrationName,
    Learned,
    ModelName,
    VariantName,
    WorldPlans,
    WorldScenes,
    WorldTables,
)
from enact_assets.pipeline.steps.previews import answered_question, judged_answers
from enact_assets.pipeline.steps.profiles import ANSWERS
from enact_assets.questions.asked.tables import AskedQuestions, Qa
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.questions.world.filtered import without_removed
from enact_assets.questions.world.tables import Captions, ClipImages, FilmImages, WorldFilters
from enact_assets.results.errors.answer_comparison import compare_answers
from enact_assets.results.errors.tables import ComparedComponents, ComparedSteps
from enact_assets.results.verification.evaluate import evaluate
from enact_assets.results.verification.expectation import expect_random_orders
from enact_assets.results.verification.tables import Evaluation, QuestionOrders
from enact_assets.settings.registry import Gating
from enact_assets.settings.world import KINDS as KINDS_OF_WORLD

KINDS = ("numba", "polars", "parquet")
API_POOL = "api"
"""Pool of steps that ask external services, which may limit or bill requests."""


def _ambiguous(question_orders: pl.DataFrame) -> Mapping[str, Any]:
    return {"ambiguous questions": int(question_orders.get_column("is_ambiguous").sum())}


@step(group="questions", job="write_questions", kinds=KINDS, summary=_ambiguous)
def question_orders(
    questions: Of[Qa], changes: Changes, demonstration: DemonstrationName
) -> Of[QuestionOrders]:
    """How many of all orders the verifier accepts, and the score of a random order: counted, not
    sampled.
    """
    if not changes.has_replay:  # it is unknown which other orders are right
        return QuestionOrders.of(QuestionOrders.empty())
    return QuestionOrders.of(expect_random_orders(questions, {demonstration: changes.index}))


@step(group="answers", job="ask_and_verify", pool=API_POOL, version="2", summary=answered_question)
def predictions(
    questions: Of[AskedQuestions],
    images: All[FrameImages],  # noqa: ARG001 - `pictures` reads what images, films, clips name
    pictures: Pictures,
    model: ModelName,
    variant: VariantName,
    ask: ModelAsker,
    learned: Annotated[Learned, IF_LEARNED] | None,
    world: Annotated[WorldTables, IF_WORLD_SET] | None,
    plans: Annotated[WorldPlans, IF_WORLD_SET] | None,
    films: Annotated[Of[FilmImages], IF_WORLD_SET] | None,  # noqa: ARG001
    clips: Annotated[All[ClipImages], IF_EMBEDDED_WORLD] | None,  # noqa: ARG001
    scenes: Annotated[WorldScenes, IF_EMBEDDED_WORLD, ALL_OF_THEM] | None,
    captions: Annotated[Of[Captions], IF_CAPTIONED] | None,
    filters: Annotated[Of[WorldFilters], IF_ASKS_WORLD] | None,
) -> Of[Predictions]:
    """The raw answers of a model, from the ledger of answers or bought now. A missing answer is
    null with a reason; it does not count as wrong. Baselines of WorldPrediction have no rows under
    variants of ENACT, nor those of ENACT under its own; a captioner and a reader answer it alone.
    """
    shas = pictures.shas
    asked = ask.chosen(model, without_removed(questions, filters))
    if world is not None and plans is not None and model in WORLD_MODELS:
        rows = asked.iter_rows(named=True)
        shown = {row["question_id"]: build_request(row, pictures, shas) for row in rows}
        labels = known_of(None if scenes is None else scenes.states, plans.annotated)
        material = WorldMaterial(
            world.questions,
            world.candidates,
            shown,
            None if scenes is None else SceneTables(scenes.graphs, scenes.objects, scenes.actions),
            LabelMaterial(
                world.questions, world.candidates, labels, plans.training, ask.on_progress
            ),
        )
        found = baseline_answers(model, material)
        kept = {key: answer for key, answer in found.items() if key[0] in shown}
        return Predictions.of(predictions_of(model, variant, kept))
    if model in (MODELS if world is not None else WORLD_BASELINES):
        answers: Answers = {}
    elif captions is not None and ask.pair(model) is not None:
        theirs = asked.clear() if world is None else asked
        answers = answers_from_captions(model, variant, theirs, shas, captions, ask=ask)
    else:
        known = None if learned is None else (learned.reader, learned.precedences)
        trained = None if known is None else learned_model(model, *known)
        answers = answers_to(model, variant, asked, pictures, shas, ask=ask, learned=trained)
    max_missing = None if model in BASELINE_NAMES else ask.max_missing(model)
    return Predictions.of(predictions_of(model, variant, answers, max_missing))


@step(group="answers", job="ask_and_verify", kinds=KINDS, summary=judged_answers)
def evaluation(
    answers: Of[Predictions],
    questions: Of[AskedQuestions],
    changes: Annotated[Each[Changes], EVIDENCE],
    gating: Annotated[Gating, EVIDENCE],
) -> Of[Evaluation]:
    """Every answer parsed and verified: any order that is consistent with the question is
    accepted. Unparsed answers, refused and cut ones among them, are wrong under profile paper and
    not scored under release; missing answers are never scored. All are counted. Imported questions
    without a replay are compared with the reference alone.
    """
    indexes = indexes_of(questions, changes)
    return Evaluation.of(evaluate(answers, questions, indexes, ANSWERS.of(gating.profile)))


def _compared(evaluated: pl.DataFrame, compared_steps: pl.DataFrame) -> Mapping[str, Any]:
    n = compared_steps.select("question_id", "repetition").n_unique()
    return {"compared answers": n, "other answers": evaluated.height - n}


# Separate from the evaluation, so that scores stay current while their analysis is recomputed, and
# answers with other words but the same order are not analysed again.
@step(group="answers", job="ask_and_verify", kinds=KINDS, summary=_compared, when=OF_ENACT_ALONE)
def error_analysis(
    evaluated: Of[Evaluation],
    questions: Of[AskedQuestions],
    changes: Annotated[Each[Changes], EVIDENCE],
    mirrored: Annotated[MirrorImage, IF_MIRRORED] | None,
) -> tuple[Of[ComparedSteps], Of[ComparedComponents]]:
    """Every step of a parsed answer compared with the true changes: counts of matched, missing,
    made-up and substituted components, per hand; and the same component by component. Unparsed and
    missing answers have no rows, nor have answers that no replay can verify. Of mirrored variants,
    hands are those of the mirror image, as pictures and words have them.
    """
    known = {d: i for d, i in indexes_of(questions, changes).items() if i is not None}
    verified = evaluated.filter(pl.col("unverified").is_null())
    asked = questions.filter(pl.col("demonstration").is_in(list(known)))
    compared = compare_answers(verified, asked, known)
    if mirrored is not None:
        compared = compared.mirrored()
    return ComparedSteps.of(compared.steps), ComparedComponents.of(compared.components)


def indexes_of(questions: pl.DataFrame, changes: Each[Changes]) -> dict[str, ComponentIndex | None]:
    """Changes of each demonstration that ``questions`` are about; None for one without a replay."""
    of_enact = questions.filter(~pl.col("kind").is_in(KINDS_OF_WORLD))
    names = sorted(of_enact.get_column("demonstration").unique())
    return {d: changes[d].index if changes[d].has_replay else None for d in names}
