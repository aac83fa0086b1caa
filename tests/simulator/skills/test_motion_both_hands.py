"""Both hands at once: two tasks in the same frames, and one wide thing in two hands."""

import numpy as np
import pytest
from simulator.small_stage import robot_after, small_stage, spans

from enact_assets.engine.errors import PlanError
from enact_assets.simulator.planning.basic_steps import (
    Grasp,
    GraspBoth,
    Open,
    Place,
    PlaceBoth,
    Together,
    move,
    move_wide,
)
from enact_assets.simulator.robot.kinematics import SIDES
from enact_assets.simulator.skills.executor import Executor
from enact_assets.simulator.skills.motion import side_by_side

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
