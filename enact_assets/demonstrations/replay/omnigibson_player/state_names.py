"""States of OmniGibson that become facts, and those left out with a reason, by class name.

Together they are all classes of version 1.1.1 that derive from its ``BooleanStateMixin``; a test
compares them with its source, and the first with our catalogue of predicates.
"""

from collections.abc import Mapping
from typing import Any

EXISTS = "Exists"
"""The fact that a thing is there; no state of OmniGibson's."""
PARTICLE_SYSTEM = "System"
"""Category of particle systems."""

RECORDED = (
    "AttachedTo",
    "Burnt",
    "Contains",
    "Cooked",
    "Covered",
    "Draped",
    "Folded",
    "Frozen",
    "Heated",
    "Inside",
    "OnTop",
    "Open",
    "Overlaid",
    "ToggledOn",
    "Touching",
    "Under",
    "Unfolded",
)
"""States that are facts under the same name."""
SYMMETRIC = ("Touching",)
"""Those that hold in both directions: stored once, the name that sorts first as subject."""
LEFT_OUT: Mapping[str, str] = {
    "Filled": "is about particle systems; no gating looks at it",
    "IsGrasping": "of robots, which are asked per hand; knows assisted grasps only",
    "NextTo": "no gating looks at it, and it is the most expensive of all",
    "Saturated": "is about particle systems; no gating looks at it",
    "SlicerActive": "a cool-down timer of knives, no state of the world",
}
"""States that are no facts, and why."""
PARTICLES_ONLY = ("Contains", "Covered", "Filled", "Saturated")
"""States whose second thing is a particle system: nobody asks them about objects."""


def holds(state: Any, *other: Any) -> bool:
    """Whether ``state`` of a thing holds, towards the ``other`` one if it takes one.

    One that fails does not hold, as for OmniGibson's builder of scene graphs and the authors'
    replay: some states fail for some pairs.
    """
    try:
        return bool(state.get_value(*other))
    except Exception:  # noqa: BLE001 # whatever the state raises
        return False
