"""Builders of laundry: folded cloth, the basket it is carried in, and what it is washed with."""

from enact_assets.simulator.shapes.mjcf import MOVABLE, Scene
from enact_assets.simulator.shapes.pieces import (
    ALONG_X,
    ALONG_Y,
    BLACK,
    STEEL,
    WHITE,
    Piece,
    band,
    drawn,
)
from enact_assets.simulator.shapes.surfaces import Color, Surface, darker, gloss
from enact_assets.simulator.things.thing_parts import Builder, Parts, Vessel, upright_cylinder


def towel(scene: Scene, name: str, color: Color) -> Parts:
    """A towel folded to a thick roll of three layers, with a pale border."""
    terry = Surface(color, "speckles", "matte", darker(color, 0.75), 0.02)
    border = Surface((0.93, 0.92, 0.86), finish="matte")
    half_x, half_y = 0.078, 0.075
    pieces = []
    for k in range(3):
        z, dy = 0.014 + 0.027 * k, 0.004 * (k % 2)
        pieces.append(
            Piece(f"layer_{k}", "box", (half_x, half_y - 0.008, 0.0125), terry, (0, dy, z))
        )
        pieces.append(
            Piece(
                f"fold_{k}", "capsule", (0.0125, half_x - 0.008), terry, (0, dy - half_y + 0.01, z),
                ALONG_X,
            )
        )  # fmt: skip
    for k, x in enumerate((-0.048, 0.048)):
        pieces.append(
            Piece(f"border_{k}", "box", (0.009, half_y - 0.006, 0.0415), border, (x, 0, 0.042))
        )
    solid = Scene.solid("box", (half_x, half_y, 0.041), (0, 0, 0.041), 0.3)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.045,
        grasp_height=0.06,
        grip=0.12,
        radius=0.115,
        height=0.083,
        rest_height=0.084,
    )


def shirt(scene: Scene, name: str, color: Color) -> Parts:
    """A folded shirt: short sleeves that stand out, an open white collar, buttons and a pocket."""
    cloth = Surface(color, finish="matte")
    dark = Surface(darker(color, 0.5), finish="matte")
    side, chest, top = 0.019, 0.043, 0.038
    pieces = [
        Piece("body", "box", (chest, 0.083, side), cloth, (0, -0.002, side)),
        Piece("placket", "box", (0.006, 0.056, 0.001), dark, (0, -0.03, top)),
        Piece("neck", "cylinder", (0.021, 0.002), BLACK, (0, 0.058, top)),
        Piece("pocket", "box", (0.012, 0.013, 0.001), dark, (0.024, 0.008, top)),
    ]
    for k, sx in enumerate((-1, 1), start=1):
        turn = (0.0, 0.0, sx * -0.55)
        pieces += (
            Piece(f"side_{k}", "capsule", (side, 0.058), cloth, (sx * chest, -0.02, side), ALONG_Y),
            Piece(
                f"sleeve_{k}", "box", (0.031, 0.025, 0.015), cloth, (sx * 0.052, 0.044, 0.018), turn
            ),
            Piece(
                f"hem_{k}", "box", (0.005, 0.0255, 0.0155), dark, (sx * 0.076, 0.029, 0.018), turn
            ),
            Piece(
                f"collar_{k}",
                "box",
                (0.025, 0.009, 0.007),
                WHITE,
                (sx * 0.017, 0.05, 0.042),
                (0, 0, sx * 0.9),
            ),
        )
    for k in range(3):
        place = (0.0, 0.012 - 0.034 * k, top + 0.001)
        pieces.append(Piece(f"button_{k}", "cylinder", (0.0055, 0.002), WHITE, place))
    solid = Scene.solid("box", (0.078, 0.085, 0.021), (0, 0, 0.021), 0.25)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.06,
        grasp_height=0.035,
        grip=0.1,
        radius=0.13,
        height=0.056,
        rest_height=0.045,
    )


def trousers(scene: Scene, name: str, color: Color) -> Parts:
    """Folded trousers: two legs side by side, a belt and a pocket."""
    denim = Surface(color, "checks", "matte", darker(color, 0.7), 0.008)
    seam = Surface((0.85, 0.5, 0.12), finish="matte")
    belt = Surface((0.2, 0.09, 0.04), finish="satin")
    pieces = (
        Piece("leg_1", "box", (0.037, 0.085, 0.024), denim, (-0.04, 0, 0.024)),
        Piece("leg_2", "box", (0.037, 0.085, 0.024), denim, (0.04, 0, 0.024)),
        Piece("belt", "box", (0.079, 0.012, 0.026), belt, (0, 0.074, 0.025)),
        Piece("buckle", "box", (0.015, 0.014, 0.027), STEEL, (0, 0.074, 0.026)),
        Piece("pocket", "box", (0.025, 0.026, 0.001), seam, (0.04, 0.02, 0.0485)),
        Piece("patch", "box", (0.022, 0.023, 0.0012), denim, (0.04, 0.02, 0.049)),
    )
    solid = Scene.solid("box", (0.078, 0.086, 0.024), (0, 0, 0.024), 0.4)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.06,
        grasp_height=0.04,
        grip=0.1,
        radius=0.13,
        height=0.052,
        rest_height=0.05,
    )


def socks(scene: Scene, name: str, color: Color) -> Parts:
    """A pair of striped socks rolled into a bundle."""
    ring = Surface(color, "stripes", "matte", (0.93, 0.92, 0.88), 0.045)
    cuff = Surface(darker(color, 0.5), finish="matte")
    pieces = (
        Piece("roll_1", "capsule", (0.04, 0.038), ring, (0, -0.035, 0.04), ALONG_X),
        Piece("roll_2", "capsule", (0.04, 0.038), ring, (0, 0.035, 0.04), ALONG_X),
        Piece("cuff", "capsule", (0.03, 0.02), cuff, (0, 0, 0.065), ALONG_X),
    )
    solid = Scene.solid("box", (0.076, 0.06, 0.036), (0, 0, 0.036), 0.15)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.04,
        grasp_height=0.05,
        grip=0.1,
        radius=0.11,
        height=0.095,
        rest_height=0.073,
    )


def laundry_basket(scene: Scene, name: str, color: Color) -> Parts:
    """A wide basket with slotted sides and a handle at either end: two hands carry it."""
    weave = Surface(color, "checks", "matte", darker(color, 0.45), 0.045)
    rim = gloss(darker(color, 0.7))
    half_x, half_y, half_z = 0.27, 0.15, 0.08
    geoms = ""
    for part, half, pos in (
        ("bottom", (half_x, half_y, 0.006), (0, 0, 0.006)),
        ("left", (0.008, half_y, half_z), (-half_x, 0, half_z)),
        ("right", (0.008, half_y, half_z), (half_x, 0, half_z)),
        ("near", (half_x + 0.008, 0.008, half_z), (0, -half_y, half_z)),
        ("far", (half_x + 0.008, 0.008, half_z), (0, half_y, half_z)),
    ):
        geoms += scene.visible(
            f"{name}.{part}", "box", half, weave, pos, collide=MOVABLE, mass=0.15
        )
    top = 2 * half_z
    pieces = (
        Piece("rim_near", "box", (half_x + 0.016, 0.014, 0.009), rim, (0, -half_y, top)),
        Piece("rim_far", "box", (half_x + 0.016, 0.014, 0.009), rim, (0, half_y, top)),
        Piece("rim_left", "box", (0.014, half_y, 0.009), rim, (-half_x, 0, top)),
        Piece("rim_right", "box", (0.014, half_y, 0.009), rim, (half_x, 0, top)),
        Piece("grip_left", "box", (0.016, 0.06, 0.014), WHITE, (-half_x - 0.022, 0, top - 0.01)),
        Piece("grip_right", "box", (0.016, 0.06, 0.014), WHITE, (half_x + 0.022, 0, top - 0.01)),
    )
    return Parts(
        geoms + drawn(scene, name, pieces),
        grasp_out=half_y,
        grasp_height=0.15,
        grip=0.03,
        grasp_wide=half_x + 0.02,
        radius=0.32,
        height=top,
        rest_height=0.013,
        cavity=((-half_x, -half_y, 0.005), (half_x, half_y, 0.24)),
    )


def detergent_bottle(scene: Scene, name: str, color: Color) -> Parts:
    """A fat bottle without its cap: a wide mouth, a handle behind, a label with a dot."""
    profile = (
        (0, 0), (0.072, 0), (0.078, 0.01), (0.078, 0.13), (0.069, 0.165), (0.067, 0.19),
        (0.07, 0.195), (0.06, 0.195), (0.06, 0.165), (0.066, 0.125), (0.066, 0.014), (0, 0.012),
    )  # fmt: skip
    dot = gloss((1.0 - 0.8 * color[0], 0.75, 0.1))
    pieces = (
        Piece("shell", "mesh", scene.mesh("detergent_bottle", profile), gloss(color)),
        Piece("label", "mesh", band(scene, "detergent_label", 0.0785, 0.03, 0.11), WHITE),
        Piece("dot", "cylinder", (0.03, 0.003), dot, (0, -0.078, 0.07), (1.5708, 0, 0)),
        Piece("handle_1", "capsule", (0.012, 0.035), gloss(darker(color)), (0.1, 0, 0.11)),
        Piece(
            "handle_2", "capsule", (0.012, 0.022), gloss(darker(color)), (0.085, 0, 0.15), ALONG_X
        ),
    )  # fmt: skip
    return Parts(
        drawn(scene, name, pieces) + upright_cylinder(0.072, 0, 0.19, 0.7),
        grasp_out=0.05,
        grasp_height=0.13,
        grip=0.12,
        radius=0.1,
        height=0.195,
        vessel=Vessel(((0.014, 0.066), (0.125, 0.066), (0.165, 0.06), (0.193, 0.06))),
    )


def measuring_cup(scene: Scene, name: str, color: Color) -> Parts:
    """A wide measuring cup with an ear and marks."""
    profile = (
        (0, 0), (0.06, 0), (0.064, 0.006), (0.078, 0.105), (0.082, 0.11), (0.07, 0.11),
        (0.058, 0.014), (0, 0.012),
    )  # fmt: skip
    pieces = [
        Piece("cup", "mesh", scene.mesh("measuring_cup", profile), gloss(color)),
        Piece("ear_1", "capsule", (0.01, 0.025), gloss(color), (0.1, 0, 0.06)),
        Piece("ear_2", "capsule", (0.01, 0.012), gloss(color), (0.087, 0, 0.09), ALONG_X),
        Piece("ear_3", "capsule", (0.01, 0.012), gloss(color), (0.084, 0, 0.03), ALONG_X),
    ]
    for k in range(3):
        z = 0.035 + 0.025 * k
        place = (0.0, -0.064 - 0.003 * k, z)
        pieces.append(Piece(f"mark_{k}", "box", (0.014, 0.004, 0.003), BLACK, place))
    solid = upright_cylinder(0.06, 0, 0.014, 0.2) + scene.ring(0.07, 0.014, 0.105, 0.1)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.07,
        grasp_height=0.1,
        grip=0.02,
        radius=0.09,
        height=0.11,
        rest_height=0.015,
        vessel=Vessel(((0.014, 0.058), (0.108, 0.07))),
    )


def iron(scene: Scene, name: str, color: Color) -> Parts:
    """A flat iron, its point to the left."""
    body = gloss(color)
    pieces = (
        Piece("sole", "box", (0.07, 0.05, 0.008), STEEL, (0.02, 0, 0.008)),
        Piece("point", "cylinder", (0.05, 0.008), STEEL, (-0.055, 0, 0.008)),
        Piece("body", "box", (0.065, 0.042, 0.022), body, (0.02, 0, 0.038)),
        Piece("nose", "cylinder", (0.041, 0.02), body, (-0.045, 0, 0.036)),
        Piece("post_1", "box", (0.012, 0.016, 0.025), body, (0.06, 0, 0.08)),
        Piece("post_2", "box", (0.012, 0.016, 0.025), body, (-0.04, 0, 0.08)),
        Piece("handle", "capsule", (0.019, 0.06), BLACK, (0.01, 0, 0.115), ALONG_X),
    )
    solid = Scene.solid("box", (0.1, 0.05, 0.03), (-0.005, 0, 0.03), 0.8)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.0,
        grasp_height=0.11,
        grip=0.045,
        radius=0.125,
        height=0.135,
    )


def powder_box(scene: Scene, name: str, color: Color) -> Parts:
    """A carton of washing powder with a white burst on its front."""
    star = Surface((0.98, 0.95, 0.3), finish="matte")
    geoms = scene.visible(
        f"{name}.carton", "box", (0.075, 0.05, 0.105), gloss(color), (0, 0, 0.105),
        collide=MOVABLE, mass=0.6,
    )  # fmt: skip
    pieces = (
        Piece("foot", "box", (0.0755, 0.0505, 0.022), WHITE, (0, 0, 0.035)),
        Piece("burst_1", "box", (0.036, 0.0512, 0.036), star, (0, 0, 0.13)),
        Piece("burst_2", "box", (0.036, 0.0514, 0.036), star, (0, 0, 0.13), (0, 0.785, 0)),
        Piece("lid", "box", (0.076, 0.051, 0.01), WHITE, (0, 0, 0.202)),
    )
    return Parts(
        geoms + drawn(scene, name, pieces),
        grasp_out=0.03,
        grasp_height=0.16,
        grip=0.11,
        radius=0.09,
        height=0.212,
    )


KINDS: dict[str, Builder] = {
    "towel": towel,
    "shirt": shirt,
    "trousers": trousers,
    "socks": socks,
    "laundry_basket": laundry_basket,
    "detergent_bottle": detergent_bottle,
    "measuring_cup": measuring_cup,
    "iron": iron,
    "powder_box": powder_box,
}
