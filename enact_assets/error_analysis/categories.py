"""Categories of components when an answered step is compared with the true one.

Source: paper 3.5 and C.1 (algorithm 3), definitions.md 7.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from enact_assets.contracts.components import Component
from enact_assets.error_analysis.comparison_kernels import HANDS, ComponentKeys, Ints

OUTCOMES = (
    "matched",
    "polarity_inversion",
    "predicate_substitution",
    "entity_substitution",
    "omission",
    "hallucination",
)
"""Outcomes in the order of their codes in the kernels; all but the first are errors.

*Matched*: the component is in both. The next three pair one that is missing with one that is made
up: *polarity inversion* (same predicate and objects, + for - or - for +), *predicate substitution*
(same objects and sign), *entity substitution* (same predicate and sign). What finds no partner is
an *omission* (true and not said) or a *hallucination* (said and not true).
"""

HAND_OF: Mapping[str, int] = {
    "LeftGrasping": HANDS.index("left"),
    "RightGrasping": HANDS.index("right"),
}
"""Predicate -> which hand it is about. What recordings call Grasping is about neither."""


def component_keys(components: Sequence[Component]) -> ComponentKeys:
    """What the kernels need to know of ``components``, in their order.

    Two components may be paired in a category if their keys for it are equal. Signs are + and -: a
    transition is never inverted. One object or two are different things to say of it (edge and node
    components in the paper), so entities are not substituted across.
    """
    polarity = [
        (c.predicate, c.subject, c.object) if c.operation in ("add", "remove") else None
        for c in components
    ]
    return ComponentKeys(
        _numbered(polarity),
        _numbered([(c.operation, c.subject, c.object) for c in components]),
        _numbered([(c.operation, c.predicate, c.object is None) for c in components]),
        np.array([HAND_OF.get(c.predicate, -1) for c in components], np.int64),
    )


def _numbered(keys: Sequence[object]) -> Ints:
    """Equal numbers for equal keys; -1 for None."""
    numbers: dict[object, int] = {}
    return np.array(
        [-1 if key is None else numbers.setdefault(key, len(numbers)) for key in keys], np.int64
    )
