"""Rows of the catalogue: what ``catalogue/*.yaml`` says of kinds of things, a file for a theme.

``pieces`` are seen, in this order, and collide where they have a mass; ``solids`` only collide.
Lengths are in m, angles in rad, sizes as MuJoCo counts them. What a row does not say is as in the
row that it is ``like``; names that begin with an underscore are no kinds, but for that.

A text is read when its kind is first built: all of them take 0.2 s.
"""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from enact_assets.engine.errors import SettingsError, UnknownNameError
from enact_assets.engine.package_files import file_bytes
from enact_assets.simulator.shapes.mjcf import Vec3
from enact_assets.simulator.things.thing_looks import Look

FOLDER = Path(__file__).parent / "catalogue"
LOOKS = "looks"
"""Looks of a row; as an entry of a file those that all its rows may name."""

Read = TypeVar("Read")


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Refuses fields that it does not know."""


class Facts(_Strict, frozen=True):
    """What is known of a kind without building it.

    ``footprint`` is what all its geoms take of the plane (x and y of the low corner, then of the
    high one), ``height`` their highest point, to the mm. ``synsets`` are what it can stand for of
    BEHAVIOR's taxonomy, best first.
    """

    footprint: tuple[float, float, float, float]
    height: float
    synsets: tuple[str, ...] = ()


class Piece(_Strict, frozen=True, kw_only=True):
    """A geom of one of the shapes; ``mesh`` names one of the row.

    Of several, called ``label_0`` and so on, ``each`` is a place, or a place and a turn, and they
    wear a list of looks by turns. So many ``around`` the axis, the first ``start`` steps on, are
    where ``at`` comes as it turns: a turn ``outward`` points the x axis of each away from the
    axis, ``[0, lean, 0]`` leans each outwards.
    """

    look: str | Look | list[str | Look]
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


class Solid(_Strict, frozen=True, kw_only=True):
    """A geom that only collides: a ``box``, which stands on the ground unless ``at`` says where, an
    ``upright`` cylinder or a round ``wall`` (radius, bottom, top). A foot feels furniture alone.
    """

    mass: float
    box: Vec3 | None = None
    upright: Vec3 | None = None
    wall: Vec3 | None = None
    at: Vec3 | None = None
    is_foot: bool = False


class Lathe(_Strict, frozen=True):
    """A profile in three numbers: a ``band`` round a thing (radius, low, high), or a ``dome``
    upside down, half a fruit on its skin (radius, height, number of steps).
    """

    band: Vec3 | None = None
    dome: tuple[float, float, int] | None = None


class Row(_Strict, frozen=True, kw_only=True):
    """All that is said of a kind. ``hold`` are the other fields of its :class:`Parts`."""

    facts: Facts
    hold: dict[str, Any]
    cavity: tuple[Vec3, Vec3] | None = None
    vessel: dict[str, Any] | None = None
    coat: dict[str, Any] | None = None
    meshes: dict[str, tuple[tuple[float, float], ...] | Lathe] = {}
    looks: dict[str, str | Look] = {}
    pieces: dict[str, dict[str, Any]]
    solids: tuple[Solid, ...] = ()


@cache
def themes() -> dict[str, dict[str, str]]:
    """Theme (the name of a file) -> entry -> its text."""
    files = {path.stem: file_bytes(path) for path in sorted(FOLDER.glob("*.yaml"))}
    return {theme: entries(content.decode()) for theme, content in files.items()}


def entries(text: str) -> dict[str, str]:
    """The entries of a file, each with its text, which is not read yet."""
    texts = re.split(r"^(?=\w+:)", text, flags=re.MULTILINE)[1:]
    return {text.partition(":")[0]: text for text in texts}


def kinds_of(theme: str) -> list[str]:
    """The kinds of a theme, in the order of its file."""
    return [name for name in themes()[theme] if name != LOOKS and not name.startswith("_")]


def place_of(theme: str, kind: str) -> str:
    """Where the row of a kind is, in words."""
    return f"catalogue/{theme}.yaml: {kind}"


def read_row(theme: str, kind: str) -> Row:
    """The row of a kind, with the looks of its file among its own.

    Errors: :class:`SettingsError` with file, kind and field for what a row cannot say.
    """
    given = _given(theme, kind)
    shared = _given(theme, LOOKS) if LOOKS in themes()[theme] else {}
    looks = {**shared, **given.get(LOOKS, {})}
    return read_as(Row, {**given, LOOKS: looks}, place_of(theme, kind))


def _given(theme: str, kind: str) -> dict[str, Any]:
    """What is written of a kind, completed by what it is like."""
    known, where = themes()[theme], place_of(theme, kind)
    try:
        row = msgspec.yaml.decode(known[kind], type=dict[str, dict[str, Any]])[kind]
    except msgspec.MsgspecError as error:
        text = " ".join(str(error).split()).replace('in "<unicode string>"', "of the row")
        raise SettingsError(f"{where}: {text}") from error
    like = row.pop("like", None)
    if like is None:
        return row
    if like not in known:
        raise UnknownNameError.of("row", like, known, f"Correct {where}.like.")
    base = _given(theme, like)
    both = {name for name in base.keys() & row.keys() if isinstance(row[name], dict)}
    return {**base, **row, **{name: {**base[name], **row[name]} for name in both}}


def read_as(of: type[Read], given: Mapping[str, Any], where: str) -> Read:
    """``given`` as an ``of``, a structure or a dataclass. Errors: :class:`SettingsError`."""
    known = [field.name for field in fields(of)] if is_dataclass(of) else list(given)
    for name in given:
        if name not in known:
            raise SettingsError(f"{where}: unknown field {name!r} (known: {', '.join(known)})")
    try:
        return msgspec.convert(given, of)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{where}: {error}") from error
