"""Builders of what stands about in a living and dining room."""

import math

from enact_assets.simulator.shapes.mjcf import MOVABLE, Scene, Vec3
from enact_assets.simulator.shapes.pieces import ALONG_Y, BLACK, Piece, drawn
from enact_assets.simulator.shapes.surfaces import Color, Surface, darker, gloss
from enact_assets.simulator.things.thing_parts import Builder, Coat, Parts, upright_cylinder

BRASS = Surface((0.72, 0.52, 0.2), finish="metal")
PAPER = Surface((0.93, 0.9, 0.8), finish="matte")


def grid(half_x: float, half_y: float, n_x: int, n_y: int, z: float) -> tuple[Vec3, ...]:
    """Places in ``n_y`` rows, every other one shifted, on a rectangle at height ``z``."""
    places = []
    for row in range(n_y):
        y = half_y * (2 * (row + 0.5) / n_y - 1)
        for column in range(n_x):
            shift = 0.25 if row % 2 else -0.25
            places.append((half_x * (2 * (column + 0.5 + shift) / n_x - 1), y, z))
    return tuple(places)


def book(scene: Scene, name: str, color: Color) -> Parts:
    """A thick book that lies with its spine to the robot and a big emblem on its cover."""
    cover = Surface(color, finish="satin")
    geoms = scene.visible(f"{name}.back", "box", (0.12, 0.095, 0.006), cover, (0, 0, 0.006))
    geoms += scene.visible(f"{name}.front", "box", (0.12, 0.095, 0.006), cover, (0, 0, 0.054))
    geoms += scene.visible(f"{name}.pages", "box", (0.114, 0.088, 0.021), PAPER, (0, 0.004, 0.03))
    geoms += scene.visible(f"{name}.spine", "box", (0.12, 0.006, 0.024), cover, (0, -0.089, 0.03))
    for k, x in enumerate((-0.08, 0.08)):
        geoms += scene.visible(
            f"{name}.band_{k}", "box", (0.008, 0.0955, 0.0305), BRASS, (x, -0.0005, 0.03)
        )
    geoms += scene.visible(f"{name}.emblem", "cylinder", (0.045, 0.002), PAPER, (0, 0.01, 0.0595))
    geoms += scene.visible(f"{name}.star", "cylinder", (0.022, 0.002), cover, (0, 0.01, 0.0605))
    geoms += Scene.solid("box", (0.12, 0.095, 0.03), (0, 0, 0.03), 0.6)
    return Parts(
        geoms, grasp_out=0.09, grasp_height=0.035, grip=0.07, radius=0.15, height=0.062,
        rest_height=0.0615,
    )  # fmt: skip


def candle(scene: Scene, name: str, color: Color) -> Parts:
    """A thick pale candle with a flame, on a holder of the given colour with a round handle.

    The colour is not the wax's: a green candle was taken for a plant.
    """
    holder, wax = gloss(color), Surface((0.93, 0.88, 0.74), finish="satin")
    flame = Surface((1.0, 0.55, 0.05), finish="gloss")
    pieces = (
        Piece("dish", "cylinder", (0.07, 0.008), holder, (0, 0, 0.008)),
        Piece("cup", "cylinder", (0.042, 0.018), holder, (0, 0, 0.03)),
        Piece("ear", "ellipsoid", (0.03, 0.008, 0.022), holder, (0.088, 0, 0.024)),
        Piece("wax", "cylinder", (0.034, 0.065), wax, (0, 0, 0.095)),
        Piece("drip_1", "capsule", (0.008, 0.022), wax, (-0.02, -0.028, 0.134)),
        Piece("drip_2", "capsule", (0.007, 0.012), wax, (0.018, -0.029, 0.145)),
        Piece("wick", "capsule", (0.004, 0.006), BLACK, (0, 0, 0.166)),
        Piece("flame", "ellipsoid", (0.015, 0.015, 0.025), flame, (0, 0, 0.193)),
        Piece("tip", "ellipsoid", (0.008, 0.008, 0.018), flame, (0, 0, 0.21)),
    )
    solid = upright_cylinder(0.065, 0, 0.016, 0.3) + upright_cylinder(0.034, 0.016, 0.2, 0.1)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.02, grasp_height=0.13, grip=0.075, radius=0.09, height=0.23,
    )  # fmt: skip


def picture_frame(scene: Scene, name: str, color: Color) -> Parts:
    """A standing frame with a mountain in it."""
    rim = gloss(color)
    geoms = scene.visible(f"{name}.foot", "box", (0.09, 0.045, 0.008), rim, (0, 0, 0.008))
    geoms += scene.visible(f"{name}.rim", "box", (0.1, 0.012, 0.12), rim, (0, 0, 0.125))
    geoms += scene.visible(
        f"{name}.mount", "box", (0.084, 0.0125, 0.104), PAPER, (0, -0.001, 0.125)
    )
    sky = Surface((0.45, 0.68, 0.92), finish="matte")
    hill = Surface((0.12, 0.3, 0.12), finish="matte")
    geoms += scene.visible(f"{name}.sky", "box", (0.066, 0.013, 0.085), sky, (0, -0.0015, 0.125))
    geoms += scene.visible(
        f"{name}.hill", "box", (0.042, 0.0135, 0.042), hill, (0, -0.0018, 0.1),
        euler=(0, math.pi / 4, 0),
    )  # fmt: skip
    geoms += scene.visible(f"{name}.ground", "box", (0.066, 0.0138, 0.03), hill, (0, -0.002, 0.07))
    sun = gloss((0.95, 0.75, 0.1))
    geoms += scene.visible(
        f"{name}.sun", "cylinder", (0.016, 0.0142), sun, (0.038, -0.002, 0.178), euler=ALONG_Y
    )
    geoms += Scene.solid("box", (0.095, 0.045, 0.01), (0, 0, 0.01), 0.4)
    geoms += Scene.solid("box", (0.1, 0.012, 0.11), (0, 0, 0.13), 0.1)
    return Parts(
        geoms, grasp_out=0.012, grasp_height=0.2, grip=0.04, radius=0.11, height=0.246,
    )  # fmt: skip


def globe(scene: Scene, name: str, color: Color) -> Parts:
    """A globe with green land, tilted on a stand of the given colour."""
    sea = gloss((0.08, 0.32, 0.75))
    land = Surface((0.18, 0.48, 0.12), finish="matte")
    geoms = scene.visible(f"{name}.foot", "cylinder", (0.065, 0.01), gloss(color), (0, 0, 0.01))
    geoms += scene.visible(f"{name}.stem", "cylinder", (0.014, 0.025), gloss(color), (0, 0, 0.04))
    geoms += scene.visible(f"{name}.sphere", "sphere", (0.082,), sea, (0, 0, 0.14))
    for k, (x, z, radius) in enumerate(
        ((-0.028, 0.165, 0.042), (0.035, 0.13, 0.036), (-0.01, 0.1, 0.026))
    ):
        y = -math.sqrt(0.082**2 - x * x - (z - 0.14) ** 2) + 0.62 * radius
        geoms += scene.visible(f"{name}.land_{k}", "sphere", (radius,), land, (x, y, z))
    geoms += scene.visible(
        f"{name}.pole", "capsule", (0.007, 0.1), BRASS, (0, 0, 0.14), euler=(0, 0.4, 0)
    )
    geoms += upright_cylinder(0.062, 0, 0.02, 0.4) + upright_cylinder(0.06, 0.07, 0.21, 0.1)
    return Parts(
        geoms, grasp_out=0.05, grasp_height=0.14, grip=0.17, radius=0.09, height=0.24,
    )  # fmt: skip


def teapot(scene: Scene, name: str, color: Color) -> Parts:
    """A round teapot with dots, a spout, an ear and a lid."""
    profile = (
        (0, 0), (0.05, 0), (0.06, 0.006), (0.088, 0.045), (0.09, 0.08), (0.068, 0.12),
        (0.045, 0.132), (0.02, 0.14), (0, 0.142),
    )  # fmt: skip
    china = Surface(color, "speckles", "gloss", (0.93, 0.9, 0.85), 0.09)
    geoms = scene.visible(f"{name}.body", "mesh", scene.mesh("teapot", profile), china)
    trim = gloss(darker(color))
    geoms += scene.visible(f"{name}.knob", "sphere", (0.018,), trim, (0, 0, 0.155))
    geoms += scene.visible(
        f"{name}.spout", "capsule", (0.014, 0.045), trim, (0.105, 0, 0.085), euler=(0, 0.65, 0)
    )
    for k, (x, z, half, lean) in enumerate(
        ((-0.1, 0.11, 0.02, 1.3), (-0.125, 0.08, 0.026, 0.0), (-0.1, 0.05, 0.02, -1.3))
    ):
        geoms += scene.visible(
            f"{name}.ear_{k}", "capsule", (0.01, half), trim, (x, 0, z), euler=(0, lean, 0)
        )
    geoms += upright_cylinder(0.07, 0, 0.12, 0.5)
    return Parts(
        geoms, grasp_out=0.05, grasp_height=0.11, grip=0.12, radius=0.14, height=0.173,
    )  # fmt: skip


def placemat(scene: Scene, name: str, color: Color) -> Parts:
    """A flat mat with a border, on which crumbs may lie."""
    weave = Surface(color, "checks", "matte", darker(color, 0.75), 0.012)
    geoms = scene.visible(
        f"{name}.weave", "box", (0.155, 0.125, 0.004), weave, (0, 0, 0.004),
        collide=MOVABLE, mass=0.3,
    )  # fmt: skip
    border = Surface(darker(color, 0.5), finish="matte")
    for part, half, pos in (
        ("left", (0.008, 0.125, 0.001), (-0.147, 0, 0.0085)),
        ("right", (0.008, 0.125, 0.001), (0.147, 0, 0.0085)),
        ("near", (0.139, 0.008, 0.001), (0, -0.117, 0.0085)),
        ("far", (0.139, 0.008, 0.001), (0, 0.117, 0.0085)),
    ):
        geoms += scene.visible(f"{name}.{part}", "box", half, border, pos)
    return Parts(
        geoms, grasp_out=0.115, grasp_height=0.01, grip=0.02, radius=0.2, height=0.01,
        rest_height=0.009, coat=Coat(grid(0.12, 0.09, 4, 3, 0.011), patch_m=0.015),
    )  # fmt: skip


def serving_tray(scene: Scene, name: str, color: Color) -> Parts:
    """A wide tray with a low rim and a handle at either end, to be carried with two hands."""
    paint = gloss(color)
    inside = Surface(darker(color, 0.55), "wood", "satin", darker(color, 0.4), 0.08)
    half_x, half_y = 0.22, 0.14
    geoms = scene.visible(
        f"{name}.floor", "box", (half_x, half_y, 0.006), inside, (0, 0, 0.006),
        collide=MOVABLE, mass=0.6,
    )  # fmt: skip
    for part, half, pos in (
        ("left", (0.008, half_y, 0.011), (-half_x, 0, 0.011)),
        ("right", (0.008, half_y, 0.011), (half_x, 0, 0.011)),
        ("near", (half_x + 0.008, 0.008, 0.011), (0, -half_y, 0.011)),
        ("far", (half_x + 0.008, 0.008, 0.011), (0, half_y, 0.011)),
    ):
        geoms += scene.visible(
            f"{name}.{part}", "box", half, paint, pos, collide=MOVABLE, mass=0.05
        )
    for side in (-1, 1):
        label = f"{name}.handle_{'left' if side < 0 else 'right'}"
        geoms += scene.visible(
            label, "capsule", (0.012, 0.06), BRASS, (side * 0.255, 0, 0.045), euler=ALONG_Y
        )
        for end in (-1, 1):
            geoms += scene.visible(
                f"{label}_{'near' if end < 0 else 'far'}", "capsule", (0.01, 0.018), BRASS,
                (side * 0.24, end * 0.06, 0.038), euler=(0, side * 1.0, 0),
            )  # fmt: skip
    return Parts(
        geoms, grasp_out=0.14, grasp_height=0.045, grip=0.03, radius=0.26, height=0.055,
        rest_height=0.0125, grasp_wide=0.255,
    )  # fmt: skip


KINDS: dict[str, Builder] = {
    "book": book,
    "candle": candle,
    "picture_frame": picture_frame,
    "globe": globe,
    "teapot": teapot,
    "placemat": placemat,
    "serving_tray": serving_tray,
}
