"""Puts a stage together: fixtures, things, substances, recipes and the robot."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from enact_assets.engine.errors import StageError, UnknownNameError
from enact_assets.simulator.robot.kinematics import SIDES, add_robot
from enact_assets.simulator.rooms.fixtures import Access, Fixture
from enact_assets.simulator.shapes.mjcf import STATIC, Scene, Vec3
from enact_assets.simulator.shapes.surfaces import Color, Surface
from enact_assets.simulator.shapes.world import Cue, World
from enact_assets.simulator.stage.matter_check import (
    Declarations,
    check_matter,
    coats_of,
    vessels_of,
)
from enact_assets.simulator.stage.stage import Stage
from enact_assets.simulator.stage.substances import (
    PATCH_M,
    Covering,
    Filling,
    Kind,
    Substance,
    add_substance,
)
from enact_assets.simulator.stage.transitions import Cut, Recipe, When, parents_of
from enact_assets.simulator.things.kinds import Thing, add_thing

LIMBO: Vec3 = (0.0, 9.0, -4.0)
"""Where things wait that do not exist yet, or no longer: far below and behind the kitchen."""


@dataclass
class StageBuilder:
    """Puts fixtures, then things, then the robot together; :meth:`finish` compiles nothing yet.

    Substances, heat and recipes may be declared in any order; names are checked at the end.
    """

    scene: Scene = field(default_factory=Scene)
    fixtures: dict[str, Fixture] = field(default_factory=dict)
    things: dict[str, Thing] = field(default_factory=dict)
    _positions: dict[str, Vec3] = field(default_factory=dict)
    _access: dict[str, Access] = field(default_factory=dict)
    resting: dict[str, str] = field(default_factory=dict)
    matter: Declarations = field(default_factory=Declarations)
    _limbo: dict[str, Vec3] = field(default_factory=dict)
    _later: dict[str, tuple[str, ...]] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)
    switched_on: set[str] = field(default_factory=set)

    def furnish(self, *fixtures: Fixture) -> None:
        """Make fixtures known that were added to the scene."""
        for fixture in fixtures:
            self.fixtures[fixture.name] = fixture

    def leave_open(self, fixture: str) -> None:
        """Let a door, lid or drawer be open at the start; call it before anything is put there.

        Errors: :class:`PlanError` for a fixture that does not open.
        """
        _ = self.fixtures[fixture].opening
        self.opened.add(fixture)

    def leave_on(self, fixture: str) -> None:
        """Let what a button of this fixture switches be on at the start."""
        self.switched_on.add(fixture)

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

        ``halves`` are what it is cut into, put later: short for a recipe with :class:`Cut`.

        Errors: :class:`UnknownNameError` for a support that was not put before.
        """
        if on in self.fixtures:
            fixture = self.fixtures[on]
            base, rest = fixture.origin_at_start(is_open=on in self.opened), 0.0
            found = fixture.access
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
        self.resting[name] = on
        self.things[name] = add_thing(self.scene, name, kind, color, pos)
        if halves:
            self.recipe(halves, (name,), when=Cut(name))

    def put_later(self, name: str, kind: str, color: Color, parents: tuple[str, ...] = ()) -> None:
        """Add a thing that waits until a recipe makes it.

        ``parents`` may be left to the recipe; given here, they must be the same.
        """
        pos = self._waiting_place(name)
        self._later[name] = parents
        self.things[name] = add_thing(self.scene, name, kind, color, pos)
        self._access[name] = "top"

    def substance(
        self,
        name: str,
        surface: Surface,
        *,
        kind: Kind = "liquid",
        holders: tuple[str, ...] = (),
        coats: tuple[str, ...] = (),
        patch_m: float = PATCH_M,
    ) -> None:
        """Declare a substance that may fill the vessels ``holders`` and lie on ``coats``.

        A particle on a surface is a disc of radius ``patch_m``.
        """
        if name in self.matter.substances:
            raise StageError(f"substance {name!r} is declared twice; name all its places at once")
        self.matter.substances[name] = Substance(name, surface, kind, holders, coats, patch_m)

    def fill(self, vessel: str, substance: str, share: float) -> None:
        """Fill ``share`` of a vessel's volume at the start."""
        self.matter.fillings.append(Filling(vessel, substance, share))

    def cover(self, on: str, substance: str, n: int | None = None) -> None:
        """Cover a thing at the start: on all its places, or on the first ``n``."""
        self.matter.coverings.append(Covering(on, substance, n))

    def tap(self, fixture: str, substance: str) -> None:
        """Let ``substance`` run from the spout of a fixture while it is toggled on."""
        self.matter.taps[fixture] = substance

    def cookable(self, thing: str, cooked: Mapping[str, Surface]) -> None:
        """Give a thing a temperature; once it is cooked, its geoms have the surfaces ``cooked``.

        Geoms are named with or without the thing's name before them.
        """
        surfaces = {
            geom if geom.startswith(f"{thing}.") else f"{thing}.{geom}": surface
            for geom, surface in cooked.items()
        }
        self.matter.cookable[thing] = surfaces

    def recipe(self, products: tuple[str, ...], parents: tuple[str, ...], *, when: When) -> None:
        """Declare that ``parents`` turn into ``products``; things among these are put later."""
        self.matter.recipes.append(Recipe(products, parents, when))

    def _waiting_place(self, name: str) -> Vec3:
        row, column = divmod(len(self._limbo), 10)
        place = (LIMBO[0] + 0.6 * column, LIMBO[1] + 0.6 * row, LIMBO[2] + 0.001)
        self._limbo[name] = place
        return place

    def _add_matter(self) -> None:
        """The bodies of substances, and the parents of what recipes make."""
        parents = parents_of(self.matter.recipes)
        vessels = vessels_of(self.things, self.fixtures)
        coats = coats_of(self.things, self.fixtures)
        for name, substance in self.matter.substances.items():
            add_substance(
                self.scene,
                substance,
                {holder: vessels[holder] for holder in substance.holders},
                {on: coats[on] for on in substance.coats},
                parents.get(name, ()),
            )
        self.matter.coverings[:] = [
            cover.placed(len(coats[cover.on].patches)) for cover in self.matter.coverings
        ]
        for thing, surfaces in self.matter.cookable.items():
            self.matter.cooked_cues[thing] = len(self.scene.cues)
            self.scene.cues.append(Cue(thing, surfaces))
        for k, known in enumerate(self.scene.objects):
            if known.name in parents:
                self.scene.objects[k] = replace(known, parents=parents[known.name])
        for recipe in self.matter.recipes:
            for name in recipe.parents:
                if name in self.things and name not in self._limbo:
                    self._waiting_place(name)

    def finish(self, head_pitch_rad: float) -> Stage:
        """Add the robot and the constraints it holds things by; returns the stage.

        Errors: :class:`StageError` listing all that is wrong with substances, heat and recipes.
        """
        scene = self.scene
        check_matter(self.matter, self.things, self.fixtures, scene.surfaces, self._later)
        floor = scene.solid("box", (4, 2, 0.05), (2, 1, -0.05), 0.0, collide=STATIC)
        scene.body("limbo", LIMBO, floor)
        robot = add_robot(scene)
        self._add_matter()
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
        return Stage(
            world,
            self.fixtures,
            self.things,
            self._access,
            self._limbo,
            self.matter,
            self._positions,
            self.resting,
            frozenset(self.opened),
            frozenset(self.switched_on),
            scene.look,
        )
