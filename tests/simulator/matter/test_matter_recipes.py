"""Transitions: what is made of what, where it comes to lie, and what becomes of what was there."""

import numpy as np
import pytest
from simulator.matter_bench import (
    BREAD,
    BROWN,
    JAM,
    RED,
    TABLE_COAT,
    WATER,
    YELLOW,
    at_end,
    builder,
    carry_out,
    place,
    robot_on,
    starts,
    table_stage,
)

from enact_assets.demonstrations.replay.embedded import tables_of
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.simulator.matter.fluids import PARTICLE_M3
from enact_assets.simulator.planning.basic_steps import Grasp, Place, Press
from enact_assets.simulator.planning.forecast import Forecast
from enact_assets.simulator.planning.matter_steps import Pour, Stir, Wait
from enact_assets.simulator.robot.kinematics import HandPose
from enact_assets.simulator.simulation.physics import Physics
from enact_assets.simulator.simulation.recording import Recording, facts_of
from enact_assets.simulator.stage.stage import Stage
from enact_assets.simulator.stage.stage_builder import StageBuilder
from enact_assets.simulator.stage.transitions import Baked, Cut, Stirred, Switched


def lemonade(stage: StageBuilder) -> None:
    """Water in a jug, juice in a glass, both to be stirred in a bowl."""
    stage.put("jug", "jug", RED, "table", (-0.3, 0.1))
    stage.put("glass", "glass", YELLOW, "table", (0.0, 0.2))
    stage.put("bowl", "bowl", YELLOW, "table", (0.0, -0.1))
    stage.put("spoon", "wooden_spoon", BREAD, "table", (0.3, -0.15))
    stage.substance("water", WATER, holders=("jug", "bowl"))
    stage.substance("juice", JAM, holders=("glass", "bowl"))
    stage.substance("lemonade", WATER, holders=("bowl", "glass"))
    stage.fill("jug", "water", 0.5)
    stage.fill("glass", "juice", 0.5)
    stage.recipe(("lemonade",), ("water", "juice"), when=Stirred("bowl"))


def test_liquids_stirred_together_become_one_of_the_same_volume() -> None:
    """Water that is left elsewhere goes on existing; juice that is used up does not."""
    stage = table_stage(lemonade)
    robot = robot_on(stage)
    matter = robot.physics.matter
    before = matter.total()
    facts = carry_out(
        robot,
        Grasp("left", "jug"),
        Pour("left", "bowl", 0.4),
        Place("left", "table", (-0.3, 0.1)),
        Grasp("right", "glass"),
        Pour("right", "bowl"),
        Place("right", "table", (0.0, 0.2)),
        Grasp("right", "spoon"),
        Stir("right", "bowl"),
        Wait(0.2),
    )
    assert matter.total() == pytest.approx(before, abs=1e-12)
    assert set(matter.fluids.content("bowl")) == {"lemonade"}
    end = at_end(facts, robot.physics.frame)
    assert end >= {("Contains", "bowl", "lemonade"), ("Contains", "jug", "water")}
    exists = {f.subject: (f.frame_from, f.frame_to) for f in facts if f.predicate == "Exists"}
    assert exists["juice"][1] == exists["lemonade"][0] > 0
    assert starts(facts, "Contains", "bowl", "lemonade") == [exists["lemonade"][0]]
    assert exists["water"] == (0, robot.physics.frame)
    tables = _tables(stage, robot.physics)
    check_replay(tables.demonstrations, tables.facts, tables.objects)
    particles = tables.objects.filter(tables.objects["is_particle_system"])
    assert sorted(particles["object_name"]) == ["juice", "lemonade", "water"]


def _tables(stage: Stage, physics: Physics):  # type: ignore[no-untyped-def]
    log = physics.log
    recording = Recording(
        "test", 0, stage.world, 30.0,
        np.array(log.qpos), np.array(log.mocap_pos), np.array(log.mocap_quat),
        np.array(log.appearance).reshape(len(log.qpos), -1),
        facts_of(physics, frozenset()), (),
    )  # fmt: skip
    return tables_of("test-0", recording)


def smoothie(stage: StageBuilder) -> None:
    """Two fruits in a blender."""
    stage.put("lemon", "lemon", YELLOW, "blender", (-0.03, 0.0))
    stage.put("orange", "orange", RED, "table", (0.1, -0.1), access="front")
    stage.put_later("pulp", "diced_tomato", YELLOW, ("lemon", "orange"))
    stage.recipe(("pulp",), ("orange", "lemon"), when=Switched("blender"))


def test_a_blender_waits_for_all_parents() -> None:
    """Switched on with one fruit in it, it makes nothing of it. The pulp is in the blender from its
    first frame on, and is reached there, not where a fruit came from.
    """
    stage = table_stage(smoothie, beside=("blender",))
    robot = robot_on(stage)
    carry_out(robot, Press("right", "blender"), Wait(0.5))
    assert "pulp" not in robot.physics.existing
    origin = stage.fixtures["blender"].origin
    place(robot.physics, "orange", (origin[0] + 0.03, origin[1], origin[2] + 0.01), 0.0)
    facts = carry_out(robot, Wait(0.5))
    assert {"lemon", "orange"}.isdisjoint(robot.physics.existing)
    assert ("Exists", "pulp", None) in at_end(facts, robot.physics.frame)
    (made,) = starts(facts, "Exists", "pulp", None)
    assert starts(facts, "Inside", "pulp", "blender") == [made]
    assert {f.frame_to for f in facts if f.subject in ("lemon", "orange")} >= {made}
    assert not [f for f in facts if f.subject in ("lemon", "orange") and f.frame_to > made]
    where = robot.physics.pose("pulp")[0]
    assert where == pytest.approx(np.array(origin), abs=0.02)
    assert robot.access["pulp"] == stage.fixtures["blender"].access != stage.access["orange"]
    assert robot.resting["pulp"] == "blender"
    assert not {"lemon", "orange"} & {*robot.access, *robot.resting}


def toast(stage: StageBuilder, *, coat: bool = True) -> None:
    """Two slices that become one sandwich when both are hot; jam lies on one of them."""
    stage.put("slice_1", "bread_slice", BREAD, "stove", (0.0, 0.0))
    stage.put("slice_2", "bread_slice", BREAD, "slice_1")
    stage.put_later("sandwich", "bread_slice", BREAD)
    for name in ("slice_1", "slice_2", "sandwich"):
        crust = next(g for g in stage.scene.surfaces if g.startswith(f"{name}."))
        stage.cookable(name, {crust: BROWN})
    coats = ("slice_1", "slice_2", "sandwich") if coat else ("slice_1", "slice_2")
    stage.substance("jam", JAM, kind="film", coats=coats, patch_m=0.015)
    stage.cover("slice_1", "jam", 3)
    stage.recipe(("sandwich",), ("slice_1", "slice_2"), when=Baked())


@pytest.mark.parametrize("coat", [True, False])
def test_what_is_baked_together_keeps_its_heat_and_what_lay_on_it(coat: bool) -> None:
    """A product that is cold, or a coat that vanishes uncounted, contradicts the frame before."""

    def put(stage: StageBuilder) -> None:
        toast(stage, coat=coat)

    robot = robot_on(table_stage(put, beside=("stove",)))
    matter = robot.physics.matter
    before = matter.total()
    facts = carry_out(robot, Press("right", "stove"), Wait(10.0))
    end = at_end(facts, robot.physics.frame)
    assert end >= {("Exists", "sandwich", None), ("Cooked", "sandwich", None)}
    (made,) = starts(facts, "Exists", "sandwich", None)
    assert starts(facts, "OnTop", "sandwich", "stove") == [made]
    assert starts(facts, "Cooked", "sandwich", None) == [made]
    assert starts(facts, "Covered", "sandwich", "jam") == ([made] if coat else [])
    assert (("Covered", "sandwich", "jam") in end) is coat
    assert matter.used == pytest.approx(0.0 if coat else before)
    assert matter.total() == pytest.approx(before, abs=1e-12)
    assert not {"slice_1", "slice_2"} & robot.physics.existing
    assert robot.resting["sandwich"] == "stove"


def test_slices_that_do_not_touch_are_no_sandwich() -> None:
    """Two hot things on either side of the burner are two things."""

    def apart(stage: StageBuilder) -> None:
        toast(stage)

    robot = robot_on(table_stage(apart, beside=("stove",)))
    burner = robot.stage.fixtures["stove"].origin
    place(robot.physics, "slice_2", (burner[0] + 0.18, burner[1], burner[2] + 0.003), 0.0)
    carry_out(robot, Press("right", "stove"), Wait(10.0))
    heat = robot.physics.matter.heat
    assert heat.is_cooked("slice_1")
    assert heat.is_cooked("slice_2")
    assert "sandwich" not in robot.physics.existing


def test_halves_of_a_cooked_thing_are_cooked() -> None:
    """Cutting a hot loaf does not make cold slices."""

    def loaf(stage: StageBuilder) -> None:
        stage.put("tomato", "tomato", RED, "stove", halves=("half_1", "half_2"))
        for half in ("half_1", "half_2"):
            stage.put_later(half, "half_tomato", RED, ("tomato",))
        for name in ("tomato", "half_1"):
            skin = next(g for g in stage.scene.surfaces if g.startswith(f"{name}."))
            stage.cookable(name, {skin: BROWN})

    robot = robot_on(table_stage(loaf, beside=("stove",)))
    physics = robot.physics
    carry_out(robot, Press("right", "stove"), Wait(9.0))
    made = physics.matter.bring_about(Cut("tomato"), physics)
    assert [r.products for r in made] == [("half_1", "half_2")]
    cut = physics.frame
    facts = carry_out(robot, Wait(0.5))
    for half in ("half_1", "half_2"):
        assert starts(facts, "Exists", half, None) == [cut]
        assert starts(facts, "OnTop", half, "stove") == [cut]
    assert starts(facts, "Cooked", "half_1", None) == [cut]
    assert ("Cooked", "half_1", None) in at_end(facts, physics.frame)
    gap = abs(physics.pose("half_1")[0][0] - physics.pose("half_2")[0][0])
    assert gap > 2 * robot.stage.things["half_1"].parts.radius
    assert physics.matter.bring_about(Cut("tomato"), physics) == []


def test_a_hand_that_held_a_parent_is_empty() -> None:
    """A weld to a thing in limbo would tear the arm's log and the next grasp would be refused."""
    stage = builder()
    stage.put(
        "tomato", "tomato", RED, "table", (0.1, -0.1), access="front", halves=("half_1", "half_2")
    )
    for half in ("half_1", "half_2"):
        stage.put_later(half, "half_tomato", RED)
    robot = robot_on(stage.finish(0.66))
    physics = robot.physics
    robot.run(Grasp("right", "tomato"))
    physics.matter.bring_about(Cut("tomato"), physics)
    assert robot.access["half_1"] == robot.access["half_2"] == "front"
    facts = carry_out(robot, Wait(1.0))
    assert physics.held == {"left": None, "right": None}
    assert ("RightGrasping", "robot", "tomato") not in at_end(facts, physics.frame)


def test_what_stood_on_a_parent_stands_on_what_was_below_it() -> None:
    """Else it rests on what is nowhere, and no closed door before it is ever found."""
    stage = builder()
    stage.put("cutting_board", "cutting_board", BREAD, "table", (0.1, -0.1))
    stage.put("tomato", "tomato", RED, "cutting_board", halves=("half_1", "half_2"))
    for half in ("half_1", "half_2"):
        stage.put_later(half, "half_tomato", RED)
    stage.put("slice", "bread_slice", BREAD, "table", (-0.2, 0.0))
    stage.put("knife", "knife", RED, "table", (0.36, 0.1))
    robot = robot_on(stage.finish(0.66))
    robot.resting["slice"] = "tomato"
    del robot.resting["knife"]
    ahead = Forecast.now(robot)
    ahead.take("knife", "right")
    robot.physics.matter.bring_about(Cut("tomato"), robot.physics)
    on_board = dict.fromkeys(("half_1", "half_2", "slice"), "cutting_board")
    assert robot.resting == {"cutting_board": "table", **on_board}
    ahead.cut("right", Cut("tomato"))
    assert ahead.resting == robot.resting
    assert ahead.access == robot.access
    assert ahead.existing == {"cutting_board", "knife", "slice", "half_1", "half_2"}


def tapped(stage: StageBuilder) -> None:
    """Water in a bowl that is all stirred into something else, and a tap for more."""
    sink = stage.fixtures["sink"]
    assert sink.spout is not None
    below = (sink.spout[0] - sink.origin[0], sink.spout[1] - sink.origin[1])
    stage.put("glass", "glass", RED, "sink", below)
    stage.put("jug", "jug", RED, "table", (-0.3, 0.1))
    stage.put("bowl", "bowl", YELLOW, "table", (0.0, -0.1))
    stage.substance("water", WATER, holders=("bowl", "glass", "jug"), coats=("table",))
    stage.substance("tea", JAM, holders=("bowl",))
    stage.fill("bowl", "water", 0.5)
    stage.tap("sink", "water")
    stage.recipe(("tea",), ("water",), when=Stirred("bowl"))


def test_a_substance_that_is_used_up_leaves_no_drop_and_may_come_again() -> None:
    """Half a cubic centimetre in a jug that does not exist could be poured out of it later; and
    water from the tap must not be in a glass while there is no water in the world.
    """
    robot = robot_on(table_stage(tapped, coat=TABLE_COAT, beside=("sink",)))
    physics = robot.physics
    matter, fluids = physics.matter, physics.matter.fluids
    water = fluids.number["water"]
    fluids.add(water, fluids.place["jug"], 0.4 * PARTICLE_M3)
    table = matter.coats.index[(water, "table")]
    table.pending = 0.3 * PARTICLE_M3
    before = matter.total()
    assert matter.bring_about(Stirred("bowl"), physics)
    stirred = physics.frame
    assert "water" not in physics.existing
    assert fluids.volumes[water].sum() == table.pending == 0.0
    assert fluids.spilled[water] == pytest.approx(0.7 * PARTICLE_M3)
    assert matter.total() == pytest.approx(before, abs=1e-15)
    facts = carry_out(robot, Press("left", "sink"), Wait(0.3))
    assert [f.frame_to for f in facts if (f.predicate, f.subject) == ("Exists", "water")] == [
        stirred,
        physics.frame,
    ]
    (filled,) = starts(facts, "Contains", "glass", "water")
    assert starts(facts, "Exists", "water", None) == [0, filled]
    assert filled > stirred


def test_a_substance_that_was_only_spilled_goes_on_existing() -> None:
    """The rule of the predicates: what no recipe used up exists, wherever it is."""
    robot = robot_on(table_stage(tapped, coat=TABLE_COAT, beside=("sink",)))
    fluids = robot.physics.matter.fluids
    fluids.empty(fluids.number["water"])
    facts = carry_out(robot, Wait(0.2))
    assert ("Exists", "water", None) in at_end(facts, robot.physics.frame)
    assert ("Contains", "bowl", "water") not in at_end(facts, robot.physics.frame)


def test_hand_poses_are_kept_by_name() -> None:
    """The skills turn hands by any angle; a pose must survive the way there and back."""
    from enact_assets.simulator.shapes.rotations import quat_to_matrix
    from enact_assets.simulator.skills.handling import hand_pose

    rng = np.random.default_rng(0)
    for yaw, pitch, roll in rng.uniform(-1.2, 1.2, (50, 3)):
        pose = HandPose(np.zeros(3), yaw, pitch, 0.05, roll)
        again = hand_pose(quat_to_matrix(pose.quat), np.zeros(3), 0.05, 0.0)
        assert quat_to_matrix(again.quat) == pytest.approx(quat_to_matrix(pose.quat), abs=1e-9)
