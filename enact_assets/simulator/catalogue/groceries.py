"""Builders of groceries, fruit and bread."""

import math

from enact_assets.simulator.parts import Builder, Color, Parts, darker, gloss, upright_cylinder
from enact_assets.simulator.shapes import MOVABLE, Scene
from enact_assets.simulator.world import Surface


def carton(scene: Scene, name: str, color: Color) -> Parts:
    """A milk carton with a coloured gable."""
    white = Surface((0.92, 0.92, 0.9), finish="satin")
    geoms = scene.visible(
        f"{name}.box", "box", (0.052, 0.052, 0.1), white, (0, 0, 0.1), collide=MOVABLE, mass=0.7
    )
    geoms += scene.visible(
        f"{name}.band", "box", (0.0528, 0.0528, 0.045), gloss(color), (0, 0, 0.085)
    )
    geoms += scene.visible(
        f"{name}.gable",
        "box",
        (0.037, 0.052, 0.037),
        gloss(color),
        (0, 0, 0.2),
        euler=(0, math.pi / 4, 0),
    )
    return Parts(
        geoms,
        grasp_out=0.045,
        grasp_height=0.15,
        grip=0.11,
        radius=0.075,
        height=0.25,
    )


def cereal_box(scene: Scene, name: str, color: Color) -> Parts:
    """A cereal box with a stripe and a picture."""
    geoms = scene.visible(
        f"{name}.box",
        "box",
        (0.09, 0.04, 0.135),
        gloss(color),
        (0, 0, 0.135),
        collide=MOVABLE,
        mass=0.4,
    )
    accent = gloss((1.0 - color[0] * 0.8, 0.1, 0.35))
    geoms += scene.visible(f"{name}.stripe", "box", (0.0906, 0.0406, 0.03), accent, (0, 0, 0.06))
    geoms += scene.visible(
        f"{name}.picture", "cylinder", (0.05, 0.0408), Surface((0.95, 0.93, 0.85)), (0, 0, 0.165),
        euler=(math.pi / 2, 0, 0),
    )  # fmt: skip
    return Parts(
        geoms,
        grasp_out=0.03,
        grasp_height=0.2,
        grip=0.09,
        radius=0.1,
        height=0.27,
    )


def can(scene: Scene, name: str, color: Color) -> Parts:
    """A tin with a coloured label."""
    steel = Surface((0.7, 0.7, 0.72), finish="metal")
    geoms = scene.visible(
        f"{name}.tin", "cylinder", (0.052, 0.075), steel, (0, 0, 0.075), collide=MOVABLE, mass=0.5
    )
    geoms += scene.visible(f"{name}.label", "cylinder", (0.0528, 0.06), gloss(color), (0, 0, 0.075))
    return Parts(
        geoms,
        grasp_out=0.03,
        grasp_height=0.11,
        grip=0.11,
        radius=0.055,
        height=0.15,
    )


def bread(scene: Scene, name: str, color: Color) -> Parts:
    """A loaf of bread."""
    crust = Surface(color, "speckles", "matte", darker(color, 0.7), 0.04)
    geoms = scene.visible(f"{name}.loaf", "box", (0.12, 0.052, 0.04), crust, (0, 0, 0.04))
    geoms += scene.visible(
        f"{name}.crust", "capsule", (0.06, 0.085), crust, (0, 0, 0.07), euler=(0, math.pi / 2, 0)
    )
    geoms += Scene.solid("box", (0.125, 0.055, 0.06), (0, 0, 0.06), 0.4)
    return Parts(
        geoms,
        grasp_out=0.04,
        grasp_height=0.09,
        grip=0.11,
        radius=0.14,
        height=0.13,
    )


def watermelon(scene: Scene, name: str, color: Color) -> Parts:
    """A striped watermelon."""
    rind = Surface(color, "stripes", "gloss", darker(color, 0.25), 0.05)
    geoms = scene.visible(f"{name}.rind", "ellipsoid", (0.105, 0.095, 0.09), rind, (0, 0, 0.09))
    geoms += upright_cylinder(0.08, 0, 0.17, 1.2)
    return Parts(
        geoms,
        grasp_out=0.075,
        grasp_height=0.12,
        grip=0.12,
        radius=0.105,
        height=0.18,
    )


def half_watermelon(scene: Scene, name: str, color: Color) -> Parts:
    """Half a watermelon lying on its rind, the red flesh upwards."""
    profile = tuple(
        (0.095 * math.sin(a), 0.085 * (1 - math.cos(a)))
        for a in (k * math.pi / 24 for k in range(13))
    )
    rind = Surface(color, "stripes", "gloss", darker(color, 0.25), 0.05)
    closed = (*profile, (0.0, 0.085))
    geoms = scene.visible(f"{name}.rind", "mesh", scene.mesh("half_melon", closed), rind)
    pale = Surface((0.85, 0.9, 0.7), finish="matte")
    geoms += scene.visible(f"{name}.pith", "cylinder", (0.094, 0.002), pale, (0, 0, 0.086))
    flesh = Surface((0.85, 0.06, 0.06), "speckles", "satin", (0.45, 0.02, 0.02), 0.03)
    geoms += scene.visible(f"{name}.flesh", "cylinder", (0.085, 0.002), flesh, (0, 0, 0.088))
    geoms += upright_cylinder(0.07, 0, 0.08, 0.6)
    return Parts(
        geoms,
        grasp_out=0.08,
        grasp_height=0.07,
        grip=0.03,
        radius=0.095,
        height=0.09,
    )


def pumpkin(scene: Scene, name: str, color: Color) -> Parts:
    """A ribbed pumpkin with a stem."""
    skin = Surface(color, "stripes", "satin", darker(color, 0.6), 0.045)
    geoms = scene.visible(f"{name}.skin", "ellipsoid", (0.085, 0.085, 0.065), skin, (0, 0, 0.062))
    stem = Surface((0.2, 0.3, 0.08), finish="matte")
    geoms += scene.visible(f"{name}.stem", "cylinder", (0.014, 0.025), stem, (0, 0, 0.135))
    geoms += upright_cylinder(0.065, 0, 0.12, 0.8)
    return Parts(
        geoms,
        grasp_out=0.06,
        grasp_height=0.1,
        grip=0.11,
        radius=0.085,
        height=0.16,
    )


def orange(scene: Scene, name: str, color: Color) -> Parts:
    """A large orange."""
    geoms = scene.visible(
        f"{name}.peel", "sphere", (0.066,), Surface(color, finish="satin"), (0, 0, 0.064)
    )
    geoms += upright_cylinder(0.05, 0, 0.12, 0.25)
    return Parts(
        geoms,
        grasp_out=0.035,
        grasp_height=0.095,
        grip=0.11,
        radius=0.066,
        height=0.13,
    )


def pineapple(scene: Scene, name: str, color: Color) -> Parts:
    """A pineapple with four leaves."""
    skin = Surface(color, "checks", "satin", darker(color, 0.5), 0.035)
    geoms = scene.visible(f"{name}.fruit", "ellipsoid", (0.062, 0.062, 0.09), skin, (0, 0, 0.088))
    leaf = Surface((0.1, 0.4, 0.1), finish="satin")
    for k in range(4):
        turn = k * math.pi / 2
        geoms += scene.visible(
            f"{name}.leaf_{k}", "ellipsoid", (0.014, 0.014, 0.06), leaf,
            (0.022 * math.cos(turn), 0.022 * math.sin(turn), 0.215),
            euler=(-0.35 * math.sin(turn), 0.35 * math.cos(turn), 0),
        )  # fmt: skip
    geoms += upright_cylinder(0.05, 0, 0.17, 0.6)
    return Parts(
        geoms,
        grasp_out=0.04,
        grasp_height=0.12,
        grip=0.12,
        radius=0.065,
        height=0.27,
    )


KINDS: dict[str, Builder] = {
    "milk_carton": carton,
    "cereal_box": cereal_box,
    "can": can,
    "bread_loaf": bread,
    "watermelon": watermelon,
    "half_watermelon": half_watermelon,
    "pumpkin": pumpkin,
    "orange": orange,
    "pineapple": pineapple,
}
