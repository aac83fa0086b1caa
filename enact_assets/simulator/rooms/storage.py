"""Furniture of any room that things go into from above: a chest of drawers and a chest with a lid.

Both stand at a work place as all furniture does and take a style of their own, so that every room
can give them its colours.
"""

from dataclasses import dataclass

from enact_assets.simulator.rooms.fixtures import Fixture, Panel, panel_xml
from enact_assets.simulator.rooms.shell import STEEL
from enact_assets.simulator.shapes.mjcf import DOOR, STATIC, Scene, Vec3
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import WorldObject

HALF_WIDTH = 0.31
LINING = Surface((0.8, 0.76, 0.68), finish="matte")


@dataclass(frozen=True)
class Style:
    """Colours of a piece of furniture: its body, its drawer fronts or lid, its top, its handles."""

    body: Surface
    front: Surface
    top: Surface
    handle: Surface = STEEL
    lining: Surface = LINING


DRAWER_HEIGHTS = (0.735, 0.485)
"""Middles of the fronts of the two drawers."""
PULL_M, MAX_PULL_M = 0.34, 0.36
LID_RAD, MAX_LID_RAD = 1.75, 1.85
"""How far the robot opens drawers and lids, and the ranges of their joints."""


def add_drawer_unit(
    scene: Scene,
    style: Style,
    x: float,
    name: str = "chest_of_drawers",
    drawers: tuple[str, str] = ("top_drawer", "bottom_drawer"),
) -> tuple[Fixture, Fixture, Fixture]:
    """A chest 0.9 m high with two drawers: the fixtures of its top and of the two drawers.

    Each is an object of its own, with its name as category. In an open drawer things up to 0.17 m
    high stand within 0.22 m to the left and right and 0.1 m before and behind the origin.
    """
    width = HALF_WIDTH
    geoms = scene.visible(
        f"{name}.top", "box", (width + 0.01, 0.335, 0.02), style.top, (x, 0.935, 0.88),
        collide=STATIC,
    )  # fmt: skip
    for part, half, pos in (
        ("left", (0.012, 0.3, 0.43), (x - width + 0.012, 0.96, 0.43)),
        ("right", (0.012, 0.3, 0.43), (x + width - 0.012, 0.96, 0.43)),
        ("back", (width, 0.01, 0.41), (x, 1.25, 0.45)),
        ("middle", (width - 0.024, 0.29, 0.006), (x, 0.96, 0.611)),
        ("bottom", (width - 0.024, 0.29, 0.006), (x, 0.96, 0.361)),
    ):
        geoms += scene.visible(f"{name}.{part}", "box", half, style.body, pos, collide=STATIC)
    plinth = (width - 0.024, 0.008, 0.12)
    geoms += scene.visible(f"{name}.plinth", "box", plinth, style.body, (x, 0.68, 0.235))
    scene.body(name, (0, 0, 0), geoms)
    scene.objects.append(WorldObject(name, name, (name,), is_fixed=True))
    top, bottom = (
        _add_drawer(scene, style, x, drawer, z)
        for drawer, z in zip(drawers, DRAWER_HEIGHTS, strict=True)
    )
    return Fixture(name, (x, 0.93, 0.90)), top, bottom


def _add_drawer(scene: Scene, style: Style, x: float, name: str, z: float) -> Fixture:
    """A drawer whose front is 0.24 m high about ``z``; its body is all that moves."""
    half_x, half_y = HALF_WIDTH - 0.036, 0.225
    middle_y, floor = 0.88, z - 0.075
    handle: Vec3 = (x, 0.598, z)
    fixture = Fixture(
        name,
        (x, 0.8, floor + 0.006),
        cavity=(
            (x - half_x, middle_y - half_y, floor),
            (x + half_x, middle_y + half_y, z + 0.12),
        ),
        panel=Panel(handle, (0.0, -1.0, 0.0), None, MAX_PULL_M, PULL_M, carries=True),
    )
    body = fixture.panel_body
    geoms = ""
    for part, half, pos, look in (
        ("front", (HALF_WIDTH - 0.004, 0.012, 0.12), (x, 0.643, z), style.front),
        ("floor", (half_x, half_y, 0.006), (x, middle_y, floor), style.lining),
        ("left", (0.008, half_y, 0.075), (x - half_x, middle_y, floor + 0.07), style.lining),
        ("right", (0.008, half_y, 0.075), (x + half_x, middle_y, floor + 0.07), style.lining),
        ("back", (half_x, 0.008, 0.075), (x, middle_y + half_y, floor + 0.07), style.lining),
    ):
        geoms += scene.visible(
            f"{body}.{part}", "box", half, look, _from(handle, pos), collide=DOOR, mass=0.8
        )
    frame = (HALF_WIDTH - 0.05, 0.004, 0.08)
    geoms += scene.visible(f"{body}.inset", "box", frame, style.front, (0, 0.031, 0))
    geoms += scene.visible(f"{body}.bar", "box", (0.1, 0.011, 0.011), style.handle)
    for k, sx in enumerate((-1.0, 1.0)):
        post = (sx * 0.085, 0.018, 0)
        geoms += scene.visible(f"{body}.post_{k}", "box", (0.008, 0.018, 0.008), style.handle, post)
    scene.body(name, (0, 0, 0), panel_xml(fixture, geoms))
    scene.objects.append(WorldObject(name, name, (name,), is_fixed=True))
    return fixture


def add_chest(scene: Scene, style: Style, x: float, name: str = "chest") -> Fixture:
    """A chest on legs with a lid that swings up and back; things go in from above.

    In the open chest things up to 0.22 m high stand within 0.18 m to the left and right and 0.09 m
    before and behind the origin.
    """
    half_x, half_y, y = 0.29, 0.2, 0.74
    floor, rim = 0.5, 0.75
    hinge: Vec3 = (x, y + half_y, rim + 0.012)
    handle: Vec3 = (x, y - half_y - 0.045, rim + 0.012)
    fixture = Fixture(
        name,
        (x, y, floor + 0.01),
        cavity=((x - half_x, y - half_y, floor), (x + half_x, y + half_y, rim)),
        panel=Panel(handle, (-1.0, 0.0, 0.0), hinge, MAX_LID_RAD, LID_RAD),
    )
    middle, half_z = (floor + rim) / 2, (rim - floor) / 2
    geoms = ""
    for part, half, pos, look in (
        ("floor", (half_x, half_y, 0.01), (x, y, floor), style.lining),
        ("left", (0.012, half_y, half_z), (x - half_x, y, middle), style.body),
        ("right", (0.012, half_y, half_z), (x + half_x, y, middle), style.body),
        ("near", (half_x + 0.012, 0.012, half_z), (x, y - half_y, middle), style.body),
        ("far", (half_x + 0.012, 0.012, half_z), (x, y + half_y, middle), style.body),
    ):
        geoms += scene.visible(f"{name}.{part}", "box", half, look, pos, collide=STATIC)
    for k, (sx, sy) in enumerate(((-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0))):
        leg = (x + sx * (half_x - 0.03), y + sy * (half_y - 0.03), floor / 2)
        geoms += scene.visible(f"{name}.leg_{k}", "box", (0.03, 0.03, floor / 2), style.top, leg)
    for k, sx in enumerate((-1.0, 1.0)):
        strap = (x + 0.6 * sx * half_x, y - half_y - 0.013, middle)
        geoms += scene.visible(f"{name}.strap_{k}", "box", (0.025, 0.003, half_z), style.top, strap)
    panel = fixture.panel_body
    board, at = (half_x + 0.02, half_y + 0.018, 0.012), (x, y, rim + 0.014)
    lid = scene.visible(
        f"{panel}.board", "box", board, style.front, _from(hinge, at), collide=DOOR, mass=1.5
    )
    for k, sx in enumerate((-1.0, 1.0)):
        band = _from(hinge, (x + 0.6 * sx * half_x, y, rim + 0.028))
        size = (0.025, half_y + 0.018, 0.003)
        lid += scene.visible(f"{panel}.band_{k}", "box", size, style.top, band)
    lid += scene.visible(
        f"{panel}.bar", "box", (0.09, 0.011, 0.011), style.handle, _from(hinge, handle)
    )
    for k, sx in enumerate((-1.0, 1.0)):
        at_post = _from(hinge, (x + sx * 0.075, handle[1] + 0.016, handle[2]))
        size = (0.008, 0.016, 0.008)
        lid += scene.visible(f"{panel}.post_{k}", "box", size, style.handle, at_post)
    scene.body(name, (0, 0, 0), geoms + panel_xml(fixture, lid))
    scene.objects.append(WorldObject(name, name, (name,), is_fixed=True))
    return fixture


def _from(origin: Vec3, point: Vec3) -> Vec3:
    """``point`` as seen from ``origin``."""
    return (point[0] - origin[0], point[1] - origin[1], point[2] - origin[2])
