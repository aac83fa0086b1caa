"""Settings of variants in Isaac Sim, as data. Source: paper, B.4 to B.6."""

from collections.abc import Mapping
from typing import Any

from enact_assets.settings.fisheye_lens import (
    FIELD_OF_VIEW_DEG,
    RADIANS_PER_HALF_EDGE,
    RADIANS_PER_HALF_EDGE_SQUARED,
)

Colour = tuple[float, float, float]
"""Linear red, green, blue from 0 to 1."""

RENDERERS: Mapping[str, Mapping[str, Any]] = {
    "default": {"/rtx/rendermode": "RaytracedLighting"},
    "path_tracing": {"/rtx/rendermode": "PathTracing"},
    # B.4.3: reflections, DLSS, ambient occlusion, sampled lighting, ambient light and flow are off.
    "ray_tracing_only": {
        "/rtx/rendermode": "RaytracedLighting",
        "/rtx/reflections/enabled": False,
        "/rtx/post/aa/op": 0,
        "/rtx/ambientOcclusion/enabled": False,
        "/rtx/directLighting/sampledLighting/enabled": False,
        "/rtx/sceneDb/ambientLightIntensity": 0.0,
        "/rtx/flow/enabled": False,
    },
}
COLOURS: Mapping[str, Colour | None] = {
    "black_and_white": None,
    "white": (0.86, 0.86, 0.86),
    "skin": (0.73, 0.50, 0.37),
    "random": None,
}


def fisheye_attributes(size_px: int) -> dict[str, float]:
    """USD attributes of Isaac Sim's ``fisheyePolynomial`` for a square picture.

    Isaac Sim shows at r pixels from (fthetaCx, fthetaCy) what is A + B r + C r^2 + D r^3 + E r^4
    radians off the optical axis, up to half of fthetaMaxFov degrees.
    """
    half_edge = size_px / 2.0
    return {
        "fthetaWidth": float(size_px),
        "fthetaHeight": float(size_px),
        "fthetaCx": half_edge,
        "fthetaCy": half_edge,
        "fthetaMaxFov": FIELD_OF_VIEW_DEG,
        "fthetaPolyA": 0.0,
        "fthetaPolyB": RADIANS_PER_HALF_EDGE / half_edge,
        "fthetaPolyC": RADIANS_PER_HALF_EDGE_SQUARED / half_edge**2,
        "fthetaPolyD": 0.0,
        "fthetaPolyE": 0.0,
    }
