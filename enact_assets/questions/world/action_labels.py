"""Categories of actions: what is done, with what kind of thing, to what kind of place.

No hand is named, as rooms are mirrored, and no number of a thing: any plate from any cabinet.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_LABEL = re.compile(r"(\w+)\(([^,()]*)(?:, ([^,()]*))?\)")
_HANDS = re.compile(r"\b(?:Left|Right)Grasping\(")
NOT_ASKABLE = frozenset({"together", "wait", "await_cooked"})
"""Verbs of which no clip shows one action."""


class Label(NamedTuple):
    """Parts of a category; ``place`` is empty for actions with one object."""

    verb: str
    thing: str
    place: str


def category_of(verb: str, objects: Sequence[str], kinds: Mapping[str, str]) -> str:
    """``grasp(plate, cabinet)``; ``kinds`` maps names of objects to their categories."""
    return f"{verb}({', '.join(kinds.get(name) or name for name in objects)})"


def label_of(category: str) -> Label:
    """Inverse of :func:`category_of`; a category of another form is a verb by itself."""
    found = _LABEL.fullmatch(category)
    if found is None:
        return Label(category, "", "")
    return Label(found[1], found[2], found[3] or "")


def without_hands(changes: Sequence[str]) -> frozenset[str]:
    """Components of a change with any hand: ``+LeftGrasping(...)`` -> ``+Grasping(...)``."""
    return frozenset(_HANDS.sub("Grasping(", text) for text in changes)
