"""Fixed furniture as the plan knows it: where things stand, and what opens, switches or heats.

World coordinates throughout: x runs to the right, y away from the robot, the floor is z = 0. The
body of a fixture stands at the world's origin; only its panel moves.
"""

from dataclasses import dataclass
from typing import Literal

from enact_assets.engine.errors import PlanError
from enact_assets.simulator.shapes.mjcf import Vec3
from enact_assets.simulator.things.thing_parts import Coat, Vessel

Access = Literal["top", "front"]
"""From where a hand reaches things there: from above, or level, as on a shelf or in a cabinet."""

OPEN_FRACTION = 0.05
"""A panel past this share of its range is open."""


@dataclass(frozen=True)
class Panel:
    """The part of a fixture that opens: a door, a hinged lid or a drawer.

    Opening turns it right-handed about ``axis`` (a unit vector) through ``hinge``, or slides it
    along ``axis`` where ``hinge`` is None. ``handle`` is where the hand takes hold of it when
    closed. ``span`` is the joint's range and ``opened`` how far the robot opens it, in rad or m.
    What stands in a drawer moves with it (``carries``).
    """

    handle: Vec3
    axis: Vec3
    hinge: Vec3 | None
    span: float
    opened: float
    carries: bool = False

    @property
    def is_lid(self) -> bool:
        """Whether it swings about a horizontal axis."""
        return self.hinge is not None and abs(self.axis[2]) < 0.5


@dataclass(frozen=True)
class Heater:
    """A source of heat: while the fixture is toggled on, things whose middle lies within
    ``radius_m`` of ``centre`` warm up; with ``needs_closed`` what is inside it, while its panel is
    shut.
    """

    centre: Vec3
    radius_m: float
    needs_closed: bool = False


@dataclass(frozen=True)
class Fixture:
    """A piece of furniture: where things stand on it, and how its panel, button or heater works.

    ``origin`` is the point that offsets of placements count from, at the height things rest on.
    ``cavity`` is the inner box (low corner, high corner); with a drawer, both are those of the
    closed drawer. Pressing ``button`` switches the cue with index ``cue``. ``spout`` is where water
    leaves a tap while it is toggled on. ``vessel`` is a hollow above ``origin``, such as a basin,
    ``coat`` where substances may lie on it.
    """

    name: str
    origin: Vec3
    access: Access = "top"
    cavity: tuple[Vec3, Vec3] | None = None
    panel: Panel | None = None
    button: Vec3 | None = None
    cue: int = -1
    heater: Heater | None = None
    spout: Vec3 | None = None
    vessel: Vessel | None = None
    coat: Coat | None = None

    @property
    def joint(self) -> str:
        """Name of the panel's joint."""
        return f"{self.name}.joint"

    @property
    def panel_body(self) -> str:
        """Name of the panel's body."""
        return f"{self.name}.panel"

    @property
    def is_drawer(self) -> bool:
        """Whether what stands in the fixture moves with its panel."""
        return self.panel is not None and self.panel.carries

    def origin_at_start(self, *, is_open: bool) -> Vec3:
        """``origin`` when its panel is shut or open: what stands in a drawer moves with it."""
        if not (is_open and self.is_drawer):
            return self.origin
        (x, y, z), (dx, dy, dz), way = self.origin, self.opening.axis, self.opening.opened
        return (x + way * dx, y + way * dy, z + way * dz)

    @property
    def opening(self) -> Panel:
        """The panel; raises :class:`PlanError` where there is none."""
        if self.panel is None:
            raise PlanError(f"{self.name} has no door, lid or drawer")
        return self.panel


CATCHES, GOES = 60.0, 1.5
"""How hard a panel is to move, in N or Nm, that no hand leads, and that one does."""


def panel_xml(fixture: Fixture, geoms: str) -> str:
    """The body of the fixture's panel, to stand among the fixture's geoms.

    ``geoms`` are given relative to the hinge, or to ``handle`` where there is none.
    """
    panel = fixture.opening
    kind, (x, y, z) = ("hinge", panel.hinge) if panel.hinge else ("slide", panel.handle)
    axis = " ".join(f"{v:.6g}" for v in panel.axis)
    return (
        f'<body name="{fixture.panel_body}" pos="{x:.6g} {y:.6g} {z:.6g}">'
        f'<joint name="{fixture.joint}" type="{kind}" axis="{axis}" range="0 {panel.span:.6g}" '
        f'damping="3" frictionloss="{CATCHES}" armature="0.05"/>{geoms}</body>'
    )
