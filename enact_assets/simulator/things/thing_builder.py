"""Builds things from the rows of the catalogue."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import cycle
from typing import Any

from enact_assets.engine.errors import SettingsError, UnknownNameError
from enact_assets.simulator.shapes.mjcf import MOVABLE, Profile, Scene, Vector
from enact_assets.simulator.shapes.pieces import ALONG_X, ALONG_Y, band_profile, dome_profile
from enact_assets.simulator.shapes.surfaces import Color
from enact_assets.simulator.things.thing_looks import Look, look_of
from enact_assets.simulator.things.thing_parts import Coat, Parts, Vessel, upright_cylinder
from enact_assets.simulator.things.thing_rows import (
    Lathe,
    Piece,
    Row,
    Solid,
    place_of,
    read_as,
    read_row,
)

SHAPES = ("box", "ellipsoid", "cylinder", "capsule", "sphere", "mesh")
TURNS = {"along_x": ALONG_X, "along_y": ALONG_Y}
FEET = (0, 1)
"""(contype, conaffinity) of what keeps a thin thing upright: only furniture feels it."""


@dataclass(frozen=True)
class _Geom:
    """A geom that is seen, ``part`` of a thing."""

    part: str
    shape: str
    size: Vector | str
    look: Look
    at: Vector
    turn: Vector | None
    mass: float


@dataclass(frozen=True)
class _Plan:
    """All of a kind that is the same in every colour; geoms of ``parts`` are its solids."""

    parts: Parts
    meshes: dict[str, Profile]
    geoms: tuple[_Geom, ...]


def build_thing(theme: str, kind: str, scene: Scene, name: str, color: Color) -> Parts:
    """Add a thing to a scene, but for its body. Errors: as :func:`read_row`."""
    plan = _plan(theme, kind)
    for mesh, profile in plan.meshes.items():
        scene.mesh(mesh, profile)
    seen = "".join(
        scene.visible(
            f"{name}.{g.part}", g.shape, g.size, g.look.surface(color), g.at, euler=g.turn,
            collide=MOVABLE if g.mass else None, mass=g.mass,
        )
        for g in plan.geoms
    )  # fmt: skip
    return replace(plan.parts, geoms=seen + plan.parts.geoms)


@cache
def _plan(theme: str, kind: str) -> _Plan:
    row, where = read_row(theme, kind), place_of(theme, kind)
    geoms = [
        geom
        for label, given in row.pieces.items()
        for geom in _geoms(label, given, row, f"{where}.pieces.{label}")
    ]
    solids = "".join(_solid(solid, f"{where}.solids") for solid in row.solids)
    more = {
        name: read_as(of, given, f"{where}.{name}")
        for name, of, given in (("vessel", Vessel, row.vessel), ("coat", Coat, row.coat))
        if given is not None
    }
    held = {**row.hold, **more, "geoms": solids, "cavity": row.cavity}
    meshes = {name: _profile(mesh, f"{where}.meshes.{name}") for name, mesh in row.meshes.items()}
    return _Plan(read_as(Parts, held, f"{where}.hold"), meshes, tuple(geoms))


def _geoms(label: str, given: dict[str, Any], row: Row, where: str) -> Iterator[_Geom]:
    piece = read_as(Piece, given, where)
    shape, size = _one_of(SHAPES, piece, where)
    if shape == "mesh" and size not in row.meshes:
        raise UnknownNameError.of("mesh", size, row.meshes, f"Correct {where}.mesh.")
    if any(len(numbers) not in (3, 6) for numbers in piece.each):
        raise SettingsError(f"{where}.each: expected 3 numbers for a place, or 6 with a turn")
    looks = piece.look if isinstance(piece.look, list) else [piece.look]
    worn = cycle([look_of(look, row.looks, f"{where}.look") for look in looks])
    for (number, at, turn), look in zip(_places(piece), worn, strict=False):
        yield _Geom(label + number, shape, size, look, at, turn, piece.mass)


def _one_of(names: tuple[str, ...], row: object, where: str) -> tuple[str, Any]:
    """The one of the fields ``names`` that a row sets, and its value."""
    found = [(name, getattr(row, name)) for name in names if getattr(row, name) is not None]
    if len(found) != 1:
        given = " and ".join(name for name, _ in found) or "none"
        raise SettingsError(f"{where}: expected one of {', '.join(names)}; found {given}")
    return found[0]


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


def _solid(solid: Solid, where: str) -> str:
    shape, size = _one_of(("box", "upright", "wall"), solid, where)
    if shape == "box":
        at, collide = solid.at or (0.0, 0.0, size[2]), FEET if solid.is_foot else MOVABLE
        return Scene.solid("box", size, at, solid.mass, collide=collide)
    radius, bottom, top = size
    add = upright_cylinder if shape == "upright" else Scene.ring
    return add(radius, bottom, top, solid.mass)


def _profile(mesh: Profile | Lathe, where: str) -> Profile:
    if not isinstance(mesh, Lathe):
        return mesh
    shape, numbers = _one_of(("band", "dome"), mesh, where)
    if shape == "band":
        return band_profile(*numbers)
    return dome_profile(*numbers)
