"""What the kernels of profile ``release`` work on, and the ways in which a pair can fail."""

from typing import NamedTuple

import numpy as np

from enact_assets.engine.system.compiled import njit
from enact_assets.settings.arrays import Bools, Ints, Words

FINE = 0
NO_ORIGIN = 1
"""AssertionError: a particle system appears, and no object that disappears is its origin."""
EMPTY_PARENTS = 2
"""IndexError: a particle system appears that has an empty list of parents."""
NULL_PARENTS = 3
"""TypeError: one of several changed halves has no parents recorded."""
NAMELESS = 4
"""The release ends its process: nothing is left of a name."""

NO_LABEL = -1
UNKNOWN_STATE = -1
"""Instead of a component: no sentence is written about this state."""
UNSPEAKABLE = -2
"""Instead of a component: an object in it has no label."""

# How the parents of an object that appears are found (definitions.md R7).
AS_LISTED = 0
AMONG_REMOVED = 1
IMPOSSIBLE = 2


class ReleaseArrays(NamedTuple):
    """What the change between two key frames depends on. M key frames, F facts, O objects by name.

    ``facts`` (M, words) are the facts of each key frame but existence; ``exists`` and ``visible``
    (M, words) are its objects. ``fact_objects`` (F, 2) are object numbers, O for none.
    ``fact_components`` (F, 2) are the component numbers of removing and of adding the fact, or
    ``UNKNOWN_STATE``, or ``UNSPEAKABLE``; ``fact_dots`` (F,) counts the dots in the names of its
    sentence.

    ``categories`` (O,) is negative for particle systems, which never are too many; ``labels`` (O,)
    is a number below L or ``NO_LABEL``.

    The parents of objects have V versions: ``versions`` (M, O) is the one of each object at each
    key frame, ``owners`` (V,) is the object of a version. ``origin`` (V,) says how the parents are
    found when the object appears, ``is_sought`` (words,) marks objects for which it is not
    ``AS_LISTED`` in every version. Listed parents of version v are
    ``parent_objects[parent_offsets[v]:parent_offsets[v + 1]]``, O for what is no object, and beside
    them ``parent_labels``. Those looked for among what disappears are
    ``candidates[candidate_offsets[2 * v]:candidate_offsets[2 * v + 1]]`` or, if none of these
    disappears, the row after it.

    ``label_dots`` (L,) counts dots in a label; ``cooked`` (L,) is the component of something
    turning into its cooked form of this label, or -1, with ``cooked_dots``. The transitions to
    label l from a set of labels are rows ``transition_offsets[l]`` to
    ``transition_offsets[l + 1]`` of ``transition_sets`` (T, words) and ``transition_components``.
    """

    facts: Words
    exists: Words
    visible: Words
    fact_objects: Ints
    fact_components: Ints
    fact_dots: Ints
    categories: Ints
    labels: Ints
    is_half: Bools
    versions: Ints
    owners: Ints
    has_null_parents: Bools
    origin: Ints
    is_sought: Words
    parent_offsets: Ints
    parent_objects: Ints
    parent_labels: Ints
    candidate_offsets: Ints
    candidates: Ints
    label_dots: Ints
    cooked: Ints
    cooked_dots: Ints
    transition_offsets: Ints
    transition_sets: Words
    transition_components: Ints


class Scratch(NamedTuple):
    """Working memory, kept from pair to pair. Sets are of objects unless a line says otherwise."""

    facts: Ints
    """Numbers of the facts that differ, from the start."""
    changed: Words
    appearing: Words
    disappearing: Words
    seen: Words
    keeps_edges: Words
    """Objects for which entries of edges at them are kept."""
    keeps_added: Words
    keeps_removed: Words
    lacks_parents: Words
    """Objects for which an added state fails for want of parents."""
    category_count: Ints
    """Per category, how many changed objects are seen; 0 between calls."""
    entries: Ints
    """Component numbers of all sentences, with repetitions, from the start."""
    child_of_label: Ints
    """Per label in ``children``, the last object of it that appears."""
    children: Words
    """Labels of what appears and is kept."""
    gone: Words
    """Labels of the objects whose disappearance is kept."""
    former: Words
    """Labels of the parents found for one transition."""


class Pair(NamedTuple):
    """From key frame i to key frame j."""

    i: int
    j: int


@njit(cache=True)
def new_scratch(arrays: ReleaseArrays) -> Scratch:
    """Working memory for ``arrays``."""
    n_facts, n_objects, n_labels = (
        arrays.fact_objects.shape[0],
        arrays.labels.size,
        arrays.label_dots.size,
    )
    objects = np.zeros((8, arrays.is_sought.size), np.uint64)
    labels = np.zeros((3, arrays.transition_sets.shape[1]), np.uint64)
    return Scratch(
        np.zeros(n_facts, np.int64),
        objects[0],
        objects[1],
        objects[2],
        objects[3],
        objects[4],
        objects[5],
        objects[6],
        objects[7],
        np.zeros(n_objects, np.int64),
        np.zeros(n_facts + n_labels, np.int64),
        np.zeros(n_labels, np.int64),
        labels[0],
        labels[1],
        labels[2],
    )
