"""Comforts of a living room: what glows or sounds.

A button switches each of the fireplace, the lamp and the radio, and all show it from afar.
"""

import math

from enact_assets.simulator.rooms.fixtures import Fixture
from enact_assets.simulator.rooms.kitchen import HALF_WIDTH, finish_fixture
from enact_assets.simulator.rooms.living_room import BRASS, Style, wood
from enact_assets.simulator.rooms.shell import WALL_Y
from enact_assets.simulator.shapes.mjcf import STATIC, Scene, Vec3
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import Cue

RED = Surface((0.75, 0.04, 0.03), finish="gloss")


def add_fireplace(scene: Scene, style: Style, x: float, name: str = "fireplace") -> Fixture:
    """An electric fireplace: a mantel 1.16 m high, a round button under it, flames that glow."""
    top, front = 1.16, 0.96
    stone = Surface((0.62, 0.6, 0.56), "marble", "satin", (0.4, 0.38, 0.35), 0.3)
    brick = Surface((0.4, 0.13, 0.08), "tile", "matte", (0.5, 0.42, 0.36), 0.07)
    off = Surface((0.1, 0.09, 0.085), finish="matte")
    y = (front + WALL_Y) / 2
    geoms = scene.visible(
        f"{name}.mantel", "box", (HALF_WIDTH + 0.02, 0.18, 0.025), style.wood,
        (x, WALL_Y - 0.18, top - 0.025), collide=STATIC,
    )  # fmt: skip
    for part, half, pos, look in (
        ("left", (0.06, 0.16, 0.55), (x - 0.25, y, 0.56), stone),
        ("right", (0.06, 0.16, 0.55), (x + 0.25, y, 0.56), stone),
        ("lintel", (0.19, 0.16, 0.12), (x, y, 0.99), stone),
        ("back", (0.19, 0.02, 0.44), (x, WALL_Y - 0.03, 0.44), brick),
        ("hearth", (HALF_WIDTH + 0.02, 0.26, 0.04), (x, WALL_Y - 0.26, 0.04), stone),
    ):
        geoms += scene.visible(f"{name}.{part}", "box", half, look, pos, collide=STATIC)
    log = wood((0.3, 0.17, 0.08))
    for k, (z, turn) in enumerate(((0.14, 0.15), (0.14, -0.2), (0.22, 0.05))):
        geoms += scene.visible(
            f"{name}.log_{k}", "capsule", (0.045, 0.11), log, (x, front + 0.06 + 0.07 * (k % 2), z),
            euler=(0, math.pi / 2, turn),
        )  # fmt: skip
    flames = ((-0.1, 0.16), (-0.03, 0.24), (0.05, 0.19), (0.12, 0.14))
    lit: dict[str, Surface] = {}
    for k, (dx, half_z) in enumerate(flames):
        flame = f"{name}.flame_{k}"
        geoms += scene.visible(
            flame, "ellipsoid", (0.05, 0.035, half_z), off, (x + dx, front + 0.12, 0.2 + half_z)
        )
        lit[flame] = Surface((1.0, 0.28 + 0.16 * (k % 2), 0.03), finish="glow")
    button = (x, front - 0.012, 1.0)
    geoms += scene.visible(
        f"{name}.button", "cylinder", (0.045, 0.015), RED, button, euler=(math.pi / 2, 0, 0)
    )
    lit[f"{name}.button"] = Surface((1.0, 0.35, 0.05), finish="glow")
    scene.cues.append(Cue(name, lit))
    fixture = Fixture(
        name,
        (x, WALL_Y - 0.18, top),
        access="front",
        button=(button[0], button[1] - 0.02, button[2]),
        cue=len(scene.cues) - 1,
    )
    return finish_fixture(scene, fixture, geoms)


def add_lamp(scene: Scene, style: Style, at: Vec3, name: str = "table_lamp") -> Fixture:
    """A table lamp with a wide shade that glows, standing ``at``; its button is on its foot."""
    x, y, z = at
    paper = Surface((0.3, 0.28, 0.24), finish="matte")
    shade = ((0, 0), (0.12, 0), (0.075, 0.17), (0, 0.17))
    geoms = scene.visible(
        f"{name}.foot", "cylinder", (0.085, 0.012), BRASS, (x, y, z + 0.012), collide=STATIC
    )
    geoms += scene.visible(f"{name}.stem", "cylinder", (0.014, 0.1), BRASS, (x, y, z + 0.11))
    geoms += scene.visible(
        f"{name}.shade", "mesh", scene.mesh("table_lamp_shade", shade), paper, (x, y, z + 0.2)
    )
    geoms += Scene.solid("cylinder", (0.1, 0.17), (x, y, z + 0.19), 0.0, collide=STATIC)
    button = (x, y - 0.075, z + 0.03)
    geoms += scene.visible(f"{name}.button", "cylinder", (0.035, 0.014), style.fabric, button)
    lit = {f"{name}.shade": Surface((1.0, 0.8, 0.35), finish="glow")}
    scene.cues.append(Cue(name, lit))
    fixture = Fixture(
        name,
        (x, y, z),
        button=(button[0], button[1], button[2] + 0.02),
        cue=len(scene.cues) - 1,
    )
    return finish_fixture(scene, fixture, geoms)


def add_radio(scene: Scene, style: Style, at: Vec3, name: str = "radio") -> Fixture:
    """A wooden radio whose dial lights up, standing ``at``; its button is on its top."""
    x, y, z = at
    cloth = Surface((0.2, 0.14, 0.1), "checks", "matte", (0.45, 0.36, 0.25), 0.02)
    off = Surface((0.06, 0.08, 0.07), finish="gloss")
    geoms = scene.visible(
        f"{name}.case", "box", (0.15, 0.07, 0.1), style.front, (x, y, z + 0.1), collide=STATIC
    )
    front = y - 0.072
    geoms += scene.visible(
        f"{name}.speaker", "cylinder", (0.065, 0.004), cloth, (x - 0.07, front, z + 0.095),
        euler=(math.pi / 2, 0, 0),
    )  # fmt: skip
    geoms += scene.visible(
        f"{name}.dial", "box", (0.062, 0.004, 0.04), off, (x + 0.075, front, z + 0.13)
    )
    for k, dx in enumerate((0.04, 0.11)):
        geoms += scene.visible(
            f"{name}.knob_{k}", "cylinder", (0.02, 0.01), BRASS, (x + dx, front - 0.006, z + 0.05),
            euler=(math.pi / 2, 0, 0),
        )  # fmt: skip
    button = (x, y, z + 0.212)
    geoms += scene.visible(f"{name}.button", "cylinder", (0.035, 0.014), RED, button)
    lit = Surface((0.2, 1.0, 0.45), finish="glow")
    scene.cues.append(Cue(name, {f"{name}.dial": lit, f"{name}.button": lit}))
    fixture = Fixture(
        name,
        (x, y, z + 0.2),
        button=(button[0], button[1], button[2] + 0.02),
        cue=len(scene.cues) - 1,
    )
    return finish_fixture(scene, fixture, geoms)
