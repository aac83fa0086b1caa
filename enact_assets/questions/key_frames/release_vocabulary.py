"""Profile ``release``: tables of key frames -> arrays for the kernels, and their components."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from enact_assets.questions.key_frames.bit_sets import n_words_of, pack, set_bits
from enact_assets.questions.key_frames.graph_arrays import number_facts, object_numbers
from enact_assets.questions.key_frames.release_arrays import (
    AS_LISTED,
    UNKNOWN_STATE,
    UNSPEAKABLE,
    ReleaseArrays,
)
from enact_assets.questions.key_frames.release_objects import ReleaseObjects
from enact_assets.questions.key_frames.release_pair_kernels import find_transitions
from enact_assets.settings.arrays import Bools, Ints, Words
from enact_assets.settings.components import Component, Operation
from enact_assets.settings.predicates import EXISTS, RELATED, RELEASE_PREDICATES

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
