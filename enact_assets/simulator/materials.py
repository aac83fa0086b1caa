"""What surfaces look like to the renderer: finishes, glow, robot colours."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from enact_assets.contracts.errors import RenderError, UnknownNameError
from enact_assets.contracts.registry import AppearanceSettings
from enact_assets.simulator.masks import VISIBLE_GROUPS
from enact_assets.simulator.textures import texture_picture
from enact_assets.simulator.world import Surface, World

GLOW_RADIANCE = 1.5
"""Radiance of a glow surface of colour 1: as bright as the brightest lit white, still coloured."""
GLOW_SAMPLING = 0.1
"""Share of light samples a glow gets, against 1 for a lamp: it is small and dim."""


def _matte(color: Any) -> dict[str, Any]:
    return {"type": "diffuse", "reflectance": color}


def _satin(color: Any) -> dict[str, Any]:
    return {"type": "principled", "base_color": color, "roughness": 0.5, "specular": 0.4}


def _gloss(color: Any) -> dict[str, Any]:
    return {"type": "principled", "base_color": color, "roughness": 0.18, "specular": 0.6}


def _metal(color: Any) -> dict[str, Any]:
    return {"type": "principled", "base_color": color, "roughness": 0.32, "metallic": 0.85}


FINISHES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "matte": _matte,
    "satin": _satin,
    "gloss": _gloss,
    "metal": _metal,
    "glow": _matte,
}


def bsdf(surface: Surface) -> dict[str, Any]:
    """Mitsuba's reflection model of a surface, seen from both sides.

    Errors: :class:`UnknownNameError` for a finish or texture nobody defined.
    """
    import mitsuba as mi

    color: dict[str, Any] = {"type": "rgb", "value": list(surface.color)}
    if surface.texture != "plain":
        picture = mi.Bitmap(np.array(texture_picture(surface)))
        color = {"type": "bitmap", "bitmap": picture, "raw": True}
    try:
        finish = FINISHES[surface.finish]
    except KeyError:
        raise UnknownNameError.of("finish", surface.finish, FINISHES) from None
    return {"type": "twosided", "bsdf": finish(color)}


def emitter(surface: Surface) -> dict[str, Any] | None:
    """Mitsuba's light of a glow surface; None for every other finish."""
    if surface.finish != "glow":
        return None
    radiance = [GLOW_RADIANCE * c for c in surface.color]
    return {
        "type": "area",
        "radiance": {"type": "rgb", "value": radiance},
        "sampling_weight": GLOW_SAMPLING,
    }


def _as_built(_name: str, surface: Surface) -> Surface:
    """The robot as the world has it: black joints, white limbs."""
    return surface


ROBOT_LOOKS: dict[str, Callable[[str, Surface], Surface]] = {"black_and_white": _as_built}
"""How each robot appearance changes the surface of a robot geom of a given name."""


def dressed(
    world: World, surfaces: Mapping[str, Surface], appearance: AppearanceSettings
) -> dict[str, Surface]:
    """``surfaces`` with those of the robot recoloured by ``appearance``.

    Errors: :class:`UnknownNameError` for a robot appearance nobody defined.
    """
    try:
        look = ROBOT_LOOKS[appearance.robot]
    except KeyError:
        raise UnknownNameError.of(
            "robot appearance", appearance.robot, ROBOT_LOOKS, "Correct the variant's appearance."
        ) from None
    return {
        name: look(name, surface) if name in world.robot_geoms else surface
        for name, surface in surfaces.items()
    }


def check_surfaces(world: World) -> None:
    """Raise :class:`RenderError` unless every visible geom is named and has a surface.

    Cues may only replace surfaces of geoms that exist.
    """
    model = world.model
    names = set()
    for geom in range(model.ngeom):
        if int(model.geom_group[geom]) not in VISIBLE_GROUPS:
            continue
        name = model.geom(geom).name
        if not name or name not in world.surfaces:
            body = model.body(int(model.geom_bodyid[geom])).name
            raise RenderError(
                f"geom {name or geom!r} of body {body!r} is visible but has no "
                f"{'surface' if name else 'name'}. Add it to World.surfaces, or put it in group 3."
            )
        names.add(name)
    for cue in world.cues:
        strange = sorted(set(cue.surfaces_on) - names)
        if strange:
            raise RenderError(
                f"cue of {cue.object_name!r} replaces the surface of {strange[0]!r}, "
                "which is no visible geom"
            )
