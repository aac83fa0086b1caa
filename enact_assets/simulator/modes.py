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
from enact_assets.contracts.registry import RendererSettings
from enact_assets.simulator.lighting import EVERYDAY, Lighting
from enact_assets.simulator.tone_mapping import filmed, tone_mapped
from enact_assets.simulator.world import Surface, Texture

DIRECT_DEPTH = 2
"""From the eye to a surface and on to a lamp."""


@dataclass(frozen=True)
class RenderMode:
    """One way to show a world. ``surface`` maps every surface to the one that is shown; depth and
    samples of the settings are multiplied, and depth is cut at ``deepest``; ``develop`` turns
    linear radiance and the state's seed into bytes.
    """

    surface: Callable[[Surface], Surface]
    develop: Callable[[NDArray[np.float32], int], NDArray[np.uint8]]
    lighting: Lighting = EVERYDAY
    times_depth: int = 1
    times_samples: int = 1
    deepest: int | None = None

    def effort(self, settings: RendererSettings) -> RendererSettings:
        """``settings`` with the depth and samples this mode traces with."""
        depth = settings.path_depth * self.times_depth
        return dataclasses.replace(
            settings,
            path_depth=depth if self.deepest is None else min(depth, self.deepest),
            samples=settings.samples * self.times_samples,
        )


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
    red, green, blue = (0.45 * c for c in surface.color)
    return dataclasses.replace(
        surface,
        texture="brushed" if surface.finish == "metal" else "mottled",
        second=(red, green, blue),
        scale_m=DETAIL_M,
    )


_FINER: dict[str, Texture] = {"wood": "fine_wood", "tile": "worn_tile"}
DETAIL_M = 0.12
"""Texture period of surfaces that are plain by default."""


def _everyday(radiance: NDArray[np.float32], _seed: int) -> NDArray[np.uint8]:
    return tone_mapped(radiance)


MODES: dict[str, RenderMode] = {
    "default": RenderMode(_as_it_is, _everyday),
    "path_tracing": RenderMode(_as_it_is, _everyday, times_depth=3, times_samples=8),
    "ray_tracing_only": RenderMode(
        _without_reflections,
        _everyday,
        Lighting(ambient=None),
        deepest=DIRECT_DEPTH,
    ),
    "realistic": RenderMode(
        _detailed,
        filmed,
        Lighting((21.0, 15.6, 9.8), (0.42, 0.3), (0.24, 0.27, 0.32)),
        times_depth=3,
        times_samples=8,
    ),
}
"""What each mode a variant may name does."""
