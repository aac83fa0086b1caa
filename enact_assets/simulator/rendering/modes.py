"""Renderer modes: the same world under other light, materials and effort.

``realistic`` stands in for the pictures of the paper that a generative model repainted. It is
richer in texture and film-like in tone, but made of the same simple shapes: a probe with it asks
whether answers depend on surface detail and tone, not whether a photograph would change them.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.errors import UnknownNameError
from enact_assets.contracts.settings import EFFORTS, Effort, RendererSettings
from enact_assets.simulator.rendering.lighting import EVERYDAY, Lighting
from enact_assets.simulator.rendering.tone_mapping import filmed, tone_mapped
from enact_assets.simulator.shapes.surfaces import Surface, Texture, darker


@dataclass(frozen=True)
class RenderMode:
    """One way to show a world. ``surface`` maps every surface to the one that is shown; ``effort``
    says how deep and often is traced; ``develop`` turns linear radiance and the state's seed into
    bytes.
    """

    surface: Callable[[Surface], Surface]
    develop: Callable[[NDArray[np.float32], int], NDArray[np.uint8]]
    effort: Effort
    lighting: Lighting = EVERYDAY


def render_mode(settings: RendererSettings) -> RenderMode:
    """The mode named by ``settings``; raises :class:`UnknownNameError`."""
    try:
        return MODES[settings.mode]
    except KeyError:
        raise UnknownNameError.of(
            "renderer mode", settings.mode, MODES, "Correct the variant's renderer."
        ) from None


def _as_it_is(surface: Surface) -> Surface:
    return surface


def _without_reflections(surface: Surface) -> Surface:
    return surface if surface.finish == "glow" else dataclasses.replace(surface, finish="matte")


def _detailed(surface: Surface) -> Surface:
    """The surface in use: mottled, scratched or with finer grain, its colour kept."""
    if surface.finish == "glow":
        return surface
    if surface.finish == "gloss":
        surface = dataclasses.replace(surface, finish="lacquer")
    if surface.texture in _FINER:
        return dataclasses.replace(surface, texture=_FINER[surface.texture])
    if surface.texture != "plain":
        return surface
    return dataclasses.replace(
        surface,
        texture="brushed" if surface.finish == "metal" else "mottled",
        second=darker(surface.color),
        scale_m=DETAIL_M,
    )


_FINER: dict[str, Texture] = {"wood": "fine_wood", "tile": "worn_tile"}
DETAIL_M = 0.12
"""Texture period of surfaces that are plain by default."""


def _everyday(radiance: NDArray[np.float32], _seed: int) -> NDArray[np.uint8]:
    return tone_mapped(radiance)


MODES: dict[str, RenderMode] = {
    "default": RenderMode(_as_it_is, _everyday, EFFORTS["default"]),
    "path_tracing": RenderMode(_as_it_is, _everyday, EFFORTS["path_tracing"]),
    "ray_tracing_only": RenderMode(
        _without_reflections,
        _everyday,
        EFFORTS["ray_tracing_only"],
        Lighting(ambient=None),
    ),
    "realistic": RenderMode(
        _detailed,
        filmed,
        EFFORTS["realistic"],
        Lighting((21.0, 15.6, 9.8), (0.42, 0.3), (0.24, 0.27, 0.32)),
    ),
}
"""What each mode a variant may name does."""
