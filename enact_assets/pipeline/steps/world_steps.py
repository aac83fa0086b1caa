"""WorldPrediction: actions and clips of embedded demonstrations, questions, answers and scores."""

from collections.abc import Mapping
from typing import Annotated, Any

import polars as pl

from enact_assets.answers.baselines.model_asker import ModelAsker
from enact_assets.answers.world.captioned_models import captions_of
from enact_assets.answers.world.captions import SceneTables
from enact_assets.answers.world.state_filters import world_filters as filters_of
from enact_assets.answers.world.true_captions import true_captions
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
from enact_assets.pipeline.handles.tools import PictureJudge, PictureMaker, Pictures
from enact_assets.pipeline.steps.answer_steps import API_POOL
from enact_assets.pipeline.steps.changes import Changes
from enact_assets.pipeline.steps.frame_steps import RENDERER_POOL
from enact_assets.pipeline.steps.inputs import (
    ALL_OF_THEM,
    ASKS_WORLD,
    CAPTIONERS,
    IF_ASKS_WORLD,
    IF_EMBEDDED_SET,
    IF_EMBEDDED_WORLD,
    IF_TRUE_CAPTIONS,
    IF_WORLD_SET,
    OF_BASELINE,
    OF_WORLD,
    DemonstrationName,
    ModelName,
    QuestionSetName,
    VariantName,
    WorldScenes,
    is_environment,
)
from enact_assets.pipeline.steps.previews import Markdown, inline
from enact_assets.questions.asked.tables import AskedQuestions
from enact_assets.questions.world.action_states import action_states as states_of
from enact_assets.questions.world.annotated_questions import annotated_questions
from enact_assets.questions.world.asked_actions import coverage_notes
from enact_assets.questions.world.clips import clip_images_of, clip_requests, wanted_clips_of
from enact_assets.questions.world.embedded_questions import Recorded, as_tables, embedded_questions
from enact_assets.questions.world.filtered import without_removed
from enact_assets.questions.world.tables import (
    ActionStates,
    AnnotatedActions,
    Captions,
    ClipImages,
    FilmImages,
    WantedClips,
    WorldCandidates,
    WorldFilters,
    WorldQuestions,
)
from enact_assets.results.world.question_sheets import clip_strips
from enact_assets.settings.classes import world_source_of
from enact_assets.settings.fisheye_lens import lens_of
from enact_assets.settings.registry import Variant
from enact_assets.settings.world import (
    ClipSettings,
    EnvironmentSettings,
    WorldFilterSettings,
    WorldSettings,
)
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


@step(group=GROUP, job="write_world_questions", summary=_asked, when=OF_WORLD)
def world_questions(
    question_set: QuestionSetName,
    demonstrations: Annotated[All[Demonstrations], IF_EMBEDDED_SET] | None,
    states: Annotated[All[ActionStates], IF_EMBEDDED_SET] | None,
    actions: Annotated[All[Actions], IF_EMBEDDED_SET] | None,
    facts: Annotated[All[Facts], IF_EMBEDDED_SET] | None,
    objects: Annotated[All[Objects], IF_EMBEDDED_SET] | None,
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
    questions, candidates = as_tables(found, recorded, str(world_source_of(question_set)))
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


def _removed(world_filters: pl.DataFrame) -> Mapping[str, Any]:
    counts = world_filters.drop_nulls("removed_by").group_by("removed_by").len()
    return {f"not asked: {why}": n for why, n in counts.sort("removed_by").iter_rows()}


@step(group=GROUP, job="filter_world_questions", pool=API_POOL, summary=_removed, when=ASKS_WORLD)
def world_filters(
    questions: Of[AskedQuestions],
    images: All[FrameImages],  # noqa: ARG001 - `pictures` reads what these two name
    films: Annotated[Of[FilmImages], IF_WORLD_SET] | None,  # noqa: ARG001
    pictures: Pictures,
    variant: VariantName,
    settings: WorldFilterSettings,
    judge: PictureJudge,
) -> Of[WorldFilters]:
    """Questions that are not asked as the pictures of their two states are too different or too
    alike, or as something hides what matters. Empty unless the registry sets a filter.
    """
    found = filters_of(variant, questions, pictures.shas, settings, read=pictures, ask=judge.ask)
    return WorldFilters.of(found)


@step(group=GROUP, job="ask_and_verify", pool=API_POOL, when=CAPTIONERS)
def captions(
    questions: Of[AskedQuestions],
    images: All[FrameImages],  # noqa: ARG001 - `pictures` reads what these two name
    clips: Annotated[All[ClipImages], IF_EMBEDDED_WORLD] | None,  # noqa: ARG001
    films: Annotated[Of[FilmImages], IF_WORLD_SET] | None,
    scenes: Annotated[WorldScenes, IF_TRUE_CAPTIONS, ALL_OF_THEM] | None,
    filters: Annotated[Of[WorldFilters], IF_ASKS_WORLD] | None,
    pictures: Pictures,
    model: ModelName,
    variant: VariantName,
    ask: ModelAsker,
) -> Of[Captions]:
    """Captions that the first model of a pair writes, from which the second one answers: of each
    state and clip once, however many questions show it. Those of `oracle` are facts and labels.
    None for questions of ENACT.
    """
    if films is None or ask.pair(model) is None:
        return Captions.of(Captions.empty())
    asked = ask.chosen(model, without_removed(questions, filters))
    if scenes is not None:
        tables = SceneTables(scenes.graphs, scenes.objects, scenes.actions)
        found = true_captions(
            model, variant, asked, pictures.shas, scenes=tables, states=scenes.states
        )
        return Captions.of(found)
    return Captions.of(captions_of(model, variant, asked, pictures.shas, ask))
