"""Rules ``enact``: which objects and relations the authors' replay writes, as pure functions.

Source: the scene graph builder of OmniGibson's branch ``enact``, read as facts
(StanfordVL/BEHAVIOR-1K at 51f38a22). docs/omnigibson.md lists the rules and what cannot be equal.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

LEFT, RIGHT = "LeftGrasping", "RightGrasping"
FURNITURE = frozenset(
    (
        "bottom_cabinet_rhdbzv_0",
        "breakfast_table_xftrki_0",
        "coffee_table_rlsebe_0",
        "door_bexenl_0",
        "door_vudhlc_1",
        "drop_in_sink_awvzkn_0",
        "drop_in_sink_lkklqs_0",
        "floors_kxcpgy_0",
        "floors_qgmjvd_0",
        "garden_chair_cottya_0",
        "garden_chair_cottya_1",
        "garden_chair_cottya_2",
        "garden_chair_lraplz_0",
        "lawn_aztwla_0",
        "sliding_door_tprpvb_10",
        "straight_chair_uofiqj_0",
        "toilet_udiezm_0",
    )
)
"""Objects that count although no task names them."""
EXCLUDED = ("Filled", "Frozen", "Heated", "NextTo", "SlicerActive", "Touching")
"""States that are not written."""
STATES = ("Burnt", "Cooked", "Folded", "Open", "ToggledOn", "Unfolded")
"""States of one object that are written."""
RELATIONS = ("AttachedTo", "Draped", "Inside", "OnTop", "Overlaid", "Under")
"""Relations between two objects that are written."""
PARTICLE_RELATIONS = ("Contains", "Covered", "Saturated")
"""Relations of an object with a particle system that are written."""
GROUND = ("driveway", "floors", "lawn")
"""Categories that are never under anything."""
DICED = "diced__"

Kind = Literal["object", "robot", "system"]
Pair = tuple[str, str]
Edges = Mapping[Pair, Collection[str]]
"""Subject and object -> relations that hold."""


@dataclass(frozen=True)
class Thing:
    """What the rules ask about an object, the robot, or a particle system."""

    category: str
    kind: Kind = "object"


class Selection:
    """Names that count, frame after frame: those of the task, furniture, and whatever comes later.

    ``task`` are the names in the task's scope. Robots and particle systems have to be among them,
    or come later. What counts once counts whenever it is there.
    """

    def __init__(self, task: Iterable[str]) -> None:
        self._wanted = {*task, *FURNITURE}
        self._before: frozenset[str] | None = None

    def at(self, there: Iterable[str]) -> set[str]:
        """Those of ``there``, the names of all that exists now, that count."""
        now = frozenset(there)
        if self._before is not None:
            self._wanted |= now - self._before
        self._before = now
        return self._wanted & now


def parents_of(name: str, gone: Collection[str], *, is_system: bool) -> list[str] | None:
    """Parents of ``name``, which comes as ``gone`` leave; None where the replay names none.

    A particle system comes from what its own name says. An object comes from the one thing that
    left at that step; the replay names none if none or several left.
    """
    if is_system:
        return [name.replace(DICED, "")]
    return list(gone) if len(gone) == 1 else None


def kept(edges: Edges, things: Mapping[str, Thing]) -> dict[Pair, set[str]]:
    """The relations of ``edges`` that the replay writes; ``things`` has every name in them.

    All rules look at ``edges`` as given: what one rule drops still counts for the others.
    """
    about = _Found(edges, things)
    left = {pair: set(states) - about.dropped(pair) for pair, states in edges.items()}
    return {pair: states for pair, states in left.items() if states}


class _Found:
    """What the rules look up in all edges of a frame."""

    def __init__(self, edges: Edges, things: Mapping[str, Thing]) -> None:
        self._edges, self._things = edges, things
        self._inside = {subject for (subject, _), states in edges.items() if "Inside" in states}
        self._held = {
            other
            for (subject, other), states in edges.items()
            if things[subject].kind == "robot" and {LEFT, RIGHT} & set(states)
        }

    def dropped(self, pair: Pair) -> set[str]:
        """Relations that one of the rules drops from ``pair``."""
        subject, other = (self._things[name] for name in pair)
        kinds = {subject.kind, other.kind}
        if "system" in kinds:
            return {"Covered"} if subject.kind == "robot" else set()
        drop: set[str] = set()
        if "robot" in kinds:
            drop |= {"OnTop", "Inside", "Under"}
        if "Inside" in self._edges[pair]:
            drop |= {"OnTop"}
        if "Inside" in self._edges.get((pair[1], pair[0]), ()) or self._inside.issuperset(pair):
            drop |= {"OnTop", "Under"}
        if subject.category == other.category:
            drop |= {"OnTop", "Under", "Touching"}
        is_below_nothing = "ceiling" in other.category or subject.category in GROUND
        if is_below_nothing or self._held & set(pair):
            drop |= {"Under"}
        return drop
