"""A stage is a compiled world together with what the plan knows about its furniture and things."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from enact_assets.contracts.errors import PlanError, UnknownNameError
from enact_assets.simulator.fixtures import Access, Fixture
from enact_assets.simulator.parts import Color
from enact_assets.simulator.robot import SIDES, add_robot
from enact_assets.simulator.shapes import STATIC, Scene
from enact_assets.simulator.things import Thing, add_thing
from enact_assets.simulator.world import World

Vec3 = tuple[float, float, float]

LIMBO: Vec3 = (0.0, 9.0, -4.0)
"""Where things wait that do not exist yet, or no longer: far below and behind the kitchen."""


@dataclass(frozen=True)
class Stage:
    """A world, its fixtures and things by name, and how each thing can be reached at the start."""

    world: World
    fixtures: Mapping[str, Fixture]
    things: Mapping[str, Thing]
    access: Mapping[str, Access]
    limbo: Mapping[str, Vec3]
    """Waiting place of every thing that takes part in a transition."""

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


@dataclass
class StageBuilder:
    """Puts fixtures, then things, then the robot together; :meth:`finish` compiles nothing yet."""

    scene: Scene = field(default_factory=Scene)
    fixtures: dict[str, Fixture] = field(default_factory=dict)
    things: dict[str, Thing] = field(default_factory=dict)
    _positions: dict[str, Vec3] = field(default_factory=dict)
    _access: dict[str, Access] = field(default_factory=dict)
    _limbo: dict[str, Vec3] = field(default_factory=dict)

    def furnish(self, *fixtures: Fixture) -> None:
        """Make fixtures known that were added to the scene."""
        for fixture in fixtures:
            self.fixtures[fixture.name] = fixture

    def put(
        self,
        name: str,
        kind: str,
        color: Color,
        on: str,
        at: tuple[float, float] = (0.0, 0.0),
        *,
        access: Access | None = None,
        halves: tuple[str, ...] = (),
    ) -> None:
        """Stand a thing on or in a fixture or thing, ``at`` metres right and away of its middle.

        Errors: :class:`UnknownNameError` for a support that was not put before.
        """
        if on in self.fixtures:
            base, rest = self.fixtures[on].origin, 0.0
            found = self.fixtures[on].access
        elif on in self.things:
            base, rest, found = (
                self._positions[on],
                self.things[on].parts.rest_height,
                self._access[on],
            )
        else:
            raise UnknownNameError.of("support", on, [*self.fixtures, *self.things])
        pos = (base[0] + at[0], base[1] + at[1], base[2] + rest + 0.001)
        self._positions[name] = pos
        self._access[name] = access or found
        self.things[name] = add_thing(self.scene, name, kind, color, pos, halves=halves)
        if halves:
            self._limbo[name] = self._waiting_place()

    def put_later(self, name: str, kind: str, color: Color, parents: tuple[str, ...]) -> None:
        """Add a thing that waits in limbo until its parents are cut."""
        pos = self._waiting_place()
        self._limbo[name] = pos
        self.things[name] = add_thing(self.scene, name, kind, color, pos, parents=parents)
        self._access[name] = "top"

    def _waiting_place(self) -> Vec3:
        return (LIMBO[0] + 0.6 * len(self._limbo), LIMBO[1], LIMBO[2] + 0.001)

    def finish(self, head_pitch_rad: float) -> Stage:
        """Add the robot and the constraints it holds things by; returns the stage."""
        scene = self.scene
        floor = scene.solid("box", (4, 1, 0.05), (2, 0, -0.05), 0.0, collide=STATIC)
        scene.body("limbo", LIMBO, floor)
        robot = add_robot(scene)
        for side in SIDES:
            for name in self.things:
                scene.equalities.append(
                    f'<weld name="{side}.{name}" body1="robot.{side}_hand" body2="{name}" '
                    'active="false" solref="0.012 1"/>'
                )
            for fixture in self.fixtures.values():
                if fixture.panel:
                    scene.equalities.append(
                        f'<connect name="{side}.{fixture.name}" body1="{fixture.panel_body}" '
                        f'body2="robot.{side}_hand" anchor="0 0 0" active="false" '
                        'solref="0.012 1"/>'
                    )
        world = World(
            xml=scene.xml(),
            objects=tuple(scene.objects),
            surfaces=scene.surfaces,
            cues=tuple(scene.cues),
            robot_geoms=robot,
            head_pitch_rad=head_pitch_rad,
        )
        return Stage(world, self.fixtures, self.things, self._access, self._limbo)
