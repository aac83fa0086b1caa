"""Catalogue of movable things: large, differently shaped, and coloured by the activity.

Every thing stands on the origin of its body (bottom centre). What is seen and what collides are
separate geoms: round things have flat collision shapes so that they do not roll away.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from enact_assets.contracts.errors import UnknownNameError
from enact_assets.simulator.shapes import MOVABLE, Scene
from enact_assets.simulator.world import Surface, WorldObject

Color = tuple[float, float, float]
Vec3 = tuple[float, float, float]


@dataclass(frozen=True)
class Thing:
    """How a thing is held and what it can hold. Lengths in m, in the frame of its body.

    The hand takes it ``grasp_out`` from its axis on the robot's side, at ``grasp_height``, with the
    fingers ``grip`` apart. Things put on or into it rest at ``rest_height``. ``cavity`` is the box
    (low corner, high corner) whose inside counts as inside the thing.
    """

    name: str
    category: str
    grasp_out: float
    grasp_height: float
    grip: float
    radius: float
    height: float
    rest_height: float = 0.0
    cavity: tuple[Vec3, Vec3] | None = None
    is_slicer: bool = False
    halves: tuple[str, ...] = ()
    parents: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class _Parts:
    """A thing's geoms and the fields of :class:`Thing` that depend on its kind."""

    geoms: str
    grasp_out: float
    grasp_height: float
    grip: float
    radius: float
    height: float
    rest_height: float = 0.0
    cavity: tuple[Vec3, Vec3] | None = None
    is_slicer: bool = False


Builder = Callable[[Scene, str, Color], _Parts]


def _gloss(color: Color) -> Surface:
    return Surface(color, finish="gloss")


def _darker(color: Color, share: float = 0.45) -> Color:
    return (color[0] * share, color[1] * share, color[2] * share)


def _cylinder(radius: float, bottom: float, top: float, mass: float) -> str:
    half = (top - bottom) / 2
    return Scene.solid("cylinder", (radius, half), (0, 0, bottom + half), mass)


def _plate(scene: Scene, name: str, color: Color) -> _Parts:
    profile = ((0, 0), (0.08, 0), (0.1, 0.006), (0.14, 0.022), (0.138, 0.027), (0.098, 0.013), (0, 0.009))  # fmt: skip
    look = scene.visible(f"{name}.dish", "mesh", scene.mesh("plate", profile), _gloss(color))
    rim = scene.visible(
        f"{name}.rim", "cylinder", (0.075, 0.001), _gloss(_darker(color, 0.6)), (0, 0, 0.011)
    )
    solid = _cylinder(0.12, 0, 0.012, 0.4)
    return _Parts(look + rim + solid, 0.125, 0.022, 0.02, 0.14, 0.03, rest_height=0.012)


def _bowl(scene: Scene, name: str, color: Color) -> _Parts:
    profile = (
        (0, 0), (0.055, 0), (0.06, 0.008), (0.09, 0.035), (0.112, 0.08), (0.115, 0.085),
        (0.108, 0.083), (0.085, 0.04), (0.055, 0.014), (0, 0.012),
    )  # fmt: skip
    look = scene.visible(f"{name}.shell", "mesh", scene.mesh("bowl", profile), _gloss(color))
    solid = _cylinder(0.06, 0, 0.012, 0.3) + scene.ring(0.098, 0.02, 0.082, 0.15)
    cavity = ((-0.09, -0.09, 0.008), (0.09, 0.09, 0.13))
    return _Parts(look + solid, 0.105, 0.075, 0.02, 0.12, 0.085, 0.013, cavity)


def _pot(scene: Scene, name: str, color: Color) -> _Parts:
    profile = (
        (0, 0), (0.11, 0), (0.116, 0.008), (0.12, 0.13), (0.124, 0.135), (0.115, 0.135),
        (0.11, 0.014), (0, 0.01),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.shell", "mesh", scene.mesh("pot", profile), _gloss(color))
    for side, x in (("left", -0.14), ("right", 0.14)):
        geoms += scene.visible(
            f"{name}.{side}_handle", "capsule", (0.012, 0.035),
            Surface((0.03, 0.03, 0.03)), (x, 0, 0.115), (math.pi / 2, 0, 0),
        )  # fmt: skip
    geoms += _cylinder(0.11, 0, 0.011, 0.6) + scene.ring(0.115, 0.012, 0.13, 0.3)
    cavity = ((-0.11, -0.11, 0.005), (0.11, 0.11, 0.17))
    return _Parts(geoms, 0.115, 0.115, 0.02, 0.15, 0.135, 0.011, cavity)


def _basket(scene: Scene, name: str, color: Color) -> _Parts:
    weave = Surface(color, "checks", "matte", _darker(color, 0.6), 0.03)
    geoms = ""
    half_x, half_y, half_z = 0.19, 0.14, 0.055
    for part, half, pos in (
        ("bottom", (half_x, half_y, 0.006), (0, 0, 0.006)),
        ("left", (0.008, half_y, half_z), (-half_x, 0, half_z)),
        ("right", (0.008, half_y, half_z), (half_x, 0, half_z)),
        ("near", (half_x + 0.008, 0.008, half_z), (0, -half_y, half_z)),
        ("far", (half_x + 0.008, 0.008, half_z), (0, half_y, half_z)),
    ):
        geoms += scene.visible(
            f"{name}.{part}", "box", half, weave, pos, collide=MOVABLE, mass=0.12
        )
    cavity = ((-half_x, -half_y, 0.005), (half_x, half_y, 0.2))
    return _Parts(geoms, half_y, 0.085, 0.03, 0.21, 0.11, 0.013, cavity)


def _tray(scene: Scene, name: str, color: Color) -> _Parts:
    geoms = scene.visible(
        f"{name}.plank", "box", (0.2, 0.14, 0.01), Surface(color, "wood", "satin", _darker(color), 0.08),
        (0, 0, 0.01), collide=MOVABLE, mass=0.9,
    )  # fmt: skip
    return _Parts(geoms, 0.13, 0.015, 0.025, 0.24, 0.02, 0.021)


def _jug(scene: Scene, name: str, color: Color) -> _Parts:
    profile = (
        (0, 0), (0.06, 0), (0.075, 0.03), (0.08, 0.09), (0.062, 0.16), (0.05, 0.2), (0.062, 0.24),
        (0.054, 0.24), (0.042, 0.2), (0.054, 0.155), (0, 0.15),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.body", "mesh", scene.mesh("jug", profile), _gloss(color))
    geoms += scene.visible(
        f"{name}.handle", "capsule", (0.011, 0.06), _gloss(_darker(color)), (0.085, 0, 0.15), (0, 0.15, 0)
    )
    geoms += _cylinder(0.065, 0, 0.2, 0.7)
    return _Parts(geoms, 0.05, 0.17, 0.11, 0.1, 0.24)


def _kettle(scene: Scene, name: str, color: Color) -> _Parts:
    profile = (
        (0, 0), (0.1, 0), (0.11, 0.02), (0.1, 0.09), (0.06, 0.135), (0.03, 0.145), (0.03, 0.155),
        (0, 0.158),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.body", "mesh", scene.mesh("kettle", profile), _gloss(color))
    black = Surface((0.03, 0.03, 0.03))
    geoms += scene.visible(f"{name}.knob", "sphere", (0.02,), black, (0, 0, 0.17))
    geoms += scene.visible(
        f"{name}.spout", "capsule", (0.018, 0.05), _gloss(color), (0.12, 0, 0.09), (0, 0.7, 0)
    )
    for k, (x, half, angle) in enumerate(((-0.08, 0.05, 0.25), (0.08, 0.05, -0.25), (0.0, 0.065, math.pi / 2))):  # fmt: skip
        z = 0.215 if k == 2 else 0.165
        geoms += scene.visible(
            f"{name}.bow_{k}", "capsule", (0.01, half), black, (x, 0, z), (0, angle, 0)
        )
    geoms += _cylinder(0.095, 0, 0.13, 0.7)
    return _Parts(geoms, 0.02, 0.2, 0.03, 0.14, 0.22)


def _bottle(scene: Scene, name: str, color: Color) -> _Parts:
    profile = (
        (0, 0), (0.048, 0), (0.05, 0.006), (0.05, 0.17), (0.038, 0.21), (0.018, 0.235), (0.018, 0.28),
        (0, 0.28),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.glass", "mesh", scene.mesh("bottle", profile), _gloss(color))
    white = Surface((0.9, 0.88, 0.8), finish="matte")
    geoms += scene.visible(f"{name}.label", "cylinder", (0.0508, 0.045), white, (0, 0, 0.1))
    geoms += scene.visible(
        f"{name}.cap", "cylinder", (0.021, 0.014), _gloss(_darker(color)), (0, 0, 0.285)
    )
    geoms += _cylinder(0.049, 0, 0.2, 0.6)
    return _Parts(geoms, 0.03, 0.16, 0.105, 0.055, 0.3)


def _carton(scene: Scene, name: str, color: Color) -> _Parts:
    white = Surface((0.92, 0.92, 0.9), finish="satin")
    geoms = scene.visible(
        f"{name}.box", "box", (0.052, 0.052, 0.1), white, (0, 0, 0.1), collide=MOVABLE, mass=0.7
    )
    geoms += scene.visible(f"{name}.band", "box", (0.0528, 0.0528, 0.045), _gloss(color), (0, 0, 0.085))
    geoms += scene.visible(
        f"{name}.gable", "box", (0.037, 0.052, 0.037), _gloss(color), (0, 0, 0.2), (0, math.pi / 4, 0)
    )
    return _Parts(geoms, 0.045, 0.15, 0.11, 0.075, 0.25)


def _cereal_box(scene: Scene, name: str, color: Color) -> _Parts:
    geoms = scene.visible(
        f"{name}.box", "box", (0.09, 0.04, 0.135), _gloss(color), (0, 0, 0.135), collide=MOVABLE, mass=0.4
    )
    accent = _gloss((1.0 - color[0] * 0.8, 0.1, 0.35))
    geoms += scene.visible(f"{name}.stripe", "box", (0.0906, 0.0406, 0.03), accent, (0, 0, 0.06))
    geoms += scene.visible(
        f"{name}.picture", "cylinder", (0.05, 0.0408), Surface((0.95, 0.93, 0.85)), (0, 0, 0.165),
        (math.pi / 2, 0, 0),
    )  # fmt: skip
    return _Parts(geoms, 0.03, 0.2, 0.09, 0.1, 0.27)


def _can(scene: Scene, name: str, color: Color) -> _Parts:
    steel = Surface((0.7, 0.7, 0.72), finish="metal")
    geoms = scene.visible(
        f"{name}.tin", "cylinder", (0.052, 0.075), steel, (0, 0, 0.075), collide=MOVABLE, mass=0.5
    )
    geoms += scene.visible(f"{name}.label", "cylinder", (0.0528, 0.06), _gloss(color), (0, 0, 0.075))
    return _Parts(geoms, 0.03, 0.11, 0.11, 0.055, 0.15)


def _mug(scene: Scene, name: str, color: Color) -> _Parts:
    profile = (
        (0, 0), (0.05, 0), (0.055, 0.006), (0.058, 0.12), (0.051, 0.12), (0.048, 0.012), (0, 0.01),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.cup", "mesh", scene.mesh("mug", profile), _gloss(color))
    geoms += scene.visible(
        f"{name}.ear", "capsule", (0.012, 0.028), _gloss(color), (0.072, 0, 0.06)
    )
    geoms += _cylinder(0.054, 0, 0.118, 0.35)
    return _Parts(geoms, 0.045, 0.1, 0.02, 0.075, 0.12)


def _bread(scene: Scene, name: str, color: Color) -> _Parts:
    crust = Surface(color, "speckles", "matte", _darker(color, 0.7), 0.04)
    geoms = scene.visible(f"{name}.loaf", "box", (0.12, 0.052, 0.04), crust, (0, 0, 0.04))
    geoms += scene.visible(
        f"{name}.crust", "capsule", (0.06, 0.085), crust, (0, 0, 0.07), (0, math.pi / 2, 0)
    )
    geoms += Scene.solid("box", (0.125, 0.055, 0.06), (0, 0, 0.06), 0.4)
    return _Parts(geoms, 0.04, 0.09, 0.11, 0.14, 0.13)


def _watermelon(scene: Scene, name: str, color: Color) -> _Parts:
    rind = Surface(color, "stripes", "gloss", _darker(color, 0.25), 0.05)
    geoms = scene.visible(f"{name}.rind", "ellipsoid", (0.105, 0.095, 0.09), rind, (0, 0, 0.09))
    geoms += _cylinder(0.08, 0, 0.17, 1.2)
    return _Parts(geoms, 0.075, 0.12, 0.12, 0.105, 0.18)


def _half_watermelon(scene: Scene, name: str, color: Color) -> _Parts:
    profile = tuple(
        (0.095 * math.sin(a), 0.085 * (1 - math.cos(a))) for a in (k * math.pi / 24 for k in range(13))
    )
    rind = Surface(color, "stripes", "gloss", _darker(color, 0.25), 0.05)
    closed = (*profile, (0.0, 0.085))
    geoms = scene.visible(f"{name}.rind", "mesh", scene.mesh("half_melon", closed), rind)
    pale = Surface((0.85, 0.9, 0.7), finish="matte")
    geoms += scene.visible(f"{name}.pith", "cylinder", (0.094, 0.002), pale, (0, 0, 0.086))
    flesh = Surface((0.85, 0.06, 0.06), "speckles", "satin", (0.45, 0.02, 0.02), 0.03)
    geoms += scene.visible(f"{name}.flesh", "cylinder", (0.085, 0.002), flesh, (0, 0, 0.088))
    geoms += _cylinder(0.07, 0, 0.08, 0.6)
    return _Parts(geoms, 0.08, 0.07, 0.03, 0.095, 0.09)


def _pumpkin(scene: Scene, name: str, color: Color) -> _Parts:
    skin = Surface(color, "stripes", "satin", _darker(color, 0.6), 0.045)
    geoms = scene.visible(f"{name}.skin", "ellipsoid", (0.085, 0.085, 0.065), skin, (0, 0, 0.062))
    stem = Surface((0.2, 0.3, 0.08), finish="matte")
    geoms += scene.visible(f"{name}.stem", "cylinder", (0.014, 0.025), stem, (0, 0, 0.135))
    geoms += _cylinder(0.065, 0, 0.12, 0.8)
    return _Parts(geoms, 0.06, 0.1, 0.11, 0.085, 0.16)


def _orange(scene: Scene, name: str, color: Color) -> _Parts:
    geoms = scene.visible(
        f"{name}.peel", "sphere", (0.058,), Surface(color, finish="satin"), (0, 0, 0.056)
    )
    geoms += _cylinder(0.045, 0, 0.11, 0.25)
    return _Parts(geoms, 0.03, 0.085, 0.11, 0.058, 0.115)


def _pineapple(scene: Scene, name: str, color: Color) -> _Parts:
    skin = Surface(color, "checks", "satin", _darker(color, 0.5), 0.035)
    geoms = scene.visible(f"{name}.fruit", "ellipsoid", (0.062, 0.062, 0.09), skin, (0, 0, 0.088))
    leaf = Surface((0.1, 0.4, 0.1), finish="satin")
    for k in range(4):
        turn = k * math.pi / 2
        geoms += scene.visible(
            f"{name}.leaf_{k}", "ellipsoid", (0.014, 0.014, 0.06), leaf,
            (0.022 * math.cos(turn), 0.022 * math.sin(turn), 0.215),
            (-0.35 * math.sin(turn), 0.35 * math.cos(turn), 0),
        )  # fmt: skip
    geoms += _cylinder(0.05, 0, 0.17, 0.6)
    return _Parts(geoms, 0.04, 0.12, 0.12, 0.065, 0.27)


def _vase(scene: Scene, name: str, color: Color) -> _Parts:
    profile = (
        (0, 0), (0.045, 0), (0.065, 0.04), (0.06, 0.1), (0.03, 0.15), (0.042, 0.18), (0, 0.18),
    )  # fmt: skip
    geoms = scene.visible(f"{name}.pot", "mesh", scene.mesh("vase", profile), _gloss(color))
    stem = Surface((0.08, 0.35, 0.1), finish="matte")
    for k, (dx, petal) in enumerate(
        ((-0.05, (0.95, 0.75, 0.05)), (0.0, (0.9, 0.15, 0.3)), (0.05, (0.95, 0.95, 0.9)))
    ):
        geoms += scene.visible(
            f"{name}.stem_{k}", "capsule", (0.005, 0.05), stem, (dx * 0.6, 0, 0.22), (0, dx * 5, 0)
        )
        geoms += scene.visible(
            f"{name}.flower_{k}", "sphere", (0.028,), Surface(petal, finish="matte"), (dx, 0, 0.28)
        )
    geoms += _cylinder(0.055, 0, 0.16, 0.6)
    return _Parts(geoms, 0.035, 0.13, 0.11, 0.07, 0.3)


def _knife(scene: Scene, name: str, color: Color) -> _Parts:
    steel = Surface((0.75, 0.76, 0.78), finish="metal")
    geoms = scene.visible(
        f"{name}.blade", "box", (0.004, 0.13, 0.028), steel, (0, 0.1, 0.03), collide=MOVABLE, mass=0.15
    )
    geoms += scene.visible(
        f"{name}.handle", "box", (0.016, 0.07, 0.02), _gloss(color), (0, -0.1, 0.03), collide=MOVABLE,
        mass=0.15,
    )  # fmt: skip
    # A foot that only furniture feels keeps the blade upright where it lies, and easy to see.
    geoms += Scene.solid("box", (0.04, 0.17, 0.004), (0, 0, 0.004), 0.05, collide=(0, 1))
    return _Parts(geoms, 0.11, 0.035, 0.035, 0.23, 0.06, is_slicer=True)


KINDS: dict[str, Builder] = {
    "plate": _plate,
    "bowl": _bowl,
    "pot": _pot,
    "basket": _basket,
    "tray": _tray,
    "cutting_board": _tray,
    "jug": _jug,
    "kettle": _kettle,
    "bottle": _bottle,
    "milk_carton": _carton,
    "cereal_box": _cereal_box,
    "can": _can,
    "mug": _mug,
    "bread_loaf": _bread,
    "watermelon": _watermelon,
    "half_watermelon": _half_watermelon,
    "pumpkin": _pumpkin,
    "orange": _orange,
    "pineapple": _pineapple,
    "vase": _vase,
    "knife": _knife,
}


def add_thing(
    scene: Scene,
    name: str,
    kind: str,
    color: Color,
    pos: Vec3,
    yaw_rad: float = 0.0,
    halves: tuple[str, ...] = (),
    parents: tuple[str, ...] = (),
) -> Thing:
    """Add a movable thing of the given kind; its category is the kind.

    Errors: :class:`UnknownNameError` for a kind that is not in :data:`KINDS`.
    """
    if kind not in KINDS:
        raise UnknownNameError.of("kind of thing", kind, KINDS, "Add it to simulator/things.py.")
    parts = KINDS[kind](scene, name, color)
    scene.body(name, pos, parts.geoms, yaw_rad, kind="free")
    scene.objects.append(WorldObject(name, kind, (name,), parents=parents))
    return Thing(
        name,
        kind,
        parts.grasp_out,
        parts.grasp_height,
        parts.grip,
        parts.radius,
        parts.height,
        parts.rest_height,
        parts.cavity,
        parts.is_slicer,
        halves,
        parents,
    )
