"""Slow twin of segmentation: one boolean per fact and frame, plain loops, sets of components."""

from dataclasses import dataclass
from math import sqrt

import polars as pl

from enact_assets.settings.components import Component
from enact_assets.settings.predicates import EXISTS
from enact_assets.settings.registry import Gating

Fact = tuple[str, str, str | None]
Dense = dict[Fact, list[bool]]


@dataclass
class KeyFrame:
    frame: int
    change_frame: int | None
    similarity: float | None
    changes: list[str]
    graph: set[Fact]


def densify(facts: pl.DataFrame, n_frames: int) -> Dense:
    dense: Dense = {}
    for row in facts.iter_rows(named=True):
        fact = (row["predicate"], row["subject"], row["object"])
        values = dense.setdefault(fact, [False] * n_frames)
        for frame in range(row["frame_from"], row["frame_to"]):
            values[frame] = True
    return dense


def runs_of(values: list[bool]) -> list[tuple[int, int]]:
    """Maximal runs of equal values as (start, length)."""
    runs: list[tuple[int, int]] = []
    for frame, value in enumerate(values):
        if runs and values[frame - 1] == value:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((frame, 1))
    return runs


def smooth_fact(values: list[bool], flicker_frames: int, only_gaps: bool = False) -> list[bool]:
    values = list(values)
    while True:
        short = [
            (length, start)
            for start, length in runs_of(values)[1:-1]
            if length < flicker_frames and not (only_gaps and values[start])
        ]
        if not short:
            return values
        length, start = min(short)
        for frame in range(start, start + length):
            values[frame] = not values[frame]


def parents_at(
    objects: pl.DataFrame, later: list[tuple[str, int, list[str]]], frame: int
) -> dict[str, list[str]]:
    parents = dict(objects.select("object_name", "parents").iter_rows())
    changed = sorted((row for row in later if row[1] <= frame), key=lambda row: row[1])
    return parents | {name: names for name, _, names in changed}


def appearance(dense: Dense, child: str, t: int) -> int:
    """First frame of those up to t at all of which ``child`` exists."""
    exists = dense.get((EXISTS, child, None), [False] * (t + 1))
    while t > 0 and exists[t] and exists[t - 1]:
        t -= 1
    return t


def difference(
    dense: Dense, parents: dict[str, list[str]], predicates: tuple[str, ...], i: int, t: int
) -> dict[Component, list[Fact]]:
    """Components of delta(s_i, s_t), each with the facts it rests on."""
    found: dict[Component, list[Fact]] = {}
    for fact, values in dense.items():
        if fact[0] in predicates and values[i] != values[t]:
            found[Component("add" if values[t] else "remove", *fact)] = [fact]
    never = [False] * (max(i, t) + 1)
    for child, names in parents.items():
        exists = dense.get((EXISTS, child, None), never)
        gone = []
        for parent in names:
            existed = dense.get((EXISTS, parent, None), never)
            if existed[i] and not existed[t]:
                gone.append(parent)
        if exists[t] and not exists[i] and gone:
            component = Component.transition(tuple(gone), child)
            found[component] = [(EXISTS, name, None) for name in (child, *gone)]
    return found


def segment(
    n_frames: int,
    facts: pl.DataFrame,
    objects: pl.DataFrame,
    gating: Gating,
    later: list[tuple[str, int, list[str]]] = [],  # noqa: B006 - never changed
) -> list[KeyFrame]:
    profile = gating.profile
    dense = {
        fact: smooth_fact(values, profile.flicker_frames, only_gaps=fact[0] == EXISTS)
        for fact, values in densify(facts, n_frames).items()
        if fact[0] == EXISTS or fact[0] in gating.predicates
    }
    children = objects["object_name"].to_list()

    def delta(i: int, t: int) -> dict[Component, list[Fact]]:
        """With the parents that each child has where it appears."""
        parents = {
            child: parents_at(objects, later, appearance(dense, child, t))[child]
            for child in children
        }
        return difference(dense, parents, gating.predicates, i, t)

    def graph(frame: int) -> set[Fact]:
        return {fact for fact, values in dense.items() if values[frame]}

    def state(frame: int) -> set[Fact]:
        return {fact for fact in graph(frame) if fact[0] != EXISTS}

    if profile.settle_frames >= n_frames:
        return []
    i = profile.settle_frames
    key_frames = [KeyFrame(i, None, None, [], graph(i))]
    previous: set[Component] | None = None
    t = i + 1
    while t < n_frames:
        change = delta(i, t)
        last = t + profile.persistence_frames - 1
        is_candidate = (
            bool(change)
            and last < n_frames
            and t + profile.settle_frames < n_frames
            and all(
                dense[fact][frame] == dense[fact][t]
                for facts_of_component in change.values()
                for fact in facts_of_component
                for frame in range(t, last + 1)
            )
        )
        if not is_candidate:
            t += 1
            continue
        signature = set(change)
        similarity = None
        one, other = signature, previous
        if profile.similarity_of == "states":
            one, other = state(t), state(i)
        if other is not None:
            similarity = 1.0
            if one and other:
                similarity = len(one & other) / sqrt(len(one) * len(other))
            if not similarity < profile.max_signature_similarity:
                t += 1
                continue
        recorded = t + profile.settle_frames
        # A key frame knows nothing of the frames before it but the key frame before it.
        parents = parents_at(objects, later, recorded)
        found = difference(dense, parents, gating.predicates, i, recorded)
        changes = sorted(str(component) for component in found)
        key_frames.append(KeyFrame(recorded, t, similarity, changes, graph(recorded)))
        previous, i, t = signature, recorded, recorded + 1
    return key_frames
