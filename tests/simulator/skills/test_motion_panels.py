"""Drawers carry what is in them, lids swing up, and both are seen by the facts."""

import mujoco
import numpy as np
import pytest
from simulator.small_stage import LOOK, robot_after, small_stage, spans

from enact_assets.engine.errors import PlanError
from enact_assets.simulator.activities.base import HEAD_PITCH_RAD
from enact_assets.simulator.mechanics.containment import is_inside
from enact_assets.simulator.planning.basic_steps import Close, Grasp, Open, Place, Press, move
from enact_assets.simulator.planning.plan_check import check_plan
from enact_assets.simulator.rooms import appliances, kitchen, storage
from enact_assets.simulator.simulation.recording import facts_of
from enact_assets.simulator.skills.executor import Executor
from enact_assets.simulator.stage.stage_builder import StageBuilder


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
    builder.furnish(*storage.add_drawer_unit(builder.scene, LOOK, kitchen.LEFT_X))
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
    builder.furnish(appliances.add_stove(builder.scene, kitchen.STYLES[0], kitchen.RIGHT_X))
    builder.leave_on("stove")
    robot = robot_after(Press("right", "stove"), stage=builder.finish(HEAD_PITCH_RAD))
    ((_, start, end),) = spans(robot, "ToggledOn", "stove")
    assert start == 0
    assert end < robot.physics.frame
