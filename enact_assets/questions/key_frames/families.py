"""Which objects come from which, and every transition that a set of key frames can show."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypedDict, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.demonstrations.replay.parents import FRAME, Parents, parents_over_time
from enact_assets.settings.arrays import Ints
from enact_assets.settings.components import Component


class FamilyArrays(TypedDict):
    """The part of ``KeyFrameArrays`` that is about transitions; see there."""

    child: Ints
    link_offsets: Ints
    parent: Ints
    pattern: Ints
    n_patterns: Ints
    first: Ints
    transition: Ints


ALWAYS = int(np.iinfo(np.int64).max)

T = TypeVar("T", int, str)


class Origin(NamedTuple, Generic[T]):
    """What an object comes from that appears in [start, stop): names or numbers, sorted.

    Bounds are frames or key frames.
    """

    start: int
    stop: int
    parents: tuple[T, ...]


@dataclass(frozen=True)
class Family:
    """One child (object number), parents that it has at some time, and when which of them exist.

    ``pattern`` (M,) numbers the ``n_patterns`` combinations of child and parents that exist at a
    key frame; ``transitions[a, b]`` is the component of going from combination a to b. Child and
    parents of another time are a family of their own.
    """

    child: int
    parents: tuple[int, ...]
    pattern: Ints
    n_patterns: int
    transitions: dict[tuple[int, int], Component]


def resolve_parents(
    objects: pl.DataFrame, later: pl.DataFrame | None = None, since: str = FRAME
) -> dict[str, list[Origin[str]]]:
    """Per object, the objects it came from, by when it appears; recordings may say it otherwise.

    A parent that is no object but a category stands for all objects of that category, the object
    itself excepted. One that is neither, and null, stand for nothing. ``later`` and ``since`` are
    those of ``parents_over_time``. The origins of an object leave no gap; neighbours differ.
    """
    members: dict[str, list[str]] = {}
    for name, category in objects.select("object_name", "category").sort(pl.all()).iter_rows():
        members.setdefault(category, []).append(name)
    known = set(objects["object_name"])

    def meant(name: str, parents: Parents) -> tuple[str, ...]:
        found: set[str] = set()
        for parent in parents or ():
            found.update([parent] if parent in known else members.get(parent, []))
        return tuple(sorted(found - {name}))

    origins: dict[str, list[Origin[str]]] = {}
    for name, of in parents_over_time(objects, later, since).items():
        found = origins[name] = []
        for (start, parents), (stop, _) in zip(of, [*of[1:], (ALWAYS, None)], strict=True):
            origin = Origin(start, stop, meant(name, parents))
            if found and found[-1].parents == origin.parents:
                origin = Origin(found.pop().start, stop, origin.parents)
            found.append(origin)
    return origins


def find_families(
    origins: Mapping[int, Sequence[Origin[int]]], labels: Sequence[str], exists: NDArray[np.bool_]
) -> list[Family]:
    """One family per object and parents that it has at some time.

    ``exists`` is (M key frames, objects), and ``origins`` are by key frame. An object appears at
    the first of the key frames, one after another, at which it exists.

    Existence changes a few times in a replay, so the combinations are few and all steps from one
    to another can be listed beforehand. Which parents disappear decides the component.
    """
    families: list[Family] = []
    if exists.shape[0] == 0:
        return families
    for child, origin in ((c, o) for c in sorted(origins) for o in origins[c] if o.parents):
        parents = origin.parents
        appeared = _appearances(exists[:, child])
        is_theirs = exists[:, child] & (origin.start <= appeared) & (appeared < origin.stop)
        there = np.column_stack([exists[:, (child, *parents)], is_theirs])
        combinations, pattern = np.unique(there, axis=0, return_inverse=True)
        transitions = {}
        for a, before in enumerate(combinations):
            for b, after in enumerate(combinations):
                gone = np.flatnonzero(before[1:-1] & ~after[1:-1])
                if gone.size and after[-1] and not before[0]:
                    former = tuple(labels[parents[k]] for k in gone)
                    transitions[a, b] = Component.transition(former, labels[child])
        if transitions:
            pattern = pattern.reshape(-1).astype(np.int64)
            families.append(Family(child, parents, pattern, len(combinations), transitions))
    return families


def _appearances(exists: NDArray[np.bool_]) -> Ints:
    """Per key frame (M,), the latest at which an object began to exist; 0 if there is none."""
    begins = exists[1:] & ~exists[:-1]
    return np.maximum.accumulate(np.append(0, np.where(begins, np.arange(1, exists.size), 0)))


def family_arrays(
    families: Sequence[Family], position: Mapping[Component, int], n_key_frames: int
) -> FamilyArrays:
    """``families`` for the kernels; ``position`` numbers the components."""
    first: list[int] = []
    transition: list[int] = []
    for family in families:
        first.append(len(transition))
        for a in range(family.n_patterns):
            for b in range(family.n_patterns):
                component = family.transitions.get((a, b))
                transition.append(-1 if component is None else position[component])
    pattern = np.zeros((len(families), n_key_frames), np.int64)
    for c, family in enumerate(families):
        pattern[c] = family.pattern
    return FamilyArrays(
        child=_ints(family.child for family in families),
        link_offsets=np.cumsum([0, *(len(family.parents) for family in families)], dtype=np.int64),
        parent=_ints(parent for family in families for parent in family.parents),
        pattern=pattern,
        n_patterns=_ints(family.n_patterns for family in families),
        first=_ints(first),
        transition=_ints(transition),
    )


def _ints(values: Iterable[int]) -> Ints:
    return np.fromiter(values, np.int64)
