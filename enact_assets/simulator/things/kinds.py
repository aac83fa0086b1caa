"""Catalogue of movable things: large, differently shaped, and coloured by the activity.

Every thing stands on the origin of its body (bottom centre). What is seen and what collides are
separate geoms: round things have flat collision shapes so that they do not roll away.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import cycle
from typing import Any, NamedTuple

from enact_assets.engine.errors import entry_named
from enact_assets.simulator.shapes.mjcf import MOVABLE, Profile, Scene, Vec3
from enact_assets.simulator.shapes.piece_rows import Placed, one_of, placed, profiles
from enact_assets.simulator.shapes.row_files import read_as, read_given
from enact_assets.simulator.shapes.surfaces import Color
from enact_assets.simulator.shapes.world import WorldObject
from enact_assets.simulator.things.thing_parts import Builder, Coat, Parts, Vessel, upright_cylinder
from enact_assets.simulator.things.thing_rows import (
    CATALOGUE,
    Look,
    Row,
    Solid,
    ThingPiece,
    look_of,
)


@dataclass(frozen=True)
class Thing:
    """A movable thing: what it is, and how it is held (``parts``)."""

    name: str
    category: str
    parts: Parts


@cache
def builders() -> dict[str, Builder]:
    """What adds a thing of each kind of the catalogue."""
    return {
        kind: partial(build_thing, theme, kind)
        for theme in CATALOGUE.themes
        for kind in CATALOGUE.kinds_of(theme)
    }


def add_thing(
    scene: Scene,
    name: str,
    kind: str,
    color: Color,
    pos: Vec3,
) -> Thing:
    """Add a movable thing of the given kind; its category is the kind.

    Errors: :class:`UnknownNameError` for a kind that is not in :func:`builders`,
    :class:`SettingsError` for one whose row is wrong.
    """
    advice = "Add it to simulator/things/catalogue."
    parts = entry_named(builders(), kind, "kind of thing", advice)(scene, name, color)
    scene.body(name, pos, parts.geoms, kind="free")
    scene.objects.append(WorldObject(name, kind, (name,)))
    return Thing(name, kind, parts)


FEET = (0, 1)
"""(contype, conaffinity) of what keeps a thin thing upright: only furniture feels it."""


class _Seen(NamedTuple):
    """A geom that is seen, and how it looks."""

    geom: Placed
    look: Look
    mass: float


@dataclass(frozen=True)
class _Plan:
    """All of a kind that is the same in every colour; geoms of ``parts`` are its solids."""

    parts: Parts
    meshes: dict[str, Profile]
    seen: tuple[_Seen, ...]


def build_thing(theme: str, kind: str, scene: Scene, name: str, color: Color) -> Parts:
    """Add a thing to a scene, but for its body.

    Errors: :class:`SettingsError` with file, kind and field for what its row cannot say.
    """
    plan = _plan(theme, kind)
    for mesh, profile in plan.meshes.items():
        scene.mesh(mesh, profile)
    seen = "".join(
        scene.visible(
            f"{name}.{geom.part}", geom.shape, geom.size, look.surface(color), geom.at,
            euler=geom.turn, collide=MOVABLE if mass else None, mass=mass,
        )
        for geom, look, mass in plan.seen
    )  # fmt: skip
    return replace(plan.parts, geoms=seen + plan.parts.geoms)


@cache
def natural_colors(kind: str) -> tuple[Color, ...]:
    """The colours that a kind has by nature, () where it may have any or is not known."""
    themes = (theme for theme in CATALOGUE.themes if kind in CATALOGUE.kinds_of(theme))
    return next((CATALOGUE.read(Row, theme, kind).colors for theme in themes), ())


@cache
def _plan(theme: str, kind: str) -> _Plan:
    row, where = CATALOGUE.read(Row, theme, kind), CATALOGUE.place_of(theme, kind)
    seen = [
        geom
        for label, given in row.pieces.items()
        for geom in _seen(label, given, row, f"{where}.pieces.{label}")
    ]
    held = {
        **row.hold,
        "geoms": "".join(_solid(solid, f"{where}.solids") for solid in row.solids),
        "cavity": row.cavity,
        "vessel": read_given(Vessel, row.vessel, f"{where}.vessel"),
        "coat": read_given(Coat, row.coat, f"{where}.coat"),
    }
    parts = read_as(Parts, held, f"{where}.hold")
    return _Plan(parts, profiles(row.meshes, where), tuple(seen))


def _seen(label: str, given: dict[str, Any], row: Row, where: str) -> Iterator[_Seen]:
    piece = read_as(ThingPiece, given, where)
    looks = piece.look if isinstance(piece.look, list) else [piece.look]
    worn = cycle([look_of(look, row.looks, f"{where}.look") for look in looks])
    for geom, look in zip(placed(label, piece, row.meshes, where), worn, strict=False):
        yield _Seen(geom, look, piece.mass)


def _solid(solid: Solid, where: str) -> str:
    shape, size = one_of(("box", "upright", "wall"), solid, where)
    if shape == "box":
        at, collide = solid.at or (0.0, 0.0, size[2]), FEET if solid.is_foot else MOVABLE
        return Scene.solid("box", size, at, solid.mass, collide=collide)
    radius, bottom, top = size
    add = upright_cylinder if shape == "upright" else Scene.ring
    return add(radius, bottom, top, solid.mass)
