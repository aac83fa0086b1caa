"""From linear radiance to bytes: the everyday curve, and a film-like one with grain."""

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.errors import RenderError

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]

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
