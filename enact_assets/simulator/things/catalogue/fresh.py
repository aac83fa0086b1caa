"""Builders of fruit, bread and other fresh food that is not cut up."""

import math

from enact_assets.simulator.shapes.mjcf import MOVABLE, Scene
from enact_assets.simulator.shapes.pieces import ALONG_X, ALONG_Y, Piece, drawn
from enact_assets.simulator.shapes.surfaces import Color, Surface, darker, gloss
from enact_assets.simulator.things.thing_parts import Builder, Coat, Parts
from enact_assets.simulator.things.thing_parts import upright_cylinder as upright

LEAF = Surface((0.1, 0.38, 0.08), finish="satin")
STEM = Surface((0.2, 0.16, 0.06), finish="matte")
CRUMB = Surface((0.93, 0.84, 0.62), "speckles", "matte", (0.8, 0.68, 0.45), 0.03)


def bread_loaf(scene: Scene, name: str, color: Color) -> Parts:
    """A loaf of bread with three cuts in its crust."""
    crust = Surface(color, "speckles", "matte", darker(color, 0.7), 0.04)
    pale = Surface((0.9, 0.72, 0.42), finish="matte")
    pieces = [
        Piece("loaf", "box", (0.13, 0.056, 0.04), crust, (0, 0, 0.04)),
        Piece("crust", "capsule", (0.064, 0.09), crust, (0, 0, 0.07), ALONG_X),
    ]
    for k, x in enumerate((-0.07, 0.0, 0.07)):
        pieces.append(
            Piece(f"cut_{k}", "ellipsoid", (0.012, 0.042, 0.01), pale, (x, 0, 0.13), (0, 0, 0.5))
        )
    geoms = drawn(scene, name, pieces) + Scene.solid("box", (0.135, 0.06, 0.06), (0, 0, 0.06), 0.4)
    return Parts(
        geoms,
        grasp_out=0.04,
        grasp_height=0.09,
        grip=0.12,
        radius=0.15,
        height=0.138,
    )


def bread_slice(scene: Scene, name: str, color: Color) -> Parts:
    """A thick slice of bread lying flat, its dome away from the robot; ``crumb`` is its top."""
    crust = Surface(color, finish="matte")
    pieces = []
    for part, less, height, look in (("crust", 0.0, 0.015, crust), ("crumb", 0.009, 0.0165, CRUMB)):
        pieces += [
            Piece(f"{part}", "box", (0.08 - less, 0.065 - less, height), look, (0, -0.015, height)),
            Piece(f"{part}_left", "cylinder", (0.046 - less, height), look, (-0.036, 0.05, height)),
            Piece(f"{part}_right", "cylinder", (0.046 - less, height), look, (0.036, 0.05, height)),
        ]
    coat = tuple((x, y, 0.034) for y in (-0.05, -0.012, 0.026, 0.055) for x in (-0.042, 0.0, 0.042))
    geoms = drawn(scene, name, pieces) + Scene.solid(
        "box", (0.075, 0.075, 0.016), (0, 0, 0.016), 0.1
    )
    return Parts(
        geoms,
        grasp_out=0.07,
        grasp_height=0.02,
        grip=0.04,
        radius=0.1,
        height=0.034,
        rest_height=0.034,
        coat=Coat(coat, patch_m=0.024),
    )


def watermelon(scene: Scene, name: str, color: Color) -> Parts:
    """A striped watermelon."""
    rind = Surface(color, "stripes", "gloss", darker(color, 0.25), 0.05)
    pieces = (
        Piece("rind", "ellipsoid", (0.11, 0.1, 0.095), rind, (0, 0, 0.095)),
        Piece("stem", "capsule", (0.007, 0.016), STEM, (0, 0, 0.2), (0, 0.4, 0)),
    )
    return Parts(
        drawn(scene, name, pieces) + upright(0.08, 0, 0.18, 1.2),
        grasp_out=0.08,
        grasp_height=0.125,
        grip=0.12,
        radius=0.11,
        height=0.19,
    )


def half_watermelon(scene: Scene, name: str, color: Color) -> Parts:
    """Half a watermelon lying on its rind, the red flesh upwards."""
    profile = tuple(
        (0.1 * math.sin(a), 0.085 * (1 - math.cos(a)))
        for a in (k * math.pi / 24 for k in range(13))
    )
    rind = Surface(color, "stripes", "gloss", darker(color, 0.25), 0.05)
    closed = (*profile, (0.0, 0.085))
    flesh = Surface((0.85, 0.06, 0.06), "speckles", "satin", (0.3, 0.01, 0.01), 0.03)
    pieces = (
        Piece("rind", "mesh", scene.mesh("half_melon", closed), rind),
        Piece("pith", "cylinder", (0.099, 0.002), Surface((0.85, 0.9, 0.7), finish="matte"),
              (0, 0, 0.086)),
        Piece("flesh", "cylinder", (0.088, 0.002), flesh, (0, 0, 0.088)),
    )  # fmt: skip
    return Parts(
        drawn(scene, name, pieces) + upright(0.07, 0, 0.08, 0.6),
        grasp_out=0.085,
        grasp_height=0.07,
        grip=0.03,
        radius=0.1,
        height=0.09,
    )


def pumpkin(scene: Scene, name: str, color: Color) -> Parts:
    """A pumpkin of eight ribs with a bent stem."""
    skin = Surface(color, finish="satin")
    pieces = [Piece("heart", "ellipsoid", (0.075, 0.075, 0.055), skin, (0, 0, 0.06))]
    for k in range(8):
        turn = k * math.pi / 4
        at = (0.045 * math.cos(turn), 0.045 * math.sin(turn), 0.062)
        look = skin if k % 2 else Surface(darker(color, 0.75), finish="satin")
        pieces.append(Piece(f"rib_{k}", "ellipsoid", (0.05, 0.034, 0.062), look, at, (0, 0, turn)))
    green = Surface((0.2, 0.3, 0.08), finish="matte")
    pieces.append(Piece("stem", "capsule", (0.013, 0.022), green, (0.006, 0, 0.135), (0, 0.35, 0)))
    return Parts(
        drawn(scene, name, pieces) + upright(0.075, 0, 0.12, 0.8),
        grasp_out=0.07,
        grasp_height=0.1,
        grip=0.12,
        radius=0.097,
        height=0.17,
    )


def orange(scene: Scene, name: str, color: Color) -> Parts:
    """A large orange with a green button."""
    peel = Surface(color, "mottled", "satin", darker(color, 0.75), 0.02)
    pieces = (
        Piece("peel", "sphere", (0.073,), peel, (0, 0, 0.071)),
        Piece("button", "ellipsoid", (0.016, 0.016, 0.006), LEAF, (0, 0, 0.143)),
    )
    return Parts(
        drawn(scene, name, pieces) + upright(0.055, 0, 0.135, 0.25),
        grasp_out=0.04,
        grasp_height=0.1,
        grip=0.12,
        radius=0.073,
        height=0.145,
    )


def apple(scene: Scene, name: str, color: Color) -> Parts:
    """A large apple, hollow at the stem, with a leaf."""
    profile = (
        (0, 0.008), (0.028, 0.0), (0.055, 0.016), (0.075, 0.062), (0.074, 0.095), (0.055, 0.124),
        (0.03, 0.13), (0.008, 0.118), (0, 0.114),
    )  # fmt: skip
    pieces = (
        Piece("skin", "mesh", scene.mesh("apple", profile), gloss(color)),
        Piece("stem", "capsule", (0.006, 0.022), STEM, (0.004, 0, 0.138), (0, 0.25, 0)),
        Piece("leaf", "ellipsoid", (0.034, 0.018, 0.005), LEAF, (0.038, 0, 0.15), (0, -0.35, 0)),
    )
    return Parts(
        drawn(scene, name, pieces) + upright(0.05, 0, 0.125, 0.25),
        grasp_out=0.04,
        grasp_height=0.09,
        grip=0.12,
        radius=0.077,
        height=0.16,
    )


def pineapple(scene: Scene, name: str, color: Color) -> Parts:
    """A pineapple with a crown of leaves."""
    skin = Surface(color, "checks", "satin", darker(color, 0.5), 0.035)
    leaf = Surface((0.1, 0.4, 0.1), finish="satin")
    pieces = [Piece("fruit", "ellipsoid", (0.074, 0.074, 0.1), skin, (0, 0, 0.097))]
    for k in range(6):
        turn = k * math.pi / 3
        pieces.append(
            Piece(f"leaf_{k}", "ellipsoid", (0.016, 0.016, 0.065), leaf,
                  (0.03 * math.cos(turn), 0.03 * math.sin(turn), 0.225),
                  (-0.45 * math.sin(turn), 0.45 * math.cos(turn), 0))
        )  # fmt: skip
    pieces.append(Piece("leaf_top", "ellipsoid", (0.016, 0.016, 0.06), leaf, (0, 0, 0.25)))
    return Parts(
        drawn(scene, name, pieces) + upright(0.056, 0, 0.19, 0.6),
        grasp_out=0.05,
        grasp_height=0.13,
        grip=0.13,
        radius=0.078,
        height=0.3,
    )


def cheese(scene: Scene, name: str, color: Color) -> Parts:
    """A thick block of cheese with large holes."""
    geoms = scene.visible(
        f"{name}.block", "box", (0.095, 0.07, 0.045), gloss(color), (0, 0, 0.045), collide=MOVABLE,
        mass=0.4,
    )  # fmt: skip
    hole = Surface(darker(color, 0.45), finish="satin")
    pieces = [Piece("rind", "box", (0.006, 0.0706, 0.0456), hole, (0.095, 0, 0.045))]
    for k, (x, y, radius) in enumerate(
        ((-0.055, 0.02, 0.018), (0.0, -0.03, 0.022), (0.04, 0.03, 0.016), (-0.06, -0.045, 0.01))
    ):
        pieces.append(Piece(f"top_{k}", "cylinder", (radius, 0.001), hole, (x, y, 0.0905)))
    for k, (x, z, radius) in enumerate(
        ((-0.05, 0.05, 0.015), (0.015, 0.035, 0.02), (0.06, 0.06, 0.011))
    ):
        pieces.append(
            Piece(f"front_{k}", "cylinder", (radius, 0.001), hole, (x, -0.0705, z), ALONG_Y)
        )
    return Parts(
        geoms + drawn(scene, name, pieces),
        grasp_out=0.05,
        grasp_height=0.065,
        grip=0.03,
        radius=0.12,
        height=0.092,
    )


def bacon(scene: Scene, name: str, color: Color) -> Parts:
    """Three wavy rashers side by side: ``lean_*`` and ``fat_*`` by turns, flat enough for a pan."""
    fat = Surface((0.95, 0.78, 0.7), finish="gloss")
    pieces = []
    for rasher in range(3):
        y = -0.05 + 0.05 * rasher
        for k in range(5):
            at = (-0.08 + 0.04 * k, y + 0.006 * (-1) ** k, 0.012 + 0.004 * (k % 2))
            pieces += [
                Piece(f"lean_{rasher}_{k}", "box", (0.022, 0.02, 0.006), gloss(color), at,
                      (0, 0.25 * (-1) ** k, 0)),
                Piece(f"fat_{rasher}_{k}", "box", (0.022, 0.0055, 0.007), fat, at,
                      (0, 0.25 * (-1) ** k, 0)),
            ]  # fmt: skip
    geoms = drawn(scene, name, pieces) + Scene.solid(
        "box", (0.085, 0.06, 0.011), (0, 0, 0.011), 0.15
    )
    return Parts(
        geoms,
        grasp_out=0.05,
        grasp_height=0.022,
        grip=0.03,
        radius=0.11,
        height=0.024,
    )


def pancake(scene: Scene, name: str, color: Color) -> Parts:
    """A thick pancake; ``top`` is its upper side."""
    batter = Surface(color, finish="satin")
    pieces = (
        Piece("edge", "ellipsoid", (0.095, 0.095, 0.017), batter, (0, 0, 0.017)),
        Piece("top", "ellipsoid", (0.082, 0.082, 0.01), batter, (0, 0, 0.026)),
    )
    return Parts(
        drawn(scene, name, pieces) + upright(0.08, 0, 0.03, 0.15),
        grasp_out=0.075,
        grasp_height=0.022,
        grip=0.04,
        radius=0.095,
        height=0.036,
        rest_height=0.031,
        coat=Coat(
            tuple(
                (r * math.cos(k * math.pi / 3), r * math.sin(k * math.pi / 3), 0.036 - 0.08 * r)
                for k, r in ((0, 0.0), *((n, 0.048) for n in range(6)))
            ),
            patch_m=0.027,
        ),
    )


KINDS: dict[str, Builder] = {
    "bread_loaf": bread_loaf,
    "bread_slice": bread_slice,
    "watermelon": watermelon,
    "half_watermelon": half_watermelon,
    "pumpkin": pumpkin,
    "orange": orange,
    "apple": apple,
    "pineapple": pineapple,
    "cheese": cheese,
    "bacon": bacon,
    "pancake": pancake,
}
