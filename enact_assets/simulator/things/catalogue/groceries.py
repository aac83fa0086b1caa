"""Builders of packed groceries: cartons, boxes, tins and jars, each with a label of its own."""

import math

from enact_assets.simulator.shapes.mjcf import MOVABLE, Scene
from enact_assets.simulator.shapes.pieces import ALONG_Y, Piece, band, drawn
from enact_assets.simulator.shapes.surfaces import Color, Surface, darker, gloss
from enact_assets.simulator.things.thing_parts import Builder, Parts, Vessel
from enact_assets.simulator.things.thing_parts import upright_cylinder as upright

WHITE = Surface((0.92, 0.92, 0.9), finish="satin")
STEEL = Surface((0.7, 0.7, 0.72), finish="metal")
CLEAR = Surface((0.66, 0.83, 0.88), finish="gloss")


def milk_carton(scene: Scene, name: str, color: Color) -> Parts:
    """A milk carton with a coloured gable, a band and a round cap."""
    geoms = scene.visible(
        f"{name}.box", "box", (0.058, 0.055, 0.1), WHITE, (0, 0, 0.1), collide=MOVABLE, mass=0.7
    )
    geoms += drawn(
        scene,
        name,
        (
            Piece("band", "box", (0.0588, 0.0558, 0.045), gloss(color), (0, 0, 0.085)),
            Piece("drop", "ellipsoid", (0.024, 0.057, 0.03), WHITE, (0, 0, 0.085)),
            Piece(
                "gable", "box", (0.041, 0.055, 0.041), gloss(color), (0, 0, 0.2),
                (0, math.pi / 4, 0),
            ),
            Piece("ridge", "box", (0.006, 0.055, 0.018), WHITE, (0, 0, 0.268)),
        ),
    )  # fmt: skip
    return Parts(
        geoms,
        grasp_out=0.045,
        grasp_height=0.15,
        grip=0.12,
        radius=0.08,
        height=0.285,
    )


def cereal_box(scene: Scene, name: str, color: Color) -> Parts:
    """A cereal box with a stripe and a bowl in a disc."""
    geoms = scene.visible(
        f"{name}.box", "box", (0.09, 0.042, 0.135), gloss(color), (0, 0, 0.135), collide=MOVABLE,
        mass=0.4,
    )  # fmt: skip
    accent = gloss((1.0 - color[0] * 0.8, 0.1, 0.35))
    geoms += drawn(
        scene,
        name,
        (
            Piece("stripe", "box", (0.0906, 0.0426, 0.03), accent, (0, 0, 0.06)),
            Piece("picture", "cylinder", (0.056, 0.0428), WHITE, (0, 0, 0.165), ALONG_Y),
            Piece("bowl", "cylinder", (0.03, 0.0434), accent, (0, 0, 0.155), ALONG_Y),
            Piece("flap", "box", (0.09, 0.004, 0.004), accent, (0, 0, 0.272)),
        ),
    )
    return Parts(
        geoms,
        grasp_out=0.03,
        grasp_height=0.2,
        grip=0.095,
        radius=0.1,
        height=0.275,
    )


def can(scene: Scene, name: str, color: Color) -> Parts:
    """A tin with a coloured label and a ring to pull."""
    geoms = scene.visible(
        f"{name}.tin", "cylinder", (0.058, 0.075), STEEL, (0, 0, 0.075), collide=MOVABLE, mass=0.5
    )
    geoms += drawn(
        scene,
        name,
        (
            Piece("label", "cylinder", (0.0588, 0.058), gloss(color), (0, 0, 0.075)),
            Piece("stripe", "cylinder", (0.0594, 0.016), WHITE, (0, 0, 0.085)),
            Piece("ring", "cylinder", (0.022, 0.003), gloss(darker(color)), (0, -0.015, 0.153)),
        ),
    )
    return Parts(
        geoms,
        grasp_out=0.03,
        grasp_height=0.11,
        grip=0.12,
        radius=0.06,
        height=0.155,
    )


def egg_carton(scene: Scene, name: str, color: Color) -> Parts:
    """An open carton of six eggs, its lid leaning back."""
    pulp = Surface(color, "speckles", "matte", darker(color, 0.8), 0.04)
    shell = Surface((0.9, 0.68, 0.48), finish="satin")
    geoms = scene.visible(
        f"{name}.tray", "box", (0.12, 0.08, 0.03), pulp, (0, 0, 0.03), collide=MOVABLE, mass=0.4
    )
    pieces = [
        Piece("lid", "box", (0.12, 0.008, 0.06), pulp, (0, 0.092, 0.1), (-0.25, 0, 0)),
        Piece("lid_edge", "box", (0.12, 0.02, 0.006), pulp, (0, 0.09, 0.155), (-0.25, 0, 0)),
        Piece("label", "box", (0.05, 0.002, 0.02), WHITE, (0, -0.0805, 0.03)),
    ]
    for k in range(6):
        x, y = -0.075 + 0.075 * (k % 3), -0.036 + 0.072 * (k // 3)
        pieces.append(Piece(f"egg_{k}", "ellipsoid", (0.032, 0.032, 0.036), shell, (x, y, 0.072)))
    return Parts(
        geoms + drawn(scene, name, pieces),
        grasp_out=0.07,
        grasp_height=0.05,
        grip=0.03,
        radius=0.14,
        height=0.165,
    )


def flour_bag(scene: Scene, name: str, color: Color) -> Parts:
    """A paper bag with a rolled top and a coloured panel."""
    paper = Surface((0.86, 0.8, 0.66), "mottled", "matte", (0.7, 0.62, 0.48), 0.1)
    geoms = scene.visible(
        f"{name}.bag", "box", (0.075, 0.05, 0.085), paper, (0, 0, 0.085), collide=MOVABLE, mass=0.6
    )
    geoms += drawn(
        scene,
        name,
        (
            Piece("shoulder", "ellipsoid", (0.075, 0.05, 0.035), paper, (0, 0, 0.17)),
            Piece("roll", "box", (0.07, 0.014, 0.014), paper, (0, 0, 0.205)),
            Piece("panel", "box", (0.055, 0.0508, 0.05), gloss(color), (0, 0, 0.085)),
            Piece("grain", "ellipsoid", (0.012, 0.052, 0.034), paper, (0, 0, 0.085)),
        ),
    )
    return Parts(
        geoms,
        grasp_out=0.035,
        grasp_height=0.16,
        grip=0.1,
        radius=0.09,
        height=0.22,
    )


def _jar(scene: Scene, name: str, label: Surface, emblem: Surface, trim: Surface) -> Parts:
    """An open clear jar with a label all round; its content shows above that and in its mouth."""
    foot = ((0, 0), (0.066, 0), (0.07, 0.008), (0.07, 0.018), (0, 0.018))
    pieces = [
        Piece("foot", "mesh", scene.mesh("jar_foot", foot), trim),
        Piece("label", "mesh", band(scene, "jar_label", 0.0715, 0.022, 0.072), label),
        Piece("neck", "mesh", band(scene, "jar_neck", 0.067, 0.112, 0.13), trim),
        Piece("emblem", "cylinder", (0.02, 0.003), emblem, (0, -0.073, 0.047), ALONG_Y),
    ]
    for k in range(8):
        turn = (k + 0.5) * math.pi / 4
        at = (0.069 * math.cos(turn), 0.069 * math.sin(turn), 0.09)
        pieces.append(Piece(f"rib_{k}", "capsule", (0.004, 0.022), CLEAR, at))
    return Parts(
        drawn(scene, name, pieces) + upright(0.066, 0, 0.128, 0.5),
        grasp_out=0.035,
        grasp_height=0.09,
        grip=0.14,
        radius=0.074,
        height=0.13,
        vessel=Vessel(((0.018, 0.068), (0.1, 0.068), (0.128, 0.063)), is_clear=True),
    )


def honey_jar(scene: Scene, name: str, color: Color) -> Parts:
    """An open jar whose label has a honeycomb; the honey is a substance."""
    gold = Surface((0.85, 0.5, 0.03), finish="gloss")
    return _jar(scene, name, gloss(color), gold, gold)


def jam_jar(scene: Scene, name: str, color: Color) -> Parts:
    """An open jar with a white label and a fruit; the jam is a substance."""
    return _jar(scene, name, WHITE, gloss(color), gloss(color))


KINDS: dict[str, Builder] = {
    "milk_carton": milk_carton,
    "cereal_box": cereal_box,
    "can": can,
    "egg_carton": egg_carton,
    "flour_bag": flour_bag,
    "honey_jar": honey_jar,
    "jam_jar": jam_jar,
}
