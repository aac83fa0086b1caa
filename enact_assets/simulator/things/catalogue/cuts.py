"""Builders of what vegetables and fruit are cut into: halves, piles of dice, and a salad."""

import math
from collections.abc import Sequence

from enact_assets.simulator.shapes.mjcf import Profile, Scene
from enact_assets.simulator.shapes.surfaces import Color, Surface, darker, gloss
from enact_assets.simulator.things.thing_parts import Builder, Coat, Parts, upright_cylinder

PALE = Surface((0.86, 0.88, 0.74), finish="satin")


def _dome(radius: float, height: float) -> Profile:
    """Half a fruit on its skin: an elliptic arc up to the rim, closed flat."""
    arc = tuple(
        (radius * math.sin(a), height * (1 - math.cos(a)))
        for a in (k * math.pi / 20 for k in range(11))
    )
    return (*arc, (0.0, height))


def _half(geoms: str, radius: float, height: float) -> Parts:
    return Parts(
        geoms + upright_cylinder(radius * 0.75, 0, height - 0.004, 0.15),
        grasp_out=radius * 0.8,
        grasp_height=height * 0.75,
        grip=0.03,
        radius=radius,
        height=height + 0.006,
    )


def half_tomato(scene: Scene, name: str, color: Color) -> Parts:
    """Half a tomato, cut face up: pale core and five chambers of seeds."""
    radius, height = 0.074, 0.055
    mesh = scene.mesh("half_tomato", _dome(radius, height))
    geoms = scene.visible(f"{name}.skin", "mesh", mesh, gloss(color))
    flesh = Surface((0.9, 0.2, 0.12), finish="gloss")
    geoms += scene.visible(
        f"{name}.flesh", "cylinder", (0.066, 0.002), flesh, (0, 0, height + 0.001)
    )
    seeds = Surface((0.75, 0.5, 0.08), "speckles", "gloss", (0.95, 0.85, 0.5), 0.02)
    for k in range(5):
        turn = k * 2 * math.pi / 5
        geoms += scene.visible(
            f"{name}.chamber_{k}", "ellipsoid", (0.019, 0.013, 0.004), seeds,
            (0.038 * math.cos(turn), 0.038 * math.sin(turn), height + 0.003), euler=(0, 0, turn),
        )  # fmt: skip
    return _half(geoms, radius, height)


def half_cucumber(scene: Scene, name: str, color: Color) -> Parts:
    """Half a cucumber cut lengthwise, pale face up with a row of seeds."""
    geoms = scene.visible(
        f"{name}.skin", "ellipsoid", (0.048, 0.14, 0.032), gloss(color), (0, 0, 0.03)
    )
    geoms += scene.visible(
        f"{name}.flesh", "ellipsoid", (0.041, 0.13, 0.026), Surface((0.75, 0.9, 0.5)), (0, 0, 0.041)
    )
    seeds = Surface((0.93, 0.95, 0.75), "speckles", "gloss", (0.5, 0.62, 0.2), 0.022)
    geoms += scene.visible(f"{name}.seeds", "ellipsoid", (0.018, 0.11, 0.026), seeds, (0, 0, 0.044))
    geoms += Scene.solid("box", (0.03, 0.12, 0.028), (0, 0, 0.028), 0.15)
    return Parts(
        geoms,
        grasp_out=0.02,
        grasp_height=0.05,
        grip=0.1,
        radius=0.085,
        height=0.068,
    )


def half_onion(scene: Scene, name: str, color: Color) -> Parts:
    """Half an onion, cut face up: rings of white and of the colour of the skin."""
    radius, height = 0.072, 0.055
    geoms = scene.visible(
        f"{name}.skin", "mesh", scene.mesh("half_onion", _dome(radius, height)), gloss(color)
    )
    white = Surface((0.93, 0.9, 0.9), finish="gloss")
    for k, share in enumerate((0.92, 0.72, 0.54, 0.36, 0.2)):
        look = gloss(color) if k % 2 else white
        geoms += scene.visible(
            f"{name}.ring_{k}", "cylinder", (radius * share, 0.0012), look,
            (0, 0, height + 0.0012 * (k + 1)),
        )  # fmt: skip
    return _half(geoms, radius, height)


def half_bell_pepper(scene: Scene, name: str, color: Color) -> Parts:
    """Half a pepper, cut face up: a dark hollow with a clump of seeds."""
    radius, height = 0.076, 0.056
    geoms = scene.visible(
        f"{name}.skin", "mesh", scene.mesh("half_pepper", _dome(radius, height)), gloss(color)
    )
    hollow = Surface(darker(color, 0.3), finish="satin")
    geoms += scene.visible(
        f"{name}.hollow", "cylinder", (0.06, 0.002), hollow, (0, 0, height + 0.001)
    )
    for k in range(4):
        turn = k * math.pi / 2
        geoms += scene.visible(
            f"{name}.wall_{k}", "box", (0.022, 0.005, 0.003), gloss(color),
            (0.04 * math.cos(turn), 0.04 * math.sin(turn), height + 0.003), euler=(0, 0, turn),
        )  # fmt: skip
    geoms += scene.visible(f"{name}.seeds", "sphere", (0.022,), PALE, (0, 0, height))
    return _half(geoms, radius, height)


def half_lemon(scene: Scene, name: str, color: Color) -> Parts:
    """Half a lemon, cut face up: white pith and eight segments."""
    radius, height = 0.07, 0.086
    geoms = scene.visible(
        f"{name}.peel", "mesh", scene.mesh("half_lemon", _dome(radius, height)), gloss(color)
    )
    white = Surface((0.95, 0.94, 0.85), finish="satin")
    geoms += scene.visible(
        f"{name}.pith", "cylinder", (0.067, 0.0015), white, (0, 0, height + 0.001)
    )
    flesh = Surface((0.98, 0.86, 0.22), finish="gloss")
    geoms += scene.visible(
        f"{name}.flesh", "cylinder", (0.057, 0.0015), flesh, (0, 0, height + 0.003)
    )
    for k in range(4):
        geoms += scene.visible(
            f"{name}.wall_{k}", "box", (0.056, 0.0025, 0.001), white, (0, 0, height + 0.005),
            euler=(0, 0, k * math.pi / 4),
        )  # fmt: skip
    return _half(geoms, radius, height)


def _heap(n: int, radius: float, top: float) -> list[tuple[float, float, float, float]]:
    """Places (x, y, z) and turns of ``n`` bits of a heap, denser and higher in the middle."""
    places = []
    for k in range(n):
        share = math.sqrt((k + 0.5) / n)
        turn = k * math.pi * (3 - math.sqrt(5))
        height = top * (1 - share**2)
        places.append(
            (radius * share * math.cos(turn), radius * share * math.sin(turn), height, turn)
        )
    return places


def _pile(scene: Scene, name: str, looks: Sequence[Surface], edge: float = 0.017) -> Parts:
    """A heap of cubes of half edge ``edge``."""
    geoms = ""
    for k, (x, y, z, turn) in enumerate(_heap(13, 0.062, 0.045)):
        geoms += scene.visible(
            f"{name}.bit_{k}", "box", (edge, edge, edge), looks[k % len(looks)], (x, y, z + edge),
            euler=(0.3 * math.sin(3 * turn), 0.3 * math.cos(5 * turn), turn),
        )  # fmt: skip
    return Parts(
        geoms + upright_cylinder(0.055, 0, 0.045, 0.12),
        grasp_out=0.05,
        grasp_height=0.045,
        grip=0.08,
        radius=0.075,
        height=0.075,
    )


def diced_tomato(scene: Scene, name: str, color: Color) -> Parts:
    """A heap of red cubes with some pale ones."""
    return _pile(
        scene, name, (gloss(color), gloss(color), Surface((0.97, 0.5, 0.35), finish="gloss"))
    )


def diced_cucumber(scene: Scene, name: str, color: Color) -> Parts:
    """A heap of pale green cubes with dark ones of skin."""
    pale = Surface((0.75, 0.9, 0.5), finish="gloss")
    return _pile(scene, name, (pale, gloss(color), pale))


def diced_onion(scene: Scene, name: str, color: Color) -> Parts:
    """A heap of white cubes with some of the colour of the skin."""
    white = Surface((0.93, 0.9, 0.9), finish="gloss")
    return _pile(scene, name, (white, gloss(color), white))


def diced_bell_pepper(scene: Scene, name: str, color: Color) -> Parts:
    """A heap of bright cubes with darker ones of skin."""
    return _pile(scene, name, (gloss(color), gloss(darker(color, 0.6)), gloss(color)))


def salad(scene: Scene, name: str, color: Color) -> Parts:
    """A heap of torn leaves with bits of ``color``, red and pale green between them."""
    leaf = Surface((0.2, 0.5, 0.06), "mottled", "satin", (0.45, 0.7, 0.2), 0.04)
    young = Surface((0.5, 0.72, 0.2), "mottled", "satin", (0.7, 0.85, 0.4), 0.04)
    geoms = ""
    for k, (x, y, z, turn) in enumerate(_heap(17, 0.1, 0.045)):
        geoms += scene.visible(
            f"{name}.leaf_{k}", "ellipsoid", (0.042, 0.028, 0.008), leaf if k % 3 else young,
            (x, y, z + 0.03), euler=(0.6 * math.sin(2 * turn), 0.5 * math.cos(3 * turn), turn),
        )  # fmt: skip
    red, pale = gloss((0.8, 0.07, 0.04)), gloss((0.8, 0.92, 0.6))
    for k, (x, y, z, turn) in enumerate(_heap(12, 0.092, 0.05)):
        look = (red, pale, gloss(color))[k % 3]
        geoms += scene.visible(
            f"{name}.bit_{k}", "box", (0.015, 0.015, 0.015), look, (-y, x, z + 0.045),
            euler=(turn, 0.4, turn),
        )  # fmt: skip
    return Parts(
        geoms + upright_cylinder(0.08, 0, 0.07, 0.4),
        grasp_out=0.07,
        grasp_height=0.07,
        grip=0.08,
        radius=0.12,
        height=0.1,
        coat=Coat(tuple((x, y, z + 0.058) for x, y, z, _ in _heap(12, 0.085, 0.05))),
    )


KINDS: dict[str, Builder] = {
    "half_tomato": half_tomato,
    "half_cucumber": half_cucumber,
    "half_onion": half_onion,
    "half_bell_pepper": half_bell_pepper,
    "half_lemon": half_lemon,
    "diced_tomato": diced_tomato,
    "diced_cucumber": diced_cucumber,
    "diced_onion": diced_onion,
    "diced_bell_pepper": diced_bell_pepper,
    "salad": salad,
}
