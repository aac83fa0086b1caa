"""What surfaces look like to the renderer: finishes, glow, robot colours."""

import colorsys
import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from enact_assets.engine.errors import RenderError, entry_named
from enact_assets.settings.classes import AppearanceSettings
from enact_assets.simulator.rendering.textures import texture_picture
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import World
from enact_assets.simulator.view.masks import VISIBLE_GROUPS

GLOW_RADIANCE = 1.5
"""Radiance of a glow surface of colour 1: as bright as the brightest lit white, still coloured."""
GLASS_OPACITY = 0.16
"""Share of the light that meets glass and is reflected; the rest goes through it."""
GLOW_SAMPLING = 0.1
"""Share of light samples a glow gets, against 1 for a lamp: it is small and dim."""


FINISHES: dict[str, dict[str, float]] = {
    "matte": {},
    "satin": {"roughness": 0.5, "specular": 0.4},
    "gloss": {"roughness": 0.18, "specular": 0.6},
    "metal": {"roughness": 0.32, "metallic": 0.85},
    "lacquer": {"roughness": 0.3, "specular": 0.5, "clearcoat": 0.7, "clearcoat_gloss": 0.92},
    "glow": {},
    "glass": {"roughness": 0.1, "specular": 0.9},
}
"""Finish -> parameters of Mitsuba's principled model; without any, a surface is diffuse."""


def bsdf(surface: Surface) -> dict[str, Any]:
    """Mitsuba's reflection model of a surface, seen from both sides.

    Errors: :class:`UnknownNameError` for an unknown finish or texture.
    """
    import mitsuba as mi

    color: dict[str, Any] = {"type": "rgb", "value": list(surface.color)}
    if surface.texture != "plain":
        picture = mi.Bitmap(np.array(texture_picture(surface)))
        color = {"type": "bitmap", "bitmap": picture, "raw": True}
    finish = entry_named(FINISHES, surface.finish, "finish")
    model: dict[str, Any] = (
        {"type": "principled", "base_color": color, **finish}
        if finish
        else {"type": "diffuse", "reflectance": color}
    )
    seen = {"type": "twosided", "bsdf": model}
    if surface.finish == "glass":
        return {"type": "mask", "opacity": GLASS_OPACITY, "bsdf": seen}
    return seen


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


def _as_built(surface: Surface, _seed: int) -> Surface:
    """The robot as the world has it: black joints, white limbs."""
    return surface


def _white(surface: Surface, _seed: int) -> Surface:
    return dataclasses.replace(surface, color=WHITE)


def _skin(surface: Surface, _seed: int) -> Surface:
    return dataclasses.replace(surface, color=SKIN, finish="satin")


def _random(surface: Surface, seed: int) -> Surface:
    """One strong colour for the whole robot: hue, saturation and brightness follow the seed."""
    hue, *levels = np.random.default_rng(seed).uniform(size=3).tolist()
    color = colorsys.hsv_to_rgb(hue, 0.75 + 0.25 * levels[0], 0.45 + 0.5 * levels[1])
    return dataclasses.replace(surface, color=color)


WHITE = (0.88, 0.88, 0.87)
SKIN = (0.74, 0.50, 0.37)
"""A light human skin: 222, 188 and 164 in sRGB."""

ROBOT_LOOKS: dict[str, Callable[[Surface, int], Surface]] = {
    "black_and_white": _as_built,
    "white": _white,
    "random": _random,
    "skin": _skin,
}
"""How each robot appearance changes the surface of a robot geom in the frame of a given seed."""


def dressed(
    world: World, surfaces: Mapping[str, Surface], appearance: AppearanceSettings, seed: int = 0
) -> dict[str, Surface]:
    """``surfaces`` with those of the robot recoloured by ``appearance``.

    ``seed`` belongs to the frame (:func:`simulator.view.poses.state_seed`).

    Errors: :class:`UnknownNameError` for an unknown robot appearance.
    """
    advice = "Correct the variant's appearance."
    look = entry_named(ROBOT_LOOKS, appearance.robot, "robot appearance", advice)
    return {
        name: look(surface, seed) if name in world.robot_geoms else surface
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
                f"cue of {cue.object_name!r} replaces the surface of {strange[0]!r}, which is not "
                "a visible geom"
            )
