"""A small kitchen corner for tests of cameras, masks and pictures: a table against a wall, a few
coloured things, a head on a scripted body, a burner that can glow, and one collision-only box."""

import math
from dataclasses import dataclass

import numpy as np

from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import Cue, World, WorldObject, WorldState

TABLE_TOP_M = 0.92
HEAD = (0.0, 0.0, 1.6)


def _bowl() -> str:
    """A turned bowl as a MuJoCo mesh: vertices and faces as text."""
    profile = [(0, 0), (0.06, 0), (0.09, 0.03), (0.11, 0.09), (0.1, 0.09), (0.08, 0.035), (0, 0.02)]
    n = 24
    vertices = [
        (r * math.cos(2 * math.pi * i / n), r * math.sin(2 * math.pi * i / n), z)
        for i in range(n)
        for r, z in profile
    ]
    faces = []
    for i in range(n):
        a, b = i * len(profile), ((i + 1) % n) * len(profile)
        for k in range(len(profile) - 1):
            if profile[k + 1][0] > 0:
                faces.append((a + k, b + k + 1, a + k + 1))
            if profile[k][0] > 0:
                faces.append((a + k, b + k, b + k + 1))
    text = " ".join(f"{x:.5f}" for v in vertices for x in v)
    return f'vertex="{text}" face="{" ".join(str(i) for f in faces for i in f)}"'


@dataclass(frozen=True)
class _Part:
    """One geom: MuJoCo attributes, its surface, the group it is in."""

    name: str
    shape: str
    surface: Surface
    group: int = 1


def _body(name: str, parts: list[_Part], pos: str = "0 0 0", extra: str = "", **inner: str) -> str:
    geoms = "".join(
        f'<geom name="{p.name}" group="{p.group}" {p.shape} contype="0" conaffinity="0" '
        'density="300"/>'
        for p in parts
    )
    return (
        f'<body name="{name}" pos="{pos}" {inner.get("attributes", "")}>{extra}{geoms}'
        f"{inner.get('children', '')}</body>"
    )


def small_world() -> World:
    """The world. qpos: bowl (7), can (7), ball (7), door hinge; mocap: base."""
    white, dark = Surface((0.85, 0.85, 0.86)), Surface((0.04, 0.04, 0.05), finish="gloss")
    fixed = {
        "floor": [
            _Part(
                "floor_geom",
                'type="box" size="3 3 .05" pos="0 0 -.05"',
                Surface((0.55, 0.54, 0.52), "tile", "matte", scale_m=0.4),
            )
        ],
        "wall": [
            _Part(
                "wall_geom",
                'type="box" size="3 .05 1.4" pos="0 1.55 1.4"',
                Surface((0.72, 0.74, 0.68), finish="matte"),
            ),
            _Part(
                "side_geom",
                'type="box" size=".05 3 1.4" pos="-2.2 -1 1.4"',
                Surface((0.72, 0.66, 0.58), finish="matte"),
            ),
        ],
        "table": [
            _Part(
                "top_geom",
                f'type="box" size="1.2 .35 .02" pos="0 1.1 {TABLE_TOP_M - 0.02}"',
                Surface((0.62, 0.42, 0.24), "wood", "satin"),
            ),
            _Part(
                "front_geom",
                'type="box" size="1.18 .32 .44" pos="0 1.12 .44"',
                Surface((0.78, 0.8, 0.8)),
            ),
        ],
        "stove": [
            _Part(
                "stove_geom",
                f'type="box" size=".3 .25 .012" pos=".75 1.08 {TABLE_TOP_M + 0.012}"',
                dark,
            ),
            _Part(
                "burner_geom",
                f'type="cylinder" size=".1 .006" pos=".75 1.08 {TABLE_TOP_M + 0.028}"',
                Surface((0.12, 0.12, 0.13)),
            ),
        ],
    }
    red, yellow = Surface((0.6, 0.03, 0.03), finish="gloss"), (0.85, 0.62, 0.1)
    movable = {
        "bowl": [_Part("bowl_geom", 'type="mesh" mesh="bowl"', Surface((0.1, 0.3, 0.62)))],
        "can": [
            _Part(
                "can_geom",
                'type="cylinder" size=".045 .08" pos="0 0 .08"',
                Surface((0.85, 0.3, 0.05), "stripes", "satin", (0.9, 0.85, 0.75), 0.05),
            ),
            _Part(
                "lid_geom",
                'type="cylinder" size=".043 .004" pos="0 0 .162"',
                Surface((0.7, 0.7, 0.72), finish="metal"),
            ),
        ],
        "ball": [_Part("ball_geom", 'type="sphere" size=".06"', red)],
    }
    places = {
        "bowl": f"-.1 1.0 {TABLE_TOP_M}",
        "can": f"-.45 1.05 {TABLE_TOP_M}",
        "ball": f".25 .95 {TABLE_TOP_M + 0.06}",
    }
    boards = [
        (".35 .17 .012", "0 0 .25"),
        (".35 .17 .012", "0 0 -.25"),
        (".012 .17 .25", "-.35 0 0"),
        (".012 .17 .25", ".35 0 0"),
        (".35 .01 .25", "0 .17 0"),
    ]
    wood = Surface((0.5, 0.31, 0.17), "wood")
    cabinet = [
        _Part(f"cabinet_{k}", f'type="box" size="{size}" pos="{pos}"', wood)
        for k, (size, pos) in enumerate(boards)
    ]
    door = _Part(
        "door_geom",
        'type="box" size=".345 .011 .26" pos=".35 0 0"',
        Surface((0.75, 0.7, 0.2), finish="satin"),
    )
    robot = [
        _Part(
            "arm_geom", 'type="capsule" size=".05 .25" pos=".3 .35 -.55" euler="1.0 0 -.4"', white
        ),
        _Part("hand_geom", 'type="box" size=".04 .06 .03" pos=".2 .62 -.68"', dark),
    ]
    blocker = _Part("blocker_geom", 'type="box" size=".5 .02 .5" pos="0 .7 1.2"', white, group=3)
    bodies = [_body(name, parts) for name, parts in fixed.items()]
    bodies += [_body(name, parts, places[name], "<freejoint/>") for name, parts in movable.items()]
    hinge = '<joint name="hinge" type="hinge" axis="0 0 -1" range="0 2"/>'
    bodies.append(
        _body("cabinet", cabinet, "-.5 1.32 1.6",
              children=_body("door", [door], "-.35 -.19 0", hinge))
    )  # fmt: skip
    bodies.append(_body("blocker", [blocker]))
    head = '<body name="head" pos="0 0 0"/>'
    bodies.append(
        _body("base", robot, " ".join(map(str, HEAD)), attributes='mocap="true"', children=head)
    )
    xml = (
        '<mujoco><compiler angle="radian"/><asset><mesh name="bowl" inertia="shell" '
        + _bowl()
        + "/></asset><worldbody>"
        + "".join(bodies)
        + "</worldbody></mujoco>"
    )
    parts = [p for group in (*fixed.values(), *movable.values()) for p in group]
    surfaces = {p.name: p.surface for p in (*parts, *cabinet, door, *robot)}
    objects = [WorldObject(name, name, (name,), is_fixed=True) for name in (*fixed, "cabinet")]
    objects += [WorldObject(name, name, (name,)) for name in movable]
    objects.append(WorldObject("robot", "agent", ("base",)))
    return World(
        xml=xml,
        objects=tuple(objects),
        surfaces=surfaces,
        cues=(
            Cue("stove", {"burner_geom": Surface((1.0, 0.12, 0.03), finish="glow")}),
            Cue("bowl", {"bowl_geom": Surface((*yellow,), "speckles", "satin", (0.2, 0.1, 0.0))}),
        ),
        robot_geoms=frozenset(p.name for p in robot),
    )


def first_state(world: World) -> WorldState:
    """The state the world is built in: door closed, burner off."""
    model = world.model
    return WorldState(
        qpos=model.qpos0.copy(),
        mocap_pos=np.array([HEAD]),
        mocap_quat=np.array([[1.0, 0.0, 0.0, 0.0]]),
        appearance=np.zeros(len(world.cues)),
    )
