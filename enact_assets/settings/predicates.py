"""The predicate catalogue: every relation and state of a scene graph, and its meaning.

Source: ENACT paper, table 6 (eleven classes); ``Touching`` is added by contact gating (B.2.3);
``Exists`` says in a replay that an object is in the world; it has no wording.
The further states are those that recorded replays name and profile ``release`` counts as changes.
"""

import difflib
import re
from dataclasses import dataclass
from typing import Literal

from enact_assets.engine.errors import entry_named
from enact_assets.settings.further_predicates import FURTHER, SemanticClass

ROBOT = "robot"
"""Name of the acting robot in every replay; its category is ``agent``."""

OTHER_HAND = {"LeftGrasping": "RightGrasping", "RightGrasping": "LeftGrasping"}
"""Predicate of a hand -> that of the other, which a mirror image shows."""
EXISTS = "Exists"
RELATED = "Related"
TRANSITION = "Transition"


@dataclass(frozen=True)
class Predicate:
    """One predicate: its number of objects, its kind, and its meaning."""

    name: str
    arity: Literal[1, 2]
    semantic_class: SemanticClass
    meaning: str
    is_symmetric: bool = False
    is_recorded_only: bool = False
    """Occurs in recorded replays only; no gating of profile ``paper`` looks at it."""
    is_in_release: bool = False
    """One of the 26 states whose change the public release words."""


def _state(name: str, arity: Literal[1, 2], kind: SemanticClass, meaning: str) -> Predicate:
    """A state that the paper's gatings and the public release look at."""
    return Predicate(name, arity, kind, meaning, is_in_release=True)


def _recorded(name: str, arity: Literal[1, 2], kind: SemanticClass, meaning: str) -> Predicate:
    """A state that only the public release looks at."""
    return Predicate(name, arity, kind, meaning, is_recorded_only=True, is_in_release=True)


_CATALOGUE = (
    _state("RightGrasping", 2, "agent_interaction", "The robot's right hand holds the object."),
    _state("LeftGrasping", 2, "agent_interaction", "The robot's left hand holds the object."),
    _state("OnTop", 2, "spatial_relation", "Subject rests on, and touches, the object's top."),
    _state("Inside", 2, "spatial_relation", "Subject's centre lies in the object's cavity."),
    _state("Under", 2, "spatial_relation", "Subject lies below the object, within its outline."),
    _state("Contains", 2, "spatial_relation", "Subject holds a particle of the object."),
    _state("Covered", 2, "spatial_relation", "A particle of the object lies on the subject."),
    _state("Open", 1, "functional_state", "A joint is past 5 % of its range."),
    _state("ToggledOn", 1, "functional_state", "The object's button was pressed to on."),
    _state("Cooked", 1, "material_state", "The object has once been at 70 degrees Celsius."),
    Predicate(
        "Transition", 2, "material_state", "Subject (the parents) disappears as the object appears."
    ),
    Predicate(
        *("Touching", 2, "contact", "The two objects are in contact."),
        is_symmetric=True,
        is_in_release=True,
    ),
    Predicate("Exists", 1, "existence", "The object is in the world."),
    Predicate(
        *("Related", 2, "existence", "A recording lists the pair with no state that holds."),
        is_recorded_only=True,
    ),
    _recorded("Grasping", 2, "agent_interaction", "The robot holds the object."),
    _recorded("AttachedTo", 2, "spatial_relation", "Subject is fixed to the object."),
    _recorded("Draped", 2, "spatial_relation", "Cloth subject hangs over the object."),
    _recorded("Overlaid", 2, "spatial_relation", "Cloth subject covers most of the object's top."),
    _recorded("NextTo", 2, "spatial_relation", "The two objects stand side by side."),
    _recorded("Filled", 2, "spatial_relation", "Subject is full of the object's particles."),
    _recorded("Saturated", 2, "material_state", "Subject has soaked up particles of the object."),
    _recorded("Burnt", 1, "material_state", "The object once became too hot."),
    _recorded("Frozen", 1, "material_state", "The object is below freezing."),
    _recorded("Heated", 1, "material_state", "The object is hot."),
    _recorded("OnFire", 1, "material_state", "The object burns."),
    _recorded("Folded", 1, "functional_state", "Cloth is folded."),
    _recorded("Unfolded", 1, "functional_state", "Cloth is spread out."),
    _recorded("HeatSourceOrSink", 1, "functional_state", "The object heats or cools others now."),
    _recorded("InFOVofRobot", 1, "agent_interaction", "The robot's camera sees the object."),
)

CATALOGUE: dict[str, Predicate] = {
    p.name: p for p in (*_CATALOGUE, *(Predicate(*of[:4], is_recorded_only=True) for of in FURTHER))
}

STATE_PREDICATES: tuple[str, ...] = tuple(
    p.name
    for p in _CATALOGUE
    if p.name not in ("Touching", EXISTS, TRANSITION) and not p.is_recorded_only
)
"""Predicates recorded as facts whose change makes a key frame without contact gating."""

CONTACT_PREDICATES: tuple[str, ...] = (*STATE_PREDICATES, "Touching")
"""The same predicates with contact gating (paper B.2.3)."""


RELEASE_PREDICATES: tuple[str, ...] = tuple(p.name for p in _CATALOGUE if p.is_in_release)
"""The 26 states whose change the public release words; it ignores any other."""


def predicate(name: str) -> Predicate:
    """The catalogue entry called ``name``; raises :class:`UnknownNameError`."""
    return entry_named(CATALOGUE, name, "predicate", "Add it to settings/predicates.py.")


_ELSEWHERE: dict[str, str] = {
    "Open": "opened closed close shut ajar",
    "ToggledOn": "on off active running plugged pluggedin pluggedout turned switched",
    "OnTop": "on ontopof atop over above upon sittingon lyingon standingon restingon placedon",
    "Inside": "in within into insideof enteredin",
    "Under": "below beneath underneath",
    "NextTo": "near nearby close beside besides adjacent adjacentto by",
    "Touching": "touch touches contact incontact incontactwith",
    "Grasping": "hold holds holding held heldby inhand carry carries carrying carried grab grabs "
    "grabbed grabbing grasp grasps grasped pick pickedup take",
    "RightGrasping": "holdsrh righthand inrighthand heldinrighthand",
    "LeftGrasping": "holdslh lefthand inlefthand heldinlefthand",
    "AttachedTo": "attach attached joined joinedto connected connectedto fixed fixedto mounted "
    "mountedon screwed screwedto assembled plugged pluggedin",
    "Contains": "contain containing has",
    "Covered": "cover covers covering coveredby coveredwith dirty stained dusty",
    "Filled": "full fullof filledwith",
    "Saturated": "wet soaked soakedwith",
    "Cooked": "cook baked boiled fried grilled",
    "Burnt": "burned charred",
    "Heated": "hot warm",
    "Frozen": "cold iced",
    "OnFire": "burning lit ignited",
    "Transition": "sliced cut broken",
}
"""Predicate -> words of other vocabularies for it or its contrary, in small letters alone."""


def nearest(name: str, arity: int | None = None) -> str | None:
    """The predicate that ``name``, a word of another vocabulary, probably means; None if none is
    near. Of several, one that takes ``arity`` objects.
    """
    word = re.sub("[^a-z]", "", name.casefold()) or name.casefold()
    of = {known.casefold(): known for known in CATALOGUE}
    found = [of[word]] if word in of else []
    found += [known for known, words in _ELSEWHERE.items() if word in words.split()]
    found += [of[near] for near in difflib.get_close_matches(word, of, n=3)]
    of_arity = [known for known in found if CATALOGUE[known].arity == arity]
    return next(iter([*of_arity, *found]), None)


def label(category: str) -> str:
    """Name of a category in texts: ``half_watermelon`` -> ``half watermelon``."""
    return " ".join(category.replace("_", " ").split())
