"""A small kitchen corner for tests of cameras, masks and pictures: a table against a wall, a few
coloured things, a head on a scripted body, a burner that can glow, and one collision-only box."""

import numpy as np

from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import Cue, World, WorldObject, WorldState

TABLE_TOP_M = 0.92
HEAD = (0.0, 0.0, 1.6)
BOWL = [(0, 0), (0.06, 0), (0.09, 0.03), (0.11, 0.09), (0.1, 0.09), (0.08, 0.035), (0, 0.02)]
WHITE, DARK = Surface((0.85, 0.85, 0.86)), Surface((0.04, 0.04, 0.05), finish="gloss")
FIXED = {
    "floor": {"floor_geom": ("box", (3, 3, 0.05), (0, 0, -0.05))},
    "wall": {
        "wall_geom": ("box", (3, 0.05, 1.4), (0, 1.55, 1.4)),
        "side_geom": ("box", (0.05, 3, 1.4), (-2.2, -1, 1.4)),
    },
    "table": {
        "top_geom": ("box", (1.2, 0.35, 0.02), (0, 1.1, TABLE_TOP_M - 0.02)),
        "front_geom": ("box", (1.18, 0.32, 0.44), (0, 1.12, 0.44)),
    },
    "stove": {
        "stove_geom": ("box", (0.3, 0.25, 0.012), (0.75, 1.08, TABLE_TOP_M + 0.012)),
        "burner_geom": ("cylinder", (0.1, 0.006), (0.75, 1.08, TABLE_TOP_M + 0.028)),
    },
}
MOVABLE = {
    "bowl": {"bowl_geom": ("mesh", "bowl", (0, 0, 0))},
    "can": {
        "can_geom": ("cylinder", (0.045, 0.08), (0, 0, 0.08)),
        "lid_geom": ("cylinder", (0.043, 0.004), (0, 0, 0.162)),
    },
    "ball": {"ball_geom": ("sphere", (0.06,), (0, 0, 0))},
}
PLACES = {
    "bowl": (-0.1, 1.0, TABLE_TOP_M),
    "can": (-0.45, 1.05, TABLE_TOP_M),
    "ball": (0.25, 0.95, TABLE_TOP_M + 0.06),
}
BOARDS = {
    "cabinet_0": ("box", (0.35, 0.17, 0.012), (0, 0, 0.25)),
    "cabinet_1": ("box", (0.35, 0.17, 0.012), (0, 0, -0.25)),
    "cabinet_2": ("box", (0.012, 0.17, 0.25), (-0.35, 0, 0)),
    "cabinet_3": ("box", (0.012, 0.17, 0.25), (0.35, 0, 0)),
    "cabinet_4": ("box", (0.35, 0.01, 0.25), (0, 0.17, 0)),
}
LOOKS = {
    "floor_geom": Surface((0.55, 0.54, 0.52), "tile", "matte", scale_m=0.4),
    "wall_geom": Surface((0.72, 0.74, 0.68), finish="matte"),
    "side_geom": Surface((0.72, 0.66, 0.58), finish="matte"),
    "top_geom": Surface((0.62, 0.42, 0.24), "wood", "satin"),
    "front_geom": Surface((0.78, 0.8, 0.8)),
    "stove_geom": DARK,
    "burner_geom": Surface((0.12, 0.12, 0.13)),
    "bowl_geom": Surface((0.1, 0.3, 0.62)),
    "can_geom": Surface((0.85, 0.3, 0.05), "stripes", "satin", (0.9, 0.85, 0.75), 0.05),
    "lid_geom": Surface((0.7, 0.7, 0.72), finish="metal"),
    "ball_geom": Surface((0.6, 0.03, 0.03), finish="gloss"),
    **dict.fromkeys(BOARDS, Surface((0.5, 0.31, 0.17), "wood")),
}


def small_world() -> World:
    """The world. qpos: bowl (7), can (7), ball (7), door hinge; mocap: base."""
    scene = Scene()
    scene.mesh("bowl", BOWL)

    def geoms(parts: dict) -> str:
        return "".join(
            scene.visible(name, kind, size, LOOKS[name], at, mass=0.1)
            for name, (kind, size, at) in parts.items()
        )

    for name, parts in FIXED.items():
        scene.body(name, (0, 0, 0), geoms(parts))
    for name, parts in MOVABLE.items():
        scene.body(name, PLACES[name], geoms(parts), kind="free")
    yellow = Surface((0.75, 0.7, 0.2), finish="satin")
    door = scene.visible("door_geom", "box", (0.345, 0.011, 0.26), yellow, (0.35, 0, 0), mass=0.1)
    hinge = '<joint name="hinge" type="hinge" axis="0 0 -1" range="0 2"/>'
    door = f'<body name="door" pos="-.35 -.19 0">{hinge}{door}</body>'
    scene.body("cabinet", (-0.5, 1.32, 1.6), geoms(BOARDS) + door)
    blocker = Scene.solid("box", (0.5, 0.02, 0.5), (0, 0.7, 1.2), 0.0, collide=(0, 0))
    scene.body("blocker", (0, 0, 0), blocker.replace("<geom", '<geom name="blocker_geom"'))
    before = {*scene.surfaces}
    arm = scene.visible(
        "arm_geom", "capsule", (0.05, 0.25), WHITE, (0.3, 0.35, -0.55), euler=(1.0, 0, -0.4)
    )
    hand = scene.visible("hand_geom", "box", (0.04, 0.06, 0.03), DARK, (0.2, 0.62, -0.68))
    scene.body("base", HEAD, f'{arm}{hand}<body name="head"/>', kind="mocap")
    objects = [WorldObject(name, name, (name,), is_fixed=True) for name in (*FIXED, "cabinet")]
    objects += [WorldObject(name, name, (name,)) for name in MOVABLE]
    objects.append(WorldObject("robot", "agent", ("base",)))
    speckled = Surface((0.85, 0.62, 0.1), "speckles", "satin", (0.2, 0.1, 0.0))
    return World(
        xml=scene.xml(),
        objects=tuple(objects),
        surfaces=scene.surfaces,
        cues=(
            Cue("stove", {"burner_geom": Surface((1.0, 0.12, 0.03), finish="glow")}),
            Cue("bowl", {"bowl_geom": speckled}),
        ),
        robot_geoms=frozenset(scene.surfaces.keys() - before),
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
