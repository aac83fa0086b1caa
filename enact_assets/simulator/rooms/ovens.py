"""An oven with a door that stands on a counter: it heats only while its door is shut."""

from enact_assets.simulator.rooms.fixtures import (
    LAMP_OFF,
    LAMP_ON,
    Fixture,
    Heater,
    Panel,
    button,
)
from enact_assets.simulator.rooms.kitchen import (
    DARK,
    WORKTOP_M,
    Style,
    door,
    finish_fixture,
    inward,
)
from enact_assets.simulator.shapes.mjcf import STATIC, Scene
from enact_assets.simulator.shapes.surfaces import Surface

MAX_DOOR_RAD, OPEN_DOOR_RAD = 1.6, 1.4
"""Opened wider, the handle goes out of reach: the door's hinge is the far one from the middle."""


def add_microwave(scene: Scene, style: Style, x: float, name: str = "microwave") -> Fixture:
    """A microwave oven on the worktop at a side place, with a door and a button on its top.

    Works with the door shut only; then window and lamp shine.
    """
    front, half_y, half_z, wall = 0.9, 0.165, 0.125, 0.012
    half_x = 0.26
    middle_y, middle_z = front + half_y, WORKTOP_M + half_z
    away = -inward(x)
    look = style.appliance
    # The door is as wide as the hollow; the rest of the front carries the lamp.
    lamp_half = 0.045
    hollow = (x + away * lamp_half, half_x - lamp_half)
    geoms = ""
    for part, half, pos in (
        ("bottom", (half_x, half_y, wall), (x, middle_y, WORKTOP_M + wall)),
        ("top", (half_x, half_y, wall), (x, middle_y, WORKTOP_M + 2 * half_z - wall)),
        ("side", (wall, half_y, half_z), (x + away * (half_x - wall), middle_y, middle_z)),
        (
            "block",
            (lamp_half, half_y, half_z),
            (x - away * (half_x - lamp_half), middle_y, middle_z),
        ),
        ("back", (half_x, wall, half_z), (x, front + 2 * half_y - wall, middle_z)),
    ):
        geoms += scene.visible(f"{name}.{part}", "box", half, look, pos, collide=STATIC)
    geoms += scene.visible(
        f"{name}.lamp", "box", (0.026, 0.004, 0.07), LAMP_OFF,
        (x - away * (half_x - lamp_half), front - 0.003, middle_z + 0.02),
    )  # fmt: skip
    lining = Surface((0.5, 0.5, 0.52), finish="satin")
    geoms += scene.visible(
        f"{name}.lining", "box", (hollow[1] - 2 * wall, 0.002, half_z - 2 * wall), lining,
        (hollow[0], front + 2 * half_y - 2 * wall - 0.003, middle_z),
    )  # fmt: skip
    window = f"{name}.panel.window"
    press, geom = button(
        scene, name,
        (x - away * (half_x - 0.06), front + 0.06, WORKTOP_M + 2 * half_z),
        {window: Surface((0.9, 0.75, 0.35), finish="glow"), f"{name}.lamp": LAMP_ON},
    )  # fmt: skip
    hinge = (x + away * half_x, front - 0.014, middle_z)
    leaf = (half_x - lamp_half, 0.012, half_z)
    handle = (hinge[0] - away * (2 * leaf[0] - 0.035), front - 0.07, middle_z)
    fixture = Fixture(
        name,
        (hollow[0], middle_y, WORKTOP_M + 2 * wall),
        access="front",
        cavity=(
            (hollow[0] - hollow[1] + wall, front - 0.005, WORKTOP_M + wall),
            (hollow[0] + hollow[1] - wall, front + 2 * half_y, WORKTOP_M + 2 * half_z),
        ),
        panel=Panel(handle, (0.0, 0.0, away), hinge, MAX_DOOR_RAD, OPEN_DOOR_RAD),
        button=press,
        cue=len(scene.cues) - 1,
        heater=Heater((hollow[0], middle_y, middle_z), 0.2, needs_closed=True),
    )
    pane = scene.visible(
        window,
        "box",
        (leaf[0] - 0.06, 0.003, leaf[2] - 0.04),
        DARK,
        (-away * (leaf[0] - 0.02), -0.012, 0),
    )
    geoms += door(scene, fixture, look, leaf, 0.08, more=pane)
    return finish_fixture(scene, fixture, geoms + geom)
