"""Variants: how camera, renderer and robot are set in Isaac Sim. Source: paper, B.4 to B.6."""

import colorsys
import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from omnigibson import lazy

from enact_assets.demonstrations.replay.omnigibson_player.look_settings import (
    COLOURS,
    RENDERERS,
    Colour,
    fisheye_attributes,
)
from enact_assets.demonstrations.replay.omnigibson_player.request import (
    PlaybackRequest,
    RefusalError,
    View,
)


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


def set_lens(sensor: Any, view: View) -> None:
    """Aperture of the pinhole, or the fisheye of the embedded renderer."""
    sensor.horizontal_aperture = view.aperture_mm
    if view.projection == "pinhole":
        return
    if view.projection != "fisheye":
        raise RefusalError(f"projection {view.projection!r} is unknown (known: pinhole, fisheye)")
    types = lazy.pxr.Sdf.ValueTypeNames
    sensor.prim.CreateAttribute("cameraProjectionType", types.Token).Set("fisheyePolynomial")
    for name, number in fisheye_attributes(view.size_px).items():
        sensor.prim.CreateAttribute(name, types.Float).Set(number)


def set_renderer(mode: str) -> None:
    """Path or ray tracing, with or without effects. Errors: :class:`RefusalError`."""
    if mode not in RENDERERS:
        known = ", ".join(RENDERERS)
        raise RefusalError(f"OmniGibson has no renderer mode {mode!r} (it has: {known})")
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
