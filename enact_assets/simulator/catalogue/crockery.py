"""Builders of dishes, vessels and tools."""

import math

from enact_assets.simulator.parts import Builder, Color, Parts, darker, gloss, upright_cylinder
from enact_assets.simulator.shapes import MOVABLE, Scene
from enact_assets.simulator.world import Surface


def plate(scene: Scene, name: str, color: Color) -> Parts:
    """A flat plate with a darker middle."""
    profile = (
        (0, 0), (0.08, 0), (0.1, 0.006), (0.14, 0.022), (0.138, 0.027), (0.098, 0.013), (0, 0.009),
    )  # fmt: skip
    look = scene.visible(f"{name}.dish", "mesh", scene.mesh("plate", profile), gloss(color))
    rim = scene.visible(
        f"{name}.rim", "cylinder", (0.075, 0.001), gloss(darker(color, 0.6)), (0, 0, 0.011)
    )
    solid = upright_cylinder(0.12, 0, 0.012, 0.4)
    return Parts(
        look + rim + solid,
        grasp_out=0.125,
        grasp_height=0.022,
        grip=0.02,
        radius=0.14,
        height=0.03,
        rest_height=0.012,
    )


def bowl(scene: Scene, name: str, color: Color) -> Parts:
    """A round bowl."""
    profile = (
        (0, 0), (0.055, 0), (0.06, 0.008), (0.09, 0.035), (0.112, 0.08), (0.115, 0.085),
        (0.108, 0.083), (0.085, 0.04), (0.055, 0.014), (0, 0.012),
    )  # fmt: skip
    look = scene.visible(f"{name}.shell", "mesh", scene.mesh("bowl", profile), gloss(color))
    # Without its pale bottom an empty bowl, seen from above, looks like a ball.
    pale = Surface((0.88, 0.86, 0.8), finish="gloss")
    look += scene.visible(f"{name}.bottom", "cylinder", (0.062, 0.001), pale, (0, 0, 0.018))
    solid = upright_cylinder(0.06, 0, 0.012, 0.3) + scene.ring(0.098, 0.02, 0.082, 0.15)
    cavity = ((-0.09, -0.09, 0.008), (0.09, 0.09, 0.13))
    return Parts(
        look + solid,
        grasp_out=0.105,
        grasp_height=0.075,
        grip=0.02,
        radius=0.12,
        height=0.085,
        rest_height=0.013,
        cavity=cavity,
    )


def pot(scene: Scene, name: str, color: Color) -> Parts:
    """A cooking pot with two handles."""
    profile = (
        (0, 0), (0.11, 0), (0.116, 0.008), (0.12, 0.13), (0.124, 0.135), (0.115, 0.135),
        (0.11, 0.014), (0, 0.01),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.shell", "mesh", scene.mesh("pot", profile), gloss(color))
    for side, x in (("left", -0.14), ("right", 0.14)):
        geoms += scene.visible(
            f"{name}.{side}_handle", "capsule", (0.012, 0.035),
            Surface((0.03, 0.03, 0.03)), (x, 0, 0.115), euler=(math.pi / 2, 0, 0),
        )  # fmt: skip
    geoms += upright_cylinder(0.11, 0, 0.011, 0.6) + scene.ring(0.115, 0.012, 0.13, 0.3)
    cavity = ((-0.11, -0.11, 0.005), (0.11, 0.11, 0.17))
    return Parts(
        geoms,
        grasp_out=0.115,
        grasp_height=0.115,
        grip=0.02,
        radius=0.15,
        height=0.135,
        rest_height=0.011,
        cavity=cavity,
    )


def basket(scene: Scene, name: str, color: Color) -> Parts:
    """A low woven basket."""
    weave = Surface(color, "checks", "matte", darker(color, 0.6), 0.03)
    geoms = ""
    half_x, half_y, half_z = 0.19, 0.14, 0.055
    for part, half, pos in (
        ("bottom", (half_x, half_y, 0.006), (0, 0, 0.006)),
        ("left", (0.008, half_y, half_z), (-half_x, 0, half_z)),
        ("right", (0.008, half_y, half_z), (half_x, 0, half_z)),
        ("near", (half_x + 0.008, 0.008, half_z), (0, -half_y, half_z)),
        ("far", (half_x + 0.008, 0.008, half_z), (0, half_y, half_z)),
    ):
        geoms += scene.visible(
            f"{name}.{part}", "box", half, weave, pos, collide=MOVABLE, mass=0.12
        )
    cavity = ((-half_x, -half_y, 0.005), (half_x, half_y, 0.2))
    return Parts(
        geoms,
        grasp_out=half_y,
        grasp_height=0.085,
        grip=0.03,
        radius=0.21,
        height=0.11,
        rest_height=0.013,
        cavity=cavity,
    )


def tray(scene: Scene, name: str, color: Color) -> Parts:
    """A wooden board."""
    wood = Surface(color, "wood", "satin", darker(color), 0.08)
    geoms = scene.visible(
        f"{name}.plank", "box", (0.2, 0.14, 0.01), wood,
        (0, 0, 0.01), collide=MOVABLE, mass=0.9,
    )  # fmt: skip
    return Parts(
        geoms,
        grasp_out=0.13,
        grasp_height=0.015,
        grip=0.025,
        radius=0.24,
        height=0.02,
        rest_height=0.021,
    )


def jug(scene: Scene, name: str, color: Color) -> Parts:
    """A bellied jug with a handle."""
    profile = (
        (0, 0), (0.06, 0), (0.075, 0.03), (0.08, 0.09), (0.062, 0.16), (0.05, 0.2), (0.062, 0.24),
        (0.054, 0.24), (0.042, 0.2), (0.054, 0.155), (0, 0.15),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.body", "mesh", scene.mesh("jug", profile), gloss(color))
    geoms += scene.visible(
        f"{name}.handle",
        "capsule",
        (0.011, 0.06),
        gloss(darker(color)),
        (0.085, 0, 0.15),
        euler=(0, 0.15, 0),
    )
    geoms += upright_cylinder(0.065, 0, 0.2, 0.7)
    return Parts(
        geoms,
        grasp_out=0.05,
        grasp_height=0.17,
        grip=0.11,
        radius=0.1,
        height=0.24,
    )


def kettle(scene: Scene, name: str, color: Color) -> Parts:
    """A kettle with a spout and a bow to carry it by."""
    profile = (
        (0, 0), (0.1, 0), (0.11, 0.02), (0.1, 0.09), (0.06, 0.135), (0.03, 0.145), (0.03, 0.155),
        (0, 0.158),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.body", "mesh", scene.mesh("kettle", profile), gloss(color))
    black = Surface((0.03, 0.03, 0.03))
    geoms += scene.visible(f"{name}.knob", "sphere", (0.02,), black, (0, 0, 0.17))
    geoms += scene.visible(
        f"{name}.spout", "capsule", (0.018, 0.05), gloss(color), (0.12, 0, 0.09), euler=(0, 0.7, 0)
    )
    bow = ((-0.08, 0.165, 0.05, 0.25), (0.08, 0.165, 0.05, -0.25), (0.0, 0.215, 0.065, math.pi / 2))
    for k, (x, z, half, angle) in enumerate(bow):
        geoms += scene.visible(
            f"{name}.bow_{k}", "capsule", (0.01, half), black, (x, 0, z), euler=(0, angle, 0)
        )
    geoms += upright_cylinder(0.095, 0, 0.13, 0.7)
    return Parts(
        geoms,
        grasp_out=0.02,
        grasp_height=0.2,
        grip=0.03,
        radius=0.14,
        height=0.22,
    )


def bottle(scene: Scene, name: str, color: Color) -> Parts:
    """A tall bottle with a white label."""
    profile = (
        (0, 0), (0.048, 0), (0.05, 0.006), (0.05, 0.17), (0.038, 0.21), (0.018, 0.235),
        (0.018, 0.28), (0, 0.28),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.glass", "mesh", scene.mesh("bottle", profile), gloss(color))
    white = Surface((0.9, 0.88, 0.8), finish="matte")
    geoms += scene.visible(f"{name}.label", "cylinder", (0.0508, 0.045), white, (0, 0, 0.1))
    geoms += scene.visible(
        f"{name}.cap", "cylinder", (0.021, 0.014), gloss(darker(color)), (0, 0, 0.285)
    )
    geoms += upright_cylinder(0.049, 0, 0.2, 0.6)
    return Parts(
        geoms,
        grasp_out=0.03,
        grasp_height=0.16,
        grip=0.105,
        radius=0.055,
        height=0.3,
    )


def mug(scene: Scene, name: str, color: Color) -> Parts:
    """A mug with an ear."""
    profile = (
        (0, 0), (0.05, 0), (0.055, 0.006), (0.058, 0.12), (0.051, 0.12), (0.048, 0.012), (0, 0.01),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.cup", "mesh", scene.mesh("mug", profile), gloss(color))
    geoms += scene.visible(f"{name}.ear", "capsule", (0.012, 0.028), gloss(color), (0.072, 0, 0.06))
    geoms += upright_cylinder(0.054, 0, 0.118, 0.35)
    return Parts(
        geoms,
        grasp_out=0.045,
        grasp_height=0.1,
        grip=0.02,
        radius=0.075,
        height=0.12,
    )


def vase(scene: Scene, name: str, color: Color) -> Parts:
    """A vase with three flowers."""
    profile = (
        (0, 0), (0.045, 0), (0.065, 0.04), (0.06, 0.1), (0.03, 0.15), (0.042, 0.18), (0, 0.18),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.pot", "mesh", scene.mesh("vase", profile), gloss(color))
    stem = Surface((0.08, 0.35, 0.1), finish="matte")
    for k, (dx, petal) in enumerate(
        ((-0.05, (0.95, 0.75, 0.05)), (0.0, (0.9, 0.15, 0.3)), (0.05, (0.95, 0.95, 0.9)))
    ):
        geoms += scene.visible(
            f"{name}.stem_{k}",
            "capsule",
            (0.005, 0.05),
            stem,
            (dx * 0.6, 0, 0.22),
            euler=(0, dx * 5, 0),
        )
        geoms += scene.visible(
            f"{name}.flower_{k}", "sphere", (0.028,), Surface(petal, finish="matte"), (dx, 0, 0.28)
        )
    geoms += upright_cylinder(0.055, 0, 0.16, 0.6)
    return Parts(
        geoms,
        grasp_out=0.035,
        grasp_height=0.13,
        grip=0.11,
        radius=0.07,
        height=0.3,
    )


def knife(scene: Scene, name: str, color: Color) -> Parts:
    """A long knife that lies on its edge, the blade pointing away."""
    steel = Surface((0.86, 0.88, 0.92), finish="gloss")
    geoms = scene.visible(
        f"{name}.blade",
        "box",
        (0.006, 0.14, 0.038),
        steel,
        (0, 0.1, 0.04),
        collide=MOVABLE,
        mass=0.15,
    )
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


KINDS: dict[str, Builder] = {
    "plate": plate,
    "bowl": bowl,
    "pot": pot,
    "basket": basket,
    "tray": tray,
    "cutting_board": tray,
    "jug": jug,
    "kettle": kettle,
    "bottle": bottle,
    "mug": mug,
    "vase": vase,
    "knife": knife,
}
