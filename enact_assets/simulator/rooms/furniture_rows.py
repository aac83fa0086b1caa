"""Rows of furniture: what ``furniture/*.yaml`` says of each kind, a file for a room.

Numbers of a row count from the place where a piece stands: its x runs towards the middle of the
room, y and z as in the world. ``pieces`` keep left and right, but where they ``turn`` with the
place. All that are ``solid`` collide; what has no look does nothing else. ``panel`` among the
pieces has those of the door, lid or drawer, about its hinge or, where it has none, its handle. A
look is a name from ``looks`` or of a field of the style that the furniture is built in.
"""

from pathlib import Path
from typing import Any, Literal

from msgspec import field

from enact_assets.simulator.rooms.fixtures import Access
from enact_assets.simulator.shapes.mjcf import Vec3
from enact_assets.simulator.shapes.piece_rows import MeshRow, Piece
from enact_assets.simulator.shapes.row_files import RowFiles, Strict
from enact_assets.simulator.things.thing_rows import Facts

FURNITURE = RowFiles(Path(__file__).parent / "furniture")


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
