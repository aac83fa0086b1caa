"""Where a garage keeps its tools: a toolbox with a lid, a drawer unit, a cupboard, a wall shelf."""

from enact_assets.simulator.rooms.fixtures import Fixture, Panel, panel_xml
from enact_assets.simulator.rooms.garage import BENCH_M, DARK, STEEL, Style
from enact_assets.simulator.rooms.kitchen import HALF_WIDTH, finish_fixture
from enact_assets.simulator.rooms.shell import WALL_Y
from enact_assets.simulator.shapes.mjcf import DOOR, STATIC, Scene, Vec3
from enact_assets.simulator.shapes.pieces import ALONG_X
from enact_assets.simulator.shapes.surfaces import Surface

TOP_M = 0.9
"""Height of drawer unit and cupboard."""
LINING = Surface((0.2, 0.29, 0.31), finish="matte")


def add_toolbox(scene: Scene, look: Surface, y: float = 0.9, name: str = "toolbox") -> Fixture:
    """A long tin box at the back of the workbench, whose lid swings up and back.

    Tools as long as the box is deep lie in it side by side.
    """
    half_x, half_y, wall, depth = 0.33, 0.17, 0.01, 0.13
    rest, rim = BENCH_M + 0.012, BENCH_M + depth
    middle = (rest + rim) / 2
    geoms = ""
    for part, half, pos, surface in (
        ("bottom", (half_x, half_y, 0.006), (0, y, BENCH_M + 0.006), LINING),
        ("left", (wall, half_y, depth / 2), (-half_x + wall, y, middle), look),
        ("right", (wall, half_y, depth / 2), (half_x - wall, y, middle), look),
        ("near", (half_x, wall, depth / 2), (0, y - half_y + wall, middle), look),
        ("far", (half_x, wall, depth / 2), (0, y + half_y - wall, middle), look),
    ):
        geoms += scene.visible(f"{name}.{part}", "box", half, surface, pos, collide=STATIC)
    for k, sx in enumerate((-1, 1)):
        clasp = (sx * 0.2, y - half_y - 0.006, rim - 0.03)
        geoms += scene.visible(f"{name}.clasp_{k}", "box", (0.03, 0.008, 0.03), STEEL, clasp)
    hinge = (0.0, y + half_y, rim + 0.014)
    handle = (0.0, y - half_y - 0.035, rim + 0.02)
    fixture = Fixture(
        name,
        (0.0, y, rest),
        cavity=((-half_x, y - half_y, BENCH_M), (half_x, y + half_y, rim + 0.02)),
        panel=Panel(handle, (-1.0, 0.0, 0.0), hinge, 2.0, 1.62),
    )
    lid = fixture.panel_body
    leaf = scene.visible(
        f"{lid}.leaf", "box", (half_x + 0.008, half_y + 0.008, 0.012), look, (0, -half_y, 0),
        collide=DOOR, mass=1.0,
    )  # fmt: skip
    leaf += scene.visible(
        f"{lid}.stripe", "box", (half_x + 0.009, 0.05, 0.0125), DARK, (0, -half_y, 0)
    )
    leaf += scene.visible(
        f"{lid}.grip", "capsule", (0.014, 0.07), STEEL, (0, -2 * half_y - 0.035, 0.006),
        euler=ALONG_X,
    )  # fmt: skip
    return finish_fixture(scene, fixture, geoms + panel_xml(fixture, leaf))


def add_drawer_unit(scene: Scene, style: Style, x: float, name: str = "drawer") -> Fixture:
    """A steel unit of drawers at a side place; its upper drawer slides out, the lower ones do not.

    Long tools lie in the drawer side by side; its top is only seen.
    """
    front, depth, floor, high = 0.64, 0.37, 0.66, 0.84
    half_x, y = HALF_WIDTH, 0.96
    inner = half_x - 0.025
    geoms = scene.visible(
        f"{name}.top", "box", (half_x + 0.01, 0.33, 0.02), style.top, (x, y - 0.01, TOP_M - 0.02),
        collide=STATIC,
    )  # fmt: skip
    for part, half, pos in (
        ("base", (half_x, 0.31, 0.31), (x, y, 0.33)),
        ("left", (0.01, 0.31, 0.11), (x - half_x + 0.01, y, 0.75)),
        ("right", (0.01, 0.31, 0.11), (x + half_x - 0.01, y, 0.75)),
    ):
        geoms += scene.visible(f"{name}.{part}", "box", half, style.metal, pos, collide=STATIC)
    geoms += scene.visible(f"{name}.dark", "box", (half_x, 0.005, 0.11), DARK, (x, 1.2, 0.75))
    for k, z in enumerate((0.18, 0.48)):
        geoms += scene.visible(
            f"{name}.front_{k}", "box", (inner, 0.01, 0.13), style.metal, (x, front, z)
        )
        pull = (x, front - 0.02, z + 0.07)
        geoms += scene.visible(f"{name}.pull_{k}", "box", (0.13, 0.014, 0.012), STEEL, pull)
    handle = (x, front - 0.045, 0.77)
    middle = front + depth / 2
    fixture = Fixture(
        name,
        (x, middle, floor + 0.008),
        cavity=(
            (x - inner, front, floor - 0.01),
            (x + inner, front + depth, high + 0.05),
        ),
        panel=Panel(handle, (0.0, -1.0, 0.0), None, 0.36, 0.34, carries=True),
    )
    drawer = fixture.panel_body
    body = ""
    boards: tuple[tuple[str, Vec3, Vec3, Surface], ...] = (
        ("bottom", (inner, depth / 2, 0.008), (x, middle, floor), LINING),
        ("face", (half_x - 0.004, 0.012, 0.095), (x, front, 0.75), style.metal),
        ("far", (inner, 0.008, 0.06), (x, front + depth - 0.008, floor + 0.06), LINING),
        ("left", (0.008, depth / 2, 0.06), (x - inner, middle, floor + 0.06), LINING),
        ("right", (0.008, depth / 2, 0.06), (x + inner, middle, floor + 0.06), LINING),
    )
    for part, half, pos, look in boards:
        place = (pos[0] - handle[0], pos[1] - handle[1], pos[2] - handle[2])
        body += scene.visible(f"{drawer}.{part}", "box", half, look, place, collide=DOOR, mass=0.5)
    body += scene.visible(f"{drawer}.grip", "capsule", (0.014, 0.11), STEEL, euler=ALONG_X)
    return finish_fixture(scene, fixture, geoms + panel_xml(fixture, body))


def add_cupboard(scene: Scene, style: Style, x: float, name: str = "cabinet") -> Fixture:
    """A steel cupboard with two closed doors; its top takes things."""
    half_x, y = HALF_WIDTH, 0.96
    geoms = scene.visible(
        f"{name}.top", "box", (half_x + 0.01, 0.33, 0.02), style.top, (x, y - 0.01, TOP_M - 0.02),
        collide=STATIC,
    )  # fmt: skip
    geoms += scene.visible(
        f"{name}.body", "box", (half_x, 0.31, 0.42), style.metal, (x, y, 0.44), collide=STATIC
    )
    for k, sx in enumerate((-1, 1)):
        leaf = (x + sx * 0.153, y - 0.312, 0.45)
        geoms += scene.visible(f"{name}.door_{k}", "box", (0.146, 0.008, 0.37), style.metal, leaf)
        pull = (x + sx * 0.04, y - 0.335, 0.6)
        geoms += scene.visible(f"{name}.pull_{k}", "box", (0.012, 0.014, 0.09), STEEL, pull)
        for row in range(3):
            slit = (x + sx * 0.153, y - 0.321, 0.7 + 0.03 * row)
            part = f"{name}.slit_{k}_{row}"
            geoms += scene.visible(part, "box", (0.09, 0.003, 0.006), DARK, slit)
    return finish_fixture(scene, Fixture(name, (x, y - 0.02, TOP_M)), geoms)


def add_wall_shelf(scene: Scene, style: Style, x: float, name: str = "shelf") -> Fixture:
    """A board on the wall, 1.31 m high, with a rail below."""
    y = WALL_Y - 0.14
    geoms = scene.visible(
        f"{name}.board", "box", (HALF_WIDTH, 0.14, 0.018), style.top, (x, y, 1.292), collide=STATIC
    )
    for k, sx in enumerate((-1, 1)):
        geoms += scene.visible(
            f"{name}.bracket_{k}", "box", (0.015, 0.12, 0.03), style.metal,
            (x + sx * (HALF_WIDTH - 0.03), y, 1.25),
        )  # fmt: skip
    geoms += scene.visible(
        f"{name}.rail", "capsule", (0.011, HALF_WIDTH - 0.04), STEEL, (x, y - 0.11, 1.235),
        euler=ALONG_X,
    )  # fmt: skip
    return finish_fixture(scene, Fixture(name, (x, y, 1.311), access="front"), geoms)
