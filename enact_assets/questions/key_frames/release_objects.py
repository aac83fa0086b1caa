"""Objects of a recording as profile ``release`` sees them: labels, categories and parents.

A label is the name without numbers and model ids. Source: definitions.md R9. The public release
tells words from model ids (``rhdbzv``) by a list of English words; here the words of an object's
category take the place of that list.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from enact_assets.demonstrations.replay.parents import KEY_FRAME, parents_over_time
from enact_assets.questions.key_frames.graph_arrays import number_by_value
from enact_assets.questions.key_frames.release_arrays import (
    AMONG_REMOVED,
    AS_LISTED,
    IMPOSSIBLE,
    NO_LABEL,
)
from enact_assets.settings.arrays import Bools, Ints

_HALF = "half"
_COOKED = "cooked"

PARTICLE_SYSTEM = "System"
"""Category of all particle systems in a recording."""

_ACTORS = frozenset({"robot", "agent", "player"})
_AGENT = "agent"
_FREE_CATEGORIES = (PARTICLE_SYSTEM, "")
_MODEL_ID_LENGTH = 6
_SHORT = 3


def release_label(name: str, category: str = "") -> str | None:
    """What ``name`` is called, without its article; None if nothing of it is left.

    ``top_cabinet_tynnnw_1`` of category ``top_cabinet`` -> ``top cabinet``. Of particle systems and
    names without a category (an empty one), every part of letters alone is a word. Agents have
    model ids, too, ``fetch_zzzqqq_0``; where nothing else is left of a name, ``r1pro_abcdqf_0``,
    its first part is the word.
    """
    name = name.lower()
    if not name:
        return "object"
    parts = name.split("_")
    if len(parts) == 1:
        return "".join(c for c in name if not c.isdigit()) or name
    source = name if category in _FREE_CATEGORIES else category.lower()
    words = {part for part in source.split("_") if part.isalpha()}
    kept = []
    for k, part in enumerate(parts):
        if not part or part.isdigit():
            continue
        if _numbers_an_actor(part) and not _ACTORS.isdisjoint(parts[:k]):
            kept.append(part)
            continue
        if len(part) == _MODEL_ID_LENGTH and k > 0 and part not in words:
            continue
        bare = _without_trailing_digits(part)
        if len(bare) > 1 and bare.isalpha():
            kept.append(bare)
        elif len(part) <= _SHORT and part.isalpha():
            kept.append(part)
    return " ".join(kept) or (parts[0] if category == _AGENT else None)


def _numbers_an_actor(part: str) -> bool:
    """Whether ``part`` is an r with one or two digits."""
    return part[0] == "r" and len(part) <= _SHORT and part[1:].isdigit()


def _without_trailing_digits(part: str) -> str:
    while part and part[-1].isdigit():
        part = part[:-1]
    return part


@dataclass(frozen=True)
class ReleaseObjects:
    """O objects by name, and the L labels of them and their parents; see ``ReleaseArrays``.

    ``called`` (O,) are the labels of the objects, None where nothing is left of the name. Of the V
    versions of parents the first O are those that each object has at first, in order; the others
    hold from key frame ``since`` (V,) on, which ascends for each object.
    """

    names: tuple[str, ...]
    called: tuple[str | None, ...]
    label_texts: tuple[str, ...]
    labels: Ints
    categories: Ints
    is_half: Bools
    owners: Ints
    since: Ints
    has_null_parents: Bools
    origin: Ints
    parent_offsets: Ints
    parent_objects: Ints
    parent_labels: Ints
    candidate_offsets: Ints
    candidates: Ints

    @property
    def number(self) -> dict[str, int]:
        """Object number of each name."""
        return {name: k for k, name in enumerate(self.names)}

    @property
    def cooked_from(self) -> list[str | None]:
        """Per label, what has this cooked form (definitions.md R10), or None: (L,)."""
        return [t.replace(f"{_COOKED} ", "") if _COOKED in t else None for t in self.label_texts]


def read_objects(
    objects: pl.DataFrame, later_parents: pl.DataFrame | None = None
) -> ReleaseObjects:
    """The rows of one demonstration. ``parents`` keep their order: the first one may matter.

    ``later_parents`` are by key frame, as ``at_key_frames`` gives them.
    """
    rows: list[tuple[str, str]] = (
        objects.select("object_name", "category").sort("object_name").rows()
    )
    names = [name for name, _ in rows]
    number = {name: k for k, name in enumerate(names)}
    known = {category: release_label(category, category) for _, category in rows}
    called = {name: release_label(name, category) for name, category in rows}
    of = parents_over_time(objects, later_parents, KEY_FRAME)
    # The parents of each object at first, then those later.
    versions = [(number[name], *of[name][0]) for name in names]
    versions += [(number[name], *later) for name in names for later in of[name][1:]]
    origins = [_origin(*rows[owner], parents) for owner, _, parents in versions]
    listed = [parents if found == AS_LISTED else [] for found, parents in origins]
    searched = [parents[0] if found == AMONG_REMOVED else None for found, parents in origins]
    parents = [name for names_of_one in listed for name in names_of_one]
    # A parent that is no object may be a category; else all its words are taken for words.
    parents_called = [
        called[p] if p in called else known[p] if p in known else release_label(p) for p in parents
    ]
    texts = sorted({t for t in (*called.values(), *parents_called) if t is not None})
    candidates = [found for one in searched for found in _candidates(one, names)]
    categories = number_by_value([category for _, category in rows])
    categories[[category == PARTICLE_SYSTEM for _, category in rows]] = -1
    return ReleaseObjects(
        names=tuple(names),
        called=tuple(called.values()),
        label_texts=tuple(texts),
        labels=_label_numbers(called.values(), texts),
        categories=categories,
        is_half=np.array([_HALF in name for name in names], np.bool_),
        owners=np.array([owner for owner, _, _ in versions], np.int64),
        since=np.array([start for _, start, _ in versions], np.int64),
        has_null_parents=np.array([given is None for _, _, given in versions], np.bool_),
        origin=np.array([found for found, _ in origins], np.int64),
        parent_offsets=_offsets(listed),
        parent_objects=np.array([number.get(p, len(names)) for p in parents], np.int64),
        parent_labels=_label_numbers(parents_called, texts),
        candidate_offsets=_offsets(candidates),
        candidates=np.array([k for found in candidates for k in found], np.int64),
    )


def _origin(name: str, category: str, parents: list[str] | None) -> tuple[int, list[str]]:
    """How the parents of an object that appears are found, and from what (definitions.md R7)."""
    if parents is None or category != PARTICLE_SYSTEM:
        return AS_LISTED, parents or []
    if _COOKED in name.lower():
        return AS_LISTED, [name.replace(f"{_COOKED}__", "")]
    return (AMONG_REMOVED, parents) if parents else (IMPOSSIBLE, [])


def _candidates(parent: str | None, names: Sequence[str]) -> tuple[list[int], list[int]]:
    """Object numbers of the halves of ``parent``, and of all whose name contains it."""
    if parent is None:
        return [], []
    halves = [k for k, name in enumerate(names) if f"{_HALF}_{parent}" in name]
    return halves, [k for k, name in enumerate(names) if parent in name]


def _label_numbers(called: Iterable[str | None], texts: Sequence[str]) -> Ints:
    number: dict[str | None, int] = {text: k for k, text in enumerate(texts)}
    return np.array([number.get(text, NO_LABEL) for text in called], np.int64)


def _offsets(lists: Iterable[Sequence[object]]) -> Ints:
    return np.cumsum([0, *(len(one) for one in lists)], dtype=np.int64)
