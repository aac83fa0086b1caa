"""Rows of the catalogue: what ``catalogue/*.yaml`` says of kinds of things, a file for a theme.

``pieces`` are seen, in this order, and collide where they have a mass; ``solids`` only collide.
The look of a piece is ``own`` (the colour of the thing, glossy), ``own*0.5`` (darker), a name among
the looks of the row or its file, or written out.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import field

from enact_assets.engine.errors import UnknownNameError
from enact_assets.settings.household import THINGS
from enact_assets.simulator.shapes.mjcf import Vec3
from enact_assets.simulator.shapes.piece_rows import MeshRow, Piece
from enact_assets.simulator.shapes.row_files import RowFiles, Strict, read_as
from enact_assets.simulator.shapes.surfaces import Color, Finish, Surface, Texture, darker

CATALOGUE = RowFiles(Path(__file__).parent / "catalogue", THINGS)

Own = Annotated[str, msgspec.Meta(pattern=r"^own(\*\d+(\.\d+)?)?$")]
Falling = Annotated[str, msgspec.Meta(pattern=r"^1-\d+(\.\d+)?\*red$")]
Paint = Own | tuple[float | Falling, float | Falling, float | Falling]
"""A colour: that of the thing, or numbers, which may fall as the red of the thing rises."""


class Look(Strict, frozen=True):
    """A :class:`Surface` whose colours may depend on that of the thing."""

    color: Paint
    texture: Texture = "plain"
    finish: Finish = "satin"
    second: Paint = (0.0, 0.0, 0.0)
    scale_m: float = 0.1

    def surface(self, own: Color) -> Surface:
        """The surface on a thing of colour ``own``."""
        color, second = _color(self.color, own), _color(self.second, own)
        return Surface(color, self.texture, self.finish, second, self.scale_m)


def _color(paint: Paint, own: Color) -> Color:
    if isinstance(paint, str):
        share = paint.removeprefix("own").removeprefix("*")
        return darker(own, float(share)) if share else own
    red, green, blue = (_number(value, own) for value in paint)
    return red, green, blue


def _number(value: float | str, own: Color) -> float:
    if isinstance(value, str):
        return 1.0 - float(value.removeprefix("1-").removesuffix("*red")) * own[0]
    return value


def look_of(given: str | Look, looks: Mapping[str, str | Look], where: str) -> Look:
    """The look that ``given`` means among ``looks``; one of a row may name one of its file.

    Errors: :class:`SettingsError`, which begins with ``where``, for what is no look.
    """
    for _ in range(2):
        given = looks.get(given, given) if isinstance(given, str) else given
    if isinstance(given, Look):
        return given
    if not given.startswith("own"):
        raise UnknownNameError.of("look", given, (*looks, "own"), f"Correct {where}.")
    return read_as(Look, {"color": given, "finish": "gloss"}, where)


class Facts(Strict, frozen=True):
    """What is known of a kind without building it.

    ``footprint`` is what all its geoms take of the plane (x and y of the low corner, then of the
    high one), ``height`` their highest point, to the mm. ``synsets`` are what it can stand for of
    BEHAVIOR's taxonomy, best first.
    """

    footprint: tuple[float, float, float, float]
    height: float
    synsets: tuple[str, ...] = ()


class ThingPiece(Piece, frozen=True, kw_only=True):
    """A geom that is seen. Several wear a list of looks by turns."""

    look: str | Look | list[str | Look]


class Solid(Strict, frozen=True, kw_only=True):
    """A geom that only collides: a ``box``, which stands on the ground unless ``at`` says where, an
    ``upright`` cylinder or a round ``wall`` (radius, bottom, top). A foot feels furniture alone.
    """

    mass: float
    box: Vec3 | None = None
    upright: Vec3 | None = None
    wall: Vec3 | None = None
    at: Vec3 | None = None
    is_foot: bool = False


class Row(Strict, frozen=True, kw_only=True):
    """All that is said of a kind. ``hold`` are the other fields of its :class:`Parts`.

    ``colors`` are those that it has by nature; without any it may have any.
    """

    facts: Facts
    colors: tuple[Color, ...] = ()
    hold: dict[str, Any]
    cavity: tuple[Vec3, Vec3] | None = None
    vessel: dict[str, Any] | None = None
    coat: dict[str, Any] | None = None
    meshes: dict[str, MeshRow] = field(default_factory=dict)
    looks: dict[str, str | Look] = field(default_factory=dict)
    pieces: dict[str, dict[str, Any]]
    solids: tuple[Solid, ...] = ()
