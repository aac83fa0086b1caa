"""Builders of what one cooks, stirs and seasons with."""

import math

from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Color, Surface, darker, gloss
from enact_assets.simulator.things.thing_parts import Builder, Parts, Vessel, upright_cylinder

BLACK = Surface((0.025, 0.025, 0.03), finish="satin")


def frying_pan(scene: Scene, name: str, color: Color) -> Parts:
    """A wide pan, dark inside, whose long handle points to the robot."""
    profile = (
        (0, 0), (0.125, 0), (0.138, 0.006), (0.155, 0.05), (0.159, 0.055), (0.15, 0.055),
        (0.134, 0.012), (0, 0.01),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.shell", "mesh", scene.mesh("frying_pan", profile), gloss(color))
    coating = Surface((0.09, 0.09, 0.1), finish="satin")
    geoms += scene.visible(f"{name}.coating", "cylinder", (0.133, 0.001), coating, (0, 0, 0.0125))
    geoms += scene.visible(
        f"{name}.handle", "capsule", (0.016, 0.085), BLACK, (0, -0.245, 0.058),
        euler=(math.pi / 2 + 0.1, 0, 0),
    )  # fmt: skip
    geoms += upright_cylinder(0.13, 0, 0.012, 0.7) + scene.ring(0.146, 0.013, 0.055, 0.2)
    return Parts(
        geoms,
        grasp_out=0.26,
        grasp_height=0.065,
        grip=0.035,
        radius=0.16,
        height=0.055,
        rest_height=0.013,
        cavity=((-0.13, -0.13, 0.005), (0.13, 0.13, 0.07)),
    )


def saucepan(scene: Scene, name: str, color: Color) -> Parts:
    """A small deep pan with one long handle to the robot."""
    profile = (
        (0, 0), (0.1, 0), (0.106, 0.008), (0.11, 0.095), (0.116, 0.1), (0.105, 0.1), (0.1, 0.014),
        (0, 0.01),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.shell", "mesh", scene.mesh("saucepan", profile), gloss(color))
    geoms += scene.visible(
        f"{name}.handle",
        "capsule",
        (0.015, 0.07),
        BLACK,
        (0, -0.18, 0.09),
        euler=(math.pi / 2, 0, 0),
    )
    geoms += upright_cylinder(0.1, 0, 0.011, 0.5) + scene.ring(0.106, 0.012, 0.097, 0.2)
    return Parts(
        geoms,
        grasp_out=0.19,
        grasp_height=0.1,
        grip=0.03,
        radius=0.12,
        height=0.1,
        rest_height=0.012,
        cavity=((-0.095, -0.095, 0.005), (0.095, 0.095, 0.11)),
        vessel=Vessel(((0.012, 0.1), (0.1, 0.105))),
    )


def lid(scene: Scene, name: str, color: Color) -> Parts:
    """A domed lid with a big black knob."""
    profile = (
        (0, 0.0), (0.122, 0.0), (0.132, 0.006), (0.126, 0.014), (0.098, 0.034), (0.05, 0.047),
        (0, 0.05),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.dome", "mesh", scene.mesh("lid", profile), gloss(color))
    geoms += scene.visible(f"{name}.neck", "cylinder", (0.014, 0.014), BLACK, (0, 0, 0.061))
    geoms += scene.visible(f"{name}.knob", "ellipsoid", (0.036, 0.036, 0.024), BLACK, (0, 0, 0.09))
    geoms += upright_cylinder(0.125, 0, 0.01, 0.3) + upright_cylinder(0.05, 0.01, 0.047, 0.1)
    return Parts(
        geoms,
        grasp_out=0.02,
        grasp_height=0.095,
        grip=0.07,
        radius=0.132,
        height=0.114,
        is_lid=True,
    )


def wooden_spoon(scene: Scene, name: str, color: Color) -> Parts:
    """A long thick spoon whose bowl points away from the robot."""
    wood = Surface(color, "wood", "satin", darker(color, 0.7), 0.04)
    geoms = scene.visible(
        f"{name}.handle", "capsule", (0.018, 0.14), wood, (0, -0.08, 0.022),
        euler=(math.pi / 2, 0, 0),
    )  # fmt: skip
    geoms += scene.visible(f"{name}.bowl", "ellipsoid", (0.05, 0.07, 0.02), wood, (0, 0.13, 0.022))
    hollow = Surface(darker(color, 0.5), finish="satin")
    geoms += scene.visible(
        f"{name}.hollow", "ellipsoid", (0.038, 0.054, 0.013), hollow, (0, 0.13, 0.031)
    )
    geoms += Scene.solid("box", (0.035, 0.2, 0.018), (0, -0.02, 0.02), 0.15)
    return Parts(
        geoms,
        grasp_out=0.19,
        grasp_height=0.035,
        grip=0.036,
        radius=0.22,
        height=0.042,
        is_stirrer=True,
        tip=(0.0, 0.15, 0.02),
    )


def pepper_mill(scene: Scene, name: str, color: Color) -> Parts:
    """A tall turned wooden mill with a ball on top."""
    profile = (
        (0, 0), (0.05, 0), (0.055, 0.02), (0.04, 0.06), (0.036, 0.1), (0.048, 0.14), (0.05, 0.16),
        (0.03, 0.175), (0, 0.178),
    )  # fmt: skip
    wood = Surface(color, "wood", "gloss", darker(color, 0.6), 0.04)
    geoms = scene.visible(f"{name}.body", "mesh", scene.mesh("pepper_mill", profile), wood)
    geoms += scene.visible(f"{name}.ball", "sphere", (0.034,), wood, (0, 0, 0.205))
    steel = Surface((0.7, 0.7, 0.72), finish="metal")
    geoms += scene.visible(f"{name}.knob", "sphere", (0.012,), steel, (0, 0, 0.244))
    geoms += upright_cylinder(0.05, 0, 0.175, 0.3)
    return Parts(
        geoms,
        grasp_out=0.03,
        grasp_height=0.12,
        grip=0.09,
        radius=0.055,
        height=0.25,
    )


def salt_shaker(scene: Scene, name: str, color: Color) -> Parts:
    """A white cone with a steel cap and holes."""
    profile = ((0, 0), (0.058, 0), (0.06, 0.008), (0.042, 0.11), (0, 0.112))
    geoms = scene.visible(f"{name}.body", "mesh", scene.mesh("salt_shaker", profile), gloss(color))
    steel = Surface((0.7, 0.7, 0.72), finish="metal")
    geoms += scene.visible(f"{name}.cap", "ellipsoid", (0.044, 0.044, 0.03), steel, (0, 0, 0.115))
    for k in range(3):
        turn = k * 2 * math.pi / 3
        geoms += scene.visible(
            f"{name}.hole_{k}", "sphere", (0.006,), BLACK,
            (0.015 * math.cos(turn), 0.015 * math.sin(turn), 0.143),
        )  # fmt: skip
    geoms += upright_cylinder(0.052, 0, 0.13, 0.25)
    return Parts(
        geoms,
        grasp_out=0.03,
        grasp_height=0.1,
        grip=0.1,
        radius=0.06,
        height=0.146,
    )


KINDS: dict[str, Builder] = {
    "frying_pan": frying_pan,
    "saucepan": saucepan,
    "lid": lid,
    "wooden_spoon": wooden_spoon,
    "pepper_mill": pepper_mill,
    "salt_shaker": salt_shaker,
}
