"""Predicates that only recordings have, and that neither the paper nor the public release uses.

No code version includes this module: rows cannot contain a predicate that was unknown when they
were made, so adding one here makes nothing stale. A gating that uses one has words for it
(``also``), which are settings and part of versions. After changing a predicate that rows contain,
make them again by hand: ``enact-assets materialize --asset replays --force``.
"""

from typing import Literal, NamedTuple

SemanticClass = Literal[
    "spatial_relation",
    "functional_state",
    "material_state",
    "agent_interaction",
    "contact",
    "existence",
]


class Further(NamedTuple):
    """One further predicate. ``sign`` and ``key`` are for emoji wording: a unique code point, and
    its explanation, such as "a is sliced".
    """

    name: str
    arity: Literal[1, 2]
    semantic_class: SemanticClass
    meaning: str
    sign: str
    key: str


FURTHER: tuple[Further, ...] = ()
