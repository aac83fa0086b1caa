"""Rows of the catalogue: what ``catalogue/*.yaml`` says of a kind of thing.

A file holds a theme, an entry a kind. ``pieces`` are seen, in this order, and collide where they
have a mass; ``solids`` only collide. Lengths are in m, angles in rad, sizes as MuJoCo counts them.
A look is ``own`` (glossy, in the colour of the thing), ``own*0.5`` (darker), a name from ``looks``
of the row or its file, or written out. What a row is ``like`` gives all that it does not say.
Texts are read at first need and each row when its kind is first built: all take 0.2 s.
"""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from enact_assets.engine.errors import SettingsError, UnknownNameError
from enact_assets.engine.package_files import file_bytes
from enact_assets.simulator.shapes.mjcf import Vec3
from enact_assets.simulator.shapes.surfaces import Color, Finish, Surface, Texture, darker

FOLDER = Path(__file__).parent / "catalogue"
LOOKS = "looks"
"""Entry of a file that is no kind: looks that all its rows may name."""

Read = TypeVar("Read")
Number = Annotated[str, msgspec.Meta(pattern=r"^1-[0-9.]+\*red$")]
Own = Annotated[str, msgspec.Meta(pattern=r"^own(\*[0-9.]+)?$")]
Paint = Own | tuple[float | Number, float | Number, float | Number]
"""A colour: that of the thing, or numbers, of which one may fall as the red of the thing rises."""


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Refuses fields that it does not know."""


class Facts(_Strict, frozen=True):
    """What can be known of a kind without building it.

    ``footprint`` is the rectangle that all its geoms need (x and y of the low corner, then of the
    high one), ``height`` the highest point of them, in m. ``synsets`` are what it can stand for of
    BEHAVIOR's taxonomy, best first.
    """

    footprint: tuple[float, float, float, float]
    height: float
    synsets: tuple[str, ...] = ()


class Look(_Strict, frozen=True):
    """A :class:`Surface` whose colours may depend on the colour of the thing."""

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


class Piece(_Strict, frozen=True, kw_only=True):
    """A geom that is seen, of one of the shapes; ``mesh`` names one of the row.

    Of several, numbered ``label_0`` and so on, ``each`` gives the place, or place and turn, and
    a list of looks is gone through again and again. Or they stand ``around`` the axis, so many,
    from ``start`` steps on, each at ``at`` turned with it: a turn ``outward`` points its x axis
    away from the axis, ``[0, lean, 0]`` tips it outwards.
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
    each: list[tuple[float, ...]] = []
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
    """A profile by numbers: a ``band`` (radius, low, high) round a thing, or a ``dome`` upside down
    (radius, height, n), half a fruit on its skin.
    """

    band: Vec3 | None = None
    dome: tuple[float, float, int] | None = None


class Row(_Strict, frozen=True, kw_only=True):
    """A kind; its parts are read one by one, so that errors name them. ``hold`` has the other
    fields of :class:`Parts`.
    """

    facts: Facts
    hold: dict[str, Any]
    pieces: dict[str, Any]
    solids: list[Solid] = []
    meshes: dict[str, Any] = {}
    looks: dict[str, str | Look] = {}
    cavity: tuple[Vec3, Vec3] | None = None
    vessel: dict[str, Any] | None = None
    coat: dict[str, Any] | None = None


@cache
def themes() -> dict[str, dict[str, str]]:
    """Theme (the name of a file) -> kind -> the text of its row."""
    found = {}
    for path in sorted(FOLDER.glob("*.yaml")):
        texts = re.split(r"^(?=\w+:)", file_bytes(path).decode(), flags=re.MULTILINE)[1:]
        found[path.stem] = {text.partition(":")[0]: text for text in texts}
    return found


def kinds_of(theme: str) -> list[str]:
    """The kinds of a theme. What begins with an underscore is there for others to be like it."""
    return [kind for kind in themes()[theme] if kind != LOOKS and not kind.startswith("_")]


def read_row(theme: str, kind: str) -> Row:
    """The row of a kind, with the looks of its file among its own.

    Errors: :class:`SettingsError` with file, kind and field for what a row cannot say.
    """
    given = _given(theme, kind)
    shared = _given(theme, LOOKS) if LOOKS in themes()[theme] else {}
    return read_as(
        Row, {**given, LOOKS: {**shared, **given.get(LOOKS, {})}}, f"{theme}.yaml: {kind}"
    )


def _given(theme: str, kind: str) -> dict[str, Any]:
    """What is written of a kind, completed by what it is like."""
    where = f"{theme}.yaml: {kind}"
    try:
        row = msgspec.yaml.decode(themes()[theme][kind], type=dict[str, dict[str, Any]])[kind]
    except msgspec.MsgspecError as error:
        raise SettingsError(f"{where}: {' '.join(str(error).split())}") from error
    like = row.pop("like", None)
    if like is None:
        return row
    if like not in themes()[theme]:
        raise UnknownNameError.of("kind of thing", like, themes()[theme], f"Correct {where}.like.")
    base = _given(theme, like)
    both = {name for name in base.keys() & row.keys() if isinstance(row[name], dict)}
    return {**base, **row, **{name: {**base[name], **row[name]} for name in both}}


def read_as(of: type[Read], given: Mapping[str, Any], where: str) -> Read:
    """``given`` as an ``of``, of the fields that it has. Errors: :class:`SettingsError`."""
    known = [field.name for field in fields(of)] if is_dataclass(of) else given
    unknown = [name for name in given if name not in known]
    if unknown:
        raise SettingsError(f"{where}: Object contains unknown field `{unknown[0]}`")
    try:
        return msgspec.convert(given, of)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{where}: {error}") from error
