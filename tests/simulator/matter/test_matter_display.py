"""What shows substances is where they are, as high as they reach, and hidden when they are not."""

import math

import numpy as np
import pytest
from simulator.matter_bench import (
    JAM,
    RED,
    WATER,
    YELLOW,
    carry_out,
    dusty,
    jam,
    place,
    robot_on,
    table_stage,
    vessels,
)

from enact_assets.settings.registry import CameraSettings
from enact_assets.simulator.planning.basic_steps import Grasp
from enact_assets.simulator.planning.matter_steps import Pour, Wait
from enact_assets.simulator.shapes.world import WorldState
from enact_assets.simulator.simulation.physics import Physics
from enact_assets.simulator.stage.stage_builder import StageBuilder
from enact_assets.simulator.stage.substances import DISC_HALF_M, HIDDEN, SLABS
from enact_assets.simulator.view.masks import mask_sizes, object_masks

FRAME_S = 1 / 30


def shown(physics: Physics, prefix: str) -> dict[str, np.ndarray]:
    """Places of the bodies whose names begin so and that are not hidden."""
    model = physics.model
    names = [model.body(b).name for b in range(model.nbody) if model.body_mocapid[b] >= 0]
    places = {n: physics.data.mocap_pos[model.body_mocapid[model.body(n).id]] for n in names}
    return {
        n: np.array(p) for n, p in places.items() if n.startswith(prefix) and p[2] > HIDDEN[2] + 1
    }


def test_one_disc_shows_the_level_of_an_opaque_vessel() -> None:
    """At the height its volume has, on the axis, as wide as the hollow there."""
    robot = robot_on(table_stage(vessels))
    physics = robot.physics
    fluids = physics.matter.fluids
    ((name, where),) = shown(physics, "water.in.jug").items()
    hollow = fluids.hollows[fluids.place["jug"]]
    level = hollow.height_of(float(fluids.totals[fluids.place["jug"]]))
    assert where == pytest.approx(
        physics.pose("jug")[0] + np.array([0, 0, level - DISC_HALF_M]), abs=1e-3
    )
    radius = physics.model.geom(f"{name}.disc").size[0]
    assert hollow.radius(level) - 0.012 < radius < hollow.radius(level) + 0.003
    assert shown(physics, "water.in.bowl") == {}
    assert shown(physics, "water.stream") == {}


def test_a_level_goes_where_its_vessel_goes_and_falls_as_it_empties() -> None:
    """A surface left behind in the air would be the substance's mask."""
    robot = robot_on(table_stage(vessels))
    physics = robot.physics
    (before,) = shown(physics, "water.in.jug").values()
    offset = before - physics.pose("jug")[0]
    carry_out(robot, Grasp("left", "jug"))
    (held,) = shown(physics, "water.in.jug").values()
    assert held - physics.pose("jug")[0] == pytest.approx(offset, abs=2e-3)
    carry_out(robot, Pour("left", "bowl", 0.5))
    (after,) = shown(physics, "water.in.jug").values()
    assert (after - physics.pose("jug")[0])[2] < offset[2] - 0.02
    assert len(shown(physics, "water.in.bowl")) == 1


def test_the_stream_is_seen_while_it_flows_and_only_then() -> None:
    """A stream that stays would join two vessels in every later picture."""
    robot = robot_on(table_stage(vessels))
    robot.run(Grasp("left", "jug"))
    start = robot.physics.frame
    robot.run(Pour("left", "bowl", 0.3))
    model = robot.physics.model
    ids = [model.body_mocapid[model.body(f"water.stream.{k}").id] for k in range(4)]
    heights = np.array(robot.physics.log.mocap_pos)[start:, ids, 2]
    flows = (heights > 0).any(axis=1)
    content = robot.physics.matter.log.as_arrays()["contained"][("bowl", "water")][start:]
    assert 15 < flows.sum() < 120
    assert (np.diff(content)[flows[1:]] > 0).all()
    assert (np.diff(content)[~flows[1:]] == 0).all()
    lip_to_bowl = heights[flows][:, 0]
    assert (lip_to_bowl > 0.8).all()


def layered(stage: StageBuilder) -> None:
    """A clear vessel with two substances, one above the other."""
    stage.put("glass", "glass", YELLOW, "table")
    stage.put("jug", "jug", RED, "table", (-0.3, 0.0))
    stage.substance("syrup", JAM, holders=("glass",))
    stage.substance("water", WATER, holders=("glass", "jug"))
    stage.fill("glass", "syrup", 0.3)
    stage.fill("glass", "water", 0.4)


def test_a_clear_vessel_shows_its_layers_in_the_order_they_came() -> None:
    """What came last lies on top, and both end where their volumes do."""
    robot = robot_on(table_stage(layered))
    physics = robot.physics
    fluids = physics.matter.fluids
    hollow = fluids.hollows[fluids.place["glass"]]
    slab = (hollow.vessel.mouth_height - hollow.vessel.profile[0][0]) / SLABS
    bottom = physics.pose("glass")[0][2]

    def top(name: str) -> float:
        return max(p[2] for p in shown(physics, f"{name}.in.glass").values()) - bottom + slab

    assert top("syrup") == pytest.approx(hollow.height_of(0.3 * hollow.volume), abs=1e-3)
    assert top("water") == pytest.approx(hollow.height_of(0.7 * hollow.volume), abs=1e-3)


def test_a_tilted_level_stays_level_and_inside() -> None:
    """The disc is horizontal, whatever the vessel does, and its middle is in the hollow."""
    physics = Physics(table_stage(vessels), "test")
    place(physics, "jug", (0.0, 0.8, 1.2), math.radians(25))
    physics.matter.step(physics, FRAME_S)
    ((name, where),) = shown(physics, "water.in.jug").items()
    body = physics.model.body_mocapid[physics.model.body(name).id]
    assert physics.data.mocap_quat[body].tolist() == [1, 0, 0, 0]
    turn = physics.data.body("jug").xmat.reshape(3, 3)
    local = turn.T @ (where - physics.data.body("jug").xpos)
    hollow = physics.matter.fluids.hollows[physics.matter.fluids.place["jug"]]
    assert math.hypot(local[0], local[1]) < hollow.radius(local[2])


def test_particles_lie_on_their_thing_and_move_with_it() -> None:
    """As many discs as particles, at the declared places, turned with the thing."""
    robot = robot_on(table_stage(dusty, jam))
    physics = robot.physics
    state = physics.matter.coats.index[(physics.matter.fluids.number["dust"], "board")]
    found = shown(physics, "dust.on.board")
    assert len(found) == state.n_particles == len(state.places)
    place(physics, "board", (0.0, 0.8, 1.0), math.radians(90))
    physics.matter.step(physics, FRAME_S)
    turned = shown(physics, "dust.on.board")
    wanted = {
        f"dust.on.board.{k}": np.array([p[2], 0.8 + p[1], 1.0 - p[0]])
        for k, p in enumerate(state.places)
    }
    for name, where in turned.items():
        assert where == pytest.approx(wanted[name], abs=1e-9)
    assert shown(physics, "jam.on") == {}


def test_a_filled_jug_shows_its_water_to_the_camera() -> None:
    """Questions about a substance need its pixels; the mask must be the substance's own."""
    stage = table_stage(vessels)
    robot = robot_on(stage)
    robot.run(Wait(0.1))
    log = robot.physics.log
    state = WorldState(log.qpos[-1], log.mocap_pos[-1], log.mocap_quat[-1], log.appearance[-1])
    mask = object_masks(stage.world, state, CameraSettings(), 256)
    names = [o.name for o in stage.world.objects]
    pixels = mask_sizes(mask)[names.index("water")].pixels
    assert 4 * pixels > 300
    assert stage.world.objects[names.index("water")].is_particles


def test_bodies_that_show_nothing_are_hidden_before_the_first_frame() -> None:
    """At the world's origin they would lie between the robot's feet."""
    physics = Physics(table_stage(vessels), "test")
    assert shown(physics, "water") == {}
