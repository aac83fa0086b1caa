"""Temperatures against the closed form, and what a heater reaches."""

import dataclasses

import pytest
from simulator import room_pieces
from simulator.matter_bench import BROWN, RED, STYLE, builder, place, table_stage

from enact_assets.simulator.activities.base import HEAD_PITCH_RAD
from enact_assets.simulator.rooms import kitchen
from enact_assets.simulator.rooms.fixtures import Heater
from enact_assets.simulator.shapes.world import Cue
from enact_assets.simulator.simulation.physics import Physics
from enact_assets.simulator.stage.stage import Stage
from enact_assets.simulator.stage.stage_builder import StageBuilder

from reference.warming import temperature

FRAME_S = 1 / 30


def steaks(stage: StageBuilder) -> None:
    """One on the burner, one on the table."""
    stage.put("steak", "steak", RED, "stove")
    stage.put("other", "steak", RED, "table")
    for name in ("steak", "other"):
        stage.cookable(name, {"flesh_0": BROWN})


@pytest.fixture(scope="module")
def stage() -> Stage:
    return table_stage(steaks, beside=("stove",))


def advance(physics: Physics, seconds: float) -> None:
    for _ in range(round(seconds / FRAME_S)):
        physics.matter.step(physics, FRAME_S)


def started(stage: Stage) -> Physics:
    import mujoco

    physics = Physics(stage, "test")
    mujoco.mj_kinematics(physics.model, physics.data)
    return physics


def switch(physics: Physics, name: str, value: float) -> None:
    physics.appearance[physics.stage.fixtures[name].cue] = value


def test_a_thing_warms_and_cools_as_the_formula_says(stage: Stage) -> None:
    """A rate per frame instead of per second would cook it thirty times as fast."""
    physics = started(stage)
    heat = physics.matter.heat
    k = heat.number["steak"]
    switch(physics, "stove", 1.0)
    advance(physics, 6.0)
    warm = temperature(23.0, 6.0, 1)
    assert heat.temperatures[k] == pytest.approx(warm, abs=0.1)
    switch(physics, "stove", 0.0)
    advance(physics, 20.0)
    assert heat.temperatures[k] == pytest.approx(temperature(warm, 20.0, 0), abs=0.1)
    assert heat.highest[k] == pytest.approx(warm, abs=0.1)
    assert not heat.is_cooked("steak")


def test_what_lies_beside_the_stove_stays_cold(stage: Stage) -> None:
    """Else everything in the kitchen would be cooked at once."""
    physics = started(stage)
    switch(physics, "stove", 1.0)
    advance(physics, 20.0)
    heat = physics.matter.heat
    assert heat.is_cooked("steak")
    assert heat.temperatures[heat.number["other"]] == 23.0
    assert not heat.is_cooked("other")


def test_cooked_is_for_ever(stage: Stage) -> None:
    """It follows from the highest temperature, not from the present one."""
    physics = started(stage)
    switch(physics, "stove", 1.0)
    advance(physics, 9.0)
    place(physics, "steak", (0.0, 0.8, 0.8), 0.0)
    advance(physics, 120.0)
    heat = physics.matter.heat
    assert heat.temperatures[heat.number["steak"]] < 30.0
    assert heat.is_cooked("steak")
    assert physics.appearance[stage.matter.cooked_cues["steak"]] == 1.0


def test_an_oven_warms_what_is_in_it_only_while_it_is_shut() -> None:
    """An open microwave that cooks is a wrong fact; a plan that forgets to shut it would pass."""
    import mujoco

    stage = builder()
    cabinet = room_pieces.add_cabinet(stage.scene, STYLE, kitchen.LEFT_X)
    stage.scene.cues.append(Cue("cabinet", {}))
    fixture = dataclasses.replace(
        cabinet,
        button=(0.0, 0.0, 0.5),
        cue=len(stage.scene.cues) - 1,
        heater=Heater(cabinet.origin, 0.01, needs_closed=True),
    )
    stage.furnish(fixture)
    for name, on in (("steak", "cabinet"), ("other", "table")):
        stage.put(name, "steak", RED, on)
        stage.cookable(name, {"flesh_0": BROWN})
    physics = started(stage.finish(HEAD_PITCH_RAD))
    heat = physics.matter.heat
    door = int(physics.model.joint(fixture.joint).qposadr[0])

    def after(seconds: float, opened: float) -> float:
        physics.data.qpos[door] = opened * fixture.opening.span
        mujoco.mj_kinematics(physics.model, physics.data)
        advance(physics, seconds)
        return heat.temperatures[heat.number["steak"]]

    switch(physics, "cabinet", 1.0)
    assert after(2.0, 0.06) == 23.0
    assert after(2.0, 0.05) == pytest.approx(temperature(23.0, 2.0, 1), abs=0.1)
    assert heat.temperatures[heat.number["other"]] == 23.0
