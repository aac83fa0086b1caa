"""Renderer modes: the same world under other light, materials, tone and effort.

``realistic`` stands in for the pictures of the paper that a generative model repainted. It is
richer in texture and film-like in tone, but made of the same simple shapes: a probe with it asks
whether answers depend on surface detail and tone, not whether a photograph would change them.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.errors import RenderError, entry_named
from enact_assets.settings.arrays import Floats, Floats32
from enact_assets.settings.classes import EFFORTS, Effort, RendererSettings
from enact_assets.simulator.rendering.lighting import EVERYDAY, Lighting
from enact_assets.simulator.shapes.surfaces import Surface, Texture, darker

SHOULDER = 0.6
"""Display level up to which tone mapping is linear; above it highlights are compressed."""
FILM_EXPOSURE = 0.7
GRAIN = 0.011
"""Standard deviation of the grain in display levels from 0 to 1: just visible on flat walls."""


def tone_mapped(radiance: Floats32) -> NDArray[np.uint8]:
    """Bytes in sRGB of linear radiance: linear up to the shoulder, then rolled off towards white.

    Errors: :class:`RenderError` if a pixel is not finite.
    """
    level = _levels(radiance)
    room = 1.0 - SHOULDER
    over = np.maximum(level - SHOULDER, 0.0)
    level = np.where(level > SHOULDER, SHOULDER + room * (1.0 - np.exp(-over / room)), level)
    return _bytes(_srgb(level))


def filmed(radiance: Floats32, seed: int) -> NDArray[np.uint8]:
    """Bytes in sRGB by a film-like curve (a rational fit to the ACES tone curve: darker shadows,
    long highlights), with grey grain that depends on ``seed`` alone.

    Errors: :class:`RenderError` if a pixel is not finite.
    """
    level = FILM_EXPOSURE * _levels(radiance)
    curve = level * (2.51 * level + 0.03) / (level * (2.43 * level + 0.59) + 0.14)
    grain = np.random.default_rng(seed).normal(0.0, GRAIN, radiance.shape[:2])
    grain = np.where(level.any(axis=-1), grain, 0.0)  # none outside a fisheye's circle
    return _bytes(_srgb(np.clip(curve, 0.0, 1.0)) + grain[..., None])


def _levels(radiance: Floats32) -> Floats:
    """Radiance without the little below zero that a denoiser may leave."""
    bad = ~np.isfinite(radiance).all(axis=-1)
    if bad.any():
        raise RenderError(
            f"picture: {int(bad.sum())} of {bad.size} pixels are not finite, "
            f"the first at row and column {np.argwhere(bad)[0].tolist()}"
        )
    return np.maximum(radiance.astype(np.float64), 0.0)


def _srgb(level: Floats) -> Floats:
    curve = 1.055 * np.maximum(level, 0.0031308) ** (1.0 / 2.4) - 0.055
    return np.asarray(np.where(level <= 0.0031308, 12.92 * level, curve))


def _bytes(encoded: Floats) -> NDArray[np.uint8]:
    return np.asarray(np.round(np.clip(encoded, 0.0, 1.0) * 255.0), dtype=np.uint8)


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
    return entry_named(MODES, settings.mode, "renderer mode", "Correct the variant's renderer.")


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
