"""Builders of what stands in a garage beside tools: paint, oil, cleaning things, boxes."""

from enact_assets.simulator.shapes.mjcf import MOVABLE, Scene, Vec3
from enact_assets.simulator.shapes.pieces import ALONG_X, BLACK, STEEL, WHITE, Piece, band, drawn
from enact_assets.simulator.shapes.surfaces import Color, Surface, darker, gloss
from enact_assets.simulator.things.thing_parts import Builder, Coat, Parts, Vessel, upright_cylinder


def grid(half_x: float, half_y: float, z: float, columns: int, rows: int) -> tuple[Vec3, ...]:
    """Places of a coat: a grid over a rectangle about the origin, odd rows shifted by a little."""
    found = []
    for row in range(rows):
        shift = (0.5 if row % 2 else 0.0) * half_x / columns
        for column in range(columns):
            x = half_x * ((2 * column + 1) / columns - 1) + shift
            found.append((x, half_y * ((2 * row + 1) / rows - 1), z))
    return tuple(found)


def paint_can(scene: Scene, name: str, color: Color) -> Parts:
    """An open tin; the label has the colour of the paint."""
    profile = (
        (0, 0), (0.075, 0), (0.075, 0.15), (0.08, 0.153), (0.08, 0.158), (0.07, 0.158),
        (0.068, 0.014), (0, 0.012),
    )  # fmt: skip
    pieces = (
        Piece("tin", "mesh", scene.mesh("paint_can", profile), STEEL),
        Piece("label", "mesh", band(scene, "paint_can_label", 0.076, 0.025, 0.125), gloss(color)),
        Piece("spot", "box", (0.028, 0.001, 0.028), WHITE, (0, -0.078, 0.075)),
        Piece("ear_1", "sphere", (0.014,), STEEL, (-0.08, 0, 0.125)),
        Piece("ear_2", "sphere", (0.014,), STEEL, (0.08, 0, 0.125)),
    )
    solid = upright_cylinder(0.07, 0, 0.02, 0.6) + scene.ring(0.073, 0.02, 0.15, 0.2)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.072,
        grasp_height=0.135,
        grip=0.02,
        radius=0.085,
        height=0.16,
        rest_height=0.02,
        vessel=Vessel(((0.014, 0.066), (0.155, 0.07))),
    )


def paint_brush(scene: Scene, name: str, color: Color) -> Parts:
    """A wide flat brush that lies with its bristles away from the robot."""
    bristles = Surface((0.78, 0.68, 0.48), "stripes", "matte", (0.55, 0.45, 0.28), 0.012)
    pieces = (
        Piece("handle", "capsule", (0.019, 0.06), gloss(color), (0, -0.1, 0.022), (1.5708, 0, 0)),
        Piece("ferrule", "box", (0.042, 0.024, 0.015), STEEL, (0, -0.005, 0.02)),
        Piece("bristles", "box", (0.045, 0.05, 0.016), bristles, (0, 0.07, 0.02)),
    )
    solid = Scene.solid("box", (0.045, 0.05, 0.018), (0, 0.07, 0.018), 0.15)
    solid += Scene.solid("box", (0.02, 0.09, 0.018), (0, -0.08, 0.018), 0.1)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.1,
        grasp_height=0.025,
        grip=0.045,
        radius=0.18,
        height=0.04,
        coat=Coat(
            tuple((x, y, 0.038) for x in (-0.024, 0.024) for y in (0.04, 0.07, 0.1)), patch_m=0.026
        ),
        is_applier=True,
        tip=(0.0, 0.11, 0.02),
    )


def board(scene: Scene, name: str, color: Color) -> Parts:
    """A raw wooden board, to be painted."""
    wood = Surface(color, "wood", "matte", darker(color, 0.6), 0.1)
    end = Surface(darker(color, 0.5), finish="matte")
    half_x, half_y = 0.19, 0.12
    pieces = (
        Piece("plank", "box", (half_x, half_y, 0.014), wood, (0, 0, 0.014)),
        Piece("end_1", "box", (0.004, half_y, 0.0135), end, (-half_x - 0.002, 0, 0.014)),
        Piece("end_2", "box", (0.004, half_y, 0.0135), end, (half_x + 0.002, 0, 0.014)),
    )
    solid = Scene.solid("box", (half_x, half_y, 0.014), (0, 0, 0.014), 1.2)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=half_y - 0.01,
        grasp_height=0.02,
        grip=0.03,
        radius=0.23,
        height=0.028,
        rest_height=0.029,
        coat=Coat(grid(0.16, 0.1, 0.03, 3, 2), patch_m=0.058),
    )


def bucket(scene: Scene, name: str, color: Color) -> Parts:
    """A small bucket, its bow laid down towards the robot."""
    profile = (
        (0, 0), (0.083, 0), (0.085, 0.006), (0.112, 0.14), (0.12, 0.143), (0.12, 0.15),
        (0.106, 0.15), (0.079, 0.014), (0, 0.01),
    )  # fmt: skip
    rim = gloss(darker(color, 0.5))
    pieces = (
        Piece("shell", "mesh", scene.mesh("bucket", profile), gloss(color)),
        Piece("hoop", "mesh", band(scene, "bucket_hoop", 0.12, 0.13, 0.15), rim),
        Piece("bow_1", "capsule", (0.006, 0.045), STEEL, (-0.1, -0.066, 0.12), (1.2, 0.35, 0)),
        Piece("bow_2", "capsule", (0.006, 0.045), STEEL, (0.1, -0.066, 0.12), (1.2, -0.35, 0)),
        Piece("bow_3", "capsule", (0.011, 0.07), BLACK, (0, -0.12, 0.1), ALONG_X),
    )
    solid = upright_cylinder(0.083, 0, 0.012, 0.5) + scene.ring(0.1, 0.015, 0.145, 0.3)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.112,
        grasp_height=0.135,
        grip=0.02,
        radius=0.13,
        height=0.15,
        rest_height=0.013,
        vessel=Vessel(((0.013, 0.079), (0.148, 0.106))),
    )


def sponge(scene: Scene, name: str, color: Color) -> Parts:
    """A thick two-coloured sponge."""
    soft = Surface(color, "speckles", "matte", darker(color, 0.6), 0.03)
    scourer = Surface(darker(color, 0.3), "speckles", "matte", darker(color, 0.15), 0.02)
    half = (0.085, 0.068)
    pieces = (
        Piece("foam", "box", (*half, 0.02), soft, (0, 0, 0.036)),
        Piece("scourer", "box", (*half, 0.008), scourer, (0, 0, 0.008)),
    )
    solid = Scene.solid("box", (*half, 0.028), (0, 0, 0.028), 0.15)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.06,
        grasp_height=0.045,
        grip=0.1,
        radius=0.1,
        height=0.056,
        coat=Coat(
            tuple((x, y, 0.058) for x in (-0.055, 0.0, 0.055) for y in (-0.005, 0.042)),
            patch_m=0.027,
        ),
        is_wiper=True,
    )


def rag(scene: Scene, name: str, color: Color) -> Parts:
    """A checked cloth folded over twice."""
    cloth = Surface(color, "checks", "matte", (0.9, 0.88, 0.82), 0.06)
    pieces = (
        Piece("low", "box", (0.105, 0.075, 0.008), cloth, (0, 0, 0.008), (0, 0, 0.08)),
        Piece("middle", "box", (0.08, 0.07, 0.008), cloth, (0.01, 0.0, 0.022), (0, 0, -0.14)),
        Piece("high", "box", (0.055, 0.06, 0.008), cloth, (-0.02, 0.005, 0.036), (0, 0, 0.25)),
    )
    solid = Scene.solid("box", (0.1, 0.07, 0.02), (0, 0, 0.02), 0.15)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.05,
        grasp_height=0.04,
        grip=0.07,
        radius=0.12,
        height=0.044,
        coat=Coat(grid(0.055, 0.045, 0.046, 2, 2), patch_m=0.027),
        is_wiper=True,
    )


def spray_bottle(scene: Scene, name: str, color: Color) -> Parts:
    """A bottle of cleaner with a trigger head that sprays to the left."""
    profile = (
        (0, 0), (0.052, 0), (0.056, 0.008), (0.056, 0.1), (0.024, 0.16), (0.022, 0.18), (0, 0.18),
    )  # fmt: skip
    pieces = (
        Piece("body", "mesh", scene.mesh("spray_bottle", profile), gloss(color)),
        Piece("label", "mesh", band(scene, "spray_label", 0.0565, 0.025, 0.085), WHITE),
        Piece("collar", "cylinder", (0.03, 0.012), BLACK, (0, 0, 0.185)),
        Piece("head", "box", (0.052, 0.02, 0.018), WHITE, (-0.012, 0, 0.212)),
        Piece("nozzle", "cylinder", (0.015, 0.012), BLACK, (-0.072, 0, 0.215), ALONG_X),
        Piece("trigger", "box", (0.007, 0.014, 0.03), BLACK, (-0.045, 0, 0.175), (0, 0.4, 0)),
    )
    return Parts(
        drawn(scene, name, pieces) + upright_cylinder(0.054, 0, 0.16, 0.5),
        grasp_out=0.03,
        grasp_height=0.12,
        grip=0.1,
        radius=0.075,
        height=0.23,
    )


def oil_can(scene: Scene, name: str, color: Color) -> Parts:
    """An oiler: a squat tin with a long slanting spout."""
    profile = (
        (0, 0), (0.072, 0), (0.076, 0.008), (0.074, 0.06), (0.03, 0.105), (0.018, 0.12), (0, 0.12),
    )  # fmt: skip
    tip = Surface((0.9, 0.5, 0.2), finish="gloss")
    pieces = (
        Piece("tin", "mesh", scene.mesh("oil_can", profile), gloss(color)),
        Piece("hoop", "mesh", band(scene, "oil_can_hoop", 0.0755, 0.012, 0.03), STEEL),
        Piece("spout", "capsule", (0.009, 0.085), STEEL, (0.055, 0, 0.18), (0, 0.65, 0)),
        Piece("tip", "sphere", (0.014,), tip, (0.108, 0, 0.25)),
        Piece("handle_1", "capsule", (0.01, 0.035), BLACK, (-0.075, 0, 0.1), (0, 0.9, 0)),
        Piece("handle_2", "capsule", (0.01, 0.03), BLACK, (-0.097, 0, 0.055)),
    )
    return Parts(
        drawn(scene, name, pieces) + upright_cylinder(0.072, 0, 0.105, 0.6),
        grasp_out=0.03,
        grasp_height=0.085,
        grip=0.09,
        radius=0.13,
        height=0.26,
    )


def cardboard_box(scene: Scene, name: str, color: Color) -> Parts:
    """A closed carton with tape along its top and a label in front."""
    paper = Surface((0.52, 0.35, 0.18), "mottled", "matte", (0.44, 0.28, 0.13), 0.2)
    tape = Surface((0.78, 0.66, 0.42), finish="gloss")
    half_x, half_y, half_z = 0.12, 0.085, 0.075
    geoms = scene.visible(
        f"{name}.carton", "box", (half_x, half_y, half_z), paper, (0, 0, half_z),
        collide=MOVABLE, mass=0.6,
    )  # fmt: skip
    pieces = (
        Piece("tape", "box", (half_x + 0.001, 0.02, 0.001), tape, (0, 0, 2 * half_z)),
        Piece("strip", "box", (0.001, 0.02, 0.03), tape, (half_x, 0, 2 * half_z - 0.03)),
        Piece("label", "box", (0.055, 0.001, 0.04), gloss(color), (0.03, -half_y, half_z + 0.01)),
        Piece("lid_label", "box", (0.04, 0.028, 0.001), gloss(color), (-0.06, -0.05, 2 * half_z)),
        Piece("hole", "box", (0.022, 0.0015, 0.009), BLACK, (-0.075, -half_y, 2 * half_z - 0.03)),
    )
    return Parts(
        geoms + drawn(scene, name, pieces),
        grasp_out=half_y,
        grasp_height=0.125,
        grip=0.04,
        radius=0.148,
        height=2 * half_z,
        rest_height=2 * half_z + 0.001,
    )


KINDS: dict[str, Builder] = {
    "paint_can": paint_can,
    "paint_brush": paint_brush,
    "board": board,
    "bucket": bucket,
    "sponge": sponge,
    "rag": rag,
    "spray_bottle": spray_bottle,
    "oil_can": oil_can,
    "cardboard_box": cardboard_box,
}
