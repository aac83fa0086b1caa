"""Recorded facts at given frames, not smoothed, and how they change from one frame to the next."""

from collections.abc import Iterable

import numpy as np
import polars as pl

from enact_assets.questions.key_frames.families import resolve_parents
from enact_assets.questions.key_frames.switches import FACT
from enact_assets.settings.arrays import Ints
from enact_assets.settings.components import Component, Operation
from enact_assets.settings.predicates import EXISTS, RELEASE_PREDICATES

Fact = tuple[str, str, str | None]

_KNOWN = frozenset(RELEASE_PREDICATES)


def facts_at(facts: pl.DataFrame, frames: Ints) -> pl.DataFrame:
    """One row (key_frame, predicate, subject, object) per fact that holds at one of ``frames``."""
    first, stop = held_between(facts, frames)
    is_held = pl.Series(first < stop)
    # The few intervals are sorted, so that the many rows need not be: a third of the time.
    intervals = (
        facts.select(*FACT, first=pl.Series(first), stop=pl.Series(stop))
        .filter(is_held)
        .sort(FACT, nulls_last=False)
    )
    first = intervals["first"].to_numpy()
    n_held = intervals["stop"].to_numpy() - first
    # Counts up from ``first`` within each interval.
    key_frame = np.arange(n_held.sum()) - np.repeat(np.cumsum(n_held) - n_held - first, n_held)
    order = np.argsort(key_frame, kind="stable")
    row = np.repeat(np.arange(intervals.height), n_held)[order]
    return intervals.select(FACT)[row].with_columns(key_frame=pl.Series(key_frame[order]))


def held_between(facts: pl.DataFrame, frames: Ints) -> tuple[Ints, Ints]:
    """Per interval, the first of the ascending ``frames`` in it and the first one past it."""
    first = np.searchsorted(frames, facts["frame_from"].to_numpy(), side="left")
    stop = np.searchsorted(frames, facts["frame_to"].to_numpy(), side="left")
    return first.astype(np.int64), stop.astype(np.int64)


def changes_at(
    facts: pl.DataFrame,
    objects: pl.DataFrame,
    frames: Ints,
    later_parents: pl.DataFrame | None = None,
) -> list[list[str]]:
    """Component texts, by object name, of each of ``frames`` (M,) against the one before.

    Only the states that the release words make components. As in its diff of two frames
    (definitions.md R7), an object that appears or disappears takes its own states along without a
    word, while relations to it count. A transition is an object that appears while objects
    disappear that are its parents at that frame.
    """
    first, stop = held_between(facts, frames)
    is_held = first < stop
    held = facts.select(FACT).filter(pl.Series(is_held)).rows()
    added: set[tuple[int, Fact]] = set()
    removed: set[tuple[int, Fact]] = set()
    for fact, start, end in zip(held, first[is_held].tolist(), stop[is_held].tolist(), strict=True):
        added.add((start, fact))
        removed.add((end, fact))
    # A fact that pauses between two frames ends and starts again at the same one.
    added, removed = added - removed, removed - added
    appearing = _objects_of(added)
    disappearing = _objects_of(removed)
    changes: list[list[str]] = [[] for _ in frames]
    steps: list[tuple[Operation, set[tuple[int, Fact]]]] = [("add", added), ("remove", removed)]
    for operation, happened in steps:
        for k, (name, subject, other) in happened:
            is_in_both = (k, subject) not in appearing and (k, subject) not in disappearing
            if 0 < k < len(changes) and name in _KNOWN and (other is not None or is_in_both):
                changes[k].append(str(Component(operation, name, subject, other)))
    origins = resolve_parents(objects, later_parents)
    for k, child in appearing:
        parents = next((o.parents for o in origins.get(child, ()) if frames[k] < o.stop), ())
        gone = tuple(p for p in parents if (k, p) in disappearing)
        if gone and k > 0:
            changes[k].append(str(Component.transition(gone, child)))
    return [sorted(texts) for texts in changes]


def _objects_of(happened: Iterable[tuple[int, Fact]]) -> set[tuple[int, str]]:
    """(key frame, object) of those whose existence starts or ends."""
    return {
        (k, subject) for k, (name, subject, other) in happened if name == EXISTS and other is None
    }
