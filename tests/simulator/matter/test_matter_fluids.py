"""Where volumes go: nothing is lost, nothing runs uphill, and the rate is bounded."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulator.matter_bench import TABLE_COAT, WATER, place, table_stage, vessels

from enact_assets.simulator.matter.fluids import FLOW_M3_PER_S, PARTICLE_M3
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Color, Surface
from enact_assets.simulator.simulation.physics import Physics
from enact_assets.simulator.stage.stage import Stage
from enact_assets.simulator.stage.stage_builder import StageBuilder
from enact_assets.simulator.things import kinds
from enact_assets.simulator.things.thing_parts import Parts, Vessel, upright_cylinder

from reference.outflow import cylinder_outflow

FRAME_S = 1 / 30


@pytest.fixture(scope="module")
def stage() -> Stage:
    return table_stage(vessels, coat=TABLE_COAT)


def advance(physics: Physics, frames: int) -> None:
    for _ in range(frames):
        physics.matter.step(physics, FRAME_S)


tilts = st.floats(0, math.pi)
spots = st.tuples(st.floats(-0.35, 0.35), st.floats(0.6, 1.1), st.floats(0.8, 1.4))


@given(
    st.lists(st.tuples(st.sampled_from(["jug", "bowl", "glass"]), spots, tilts), max_size=6),
    st.integers(1, 25),
)
def test_no_volume_is_ever_lost_or_made(
    stage: Stage, moves: list[tuple[str, tuple[float, float, float], float]], frames: int
) -> None:
    """Whatever is tilted wherever: vessels, surfaces and what was spilled add up."""
    physics = Physics(stage, "test")
    matter = physics.matter
    advance(physics, 1)
    before = matter.total()
    assert before == pytest.approx(0.9 * matter.fluids.sizes[matter.fluids.place["jug"]])
    for name, at, tilt in moves:
        place(physics, name, at, tilt)
        advance(physics, frames)
        assert matter.total() == pytest.approx(before, abs=1e-12)
        assert (matter.fluids.volumes >= 0).all()
        assert (matter.fluids.totals == matter.fluids.volumes.sum(axis=0)).all()
        assert (matter.fluids.spilled >= 0).all()


def test_an_upright_jug_keeps_everything(stage: Stage) -> None:
    """A leak of a particle a second would empty it within an activity."""
    physics = Physics(stage, "test")
    advance(physics, 300)
    assert physics.matter.fluids.spilled.sum() == 0
    assert set(physics.matter.fluids.content("jug")) == {"water"}


def test_what_leaves_a_jug_falls_into_the_bowl_below_its_lip(stage: Stage) -> None:
    """The stream lands under the lip, not under the jug."""
    physics = Physics(stage, "test")
    bowl = physics.stage.starts["bowl"]
    lip_right_of_jug = 0.075
    place(physics, "jug", (bowl[0] - lip_right_of_jug - 0.1, bowl[1], 1.1), math.radians(80))
    advance(physics, 20)
    content = physics.matter.fluids.content("bowl")
    assert content["water"] > 100 * PARTICLE_M3
    assert physics.matter.fluids.spilled.sum() == 0


def test_what_lies_over_a_mouth_keeps_the_stream_out(stage: Stage) -> None:
    """Water that passes through a lid would fill a closed pot."""
    physics = Physics(stage, "test")
    bowl = physics.stage.starts["bowl"]
    place(physics, "jug", (bowl[0] - 0.175, bowl[1], 1.1), math.radians(80))
    place(physics, "glass", (bowl[0] + 0.04, bowl[1], bowl[2] + 0.09), 0.0)
    advance(physics, 20)
    assert physics.matter.fluids.content("bowl") == {}
    assert physics.matter.fluids.content("glass")["water"] > 0


def test_what_falls_beside_all_vessels_lies_on_the_table(stage: Stage) -> None:
    """A spill is Covered, place by place from where it fell, and what runs off is counted."""
    physics = Physics(stage, "test")
    place(physics, "jug", (-0.25, 1.0, 1.0), math.radians(100))
    table = physics.matter.coats.index[(0, "table")]
    seen = []
    for _ in range(60):
        advance(physics, 1)
        seen.append(table.n_particles)
    assert seen == sorted(seen)
    assert seen[-1] == len(table.places)
    assert physics.matter.fluids.spilled[0] > 0


def test_the_first_place_wetted_is_the_nearest(stage: Stage) -> None:
    """A spill that begins at the far corner of the table is not where the water fell."""
    physics = Physics(stage, "test")
    place(physics, "jug", (-0.25, 1.0, 1.0), math.radians(100))
    table = physics.matter.coats.index[(0, "table")]
    while not table.n_particles:
        advance(physics, 1)
    stream = physics.matter.fluids.streams[0]
    ways = np.linalg.norm(table.places[:, :2] - stream.top[:2], axis=1)
    assert table.bears[int(ways.argmin())]


def test_outflow_is_bounded(stage: Stage) -> None:
    """A jug that empties in one frame is a jug that no picture shows pouring."""
    physics = Physics(stage, "test")
    place(physics, "jug", (0.0, 0.8, 1.2), math.pi)
    fluids, last = physics.matter.fluids, 1.0
    for _ in range(10):
        advance(physics, 1)
        now = float(fluids.totals[fluids.place["jug"]])
        assert last - now <= FLOW_M3_PER_S * FRAME_S + 1e-12 or last == 1.0
        last = now


def test_an_overfull_glass_runs_over(stage: Stage) -> None:
    """It must not hold more than its volume for longer than it takes to run over."""
    physics = Physics(stage, "test")
    fluids = physics.matter.fluids
    glass = fluids.place["glass"]
    advance(physics, 1)
    fluids.add(0, glass, 1.2 * fluids.sizes[glass])
    advance(physics, 90)
    assert fluids.totals[glass] == pytest.approx(fluids.sizes[glass], rel=1e-3)
    assert physics.matter.coats.index[(0, "table")].n_particles > 0


def _cup(scene: Scene, name: str, color: Color) -> Parts:
    """A plain cylinder, 0.12 m high inside and 0.06 m wide."""
    surface = Surface(color, finish="gloss")
    look = scene.visible(f"{name}.wall", "cylinder", (0.065, 0.07), surface, (0, 0, 0.07))
    solid = upright_cylinder(0.065, 0, 0.14, 0.3)
    return Parts(
        look + solid, 0.06, 0.1, 0.1, 0.065, 0.14, vessel=Vessel(((0.02, 0.06), (0.14, 0.06)))
    )


def test_a_poured_cup_follows_the_slow_and_obvious_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frame by frame the same volume as a loop over the cylinder's own formula."""
    monkeypatch.setitem(kinds.builders(), "plain_cup", _cup)

    def cups(stage: StageBuilder) -> None:
        stage.put("cup", "plain_cup", (0.5, 0.5, 0.5), "table")
        stage.substance("water", WATER, holders=("cup",))
        stage.fill("cup", "water", 0.95)

    physics = Physics(table_stage(cups), "test")
    fluids = physics.matter.fluids
    degrees = [min(3.0 * k, 42.0) for k in range(40)]
    found = []
    for angle in degrees:
        place(physics, "cup", (0.0, 0.84, 1.0), math.radians(angle))
        advance(physics, 1)
        found.append(float(fluids.totals[fluids.place["cup"]]))
    assert found == pytest.approx(cylinder_outflow(0.06, 0.12, 0.95, degrees), rel=3e-3)
