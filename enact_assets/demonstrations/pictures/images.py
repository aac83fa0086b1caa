"""Pictures of key frames, rendered once each and cached by what determines them.

A render is named by the hash of everything that determines its bytes, so the same picture under
another variant or gating costs nothing, and a killed run continues where it stopped.
"""

import dataclasses
import logging
from contextlib import closing

import polars as pl

from enact_assets.demonstrations.pictures.recorded_states import KeyFrameState, key_frame_states
from enact_assets.demonstrations.pictures.render_pool import RenderTask, render_all
from enact_assets.demonstrations.pictures.tables import Shown, frame_images
from enact_assets.demonstrations.replay.embedded import embedded_world
from enact_assets.engine.errors import RenderError
from enact_assets.engine.ids import content_sha
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.engine.system.package_versions import MISSING, version_of
from enact_assets.settings.fisheye_lens import lens_of
from enact_assets.settings.registry import Variant
from enact_assets.simulator.rendering.backends import backend_identity
from enact_assets.simulator.rendering.renderer import RENDERER_VERSION
from enact_assets.simulator.shapes.world import World

_log = logging.getLogger(__name__)

LIBRARIES = ("mitsuba", "mujoco", "pyoidn")


def library_versions() -> dict[str, str]:
    """Package -> version, or a note that it is missing. Pictures of other versions are stale."""
    return {name: version_of(name) for name in LIBRARIES}


def render_key_frames(
    demonstrations: pl.DataFrame,
    states: pl.DataFrame,
    segmented_frames: pl.DataFrame,
    variant: Variant,
    store: ImageStore,
    *,
    on_progress: OnProgress = unheard,
    workers: int = 1,
) -> pl.DataFrame:
    """Table ``frame_images``: the picture of every key frame of one demonstration.

    ``workers`` processes render; their number changes nothing but the time. Every finished picture
    is stored at once.

    Errors: :class:`RenderError` names demonstration and frame if a state is missing or foreign or
    the renderer fails; pictures finished before are kept.
    """
    world = embedded_world(demonstrations)
    size_px = variant.renderer.size_px
    key_frames = key_frame_states(world, states, segmented_frames)
    renders = [render_sha(world, k, variant) for k in key_frames]
    pictures: dict[str, str] = {}
    wanted: dict[str, KeyFrameState] = {}
    for key_frame, sha in zip(key_frames, renders, strict=True):
        found = _cached(store, sha, size_px, key_frame.where)
        if found is None:
            wanted.setdefault(sha, key_frame)
        else:
            pictures[sha] = found
    total = len(key_frames)
    n_cached = sum(sha in pictures for sha in renders)

    def report() -> None:
        done = sum(sha in pictures for sha in renders)
        on_progress(pictures_made(done, total, n_cached))

    report()
    tasks = [RenderTask(sha, k.where, k.state) for sha, k in wanted.items()]
    # Closing gives up what is not begun, should storing fail.
    with closing(render_all(world, variant, tasks, workers)) as finished:
        for sha, png in finished:
            pictures[sha] = store.put(png)
            store.remember(sha, pictures[sha])
            report()
    shown = {
        k.frame: Shown(pictures[sha], sha, size_px, size_px)
        for k, sha in zip(key_frames, renders, strict=True)
    }
    return frame_images(segmented_frames, variant.name, shown)


def pictures_made(done: float, total: int, n_cached: int) -> Progress:
    """Progress of pictures, of which ``n_cached`` had been rendered before."""
    unit = f"pictures ({n_cached:,} rendered before)" if n_cached else "pictures"
    return Progress(done, total, unit, free=n_cached)


def render_sha(world: World, key_frame: KeyFrameState, variant: Variant) -> str:
    """Hash of everything that determines a picture: world, state, settings, our code and the
    libraries.

    The variant's name and gating take no part: the same picture is the same render. Errors:
    :class:`RenderError` if a library is missing.
    """
    renderer = dataclasses.asdict(variant.renderer)
    del renderer["backend"], renderer["llvm_version"]
    backend = backend_identity(variant.renderer)
    return content_sha(
        {
            "world": world.sha,
            "state": key_frame.state_sha,
            "head": [world.head_body, world.head_pitch_rad],
            "robot_geoms": sorted(world.robot_geoms),
            "camera": dataclasses.asdict(variant.camera) | lens_of(variant.camera.projection),
            "renderer": renderer,
            "appearance": dataclasses.asdict(variant.appearance),
            "version": RENDERER_VERSION,
            "libraries": _complete_versions() | backend,
        }
    )


def _complete_versions() -> dict[str, str]:
    found = library_versions()
    missing = [name for name, version in found.items() if version == MISSING]
    if missing:
        raise RenderError(
            f"rendering needs the package {missing[0]}: install enact_assets[simulator]"
        )
    return found


def _cached(store: ImageStore, sha: str, size_px: int, where: str) -> str | None:
    """The stored picture of a render; None, with a note, if it is damaged or of another size."""
    image_sha = store.find(sha)
    if image_sha is None:
        if store.remembers(sha):
            _log.warning("%s: the cached picture is missing or damaged; rendering it again", where)
        return None
    shape = store.read(image_sha).shape
    if shape != (size_px, size_px, 3):
        _log.warning(
            "%s: its cached picture %s has shape %s instead of %d px; rendering it again",
            where, image_sha, shape, size_px,
        )  # fmt: skip
        return None
    return image_sha
