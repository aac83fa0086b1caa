"""Training demonstrations: simulated with reserved seeds, rendered small, summed up.

The registry is not used: training data always show the original world from the original camera. A
variant with another camera is new to models trained here. Rows of ``training_statistics`` are sums
per key frame: what a ridge regression on steps needs.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from PIL import Image

from enact_assets.answers.learned.picture_features import PICTURE_PX, features_of, scaled
from enact_assets.answers.learned.read_facts import PROGRESS, Change, change_of
from enact_assets.answers.learned.tables import TrainingStatistics
from enact_assets.demonstrations.pictures.recorded_states import KeyFrameState, key_frame_states
from enact_assets.demonstrations.pictures.render_pool import RenderTask, render_all
from enact_assets.demonstrations.pictures.visibility import visibility_in_world
from enact_assets.demonstrations.replay.embedded import (
    embedded_world,
    replay_embedded,
)
from enact_assets.engine.errors import GoalError, PhysicsError, PlanError
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.questions.key_frames.deltas import DeltaIndex
from enact_assets.questions.key_frames.segment import segment
from enact_assets.settings.classes import CameraSettings, Gating, RendererSettings, Variant
from enact_assets.settings.components import Component
from enact_assets.settings.predicates import STATE_PREDICATES
from enact_assets.settings.profile import PAPER
from enact_assets.settings.splits import RESERVED_SEEDS
from enact_assets.simulator.shapes.world import World

N_TRAINING = 4
"""Demonstrations of an activity that are trained on, unless said otherwise."""
GATING = Gating("training", PAPER, STATE_PREDICATES, embedded_min_visible_fraction=0.00023)
MASK_PX = 256
"""Edge of the picture in which objects must be visible: questions use 512, training less."""


class Step(NamedTuple):
    """A step that a question may take, and its visible changes."""

    start: int
    end: int
    changes: tuple[Change, ...]


class Targets(NamedTuple):
    """``net``: reading -> (n,) sums per key frame; ``joined``: (n, n) whether a step joins two."""

    net: Mapping[str, NDArray[np.float64]]
    joined: NDArray[np.bool_]


def targets_of(steps: Sequence[Step], n_key_frames: int, *, is_mirrored: bool) -> Targets:
    """What each reading should do over ``steps``, summed per key frame.

    Over one step a reading should change by 1, 0 or -1, however many of its facts do; progress by
    the share of the demonstration. With ``is_mirrored`` hands change places.
    """
    joined = np.zeros((n_key_frames, n_key_frames), np.bool_)
    net: dict[str, NDArray[np.float64]] = {PROGRESS: np.zeros(n_key_frames)}
    for step in steps:
        joined[step.start, step.end] = joined[step.end, step.start] = True
        wanted = {PROGRESS: (step.end - step.start) / n_key_frames}
        for reading, total in _totals(step, is_mirrored=is_mirrored).items():
            wanted[reading] = float(np.clip(total, -1, 1))
        for reading, value in wanted.items():
            sums = net.setdefault(reading, np.zeros(n_key_frames))
            sums[step.end] += value
            sums[step.start] -= value
    return Targets(net, joined)


def _totals(step: Step, *, is_mirrored: bool) -> dict[str, int]:
    totals: dict[str, int] = {}
    for fact, sign in step.changes:
        for reading in (fact.mirrored() if is_mirrored else fact).readings():
            totals[reading] = totals.get(reading, 0) + sign
    return totals


def statistics_rows(
    activity: str, seed: int, pictures: NDArray[np.uint8], index: ComponentIndex
) -> Iterator[dict[str, Any]]:
    """Of one demonstration: ``pictures`` (n, 128, 128, 3) of its key frames, then mirrored."""
    steps, since_before = _steps(index), _since_before(index)
    for is_mirrored in (False, True):
        features = features_of(pictures[:, :, ::-1] if is_mirrored else pictures)
        targets = targets_of(steps, len(pictures), is_mirrored=is_mirrored)
        readings = sorted(targets.net)
        net = np.stack([targets.net[reading] for reading in readings], axis=1)
        for k in range(len(pictures)):
            (is_read,) = np.nonzero(net[k])
            yield {
                "training_activity": activity,
                "seed": seed,
                "is_mirrored": is_mirrored,
                "key_frame": k,
                "features": features[k].tolist(),
                "joined": np.flatnonzero(targets.joined[k]).tolist(),
                "readings": [readings[r] for r in is_read],
                "net": net[k, is_read].tolist(),
                "changes": since_before[k],
            }


def _steps(index: ComponentIndex) -> list[Step]:
    """Steps that a question may take."""
    pairs, _ = index.edges()
    changes = index.texts(index.visible_bits(pairs))
    return [
        Step(int(i), int(j), tuple(change_of(Component.parse(text)) for text in texts))
        for (i, j), texts in zip(pairs, changes, strict=True)
    ]


def _since_before(index: ComponentIndex) -> list[list[str]]:
    """Per key frame, visible changes since the one before, as text."""
    n = index.n_key_frames
    pairs = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    return [[], *index.texts(index.visible_bits(pairs)).to_list()]


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
    on_progress: OnProgress = unheard,
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
            simulated.append(_simulated(activity, seed, on_progress))
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
            on_progress=partial(_report, on_progress, n_before, total),
        )
        n_before += len(pictures)
        rows += list(statistics_rows(activity, found.seed, pictures, found.index))
    return TrainingStatistics.build(rows)


def _report(on_progress: OnProgress, n_before: int, total: int, rendered: Progress) -> None:
    on_progress(replace(rendered, done=n_before + rendered.done, total=total))


def _simulated(activity: str, seed: int, on_progress: OnProgress) -> Trained:
    """Key frames of a demonstration, and the changes between them."""
    replay = replay_embedded(f"{activity}-{seed}", on_progress)
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
    on_progress: OnProgress = unheard,
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
            on_progress(Progress(n, len(tasks), "pictures"))
    return found
