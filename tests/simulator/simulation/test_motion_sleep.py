"""What rests is not simulated: nothing may change by that but the time it takes."""

import dataclasses

import numpy as np
import pytest
from simulator.small_stage import robot_after, small_stage

from enact_assets.simulator.planning.basic_steps import Close, Open, move, move_wide
from enact_assets.simulator.shapes.rotations import quat_z
from enact_assets.simulator.simulation.recording import facts_of
from enact_assets.simulator.skills.executor import Executor, Step
from enact_assets.simulator.stage.stage import Stage

PLAN: tuple[Step, ...] = (
    *move("left", "mug", "basket", (-0.08, 0.0)),
    *move_wide("basket", "table", (0.0, 0.1)),
    Open("left", "bottom_drawer"),
    *move("left", "mug", "bottom_drawer", (0.12, 0.0)),
    Close("left", "bottom_drawer"),
)


def _restless() -> Stage:
    stage = small_stage()
    xml = stage.world.xml.replace('<flag sleep="enable"/>', "")
    assert xml != stage.world.xml
    return dataclasses.replace(stage, world=dataclasses.replace(stage.world, xml=xml))


def _last_true(robot: Executor) -> set[tuple[str, str, str | None]]:
    return {
        (f.predicate, f.subject, f.object)
        for f in facts_of(robot.physics, frozenset())
        if f.frame_to == robot.physics.frame
    }


@pytest.mark.slow
def test_sleep_changes_no_fact() -> None:
    """Contacts between sleeping things are not computed; without them nothing is on anything."""
    asleep, awake = robot_after(*PLAN), robot_after(*PLAN, stage=_restless())
    assert asleep.physics.frame == awake.physics.frame
    assert _last_true(asleep) == _last_true(awake)
    for name in asleep.stage.things:
        first, second = (robot.physics.pose(name)[0] for robot in (asleep, awake))
        assert first == pytest.approx(second, abs=2e-3)
    changes = [
        [(f.predicate, f.subject, f.object) for f in facts_of(robot.physics, frozenset())]
        for robot in (asleep, awake)
    ]
    states = [[c for c in some if c[0] != "Touching"] for some in changes]
    assert states[0] == states[1]


def test_things_do_sleep() -> None:
    """Else the time is not saved, and the test above compares nothing."""
    robot = robot_after()
    data = robot.physics.data
    assert data.ntree_awake <= 1
    assert len(robot.physics.log.contact_geoms[-1]) > 20


def test_what_lies_on_a_thing_that_disappears_falls() -> None:
    """A transition takes the lower one away: the upper one must wake."""
    robot = robot_after(*move("left", "orange", "basket", (0.1, 0.0)))
    physics = robot.physics
    before = physics.pose("orange")[0]
    physics.teleport("basket", np.array([3.0, 9.0, -3.9]), quat_z(0.0))
    physics.existing = physics.existing - {"basket"}
    robot.drive(robot.wait(1.0))
    after = physics.pose("orange")[0]
    assert float(after[2] - before[2]) == pytest.approx(-0.0125, abs=0.003)
    contacts = {
        frozenset(physics.model.body(int(physics.model.geom_bodyid[g])).name for g in pair)
        for pair in physics.log.contact_geoms[-1]
    }
    assert frozenset(("orange", "table")) in contacts
    assert frozenset(("orange", "basket")) not in contacts
