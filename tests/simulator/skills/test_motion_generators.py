"""Motions are generators: who drives them steps the physics, and hands may roll."""

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulator.small_stage import small_stage

from enact_assets.engine.errors import PhysicsError, PlanError
from enact_assets.simulator.planning.basic_steps import Grasp, Press
from enact_assets.simulator.robot.kinematics import BODIES, BasePose, HandPose, body_poses
from enact_assets.simulator.robot.stances import Goal, common_stance, standing_place
from enact_assets.simulator.shapes.rotations import quat_to_matrix
from enact_assets.simulator.skills.executor import Executor

angles = st.floats(-3.0, 3.0)
slopes = st.floats(-1.2, 1.2)


@pytest.fixture
def robot() -> Executor:
    return Executor(small_stage(), "test seed 0")


def test_a_motion_takes_a_frame_at_each_yield_and_none_before(robot: Executor) -> None:
    """Frames stepped inside a skill would run one hand while the other stands still."""
    before = robot.physics.frame
    motions = robot.wait(0.2)
    assert robot.physics.frame == before
    assert sum(1 for _ in motions) == 6
    assert robot.physics.frame == before
    robot.drive(robot.wait(0.2))
    assert robot.physics.frame == before + 6


def test_driving_gives_the_result_of_a_motion(robot: Executor) -> None:
    """A cut, a press: skills ask whether something happened on the way."""
    goal = dataclasses.replace(robot.hands["left"], pos=robot.hands["left"].pos + 0.1)
    asked: list[int] = []

    def is_there() -> bool:
        asked.append(robot.physics.frame)
        return len(asked) == 3

    start = robot.physics.frame
    assert robot.drive(robot.move("left", goal, robot.base, until=is_there)) is True
    assert asked == [start + 1, start + 2, start + 3]
    assert robot.drive(robot.move("left", goal, robot.base, until=lambda: False)) is False


@given(yaw=angles, pitch=slopes, roll=angles)
def test_roll_turns_the_hand_about_its_approach(yaw: float, pitch: float, roll: float) -> None:
    """The arm stays where it is; the right side of the hand goes down with positive roll."""
    level = HandPose(np.array([0.1, 0.6, 1.0]), yaw, pitch, 0.05)
    rolled = dataclasses.replace(level, roll=roll)
    assert rolled.approach == pytest.approx(level.approach)
    assert rolled.wrist == pytest.approx(level.wrist)
    first, second = quat_to_matrix(level.quat), quat_to_matrix(rolled.quat)
    assert first[:, 2] == pytest.approx(-level.approach)
    assert second[:, 2] == pytest.approx(first[:, 2], abs=1e-9)
    assert float(first[:, 0] @ second[:, 0]) == pytest.approx(math.cos(roll), abs=1e-9)
    lowered = float(second[2, 0])
    assert lowered == pytest.approx(-math.sin(roll) * math.cos(pitch), abs=1e-9)


def test_fingers_stand_apart_across_the_rolled_hand() -> None:
    """A hand rolled by a quarter takes a level bar from above and below."""
    base = BasePose(0.0, 0.0, 0.0)
    hand = HandPose(np.array([0.3, 0.5, 1.0]), 0.0, 0.0, 0.06, math.pi / 2)
    pos, _ = body_poses(base, {"left": dataclasses.replace(hand, roll=0.0), "right": hand})
    at = dict(zip(BODIES, pos, strict=True))
    apart = at["robot.right_finger_out"] - at["robot.right_finger_in"]
    assert apart == pytest.approx([0.0, 0.0, -0.078])
    level = at["robot.left_finger_out"] - at["robot.left_finger_in"]
    assert level == pytest.approx([0.078, 0.0, 0.0])


def test_roll_is_led_from_one_pose_to_the_next(robot: Executor) -> None:
    """A jug that jumps to its tilt would throw out what is in it."""
    goal = dataclasses.replace(robot.hands["left"], roll=1.0)
    rolls = []
    for _ in robot.move("left", goal, robot.base, least_s=0.5):
        rolls.append(robot.hands["left"].roll)
        robot.frame()
    assert rolls == sorted(rolls)
    assert rolls[-1] == pytest.approx(1.0)
    assert max(np.diff(rolls)) < 0.15
    robot.drive(robot.wait(0.1))
    assert robot.hands["left"].roll == pytest.approx(1.0)
    robot.drive(robot.home("left"))
    assert robot.hands["left"].roll == 0.0


def test_the_acting_hand_is_gone_before_the_next_step(robot: Executor) -> None:
    """Key frames are taken 20 frames after a change: a hand over it would hide it."""
    robot.run(Grasp("left", "mug"))
    motions = robot.place("left", "table", (-0.3, 0.0))
    while robot.physics.held["left"] is not None:
        next(motions)
        robot.frame()
    placed = robot.physics.frame
    for _ in motions:
        robot.frame()
    hand = np.array(robot.physics.log.mocap_pos)[placed:, 3]
    mug, _ = robot.physics.pose("mug")
    assert np.linalg.norm(hand[12] - mug) > 0.3
    assert len(hand) < 45


def test_a_stance_reaches_all_its_goals_or_there_is_none() -> None:
    """Half reached is an arm out of its joints in the middle of a task."""

    def at(x: float, y: float, side: str) -> Goal:
        pose = HandPose(np.array([x, y, 0.9]), 0.0, 0.6, 0.05)
        return Goal(side, "it", lambda _: pose)  # type: ignore[arg-type]

    near = [at(-0.3, 0.6, "left"), at(0.3, 0.6, "right")]
    stance = common_stance(near)
    assert stance is not None
    assert abs(stance.x) < 0.05
    assert all(goal.excess(stance) < 0 for goal in near)
    assert common_stance([at(-0.9, 1.1, "left"), at(0.9, 1.1, "right")]) is None


def test_the_base_comes_nearer_only_where_it_must() -> None:
    """Each step nearer takes work places out of the picture."""
    far = np.array([-0.57, 1.08, 0.91])
    pose = HandPose(far, 0.0, 1.05, 0.0)
    usual = standing_place("left", far)
    needed = standing_place("left", far, lambda _: pose)
    assert Goal("left", "button", lambda _: pose).excess(usual) > 0
    assert Goal("left", "button", lambda _: pose).excess(needed) <= 0
    assert needed.y - usual.y < 0.07
    close = np.array([-0.3, 0.7, 0.91])
    near = HandPose(close, 0.0, 0.6, 0.0)
    assert standing_place("left", close, lambda _: near) == standing_place("left", close)


def test_a_scene_that_explodes_is_an_error(
    robot: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MuJoCo resets what explodes and only warns; the log would show a room made anew."""
    monkeypatch.chdir(tmp_path)  # MuJoCo also writes its warning to a file
    joint = robot.physics.model.joint("can")
    robot.physics.data.qvel[int(joint.dofadr[0])] = 1e12
    with pytest.raises(PhysicsError, match=r"test seed 0, frame 30: MuJoCo warned .*BADQ(VEL|ACC)"):
        robot.drive(robot.wait(0.2))


def test_errors_name_the_number_of_the_step(robot: Executor) -> None:
    """In a plan of fifty steps the name alone does not say which one."""
    with pytest.raises(
        PlanError, match=r"frame 30, step 7 of 12, press\(left, table\): table has no button"
    ):
        robot.run(Press("left", "table"), "7 of 12")
