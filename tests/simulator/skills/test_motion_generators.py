"""Motions are generators: who drives them steps the physics, and hands may roll.

Both hands at once: two tasks in the same frames, and one wide thing in two hands. Drawers carry
what is in them, lids swing up, and both are seen by the facts."""

import dataclasses
import math
from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulator import room_pieces
from simulator.small_stage import LOOK, robot_after, small_stage, spans

from enact_assets.engine.errors import PhysicsError, PlanError
from enact_assets.simulator.activities.base import HEAD_PITCH_RAD
from enact_assets.simulator.mechanics.containment import is_inside
from enact_assets.simulator.planning.basic_steps import (
    Close,
    Grasp,
    GraspBoth,
    Open,
    Place,
    PlaceBoth,
    Press,
    Together,
    move,
    move_wide,
)
from enact_assets.simulator.planning.plan_check import check_plan
from enact_assets.simulator.robot.kinematics import BODIES, SIDES, BasePose, HandPose, body_poses
from enact_assets.simulator.robot.stances import Goal, common_stance, standing_place
from enact_assets.simulator.rooms import kitchen
from enact_assets.simulator.shapes.rotations import quat_to_matrix
from enact_assets.simulator.simulation.recording import facts_of
from enact_assets.simulator.skills.executor import Executor
from enact_assets.simulator.skills.motion import side_by_side
from enact_assets.simulator.stage.stage_builder import StageBuilder

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


LEFT = move("left", "mug", "table", (-0.32, 0.1))
RIGHT = (*move("right", "can", "table", (0.3, 0.15)), *move("right", "can", "table", (0.28, -0.1)))


@pytest.fixture(scope="module")
def together() -> Executor:
    return robot_after(Together(LEFT, RIGHT))


@pytest.fixture(scope="module")
def carried() -> Executor:
    return robot_after(*move_wide("basket", "chest_of_drawers", (0.03, -0.15)))


def test_both_tasks_end_as_they_do_one_after_the_other(together: Executor) -> None:
    """What the hands do to things must not depend on when they do it."""
    alone = robot_after(*LEFT, *RIGHT)
    for name in ("mug", "can", "basket", "orange"):
        pos, quat = together.physics.pose(name)
        assert pos == pytest.approx(alone.physics.pose(name)[0], abs=0.01)
        assert abs(float(quat @ alone.physics.pose(name)[1])) > 0.999
    assert together.physics.held == {"left": None, "right": None}
    assert together.physics.frame < 0.75 * alone.physics.frame


def test_both_hands_hold_something_in_the_same_frames(together: Executor) -> None:
    """One after the other would be two tasks with no more than the plan between them."""
    facts = {
        predicate: spans(together, predicate, "robot")
        for predicate in ("LeftGrasping", "RightGrasping")
    }
    ((thing, left_from, left_to),) = facts["LeftGrasping"]
    other, right_from, right_to = facts["RightGrasping"][0]
    assert (thing, other) == ("mug", "can")
    assert max(left_from, right_from) < min(left_to, right_to)


def test_the_base_stands_still_while_both_hands_act(together: Executor) -> None:
    """If one hand walked the base, the other would be dragged off its path."""
    base = np.array(together.physics.log.mocap_pos)[:, 0]
    left = spans(together, "LeftGrasping", "robot")[0]
    assert np.ptp(base[left[1] : left[2]], axis=0).max() == 0.0


def test_the_hand_that_is_done_first_waits(together: Executor) -> None:
    """It goes home and stays there until the other one is done."""
    left = np.array(together.physics.log.mocap_pos)[:, 3]
    done = spans(together, "LeftGrasping", "robot")[0][2] + 45
    assert done < spans(together, "RightGrasping", "robot")[-1][2]
    assert np.ptp(left[done:], axis=0).max() < 1e-9


def test_side_by_side_lasts_as_long_as_the_longest() -> None:
    """Frames in which only one of them moves are frames too."""
    seen: list[str] = []

    def motion(name: str, n: int):  # type: ignore[no-untyped-def]
        for _ in range(n):
            seen.append(name)
            yield

    assert sum(1 for _ in side_by_side(motion("a", 2), motion("b", 4))) == 4
    assert seen == ["a", "b", "a", "b", "b", "b"]


def test_two_hands_hold_a_wide_thing_and_what_stands_in_it_stays(carried: Executor) -> None:
    """Both hands grasp it from the first to the last frame it is in the air."""
    facts = [spans(carried, f"{side}Grasping", "robot") for side in ("Left", "Right")]
    assert facts[0] == facts[1]
    ((thing, start, stop),) = facts[0]
    assert (thing, stop - start > 60) == ("basket", True)
    qpos, model = np.array(carried.physics.log.qpos), carried.physics.model
    at = {name: int(model.joint(name).qposadr[0]) for name in ("basket", "orange")}
    offset = qpos[:, at["orange"] : at["orange"] + 3] - qpos[:, at["basket"] : at["basket"] + 3]
    level = np.hypot(offset[:, 0], offset[:, 1])
    assert np.ptp(level) < 0.01
    assert spans(carried, "Inside", "orange") == [("basket", 0, carried.physics.frame)]
    assert ("chest_of_drawers", carried.physics.frame) in [
        (on, until) for on, _, until in spans(carried, "OnTop", "basket")
    ]


def test_the_hands_keep_their_distance_along_a_wide_thing(carried: Executor) -> None:
    """Two welds that pull apart would tear the thing, or the solver."""
    start, stop = spans(carried, "LeftGrasping", "robot")[0][1:]
    hands = np.array(carried.physics.log.mocap_pos)[start:stop, [3, 8]]
    apart = np.linalg.norm(hands[:, 0] - hands[:, 1], axis=1)
    assert apart == pytest.approx(np.full(len(apart), apart[0]), abs=1e-6)
    half = carried.stage.things["basket"].parts.grasp_wide
    assert half is not None
    assert apart[0] == pytest.approx(2 * half, abs=1e-6)


def test_what_two_hands_cannot_do_is_refused() -> None:
    """Crossing arms, full hands and narrow things: each by its message."""
    robot = Executor(small_stage(), "test seed 0")
    with pytest.raises(PlanError, match="can is not made for two hands"):
        robot.run(GraspBoth("can"))
    with pytest.raises(PlanError, match=r"grasp\(right, mug\).* in each other's way"):
        robot.run(Together((Grasp("left", "can"),), (Grasp("right", "mug"),)))
    robot = robot_after(Grasp("left", "mug"))
    with pytest.raises(PlanError, match="the left hand holds mug"):
        robot.run(GraspBoth("basket"))
    with pytest.raises(PlanError, match="the hands do not hold the same thing"):
        robot.run(PlaceBoth("table"))


@pytest.mark.parametrize(
    ("left", "right", "problem"),
    [
        ((), move("right", "can", "table"), "the left hand has nothing to do"),
        (
            move("right", "mug", "table"),
            RIGHT,
            r"Grasp\(side='right'.* is not a step of the left hand",
        ),
        ((GraspBoth("basket"),), RIGHT, r"GraspBoth\(.*\) is not a step of the left hand"),
        (
            (Open("left", "bottom_drawer"),),
            move("right", "can", "table", (0.4, 0.34)),
            "there is no place to stand from where both hands reach",
        ),
        (
            (Grasp("left", "can_2"),),
            RIGHT,
            r"together: step 1 of the left hand, Grasp\(.*'can_2'\): top_drawer is closed; open it",
        ),
    ],
)
def test_tasks_that_do_not_go_together_are_refused(
    left: tuple[Grasp | Place | Open, ...], right: tuple[Grasp | Place, ...], problem: str
) -> None:
    """Found before a hand moves: from the targets alone."""
    robot = Executor(small_stage(), "test seed 0")
    with pytest.raises(PlanError, match=problem):
        robot.run(Together(left, right))
    assert robot.physics.frame == 30
    assert {side: robot.physics.held[side] for side in SIDES} == {"left": None, "right": None}


@pytest.fixture(scope="module")
def drawers() -> Executor:
    """A can changes drawers: out of the top one, into the bottom one."""
    return robot_after(
        Open("left", "top_drawer"),
        *move("left", "can_2", "table", (-0.1, -0.25)),
        Close("left", "top_drawer"),
        Open("left", "bottom_drawer"),
        Grasp("left", "can_2"),
        Place("left", "bottom_drawer", (0.12, 0.0)),
        Close("left", "bottom_drawer"),
    )


@pytest.fixture(scope="module")
def chest() -> Executor:
    """A can goes into the chest."""
    return robot_after(
        Open("right", "chest"),
        Grasp("right", "can"),
        Place("right", "chest", (-0.1, 0.0)),
        Close("right", "chest"),
    )


def test_what_stands_in_a_drawer_stays_where_it_is_in_it(drawers: Executor) -> None:
    """A drawer pulled in jerks leaves its content behind; then it is in no drawer at all."""
    model, log = drawers.physics.model, drawers.physics.log
    qpos = np.array(log.qpos)
    orange = int(model.joint("orange_2").qposadr[0])
    pulled = qpos[:, int(model.joint("bottom_drawer.joint").qposadr[0])]
    assert pulled.max() == pytest.approx(0.34, abs=0.002)
    assert pulled[-1] == pytest.approx(0.0, abs=0.001)
    # The drawer slides towards the robot, to smaller y.
    assert np.ptp(qpos[:, orange + 1] + pulled) < 0.003
    assert np.ptp(qpos[:, orange]) < 0.003
    assert spans(drawers, "Inside", "orange_2") == [("bottom_drawer", 0, drawers.physics.frame)]


def test_a_thing_changes_drawers_and_is_inside_the_closed_one(drawers: Executor) -> None:
    """The cavity and the place for things move with the drawer."""
    second, first = spans(drawers, "Inside", "can_2")
    assert (first[:2], second[0]) == (("top_drawer", 0), "bottom_drawer")
    assert second[2] == drawers.physics.frame
    pos, _ = drawers.physics.pose("can_2")
    assert pos == pytest.approx([-0.76 + 0.12, 0.8, 0.416], abs=0.01)


def test_recipes_and_predicates_agree_on_what_is_inside() -> None:
    """An open drawer takes its cavity along, and a thing on its side has its middle elsewhere: a
    recipe with a rule of its own would happen where no picture shows its parents together.
    """
    robot = robot_after(Open("left", "bottom_drawer"))
    physics, stage = robot.physics, robot.stage
    basket = physics.pose("basket")[0]
    tilt = np.array([np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0])
    inner = float(stage.cavities["basket"][1][0])
    # The can sticks out to the right: its bottom is in the basket, its middle is not.
    physics.teleport("can", basket + np.array([inner - 0.02, 0.0, 0.1]), tilt)
    mujoco.mj_kinematics(physics.model, physics.data)
    physics._record()  # no step, or the can would fall
    n_frames = physics.frame
    said = {
        (f.subject, f.object)
        for f in facts_of(physics, frozenset())
        if f.predicate == "Inside" and f.frame_to == n_frames
    }
    found = {
        (name, place)
        for name in stage.things
        for place in stage.cavities
        if name in physics.existing and name != place and is_inside(physics, name, place)
    }
    assert found == said
    assert {("orange_2", "bottom_drawer"), ("can_2", "top_drawer"), ("orange", "basket")} <= said
    assert ("can", "basket") not in said


def test_drawers_are_open_in_turn(drawers: Executor) -> None:
    """Each is an object of its own, past five per cent of its span or not."""
    ((_, top_from, top_to),) = spans(drawers, "Open", "top_drawer")
    ((_, bottom_from, bottom_to),) = spans(drawers, "Open", "bottom_drawer")
    assert 0 < top_from < top_to < bottom_from < bottom_to < drawers.physics.frame
    assert drawers.stage.fixtures["top_drawer"].is_drawer


def test_a_thing_in_a_drawer_is_under_nothing_outside_it(drawers: Executor) -> None:
    """Else closing a drawer would put its content under all that stands in the one above."""
    assert spans(drawers, "Under", "can_2") == []
    assert spans(drawers, "Under", "orange_2") == []


def test_a_lid_swings_up_and_stays_until_it_is_closed(chest: Executor) -> None:
    """The hand leads the handle along its arc; let go, the lid must not fall on it."""
    ((_, start, stop),) = spans(chest, "Open", "chest")
    joint = int(chest.physics.model.joint("chest.joint").qposadr[0])
    angle = np.array(chest.physics.log.qpos)[:, joint]
    assert angle[start + 30 : stop - 60].min() > 1.6
    assert angle[-1] == pytest.approx(0.0, abs=0.02)
    assert spans(chest, "Inside", "can")[-1][2] == chest.physics.frame
    assert spans(chest, "Inside", "bowl") == [("chest", 0, chest.physics.frame)]


def test_the_hand_follows_the_handle(chest: Executor) -> None:
    """A hand that lets the panel go by itself would hang in the air beside it."""
    physics = chest.physics
    ((_, start, _),) = spans(chest, "Open", "chest")
    panel = chest.stage.fixtures["chest"].opening
    angle = physics.log.qpos[start + 10][int(physics.model.joint("chest.joint").qposadr[0])]
    arm = np.subtract(panel.handle, panel.hinge or (0, 0, 0))
    # About -x, so that the handle (before the hinge, at smaller y) goes up and back.
    expected = np.add(
        panel.hinge or (0, 0, 0),
        [0.0, arm[1] * np.cos(angle) + arm[2] * np.sin(angle),
         arm[2] * np.cos(angle) - arm[1] * np.sin(angle)],
    )  # fmt: skip
    hand = physics.log.mocap_pos[start + 10][8]
    assert hand == pytest.approx(expected, abs=0.02)
    assert hand[2] > panel.handle[2] + 0.1


def test_panels_must_be_in_the_state_that_the_step_changes() -> None:
    """A plan that opens twice, or reaches into what is shut, has lost its order."""
    robot = Executor(small_stage(), "test seed 0")
    with pytest.raises(PlanError, match=r"close\(left, top_drawer\): top_drawer is not open"):
        robot.run(Close("left", "top_drawer"))
    with pytest.raises(PlanError, match=r"grasp\(left, can_2\): top_drawer is closed"):
        robot.run(Grasp("left", "can_2"))
    robot.run(Open("left", "top_drawer"))
    with pytest.raises(PlanError, match=r"open\(right, top_drawer\): top_drawer is open already"):
        robot.run(Open("right", "top_drawer"))
    robot.run(Grasp("left", "mug"))
    with pytest.raises(
        PlanError, match=r"step 5 of 6, close\(left, top_drawer\): the left hand holds mug"
    ):
        robot.run(Close("left", "top_drawer"), "5 of 6")


def test_a_drawer_that_is_open_at_the_start_can_be_used_and_closed() -> None:
    """What stands in it moves with it; a plan that opens it again is refused before it runs."""
    builder = StageBuilder()
    builder.furnish(*room_pieces.add_drawer_unit(builder.scene, LOOK, kitchen.LEFT_X))
    builder.leave_open("top_drawer")
    builder.put("can", "can", (0.1, 0.6, 0.1), "top_drawer", (0.1, 0.05))
    stage = builder.finish(HEAD_PITCH_RAD)
    with pytest.raises(PlanError, match="top_drawer is open already"):
        check_plan(stage, (Open("left", "top_drawer"),))
    plan = (*move("left", "can", "chest_of_drawers"), Close("left", "top_drawer"))
    check_plan(stage, plan)
    robot = robot_after(*plan, stage=stage)
    ((_, start, end),) = spans(robot, "Open", "top_drawer")
    assert start == 0
    assert end < robot.physics.frame
    ((_, start, end),) = spans(robot, "Inside", "can")
    assert start == 0
    assert 0 < end < robot.physics.frame


def test_what_is_on_at_the_start_is_switched_off() -> None:
    builder = StageBuilder()
    builder.furnish(room_pieces.add_stove(builder.scene, kitchen.STYLES[0], kitchen.RIGHT_X))
    builder.leave_on("stove")
    robot = robot_after(Press("right", "stove"), stage=builder.finish(HEAD_PITCH_RAD))
    ((_, start, end),) = spans(robot, "ToggledOn", "stove")
    assert start == 0
    assert end < robot.physics.frame
