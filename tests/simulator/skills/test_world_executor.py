"""Skills that cannot be carried out say which step, which object and why."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import mujoco
import numpy as np
import pytest
from simulator import room_pieces
from simulator.small_stage import robot_after

from enact_assets.engine.errors import ActivityError, GoalError, PhysicsError, PlanError
from enact_assets.settings.profile import Profile
from enact_assets.simulator.activities.base import HEAD_PITCH_RAD, Episode
from enact_assets.simulator.planning.basic_steps import (
    Close,
    Grasp,
    Open,
    Place,
    Slice,
    Touch,
    move,
)
from enact_assets.simulator.rooms import kitchen
from enact_assets.simulator.shapes.rotations import quat_z, yaw_of
from enact_assets.simulator.simulate import perform
from enact_assets.simulator.simulation.recording import facts_of
from enact_assets.simulator.skills.executor import Executor
from enact_assets.simulator.stage.stage_builder import StageBuilder

PAPER = Profile("paper")
FLICKER, PERSISTENCE = PAPER.flicker_frames, PAPER.persistence_frames
LYING = np.array([0.9, 0.44, 0.0, 0.0])


@pytest.fixture
def robot() -> Executor:
    """A table with a mug, a can and a melon, beside a closed cabinet."""
    stage = StageBuilder()
    kitchen.add_room(stage.scene, kitchen.STYLES[0])
    stage.furnish(
        room_pieces.add_table(stage.scene, kitchen.STYLES[0]),
        room_pieces.add_cabinet(stage.scene, kitchen.STYLES[0], kitchen.LEFT_X),
    )
    stage.put("mug", "mug", (0.8, 0.1, 0.1), "table", (-0.2, -0.1))
    stage.put("can", "can", (0.1, 0.1, 0.8), "table", (0.2, -0.1))
    stage.put("watermelon", "watermelon", (0.1, 0.5, 0.1), "table", (0.0, 0.1), halves=("a", "b"))
    for half in ("a", "b"):
        stage.put_later(half, "half_watermelon", (0.1, 0.5, 0.1), ("watermelon",))
    return Executor(stage.finish(HEAD_PITCH_RAD), "test seed 0")


def test_a_full_hand_cannot_grasp(robot: Executor) -> None:
    """Else the second weld would tear the first thing along."""
    robot.drive(robot.grasp("right", "can"))
    with pytest.raises(PlanError, match=r"grasp\(right, mug\): the right hand holds can"):
        robot.drive(robot.grasp("right", "mug"))
    with pytest.raises(PlanError, match=r"grasp\(left, can\): can is held by the other hand"):
        robot.drive(robot.grasp("left", "can"))


def test_an_empty_hand_cannot_place(robot: Executor) -> None:
    """A plan out of order must stop, not do nothing."""
    with pytest.raises(PlanError, match=r"test seed 0, frame 30, step place\(left, None, on table"):
        robot.drive(robot.place("left", "table"))


def test_what_is_too_far_is_out_of_reach(robot: Executor) -> None:
    """An arm that stretches would look right in no picture."""
    robot.drive(robot.grasp("right", "can"))
    with pytest.raises(PlanError, match=r"out of reach.* from the right shoulder"):
        robot.drive(robot.place("right", "table", (-1.5, 0.0)))


def test_a_closed_cabinet_takes_nothing(robot: Executor) -> None:
    """The thing would be pushed through the door."""
    robot.drive(robot.grasp("left", "mug"))
    with pytest.raises(PlanError, match="cabinet is closed"):
        robot.drive(robot.place("left", "cabinet"))


def test_halves_do_not_exist_before_the_cut(robot: Executor) -> None:
    """They wait in limbo; grasping one would reach through the floor."""
    with pytest.raises(PlanError, match="a does not exist"):
        robot.drive(robot.grasp("left", "a"))
    with pytest.raises(PlanError, match="no knife in the hand"):
        robot.run(Slice("left", "watermelon"))


def test_a_placed_thing_stands_where_it_was_put(robot: Executor) -> None:
    """Grasp, lift, carry and place, seen by predicates and by the pose."""
    robot.drive(robot.grasp("left", "mug"))
    robot.drive(robot.place("left", "table", (-0.3, 0.2)))
    robot.drive(robot.wait(1.0))
    pos, _ = robot.physics.pose("mug")
    assert pos == pytest.approx([-0.3, 1.04, 0.78], abs=0.01)
    facts = [f for f in facts_of(robot.physics, frozenset()) if f.subject in ("mug", "robot")]
    held = [f for f in facts if f.predicate == "LeftGrasping"]
    on = [f for f in facts if f.predicate == "OnTop"]
    assert len(held) == 1
    assert [(f.object, f.frame_to == robot.physics.frame) for f in on] == [
        ("table", False),
        ("table", True),
    ]
    assert on[0].frame_to <= held[0].frame_from + 3
    assert abs(on[1].frame_from - held[0].frame_to) <= 3


def _runs(robot: Executor, predicate: str, *objects: str | None) -> list[tuple[int, int]]:
    facts = facts_of(robot.physics, frozenset())
    return [
        (f.frame_from, f.frame_to)
        for f in facts
        if f.predicate == predicate and (f.subject, f.object) == objects
    ]


def test_a_carried_thing_touches_another_one_between_grasp_and_place(robot: Executor) -> None:
    """A contact that begins and ends while no other fact changes, long enough to count."""
    for step in (Grasp("right", "can"), Touch("right"), Place("right", "table", (0.3, -0.2))):
        robot.run(step)
    held = _runs(robot, "RightGrasping", "robot", "can")
    contact = _runs(robot, "Touching", "can", "mug")
    others = [f for f in facts_of(robot.physics, frozenset()) if f.predicate == "OnTop"]
    gaps = {
        (f.frame_to, g.frame_from)
        for f in others
        for g in others
        if f.subject == g.subject and 0 < g.frame_from - f.frame_to <= FLICKER
    }
    short = {frame for gap in gaps for frame in gap}  # What flickers is smoothed.
    changes = {frame for f in others for frame in (f.frame_from, f.frame_to)} - short
    assert len(contact) == 1
    (begins, ends), (taken, left) = contact[0], held[0]
    assert taken < begins < ends - PERSISTENCE < left
    assert not changes & set(range(begins + FLICKER, ends))


def test_what_rocks_and_what_springs_back_flickers(robot: Executor) -> None:
    """Shorter than smoothing removes; without it nothing would last."""
    robot.run(Open("left", "cabinet"))
    for step in (Grasp("right", "can"), Place("right", "table", (0.3, -0.2), is_rocking=True)):
        robot.run(step)
    robot.run(Close("left", "cabinet", is_springy=True))
    for runs, flickers in (
        (_runs(robot, "Open", "cabinet", None), [1]),
        (_runs(robot, "OnTop", "can", "table")[1:], [1]),
    ):
        gaps = [later[0] - first[1] for first, later in pairwise(runs)]
        is_short = [0 < gap < FLICKER for gap in gaps] + [e - b < FLICKER for b, e in runs]
        assert sum(is_short) == len(flickers), runs


def test_a_mujoco_warning_ends_the_simulation(
    robot: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a NaN MuJoCo resets the state and only warns: the log would go on, all wrong."""
    monkeypatch.chdir(tmp_path)  # MuJoCo also writes its warning to a file
    robot.physics.data.qpos[0] = np.nan
    with pytest.raises(PhysicsError, match=r"test seed 0, frame 30: MuJoCo warned.*mjWARN_BADQPOS"):
        robot.drive(robot.wait(0.1))


def test_a_missed_goal_is_an_error_that_lists_it(robot: Executor) -> None:
    """A demonstration that failed must not become questions."""
    goal = (("OnTop", "mug", "table"), ("Inside", "mug", "cabinet"), ("Open", "cabinet", None))
    episode = Episode(robot.stage, (), goal, frozenset())
    with pytest.raises(GoalError, match=r"2 of 3 .*: Inside\(mug, cabinet\); Open\(cabinet\)"):
        perform("test", 0, episode, np.random.default_rng(0))


def test_goals_say_what_must_be_gone_and_what_must_stay(robot: Executor) -> None:
    """A knife that was pushed off the worktop, or water still in the jug, is no success."""
    absent = (("OnTop", "can", "table"), ("Exists", "a", None), ("Open", "cabinet", None))
    stays = frozenset({"can", "mug", "watermelon"})
    push = (Grasp("right", "can"), Place("right", "table", (0.26, -0.1)))
    episode = Episode(robot.stage, push, (), frozenset(), absent, stays)
    with pytest.raises(
        GoalError,
        match=r"but 2 of 6 goal facts do not hold: not OnTop\(can, table\); can stands upright "
        r"where it stood\. Mend",
    ):
        perform("test", 0, episode, np.random.default_rng(0))
    kept = replace(episode, absent=absent[1:], stays=stays - {"can"})
    assert perform("test", 0, kept, np.random.default_rng(0)).goal == ()
    gone = replace(kept, stays=frozenset({"a"}))
    with pytest.raises(ActivityError, match=r"1 of 1 things that stay are not there at .*: 'a'"):
        perform("test", 0, gone, np.random.default_rng(0))
    wrong = replace(kept, absent=(("OnTop", "cup", "table"),))
    with pytest.raises(ActivityError, match=r"1 of 1 goal facts .*no object is called cup"):
        perform("test", 0, wrong, np.random.default_rng(0))


def test_what_stays_may_move_with_its_drawer_and_must_not_fall() -> None:
    """Limits are those of what is set down: 5 centimetres, 0.3 rad."""
    robot = robot_after(Open("left", "top_drawer"))
    assert robot.is_in_place("can_2")
    assert robot.is_in_place("mug")
    pos, quat = robot.physics.pose("mug")
    for off, turn, stays in ((0.04, quat, True), (0.06, quat, False), (0.0, LYING, False)):
        robot.physics.teleport("mug", pos + np.array([off, 0.0, 0.0]), turn)
        mujoco.mj_kinematics(robot.physics.model, robot.physics.data)
        assert robot.is_in_place("mug") == stays


def test_a_thing_is_set_down_turned_as_it_was(robot: Executor) -> None:
    """A mug pushed askew stays askew; one that is all but straight is set straight."""
    for turn, wanted in ((0.3, 0.3), (0.04, 0.0)):
        robot.physics.teleport("mug", robot.physics.pose("mug")[0], quat_z(turn))
        robot.drive(robot.wait(0.1))
        for step in move("left", "mug", "table", (-0.3, 0.0)):
            robot.run(step)
        assert yaw_of(robot.physics.pose("mug")[1]) == pytest.approx(wanted, abs=0.02)
