"""Training demonstrations: simulated with reserved seeds, rendered small, summed up.

Nothing of the registry takes part: what is trained on is always the world as it is built, seen by
the camera as it is built. A variant with another camera is new to whatever is trained here.
"""

import io
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray
from PIL import Image

from enact_assets.contracts.errors import GoalError, PhysicsError, PlanError
from enact_assets.contracts.predicates import STATE_PREDICATES
from enact_assets.contracts.profile import PAPER
from enact_assets.contracts.settings import CameraSettings, Gating, RendererSettings, Variant
from enact_assets.frames.recorded_states import KeyFrameState, key_frame_states
from enact_assets.frames.render_pool import RenderTask, render_all
from enact_assets.frames.visibility import visibility_in_world
from enact_assets.learned.learned_tables import TrainingStatistics
from enact_assets.learned.picture_features import PICTURE_PX, scaled
from enact_assets.learned.statistics_rows import statistics_rows
from enact_assets.replay.embedded import RESERVED_SEEDS, embedded_world, replay_embedded
from enact_assets.replay.sources import ReplayProgress
from enact_assets.segmentation.component_index import ComponentIndex
from enact_assets.segmentation.deltas import DeltaIndex
from enact_assets.segmentation.segment import segment
from enact_assets.simulator.shapes.world import World

N_TRAINING = 4
"""Demonstrations of an activity that are trained on, unless said otherwise."""
GATING = Gating("training", PAPER, STATE_PREDICATES, embedded_min_visible_fraction=0.00023)
MASK_PX = 256
"""Edge of the picture in which objects must be visible: questions use 512, training less."""

Rendered = Callable[[int, int], None]
"""Called with pictures done and pictures in all."""


@dataclass(frozen=True)
class Trained:
    """One training demonstration before it is rendered."""

    seed: int
    world: World
    key_frames: list[KeyFrameState]
    index: ComponentIndex


def training_statistics_of(
    activity: str,
    seeds: Sequence[int] = RESERVED_SEEDS,
    n: int = N_TRAINING,
    *,
    size_px: int = PICTURE_PX,
    workers: int = 1,
    progress: ReplayProgress | None = None,
    rendered: Rendered = lambda _done, _total: None,
) -> pl.DataFrame:
    """Rows of ``training_statistics`` of one activity: the same for any number of workers.

    Trained on are the first ``n`` of ``seeds`` whose plan can be carried out: now and then a thing
    falls over or is flung away. Pictures of another ``size_px`` than 128 are scaled to it. Errors:
    :class:`SimulationError`, of the last seed if none can be carried out; :class:`RenderError`;
    :class:`UnknownNameError` for an unknown activity.
    """
    simulated: list[Trained] = []
    for seed in seeds:
        try:
            simulated.append(_simulated(activity, seed, progress))
        except (PlanError, GoalError, PhysicsError):
            if seed == seeds[-1] and not simulated:
                raise
        if len(simulated) == n:
            break
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
        rows += list(statistics_rows(activity, found.seed, pictures, found.index))
    return TrainingStatistics.build(rows)


def _report(rendered: Rendered, n_before: int, total: int, done: int) -> None:
    rendered(n_before + done, total)


def _simulated(activity: str, seed: int, progress: ReplayProgress | None) -> Trained:
    """Key frames of a demonstration, and the changes between them."""
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
    return Trained(seed, world, key_frame_states(world, replay.states, frames), index)


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
