"""WorldPrediction: actions and clips of embedded demonstrations, questions, answers and scores."""

from collections.abc import Mapping
from typing import Annotated, Any

import polars as pl

from enact_assets.answers.people.tables import HumanAnswers
from enact_assets.answers.world.answers_by_people import (
    evaluate_annotators,
    human_agreement_of,
    human_filter,
    versions_now,
)
from enact_assets.answers.world.asked_models import WorldAsker, asked_predictions
from enact_assets.answers.world.captioned_models import captioned_predictions, captioner_and_reader
from enact_assets.answers.world.captions import SceneTables
from enact_assets.answers.world.label_models import LabelMaterial, known_of
from enact_assets.answers.world.models import WORLD_MODELS, WorldMaterial, predictions_of
from enact_assets.answers.world.people_tables import (
    WorldHumanAgreement,
    WorldHumanEvaluation,
    WorldHumanFilter,
)
from enact_assets.demonstrations.pictures.tables import FrameImages
from enact_assets.demonstrations.replay.tables import (
    Actions,
    Demonstrations,
    Facts,
    Objects,
    States,
)
from enact_assets.engine.ids import content_sha
from enact_assets.engine.parameters import All, Later
from enact_assets.engine.steps import step
from enact_assets.engine.tables import Of
from enact_assets.pipeline.handles.tools import PictureMaker, PictureReader
from enact_assets.pipeline.steps.answer_steps import API_POOL
from enact_assets.pipeline.steps.frame_steps import RENDERER_POOL
from enact_assets.pipeline.steps.inputs import (
    IF_EMBEDDED_WORLD,
    OF_BASELINE,
    Changes,
    DemonstrationName,
    WorldModelName,
    WorldSourceName,
    is_environment,
)
from enact_assets.pipeline.steps.previews import Markdown, inline
from enact_assets.questions.key_frames.tables import SceneGraphs
from enact_assets.questions.world.action_states import action_states as states_of
from enact_assets.questions.world.annotated_questions import annotated_questions
from enact_assets.questions.world.asked_actions import coverage_notes
from enact_assets.questions.world.clips import clip_images_of, clip_requests, wanted_clips_of
from enact_assets.questions.world.embedded_questions import Recorded, as_tables, embedded_questions
from enact_assets.questions.world.film_frames import FilmPictures
from enact_assets.questions.world.items import items_of
from enact_assets.questions.world.pictures import WorldPictures
from enact_assets.questions.world.tables import (
    ActionStates,
    AnnotatedActions,
    ClipImages,
    FilmImages,
    TrainingPlans,
    WantedClips,
    WorldAccuracies,
    WorldCandidates,
    WorldCaptions,
    WorldComparisons,
    WorldEvaluation,
    WorldPredictions,
    WorldQuestions,
)
from enact_assets.results.world.evaluation import compare_world_models, evaluate_world
from enact_assets.results.world.question_sheets import clip_strips
from enact_assets.settings.fisheye_lens import lens_of
from enact_assets.settings.registry import Variant
from enact_assets.settings.world import ClipSettings, EnvironmentSettings, WorldSettings
from enact_assets.simulator.rendering.renderer import RENDERER_VERSION

GROUP = "worldprediction"
NO_ANSWERS = "no answers yet"

SHOWN_CLIPS = 4


def clip_sheet(clip_images: pl.DataFrame, make_pictures: PictureMaker) -> Mapping[str, Any]:
    """The first clips as strips of their frames."""
    clips = clip_images.sort("view", "action", "place").partition_by(
        ["view", "action"], as_dict=True, maintain_order=True
    )
    if not clips:
        return {"clips": Markdown("no clips: no question shows one")}
    shown = list(clips.items())[:SHOWN_CLIPS]
    pictures = [[make_pictures.stored(sha) for sha in rows["image_sha"]] for _, rows in shown]
    names = [f"{view} {action}" for (view, action), _ in shown]
    sheet = clip_strips(pictures, names)
    return {"clips": inline(sheet, "clips", f"{len(clips)} clips; shown: {', '.join(names)}")}


@step(group=GROUP, job="write_questions")
def action_states(
    actions: Of[Actions],
    changes: Changes,
    settings: WorldSettings,
    environments: EnvironmentSettings,
) -> Of[ActionStates]:
    """The category of each action, the key frames before and after it, and the visible changes."""
    if changes.gating.question_file is not None or actions.is_empty():
        return ActionStates.of(ActionStates.empty())
    found = states_of(
        actions,
        changes.objects,
        changes.frames,
        changes.index.visible,
        lengths=settings.lengths,
        max_changes=settings.max_changes,
        is_environment=is_environment(changes.demonstrations, environments),
    )
    return ActionStates.of(found)


def _asked(world_questions: pl.DataFrame, states: pl.DataFrame | None) -> Mapping[str, Any]:
    counts = world_questions.group_by("task", "condition").len().sort("task", "condition")
    asked = {f"{task}, {condition}": n for task, condition, n in counts.iter_rows()}
    return asked if states is None else asked | coverage_notes(states, world_questions)


@step(group=GROUP, job="write_world_questions", summary=_asked)
def world_questions(
    source: WorldSourceName,
    demonstrations: Annotated[All[Demonstrations], IF_EMBEDDED_WORLD] | None,
    states: Annotated[All[ActionStates], IF_EMBEDDED_WORLD] | None,
    actions: Annotated[All[Actions], IF_EMBEDDED_WORLD] | None,
    facts: Annotated[All[Facts], IF_EMBEDDED_WORLD] | None,
    objects: Annotated[All[Objects], IF_EMBEDDED_WORLD] | None,
    annotated: Of[AnnotatedActions],
    settings: WorldSettings,
    environments: EnvironmentSettings,
) -> tuple[Of[WorldQuestions], Of[WorldCandidates]]:
    """Questions of world modelling in balanced sets, and of procedural planning with distractors
    that a replay by labels refutes; about films of people there is a question for every plan, with
    other orders as candidates.
    """
    if (
        demonstrations is None
        or states is None
        or actions is None
        or facts is None
        or objects is None
    ):
        return annotated_questions(annotated, settings)
    recorded = Recorded(states, actions, facts, objects)
    asked = [
        name
        for name, of, seed in demonstrations.select("demonstration", "source", "seed").iter_rows()
        if not environments.has(of, seed)
    ]
    found = embedded_questions(recorded, asked, settings)
    questions, candidates = as_tables(found, recorded, source)
    return WorldQuestions.of(questions), WorldCandidates.of(candidates)


@step(group=GROUP, job="make_clips")
def wanted_clips(
    candidates: All[WorldCandidates],
    actions: Of[Actions],
    demonstration: DemonstrationName,
    settings: ClipSettings,
) -> Of[WantedClips]:
    """Frames of the clips that candidates show."""
    return WantedClips.of(wanted_clips_of(demonstration, candidates, actions, settings))


@step(
    group=GROUP,
    job="make_clips",
    kinds=("mitsuba", "parquet"),
    pool=RENDERER_POOL,
    version=content_sha([RENDERER_VERSION, lens_of("fisheye")])[:12],
    summary=clip_sheet,
)
def clip_images(
    demonstrations: Of[Demonstrations],
    states: Later[States],
    wanted: Of[WantedClips],
    baseline: Annotated[Variant, OF_BASELINE],
    settings: ClipSettings,
    make_pictures: PictureMaker,
) -> Of[ClipImages]:
    """The pictures of clips, each stored once by content."""
    parts = [
        clip_images_of(numbered, make_pictures(demonstrations, numbered, variant, states))
        for _, variant, numbered in clip_requests(wanted, baseline, settings)
    ]
    return ClipImages.of(ClipImages.arranged(ClipImages.concat(parts)))


@step(group=GROUP, job="answer_world_questions", pool=API_POOL)
def world_predictions(
    questions: Of[WorldQuestions],
    candidates: Of[WorldCandidates],
    images: Annotated[All[FrameImages], OF_BASELINE, IF_EMBEDDED_WORLD] | None,
    clips: Annotated[All[ClipImages], IF_EMBEDDED_WORLD] | None,
    graphs: Annotated[All[SceneGraphs], IF_EMBEDDED_WORLD] | None,
    objects: Annotated[All[Objects], IF_EMBEDDED_WORLD] | None,
    actions: Annotated[All[Actions], IF_EMBEDDED_WORLD] | None,
    states: Annotated[All[ActionStates], IF_EMBEDDED_WORLD] | None,
    annotated: Of[AnnotatedActions],
    films: Of[FilmImages],
    training: Of[TrainingPlans],
    pictures: PictureReader,
    model: WorldModelName,
    source: WorldSourceName,
    ask: WorldAsker,
) -> tuple[Of[WorldPredictions], Of[WorldCaptions]]:
    """Answers of one baseline; of a registered model, which gets stills of the clips; or of a pair
    of models, of which one writes captions and the other reads only these.
    """
    scenes, shown = None, _shown(images, clips, films, pictures)
    if model not in WORLD_MODELS:
        items = items_of(questions, candidates)
        if captioner_and_reader(model) is not None:
            found, captions = captioned_predictions(model, source, items, shown, ask)
            return WorldPredictions.of(found), WorldCaptions.of(captions)
        found = asked_predictions(model, source, items, shown, ask)
        return WorldPredictions.of(found), WorldCaptions.of(WorldCaptions.empty())
    if graphs is not None and objects is not None and actions is not None:
        scenes = SceneTables(graphs, objects, actions)
    material = WorldMaterial(
        questions,
        candidates,
        shown,
        scenes,
        LabelMaterial(
            questions, candidates, known_of(states, annotated), training, ask.on_training
        ),
    )
    found = predictions_of(model, source, material)
    return WorldPredictions.of(found), WorldCaptions.of(WorldCaptions.empty())


@step(group=GROUP, job="answer_world_questions")
def world_evaluation(
    answers: Of[WorldPredictions], questions: Of[WorldQuestions]
) -> Of[WorldEvaluation]:
    """Every answer read and compared with the right letter."""
    return WorldEvaluation.of(evaluate_world(answers, questions))


def _shown(
    images: pl.DataFrame | None,
    clips: pl.DataFrame | None,
    films: pl.DataFrame,
    pictures: PictureReader,
) -> WorldPictures:
    """Pictures of the source: rendered, or taken from films."""
    if images is None or clips is None:
        return FilmPictures(films, pictures)
    return WorldPictures(images, clips, pictures)


def _filtered(world_human_filter: pl.DataFrame) -> Mapping[str, Any]:
    counts = world_human_filter.group_by("task", "outcome").len().sort("task", "outcome")
    said = {f"{task}: {outcome}": n for task, outcome, n in counts.iter_rows()}
    return said or {"answers of people": NO_ANSWERS}


@step(group=GROUP, job="judge_world_questions", summary=_filtered)
def world_human_answers(
    answers: Of[HumanAnswers],
    questions: Of[WorldQuestions],
    candidates: Of[WorldCandidates],
    images: Annotated[All[FrameImages], OF_BASELINE, IF_EMBEDDED_WORLD] | None,
    clips: Annotated[All[ClipImages], IF_EMBEDDED_WORLD] | None,
    films: Of[FilmImages],
    pictures: PictureReader,
    source: WorldSourceName,
) -> tuple[Of[WorldHumanEvaluation], Of[WorldHumanFilter], Of[WorldHumanAgreement]]:
    """Answers that annotators gave on the page, verified; which questions two people solved, which
    is the paper's filter; and how far annotators agree. Roles are never mixed.
    """
    shown = _shown(images, clips, films, pictures)
    asked = set(answers["question_id"])
    items = (i for i in items_of(questions, candidates) if i.row["question_id"] in asked)
    versions = versions_now(items, shown, source)
    found = evaluate_annotators(answers, questions, versions, source)
    return (
        WorldHumanEvaluation.of(found),
        WorldHumanFilter.of(human_filter(found, source)),
        WorldHumanAgreement.of(human_agreement_of(found, source)),
    )


@step(group=GROUP, job="score_world_models", kinds=("scipy", "polars", "parquet"))
def world_accuracies(
    evaluated: All[WorldEvaluation],
    questions: Of[WorldQuestions],
    people: Of[WorldHumanEvaluation],
    source: WorldSourceName,
) -> tuple[Of[WorldAccuracies], Of[WorldComparisons]]:
    """Accuracies with exact intervals and intervals over recordings; and every pair of models.
    Annotators of one role count as one model. If a model could not be asked again, only its answers
    to current questions count.
    """
    current = evaluated.join(questions, on="question_id", how="semi")
    accuracies, comparisons = compare_world_models(current, source, list(WORLD_MODELS), people)
    return WorldAccuracies.of(accuracies), WorldComparisons.of(comparisons)
