"""Builds furniture from its rows: what ``furniture/*.yaml`` says of each kind, a file for a room.

Numbers of a row count from the place where a piece stands: its x runs towards the middle of the
room, y and z as in the world. ``pieces`` keep left and right, but where they ``turn`` with the
place. All that are ``solid`` collide; what has no look does nothing else. ``panel`` among the
pieces has those of the door, lid or drawer, about its hinge or, where it has none, its handle. A
look is a name from ``looks`` or of a field of the style that the furniture is built in.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from math import copysign
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msgspec import field

from enact_assets.engine.errors import UnknownNameError, entry_named
from enact_assets.settings import household
from enact_assets.simulator.rooms.fixtures import Access, Fixture, Heater, Panel, panel_xml
from enact_assets.simulator.shapes.mjcf import DOOR, STATIC, Profile, Scene, Vec3, Vector
from enact_assets.simulator.shapes.piece_rows import MeshRow, Piece, Placed, placed, profiles
from enact_assets.simulator.shapes.row_files import RowFiles, Strict, read_as, read_given
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import Cue, WorldObject
from enact_assets.simulator.things.thing_parts import Coat, Vessel
from enact_assets.simulator.things.thing_rows import Facts

FURNITURE = RowFiles(Path(__file__).parent / "furniture", household.FURNITURE)


class FurnitureFacts(Facts, frozen=True, kw_only=True):
    """The footprint counts from the place, too, the height from the floor or what it stands on."""

    slot: Literal["base", "tall", "upper", "centre", "top", "bench"]


class Region(Strict, frozen=True):
    """Where things may stand with their whole footprint: ranges of x and y about the origin, and
    how high they may be where something is above.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    height: float | None = None


class FurniturePiece(Piece, frozen=True, kw_only=True):
    """A geom of a piece of furniture; what has a mass is part of a panel and collides."""

    look: str = ""
    solid: bool = False
    turns: bool = False


class FurnitureRow(Strict, frozen=True, kw_only=True):
    """All that is said of a kind: fields of its :class:`Fixture`, and its pieces.

    The middle of the pieces may lie beside the place. ``lit`` are the looks of pieces while it is
    switched on.
    """

    facts: FurnitureFacts
    regions: tuple[Region, ...] = ()
    origin: Vec3
    access: Access = "top"
    cavity: tuple[Vec3, Vec3] | None = None
    button: Vec3 | None = None
    spout: Vec3 | None = None
    heater: dict[str, Any] | None = None
    vessel: dict[str, Any] | None = None
    panel: dict[str, Any] | None = None
    middle: float = 0.0
    meshes: dict[str, MeshRow] = field(default_factory=dict)
    looks: dict[str, dict[str, Any]] = field(default_factory=dict)
    lit: dict[str, str] = field(default_factory=dict)
    pieces: dict[str, dict[str, Any]]


PANEL = "panel"


class _Part(NamedTuple):
    """A geom of furniture; it may belong to the panel."""

    geom: Placed
    piece: FurniturePiece
    is_panel: bool


@dataclass(frozen=True)
class _Plan:
    """All of a kind that is the same in every style and at every place."""

    row: FurnitureRow
    where: str
    panel: Panel | None
    heater: Heater | None
    vessel: Vessel | None
    meshes: dict[str, Profile]
    looks: dict[str, Surface]
    parts: tuple[_Part, ...]


def inward(x: float) -> float:
    """+1 or -1: the x direction from a side work place at ``x`` to the middle."""
    return -copysign(1.0, x)


def add_furniture(
    scene: Scene,
    theme: str,
    kind: str,
    at: Vec3,
    style: object = None,
    *,
    name: str = "",
    category: str = "",
    coat: Coat | None = None,
) -> Fixture:
    """Add a piece of furniture, whose name is its kind, and its category its name, if not given.

    Errors: :class:`SettingsError` with file, kind and field for what its row cannot say.
    """
    plan, name = _plan(theme, kind), name or kind
    styled = vars(style) if style else {}
    looks = {k: v for k, v in styled.items() if isinstance(v, Surface)} | plan.looks
    built = _Built(scene, plan, name, at, looks)
    fixture = built.fixture(coat)
    for mesh, profile in plan.meshes.items():
        scene.mesh(mesh, profile)
    if plan.row.lit:
        scene.cues.append(Cue(name, built.lit()))
    scene.body(name, (0, 0, 0), built.geoms(fixture))
    scene.objects.append(WorldObject(name, category or name, (name,), is_fixed=True))
    return fixture


@dataclass(frozen=True)
class _Built:
    """A piece of furniture while it is added to a scene, in these looks, ``at`` a place."""

    scene: Scene
    plan: _Plan
    name: str
    at: Vec3
    looks: Mapping[str, Surface]

    @property
    def way(self) -> float:
        """The x direction to the middle of the room."""
        return inward(self.at[0])

    def point(self, point: Vec3) -> Vec3:
        """A point of the row in the world."""
        x, y, z = self.at
        return (x + self.way * point[0], y + point[1], z + point[2])

    def fixture(self, coat: Coat | None) -> Fixture:
        """The fixture of the row, in the world; its cue is the next one."""
        row, heater, panel = self.plan.row, self.plan.heater, self.plan.panel
        return Fixture(
            self.name,
            self.point(row.origin),
            row.access,
            cavity=row.cavity and self._box(*row.cavity),
            panel=panel and self._panel(panel),
            button=row.button and self.point(row.button),
            cue=len(self.scene.cues) if row.lit else -1,
            heater=heater and replace(heater, centre=self.point(heater.centre)),
            spout=row.spout and self.point(row.spout),
            vessel=self.plan.vessel,
            coat=coat,
        )

    def _box(self, corner: Vec3, other: Vec3) -> tuple[Vec3, Vec3]:
        """A box of the row in the world: its left corner is the other one at the other side."""
        low, high = self.point(corner), self.point(other)
        return (min(low[0], high[0]), *low[1:]), (max(low[0], high[0]), *high[1:])

    def _panel(self, panel: Panel) -> Panel:
        """A panel of the row in the world; a door at the other side turns the other way."""
        handle, (x, y, z) = self.point(panel.handle), panel.axis
        if panel.hinge is None:
            return replace(panel, handle=handle)
        axis = (x, y and self.way * y, z and self.way * z)
        return replace(panel, handle=handle, axis=axis, hinge=self.point(panel.hinge))

    def geoms(self, fixture: Fixture) -> str:
        """All geoms; the body of the panel is where the row has it."""
        found = ""
        for is_panel, parts in groupby(self.plan.parts, lambda part: part.is_panel):
            geoms = "".join(map(self._geom, parts))
            found += panel_xml(fixture, geoms) if is_panel else geoms
        return found

    def _geom(self, part: _Part) -> str:
        geom, piece, is_panel = part
        collide = DOOR if piece.mass else STATIC if piece.solid else None
        at = self._place(geom.at, piece, is_panel=is_panel)
        if not piece.look and not isinstance(geom.size, str):
            return Scene.solid(
                geom.shape, geom.size, at, piece.mass, collide=collide or STATIC, euler=geom.turn
            )
        look = self._look(piece.look, f"pieces.{geom.part}.look")
        return self.scene.visible(
            f"{self.name}.{geom.part}", geom.shape, geom.size, look, at,
            euler=geom.turn, collide=collide, mass=piece.mass,
        )  # fmt: skip

    def lit(self) -> dict[str, Surface]:
        """Geom -> how it looks while it is switched on."""
        lit, parts = self.plan.row.lit, {part.geom.part for part in self.plan.parts}
        for part in lit:
            if part not in parts:
                raise UnknownNameError.of("piece", part, parts, f"Correct {self.plan.where}.lit.")
        return {f"{self.name}.{part}": self._look(lit[part], f"lit.{part}") for part in lit}

    def _look(self, name: str, field: str) -> Surface:
        return entry_named(self.looks, name, "look", f"Correct {self.plan.where}.{field}.")

    def _place(self, at: Vector, piece: FurniturePiece, *, is_panel: bool) -> Vec3:
        x = self.way * at[0] if piece.turns else at[0]
        if is_panel:
            return (x, at[1], at[2])
        middle = self.at[0] + self.way * self.plan.row.middle
        return (middle + x, self.at[1] + at[1], self.at[2] + at[2])


@cache
def _plan(theme: str, kind: str) -> _Plan:
    row, where = FURNITURE.read(FurnitureRow, theme, kind), FURNITURE.place_of(theme, kind)
    return _Plan(
        row,
        where,
        read_given(Panel, row.panel, f"{where}.panel"),
        read_given(Heater, row.heater, f"{where}.heater"),
        read_given(Vessel, row.vessel, f"{where}.vessel"),
        profiles(row.meshes, where),
        {name: read_as(Surface, row.looks[name], f"{where}.looks.{name}") for name in row.looks},
        tuple(_parts(row, where)),
    )


def _parts(row: FurnitureRow, where: str) -> Iterator[_Part]:
    for label, given in row.pieces.items():
        is_panel = label == PANEL and row.panel is not None
        inner = {f"{PANEL}.{part}": said for part, said in given.items()}
        for name, said in (inner if is_panel else {label: given}).items():
            there = f"{where}.pieces.{name}"
            piece = read_as(FurniturePiece, said, there)
            for geom in placed(name, piece, row.meshes, there):
                yield _Part(geom, piece, is_panel)
