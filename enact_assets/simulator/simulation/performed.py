"""Which steps a robot carried out, when, and with what: actions, as annotators would label them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from enact_assets.simulator.robot.kinematics import Side

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")
_TARGETS = ("on", "into", "vessel")


@dataclass(frozen=True)
class Performed:
    """One step of a plan, from ``frame_from`` up to, not including, ``frame_to``.

    ``objects`` are what it is done with: the thing or fixture, then the place or the thing that it
    is taken from, put on or applied to. Empty for steps without an object of their own.
    """

    verb: str
    objects: tuple[str, ...]
    frame_from: int
    frame_to: int


def described(
    step: object, held: Mapping[Side, str | None], resting: Mapping[str, str]
) -> tuple[str, tuple[str, ...]]:
    """Verb and objects of ``step`` before it is carried out.

    ``held`` maps hand -> thing, ``resting`` thing -> what it stands on or in. A step with a target
    is done with what the hand holds; one that names a thing, where that stands.
    """
    verb = _CAPITAL.sub("_", type(step).__name__).lower()
    target = next((getattr(step, name) for name in _TARGETS if hasattr(step, name)), None)
    if target is not None:
        pair = (held.get(getattr(step, "side", "left")), target)
    elif hasattr(step, "thing"):
        pair = (step.thing, resting.get(step.thing))
    else:
        pair = (getattr(step, "fixture", None), None)
    return verb, tuple(name for name in pair if name is not None)
