"""The robot's bodies are where the script has them, in every logged frame."""

import dataclasses

import numpy as np
from simulator import room_pieces

from enact_assets.simulator.activities.base import HEAD_PITCH_RAD
from enact_assets.simulator.robot.kinematics import BODIES, body_poses
from enact_assets.simulator.rooms import kitchen
from enact_assets.simulator.skills.executor import Executor
from enact_assets.simulator.stage.stage_builder import StageBuilder


def test_every_logged_pose_of_the_robot_is_the_scripted_one() -> None:
    """Poses kept while the robot stands still must not outlive a move of any part of it."""
    stage = StageBuilder()
    kitchen.add_room(stage.scene, kitchen.STYLES[0])
    stage.furnish(room_pieces.add_table(stage.scene, kitchen.STYLES[0]))
    robot = Executor(stage.finish(HEAD_PITCH_RAD), "test seed 0")
    base, hands = robot.base, dict(robot.hands)
    left = hands["left"]
    changes = (
        {},
        {"pos": left.pos + 0.01},
        {"yaw": left.yaw + 0.1},
        {"pitch": left.pitch + 0.1},
        {"opening": left.opening + 0.01},
        {},
    )
    script = [(base, {**hands, "left": dataclasses.replace(left, **c)}) for c in changes]
    script.append((dataclasses.replace(base, x=base.x + 0.02), hands))
    for pose in [step for step in script for _ in range(2)]:
        robot.physics.step(*pose)
        pos, quat = body_poses(*pose)
        np.testing.assert_array_equal(robot.physics.log.mocap_pos[-1][: len(BODIES)], pos)
        np.testing.assert_array_equal(robot.physics.log.mocap_quat[-1][: len(BODIES)], quat)
