"""Rows of the catalogue: what ``catalogue/*.yaml`` says of kinds of things, a file for a theme.

``pieces`` are seen, in this order, and collide where they have a mass; ``solids`` only collide.
"""

from pathlib import Path
from typing import Any

from msgspec import field

from enact_assets.simulator.shapes.mjcf import Vec3
from enact_assets.simulator.shapes.piece_rows import MeshRow, Piece
from enact_assets.simulator.shapes.row_files import RowFiles, Strict
from enact_assets.simulator.things.thing_looks import Look

CATALOGUE = RowFiles(Path(__file__).parent / "catalogue")


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
    """All that is said of a kind. ``hold`` are the other fields of its :class:`Parts`."""

    facts: Facts
    hold: dict[str, Any]
    cavity: tuple[Vec3, Vec3] | None = None
    vessel: dict[str, Any] | None = None
    coat: dict[str, Any] | None = None
    meshes: dict[str, MeshRow] = field(default_factory=dict)
    looks: dict[str, str | Look] = field(default_factory=dict)
    pieces: dict[str, dict[str, Any]]
    solids: tuple[Solid, ...] = ()
