"""Scenes that come apart are refused: what stands in something else is flung out of the room."""

import numpy as np
import pytest
from simulator import room_pieces
from simulator.small_stage import LOOK, robot_after, small_stage

from enact_assets.engine.errors import PhysicsError
from enact_assets.simulator.activities.base import HEAD_PITCH_RAD, Episode
from enact_assets.simulator.planning.matter_steps import Wait
from enact_assets.simulator.rooms import kitchen
from enact_assets.simulator.shapes.rotations import quat_z
from enact_assets.simulator.simulate import perform
from enact_assets.simulator.skills.executor import Executor
from enact_assets.simulator.stage.stage import Stage
from enact_assets.simulator.stage.stage_builder import StageBuilder

RED = (0.8, 0.1, 0.1)


def _table_with(**at: tuple[float, float]) -> Stage:
    """A table in a kitchen with things, named after their kinds, at these places on it."""
    stage = StageBuilder()
    kitchen.add_room(stage.scene, kitchen.STYLES[0])
    stage.furnish(
        room_pieces.add_table(stage.scene, kitchen.STYLES[0]),
        room_pieces.add_chest(stage.scene, LOOK, kitchen.RIGHT_X),
    )
    for name, place in at.items():
        on = "chest" if name.endswith("_in_chest") else "table"
        stage.put(name, name.split("_")[0], RED, on, place)
    return stage.finish(HEAD_PITCH_RAD)


def test_things_that_stand_in_each_other_are_refused_before_anything_moves() -> None:
    """They fly off to some place below the floor, and the goal may hold all the same."""
    stage = _table_with(can_1=(0.0, 0.0), can_2=(0.005, 0.0), watermelon=(0.0, 0.01))
    episode = Episode(stage, (Wait(1.0),), (), frozenset())
    heard: list[float] = []
    with pytest.raises(
        PhysicsError,
        match=r"^tidying seed 3, frame 0: can_\d and watermelon stand 1\d\d mm in each other at "
        r"the start.*\(3 such pair\(s\)\)\. Place them further apart in simulator/activities",
    ):
        perform("tidying", 3, episode, np.random.default_rng(0), heard.append)
    assert heard == []


def test_a_thing_that_stands_in_furniture_is_refused() -> None:
    """Furniture does not give way, so the thing is flung off all the faster."""
    with pytest.raises(PhysicsError, match=r"frame 0: can_in_chest and chest stand 5. mm in each"):
        Executor(_table_with(can_in_chest=(0.27, 0.0)), "tidying seed 3")


@pytest.mark.parametrize("overlap", [0.0, 0.012])
def test_things_that_touch_or_overlap_slightly_are_only_pushed_apart(overlap: float) -> None:
    """Plates in a stack and crowded tables are no explosions."""
    can = _table_with(can=(0.0, 0.0)).thing("can").parts.radius
    stage = _table_with(can_1=(0.0, 0.0), can_2=(2 * can - overlap, 0.0))
    robot = Executor(stage, "test seed 0")
    robot.drive(robot.wait(0.5))
    for name in ("can_1", "can_2"):
        moved = np.linalg.norm(robot.physics.pose(name)[0] - stage.starts[name])
        assert moved < 0.03


@pytest.mark.parametrize("place", [(0.0, 0.5, -0.3), (3.1, 0.5, 1.0), (0.0, -4.1, 1.0)])
def test_a_thing_that_leaves_the_room_is_named_with_frame_and_place(
    place: tuple[float, float, float],
) -> None:
    """In a recording it would be a thing that merely disappeared."""
    robot = robot_after()
    robot.physics.teleport("mug", np.array(place), quat_z(0.0))
    x, y = f"{place[0]:.2f}", f"{place[1]:.2f}"
    told = rf"^test seed 0, frame {robot.physics.frame}: mug left the room and is at \({x}, {y}, .*"
    with pytest.raises(PhysicsError, match=told + r"\(1 thing\(s\) did\).*choose another seed"):
        robot.drive(robot.wait(0.1))


def test_things_pressed_into_each_other_later_are_found_once_they_fly() -> None:
    """A start without overlaps promises nothing for the rest."""
    robot = robot_after()
    robot.physics.teleport("can", robot.physics.pose("watermelon")[0], quat_z(0.0))
    with pytest.raises(PhysicsError, match=r"(can|watermelon) left the room"):
        robot.drive(robot.wait(3.0))


def test_what_waits_in_limbo_is_outside_and_may_be() -> None:
    """Halves wait below the floor until the knife makes them."""
    stage = small_stage()
    robot = robot_after(stage=stage)
    assert robot.physics.pose("half_1")[0][2] < -1.0
    physics = robot.physics
    physics.teleport("watermelon", np.array(stage.limbo["watermelon"]), quat_z(0.0))
    physics.existing = physics.existing - {"watermelon"}
    robot.drive(robot.wait(0.2))
    physics.existing = physics.existing | {"half_1"}
    with pytest.raises(PhysicsError, match="half_1 left the room"):
        robot.drive(robot.wait(0.1))
