"""Builders of toys that are small models: a car, a train, a boat, a castle and a house."""

import math

from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.pieces import ALONG_X, ALONG_Y
from enact_assets.simulator.shapes.surfaces import Color, Surface, gloss
from enact_assets.simulator.things.catalogue.toys import BLACK, CREAM, RAINBOW, WOOD
from enact_assets.simulator.things.thing_parts import Builder, Parts

GLASS = Surface((0.5, 0.75, 0.92), finish="gloss")


def _wheels(scene: Scene, name: str, xs: tuple[float, ...], y: float, radius: float) -> str:
    """Wheels with pale hubs on both sides of a toy that stands along x."""
    geoms = ""
    for k, x in enumerate(xs):
        for side in (-1, 1):
            label, place = (
                f"{name}.wheel_{k}_{'near' if side < 0 else 'far'}",
                (x, side * y, radius),
            )
            geoms += scene.visible(label, "cylinder", (radius, 0.014), BLACK, place, euler=ALONG_Y)
            geoms += scene.visible(
                f"{label}_hub", "cylinder", (0.5 * radius, 0.0155), CREAM, place, euler=ALONG_Y
            )
    return geoms


def toy_car(scene: Scene, name: str, color: Color) -> Parts:
    """A car across the robot's view, with a cabin of windows and black wheels."""
    paint = gloss(color)
    geoms = scene.visible(f"{name}.body", "box", (0.125, 0.06, 0.03), paint, (0, 0, 0.062))
    geoms += scene.visible(f"{name}.glass", "box", (0.062, 0.052, 0.026), GLASS, (-0.012, 0, 0.116))
    geoms += scene.visible(f"{name}.roof", "box", (0.066, 0.056, 0.008), paint, (-0.012, 0, 0.148))
    for k, dx in enumerate((-0.076, -0.012, 0.052)):
        geoms += scene.visible(
            f"{name}.pillar_{k}", "box", (0.006, 0.056, 0.026), paint, (dx, 0, 0.116)
        )
    white = Surface((0.92, 0.92, 0.85), finish="gloss")
    for k, dy in enumerate((-0.038, 0.038)):
        geoms += scene.visible(f"{name}.lamp_{k}", "sphere", (0.014,), white, (0.124, dy, 0.068))
    geoms += _wheels(scene, name, (-0.075, 0.075), 0.056, 0.034)
    geoms += Scene.solid("box", (0.12, 0.066, 0.045), (0, 0, 0.046), 0.3)
    geoms += Scene.solid("box", (0.06, 0.05, 0.03), (-0.012, 0, 0.122), 0.05)
    return Parts(
        geoms, grasp_out=0.04, grasp_height=0.125, grip=0.13, radius=0.14, height=0.156,
    )  # fmt: skip


def toy_train(scene: Scene, name: str, color: Color) -> Parts:
    """A steam engine with a round boiler, a chimney and a cab."""
    paint, trim = gloss(color), gloss((0.92, 0.7, 0.05))
    geoms = scene.visible(f"{name}.frame", "box", (0.13, 0.048, 0.014), BLACK, (0, 0, 0.045))
    geoms += scene.visible(
        f"{name}.boiler", "cylinder", (0.042, 0.075), paint, (0.045, 0, 0.1),
        euler=ALONG_X,
    )  # fmt: skip
    geoms += scene.visible(
        f"{name}.front",
        "cylinder",
        (0.044, 0.008),
        trim,
        (0.122, 0, 0.1),
        euler=ALONG_X,
    )
    geoms += scene.visible(f"{name}.cab", "box", (0.042, 0.052, 0.062), paint, (-0.078, 0, 0.12))
    geoms += scene.visible(
        f"{name}.window", "box", (0.024, 0.0535, 0.022), GLASS, (-0.078, 0, 0.142)
    )
    geoms += scene.visible(f"{name}.roof", "box", (0.055, 0.06, 0.008), trim, (-0.078, 0, 0.19))
    geoms += scene.visible(f"{name}.chimney", "cylinder", (0.017, 0.035), BLACK, (0.085, 0, 0.17))
    geoms += scene.visible(f"{name}.funnel", "cylinder", (0.026, 0.012), trim, (0.085, 0, 0.205))
    geoms += scene.visible(f"{name}.dome", "sphere", (0.022,), trim, (0.02, 0, 0.145))
    geoms += _wheels(scene, name, (-0.085, 0.0, 0.085), 0.045, 0.034)
    geoms += Scene.solid("box", (0.13, 0.056, 0.07), (0, 0, 0.07), 0.35)
    geoms += Scene.solid("box", (0.045, 0.05, 0.028), (-0.078, 0, 0.168), 0.05)
    return Parts(
        geoms, grasp_out=0.035, grasp_height=0.13, grip=0.12, radius=0.145, height=0.217,
    )  # fmt: skip


def toy_boat(scene: Scene, name: str, color: Color) -> Parts:
    """A sailing boat on a stand: hull, mast, and a big sail with a stripe."""
    hull = gloss(color)
    geoms = scene.visible(f"{name}.stand", "box", (0.05, 0.05, 0.008), WOOD, (0, 0, 0.008))
    geoms += scene.visible(f"{name}.hull", "ellipsoid", (0.13, 0.05, 0.045), hull, (0, 0, 0.05))
    geoms += scene.visible(f"{name}.deck", "box", (0.09, 0.036, 0.006), WOOD, (0, 0, 0.085))
    geoms += scene.visible(f"{name}.mast", "capsule", (0.007, 0.1), WOOD, (0.01, 0, 0.19))
    sail = Surface((0.92, 0.9, 0.85), finish="matte")
    stripe = Surface(color, finish="matte")
    for k, (half, z) in enumerate(
        ((0.062, 0.125), (0.052, 0.157), (0.042, 0.189), (0.03, 0.221), (0.016, 0.25))
    ):
        geoms += scene.visible(
            f"{name}.sail_{k}", "box", (half, 0.004, 0.016), stripe if k == 2 else sail,
            (0.006 - half, 0, z),
        )  # fmt: skip
    geoms += scene.visible(
        f"{name}.flag", "box", (0.022, 0.004, 0.012), gloss((0.8, 0.04, 0.04)), (0.032, 0, 0.282)
    )
    geoms += Scene.solid("box", (0.1, 0.05, 0.045), (0, 0, 0.045), 0.3)
    geoms += Scene.solid("box", (0.06, 0.01, 0.09), (-0.03, 0, 0.18), 0.03)
    return Parts(
        geoms, grasp_out=0.045, grasp_height=0.08, grip=0.05, radius=0.135, height=0.295,
    )  # fmt: skip


def toy_blocks(scene: Scene, name: str, color: Color) -> Parts:
    """A little castle of blocks that hold together: two pillars, a beam, an arch and a roof."""
    half = 0.034
    pieces = (
        (-0.068, 0.034, RAINBOW[0]), (0.068, 0.034, RAINBOW[4]), (0.0, 0.034, RAINBOW[2]),
        (-0.068, 0.102, color), (0.068, 0.102, RAINBOW[3]),
    )  # fmt: skip
    geoms = ""
    for k, (x, z, paint) in enumerate(pieces):
        geoms += scene.visible(
            f"{name}.cube_{k}", "box", (half - 0.001, half - 0.001, half - 0.001), gloss(paint),
            (x, 0, z),
        )  # fmt: skip
        dot = Surface((0.93, 0.91, 0.85))
        geoms += scene.visible(
            f"{name}.dot_{k}", "cylinder", (0.017, half), dot, (x, 0, z), euler=ALONG_Y
        )
    geoms += scene.visible(
        f"{name}.beam", "box", (0.102, half - 0.001, 0.014), gloss(RAINBOW[5]), (0, 0, 0.15)
    )
    roof = gloss(RAINBOW[1])
    geoms += scene.visible(
        f"{name}.roof", "box", (0.034, half - 0.002, 0.034), roof, (0, 0, 0.164),
        euler=(0, math.pi / 4, 0),
    )  # fmt: skip
    geoms += Scene.solid("box", (0.102, half, 0.082), (0, 0, 0.082), 0.5)
    return Parts(
        geoms, grasp_out=0.02, grasp_height=0.13, grip=0.23, radius=0.11, height=0.212,
    )  # fmt: skip


def doll_house(scene: Scene, name: str, color: Color) -> Parts:
    """A house with a steep roof, three windows and a door: wide enough for two hands."""
    wall = gloss(color)
    roof = Surface((0.5, 0.08, 0.06), "stripes", "satin", (0.3, 0.04, 0.03), 0.03)
    lawn, door = gloss((0.15, 0.45, 0.1)), gloss((0.08, 0.2, 0.5))
    white = Surface((0.93, 0.92, 0.88))
    geoms = scene.visible(f"{name}.lawn", "box", (0.155, 0.105, 0.008), lawn, (0, 0, 0.008))
    geoms += scene.visible(f"{name}.walls", "box", (0.13, 0.085, 0.06), wall, (0, 0, 0.075))
    for k, side in enumerate((-1, 1)):
        geoms += scene.visible(
            f"{name}.roof_{k}", "box", (0.107, 0.1, 0.008), roof, (side * 0.072, 0, 0.2),
            euler=(0, side * math.pi / 4, 0),
        )  # fmt: skip
    geoms += scene.visible(
        f"{name}.gable", "box", (0.09, 0.083, 0.09), wall, (0, 0, 0.135),
        euler=(0, math.pi / 4, 0),
    )  # fmt: skip
    for k, (x, z) in enumerate(((-0.085, 0.09), (0.085, 0.09), (0.0, 0.175))):
        geoms += scene.visible(f"{name}.sash_{k}", "box", (0.03, 0.0875, 0.03), white, (x, 0, z))
        geoms += scene.visible(f"{name}.pane_{k}", "box", (0.023, 0.089, 0.023), GLASS, (x, 0, z))
    geoms += scene.visible(f"{name}.door", "box", (0.026, 0.088, 0.042), door, (0, 0, 0.057))
    geoms += Scene.solid("box", (0.15, 0.1, 0.07), (0, 0, 0.07), 0.6)
    geoms += Scene.solid("box", (0.07, 0.085, 0.05), (0, 0, 0.19), 0.1)
    return Parts(
        geoms, grasp_out=0.085, grasp_height=0.07, grip=0.04, radius=0.19, height=0.27,
        grasp_wide=0.145,
    )  # fmt: skip


KINDS: dict[str, Builder] = {
    "toy_car": toy_car,
    "toy_train": toy_train,
    "toy_boat": toy_boat,
    "toy_blocks": toy_blocks,
    "doll_house": doll_house,
}
