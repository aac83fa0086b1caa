"""Kitchen appliances and the sink: what has a button, heats, cools or gives water.

Side places only: buttons and doors face the middle of the kitchen, by the sign of x. A switched
appliance shows it by a lamp and by what glows. Griddle and blender stand on a counter added before.
"""

import math

from enact_assets.simulator.rooms.fixtures import (
    GLOWING,
    LAMP_OFF,
    LAMP_ON,
    Fixture,
    Heater,
    button,
)
from enact_assets.simulator.rooms.kitchen import (
    DARK,
    HALF_WIDTH,
    INSIDE,
    STEEL,
    WORKTOP_M,
    Style,
    base_unit,
    door,
    door_panel,
    finish_fixture,
    inward,
)
from enact_assets.simulator.shapes.mjcf import STATIC, Scene
from enact_assets.simulator.shapes.pieces import band
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.things.thing_parts import Vessel


def add_fridge(scene: Scene, style: Style, x: float, name: str = "fridge") -> Fixture:
    """A refrigerator 1.6 m high with one deep shelf at hand height."""
    front, depth, height, shelf = 0.62, 0.315, 1.6, 0.9
    middle_y = front + depth
    away = -inward(x)
    look = style.appliance
    fixture = Fixture(
        name,
        (x, middle_y, shelf),
        access="front",
        cavity=(
            (x - HALF_WIDTH + 0.03, front - 0.005, shelf - 0.01),
            (x + HALF_WIDTH - 0.03, front + 2 * depth, height - 0.03),
        ),
        panel=door_panel(
            (x + away * HALF_WIDTH, front - 0.022, 0.85),
            (x - away * (HALF_WIDTH - 0.06), front - 0.075, 1.1),
            away,
        ),
    )
    geoms = ""
    for part, half, pos, surface in (
        ("base", (HALF_WIDTH, depth, 0.05), (x, middle_y, 0.05), look),
        ("top", (HALF_WIDTH, depth, 0.02), (x, middle_y, height - 0.02), look),
        ("left", (0.02, depth, height / 2), (x - HALF_WIDTH + 0.02, middle_y, height / 2), look),
        ("right", (0.02, depth, height / 2), (x + HALF_WIDTH - 0.02, middle_y, height / 2), look),
        ("back", (HALF_WIDTH, 0.02, height / 2), (x, front + 2 * depth - 0.02, height / 2), INSIDE),
        ("shelf", (HALF_WIDTH - 0.04, depth - 0.03, 0.01), (x, middle_y, shelf - 0.01), INSIDE),
        ("low_shelf", (HALF_WIDTH - 0.04, depth - 0.03, 0.01), (x, middle_y, 0.5), INSIDE),
    ):
        geoms += scene.visible(f"{name}.{part}", "box", half, surface, pos, collide=STATIC)
    geoms += door(scene, fixture, look, (HALF_WIDTH, 0.02, 0.745), 0.2)
    return finish_fixture(scene, fixture, geoms)


def add_stove(scene: Scene, style: Style, x: float, name: str = "stove") -> Fixture:
    """A cooker with one large burner that glows, a round button and a lamp on its back panel."""
    burner = (x + inward(x) * 0.1, 0.96, 0.904)
    geoms = scene.visible(
        f"{name}.top", "box", (HALF_WIDTH, 0.33, 0.02), DARK, (x, 0.93, 0.88), collide=STATIC
    )
    geoms += scene.visible(
        f"{name}.base", "box", (HALF_WIDTH - 0.01, 0.31, 0.42), style.front, (x, 0.95, 0.44),
        collide=STATIC,
    )  # fmt: skip
    geoms += scene.visible(f"{name}.oven", "box", (0.22, 0.01, 0.17), DARK, (x, 0.635, 0.5))
    off = Surface((0.16, 0.16, 0.17), finish="satin")
    geoms += scene.visible(f"{name}.burner", "cylinder", (0.17, 0.004), off, burner)
    geoms += scene.visible(
        f"{name}.panel", "box", (HALF_WIDTH, 0.02, 0.1), STEEL, (x, 1.24, 1.0), collide=STATIC
    )
    geoms += scene.visible(f"{name}.lamp", "box", (0.16, 0.008, 0.05), LAMP_OFF, (x, 1.215, 1.01))
    press, geom = button(
        scene, name, (x + inward(x) * 0.22, 0.66, WORKTOP_M),
        {f"{name}.burner": GLOWING, f"{name}.lamp": LAMP_ON},
    )  # fmt: skip
    fixture = Fixture(
        name,
        (burner[0], burner[1], 0.908),
        button=press,
        cue=len(scene.cues) - 1,
        heater=Heater((burner[0], burner[1], 0.98), 0.25),
    )
    return finish_fixture(scene, fixture, geoms + geom)


def add_griddle(scene: Scene, style: Style, x: float, name: str = "griddle") -> Fixture:
    """An electric griddle on the worktop: a low plate of ribs that glow, a button before it."""
    at = (x + inward(x) * 0.13, 0.99)
    half_x, half_y, height = 0.17, 0.15, 0.06
    geoms = scene.visible(
        f"{name}.case", "box", (half_x, half_y, height / 2), style.appliance,
        (*at, WORKTOP_M + height / 2), collide=STATIC,
    )  # fmt: skip
    top = WORKTOP_M + height
    iron = Surface((0.13, 0.13, 0.14), finish="satin")
    hot: dict[str, Surface] = {f"{name}.lamp": LAMP_ON}
    for k in range(6):
        rib = f"{name}.rib_{k}"
        pos = (at[0] + 0.053 * (k - 2.5), at[1], top + 0.004)
        geoms += scene.visible(rib, "box", (0.022, half_y - 0.015, 0.004), iron, pos)
        hot[rib] = GLOWING
    plate = (half_x - 0.012, half_y - 0.012, 0.004)
    geoms += scene.solid("box", plate, (*at, top + 0.004), 0.0, collide=STATIC)
    geoms += scene.visible(
        f"{name}.lamp", "box", (0.09, 0.004, 0.02), LAMP_OFF, (at[0], at[1] - half_y - 0.003, 0.93)
    )
    press, geom = button(scene, name, (at[0] + inward(x) * 0.06, 0.72, WORKTOP_M), hot)
    fixture = Fixture(
        name,
        (*at, top + 0.008),
        button=press,
        cue=len(scene.cues) - 1,
        heater=Heater((*at, top + 0.05), 0.2),
    )
    return finish_fixture(scene, fixture, geoms + geom)


def add_sink(scene: Scene, style: Style, x: float, name: str = "sink") -> Fixture:
    """A worktop with a steel basin, a tap over its middle and a button that opens the tap.

    Things put into it stand on the bottom of the basin, 0.13 m below the worktop.
    """
    half_x, half_y, middle_y, depth = 0.215, 0.185, 0.9, 0.13
    bottom = WORKTOP_M - depth
    geoms = base_unit(scene, style, x, name, bottom - 0.012)
    low_y, high_y, outer = 0.6, 1.27, HALF_WIDTH + 0.01
    for part, x0, x1, y0, y1 in (
        ("near", -outer, outer, low_y, middle_y - half_y),
        ("far", -outer, outer, middle_y + half_y, high_y),
        ("left", -outer, -half_x, middle_y - half_y, middle_y + half_y),
        ("right", half_x, outer, middle_y - half_y, middle_y + half_y),
    ):
        half = ((x1 - x0) / 2, (y1 - y0) / 2, 0.02)
        pos = (x + (x0 + x1) / 2, (y0 + y1) / 2, WORKTOP_M - 0.02)
        geoms += scene.visible(f"{name}.{part}", "box", half, style.top, pos, collide=STATIC)
    for part, half, offset in (
        ("bottom", (half_x, half_y, 0.006), (0.0, 0.0, -depth - 0.006)),
        ("wall_left", (0.006, half_y, depth / 2), (-half_x, 0.0, -depth / 2)),
        ("wall_right", (0.006, half_y, depth / 2), (half_x, 0.0, -depth / 2)),
        ("wall_near", (half_x, 0.006, depth / 2), (0.0, -half_y, -depth / 2)),
        ("wall_far", (half_x, 0.006, depth / 2), (0.0, half_y, -depth / 2)),
    ):
        pos = (x + offset[0], middle_y + offset[1], WORKTOP_M + 0.003 + offset[2])
        geoms += scene.visible(f"{name}.{part}", "box", half, STEEL, pos, collide=STATIC)
    for part, kind, size, pos in (
        ("drain", "cylinder", (0.035, 0.002), (x, middle_y, bottom + 0.004)),
        ("tap_foot", "cylinder", (0.04, 0.02), (x, 1.16, WORKTOP_M + 0.02)),
        ("tap_post", "cylinder", (0.024, 0.13), (x, 1.16, WORKTOP_M + 0.13)),
        ("tap_arm", "box", (0.022, 0.115, 0.02), (x, 1.065, WORKTOP_M + 0.26)),
        ("tap_mouth", "cylinder", (0.026, 0.03), (x, 0.97, WORKTOP_M + 0.23)),
    ):
        look = DARK if part == "drain" else STEEL
        geoms += scene.visible(f"{name}.{part}", kind, size, look, pos)
    geoms += scene.visible(
        f"{name}.lamp", "box", (0.024, 0.06, 0.006), LAMP_OFF, (x, 1.08, WORKTOP_M + 0.285)
    )
    blue = Surface((0.1, 0.45, 1.0), finish="glow")
    press, geom = button(
        scene, name, (x + inward(x) * 0.265, 0.66, WORKTOP_M), {f"{name}.lamp": blue}
    )
    fixture = Fixture(
        name,
        (x, middle_y, bottom + 0.003),
        cavity=(
            (x - half_x, middle_y - half_y, bottom),
            (x + half_x, middle_y + half_y, WORKTOP_M + 0.05),
        ),
        button=press,
        cue=len(scene.cues) - 1,
        spout=(x, 0.97, WORKTOP_M + 0.2),
        vessel=Vessel(((0.001, 0.175), (depth - 0.01, 0.182))),
    )
    return finish_fixture(scene, fixture, geoms + geom)


def add_blender(scene: Scene, style: Style, x: float, name: str = "blender") -> Fixture:
    """A blender on the worktop: a wide open clear jar on a base, with a button before it."""
    at = (x + inward(x) * 0.06, 1.02)
    base = 0.1
    foot = WORKTOP_M + base
    geoms = scene.visible(
        f"{name}.base", "box", (0.11, 0.11, base / 2), style.appliance,
        (*at, WORKTOP_M + base / 2), collide=STATIC,
    )  # fmt: skip
    geoms += scene.visible(
        f"{name}.lamp", "box", (0.06, 0.004, 0.028), LAMP_OFF, (at[0], at[1] - 0.112, 0.955)
    )
    glass = Surface((0.62, 0.76, 0.82), finish="gloss")
    for part, radius, low, high in (("rim", 0.113, 0.172, 0.195), ("hoop", 0.102, 0.09, 0.1)):
        mesh = band(scene, f"blender_{part}", radius, low, high)
        geoms += scene.visible(f"{name}.{part}", "mesh", mesh, glass, (*at, foot))
    for k in range(8):
        turn = (k + 0.5) * math.pi / 4
        x_k, y_k, lean = math.cos(turn), math.sin(turn), 0.12
        geoms += scene.visible(
            f"{name}.rib_{k}", "capsule", (0.005, 0.09), glass,
            (at[0] + 0.102 * x_k, at[1] + 0.102 * y_k, foot + 0.1),
            euler=(-lean * y_k, lean * x_k, 0),
        )  # fmt: skip
    geoms += scene.visible(
        f"{name}.ring", "cylinder", (0.096, 0.012), DARK, (*at, foot + 0.012), collide=STATIC
    )
    geoms += scene.visible(
        f"{name}.blades", "box", (0.05, 0.012, 0.004), STEEL, (*at, foot + 0.03), euler=(0, 0, 0.6)
    )
    press, geom = button(
        scene, name, (at[0], 0.8, WORKTOP_M),
        {f"{name}.lamp": LAMP_ON, f"{name}.ring": Surface((0.2, 0.6, 1.0), finish="glow")},
    )  # fmt: skip
    fixture = Fixture(
        name,
        (*at, foot + 0.025),
        cavity=((at[0] - 0.1, at[1] - 0.1, foot), (at[0] + 0.1, at[1] + 0.1, foot + 0.25)),
        button=press,
        cue=len(scene.cues) - 1,
        vessel=Vessel(((0.001, 0.09), (0.165, 0.108)), is_clear=True),
    )
    return finish_fixture(scene, fixture, geoms + geom)
