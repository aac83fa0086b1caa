"""Builders of plants in pots, and of the can they are watered with."""

import math

from enact_assets.simulator.shapes.mjcf import Scene, Vec3
from enact_assets.simulator.shapes.surfaces import Color, Surface, darker, gloss
from enact_assets.simulator.things.thing_parts import Builder, Parts, Vessel, upright_cylinder

SOIL = Surface((0.1, 0.055, 0.03), "speckles", "matte", (0.2, 0.13, 0.08), 0.03)
LEAF = Surface((0.06, 0.32, 0.07), finish="satin")
BACK_Y = 0.02
"""Plants stand behind the middle of their pots, so that the water before them is seen."""


def watering_can(scene: Scene, name: str, color: Color) -> Parts:
    """An open can with a long spout that ends in a rose, and a tall bow to carry it by."""
    profile = (
        (0, 0), (0.088, 0), (0.092, 0.006), (0.085, 0.13), (0.089, 0.136), (0.08, 0.136),
        (0.084, 0.012), (0, 0.01),
    )  # fmt: skip
    paint, trim = gloss(color), gloss(darker(color, 0.6))
    geoms = scene.visible(f"{name}.body", "mesh", scene.mesh("watering_can", profile), paint)
    geoms += scene.visible(
        f"{name}.spout", "capsule", (0.014, 0.075), paint, (0.14, 0, 0.105), euler=(0, 0.85, 0)
    )
    geoms += scene.visible(
        f"{name}.rose", "cylinder", (0.034, 0.012), trim, (0.206, 0, 0.163), euler=(0, 0.85, 0)
    )
    for k, (x, z, half, lean) in enumerate(
        (
            (-0.075, 0.175, 0.045, 0.25),
            (0.075, 0.175, 0.045, -0.25),
            (0.0, 0.222, 0.06, math.pi / 2),
        )
    ):
        geoms += scene.visible(
            f"{name}.bow_{k}", "capsule", (0.011, half), trim, (x, 0, z), euler=(0, lean, 0)
        )
    geoms += upright_cylinder(0.085, 0, 0.012, 0.4) + scene.ring(0.085, 0.012, 0.134, 0.2)
    hollow = ((0.012, 0.084), (0.134, 0.08))
    return Parts(
        geoms, grasp_out=0.015, grasp_height=0.215, grip=0.03, radius=0.16, height=0.235,
        vessel=Vessel(hollow, lip=(0.215, 0.0, 0.165)),
    )  # fmt: skip


def _pot(scene: Scene, name: str, color: Color, plant: str, height: float) -> Parts:
    """A wide pot with a rim of soil round the middle, where water shows as a blue disc."""
    profile = (
        (0, 0), (0.068, 0), (0.07, 0.004), (0.092, 0.105), (0.1, 0.108), (0.1, 0.132),
        (0.09, 0.132), (0.088, 0.1), (0, 0.1),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.pot", "mesh", scene.mesh("flower_pot", profile), gloss(color))
    geoms += scene.visible(f"{name}.soil", "cylinder", (0.0885, 0.002), SOIL, (0, 0, 0.101))
    geoms += plant + upright_cylinder(0.072, 0, 0.1, 0.8) + upright_cylinder(0.095, 0.1, 0.13, 0.2)
    return Parts(
        geoms, grasp_out=0.092, grasp_height=0.118, grip=0.03, radius=0.105, height=height,
        vessel=Vessel(((0.103, 0.089), (0.132, 0.09))),
    )  # fmt: skip


def potted_cactus(scene: Scene, name: str, color: Color) -> Parts:
    """A cactus with two arms and a pink flower."""
    skin = Surface((0.08, 0.4, 0.12), "stripes", "satin", (0.04, 0.24, 0.07), 0.02)
    plant = scene.visible(f"{name}.stem", "capsule", (0.032, 0.075), skin, (0, BACK_Y, 0.195))
    for side, z in ((-1, 0.2), (1, 0.17)):
        part = f"{name}.{'left' if side < 0 else 'right'}"
        plant += scene.visible(
            f"{part}_elbow", "capsule", (0.016, 0.022), skin, (side * 0.048, BACK_Y, z),
            euler=(0, math.pi / 2, 0),
        )  # fmt: skip
        plant += scene.visible(
            f"{part}_arm", "capsule", (0.017, 0.028), skin, (side * 0.07, BACK_Y, z + 0.028)
        )
    pink = Surface((0.92, 0.15, 0.4), finish="matte")
    plant += scene.visible(f"{name}.flower", "sphere", (0.024,), pink, (0, BACK_Y, 0.312))
    return _pot(scene, name, color, plant, 0.335)


def potted_tulip(scene: Scene, name: str, color: Color) -> Parts:
    """Three tulips on straight stems with long leaves."""
    plant = ""
    for k, (x, z, petal) in enumerate(
        (
            (-0.042, 0.27, (0.85, 0.04, 0.06)),
            (0.0, 0.305, (0.95, 0.7, 0.03)),
            (0.042, 0.265, (0.85, 0.04, 0.06)),
        )
    ):
        half, middle = (z - 0.1) / 2, (0.6 * x, BACK_Y, (z + 0.1) / 2)
        plant += scene.visible(
            f"{name}.stem_{k}", "capsule", (0.006, half), LEAF, middle, euler=(0, 2.0 * x, 0)
        )
        plant += scene.visible(
            f"{name}.bloom_{k}", "ellipsoid", (0.026, 0.026, 0.036), Surface(petal, finish="satin"),
            (x, BACK_Y, z + 0.02),
        )  # fmt: skip
    for k, side in enumerate((-1, 1)):
        plant += scene.visible(
            f"{name}.leaf_{k}", "ellipsoid", (0.012, 0.02, 0.07), LEAF,
            (side * 0.042, BACK_Y + 0.01, 0.165), euler=(0, side * 0.4, 0),
        )  # fmt: skip
    return _pot(scene, name, color, plant, 0.36)


def potted_sunflower(scene: Scene, name: str, color: Color) -> Parts:
    """One big sunflower that looks at the robot."""
    plant = scene.visible(
        f"{name}.stem", "capsule", (0.009, 0.075), LEAF, (0, BACK_Y + 0.01, 0.175)
    )
    yellow = Surface((0.95, 0.65, 0.02), finish="satin")
    middle = (0.0, BACK_Y - 0.012, 0.27)
    for k in range(10):
        turn = 2 * math.pi * k / 10
        across, along = 0.06 * math.cos(turn), 0.06 * math.sin(turn)
        place = (across, middle[1] + along * math.sin(0.67), middle[2] + along * math.cos(0.67))
        plant += scene.visible(f"{name}.petal_{k}", "sphere", (0.026,), yellow, place)
    heart = Surface((0.15, 0.07, 0.03), "speckles", "matte", (0.35, 0.2, 0.06), 0.015)
    plant += scene.visible(
        f"{name}.heart",
        "cylinder",
        (0.052, 0.016),
        heart,
        (0, BACK_Y - 0.02, 0.277),
        euler=(0.9, 0, 0),
    )
    for k, side in enumerate((-1, 1)):
        plant += scene.visible(
            f"{name}.leaf_{k}", "ellipsoid", (0.045, 0.022, 0.007), LEAF,
            (side * 0.05, BACK_Y, 0.16), euler=(0, -side * 0.5, 0),
        )  # fmt: skip
    return _pot(scene, name, color, plant, 0.36)


def potted_fern(scene: Scene, name: str, color: Color) -> Parts:
    """A bush of pointed leaves that rise and spread."""
    plant = scene.visible(
        f"{name}.crown", "ellipsoid", (0.03, 0.03, 0.04), LEAF, (0, BACK_Y, 0.125)
    )
    pale = Surface((0.2, 0.5, 0.12), finish="satin")
    for k in range(11):
        turn = 2 * math.pi * k / 11
        lean = 0.35 if k % 2 else 0.75
        reach = 0.1 * math.sin(lean)
        place = (
            reach * math.cos(turn), BACK_Y + reach * math.sin(turn), 0.13 + 0.1 * math.cos(lean)
        )  # fmt: skip
        plant += scene.visible(
            f"{name}.frond_{k}", "ellipsoid", (0.009, 0.02, 0.085), pale if k % 2 else LEAF, place,
            euler=_leaning(lean, turn),
        )  # fmt: skip
    return _pot(scene, name, color, plant, 0.32)


def _leaning(lean: float, turn: float) -> Vec3:
    """Euler angles (xyz) that tip an upright thing by ``lean`` towards the heading ``turn``."""
    x = math.atan2(-math.sin(lean) * math.sin(turn), math.cos(lean))
    return (x, math.asin(math.sin(lean) * math.cos(turn)), 0.0)


KINDS: dict[str, Builder] = {
    "watering_can": watering_can,
    "potted_cactus": potted_cactus,
    "potted_tulip": potted_tulip,
    "potted_sunflower": potted_sunflower,
    "potted_fern": potted_fern,
}
