"""Settings of variants in Isaac Sim, as data. Source: paper, B.4 to B.6."""

from collections.abc import Mapping
from typing import Any

Colour = tuple[float, float, float]
"""Linear red, green, blue from 0 to 1."""

FISHEYE_DEGREES = 190.0
"""Field of view, of the embedded simulator's fisheye too; the paper names the model, no numbers."""
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
