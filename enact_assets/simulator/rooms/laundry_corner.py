"""The laundry corner of a garage: a washing machine on a pedestal, a dryer, a folding table."""

from enact_assets.simulator.rooms.fixtures import Fixture, Panel, panel_xml
from enact_assets.simulator.rooms.garage import CERAMIC, DARK, RED, STEEL, Style
from enact_assets.simulator.rooms.kitchen import HALF_WIDTH, finish_fixture, inward
from enact_assets.simulator.shapes.mjcf import DOOR, STATIC, Scene
from enact_assets.simulator.shapes.pieces import ALONG_X, ALONG_Y
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import Cue
from enact_assets.simulator.things.thing_parts import Vessel

DRUM_Z, DRUM_HALF, FLOOR_BELOW = 0.89, 0.25, 0.15
"""Height of the middle of the round door, radius of its opening, and how far below that things
lie in the drum.
"""
LINING = Surface((0.9, 0.9, 0.9), finish="matte")
SUN = Surface((0.95, 0.25, 0.03), finish="gloss")
LAMP_OFF = Surface((0.05, 0.08, 0.06), finish="gloss")
LAMP_ON = Surface((0.1, 1.0, 0.2), finish="glow")


def add_washer(scene: Scene, style: Style, x: float, name: str = "washer") -> Fixture:
    """A washing machine on a pedestal, with a round door that turns away from the middle.

    The round button beside its lamp starts it: then the lamp is green and the window shines blue,
    with a pale band of foam. Things lie on the bottom of the drum.
    """
    front, depth, low, top = 0.62, 0.315, 0.3, 1.24
    y, away = front + depth, -inward(x)
    shell = style.appliance
    inner = 0.285
    geoms = ""
    for part, half, pos, look in (
        ("pedestal", (HALF_WIDTH, depth - 0.01, low / 2), (x, y, low / 2), style.metal),
        ("left", (0.02, depth, 0.47), (x - HALF_WIDTH + 0.02, y, 0.77), shell),
        ("right", (0.02, depth, 0.47), (x + HALF_WIDTH - 0.02, y, 0.77), shell),
        ("top", (HALF_WIDTH, depth, 0.02), (x, y, top - 0.02), shell),
        ("back", (HALF_WIDTH, 0.02, 0.47), (x, front + 2 * depth - 0.02, 0.77), shell),
        ("below", (HALF_WIDTH, 0.012, 0.17), (x, front + 0.012, 0.47), shell),
        ("above", (HALF_WIDTH, 0.012, 0.05), (x, front + 0.012, 1.19), shell),
        ("sill", (0.26, 0.17, 0.01), (x, front + 0.19, DRUM_Z - FLOOR_BELOW - 0.01), LINING),
    ):
        geoms += scene.visible(f"{name}.{part}", "box", half, look, pos, collide=STATIC)
    for k, sx in enumerate((-1, 1)):
        # These collide with nothing: what goes in is as wide as the opening.
        place = (x + sx * 0.28, front + 0.012, DRUM_Z)
        half = (HALF_WIDTH - 0.28, 0.012, DRUM_HALF)
        geoms += scene.visible(f"{name}.beside_{k}", "box", half, shell, place)
    rim, wall = 0.3, inner - 0.006
    ring = (
        (DRUM_HALF, 0.0), (rim, 0.0), (rim, 0.012), (DRUM_HALF, 0.03), (DRUM_HALF, 0.0)
    )  # fmt: skip
    drum = ((0, 0), (inner, 0), (inner, 0.36), (wall, 0.36), (wall, 0.006), (0, 0.006))
    holes = Surface((0.86, 0.87, 0.88), "speckles", "matte", (0.45, 0.46, 0.48), 0.07)
    geoms += scene.visible(
        f"{name}.bezel", "mesh", scene.mesh("washer_bezel", ring), STEEL,
        (x, front + 0.001, DRUM_Z), euler=ALONG_Y,
    )  # fmt: skip
    geoms += scene.visible(
        f"{name}.drum", "mesh", scene.mesh("washer_drum", drum), holes,
        (x, front + 0.385, DRUM_Z), euler=ALONG_Y,
    )  # fmt: skip
    lamp, button = (x + away * 0.19, front - 0.004, 1.185), (x - away * 0.2, front - 0.012, 1.185)
    geoms += scene.visible(f"{name}.lamp", "box", (0.07, 0.006, 0.04), LAMP_OFF, lamp)
    geoms += scene.visible(
        f"{name}.panel_strip", "box", (0.07, 0.006, 0.04), DARK, (x, lamp[1], 1.185)
    )
    geoms += scene.visible(f"{name}.button", "cylinder", (0.045, 0.016), RED, button, euler=ALONG_Y)
    hinge, glass = (x + away * rim, front - 0.03, DRUM_Z), f"{name}.panel.glass"
    fixture = Fixture(
        name,
        (x, front + 0.2, DRUM_Z - FLOOR_BELOW),
        access="front",
        cavity=(
            (x - 0.26, front + 0.01, DRUM_Z - FLOOR_BELOW - 0.01),
            (x + 0.26, front + 0.4, DRUM_Z + 0.22),
        ),
        panel=Panel(
            (x - away * (rim - 0.07), front - 0.085, DRUM_Z), (0.0, 0.0, away), hinge, 2.0, 1.75
        ),
        button=(button[0], button[1] - 0.02, button[2]),
        cue=len(scene.cues),
    )
    scene.cues.append(
        Cue(
            name,
            {
                f"{name}.lamp": LAMP_ON,
                glass: Surface((0.1, 0.4, 1.0), finish="glow"),
                f"{name}.panel.foam": Surface((0.85, 0.95, 1.0), finish="glow"),
            },
        )
    )
    window = Surface((0.06, 0.1, 0.15), finish="gloss")
    hoop = ((0.17, 0.0), (0.28, 0.0), (0.272, 0.035), (0.185, 0.045), (0.17, 0.0))
    middle = (-away * rim, 0.0, 0.0)
    door = scene.visible(
        f"{name}.panel.hoop", "mesh", scene.mesh("washer_door", hoop), STEEL, middle, euler=ALONG_Y
    )
    door += scene.visible(glass, "cylinder", (0.18, 0.012), window, middle, euler=ALONG_Y)
    door += scene.visible(
        f"{name}.panel.foam", "box", (0.14, 0.003, 0.022), window, (middle[0], -0.013, -0.03),
        euler=(0, 0.25, 0),
    )  # fmt: skip
    door += scene.visible(
        f"{name}.panel.handle", "box", (0.022, 0.025, 0.08), DARK,
        (-away * (2 * rim - 0.07), -0.05, 0.0),
    )  # fmt: skip
    door += Scene.solid("box", (0.25, 0.015, 0.25), middle, 2.0, collide=DOOR)
    return finish_fixture(scene, fixture, geoms + panel_xml(fixture, door))


def add_dispenser(scene: Scene, x: float, name: str = "dispenser") -> Fixture:
    """The open detergent dispenser on top of a washer at the side place ``x``: a wide cup."""
    at = (x + inward(x) * 0.17, 0.75, 1.24)
    profile = (
        (0, 0), (0.075, 0), (0.085, 0.055), (0.085, 0.06), (0.073, 0.06), (0.066, 0.01), (0, 0.008),
    )  # fmt: skip
    geoms = scene.visible(
        f"{name}.cup", "mesh", scene.mesh("washer_dispenser", profile), CERAMIC, at
    )
    geoms += scene.visible(f"{name}.plate", "cylinder", (0.1, 0.004), STEEL, at)
    geoms += Scene.solid("cylinder", (0.075, 0.004), (*at[:2], at[2] + 0.004), 0, collide=STATIC)
    hollow = Vessel(((0.01, 0.066), (0.058, 0.072)))
    return finish_fixture(scene, Fixture(name, at, vessel=hollow), geoms)


def add_dryer(scene: Scene, style: Style, x: float, name: str = "dryer") -> Fixture:
    """A white dryer with a closed round door and a panel at its back, with a dial and a red sun.

    Laundry is laid on its top, 0.9 m high, which is not the wood of the table beside it.
    """
    front, top, y = 0.6, 0.9, 0.93
    back = y + 0.31
    geoms = ""
    for part, half, look, pos in (
        ("top", (HALF_WIDTH + 0.01, 0.335, 0.02), style.appliance, (x, y, top - 0.02)),
        ("body", (HALF_WIDTH, 0.32, 0.43), style.appliance, (x, y + 0.01, 0.43)),
    ):
        geoms += scene.visible(f"{name}.{part}", "box", half, look, pos, collide=STATIC)
    hoop = ((0.15, 0.0), (0.23, 0.0), (0.222, 0.03), (0.16, 0.04), (0.15, 0.0))
    for part, kind, size, look, pos in (
        ("seam", "box", (HALF_WIDTH + 0.011, 0.3355, 0.004), style.metal, (x, y, top - 0.044)),
        ("hoop", "mesh", scene.mesh("dryer_door", hoop), STEEL, (x, front + 0.012, 0.56)),
        ("window", "cylinder", (0.16, 0.02), DARK, (x, front + 0.008, 0.56)),
        ("panel", "box", (HALF_WIDTH, 0.02, 0.06), style.metal, (x, back, top + 0.06)),
        ("dial", "cylinder", (0.042, 0.014), CERAMIC, (x - 0.14, back - 0.03, top + 0.065)),
        ("mark", "box", (0.006, 0.016, 0.02), DARK, (x - 0.14, back - 0.03, top + 0.085)),
        ("sun", "cylinder", (0.03, 0.006), SUN, (x + 0.1, back - 0.022, top + 0.065)),
    ):
        turn = None if kind == "box" else ALONG_Y
        geoms += scene.visible(f"{name}.{part}", kind, size, look, pos, euler=turn)
    for k in range(4):
        place = (x + 0.1, back - 0.0205, top + 0.065)
        geoms += scene.visible(
            f"{name}.ray_{k}", "box", (0.048, 0.003, 0.006), SUN, place, euler=(0, 0.7854 * k, 0)
        )
    return finish_fixture(scene, Fixture(name, (x, y, top)), geoms)


def add_folding_table(scene: Scene, style: Style, name: str = "table") -> Fixture:
    """A table in the middle on crossed legs, 0.8 m high, with a rounded front edge."""
    half_x, half_y, y, top = 0.43, 0.36, 0.84, 0.8
    geoms = scene.visible(
        f"{name}.top", "box", (half_x, half_y, 0.02), style.top, (0, y, top - 0.02), collide=STATIC
    )
    geoms += scene.visible(
        f"{name}.edge", "capsule", (0.02, half_x), style.frame, (0, y - half_y, top - 0.02),
        euler=ALONG_X,
    )  # fmt: skip
    for k, (sx, turn) in enumerate(((-1, 0.75), (-1, -0.75), (1, 0.75), (1, -0.75))):
        geoms += scene.visible(
            f"{name}.leg_{k}", "box", (0.02, 0.015, 0.5), style.frame,
            (sx * (half_x - 0.06), y, 0.37), euler=(turn, 0, 0),
        )  # fmt: skip
    return finish_fixture(scene, Fixture(name, (0.0, y, top)), geoms)
