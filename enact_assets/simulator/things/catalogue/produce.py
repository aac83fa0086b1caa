"""Builders of vegetables, fruit and meat, whole. What they are cut into is in :mod:`.cuts`."""

import math

from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Color, Surface, darker, gloss
from enact_assets.simulator.things.thing_parts import Builder, Coat, Parts, upright_cylinder

LEAF = Surface((0.1, 0.36, 0.06), finish="satin")

STEAK_TOP = (
    (-0.06, -0.03), (-0.06, 0.02), (-0.03, 0.045), (-0.02, -0.01), (0.01, -0.04), (0.02, 0.01),
    (0.05, -0.02), (0.075, -0.01),
)  # fmt: skip
"""Where sauce may lie on a steak."""


def tomato(scene: Scene, name: str, color: Color) -> Parts:
    """A flat round tomato with a green star of sepals."""
    profile = (
        (0, 0.004), (0.035, 0.0), (0.062, 0.016), (0.074, 0.05), (0.068, 0.085), (0.045, 0.106),
        (0.02, 0.106), (0, 0.098),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.skin", "mesh", scene.mesh("tomato", profile), gloss(color))
    for k in range(5):
        turn = 0.3 + k * 2 * math.pi / 5
        geoms += scene.visible(
            f"{name}.sepal_{k}", "ellipsoid", (0.03, 0.01, 0.004), LEAF,
            (0.026 * math.cos(turn), 0.026 * math.sin(turn), 0.109), euler=(0, 0, turn),
        )  # fmt: skip
    geoms += scene.visible(f"{name}.stem", "cylinder", (0.007, 0.016), LEAF, (0, 0, 0.118))
    geoms += upright_cylinder(0.055, 0, 0.105, 0.25)
    return Parts(
        geoms,
        grasp_out=0.045,
        grasp_height=0.075,
        grip=0.12,
        radius=0.075,
        height=0.11,
    )


def cucumber(scene: Scene, name: str, color: Color) -> Parts:
    """A long cucumber with dark bumps, pointing away from the robot."""
    skin = Surface(color, "speckles", "gloss", darker(color, 0.45), 0.035)
    geoms = scene.visible(
        f"{name}.skin", "capsule", (0.042, 0.1), skin, (0, 0, 0.042), euler=(math.pi / 2, 0, 0)
    )
    tip = Surface((0.5, 0.45, 0.12), finish="matte")
    geoms += scene.visible(f"{name}.tip", "sphere", (0.014,), tip, (0, 0.138, 0.05))
    geoms += Scene.solid("box", (0.03, 0.125, 0.04), (0, 0, 0.04), 0.3)
    return Parts(
        geoms,
        grasp_out=0.02,
        grasp_height=0.06,
        grip=0.1,
        radius=0.14,
        height=0.084,
    )


def onion(scene: Scene, name: str, color: Color) -> Parts:
    """A bulb with a pointed top and a tuft of roots."""
    profile = (
        (0, 0.0), (0.03, 0.002), (0.062, 0.026), (0.07, 0.055), (0.056, 0.09), (0.024, 0.115),
        (0.012, 0.145), (0.008, 0.165), (0, 0.168),
    )  # fmt: skip
    # Any fine stripe makes it a ball of yarn at this size; the pale roots tell it from a bun.
    geoms = scene.visible(f"{name}.skin", "mesh", scene.mesh("onion", profile), gloss(color))
    geoms += scene.visible(
        f"{name}.roots", "cylinder", (0.022, 0.006), Surface((0.85, 0.8, 0.62)), (0, 0, 0.168)
    )
    geoms += upright_cylinder(0.05, 0, 0.11, 0.25)
    return Parts(
        geoms,
        grasp_out=0.045,
        grasp_height=0.08,
        grip=0.12,
        radius=0.07,
        height=0.12,
    )


def bell_pepper(scene: Scene, name: str, color: Color) -> Parts:
    """A pepper of four lobes with a stout green stem."""
    geoms = ""
    for k, (x, y) in enumerate(((-1, -1), (1, -1), (-1, 1), (1, 1))):
        geoms += scene.visible(
            f"{name}.lobe_{k}", "ellipsoid", (0.046, 0.046, 0.07), gloss(color),
            (x * 0.03, y * 0.03, 0.07),
        )  # fmt: skip
    geoms += scene.visible(f"{name}.cap", "ellipsoid", (0.035, 0.035, 0.012), LEAF, (0, 0, 0.126))
    geoms += scene.visible(
        f"{name}.stem", "capsule", (0.011, 0.022), LEAF, (0.008, 0, 0.15), euler=(0, 0.35, 0)
    )
    geoms += upright_cylinder(0.055, 0, 0.125, 0.3)
    return Parts(
        geoms,
        grasp_out=0.05,
        grasp_height=0.09,
        grip=0.13,
        radius=0.078,
        height=0.13,
    )


def carrot(scene: Scene, name: str, color: Color) -> Parts:
    """A thick carrot lying across, its tuft of leaves to the right."""
    profile = (
        (0, 0), (0.013, 0.004), (0.03, 0.09), (0.04, 0.185), (0.036, 0.2), (0.015, 0.206),
        (0, 0.204),
    )  # fmt: skip
    skin = Surface(color, "stripes", "satin", darker(color, 0.75), 0.03)
    across = (0.0, math.pi / 2, 0.0)
    geoms = scene.visible(
        f"{name}.root", "mesh", scene.mesh("carrot", profile), skin, (-0.12, 0, 0.04), euler=across
    )
    for k, turn in enumerate((-0.45, 0.0, 0.45)):
        geoms += scene.visible(
            f"{name}.leaf_{k}", "ellipsoid", (0.055, 0.016, 0.012), LEAF,
            (0.085 + 0.05 * math.cos(turn), 0.05 * math.sin(turn), 0.04), euler=(0, 0, turn),
        )  # fmt: skip
    geoms += Scene.solid("box", (0.12, 0.03, 0.038), (-0.02, 0, 0.038), 0.2)
    return Parts(
        geoms,
        grasp_out=0.02,
        grasp_height=0.055,
        grip=0.1,
        radius=0.14,
        height=0.08,
    )


def potato(scene: Scene, name: str, color: Color) -> Parts:
    """Two grown-together brown lumps."""
    skin = Surface(color, "speckles", "matte", darker(color, 0.5), 0.05)
    geoms = scene.visible(
        f"{name}.big", "ellipsoid", (0.075, 0.055, 0.05), skin, (-0.02, 0, 0.05), euler=(0, 0, 0.3)
    )
    geoms += scene.visible(
        f"{name}.small", "ellipsoid", (0.05, 0.045, 0.042), skin, (0.05, 0.01, 0.045)
    )
    geoms += upright_cylinder(0.05, 0, 0.095, 0.25)
    return Parts(
        geoms,
        grasp_out=0.03,
        grasp_height=0.07,
        grip=0.11,
        radius=0.09,
        height=0.1,
    )


def lettuce(scene: Scene, name: str, color: Color) -> Parts:
    """An open head of crinkled leaves, pale in the middle."""
    pale = Surface((0.72, 0.85, 0.35), "mottled", "satin", color, 0.04)
    outer = Surface(color, "mottled", "satin", darker(color, 1.9), 0.04)
    geoms = scene.visible(f"{name}.heart", "sphere", (0.052,), pale, (0, 0, 0.062))
    for ring, (count, out, height, tilt, look) in enumerate(
        ((7, 0.066, 0.042, 0.55, outer), (5, 0.042, 0.075, 0.95, pale))
    ):
        for k in range(count):
            turn = (k + 0.5 * ring) * 2 * math.pi / count
            geoms += scene.visible(
                f"{name}.leaf_{ring}_{k}", "ellipsoid", (0.05, 0.042, 0.008), look,
                (out * math.cos(turn), out * math.sin(turn), height),
                euler=(tilt * math.sin(turn), -tilt * math.cos(turn), 0.0),
            )  # fmt: skip
    geoms += upright_cylinder(0.06, 0, 0.1, 0.2)
    return Parts(
        geoms,
        grasp_out=0.06,
        grasp_height=0.08,
        grip=0.12,
        radius=0.105,
        height=0.11,
    )


def lemon(scene: Scene, name: str, color: Color) -> Parts:
    """A lemon with a nipple at either end, lying across."""
    peel = Surface(color, "mottled", "satin", darker(color, 0.8), 0.02)
    geoms = scene.visible(f"{name}.peel", "ellipsoid", (0.082, 0.06, 0.058), peel, (0, 0, 0.058))
    for k, x in enumerate((-0.085, 0.085)):
        geoms += scene.visible(f"{name}.tip_{k}", "sphere", (0.016,), peel, (x, 0, 0.058))
    geoms += upright_cylinder(0.05, 0, 0.112, 0.2)
    return Parts(
        geoms,
        grasp_out=0.035,
        grasp_height=0.08,
        grip=0.11,
        radius=0.095,
        height=0.115,
    )


def steak(scene: Scene, name: str, color: Color) -> Parts:
    """A T-bone steak with a rim of fat, flat enough for a pan."""
    fat = Surface((0.88, 0.78, 0.62), finish="satin")
    flesh = Surface(color, "marble", "gloss", (0.9, 0.55, 0.48), 0.06)
    geoms = ""
    for part, grow, height, look in (("fat", 0.011, 0.019, fat), ("flesh", 0.0, 0.021, flesh)):
        for k, (x, y, half_x, half_y) in enumerate(
            ((-0.045, 0.0, 0.062, 0.07), (0.0, -0.012, 0.06, 0.056), (0.055, -0.015, 0.05, 0.048))
        ):
            lift = height if part == "fat" else height + 0.006
            geoms += scene.visible(
                f"{name}.{part}_{k}", "ellipsoid", (half_x + grow, half_y + grow, height), look,
                (x, y, lift),
            )  # fmt: skip
    bone = Surface((0.93, 0.9, 0.82), finish="matte")
    for part, half, pos, turn in (
        ("bone", 0.035, (0.01, 0.0, 0.045), math.pi / 2),
        ("bone_top", 0.024, (0.012, 0.04, 0.043), 0.0),
    ):
        euler = (turn, 0.0, 0.0) if turn else (0.0, math.pi / 2, 0.0)
        geoms += scene.visible(f"{name}.{part}", "capsule", (0.009, half), bone, pos, euler=euler)
    geoms += upright_cylinder(0.075, 0, 0.04, 0.3)
    return Parts(
        geoms,
        grasp_out=0.055,
        grasp_height=0.04,
        grip=0.03,
        radius=0.11,
        height=0.048,
        coat=Coat(tuple((x, y, 0.051) for x, y in STEAK_TOP)),
    )


KINDS: dict[str, Builder] = {
    "tomato": tomato,
    "cucumber": cucumber,
    "onion": onion,
    "bell_pepper": bell_pepper,
    "carrot": carrot,
    "potato": potato,
    "lettuce": lettuce,
    "lemon": lemon,
    "steak": steak,
}
