"""The predicate catalogue: every relation and state a scene graph may hold, and what it means.

Source: ENACT paper, table 6 (eleven classes); ``Touching`` is added by contact gating (B.2.3);
``Exists`` is how a replay says that an object is in the world, and is never worded itself.
"""

from dataclasses import dataclass
from typing import Literal

from enact_assets.contracts.errors import UnknownNameError

SemanticClass = Literal[
    "spatial_relation",
    "functional_state",
    "material_state",
    "agent_interaction",
    "contact",
    "existence",
]

ROBOT = "robot"
"""Name of the acting robot in every replay; its category is ``agent``."""

EXISTS = "Exists"
TRANSITION = "Transition"


@dataclass(frozen=True)
class Predicate:
    """One predicate: how many objects it takes, what kind of statement it is, when it holds."""

    name: str
    arity: Literal[1, 2]
    semantic_class: SemanticClass
    meaning: str
    is_symmetric: bool = False


_CATALOGUE = (
    Predicate("RightGrasping", 2, "agent_interaction", "The robot's right hand holds the object."),
    Predicate("LeftGrasping", 2, "agent_interaction", "The robot's left hand holds the object."),
    Predicate("OnTop", 2, "spatial_relation", "Subject rests on, and touches, the object's top."),
    Predicate("Inside", 2, "spatial_relation", "Subject's centre lies in the object's cavity."),
    Predicate("Under", 2, "spatial_relation", "Subject lies below the object, within its outline."),
    Predicate("Contains", 2, "spatial_relation", "Subject holds particles of the object."),
    Predicate("Covered", 2, "spatial_relation", "Subject is covered by particles of the object."),
    Predicate("Open", 1, "functional_state", "A joint is past 5 % of its range."),
    Predicate("ToggledOn", 1, "functional_state", "The object's button was pressed to on."),
    Predicate("Cooked", 1, "material_state", "The object once reached 70 degrees Celsius."),
    Predicate(
        "Transition", 2, "material_state", "Subject (the parents) disappears as the object appears."
    ),
    Predicate("Touching", 2, "contact", "The two objects are in contact.", is_symmetric=True),
    Predicate("Exists", 1, "existence", "The object is in the world."),
)

CATALOGUE: dict[str, Predicate] = {p.name: p for p in _CATALOGUE}

STATE_PREDICATES: tuple[str, ...] = tuple(
    p.name for p in _CATALOGUE if p.name not in ("Touching", EXISTS, TRANSITION)
)
"""Predicates recorded as facts whose change makes a key frame without contact gating."""

CONTACT_PREDICATES: tuple[str, ...] = (*STATE_PREDICATES, "Touching")
"""The same, with contact gating (paper B.2.3)."""


def predicate(name: str) -> Predicate:
    """The catalogue entry called ``name``; raises :class:`UnknownNameError`."""
    try:
        return CATALOGUE[name]
    except KeyError:
        raise UnknownNameError.of(
            "predicate", name, CATALOGUE, "Add it to contracts/predicates.py."
        ) from None


def label(category: str) -> str:
    """How a category is called in text: ``half_watermelon`` -> ``half watermelon``."""
    return " ".join(category.replace("_", " ").split())
