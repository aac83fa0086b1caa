"""Builders of hand tools: large and simple, so that each is known by its outline.

Long tools lie with their handle towards the robot, side by side they fill a drawer or a toolbox.
"""

from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.pieces import (
    ALONG_X,
    ALONG_Y,
    BLACK,
    HALF_PI,
    IRON,
    STEEL,
    WHITE,
    Piece,
    drawn,
)
from enact_assets.simulator.shapes.surfaces import Color, Surface, darker, gloss
from enact_assets.simulator.things.thing_parts import Builder, Parts

ASH = Surface((0.74, 0.52, 0.28), "wood", "satin", (0.55, 0.36, 0.17), 0.06)


def hammer(scene: Scene, name: str, color: Color) -> Parts:
    """A claw hammer with a coloured grip."""
    pieces = (
        Piece("handle", "capsule", (0.017, 0.09), ASH, (0, -0.02, 0.022), ALONG_Y),
        Piece("grip", "capsule", (0.023, 0.045), gloss(color), (0, -0.09, 0.024), ALONG_Y),
        Piece("head", "box", (0.05, 0.024, 0.026), IRON, (0, 0.1, 0.028)),
        Piece("face", "cylinder", (0.031, 0.014), STEEL, (0.058, 0.1, 0.031), ALONG_X),
        Piece("claw_1", "box", (0.026, 0.008, 0.016), STEEL, (-0.062, 0.086, 0.024), (0, 0, 0.35)),
        Piece("claw_2", "box", (0.026, 0.008, 0.016), STEEL, (-0.062, 0.114, 0.024), (0, 0, -0.35)),
    )
    solid = Scene.solid("box", (0.07, 0.026, 0.026), (-0.004, 0.1, 0.026), 0.3)
    solid += Scene.solid("box", (0.02, 0.1, 0.018), (0, -0.04, 0.018), 0.15)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.06,
        grasp_height=0.03,
        grip=0.045,
        radius=0.16,
        height=0.06,
    )


def screwdriver(scene: Scene, name: str, color: Color) -> Parts:
    """A screwdriver with a fat striped handle."""
    handle = Surface(color, "stripes", "gloss", darker(color, 0.35), 0.03)
    pieces = (
        Piece("handle", "capsule", (0.03, 0.045), handle, (0, -0.07, 0.03), ALONG_Y),
        Piece("collar", "cylinder", (0.02, 0.012), BLACK, (0, 0.008, 0.03), ALONG_Y),
        Piece("shaft", "cylinder", (0.0095, 0.06), STEEL, (0, 0.075, 0.03), ALONG_Y),
        Piece("tip", "box", (0.016, 0.012, 0.005), STEEL, (0, 0.133, 0.03)),
    )
    solid = Scene.solid("box", (0.03, 0.072, 0.028), (0, -0.07, 0.028), 0.2)
    solid += Scene.solid("box", (0.012, 0.072, 0.018), (0, 0.072, 0.018), 0.1)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.07,
        grasp_height=0.035,
        grip=0.06,
        radius=0.15,
        height=0.06,
    )


def wrench(scene: Scene, name: str, color: Color) -> Parts:
    """A flat wrench: an open jaw at the far end, a ring at the near one, a coloured shaft."""
    hoop = ((0.018, 0.0), (0.04, 0.0), (0.04, 0.024), (0.018, 0.024), (0.018, 0.0))
    pieces = (
        Piece("shaft", "box", (0.019, 0.075, 0.011), gloss(color), (0, 0, 0.012)),
        Piece("neck", "box", (0.015, 0.1, 0.009), STEEL, (0, 0.005, 0.012)),
        Piece("ring", "mesh", scene.mesh("wrench_ring", hoop), STEEL, (0, -0.102, 0.0)),
        Piece("head", "box", (0.038, 0.016, 0.012), STEEL, (0, 0.092, 0.012)),
        Piece("jaw_1", "box", (0.012, 0.024, 0.012), STEEL, (-0.031, 0.121, 0.012), (0, 0, 0.2)),
        Piece("jaw_2", "box", (0.012, 0.024, 0.012), STEEL, (0.031, 0.121, 0.012), (0, 0, -0.2)),
    )
    solid = Scene.solid("box", (0.042, 0.143, 0.012), (0, 0.002, 0.012), 0.35)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.05,
        grasp_height=0.02,
        grip=0.045,
        radius=0.16,
        height=0.026,
    )


def pliers(scene: Scene, name: str, color: Color) -> Parts:
    """Pliers with two coloured handles, opened a little."""
    pieces = (
        Piece("jaw_1", "box", (0.013, 0.04, 0.014), STEEL, (-0.014, 0.1, 0.016), (0, 0, -0.12)),
        Piece("jaw_2", "box", (0.013, 0.04, 0.014), STEEL, (0.014, 0.1, 0.016), (0, 0, 0.12)),
        Piece("pivot", "cylinder", (0.028, 0.014), IRON, (0, 0.045, 0.016)),
        Piece(
            "leg_1", "capsule", (0.016, 0.07), gloss(color), (-0.032, -0.045, 0.017),
            (HALF_PI, -0.3, 0),
        ),
        Piece(
            "leg_2", "capsule", (0.016, 0.07), gloss(color), (0.032, -0.045, 0.017),
            (HALF_PI, 0.3, 0),
        ),
    )  # fmt: skip
    solid = Scene.solid("box", (0.055, 0.13, 0.015), (0, 0, 0.015), 0.35)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.05,
        grasp_height=0.025,
        grip=0.1,
        radius=0.15,
        height=0.034,
    )


def saw(scene: Scene, name: str, color: Color) -> Parts:
    """A short hand saw lying flat, its handle a loop."""
    blade = Surface((0.82, 0.84, 0.87), finish="gloss")
    pieces = [
        Piece("blade", "box", (0.042, 0.1, 0.003), blade, (0, 0.045, 0.014)),
        Piece("loop_near", "box", (0.05, 0.013, 0.015), gloss(color), (0, -0.13, 0.015)),
        Piece("loop_far", "box", (0.05, 0.016, 0.015), gloss(color), (0, -0.06, 0.015)),
        Piece("loop_left", "box", (0.014, 0.05, 0.015), gloss(color), (-0.044, -0.095, 0.015)),
        Piece("loop_right", "box", (0.014, 0.05, 0.015), gloss(color), (0.044, -0.095, 0.015)),
    ]
    for k in range(7):
        place = (0.043, -0.035 + 0.028 * k, 0.014)
        pieces.append(Piece(f"tooth_{k}", "box", (0.01, 0.01, 0.003), IRON, place, (0, 0, 0.785)))
    solid = Scene.solid("box", (0.055, 0.144, 0.012), (0, 0.001, 0.012), 0.35)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.1,
        grasp_height=0.025,
        grip=0.11,
        radius=0.15,
        height=0.03,
    )


def drill(scene: Scene, name: str, color: Color) -> Parts:
    """A cordless drill standing on its battery, the bit pointing right."""
    pieces = (
        Piece("battery", "box", (0.055, 0.04, 0.022), BLACK, (0, 0, 0.022)),
        Piece("grip", "box", (0.02, 0.024, 0.06), gloss(darker(color, 0.7)), (0, 0, 0.09)),
        Piece("body", "capsule", (0.038, 0.045), gloss(color), (0, 0, 0.165), ALONG_X),
        Piece("motor", "cylinder", (0.04, 0.012), BLACK, (-0.05, 0, 0.165), ALONG_X),
        Piece("chuck", "cylinder", (0.025, 0.025), IRON, (0.1, 0, 0.165), ALONG_X),
        Piece("bit", "cylinder", (0.008, 0.035), STEEL, (0.155, 0, 0.165), ALONG_X),
        Piece("trigger", "box", (0.009, 0.012, 0.016), BLACK, (0.027, 0, 0.115)),
    )
    solid = Scene.solid("box", (0.055, 0.04, 0.022), (0, 0, 0.022), 0.6)
    solid += Scene.solid("box", (0.095, 0.036, 0.036), (0.02, 0, 0.165), 0.3)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.02,
        grasp_height=0.09,
        grip=0.05,
        radius=0.14,
        height=0.21,
    )


def tape_measure(scene: Scene, name: str, color: Color) -> Parts:
    """A round tape measure whose yellow tongue sticks out to the right."""
    tongue = Surface((0.98, 0.85, 0.1), "stripes", "satin", (0.1, 0.1, 0.1), 0.02)
    pieces = (
        Piece("drum", "cylinder", (0.064, 0.034), gloss(color), (0, 0, 0.064), ALONG_Y),
        Piece("foot", "box", (0.064, 0.034, 0.022), gloss(color), (0, 0, 0.022)),
        Piece("label", "cylinder", (0.044, 0.0355), BLACK, (0, 0, 0.068), ALONG_Y),
        Piece("dot", "cylinder", (0.023, 0.0365), WHITE, (0, 0, 0.068), ALONG_Y),
        Piece("tongue", "box", (0.045, 0.016, 0.003), tongue, (0.108, 0, 0.012)),
        Piece("hook", "box", (0.003, 0.016, 0.01), STEEL, (0.154, 0, 0.01)),
    )
    solid = Scene.solid("box", (0.064, 0.034, 0.058), (0, 0, 0.058), 0.4)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.0,
        grasp_height=0.09,
        grip=0.13,
        radius=0.13,
        height=0.128,
    )


def flashlight(scene: Scene, name: str, color: Color) -> Parts:
    """A torch that lies with its wide head away from the robot."""
    lens = Surface((1.0, 0.93, 0.55), finish="gloss")
    pieces = (
        Piece("body", "cylinder", (0.028, 0.075), gloss(color), (0, -0.035, 0.028), ALONG_Y),
        Piece("cap", "cylinder", (0.03, 0.012), BLACK, (0, -0.115, 0.03), ALONG_Y),
        Piece("neck", "cylinder", (0.036, 0.014), BLACK, (0, 0.045, 0.036), ALONG_Y),
        Piece("head", "cylinder", (0.05, 0.028), gloss(color), (0, 0.087, 0.05), ALONG_Y),
        Piece("lens", "cylinder", (0.045, 0.003), lens, (0, 0.117, 0.05), ALONG_Y),
        Piece("switch", "box", (0.008, 0.018, 0.006), lens, (0, -0.02, 0.058)),
    )
    solid = Scene.solid("box", (0.036, 0.122, 0.026), (0, -0.003, 0.026), 0.4)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.05,
        grasp_height=0.04,
        grip=0.06,
        radius=0.14,
        height=0.1,
    )


def spirit_level(scene: Scene, name: str, color: Color) -> Parts:
    """A long level with three green vials."""
    vial = Surface((0.35, 0.95, 0.2), finish="gloss")
    pieces = [Piece("bar", "box", (0.14, 0.019, 0.03), gloss(color), (0, 0, 0.03))]
    for k, x in enumerate((-0.09, 0.0, 0.09)):
        pieces.append(Piece(f"plate_{k}", "box", (0.03, 0.0195, 0.017), BLACK, (x, 0, 0.03)))
        pieces.append(Piece(f"vial_{k}", "box", (0.02, 0.0205, 0.009), vial, (x, 0, 0.03)))
        pieces.append(Piece(f"top_{k}", "box", (0.02, 0.01, 0.0306), vial, (x, 0, 0.03)))
    solid = Scene.solid("box", (0.14, 0.025, 0.03), (0, 0, 0.03), 0.4)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.0,
        grasp_height=0.045,
        grip=0.045,
        radius=0.15,
        height=0.061,
    )


KINDS: dict[str, Builder] = {
    "hammer": hammer,
    "screwdriver": screwdriver,
    "wrench": wrench,
    "pliers": pliers,
    "saw": saw,
    "drill": drill,
    "tape_measure": tape_measure,
    "flashlight": flashlight,
    "spirit_level": spirit_level,
}
