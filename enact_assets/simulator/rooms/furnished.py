"""Whole rooms by the names of their furniture, and where things may stand in them.

A room has a place at the left and at the right, each with furniture on the floor, above it or on
it, and one in the centre. Which kinds go together follows from the slots of their rows.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from enact_assets.engine.errors import SettingsError, entry_named
from enact_assets.simulator.rooms import garage, kitchen, living_room
from enact_assets.simulator.rooms.fixtures import Access, Fixture
from enact_assets.simulator.rooms.furniture import (
    FURNITURE,
    FurnitureRow,
    Region,
    add_furniture,
    inward,
)
from enact_assets.simulator.rooms.shell import STEEL
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Color, Surface
from enact_assets.simulator.things.thing_parts import Coat

PLACES = {"left": kitchen.LEFT_X, "centre": kitchen.CENTRE_X, "right": kitchen.RIGHT_X}
SLOTS = {
    "left": ({"base", "tall"}, {"upper", "top"}),
    "right": ({"base", "tall"}, {"upper", "top"}),
    "centre": ({"centre"}, {"bench"}),
}
"""Place -> slots of which it has one thing, and of those that go with it."""
STYLES: Mapping[str, Sequence[Any]] = {
    "kitchen": kitchen.STYLES,
    "living room": living_room.STYLES,
    "garage": garage.STYLES,
}
"""The rooms there are, and what they look like."""
SPOUT = ".spout"
"""Ends the name of the place below a tap."""
DRAWERS = {"top_drawer": 0.66, "bottom_drawer": 0.41}
"""Of a chest of drawers, and how high their floors are."""
UPPER_BOARD = "bookcase.upper_board"
"""The place on the upper board of a bookcase; what stands on either board is inside it."""
ON_TOP = {"lamp": (-0.19, 0.98), "radio": (-0.13, 1.08)}
"""Where on the furniture of its place stands what has no place of its own: x inwards, and y."""
ALIKE = {"chest_of_drawers": "counter"}
"""From above the one looks like the other. What looks alike has other colours at another place."""
HIDES = {"top_drawer": "bottom_drawer"}
"""While the one is open, the other one is out of reach."""
EDGE_M = 0.03
"""Things keep so far from what stands on the same board, or hangs above them."""
BOARD_M = 0.05
"""So much lower than what stands on it ends what hangs above."""


class Piece(NamedTuple):
    """Furniture that is declared: the kind of its row, and its name."""

    kind: str
    name: str

    @property
    def row(self) -> FurnitureRow:
        """All that is said of it. Errors: :class:`UnknownNameError` for an unknown kind."""
        return _row(self.kind)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all fixtures that it consists of, and the place below a tap."""
        if self.kind == "chest_of_drawers":
            return (self.name, *DRAWERS)
        if self.kind == "bookcase":
            return (self.name, UPPER_BOARD)
        return (self.name, f"{self.name}{SPOUT}") if self.row.spout else (self.name,)


class Space(NamedTuple):
    """Where things may stand: ranges of x and y about the origin of a fixture, as the world has
    them, how high they may be, and how they are reached. Of things in a point the middle is in it.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    height: float
    access: Access
    is_point: bool = False


@dataclass(frozen=True)
class Site:
    """A fixture where it stands."""

    fixture: Fixture
    spaces: tuple[Space, ...]


@cache
def _row(kind: str) -> FurnitureRow:
    theme = entry_named(themes(), kind, "kind of furniture", "See rooms/furniture.")
    return FURNITURE.read(FurnitureRow, theme, kind)


@cache
def themes() -> dict[str, str]:
    """Kind of furniture -> the theme that its row is in."""
    return {kind: theme for theme in FURNITURE.themes for kind in FURNITURE.kinds_of(theme)}


def check_pieces(place: str, pieces: Sequence[Piece], where: str) -> None:
    """Refuse furniture that does not go together at a place. Errors: :class:`SettingsError`."""
    main, others = SLOTS[place]
    slots = [piece.row.facts.slot for piece in pieces]
    wrong = [p.kind for p, slot in zip(pieces, slots, strict=True) if slot not in main | others]
    if wrong:
        raise SettingsError(
            f"{where}: {wrong[0]} has the slot {slots[[p.kind for p in pieces].index(wrong[0])]!r} "
            f"and cannot stand at {place} (slots there: {', '.join(sorted(main | others))})"
        )
    n = sum(slot in main for slot in slots)
    if n != 1:
        raise SettingsError(
            f"{where}: {n} pieces of furniture stand on the floor at {place}, not one; name one "
            f"with the slot {' or '.join(sorted(main))}, and first"
        )


@dataclass(frozen=True)
class Furnishing:
    """A room that was drawn: its kind, the style of each kind of room, a colour for what may have
    any, what stands at each place, and whether it is mirrored.
    """

    room: str
    styles: Mapping[str, Any]
    color: Color
    pieces: Mapping[str, Sequence[Piece]]
    is_mirrored: bool

    @property
    def surfaces(self) -> tuple[Surface, Surface]:
        """The tops that most things stand on."""
        looks = self._looks("counter")
        return looks["table"], looks["top"]

    def build(self, scene: Scene, coats: Mapping[str, Coat] | None = None) -> dict[str, Site]:
        """Add the room and all furniture to a scene, with what may be covered of each; returns what
        stands in it, by name.
        """
        turn = -1.0 if self.is_mirrored else 1.0
        style = self.styles[self.room]
        if self.room == "garage":
            garage.add_room(scene, style, turn)
        else:
            (kitchen if self.room == "kitchen" else living_room).add_room(scene, style)
        found: dict[str, Site] = {}
        kinds: set[str] = set()
        for place, pieces in self.pieces.items():
            found |= self._add(scene, turn * PLACES[place], pieces, coats or {}, kinds)
            kinds |= {ALIKE.get(piece.kind, piece.kind) for piece in pieces}
        return found

    def _add(
        self,
        scene: Scene,
        x: float,
        pieces: Sequence[Piece],
        coats: Mapping[str, Coat],
        others: Collection[str],
    ) -> Iterator[tuple[str, Site]]:
        base, built = 0.0, []
        for piece in pieces:
            theme = themes()[piece.kind]
            is_other = ALIKE.get(piece.kind, piece.kind) in others
            style: Any = SimpleNamespace(**self._looks(piece.kind, is_other=is_other))
            aside, y = ON_TOP.get(piece.kind, (0.0, 0.0))
            at = (x + inward(x) * aside, y, base if piece.kind in ON_TOP else 0.0)
            name, coat = piece.name, coats.get(piece.name)
            fixtures = [add_furniture(scene, theme, piece.kind, at, style, name=name, coat=coat)]
            if piece.kind == "chest_of_drawers":
                fixtures += [
                    add_furniture(scene, theme, "drawer", (x, 0.0, z), style, name=drawer)
                    for drawer, z in DRAWERS.items()
                ]
            elif piece.kind == "bookcase":
                upper = (*fixtures[0].origin[:2], 1.2)
                fixtures.append(Fixture(UPPER_BOARD, upper, access="front"))
            base = base or fixtures[0].origin[2]
            built.append((piece, at[0], fixtures))
        for piece, at_x, fixtures in built:
            for fixture in fixtures:
                of = Piece("drawer", fixture.name) if fixture.name in DRAWERS else piece
                spaces = [_space(region, fixture, inward(at_x)) for region in of.row.regions]
                if piece.row.facts.slot in ("base", "centre") and not fixture.is_drawer:
                    spaces = [part for space in spaces for part in _free(space, fixture, built[1:])]
                yield fixture.name, Site(fixture, tuple(spaces))
                if fixture.spout is not None:
                    yield f"{fixture.name}{SPOUT}", Site(fixture, (_below_spout(fixture),))

    def _looks(self, kind: str, *, is_other: bool = False) -> dict[str, Surface]:
        """The surfaces that the row of a kind may name; those of another style for another one."""
        styles = {
            room: STYLES[room][(STYLES[room].index(style) + is_other) % len(STYLES[room])]
            for room, style in self.styles.items()
        }
        rooms = {"kitchen": "kitchen", "garage": "garage"}
        own, first = styles[self.room], styles[rooms.get(themes()[kind], "living room")]
        found = {"tin": Surface(self.color, finish="gloss")}
        for style in (*styles.values(), own, first):
            found |= {k: v for k, v in vars(style).items() if isinstance(v, Surface)}
        if themes()[kind] == "storage":
            found |= _storage_looks(vars(own), has_lid=kind == "chest")
        return found


def _storage_looks(of: Mapping[str, Any], *, has_lid: bool) -> dict[str, Surface]:
    """A box and a chest of drawers in the colours of a room, which differ."""
    if "fabric" in of:
        names = ("front", "fabric", "wood") if has_lid else ("wood", "front", "wood")
    elif "cabinet" in of:
        names = ("cabinet", "front", "top") if has_lid else ("front", "cabinet", "top")
    else:
        names = ("metal", "top", "top") if has_lid else ("top", "metal", "top")
    handle = living_room.BRASS if "fabric" in of else STEEL
    looks = dict(zip(("body", "front", "top"), (of[name] for name in names), strict=True))
    return looks | {"handle": handle, "lining": Surface((0.8, 0.76, 0.68), finish="matte")}


def _space(region: Region, fixture: Fixture, way: float) -> Space:
    low, high = sorted((way * region.x[0], way * region.x[1]))
    is_point = low == high
    return Space((low, high), region.y, region.height or 0.6, fixture.access, is_point)


def _below_spout(fixture: Fixture) -> Space:
    x, y, height = np.subtract(fixture.spout or (), fixture.origin).tolist()
    return Space((x, x), (y, y), height - EDGE_M, fixture.access, is_point=True)


def _free(
    space: Space, fixture: Fixture, others: Sequence[tuple[Piece, float, Any]]
) -> Iterator[Space]:
    """Parts of a space clear of what stands on it, and, reached level, below what hangs there."""
    parts = [space]
    for piece, at_x, fixtures in others:
        facts, (x0, y0, z0) = piece.row.facts, fixture.origin
        low_x, low_y, high_x, _ = facts.footprint
        if facts.slot == "upper":
            edge = low_y - EDGE_M - y0
            height = fixtures[0].origin[2] - BOARD_M - EDGE_M - z0
            below = [
                p._replace(y=(max(edge, p.y[0]), p.y[1]), height=height, access="front")
                for p in parts
            ]
            parts = [p._replace(y=(p.y[0], min(edge, p.y[1]))) for p in parts] + below
            continue
        if facts.slot == "bench":
            edge = (piece.row.panel["handle"][1] if piece.row.panel else low_y) - y0
            parts = [p._replace(y=(p.y[0], min(edge, p.y[1]))) for p in parts]
            continue
        at_y = ON_TOP[piece.kind][1] if piece.kind in ON_TOP else 0.0
        ends = sorted((at_x + inward(at_x) * low_x - x0, at_x + inward(at_x) * high_x - x0))
        (left, right), near = (ends[0] - EDGE_M, ends[1] + EDGE_M), low_y + at_y - EDGE_M - y0
        parts = [
            part
            for p in parts
            for part in (
                p._replace(y=(p.y[0], min(near, p.y[1]))),
                p._replace(x=(p.x[0], min(left, p.x[1]))),
                p._replace(x=(max(right, p.x[0]), p.x[1])),
            )
        ]
    for p in parts:
        if p.is_point or (p.x[1] - p.x[0] > 0.1 and p.y[1] - p.y[0] > 0.08):
            yield p
