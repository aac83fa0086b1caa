"""How the geoms of a thing look, as its row says: ``own`` (the colour of the thing, glossy),
``own*0.5`` (darker), a name among the looks of the row or its file, or written out.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from enact_assets.engine.errors import UnknownNameError
from enact_assets.simulator.shapes.row_files import Strict, read_as
from enact_assets.simulator.shapes.surfaces import Color, Finish, Surface, Texture, darker

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
