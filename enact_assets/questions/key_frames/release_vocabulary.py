"""Profile ``release``: objects, labels and components of a recording, as arrays for the kernels.

A label is the name without numbers and model ids. Source: definitions.md R9. The public release
tells words from model ids (``rhdbzv``) by a list of English words; here the words of an object's
category take the place of that list.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from enact_assets.demonstrations.replay.parents import KEY_FRAME, parents_over_time
from enact_assets.questions.key_frames.bit_sets import n_words_of, pack, set_bits
from enact_assets.questions.key_frames.graph_arrays import (
    number_by_value,
    number_facts,
    object_numbers,
)
from enact_assets.questions.key_frames.release_arrays import (
    AMONG_REMOVED,
    AS_LISTED,
    IMPOSSIBLE,
    NO_LABEL,
    UNKNOWN_STATE,
    UNSPEAKABLE,
    ReleaseArrays,
)
from enact_assets.questions.key_frames.release_pair_kernels import find_transitions
from enact_assets.settings.arrays import Bools, Ints, Words
from enact_assets.settings.components import Component, Operation
from enact_assets.settings.predicates import EXISTS, RELATED, RELEASE_PREDICATES

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


COOKED = "Cooked"
"""Predicate of the transition to a cooked form: ``~Cooked(diced apple)``."""

Steps = tuple[Component, Component] | int
"""Components of removing and of adding a fact, or why it has none."""


def build_arrays(
    scene_graphs: pl.DataFrame, objects: ReleaseObjects, exists: Bools, visible: Bools
) -> tuple[ReleaseArrays, tuple[Component, ...]]:
    """The arrays of one demonstration, and all components of any pair, sorted by text.

    Shape: exists, visible (key frames, objects).
    """
    number = objects.number
    facts, fact_words = number_facts(scene_graphs, [EXISTS, RELATED], len(exists))
    fact_objects = np.stack(
        [object_numbers(facts[column], number) for column in ("subject", "object")], axis=1
    )
    called = (*objects.called, None)
    steps = [
        _steps(predicate, called[subject], called[other], is_pair=other < len(number))
        for predicate, (subject, other) in zip(facts["predicate"], fact_objects, strict=True)
    ]
    cooked = [
        None if text is None else Component("transition", COOKED, text)
        for text in objects.cooked_from
    ]
    texts = objects.label_texts
    draft = ReleaseArrays(
        facts=fact_words,
        exists=pack(exists),
        visible=pack(visible),
        fact_objects=fact_objects,
        fact_components=np.zeros((0, 2), np.int64),
        fact_dots=np.array([_dots(s) for s in steps], np.int64),
        categories=objects.categories,
        labels=objects.labels,
        is_half=objects.is_half,
        versions=_versions(objects, len(exists)),
        owners=objects.owners,
        has_null_parents=objects.has_null_parents,
        origin=objects.origin,
        is_sought=_is_sought(objects),
        parent_offsets=objects.parent_offsets,
        parent_objects=objects.parent_objects,
        parent_labels=objects.parent_labels,
        candidate_offsets=objects.candidate_offsets,
        candidates=objects.candidates,
        label_dots=np.array([text.count(".") for text in texts], np.int64),
        cooked=np.array([-1 if c is None else 0 for c in cooked], np.int64),
        cooked_dots=np.array([0 if c is None else c.subject.count(".") for c in cooked], np.int64),
        transition_offsets=np.zeros(len(texts) + 1, np.int64),
        transition_sets=np.zeros((0, n_words_of(len(texts))), np.uint64),
        transition_components=np.zeros(0, np.int64),
    )
    children, sets = find_transitions(draft)
    order = np.argsort(children, kind="stable")
    children, sets = children[order], np.ascontiguousarray(sets[order])
    transitions = _transitions(children, sets, texts)
    components = sorted(
        {c for s in steps if isinstance(s, tuple) for c in s}
        | set(transitions)
        | {c for c in cooked if c is not None},
        key=str,
    )
    position = {component: k for k, component in enumerate(components)}
    arrays = draft._replace(
        fact_components=_fact_components(steps, position),
        cooked=_positions(cooked, position),
        transition_offsets=np.searchsorted(children, np.arange(len(texts) + 1)).astype(np.int64),
        transition_sets=sets,
        transition_components=_positions(transitions, position),
    )
    return arrays, tuple(components)


def _versions(objects: ReleaseObjects, n_key_frames: int) -> Ints:
    """Version of the parents of each object at each key frame: (n_key_frames, objects)."""
    versions = np.tile(np.arange(len(objects.names)), (n_key_frames, 1))
    for later in range(len(objects.names), objects.owners.size):
        versions[objects.since[later] :, objects.owners[later]] = later
    return versions


def _is_sought(objects: ReleaseObjects) -> Words:
    is_sought = np.zeros((1, len(objects.names)), np.bool_)
    is_sought[0, objects.owners[objects.origin != AS_LISTED]] = True
    words: Words = pack(is_sought)[0]
    return words


def _steps(predicate: str, subject: str | None, other: str | None, *, is_pair: bool) -> Steps:
    if predicate not in RELEASE_PREDICATES:
        return UNKNOWN_STATE
    if subject is None or (is_pair and other is None):
        return UNSPEAKABLE
    operations: tuple[Operation, Operation] = ("remove", "add")
    removed, added = (Component(o, predicate, subject, other) for o in operations)
    return removed, added


def _dots(steps: Steps) -> int:
    """Dots in the names that a sentence about this fact would mention."""
    if isinstance(steps, int):
        return 0
    return steps[0].subject.count(".") + (steps[0].object or "").count(".")


def _fact_components(steps: Sequence[Steps], position: Mapping[Component, int]) -> Ints:
    rows = [(s, s) if isinstance(s, int) else (position[s[0]], position[s[1]]) for s in steps]
    return np.array(rows, np.int64).reshape(-1, 2)


def _transitions(children: Ints, sets: Words, texts: Sequence[str]) -> list[Component]:
    flat, offsets = set_bits(sets)
    return [
        Component.transition(
            tuple(texts[k] for k in flat[offsets[row] : offsets[row + 1]]), texts[child]
        )
        for row, child in enumerate(children)
    ]


def _positions(components: Iterable[Component | None], position: Mapping[Component, int]) -> Ints:
    return np.array([-1 if c is None else position[c] for c in components], np.int64)
