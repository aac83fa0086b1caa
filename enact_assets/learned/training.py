"""Training demonstrations: simulated with reserved seeds, rendered small, summed up.

Nothing of the registry takes part: what is trained on is always the world as it is built, seen by
the camera as it is built. A variant with another camera is new to whatever is trained here.
"""

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray
from PIL import Image

from enact_assets.contracts.components import Component
from enact_assets.contracts.predicates import STATE_PREDICATES
from enact_assets.contracts.profile import PAPER
from enact_assets.contracts.settings import CameraSettings, Gating, RendererSettings, Variant
from enact_assets.frames.recorded_states import KeyFrameState, key_frame_states
from enact_assets.frames.render_pool import RenderTask, render_all
from enact_assets.frames.visibility import visibility_in_world
from enact_assets.learned.facts import change_of
from enact_assets.learned.learned_tables import TrainingStatistics
from enact_assets.learned.picture_features import PICTURE_PX, features_of, scaled
from enact_assets.learned.reading_targets import Step, targets_of
from enact_assets.replay.embedded import RESERVED_SEEDS, embedded_world, replay_embedded
from enact_assets.replay.sources import ReplayProgress
from enact_assets.segmentation.deltas import DeltaIndex
from enact_assets.segmentation.segment import segment
from enact_assets.simulator.shapes.world import World

TRAINING_SEEDS = RESERVED_SEEDS[:4]
GATING = Gating("training", PAPER, STATE_PREDICATES, embedded_min_visible_fraction=0.00023)
MASK_PX = 256
"""Edge of the picture in which objects must be visible: questions use 512, training less."""

Simulated = Callable[[float], None]
Rendered = Callable[[int, int], None]
"""Called with pictures done and pictures in all."""


@dataclass(frozen=True)
class Trained:
    """One training demonstration before it is rendered."""

    seed: int
    world: World
    key_frames: list[KeyFrameState]
    steps: list[Step]
    since_before: list[list[str]]
    """Per key frame, visible changes since the one before, as text."""


def training_statistics_of(
    activity: str,
    seeds: Sequence[int] = TRAINING_SEEDS,
    *,
    size_px: int = PICTURE_PX,
    workers: int = 1,
    progress: ReplayProgress | None = None,
    rendered: Rendered = lambda _done, _total: None,
) -> pl.DataFrame:
    """Rows of ``training_statistics`` of one activity: the same for any number of workers.

    Pictures of another ``size_px`` than 128 are scaled to it. Errors: :class:`SimulationError`,
    :class:`RenderError`, :class:`UnknownNameError` for an unknown activity.
    """
    simulated = [_simulated(activity, seed, progress) for seed in seeds]
    total = sum(len(found.key_frames) for found in simulated)
    rows, n_before = [], 0
    for found in simulated:
        pictures = key_frame_pictures(
            found.world,
            found.key_frames,
            size_px=size_px,
            workers=workers,
            done=partial(_report, rendered, n_before, total),
        )
        n_before += len(pictures)
        rows += list(_rows(activity, found, pictures))
    return TrainingStatistics.build(rows)


def _report(rendered: Rendered, n_before: int, total: int, done: int) -> None:
    rendered(n_before + done, total)


def _simulated(activity: str, seed: int, progress: ReplayProgress | None) -> Trained:
    """Key frames of a demonstration, and the steps between them that a question may take."""
    hears = None if progress is None else progress.simulated
    replay = replay_embedded(f"{activity}-{seed}", hears)
    cut = segment(replay.demonstrations, replay.facts, replay.objects, GATING)
    frames, graphs = cut.segmented_frames, cut.scene_graphs
    world = embedded_world(replay.demonstrations)
    seen = visibility_in_world(
        world, replay.states, replay.objects, frames, CameraSettings(), size_px=MASK_PX
    )
    profile = GATING.profile_of(str(replay.demonstrations.item(0, "source")))
    index = DeltaIndex.from_tables(graphs, seen, replay.objects, profile, frames.height)
    pairs, _ = index.edges()
    steps = [
        Step(int(i), int(j), tuple(change_of(Component.parse(text)) for text in texts))
        for (i, j), texts in zip(pairs, index.texts(index.visible_bits(pairs)), strict=True)
    ]
    next_to = np.stack([np.arange(frames.height - 1), np.arange(1, frames.height)], axis=1)
    since_before = [[], *index.texts(index.visible_bits(next_to)).to_list()]
    key_frames = key_frame_states(world, replay.states, frames)
    return Trained(seed, world, key_frames, steps, since_before)


def key_frame_pictures(
    world: World,
    key_frames: Sequence[KeyFrameState],
    *,
    size_px: int = PICTURE_PX,
    workers: int = 1,
    done: Callable[[int], None] = lambda _n: None,
) -> NDArray[np.uint8]:
    """Pictures of ``key_frames`` as learned references look at them: (n, 128, 128, 3).

    Rendered at ``size_px``, by the camera of the baseline as it is built. Errors:
    :class:`RenderError`.
    """
    variant = Variant(GATING.name, GATING.name, renderer=RendererSettings(size_px=size_px))
    tasks = [RenderTask(str(n), k.where, k.state) for n, k in enumerate(key_frames)]
    found = np.empty((len(tasks), PICTURE_PX, PICTURE_PX, 3), np.uint8)
    with closing(render_all(world, variant, tasks, workers)) as finished:
        for n, (number, png) in enumerate(finished, start=1):
            with Image.open(io.BytesIO(png)) as image:
                found[int(number)] = scaled(np.asarray(image.convert("RGB")))
            done(n)
    return found


def _rows(
    activity: str, trained: Trained, pictures: NDArray[np.uint8]
) -> Iterator[dict[str, object]]:
    for is_mirrored in (False, True):
        shown = pictures[:, :, ::-1] if is_mirrored else pictures
        features = features_of(shown)
        targets = targets_of(trained.steps, len(pictures), is_mirrored=is_mirrored)
        readings = sorted(targets.net)
        net = np.stack([targets.net[reading] for reading in readings], axis=1)
        for k in range(len(pictures)):
            (is_read,) = np.nonzero(net[k])
            yield {
                "activity": activity,
                "seed": trained.seed,
                "is_mirrored": is_mirrored,
                "key_frame": k,
                "features": features[k].tolist(),
                "joined": np.flatnonzero(targets.joined[k]).tolist(),
                "readings": [readings[r] for r in is_read],
                "net": net[k, is_read].tolist(),
                "changes": trained.since_before[k],
            }
