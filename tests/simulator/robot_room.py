"""A room with nothing but the robot in it, and states of it."""

from collections.abc import Sequence

import numpy as np

from enact_assets.simulator.robot.kinematics import (
    SIDES,
    BasePose,
    HandPose,
    Side,
    add_robot,
    body_poses,
)
from enact_assets.simulator.rooms import shell
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import World, WorldState

MIDDLE = BasePose(0.0, 0.0, 0.0)
REST: dict[Side, HandPose] = {
    "left": HandPose(np.array([-0.4, 0.3, 1.0]), 0.0, 0.6, 0.1),
    "right": HandPose(np.array([0.4, 0.3, 1.0]), 0.0, 0.6, 0.1),
}


def robot_room(
    window: shell.Window | None = shell.CASEMENT,
    decor: Sequence[shell.Decor] = (),
) -> World:
    """The room's shell, the robot, and things nobody built for a purpose."""
    scene = Scene()
    wall, floor = Surface((0.7, 0.7, 0.7), finish="matte"), Surface((0.4, 0.4, 0.4))
    shell.add_shell(scene, wall, floor, window=window, decor=decor)
    robot = add_robot(scene)
    return World(
        xml=scene.xml(),
        objects=tuple(scene.objects),
        surfaces=scene.surfaces,
        robot_geoms=robot,
    )


def robot_state(hands: dict[Side, HandPose], base: BasePose = MIDDLE) -> WorldState:
    """The robot with its hands there."""
    assert set(hands) == set(SIDES)
    positions, quats = body_poses(base, hands)
    return WorldState(np.zeros(0), positions, quats, np.zeros(0))
