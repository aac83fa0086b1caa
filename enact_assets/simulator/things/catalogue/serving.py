"""Builders of what food and drinks are mixed, poured and served in."""

import math

from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.pieces import band
from enact_assets.simulator.shapes.surfaces import Color, Surface, darker, gloss
from enact_assets.simulator.things.catalogue.tableware import CLEAR
from enact_assets.simulator.things.thing_parts import Builder, Coat, Parts, Vessel, upright_cylinder

CREAM = Surface((0.9, 0.88, 0.8), finish="gloss")


def salad_bowl(scene: Scene, name: str, color: Color) -> Parts:
    """A wide wooden bowl, pale inside."""
    profile = (
        (0, 0), (0.09, 0), (0.1, 0.006), (0.15, 0.055), (0.168, 0.09), (0.172, 0.094),
        (0.163, 0.094), (0.145, 0.06), (0.095, 0.014), (0, 0.012),
    )  # fmt: skip
    wood = Surface(color, "wood", "satin", darker(color, 0.6), 0.05)
    geoms = scene.visible(f"{name}.shell", "mesh", scene.mesh("salad_bowl", profile), wood)
    geoms += scene.visible(f"{name}.bottom", "cylinder", (0.1, 0.001), CREAM, (0, 0, 0.0185))
    geoms += upright_cylinder(0.12, 0, 0.018, 0.5) + scene.ring(0.157, 0.03, 0.092, 0.3)
    return Parts(
        geoms,
        grasp_out=0.16,
        grasp_height=0.085,
        grip=0.025,
        radius=0.175,
        height=0.094,
        rest_height=0.019,
        cavity=((-0.13, -0.13, 0.01), (0.13, 0.13, 0.17)),
    )


def platter(scene: Scene, name: str, color: Color) -> Parts:
    """A long oval dish with a broad rim; peas and the like may lie on its right half."""
    geoms = scene.visible(
        f"{name}.rim", "ellipsoid", (0.25, 0.155, 0.016), gloss(color), (0, 0, 0.016)
    )
    geoms += scene.visible(
        f"{name}.middle", "ellipsoid", (0.212, 0.12, 0.01), CREAM, (0, 0, 0.0245)
    )
    geoms += Scene.solid("box", (0.19, 0.1, 0.015), (0, 0, 0.015), 0.6)
    places = tuple(
        (0.055 + 0.034 * column + 0.017 * (row % 2), -0.062 + 0.031 * row, 0.036)
        for row in range(5)
        for column in range(4 - row % 2)
    )
    return Parts(
        geoms,
        grasp_out=0.145,
        grasp_height=0.02,
        grip=0.02,
        radius=0.25,
        height=0.034,
        rest_height=0.031,
        grasp_wide=0.245,
        coat=Coat(places, patch_m=0.016, half_m=0.006),
    )


def _ribs(
    scene: Scene,
    name: str,
    vessel: Vessel,
    color: Color,
    *,
    n: int = 8,
    radius: float = 0.003,
    has_rim: bool = True,
) -> str:
    """The wall of a clear vessel: ``n`` straight ribs from bottom to rim, and a coloured rim."""
    (low, inner), (high, outer) = vessel.profile[0], vessel.profile[-1]
    lean = math.atan2(outer - inner, high - low)
    half = math.hypot(outer - inner, high - low) / 2
    middle = (inner + outer) / 2 + radius
    geoms = ""
    for k in range(n):
        turn = (k + 0.5) * 2 * math.pi / n
        geoms += scene.visible(
            f"{name}.rib_{k}", "capsule", (radius, half), CLEAR,
            (middle * math.cos(turn), middle * math.sin(turn), (low + high) / 2),
            euler=(-lean * math.sin(turn), lean * math.cos(turn), 0.0),
        )  # fmt: skip
    if not has_rim:
        return geoms
    rim = (
        (outer, high - 0.012), (outer + 0.008, high - 0.012), (outer + 0.008, high + 0.002),
        (outer, high + 0.002), (outer, high - 0.012),
    )  # fmt: skip
    mesh = scene.mesh(f"rim_{1e5 * outer:.0f}_{1e5 * high:.0f}", rim)
    return geoms + scene.visible(f"{name}.rim", "mesh", mesh, gloss(color))


def pitcher(scene: Scene, name: str, color: Color) -> Parts:
    """A wide clear pitcher with a coloured foot, rim and an ear to the robot."""
    vessel = Vessel(((0.016, 0.09), (0.185, 0.104)), is_clear=True)
    geoms = scene.visible(f"{name}.foot", "cylinder", (0.095, 0.008), gloss(color), (0, 0, 0.008))
    geoms += _ribs(scene, name, vessel, color, radius=0.004)
    for part, y, z, half, angle in (
        ("high", -0.137, 0.155, 0.03, math.pi / 2),
        ("back", -0.172, 0.1, 0.05, 0.0),
        ("low", -0.13, 0.05, 0.035, math.pi / 2),
    ):
        geoms += scene.visible(
            f"{name}.ear_{part}", "capsule", (0.012, half), gloss(color), (0, y, z),
            euler=(angle, 0, 0),
        )  # fmt: skip
    geoms += upright_cylinder(0.09, 0, 0.016, 0.6) + scene.ring(0.1, 0.017, 0.185, 0.3)
    return Parts(
        geoms,
        grasp_out=0.165,
        grasp_height=0.13,
        grip=0.03,
        radius=0.13,
        height=0.187,
        rest_height=0.017,
        cavity=((-0.09, -0.09, 0.005), (0.09, 0.09, 0.22)),
        vessel=vessel,
    )


def carafe(scene: Scene, name: str, color: Color) -> Parts:
    """A tall clear carafe, narrow in the middle, with a coloured foot, belt and rim."""
    vessel = Vessel(((0.014, 0.08), (0.11, 0.062), (0.23, 0.07)), is_clear=True)
    geoms = scene.visible(f"{name}.foot", "cylinder", (0.083, 0.007), gloss(color), (0, 0, 0.007))
    geoms += scene.visible(
        f"{name}.belt", "mesh", band(scene, "carafe_belt", 0.065, 0.1, 0.12), gloss(color)
    )
    for part, points in (("low", vessel.profile[:2]), ("high", vessel.profile[1:])):
        geoms += _ribs(scene, f"{name}.{part}", Vessel(points), color, has_rim=part == "high")
    geoms += upright_cylinder(0.075, 0, 0.225, 0.6)
    return Parts(
        geoms,
        grasp_out=0.045,
        grasp_height=0.11,
        grip=0.14,
        radius=0.085,
        height=0.232,
        vessel=vessel,
    )


def goblet(scene: Scene, name: str, color: Color) -> Parts:
    """A clear cup on a coloured stem."""
    vessel = Vessel(((0.066, 0.05), (0.1, 0.068), (0.17, 0.074)), is_clear=True)
    profile = (
        (0, 0), (0.06, 0), (0.064, 0.006), (0.02, 0.014), (0.014, 0.03), (0.02, 0.045),
        (0.053, 0.06), (0.053, 0.065), (0, 0.065),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.stem", "mesh", scene.mesh("goblet", profile), gloss(color))
    geoms += _ribs(scene, name, vessel, color, n=6)
    geoms += upright_cylinder(0.058, 0, 0.165, 0.3)
    return Parts(
        geoms,
        grasp_out=0.05,
        grasp_height=0.12,
        grip=0.135,
        radius=0.08,
        height=0.172,
        vessel=vessel,
    )


def sugar_bowl(scene: Scene, name: str, color: Color) -> Parts:
    """A low open bowl on a foot with two ears."""
    profile = (
        (0, 0), (0.045, 0), (0.05, 0.01), (0.04, 0.018), (0.075, 0.04), (0.088, 0.075),
        (0.09, 0.085), (0.083, 0.085), (0.07, 0.05), (0.045, 0.03), (0, 0.028),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.shell", "mesh", scene.mesh("sugar_bowl", profile), gloss(color))
    for k, x in enumerate((-0.1, 0.1)):
        geoms += scene.visible(
            f"{name}.ear_{k}", "capsule", (0.011, 0.02), gloss(darker(color)), (x, 0, 0.06)
        )
    geoms += upright_cylinder(0.06, 0, 0.08, 0.3)
    return Parts(
        geoms,
        grasp_out=0.08,
        grasp_height=0.075,
        grip=0.02,
        radius=0.11,
        height=0.085,
        vessel=Vessel(((0.032, 0.045), (0.05, 0.07), (0.085, 0.083))),
    )


def gravy_boat(scene: Scene, name: str, color: Color) -> Parts:
    """A low open jug on a foot with a lip on either side and an ear to the robot."""
    profile = (
        (0, 0), (0.05, 0), (0.052, 0.008), (0.03, 0.02), (0.07, 0.045), (0.083, 0.09), (0.085, 0.1),
        (0.077, 0.1), (0.066, 0.052), (0.035, 0.032), (0, 0.03),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.shell", "mesh", scene.mesh("gravy_boat", profile), gloss(color))
    for k, x in enumerate((-0.1, 0.1)):
        geoms += scene.visible(
            f"{name}.lip_{k}", "ellipsoid", (0.04, 0.028, 0.01), gloss(color), (x, 0, 0.097),
            euler=(0, -0.3 if x > 0 else 0.3, 0),
        )  # fmt: skip
    geoms += scene.visible(
        f"{name}.ear", "capsule", (0.011, 0.03), gloss(darker(color)), (0, -0.095, 0.075),
        euler=(-0.2, 0, 0),
    )  # fmt: skip
    geoms += upright_cylinder(0.06, 0, 0.095, 0.35)
    return Parts(
        geoms,
        grasp_out=0.1,
        grasp_height=0.085,
        grip=0.03,
        radius=0.11,
        height=0.1,
        vessel=Vessel(((0.034, 0.035), (0.052, 0.066), (0.1, 0.077))),
    )


KINDS: dict[str, Builder] = {
    "salad_bowl": salad_bowl,
    "platter": platter,
    "pitcher": pitcher,
    "carafe": carafe,
    "goblet": goblet,
    "sugar_bowl": sugar_bowl,
    "gravy_boat": gravy_boat,
}
