"""Pieces of things and furniture as rows say them: a shape, where it is and how it is turned.

Lengths are in m, angles in rad, sizes as MuJoCo counts them.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from enact_assets.engine.errors import SettingsError, UnknownNameError
from enact_assets.simulator.shapes.mjcf import Profile, Vec3, Vector
from enact_assets.simulator.shapes.row_files import Strict

SHAPES = ("box", "ellipsoid", "cylinder", "capsule", "sphere", "mesh")
TURNS: dict[str, Vec3] = {
    "along_x": (0.0, math.pi / 2, 0.0),
    "along_y": (math.pi / 2, 0.0, 0.0),
}
"""Turns that lay a cylinder or capsule down: its axis points right, or away from the robot."""


class Piece(Strict, frozen=True, kw_only=True):
    """A geom of one of the shapes; ``mesh`` names one of the row.

    Of several, called ``label_0`` and so on, ``each`` is a place, or a place and a turn. So many
    ``around`` the axis, the first ``start`` steps on, are where ``at`` comes as it turns: a turn
    ``outward`` points the x axis of each away from the axis, ``[0, lean, 0]`` leans each outwards.
    """

    box: Vec3 | None = None
    ellipsoid: Vec3 | None = None
    cylinder: tuple[float, float] | None = None
    capsule: tuple[float, float] | None = None
    sphere: tuple[float] | None = None
    mesh: str | None = None
    at: Vec3 = (0.0, 0.0, 0.0)
    turn: Vec3 | Literal["along_x", "along_y", "outward"] | None = None
    each: tuple[tuple[float, ...], ...] = ()
    around: int = 0
    start: float = 0.0
    mass: float = 0.0


class Lathe(Strict, frozen=True):
    """A profile in three numbers: a ``band`` round a thing (radius, low, high), or a ``dome``
    upside down, half a fruit on its skin (radius, height, number of steps).
    """

    band: Vec3 | None = None
    dome: tuple[float, float, int] | None = None


MeshRow = tuple[tuple[float, float], ...] | Lathe
"""A mesh: the (radius, height) that are turned about the axis."""


class Placed(NamedTuple):
    """One geom of a piece."""

    part: str
    shape: str
    size: Vector | str
    at: Vector
    turn: Vector | None


def placed(label: str, piece: Piece, meshes: Mapping[str, object], where: str) -> Iterator[Placed]:
    """The geoms of a piece. Errors: :class:`SettingsError`, which begins with ``where``."""
    shape, size = one_of(SHAPES, piece, where)
    if shape == "mesh" and size not in meshes:
        raise UnknownNameError.of("mesh", size, meshes, f"Correct {where}.mesh.")
    if any(len(numbers) not in (3, 6) for numbers in piece.each):
        raise SettingsError(f"{where}.each: expected 3 numbers for a place, or 6 with a turn")
    for number, at, turn in _places(piece):
        yield Placed(label + number, shape, size, at, turn)


def _places(piece: Piece) -> Iterator[tuple[str, Vector, Vector | None]]:
    """What follows the label of each geom of a piece, where it is, and how it is turned."""
    turn = piece.turn if not isinstance(piece.turn, str) else TURNS.get(piece.turn)
    for k, numbers in enumerate(piece.each):
        yield f"_{k}", numbers[:3], numbers[3:] or turn
    for k in range(piece.around):
        angle = (k + piece.start) * 2 * math.pi / piece.around
        across, along = math.cos(angle), math.sin(angle)
        at = (piece.at[0] * across, piece.at[0] * along, piece.at[2])
        if piece.turn == "outward":
            yield f"_{k}", at, (0.0, 0.0, angle)
        else:
            yield f"_{k}", at, turn and (-turn[1] * along, turn[1] * across, 0.0)
    if not piece.each and not piece.around:
        yield "", piece.at, turn


def one_of(names: tuple[str, ...], row: object, where: str) -> tuple[str, Any]:
    """The one of the fields ``names`` that a row sets, and its value."""
    found = [(name, getattr(row, name)) for name in names if getattr(row, name) is not None]
    if len(found) != 1:
        given = " and ".join(name for name, _ in found) or "none"
        raise SettingsError(f"{where}: expected one of {', '.join(names)}; found {given}")
    return found[0]


def profiles(meshes: Mapping[str, MeshRow], where: str) -> dict[str, Profile]:
    """Name of a mesh -> its profile, from the row at ``where``."""
    return {name: _profile(mesh, f"{where}.meshes.{name}") for name, mesh in meshes.items()}


def _profile(mesh: MeshRow, where: str) -> Profile:
    if not isinstance(mesh, Lathe):
        return mesh
    shape, numbers = one_of(("band", "dome"), mesh, where)
    return band_profile(*numbers) if shape == "band" else dome_profile(*numbers)


def band_profile(radius: float, low: float, high: float) -> Profile:
    """A thin tube about the axis: a label round a hollow vessel, a hoop."""
    inner, outer = radius - 0.0015, radius + 0.0015
    return ((inner, low), (outer, low), (outer, high), (inner, high), (inner, low))


def dome_profile(radius: float, height: float, n: int) -> Profile:
    """Half a fruit on its skin: an elliptic arc of ``n`` steps up to the rim, closed flat."""
    turns = [k * math.pi / 2 / n for k in range(n + 1)]
    arc = [(radius * math.sin(turn), height * (1 - math.cos(turn))) for turn in turns]
    return (*arc, (0.0, height))
