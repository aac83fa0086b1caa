"""Builders of what drinks are poured from and into, and of knives."""

import math

from enact_assets.simulator.shapes.mjcf import MOVABLE, Scene
from enact_assets.simulator.shapes.pieces import ALONG_X, BLACK, STEEL, Piece, band, drawn
from enact_assets.simulator.shapes.surfaces import Color, Surface, darker, gloss
from enact_assets.simulator.things.thing_parts import Builder, Coat, Parts, Vessel
from enact_assets.simulator.things.thing_parts import upright_cylinder as upright

PALE = Surface((0.9, 0.88, 0.82), finish="gloss")
CLEAR = Surface((0.66, 0.83, 0.88), finish="gloss")


def _ear(color: Color, x: float, low: float, high: float, out: float) -> list[Piece]:
    """A handle of three bars on the right of a vessel whose wall is at ``x``."""
    look = gloss(color)
    middle = (low + high) / 2
    return [
        Piece("ear_high", "capsule", (0.012, out / 2), look, (x + out / 2, 0, high), ALONG_X),
        Piece("ear_back", "capsule", (0.012, (high - low) / 2), look, (x + out, 0, middle)),
        Piece("ear_low", "capsule", (0.012, out / 2), look, (x + out / 2, 0, low), ALONG_X),
    ]


def mug(scene: Scene, name: str, color: Color) -> Parts:
    """A wide mug with an ear and a pale band."""
    profile = (
        (0, 0), (0.056, 0), (0.061, 0.006), (0.064, 0.125), (0.057, 0.125), (0.054, 0.014),
        (0, 0.012),
    )  # fmt: skip
    pieces = [
        Piece("cup", "mesh", scene.mesh("mug", profile), gloss(color)),
        Piece("band", "mesh", band(scene, "mug_band", 0.063, 0.03, 0.055), PALE),
        Piece("bottom", "cylinder", (0.054, 0.001), PALE, (0, 0, 0.014)),
        *_ear(color, 0.064, 0.04, 0.095, 0.034),
    ]
    return Parts(
        drawn(scene, name, pieces) + upright(0.058, 0, 0.123, 0.35),
        grasp_out=0.06,
        grasp_height=0.105,
        grip=0.02,
        radius=0.1,
        height=0.125,
        vessel=Vessel(((0.015, 0.053), (0.122, 0.057))),
    )


def glass(scene: Scene, name: str, color: Color) -> Parts:
    """A tumbler: clear, with a thick foot, rim and ribs in ``color``; its content shows."""
    profile = ((0, 0), (0.05, 0), (0.053, 0.02), (0.046, 0.02), (0, 0.016))
    pieces = [
        Piece("foot", "mesh", scene.mesh("glass_foot", profile), gloss(color)),
        Piece("rim", "mesh", band(scene, "glass_rim", 0.064, 0.128, 0.148), gloss(color)),
        Piece("hoop", "mesh", band(scene, "glass_hoop", 0.0585, 0.07, 0.08), gloss(color)),
    ]
    lean = 0.014 / 0.13
    for k in range(8):
        turn = k * math.pi / 4
        x, y = math.cos(turn), math.sin(turn)
        pieces.append(
            Piece(f"rib_{k}", "capsule", (0.0042, 0.06), gloss(color),
                  (0.058 * x, 0.058 * y, 0.075),
                  (-lean * y, lean * x, 0))
        )  # fmt: skip
    return Parts(
        drawn(scene, name, pieces) + upright(0.05, 0, 0.145, 0.3),
        grasp_out=0.03,
        grasp_height=0.1,
        grip=0.12,
        radius=0.067,
        height=0.148,
        vessel=Vessel(((0.02, 0.046), (0.144, 0.0605)), is_clear=True),
    )


def jug(scene: Scene, name: str, color: Color) -> Parts:
    """A bellied jug with a wide mouth, a handle and a band."""
    profile = (
        (0, 0), (0.07, 0), (0.088, 0.03), (0.096, 0.085), (0.084, 0.15), (0.074, 0.185),
        (0.084, 0.22), (0.077, 0.22), (0.066, 0.185), (0.076, 0.15), (0.087, 0.085), (0.07, 0.018),
        (0, 0.014),
    )  # fmt: skip
    pieces = [
        Piece("body", "mesh", scene.mesh("jug", profile), gloss(color)),
        Piece("band", "mesh", band(scene, "jug_band", 0.0955, 0.07, 0.1), PALE),
        *_ear(darker(color), 0.08, 0.07, 0.19, 0.05),
    ]
    return Parts(
        drawn(scene, name, pieces) + upright(0.075, 0, 0.2, 0.7),
        grasp_out=0.072,
        grasp_height=0.195,
        grip=0.02,
        radius=0.14,
        height=0.22,
        vessel=Vessel(
            ((0.018, 0.07), (0.085, 0.087), (0.15, 0.076), (0.185, 0.066), (0.218, 0.077))
        ),
    )


def kettle(scene: Scene, name: str, color: Color) -> Parts:
    """A kettle with a spout and a bow to carry it by."""
    profile = (
        (0, 0), (0.1, 0), (0.11, 0.02), (0.1, 0.09), (0.06, 0.135), (0.03, 0.145), (0.03, 0.155),
        (0, 0.158),
    )  # fmt: skip
    pieces = [
        Piece("body", "mesh", scene.mesh("kettle", profile), gloss(color)),
        Piece("knob", "sphere", (0.02,), BLACK, (0, 0, 0.17)),
        Piece("spout", "capsule", (0.018, 0.05), gloss(color), (0.12, 0, 0.09), (0, 0.7, 0)),
        Piece("bow_0", "capsule", (0.01, 0.05), BLACK, (-0.08, 0, 0.165), (0, 0.25, 0)),
        Piece("bow_1", "capsule", (0.01, 0.05), BLACK, (0.08, 0, 0.165), (0, -0.25, 0)),
        Piece("bow_2", "capsule", (0.01, 0.065), BLACK, (0, 0, 0.215), ALONG_X),
    ]
    return Parts(
        drawn(scene, name, pieces) + upright(0.095, 0, 0.13, 0.7),
        grasp_out=0.02,
        grasp_height=0.2,
        grip=0.03,
        radius=0.14,
        height=0.22,
    )


def bottle(scene: Scene, name: str, color: Color) -> Parts:
    """A tall bottle with a broad label and a cap."""
    profile = (
        (0, 0), (0.053, 0), (0.055, 0.006), (0.055, 0.17), (0.042, 0.21), (0.02, 0.235),
        (0.02, 0.28), (0, 0.28),
    )  # fmt: skip
    white = Surface((0.9, 0.88, 0.8), finish="matte")
    pieces = (
        Piece("glass", "mesh", scene.mesh("bottle", profile), gloss(color)),
        Piece("label", "cylinder", (0.0558, 0.045), white, (0, 0, 0.1)),
        Piece("stripe", "cylinder", (0.0562, 0.012), gloss(darker(color)), (0, 0, 0.1)),
        Piece("cap", "cylinder", (0.024, 0.015), gloss(darker(color)), (0, 0, 0.285)),
    )
    return Parts(
        drawn(scene, name, pieces) + upright(0.054, 0, 0.2, 0.6),
        grasp_out=0.03,
        grasp_height=0.16,
        grip=0.115,
        radius=0.06,
        height=0.3,
    )


def knife(scene: Scene, name: str, color: Color) -> Parts:
    """A long knife that lies on its edge, the blade pointing away."""
    steel = Surface((0.86, 0.88, 0.92), finish="gloss")
    geoms = scene.visible(
        f"{name}.blade", "box", (0.006, 0.14, 0.038), steel, (0, 0.1, 0.04), collide=MOVABLE,
        mass=0.15,
    )  # fmt: skip
    geoms += scene.visible(
        f"{name}.handle", "box", (0.02, 0.08, 0.024), gloss(color), (0, -0.11, 0.045),
        collide=MOVABLE, mass=0.15,
    )  # fmt: skip
    # A foot that only furniture feels keeps the blade upright where it lies, and easy to see.
    geoms += Scene.solid("box", (0.04, 0.17, 0.004), (0, 0, 0.004), 0.05, collide=(0, 1))
    return Parts(
        geoms,
        grasp_out=0.17,
        grasp_height=0.05,
        grip=0.035,
        radius=0.23,
        height=0.06,
        is_slicer=True,
    )


def butter_knife(scene: Scene, name: str, color: Color) -> Parts:
    """A broad round knife to spread with; it lies on its edge, the blade pointing away."""
    geoms = drawn(
        scene,
        name,
        (
            Piece("blade", "box", (0.005, 0.09, 0.037), STEEL, (0, 0.095, 0.04)),
            Piece("point", "cylinder", (0.037, 0.005), STEEL, (0, 0.185, 0.04), ALONG_X),
            Piece("collar", "box", (0.02, 0.016, 0.03), gloss(color), (0, -0.005, 0.04)),
            Piece("handle", "box", (0.021, 0.075, 0.024), gloss(color), (0, -0.09, 0.04)),
            Piece("pommel", "sphere", (0.03,), gloss(color), (0, -0.17, 0.04)),
        ),
    )
    geoms += Scene.solid("box", (0.012, 0.18, 0.034), (0, 0, 0.04), 0.2)
    geoms += Scene.solid("box", (0.04, 0.16, 0.004), (0, 0, 0.004), 0.05, collide=(0, 1))
    return Parts(
        geoms,
        grasp_out=0.15,
        grasp_height=0.05,
        grip=0.035,
        radius=0.21,
        height=0.078,
        coat=Coat(
            tuple((0.0, y, 0.032) for y in (0.105, 0.145, 0.185)),
            normal=(1.0, 0.0, 0.0),
            half_m=0.008,
            patch_m=0.024,
        ),
        is_applier=True,
        tip=(0.0, 0.17, 0.01),
    )


KINDS: dict[str, Builder] = {
    "mug": mug,
    "glass": glass,
    "jug": jug,
    "kettle": kettle,
    "bottle": bottle,
    "knife": knife,
    "butter_knife": butter_knife,
}
