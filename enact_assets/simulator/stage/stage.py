"""A stage is a compiled world together with what the plan knows about its furniture and things."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from enact_assets.engine.errors import PlanError
from enact_assets.settings.arrays import Floats
from enact_assets.simulator.rooms.fixtures import Access, Fixture
from enact_assets.simulator.shapes.mjcf import Vec3
from enact_assets.simulator.shapes.world import World
from enact_assets.simulator.stage.matter_check import (
    Declarations,
    coats_of,
    vessels_of,
)
from enact_assets.simulator.things.kinds import Thing
from enact_assets.simulator.things.thing_parts import Coat, Vessel

ASIDE_M = 0.2
"""A fixture nearer to the middle has no side."""


@dataclass(frozen=True)
class Stage:
    """A world, its fixtures and things by name, and how each thing can be reached at the start."""

    world: World
    fixtures: Mapping[str, Fixture]
    things: Mapping[str, Thing]
    access: Mapping[str, Access]
    limbo: Mapping[str, Vec3]
    """Waiting place of every thing that takes part in a transition."""
    matter: Declarations = field(default_factory=Declarations)
    """Substances, heat and recipes."""
    starts: Mapping[str, Vec3] = field(default_factory=dict)
    resting: Mapping[str, str] = field(default_factory=dict)
    """Where each thing stands at the start, and on or in what."""
    opened: frozenset[str] = frozenset()
    switched_on: frozenset[str] = frozenset()
    """Fixtures that are open, and that are on, at the start."""
    look: str = ""
    """Kind of room and number of its style."""

    @property
    def environment(self) -> str:
        """The look, and on which side the first fixture stands that has a side: mirror images
        differ.
        """
        aside = (f for _, f in sorted(self.fixtures.items()) if abs(f.origin[0]) > ASIDE_M)
        first = next(aside, None)
        side = (
            "" if first is None else f", {first.name} {'left' if first.origin[0] < 0 else 'right'}"
        )
        return f"{self.look}{side}"

    @cached_property
    def vessels(self) -> dict[str, Vessel]:
        """Everything that can hold a substance, by name."""
        return vessels_of(self.things, self.fixtures)

    @cached_property
    def coats(self) -> dict[str, Coat]:
        """Everything a substance can lie on, by name."""
        return coats_of(self.things, self.fixtures)

    @cached_property
    def cavities(self) -> dict[str, tuple[Floats, Floats]]:
        """Low and high corner (3,) of every cavity, by name, in the frame of :meth:`frame_body`."""
        found = {name: thing.parts.cavity for name, thing in self.things.items()}
        found |= {name: fixture.cavity for name, fixture in self.fixtures.items()}
        # Fixtures' bodies stand at the world's origin, drawers do not.
        frames = {f.name: f.opening.handle for f in self.fixtures.values() if f.is_drawer}
        return {
            name: (
                np.asarray(corners[0]) - frames.get(name, (0.0, 0.0, 0.0)),
                np.asarray(corners[1]) - frames.get(name, (0.0, 0.0, 0.0)),
            )
            for name, corners in found.items()
            if corners is not None
        }

    def frame_body(self, name: str) -> str:
        """The body in whose frame the cavity of a thing or fixture lies: a drawer's is its own."""
        fixture = self.fixtures.get(name)
        return name if fixture is None or not fixture.is_drawer else fixture.panel_body

    def thing(self, name: str) -> Thing:
        """The thing called ``name``; raises :class:`PlanError`."""
        if name not in self.things:
            raise PlanError(f"no thing {name!r} (known: {', '.join(sorted(self.things))})")
        return self.things[name]

    def fixture(self, name: str) -> Fixture:
        """The fixture called ``name``; raises :class:`PlanError`."""
        if name not in self.fixtures:
            raise PlanError(f"no fixture {name!r} (known: {', '.join(sorted(self.fixtures))})")
        return self.fixtures[name]

    def lift(self, name: str, on: str) -> float:
        """How much higher than other things ``name`` rests on ``on``: a lid lies on the rim."""
        if on not in self.things or not self.thing(name).parts.is_lid:
            return 0.0
        below = self.things[on].parts
        return below.height - below.rest_height
