"""Builders of dishes and of what food is carried, cut or served on."""

from enact_assets.simulator.shapes.mjcf import MOVABLE, Scene
from enact_assets.simulator.shapes.pieces import ALONG_X, ALONG_Y, BLACK, Piece, band, drawn
from enact_assets.simulator.shapes.surfaces import Color, Surface, darker, gloss
from enact_assets.simulator.things.thing_parts import Builder, Coat, Parts, Vessel
from enact_assets.simulator.things.thing_parts import upright_cylinder as upright

PALE = Surface((0.9, 0.88, 0.82), finish="gloss")
CRUMB_PLACES = (
    (-0.05, -0.02, 0.014), (0.01, -0.06, 0.014), (0.055, -0.005, 0.014), (0.0, 0.0, 0.014),
    (-0.03, 0.05, 0.014), (0.04, 0.055, 0.014),
)  # fmt: skip
"""Places on a plate that crumbs may lie on, in m."""


def plate(scene: Scene, name: str, color: Color) -> Parts:
    """A flat plate with a pale middle and a ring."""
    profile = (
        (0, 0), (0.085, 0), (0.106, 0.006), (0.15, 0.022), (0.148, 0.027), (0.104, 0.013),
        (0, 0.009),
    )  # fmt: skip
    geoms = drawn(
        scene,
        name,
        (
            Piece("dish", "mesh", scene.mesh("plate", profile), gloss(color)),
            Piece("ring", "cylinder", (0.092, 0.001), gloss(darker(color, 0.5)), (0, 0, 0.0105)),
            Piece("rim", "cylinder", (0.08, 0.001), PALE, (0, 0, 0.0115)),
        ),
    )
    return Parts(
        geoms + upright(0.13, 0, 0.012, 0.4),
        grasp_out=0.135,
        grasp_height=0.022,
        grip=0.02,
        radius=0.15,
        height=0.03,
        rest_height=0.013,
        coat=Coat(CRUMB_PLACES, patch_m=0.016),
    )


def bowl(scene: Scene, name: str, color: Color) -> Parts:
    """A round bowl, pale inside."""
    profile = (
        (0, 0), (0.06, 0), (0.066, 0.008), (0.098, 0.035), (0.12, 0.08), (0.123, 0.086),
        (0.115, 0.084), (0.092, 0.04), (0.06, 0.014), (0, 0.012),
    )  # fmt: skip
    lining = (
        (0, 0.0125), (0.06, 0.0145), (0.091, 0.0405), (0.107, 0.066), (0.105, 0.066),
        (0.09, 0.042), (0.06, 0.016), (0, 0.014),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.shell", "mesh", scene.mesh("bowl", profile), gloss(color))
    # Without its pale inside an empty bowl, seen from above, looks like a ball.
    geoms += scene.visible(f"{name}.lining", "mesh", scene.mesh("bowl_lining", lining), PALE)
    geoms += upright(0.066, 0, 0.014, 0.3) + scene.ring(0.106, 0.022, 0.084, 0.15)
    return Parts(
        geoms,
        grasp_out=0.113,
        grasp_height=0.077,
        grip=0.02,
        radius=0.128,
        height=0.086,
        rest_height=0.015,
        cavity=((-0.095, -0.095, 0.008), (0.095, 0.095, 0.135)),
        vessel=Vessel(((0.014, 0.06), (0.04, 0.091), (0.084, 0.115))),
    )


def pot(scene: Scene, name: str, color: Color) -> Parts:
    """A cooking pot with two handles."""
    profile = (
        (0, 0), (0.12, 0), (0.126, 0.008), (0.13, 0.12), (0.136, 0.126), (0.125, 0.126),
        (0.12, 0.014), (0, 0.01),
    )  # fmt: skip
    steel = Surface((0.74, 0.75, 0.77), finish="gloss")
    pieces = [
        Piece("shell", "mesh", scene.mesh("pot", profile), gloss(color)),
        Piece("bottom", "cylinder", (0.119, 0.001), steel, (0, 0, 0.014)),
    ]
    for side, x in (("left", -0.155), ("right", 0.155)):
        pieces.append(
            Piece(f"{side}_handle", "capsule", (0.013, 0.04), BLACK, (x, 0, 0.1), ALONG_Y)
        )
    geoms = drawn(scene, name, pieces)
    geoms += upright(0.12, 0, 0.014, 0.6) + scene.ring(0.126, 0.015, 0.124, 0.3)
    return Parts(
        geoms,
        grasp_out=0.125,
        grasp_height=0.108,
        grip=0.02,
        radius=0.165,
        height=0.126,
        rest_height=0.015,
        cavity=((-0.12, -0.12, 0.005), (0.12, 0.12, 0.14)),
        vessel=Vessel(((0.015, 0.118), (0.122, 0.125))),
    )


def basket(scene: Scene, name: str, color: Color) -> Parts:
    """A low woven basket with a rim."""
    weave = Surface(color, "checks", "matte", darker(color, 0.6), 0.03)
    rim = Surface(darker(color, 0.75), finish="matte")
    geoms = ""
    half_x, half_y, half_z = 0.175, 0.14, 0.055
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
    for k, (x, y, long, turn) in enumerate(
        (
            (-half_x, 0, half_y, ALONG_Y),
            (half_x, 0, half_y, ALONG_Y),
            (0, -half_y, half_x, ALONG_X),
            (0, half_y, half_x, ALONG_X),
        )
    ):
        geoms += scene.visible(
            f"{name}.rim_{k}", "capsule", (0.013, long), rim, (x, y, 2 * half_z), euler=turn
        )
    return Parts(
        geoms,
        grasp_out=half_y,
        grasp_height=0.085,
        grip=0.03,
        radius=0.235,
        height=0.12,
        rest_height=0.013,
        cavity=((-half_x, -half_y, 0.005), (half_x, half_y, 0.2)),
        grasp_wide=half_x,
    )


def cutting_board(scene: Scene, name: str, color: Color) -> Parts:
    """A wooden board with a groove and a grip with a hole."""
    wood = Surface(color, "wood", "satin", darker(color), 0.08)
    geoms = scene.visible(
        f"{name}.plank", "box", (0.2, 0.14, 0.01), wood, (0, 0, 0.01), collide=MOVABLE, mass=0.8
    )
    groove = Surface(darker(color, 0.5), finish="satin")
    geoms += drawn(
        scene,
        name,
        (
            Piece("groove", "box", (0.18, 0.12, 0.0006), groove, (0, 0, 0.0202)),
            Piece("middle", "box", (0.172, 0.112, 0.0006), wood, (0, 0, 0.0206)),
            Piece("grip", "box", (0.03, 0.045, 0.01), wood, (-0.225, 0, 0.01)),
            Piece("hole", "cylinder", (0.014, 0.0006), BLACK, (-0.228, 0, 0.0204)),
        ),
    )
    return Parts(
        geoms,
        grasp_out=0.14,
        grasp_height=0.02,
        grip=0.025,
        radius=0.25,
        height=0.02,
        rest_height=0.021,
    )


def napkin(scene: Scene, name: str, color: Color) -> Parts:
    """A folded checked cloth, tied with a ribbon."""
    cloth = Surface(color, "checks", "matte", (0.92, 0.9, 0.86), 0.035)
    ribbon = gloss(darker(color, 0.4))
    geoms = scene.visible(
        f"{name}.cloth", "box", (0.06, 0.095, 0.011), cloth, (0, 0, 0.011), collide=MOVABLE,
        mass=0.1,
    )  # fmt: skip
    geoms += drawn(
        scene,
        name,
        (
            Piece("fold", "box", (0.052, 0.087, 0.005), cloth, (0.005, 0.004, 0.026)),
            Piece("ribbon", "box", (0.063, 0.016, 0.017), ribbon, (0, 0, 0.0165)),
            Piece("knot", "ellipsoid", (0.024, 0.02, 0.012), ribbon, (0, 0, 0.036)),
        ),
    )
    return Parts(
        geoms,
        grasp_out=0.085,
        grasp_height=0.018,
        grip=0.025,
        radius=0.11,
        height=0.04,
    )


def butter_dish(scene: Scene, name: str, color: Color) -> Parts:
    """A long dish with a block of butter on it, a slice cut off."""
    butter = Surface((0.98, 0.83, 0.3), finish="satin")
    geoms = scene.visible(
        f"{name}.dish", "box", (0.12, 0.075, 0.009), gloss(color), (0, 0, 0.009), collide=MOVABLE,
        mass=0.3,
    )  # fmt: skip
    pieces = [
        Piece("block", "box", (0.065, 0.04, 0.032), butter, (0.02, 0, 0.05)),
        Piece("slice", "box", (0.012, 0.04, 0.03), butter, (-0.072, 0, 0.038), (0, -0.6, 0)),
    ]
    for k, sign in enumerate((-1, 1)):
        pieces += [
            Piece(f"side_{k}", "capsule", (0.011, 0.075), gloss(color), (sign * 0.12, 0, 0.018),
                  ALONG_Y),
            Piece(f"end_{k}", "capsule", (0.011, 0.12), gloss(color), (0, sign * 0.075, 0.018),
                  ALONG_X),
        ]  # fmt: skip
    geoms += drawn(scene, name, pieces) + Scene.solid("box", (0.09, 0.04, 0.03), (0, 0, 0.05), 0.2)
    return Parts(
        geoms,
        grasp_out=0.08,
        grasp_height=0.025,
        grip=0.03,
        radius=0.14,
        height=0.085,
    )


def vase(scene: Scene, name: str, color: Color) -> Parts:
    """A vase with a band and five large flowers."""
    profile = (
        (0, 0), (0.05, 0), (0.072, 0.04), (0.066, 0.1), (0.034, 0.15), (0.046, 0.18), (0, 0.18),
    )  # fmt: skip
    stem = Surface((0.08, 0.35, 0.1), finish="matte")
    pieces = [
        Piece("pot", "mesh", scene.mesh("vase", profile), gloss(color)),
        Piece("band", "mesh", band(scene, "vase_band", 0.0715, 0.05, 0.068), PALE),
    ]
    blooms: tuple[tuple[float, float, float, Color], ...] = (
        (-0.07, 0.0, 0.25, (0.95, 0.75, 0.05)),
        (0.0, -0.03, 0.285, (0.9, 0.12, 0.25)),
        (0.07, 0.0, 0.25, (0.95, 0.95, 0.9)),
        (-0.03, 0.035, 0.3, (0.6, 0.2, 0.75)),
        (0.035, 0.03, 0.295, (0.95, 0.45, 0.1)),
    )
    for k, (x, y, z, petal) in enumerate(blooms):
        long = (z - 0.16) / 2
        pieces += [
            Piece(f"stem_{k}", "capsule", (0.006, long), stem, (0.6 * x, 0.6 * y, 0.16 + long),
                  (-2 * y, 2.5 * x, 0)),
            Piece(f"flower_{k}", "ellipsoid", (0.036, 0.036, 0.024), Surface(petal, finish="matte"),
                  (x, y, z)),
            Piece(f"heart_{k}", "sphere", (0.014,), stem, (x, y, z + 0.018)),
        ]  # fmt: skip
    return Parts(
        drawn(scene, name, pieces) + upright(0.06, 0, 0.16, 0.6),
        grasp_out=0.04,
        grasp_height=0.13,
        grip=0.11,
        radius=0.1,
        height=0.32,
    )


KINDS: dict[str, Builder] = {
    "plate": plate,
    "bowl": bowl,
    "pot": pot,
    "basket": basket,
    "cutting_board": cutting_board,
    "napkin": napkin,
    "butter_dish": butter_dish,
    "vase": vase,
}
