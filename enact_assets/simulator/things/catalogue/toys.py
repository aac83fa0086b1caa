"""Builders of toys: bright, and each of a shape of its own."""

import math

from enact_assets.simulator.shapes.mjcf import MOVABLE, Scene
from enact_assets.simulator.shapes.surfaces import Color, Surface, darker, gloss
from enact_assets.simulator.things.thing_parts import Builder, Parts, upright_cylinder

BLACK = Surface((0.02, 0.02, 0.025), finish="gloss")
CREAM = Surface((0.85, 0.72, 0.52), finish="matte")
WOOD = Surface((0.72, 0.5, 0.28), "wood", "satin", (0.5, 0.33, 0.18), 0.06)
RAINBOW: tuple[Color, ...] = (
    (0.8, 0.04, 0.04),
    (0.95, 0.4, 0.02),
    (0.95, 0.75, 0.03),
    (0.1, 0.5, 0.1),
    (0.05, 0.25, 0.75),
    (0.4, 0.08, 0.5),
)


def teddy_bear(scene: Scene, name: str, color: Color) -> Parts:
    """A bear that sits and looks at the robot, its soles light."""
    fur = Surface(color, "mottled", "matte", darker(color, 0.6), 0.05)
    geoms = scene.visible(f"{name}.body", "ellipsoid", (0.075, 0.062, 0.085), fur, (0, 0, 0.085))
    geoms += scene.visible(
        f"{name}.belly", "ellipsoid", (0.05, 0.03, 0.058), CREAM, (0, -0.04, 0.08)
    )
    geoms += scene.visible(f"{name}.head", "sphere", (0.062,), fur, (0, -0.01, 0.205))
    geoms += scene.visible(
        f"{name}.muzzle", "ellipsoid", (0.03, 0.022, 0.024), CREAM, (0, -0.06, 0.192)
    )
    geoms += scene.visible(f"{name}.nose", "sphere", (0.011,), BLACK, (0, -0.081, 0.2))
    for k, side in enumerate((-1, 1)):
        geoms += scene.visible(
            f"{name}.ear_{k}", "sphere", (0.026,), fur, (side * 0.048, -0.005, 0.258)
        )
        geoms += scene.visible(
            f"{name}.eye_{k}", "sphere", (0.009,), BLACK, (side * 0.024, -0.063, 0.222)
        )
        geoms += scene.visible(
            f"{name}.arm_{k}", "capsule", (0.025, 0.035), fur, (side * 0.082, -0.035, 0.125),
            euler=(0.7, side * 0.4, 0),
        )  # fmt: skip
        geoms += scene.visible(
            f"{name}.leg_{k}", "capsule", (0.032, 0.035), fur, (side * 0.055, -0.09, 0.034),
            euler=(math.pi / 2, 0, side * 0.25),
        )  # fmt: skip
        geoms += scene.visible(
            f"{name}.sole_{k}", "sphere", (0.026,), CREAM, (side * 0.066, -0.14, 0.034)
        )
    geoms += Scene.solid("box", (0.075, 0.08, 0.08), (0, -0.03, 0.08), 0.3)
    geoms += Scene.solid("box", (0.055, 0.055, 0.05), (0, -0.01, 0.21), 0.05)
    return Parts(
        geoms, grasp_out=0.03, grasp_height=0.155, grip=0.13, radius=0.13, height=0.28,
    )  # fmt: skip


def ball(scene: Scene, name: str, color: Color) -> Parts:
    """A striped ball; what collides is flat below, so that it does not roll away."""
    skin = Surface(color, "stripes", "gloss", (0.92, 0.9, 0.85), 0.09)
    geoms = scene.visible(f"{name}.skin", "sphere", (0.088,), skin, (0, 0, 0.087))
    geoms += upright_cylinder(0.065, 0, 0.165, 0.2)
    return Parts(
        geoms, grasp_out=0.05, grasp_height=0.125, grip=0.14, radius=0.09, height=0.175,
    )  # fmt: skip


def stacking_rings(scene: Scene, name: str, color: Color) -> Parts:
    """Rings of all colours on a peg, the widest below, a knob of the given colour on top."""
    geoms = scene.visible(f"{name}.base", "cylinder", (0.085, 0.01), WOOD, (0, 0, 0.01))
    for k, ring in enumerate(RAINBOW[:5]):
        radius = 0.088 - 0.012 * k
        geoms += scene.visible(
            f"{name}.ring_{k}", "ellipsoid", (radius, radius, 0.024), gloss(ring),
            (0, 0, 0.042 + 0.036 * k),
        )  # fmt: skip
    geoms += scene.visible(f"{name}.knob", "sphere", (0.026,), gloss(color), (0, 0, 0.228))
    geoms += upright_cylinder(0.08, 0, 0.06, 0.3) + upright_cylinder(0.06, 0.06, 0.2, 0.1)
    return Parts(
        geoms, grasp_out=0.04, grasp_height=0.14, grip=0.13, radius=0.09, height=0.25,
    )  # fmt: skip


def xylophone(scene: Scene, name: str, _color: Color) -> Parts:
    """Six bars of all colours, shorter and shorter, on a wooden frame."""
    geoms = ""
    for k, side in enumerate((-1, 1)):
        geoms += scene.visible(
            f"{name}.rail_{k}", "box", (0.135, 0.012, 0.018), WOOD, (0, side * 0.055, 0.018),
            euler=(0, 0, -side * 0.14),
        )  # fmt: skip
    for k, bar in enumerate(RAINBOW):
        x = -0.112 + 0.045 * k
        geoms += scene.visible(
            f"{name}.bar_{k}", "box", (0.018, 0.115 - 0.011 * k, 0.008), gloss(bar), (x, 0, 0.045)
        )
        for side in (-1, 1):
            geoms += scene.visible(
                f"{name}.pin_{k}_{'near' if side < 0 else 'far'}", "sphere", (0.007,), BLACK,
                (x, side * (0.075 - 0.008 * k), 0.053),
            )  # fmt: skip
    geoms += Scene.solid("box", (0.135, 0.09, 0.026), (0, 0, 0.026), 0.4)
    return Parts(
        geoms, grasp_out=0.08, grasp_height=0.05, grip=0.05, radius=0.16, height=0.055,
        rest_height=0.053,
    )  # fmt: skip


def drum(scene: Scene, name: str, color: Color) -> Parts:
    """A drum with white skin, yellow hoops, a zigzag of cord and two crossed sticks on it."""
    geoms = scene.visible(f"{name}.shell", "cylinder", (0.092, 0.058), gloss(color), (0, 0, 0.062))
    hoop = gloss((0.95, 0.75, 0.05))
    for k, z in enumerate((0.012, 0.112)):
        geoms += scene.visible(f"{name}.hoop_{k}", "cylinder", (0.097, 0.011), hoop, (0, 0, z))
    white = Surface((0.92, 0.9, 0.84), finish="satin")
    geoms += scene.visible(f"{name}.skin", "cylinder", (0.088, 0.002), white, (0, 0, 0.1225))
    for k in range(12):
        turn, lean = k * math.pi / 6, 0.5 if k % 2 else -0.5
        geoms += scene.visible(
            f"{name}.cord_{k}", "capsule", (0.005, 0.038), white,
            (0.093 * math.cos(turn), 0.093 * math.sin(turn), 0.062), euler=(lean, 0, turn),
        )  # fmt: skip
    for k, turn in enumerate((-0.35, 0.35)):
        place, along = (0, 0.005, 0.132 + 0.008 * k), (0, math.pi / 2, turn)
        geoms += scene.visible(
            f"{name}.stick_{k}", "capsule", (0.007, 0.1), WOOD, place, euler=along
        )
    geoms += upright_cylinder(0.09, 0, 0.124, 0.4)
    return Parts(
        geoms, grasp_out=0.085, grasp_height=0.1, grip=0.02, radius=0.11, height=0.15,
    )  # fmt: skip


def rubber_duck(scene: Scene, name: str, color: Color) -> Parts:
    """A bath duck that looks to the right."""
    skin, beak = gloss(color), gloss((0.95, 0.3, 0.02))
    geoms = scene.visible(f"{name}.body", "ellipsoid", (0.09, 0.066, 0.058), skin, (0, 0, 0.055))
    geoms += scene.visible(
        f"{name}.tail",
        "ellipsoid",
        (0.035, 0.03, 0.02),
        skin,
        (-0.085, 0, 0.085),
        euler=(0, 0.6, 0),
    )
    geoms += scene.visible(f"{name}.head", "sphere", (0.052,), skin, (0.045, 0, 0.135))
    geoms += scene.visible(
        f"{name}.beak", "ellipsoid", (0.028, 0.026, 0.011), beak, (0.103, 0, 0.13)
    )
    for k, side in enumerate((-1, 1)):
        geoms += scene.visible(
            f"{name}.eye_{k}", "sphere", (0.01,), BLACK, (0.07, side * 0.038, 0.155)
        )
        geoms += scene.visible(
            f"{name}.wing_{k}", "ellipsoid", (0.045, 0.012, 0.028), gloss(darker(color, 0.75)),
            (-0.015, side * 0.062, 0.065), euler=(0, -0.3, 0),
        )  # fmt: skip
    geoms += Scene.solid("box", (0.07, 0.05, 0.05), (0, 0, 0.05), 0.2)
    geoms += Scene.solid("box", (0.04, 0.04, 0.04), (0.045, 0, 0.14), 0.05)
    return Parts(
        geoms, grasp_out=0.03, grasp_height=0.15, grip=0.11, radius=0.115, height=0.187,
    )  # fmt: skip


def board_game(scene: Scene, name: str, color: Color) -> Parts:
    """A flat box with a draughts board on its lid and pieces painted on it."""
    geoms = scene.visible(
        f"{name}.box", "box", (0.13, 0.105, 0.03), gloss(color), (0, 0, 0.03),
        collide=MOVABLE, mass=0.5,
    )  # fmt: skip
    checks = Surface((0.85, 0.75, 0.55), "checks", "satin", (0.06, 0.04, 0.03), 0.048)
    geoms += scene.visible(
        f"{name}.board", "box", (0.096, 0.096, 0.001), checks, (-0.026, 0, 0.0605)
    )
    for k, (x, y, paint) in enumerate(
        ((0.1, -0.06, RAINBOW[0]), (0.1, 0.0, RAINBOW[2]), (0.1, 0.06, RAINBOW[4]))
    ):
        geoms += scene.visible(
            f"{name}.piece_{k}", "cylinder", (0.02, 0.003), gloss(paint), (x, y, 0.06)
        )
    return Parts(
        geoms, grasp_out=0.1, grasp_height=0.035, grip=0.07, radius=0.17, height=0.063,
        rest_height=0.0625,
    )  # fmt: skip


KINDS: dict[str, Builder] = {
    "teddy_bear": teddy_bear,
    "ball": ball,
    "stacking_rings": stacking_rings,
    "xylophone": xylophone,
    "drum": drum,
    "rubber_duck": rubber_duck,
    "board_game": board_game,
}
