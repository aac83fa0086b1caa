"""Frames: visibility at each key frame, and its picture under each variant."""

from typing import Annotated

from enact_assets.answers.baselines.picture_editor import PictureEditor
from enact_assets.demonstrations.pictures.images import library_versions
from enact_assets.demonstrations.pictures.observed import visibility_from_observability
from enact_assets.demonstrations.pictures.tables import FrameImages, Visibility, WantedFrames
from enact_assets.demonstrations.pictures.visibility import measure_visibility
from enact_assets.demonstrations.replay.tables import Demonstrations, Objects, Observability, States
from enact_assets.engine.ids import content_sha
from enact_assets.engine.parameters import Later
from enact_assets.engine.steps import step
from enact_assets.engine.tables import Of
from enact_assets.pipeline.handles.given import GivenPictures
from enact_assets.pipeline.handles.tools import KeyFramePictures
from enact_assets.pipeline.steps.inputs import (
    HAS_KEY_FRAMES,
    IF_EDITED,
    IF_GIVEN,
    OF_BASELINE,
    is_environment,
)
from enact_assets.pipeline.steps.previews import key_frame_sheet
from enact_assets.questions.asked.selection import frames_wanted
from enact_assets.questions.asked.tables import AskedQuestions, Qa
from enact_assets.questions.key_frames.tables import SegmentedFrames
from enact_assets.settings.classes import EMBEDDED, RENDERED
from enact_assets.settings.fisheye_lens import lens_of
from enact_assets.settings.registry import BASELINE, Variant
from enact_assets.settings.world import EnvironmentSettings
from enact_assets.simulator.rendering.renderer import RENDERER_VERSION

RENDERER_POOL = "renderer"
"""Pool of steps that render or trace: each uses all cores."""


@step(group="frames", job="write_questions", kinds=("mujoco", "parquet"), pool=RENDERER_POOL)
def visibility(
    demonstrations: Of[Demonstrations],
    states: Later[States],
    observability: Later[Observability],
    objects: Of[Objects],
    frames: Of[SegmentedFrames],
    baseline: Annotated[Variant, OF_BASELINE],
    environments: EnvironmentSettings,
) -> Of[Visibility]:
    """How many pixels of each object the baseline camera sees. Questions are written from this, so
    every variant asks the same questions. There are no such questions about environments of
    WorldPrediction.
    """
    if is_environment(demonstrations, environments):
        return Visibility.of(Visibility.empty())
    if demonstrations.item(0, "source") == EMBEDDED:
        rows = measure_visibility(demonstrations, states(), objects, frames, baseline)
    else:
        rows = visibility_from_observability(observability(), frames)
    return Visibility.of(rows)


@step(group="questions", job="render_pictures", when=HAS_KEY_FRAMES)
def wanted_frames(
    frames: Of[SegmentedFrames],
    qa: Of[Qa],
    asked: Of[AskedQuestions],
    demonstrations: Of[Demonstrations],
    variant: Variant,
    environments: EnvironmentSettings,
) -> Of[WantedFrames]:
    """Key frames to render: all for the baseline, for other variants those that their questions
    show. Of a recording, all its pictures are used. There are no key frames for sources that the
    variant has no questions about, nor for environments of WorldPrediction, of which only clips are
    shown.
    """
    source = demonstrations.item(0, "source")
    if source not in variant.sources or is_environment(demonstrations, environments):
        return WantedFrames.of(WantedFrames.empty())
    is_rendered = source in RENDERED
    is_theirs = variant.is_as_recorded and variant.editing is None and not is_rendered
    is_whole = variant.name == BASELINE or is_theirs
    return WantedFrames.of(frames_wanted(frames, qa, asked, variant.name, is_whole=is_whole))


@step(
    group="frames",
    job="render_pictures",
    kinds=("mitsuba", "parquet"),
    pool=RENDERER_POOL,
    version=content_sha([RENDERER_VERSION, lens_of("fisheye"), library_versions()])[:12],
    summary=key_frame_sheet,
    when=HAS_KEY_FRAMES,
)
def frame_images(
    demonstrations: Of[Demonstrations],
    states: Later[States],
    wanted: Of[WantedFrames],
    variant: Variant,
    make_pictures: KeyFramePictures,
    given: Annotated[GivenPictures, IF_GIVEN] | None,
    edit: Annotated[PictureEditor, IF_EDITED] | None,
) -> Of[FrameImages]:
    """The picture of each wanted key frame under one variant, stored once by content. Imported
    questions show their own pictures. If an image model repaints pictures, a key frame without an
    accepted picture has no row.
    """
    if given is not None:
        return FrameImages.of(given(demonstrations, wanted, variant, states))
    made = make_pictures(demonstrations, wanted, variant.unedited, states)
    return FrameImages.of(made if edit is None else edit(made, demonstrations, variant, states))
