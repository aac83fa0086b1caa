"""Which objects come from which, and every transition that a set of key frames can show."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.contracts.components import Component

Ints = NDArray[np.int64]


class FamilyArrays(TypedDict):
    """The part of ``KeyFrameArrays`` that is about transitions; see there."""

    child: Ints
    link_offsets: Ints
    parent: Ints
    pattern: Ints
    n_patterns: Ints
    first: Ints
    transition: Ints


@dataclass(frozen=True)
class Family:
    """One child (object number), its parents, and when which of them exist.

    ``pattern`` (M,) numbers the ``n_patterns`` combinations of child and parents that exist at a
    key frame; ``transitions[a, b]`` is the component of going from combination a to b.
    """

    child: int
    parents: tuple[int, ...]
    pattern: Ints
    n_patterns: int
    transitions: dict[tuple[int, int], Component]


def resolve_parents(objects: pl.DataFrame) -> dict[str, list[str]]:
    """Per object, the names of the objects it came from, sorted; recordings may say it otherwise.

    A parent that is no object but a category stands for all objects of that category, the object
    itself excepted. One that is neither, and null, stand for nothing.
    """
    members: dict[str, list[str]] = {}
    for name, category in objects.select("object_name", "category").sort(pl.all()).iter_rows():
        members.setdefault(category, []).append(name)
    known = set(objects["object_name"])
    found: dict[str, list[str]] = {}
    for name, parents in objects.select("object_name", "parents").iter_rows():
        meant: set[str] = set()
        for parent in parents or ():
            meant.update([parent] if parent in known else members.get(parent, []))
        found[name] = sorted(meant - {name})
    return found


def find_families(
    parents: Mapping[int, Sequence[int]], labels: Sequence[str], exists: NDArray[np.bool_]
) -> list[Family]:
    """One family per object with parents; ``exists`` is (M key frames, objects).

    Existence changes a few times in a replay, so the combinations are few and all steps from one
    to another can be listed beforehand. Which parents disappear decides the component.
    """
    families: list[Family] = []
    if exists.shape[0] == 0:
        return families
    for child in sorted(parents):
        members = (child, *sorted(set(parents[child])))
        if len(members) == 1:
            continue
        combinations, pattern = np.unique(exists[:, members], axis=0, return_inverse=True)
        transitions = {}
        for a, before in enumerate(combinations):
            for b, after in enumerate(combinations):
                gone = np.flatnonzero(before[1:] & ~after[1:])
                if gone.size and after[0] and not before[0]:
                    former = tuple(labels[members[1 + k]] for k in gone)
                    transitions[a, b] = Component.transition(former, labels[child])
        families.append(
            Family(
                child,
                members[1:],
                pattern.reshape(-1).astype(np.int64),
                len(combinations),
                transitions,
            )
        )
    return families


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
