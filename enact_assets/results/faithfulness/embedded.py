"""The registry's embedded demonstrations, simulated, as numbers for claims: minutes for all."""

import dataclasses
from functools import cache
from typing import Any

import polars as pl

from enact_assets.demonstrations.pictures.visibility import measure_visibility
from enact_assets.demonstrations.replay.embedded import replay_embedded
from enact_assets.demonstrations.replay.parents import at_key_frames
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.questions.asked.stratum_counts import count_strata
from enact_assets.questions.key_frames.deltas import DeltaIndex
from enact_assets.questions.key_frames.segment import segment
from enact_assets.questions.paths.counting import count_paths
from enact_assets.questions.paths.transition_graph import build_transition_graph
from enact_assets.settings.classes import EMBEDDED
from enact_assets.settings.registry import BASELINE, DEFAULT_REGISTRY, Registry, load_registry


@cache
def _registry() -> Registry:
    return load_registry(DEFAULT_REGISTRY)


@cache
def _replay(name: str) -> ReplayTables:
    return replay_embedded(name)


def _segmented(name: str, gating: str = "state", **constants: Any) -> Any:
    replay, found = _replay(name), _registry().gating(gating)
    changed = dataclasses.replace(found, profile=dataclasses.replace(found.profile, **constants))
    tables = replay.demonstrations, replay.facts, replay.objects
    return segment(*tables, changed, replay.later_parents)


@cache
def _frames(name: str, gating: str = "state", **constants: Any) -> tuple[int, ...]:
    return tuple(_segmented(name, gating, **constants).segmented_frames["frame"])


def _names() -> tuple[str, ...]:
    return _registry().demonstrations


def key_frames(gating: str) -> list[int]:
    """Demonstrations, and their key frames: the fewest, the most, and all together."""
    numbers = [len(_frames(name, gating)) for name in _names()]
    return [len(numbers), min(numbers), max(numbers), sum(numbers)]


def with_30_key_frames() -> int:
    """Demonstrations with 30 key frames or more."""
    return sum(len(_frames(name)) >= 30 for name in _names())


def largest_similarity(gating: str) -> float:
    """The largest cosine between the changes of a key frame and of the one before."""
    tables = [_segmented(name, gating).segmented_frames for name in _names()]
    return float(pl.concat(tables)["similarity"].max() or 0.0)


def decided_by(constant: str, value: float, gating: str) -> list[int]:
    """Key frames that only the shipped value of a constant gives, and only ``value``."""
    pairs = [
        (set(_frames(name, gating)), set(_frames(name, gating, **{constant: value})))
        for name in _names()
    ]
    return [sum(len(a - b) for a, b in pairs), sum(len(b - a) for a, b in pairs)]


def decided_by_contact() -> list[int]:
    """Key frames of both gatings, of ``state`` alone and of ``contact`` alone; demonstrations whose
    key frames differ.
    """
    pairs = [(set(_frames(name)), set(_frames(name, "contact"))) for name in _names()]
    return [
        sum(len(a & b) for a, b in pairs),
        sum(len(a - b) for a, b in pairs),
        sum(len(b - a) for a, b in pairs),
        sum(a != b for a, b in pairs),
    ]


def kinds_of_things() -> int:
    """Categories of objects that a change between neighbouring key frames names."""
    found: set[str] = set()
    for name in _names():
        replay, frames = _replay(name), _segmented(name).segmented_frames
        texts = frames["changes"].explode().drop_nulls()
        named = texts.str.extract_all(r"[A-Za-z0-9_]+").explode()
        rows = replay.objects.filter(pl.col("object_name").is_in(named.unique().implode()))
        found |= set(rows["category"].drop_nulls())
    return len(found)


def question_set() -> list[int]:
    """Questions of set ``state`` of each kind, by length, and in all."""
    registry, gating = _registry(), _registry().gating("state")
    counts = pl.concat([_path_counts(name) for name in _names()])
    strata = count_strata(
        counts, registry.question_sets["state"], registry.questions, gating.profile
    )
    forward = [stratum.n for stratum in strata if stratum.kind == "forward"]
    return [*forward, sum(stratum.n for stratum in strata)]


def _path_counts(name: str) -> pl.DataFrame:
    replay, segmented = _replay(name), _segmented(name)
    frames = segmented.segmented_frames
    profile = _registry().gating("state").profile_of(EMBEDDED)
    seen = measure_visibility(
        replay.demonstrations, replay.states, replay.objects, frames,
        _registry().variant(BASELINE),
    )  # fmt: skip
    index = DeltaIndex.from_tables(
        *(segmented.scene_graphs, seen, replay.objects, profile, frames.height),
        later_parents=at_key_frames(replay.later_parents, frames["frame"].to_numpy()),
    )
    return count_paths(frames, build_transition_graph(frames, index), profile)
