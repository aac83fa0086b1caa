"""A garage: a workbench between a place for storage and a place for cleaning, bare walls.

Brick or painted concrete, a roller door in one side wall and a board with outlines of tools above
the bench tell it from a kitchen or living room. x runs to the right, y away from the robot, and
the floor is z = 0.
"""

from dataclasses import dataclass

from enact_assets.simulator.rooms.decor import Decor
from enact_assets.simulator.rooms.fixtures import Fixture, Panel, panel_xml
from enact_assets.simulator.rooms.kitchen import HALF_WIDTH, finish_fixture, inward
from enact_assets.simulator.rooms.shell import WALL_Y, Window, add_shell, look_of
from enact_assets.simulator.rooms.walls import Face
from enact_assets.simulator.shapes.mjcf import DOOR, STATIC, Scene, Vec3
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import Cue
from enact_assets.simulator.things.thing_parts import Coat

BENCH_M = 0.84
"""Height of the workbench."""

STEEL = Surface((0.6, 0.61, 0.63), finish="metal")
DARK = Surface((0.03, 0.03, 0.035), finish="gloss")
RED = Surface((0.75, 0.04, 0.03), finish="gloss")
CERAMIC = Surface((0.82, 0.83, 0.82), finish="gloss")
ENAMEL = Surface((0.86, 0.87, 0.88), finish="gloss")
GRIME = Surface((0.2, 0.19, 0.18), finish="matte")


@dataclass(frozen=True)
class Style:
    """Colours of one garage: ``metal`` is that of its cupboards, ``gate`` that of its door."""

    wall: Surface
    floor: Surface
    top: Surface
    metal: Surface
    frame: Surface
    pegboard: Surface
    outline: Surface
    gate: Surface
    appliance: Surface = ENAMEL


def _plywood(light: tuple[float, float, float], dark: tuple[float, float, float]) -> Surface:
    return Surface(light, "wood", "satin", dark, 0.14)


STYLES: tuple[Style, ...] = (
    Style(
        wall=Surface((0.42, 0.17, 0.11), "brick", "matte", (0.66, 0.6, 0.54), 0.24),
        floor=Surface((0.5, 0.5, 0.49), "mottled", "matte", (0.36, 0.36, 0.36), 0.5),
        top=_plywood((0.66, 0.47, 0.27), (0.5, 0.32, 0.16)),
        metal=Surface((0.05, 0.16, 0.42), finish="gloss"),
        frame=Surface((0.14, 0.15, 0.17), finish="satin"),
        pegboard=Surface((0.72, 0.57, 0.36), finish="matte"),
        outline=Surface((0.12, 0.1, 0.08), finish="matte"),
        gate=Surface((0.78, 0.78, 0.75), finish="satin"),
    ),
    Style(
        wall=Surface((0.66, 0.7, 0.68), "mottled", "matte", (0.56, 0.6, 0.58), 0.4),
        floor=Surface((0.36, 0.13, 0.1), "speckles", "satin", (0.5, 0.3, 0.26), 0.12),
        top=Surface((0.58, 0.59, 0.6), "brushed", "satin", (0.68, 0.69, 0.7), 0.2),
        metal=Surface((0.85, 0.6, 0.04), finish="gloss"),
        frame=Surface((0.08, 0.08, 0.09), finish="satin"),
        pegboard=Surface((0.2, 0.24, 0.28), finish="matte"),
        outline=Surface((0.95, 0.78, 0.1), finish="matte"),
        gate=Surface((0.2, 0.3, 0.26), finish="satin"),
        appliance=Surface((0.45, 0.47, 0.5), finish="gloss"),
    ),
    Style(
        wall=Surface((0.8, 0.79, 0.75), "brick", "matte", (0.62, 0.61, 0.58), 0.24),
        floor=Surface((0.12, 0.12, 0.13), "checks", "satin", (0.34, 0.35, 0.36), 0.8),
        top=_plywood((0.78, 0.6, 0.36), (0.62, 0.44, 0.24)),
        metal=Surface((0.5, 0.05, 0.05), finish="gloss"),
        frame=Surface((0.5, 0.5, 0.52), finish="metal"),
        pegboard=Surface((0.9, 0.9, 0.88), finish="matte"),
        outline=Surface((0.65, 0.08, 0.06), finish="matte"),
        gate=Surface((0.14, 0.26, 0.42), finish="satin"),
    ),
    Style(
        wall=Surface((0.46, 0.48, 0.5), "tile", "matte", (0.72, 0.73, 0.73), 0.36),
        floor=Surface((0.3, 0.36, 0.4), "mottled", "satin", (0.2, 0.25, 0.29), 0.6),
        top=_plywood((0.44, 0.3, 0.19), (0.3, 0.19, 0.11)),
        metal=Surface((0.06, 0.32, 0.16), finish="gloss"),
        frame=Surface((0.75, 0.74, 0.7), finish="satin"),
        pegboard=Surface((0.1, 0.36, 0.38), finish="matte"),
        outline=Surface((0.9, 0.9, 0.86), finish="matte"),
        gate=Surface((0.66, 0.3, 0.1), finish="satin"),
        appliance=Surface((0.16, 0.2, 0.26), finish="gloss"),
    ),
)
"""The garages a seed may draw."""


def add_room(scene: Scene, style: Style, gate_x: float, *, tools: bool = True) -> None:
    """Walls, a small window, a roller door in the side wall where ``gate_x`` lies, a tube lamp,
    and with ``tools`` the board with outlines. Only the floor is an object.
    """
    scene.look = look_of("garage", STYLES, style)
    window = Window(z=1.8, half_width=0.5, half_height=0.14, columns=4, view="street")
    decor = (Decor("clock", "back", inward(gate_x) * 1.3, 1.72, 0.3, ((0.1, 0.1, 0.11),)),)
    add_shell(scene, style.wall, style.floor, window=window, decor=decor, skirting=GRIME)
    wall = Face(scene, "left" if gate_x < 0 else "right")
    geoms = ""
    for part, y in (("near", -1.36), ("far", 0.78)):
        geoms += wall.box(
            f"gate.rail_{part}", style.frame, (y, 1.0), (0.05, 1.04), layer=(0.0, 0.06)
        )
    geoms += wall.box("gate.case", style.frame, (-0.29, 2.12), (1.12, 0.12), layer=(0.0, 0.16))
    for k in range(14):
        z = 0.075 + 0.145 * k
        geoms += wall.box(
            f"gate.slat_{k}", style.gate, (-0.29, z), (1.03, 0.066), layer=(0.0, 0.03)
        )
    geoms += wall.box("gate.gap", DARK, (-0.29, 1.0), (1.03, 1.0), layer=(0.0, 0.012))
    back = Face(scene, "back")
    geoms += back.box("tube.case", style.frame, (0.0, 2.03), (0.6, 0.03), layer=(0.0, 0.05))
    geoms += back.box("tube.lamp", ENAMEL, (0.0, 2.015), (0.55, 0.018), layer=(0.05, 0.075))
    if tools:
        geoms += _pegboard(scene, style)
    scene.body("garage", (0, 0, 0), geoms)


def _pegboard(scene: Scene, style: Style) -> str:
    """A board on the back wall with painted outlines of a saw, a hammer, wrenches and pliers."""
    wall = Face(scene, "back")
    low = (0.0, 0.012)
    geoms = wall.box("pegboard.board", style.pegboard, (0.0, 1.29), (0.42, 0.26), layer=low)
    for k, (x, z, half_x, half_z) in enumerate(
        (
            (-0.29, 1.4, 0.09, 0.022), (-0.18, 1.4, 0.026, 0.05),
            (-0.05, 1.3, 0.011, 0.13), (-0.05, 1.42, 0.06, 0.026),
            (0.1, 1.3, 0.012, 0.11), (0.078, 1.43, 0.012, 0.028), (0.122, 1.43, 0.012, 0.028),
            (0.2, 1.28, 0.01, 0.08), (0.184, 1.38, 0.009, 0.022), (0.216, 1.38, 0.009, 0.022),
            (0.32, 1.38, 0.022, 0.04), (0.3, 1.27, 0.011, 0.08), (0.34, 1.27, 0.011, 0.08),
            (-0.29, 1.2, 0.018, 0.06), (-0.29, 1.3, 0.008, 0.05),
        )
    ):  # fmt: skip
        name = f"pegboard.outline_{k}"
        geoms += wall.box(name, style.outline, (x, z), (half_x, half_z), layer=(0.0, 0.016))
    return geoms


def add_workbench(
    scene: Scene, style: Style, coat: Coat | None = None, name: str = "workbench"
) -> Fixture:
    """A heavy bench in the middle with a lower board and a vice; ``coat`` is where dirt may lie."""
    half_x, half_y, y = 0.43, 0.38, 0.82
    geoms = scene.visible(
        f"{name}.top", "box", (half_x, half_y, 0.035), style.top, (0, y, BENCH_M - 0.035),
        collide=STATIC,
    )  # fmt: skip
    for k, (sx, sy) in enumerate(((-1, -1), (1, -1), (-1, 1), (1, 1))):
        place = (sx * (half_x - 0.05), y + sy * (half_y - 0.05), 0.385)
        geoms += scene.visible(
            f"{name}.leg_{k}", "box", (0.04, 0.04, 0.385), style.frame, place, collide=STATIC
        )
    geoms += scene.visible(
        f"{name}.board", "box", (half_x - 0.05, half_y - 0.06, 0.015), style.top, (0, y, 0.22)
    )
    geoms += scene.visible(
        f"{name}.rail",
        "box",
        (half_x - 0.02, 0.012, 0.05),
        style.metal,
        (0, y - half_y + 0.02, 0.72),
    )
    return finish_fixture(scene, Fixture(name, (0.0, y, BENCH_M), coat=coat), geoms)


def add_metal_shelf(scene: Scene, style: Style, x: float, name: str = "shelf") -> Fixture:
    """An open rack at the back of a side place; its upper board, 1.32 m high, takes things."""
    geoms = ""
    half_y, y = 0.14, WALL_Y - 0.15
    for part, z in (("board", 1.3), ("low_board", 0.2)):
        geoms += scene.visible(
            f"{name}.{part}", "box", (HALF_WIDTH, half_y, 0.016), style.metal, (x, y, z),
            collide=STATIC,
        )  # fmt: skip
    for k, (sx, sy) in enumerate(((-1, -1), (1, -1), (-1, 1), (1, 1))):
        place = (x + sx * (HALF_WIDTH - 0.012), y + sy * (half_y - 0.012), 0.76)
        geoms += scene.visible(f"{name}.post_{k}", "box", (0.012, 0.012, 0.76), style.frame, place)
    for k, (sign, z) in enumerate(((1, 0.9), (-1, 0.9))):
        geoms += scene.visible(
            f"{name}.brace_{k}", "box", (0.33, 0.005, 0.01), style.frame,
            (x, WALL_Y - 0.012, z), euler=(0, sign * 0.85, 0),
        )  # fmt: skip
    return finish_fixture(scene, Fixture(name, (x, y, 1.317), access="front"), geoms)


def add_trash_can(
    scene: Scene, style: Style, x: float, y: float = 0.72, name: str = "trash_can"
) -> Fixture:
    """A tall bin with a lid that swings up and back; a dark bag hangs 0.2 m below its rim."""
    half, rim, depth, wall = 0.19, 0.78, 0.2, 0.012
    geoms = ""
    for k, (dx, dy) in enumerate(((-1, 0), (1, 0), (0, -1), (0, 1))):
        size = (wall, half, rim / 2) if dx else (half, wall, rim / 2)
        place = (x + dx * (half - wall), y + dy * (half - wall), rim / 2)
        geoms += scene.visible(f"{name}.side_{k}", "box", size, style.gate, place, collide=STATIC)
    for k, z in enumerate((0.2, 0.45, 0.7)):
        hoop = (half + 0.006, half + 0.006, 0.014)
        if z < rim - depth:
            geoms += scene.visible(f"{name}.hoop_{k}", "box", hoop, style.frame, (x, y, z))
    bag = Surface((0.1, 0.1, 0.11), "mottled", "gloss", (0.22, 0.22, 0.24), 0.1)
    bottom = (x, y, rim - depth)
    geoms += scene.visible(
        f"{name}.bag", "box", (half - 2 * wall, half - 2 * wall, 0.01), bag,
        (x, y, bottom[2] - 0.01), collide=STATIC,
    )  # fmt: skip
    hinge = (x, y + half, rim + 0.014)
    handle = (x, y - half - 0.03, rim + 0.03)
    fixture = Fixture(
        name,
        bottom,
        cavity=((x - half, y - half, bottom[2] - 0.01), (x + half, y + half, rim + 0.02)),
        panel=Panel(handle, (-1.0, 0.0, 0.0), hinge, 2.0, 1.75),
    )
    lid = fixture.panel_body
    leaf = scene.visible(
        f"{lid}.leaf", "box", (half + 0.012, half + 0.012, 0.012), style.frame, (0, -half, 0),
        collide=DOOR, mass=1.0,
    )  # fmt: skip
    leaf += scene.visible(f"{lid}.grip", "box", (0.07, 0.03, 0.012), RED, (0, -2 * half - 0.02, 0))
    return finish_fixture(scene, fixture, geoms + panel_xml(fixture, leaf))


LEDGE_HALF_X = 0.12
"""Half the width of the draining board beside the tub of the utility sink."""


def add_utility_sink(
    scene: Scene, style: Style, x: float, coat: Coat | None = None, name: str = "sink"
) -> Fixture:
    """A deep white tub on legs with a tap, and towards the middle a draining board.

    A bucket stands in the tub with its rim at the height of the tub's. The round valve opens the
    tap, and glows while water runs.
    """
    top, bottom, front, back, wall = 0.84, 0.62, 0.58, 1.12, 0.015
    turn = inward(x)
    half_x, half_y, y = 0.19, (back - front) / 2, (front + back) / 2
    tub = x - turn * (HALF_WIDTH - half_x)
    ledge = x + turn * (HALF_WIDTH - LEDGE_HALF_X)
    geoms = ""
    for part, half, pos, look in (
        ("bottom", (half_x, half_y, 0.01), (tub, y, bottom - 0.01), CERAMIC),
        ("out", (wall, half_y, 0.12), (tub - turn * (half_x - wall), y, 0.72), CERAMIC),
        ("in", (wall, half_y, 0.12), (tub + turn * (half_x - wall), y, 0.72), CERAMIC),
        ("near", (half_x, wall, 0.12), (tub, front + wall, 0.72), CERAMIC),
        ("far", (half_x, wall, 0.12), (tub, back - wall, 0.72), CERAMIC),
        ("ledge", (LEDGE_HALF_X, half_y, 0.02), (ledge, y, top - 0.02), CERAMIC),
        ("apron", (HALF_WIDTH, 0.01, 0.04), (x, front - 0.01, 0.78), style.metal),
    ):
        geoms += scene.visible(f"{name}.{part}", "box", half, look, pos, collide=STATIC)
    for k, (sx, sy) in enumerate(((-1, front + 0.03), (1, front + 0.03), (-1, back), (1, back))):
        place = (x + sx * (HALF_WIDTH - 0.03), sy, 0.4)
        geoms += scene.visible(f"{name}.leg_{k}", "box", (0.02, 0.02, 0.4), style.frame, place)
    valve = (ledge, back - 0.12, top + 0.05)
    for part, kind, size, pos in (
        ("drain", "cylinder", (0.03, 0.002), (tub, y, bottom + 0.002)),
        ("tap_post", "cylinder", (0.02, 0.15), (tub, back + 0.05, top + 0.15)),
        ("tap_arm", "box", (0.018, 0.11, 0.018), (tub, back - 0.04, top + 0.29)),
        ("tap_mouth", "cylinder", (0.022, 0.03), (tub, y + 0.1, top + 0.26)),
        ("valve_post", "cylinder", (0.018, 0.03), (valve[0], valve[1], top + 0.02)),
    ):
        look = DARK if part == "drain" else STEEL
        geoms += scene.visible(f"{name}.{part}", kind, size, look, pos)
    geoms += scene.visible(f"{name}.valve", "cylinder", (0.05, 0.014), RED, valve)
    geoms += scene.visible(f"{name}.mark", "cylinder", (0.026, 0.006), STEEL, (tub, y + 0.1, 1.158))
    blue = Surface((0.1, 0.45, 1.0), finish="glow")
    scene.cues.append(Cue(name, {f"{name}.valve": blue, f"{name}.mark": blue}))
    fixture = Fixture(
        name,
        (tub, y + 0.06, bottom + 0.001),
        cavity=((tub - half_x, front, bottom - 0.01), (tub + half_x, back, top + 0.02)),
        button=(valve[0], valve[1], valve[2] + 0.015),
        cue=len(scene.cues) - 1,
        spout=(tub, y + 0.1, top + 0.23),
        coat=coat,
    )
    return finish_fixture(scene, fixture, geoms)


def ledge_place(x: float) -> Vec3:
    """Middle of the draining board of a sink at the side place ``x``, on its surface."""
    return (x + inward(x) * (HALF_WIDTH - LEDGE_HALF_X), 0.85, 0.84)
