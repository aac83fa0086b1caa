"""Variants: how camera, renderer and robot are set in Isaac Sim. Source: paper, B.4 to B.6."""

import colorsys
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from enact_assets.demonstrations.replay.omnigibson_player.request import (
    PlaybackRequest,
    RefusalError,
    View,
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


def fisheye_attributes(size_px: int, lens: Mapping[str, float]) -> dict[str, float]:
    """USD attributes of Isaac Sim's ``fisheyePolynomial`` for a square picture, with the numbers of
    ``lens``.

    Isaac Sim shows at r pixels from (fthetaCx, fthetaCy) what is A + B r + C r^2 + D r^3 + E r^4
    radians off the optical axis, up to half of fthetaMaxFov degrees.
    """
    half_edge = size_px / 2.0
    return {
        "fthetaWidth": float(size_px),
        "fthetaHeight": float(size_px),
        "fthetaCx": half_edge,
        "fthetaCy": half_edge,
        "fthetaMaxFov": lens["field_of_view_deg"],
        "fthetaPolyA": 0.0,
        "fthetaPolyB": lens["radians_per_half_edge"] / half_edge,
        "fthetaPolyC": lens["radians_per_half_edge_squared"] / half_edge**2,
        "fthetaPolyD": 0.0,
        "fthetaPolyE": 0.0,
    }


def sensor_config(view: View, robot_prim_path: str, modalities: Sequence[str]) -> dict[str, Any]:
    """Settings of an external sensor that sees ``modalities`` from a link of the robot."""
    return {
        "sensor_type": "VisionSensor",
        "name": view.name,
        "relative_prim_path": f"{robot_prim_path}/{view.link}/{view.name}",
        "modalities": list(modalities),
        "sensor_kwargs": {
            "image_height": view.size_px,
            "image_width": view.size_px,
            "focal_length": view.focal_length_mm,
        },
        "position": list(view.lifted_m),
        "orientation": list(view.orientation_xyzw),
        "pose_frame": "parent",
        "include_in_obs": False,  # it is asked when somebody looks
    }


def set_lens(sensor: Any, request: PlaybackRequest) -> None:
    """Aperture of the pinhole, or the fisheye of the embedded renderer."""
    view = request.view
    sensor.horizontal_aperture = view.aperture_mm
    if view.projection == "pinhole":
        return
    if view.projection != "fisheye":
        raise RefusalError(f"projection {view.projection!r} is unknown (known: pinhole, fisheye)")
    from omnigibson import lazy

    types = lazy.pxr.Sdf.ValueTypeNames
    sensor.prim.CreateAttribute("cameraProjectionType", types.Token).Set("fisheyePolynomial")
    for name, number in fisheye_attributes(view.size_px, request.lens).items():
        sensor.prim.CreateAttribute(name, types.Float).Set(number)


def set_renderer(mode: str) -> None:
    """Path or ray tracing, with or without effects. Errors: :class:`RefusalError`."""
    if mode not in RENDERERS:
        known = ", ".join(RENDERERS)
        raise RefusalError(f"OmniGibson has no renderer mode {mode!r} (it has: {known})")
    from omnigibson import lazy

    settings = lazy.carb.settings.get_settings()
    for path, value in RENDERERS[mode].items():
        settings.set(path, value)


def paint_robot(robot: Any, request: PlaybackRequest, frame: int) -> None:
    """Give all of the robot the colour it has at ``frame``; ``random`` has one per picture."""
    if request.robot not in COLOURS:
        known = ", ".join(COLOURS)
        raise RefusalError(f"the robot cannot look {request.robot!r} (known: {known})")
    colour = COLOURS[request.robot]
    if request.robot == "random":
        colour = random_colour(request.demonstration, frame)
    if colour is None:
        return
    painted = [m for m in robot.materials if "diffuse_color_constant" in m.shader_input_names]
    if not painted:
        raise RefusalError(f"no material of robot {robot.name!r} takes a colour")
    for material in painted:
        if "diffuse_texture" in material.shader_input_names:  # it would hide the colour
            material.diffuse_texture = ""
        material.diffuse_color_constant = np.array(colour)


def random_colour(demonstration: str, frame: int) -> Colour:
    """A strong colour that depends on demonstration and frame only."""
    digest = hashlib.sha256(f"{demonstration} {frame}".encode()).digest()
    return colorsys.hsv_to_rgb(int.from_bytes(digest[:4], "big") / 2**32, 0.9, 0.9)
