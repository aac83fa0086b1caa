"""Pouring, spreading, wiping, stirring, dicing, cooking: what they do, and when they refuse."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from simulator.matter_bench import (
    BREAD,
    BROWN,
    JAM,
    RED,
    WATER,
    at_end,
    carry_out,
    dusty,
    jam,
    kitchen_work,
    named,
    place,
    robot_on,
    starts,
    table_stage,
    vessels,
)

from enact_assets.engine.errors import PlanError
from enact_assets.simulator.matter.coats import WIPE_REACH_M
from enact_assets.simulator.matter.fluids import PARTICLE_M3
from enact_assets.simulator.planning.basic_steps import Grasp, Place, Press, Slice, Together
from enact_assets.simulator.planning.forecast import Forecast
from enact_assets.simulator.planning.matter_steps import (
    AwaitCooked,
    Dice,
    Dip,
    Pour,
    Spread,
    Stir,
    Wait,
    Wipe,
)
from enact_assets.simulator.planning.plan_check import check_plan
from enact_assets.simulator.simulation.facts import Fact
from enact_assets.simulator.skills import applying
from enact_assets.simulator.skills.executor import Executor, Step
from enact_assets.simulator.skills.handling import Hold, bring_over, lifted
from enact_assets.simulator.stage.stage import Stage
from enact_assets.simulator.stage.stage_builder import StageBuilder
from enact_assets.simulator.stage.transitions import Cut, Diced
from enact_assets.simulator.things.thing_parts import Coat

POURING = (Grasp("left", "jug"), Pour("left", "glass", 0.2), Pour("left", "bowl", 0.3))


def refuses(robot: Executor, step: Step, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        robot.run(step)


def test_pouring_fills_each_vessel_by_the_share_asked_for() -> None:
    """The jug tilts until the share has left it, not until the time is up."""
    robot = robot_on(table_stage(vessels))
    fluids = robot.physics.matter.fluids
    start = fluids.totals[fluids.place["jug"]]
    facts = carry_out(robot, *POURING)
    in_glass, in_bowl = (fluids.totals[fluids.place[n]] for n in ("glass", "bowl"))
    assert in_glass == pytest.approx(0.2 * start, abs=3e-6)
    assert in_bowl == pytest.approx(0.3 * 0.8 * start, abs=6e-6)
    assert fluids.spilled.sum() == 0
    assert at_end(facts, robot.physics.frame) >= {
        ("Contains", name, "water") for name in ("jug", "glass", "bowl")
    }
    # Upright again before the next action: no picture shows a jug that still pours.
    assert robot.physics.data.body("jug").xmat[8] > 0.999
    check_plan(table_stage(vessels), POURING)


def test_one_hand_pours_while_the_other_works() -> None:
    """Skills are motions like any other: both hands' changes fall into the same frames."""

    def both(stage: StageBuilder) -> None:
        vessels(stage)
        stage.put("can", "can", RED, "table", (0.34, 0.15))

    stage = table_stage(both)
    steps = (
        Grasp("left", "jug"),
        Together(
            (Pour("left", "bowl", 0.2),),
            (Grasp("right", "can"), Place("right", "table", (0.34, -0.2))),
        ),
        Wait(0.2),
    )
    check_plan(stage, steps)
    robot = robot_on(stage)
    facts = carry_out(robot, *steps)
    (filled,) = [f for f in facts if f.predicate == "Contains" and f.subject == "bowl"]
    (held,) = [f for f in facts if f.predicate == "RightGrasping"]
    together = next(f for f in facts if f.predicate == "LeftGrasping").frame_from
    assert together < held.frame_from < robot.physics.frame
    assert abs(filled.frame_from - held.frame_from) < 90
    assert ("OnTop", "can", "table") in at_end(facts, robot.physics.frame)


def test_an_emptied_jug_contains_nothing() -> None:
    """Drops that never leave would keep Contains true for ever."""
    robot = robot_on(table_stage(functools.partial(vessels, share=0.3)))
    facts = carry_out(robot, Grasp("left", "jug"), Pour("left", "bowl"), Wait(0.2))
    assert robot.physics.matter.fluids.content("jug") == {}
    assert ("Contains", "jug", "water") not in at_end(facts, robot.physics.frame)
    refuses(robot, Pour("left", "bowl"), "there is nothing in jug that flows")


def test_impossible_pouring_says_what_is_wrong() -> None:
    """A pour that silently does nothing makes an activity without its changes."""
    robot = robot_on(table_stage(vessels, dusty))
    refuses(robot, Pour("left", "bowl"), r"pour\(left, None, into bowl\): the left hand is empty")
    robot.run(Grasp("right", "sponge"))
    refuses(robot, Pour("right", "bowl"), "sponge is not a vessel of any substance")
    robot.run(Place("right", "table", (0.33, 0.2)))
    robot.run(Grasp("left", "jug"))
    refuses(
        robot, Pour("left", "glass"), r"glass has room for \d+ cm3, not for \d+: pour a smaller"
    )
    refuses(
        robot, Pour("left", "board"), "board is not a vessel that holds water, and water may not"
    )
    refuses(robot, Pour("left", "bowl", 1.5), "the share to pour is 1.5")
    refuses(robot, Pour("left", "tub"), "tub does not exist")
    refuses(robot, Pour("left", "jug"), "jug cannot be poured into itself")


def test_a_thing_over_the_mouth_is_named() -> None:
    """Pouring onto a lid is a plan out of order."""

    def covered(stage: StageBuilder) -> None:
        vessels(stage)
        stage.put("plate", "plate", RED, "table", (0.25, 0.2))

    robot = robot_on(table_stage(covered))
    bowl = robot.physics.pose("bowl")[0]
    place(robot.physics, "plate", (bowl[0], bowl[1], bowl[2] + 0.095), 0.0)
    robot.run(Grasp("left", "jug"))
    refuses(robot, Pour("left", "bowl", 0.2), "plate is below the lip, not bowl")


def test_pouring_onto_a_thing_covers_it() -> None:
    """Syrup on a pancake: particles lie on it, the rest runs off."""

    def breakfast(stage: StageBuilder) -> None:
        stage.put("jug", "jug", RED, "table", (-0.25, -0.1))
        stage.put("pancake", "pancake", BREAD, "table", (0.1, 0.0))
        stage.substance("syrup", JAM, holders=("jug",), coats=("pancake",), patch_m=0.02)
        stage.fill("jug", "syrup", 0.9)

    stage = table_stage(breakfast)
    steps = (Grasp("left", "jug"), Pour("left", "pancake", 0.01))
    check_plan(stage, steps)
    robot = robot_on(stage)
    facts = carry_out(robot, *steps)
    assert ("Covered", "pancake", "syrup") in at_end(facts, robot.physics.frame)
    matter = robot.physics.matter
    lying = matter.coats.index[(0, "pancake")].volume
    assert lying + matter.fluids.spilled[0] == pytest.approx(0.01 * matter.total(), abs=2e-6)


@functools.cache
def _spread_facts() -> tuple[tuple[Fact, ...], int]:
    stage = table_stage(jam)
    steps = (
        Grasp("right", "butter_knife"),
        Dip("right", "jar"),
        Spread("right", "bread"),
        Place("right", "table", (0.2, -0.2)),
        Wait(0.2),
    )
    check_plan(stage, steps)
    robot = robot_on(stage)
    before = robot.physics.matter.total()
    facts = carry_out(robot, *steps)
    assert robot.physics.matter.total() == pytest.approx(before, abs=1e-12)
    return tuple(facts), robot.physics.frame


def test_an_arm_is_where_it_dipped_until_the_next_step() -> None:
    """What is behind it is not spread on next."""
    stage = table_stage(jam)
    ahead = Forecast.at_start(stage)
    Grasp("right", "butter_knife").foresee(ahead)
    assert ahead.arm is None
    Dip("right", "jar").foresee(ahead)
    assert ahead.arm is not None
    side, at = ahead.arm
    assert side == "right"
    assert at[2] > stage.starts["jar"][2] + stage.thing("jar").parts.height
    assert np.hypot(*(at - stage.starts["jar"])[:2]) < 0.3
    Spread("right", "bread").foresee(ahead)
    assert ahead.arm is None


def test_jam_goes_from_the_jar_over_the_knife_onto_the_bread() -> None:
    """Three Covered facts in this order; the knife is clean at the end, the jar is not."""
    facts, n_frames = _spread_facts()
    assert at_end(list(facts), n_frames) >= {
        ("Covered", "bread", "jam"),
        ("Contains", "jar", "jam"),
    }
    knife = [f for f in facts if f.predicate == "Covered" and f.subject == "butter_knife"]
    bread = [f for f in facts if f.predicate == "Covered" and f.subject == "bread"]
    assert len(knife) == len(bread) == 1
    assert knife[0].frame_from < bread[0].frame_from == knife[0].frame_to < n_frames


def test_tools_without_a_load_or_a_place_refuse() -> None:
    """The message names the tool and what it lacks."""
    robot = robot_on(table_stage(jam, dusty))
    refuses(robot, Dip("right", "jar"), "the right hand is empty")
    robot.run(Grasp("right", "butter_knife"))
    refuses(robot, Spread("right", "bread"), "there is nothing on butter_knife: dip it first")
    refuses(robot, Dip("right", "bread"), "bread has no hollow")
    refuses(robot, Wipe("right", "board"), "butter_knife is not a tool that wipes")
    refuses(robot, Stir("right", "jar"), "butter_knife is not a tool that stirs")
    robot.run(Dip("right", "jar"))
    refuses(robot, Spread("right", "board"), "jam may not lie on board")


def test_wiping_takes_up_every_particle_under_the_sponge() -> None:
    """A board that stays Covered by one unseen particle never becomes clean."""
    stage = table_stage(dusty)
    steps = (Grasp("right", "sponge"), Wipe("right", "board"), Wait(0.1))
    check_plan(stage, steps)
    robot = robot_on(stage)
    matter = robot.physics.matter
    before = matter.total()
    facts = carry_out(robot, *steps)
    (covered,) = [f for f in facts if f.predicate == "Covered"]
    assert covered.frame_from == 0
    assert covered.frame_to < robot.physics.frame
    assert matter.coats.wiped[0] == pytest.approx(before)
    counts = robot.physics.matter.log.as_arrays()["covering"][("board", "dust")]
    assert len(set(counts.tolist())) > 3, "the dust went place by place"
    refuses(robot, Wipe("right", "board"), "there is nothing on board")


@pytest.mark.parametrize("is_led_to_corners", [False, True])
def test_one_wipe_takes_all_that_lies_there_and_follows_what_is_pushed_along(
    is_led_to_corners: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A basket with dust and mud on its bottom: led to all places, the sponge catches its sides and
    shifts it; led only where it does not reach, it leaves it there.
    """
    if is_led_to_corners:
        monkeypatch.setattr(applying, "COVERS_M", 1.0)

    def basket(stage: StageBuilder) -> None:
        stage.put("sponge", "sponge", RED, "table", (0.35, -0.15))
        stage.put("basket", "laundry_basket", BREAD, "table", (-0.1, 0.05))
        spots = tuple((x, y, 0.014) for x, y in ((-0.24, -0.12), (0.24, 0.12), (-0.06, 0.12)))
        thing = stage.things["basket"]
        stage.things["basket"] = replace(thing, parts=replace(thing.parts, coat=Coat(spots)))
        for name, n in (("dust", 3), ("mud", 1)):
            stage.substance(name, JAM, kind="film", coats=("basket",))
            stage.cover("basket", name, n)

    robot = robot_on(table_stage(basket))
    before = robot.physics.pose("basket")[0]
    for step in (Grasp("right", "sponge"), Wipe("right", "basket")):
        robot.run(step)
    shift = np.linalg.norm(robot.physics.pose("basket")[0] - before)
    assert shift > 0.05 if is_led_to_corners else shift < 0.01
    assert robot.physics.matter.coats.on("basket") == []


def test_a_sponge_cleans_only_what_it_touches_or_is_drawn_over() -> None:
    """Carried over a dirty table to wipe something else, it must leave the dirt where it is."""

    def two(stage: StageBuilder) -> None:
        dusty(stage)
        stage.put("tray", "board", BREAD, "table", (0.05, 0.15))
        stage.substance("mud", JAM, kind="film", coats=("tray",))
        stage.cover("tray", "mud")

    robot = robot_on(table_stage(two))
    physics, coats = robot.physics, robot.physics.matter.coats
    robot.run(Grasp("right", "sponge"))
    dust, mud = (state.n_particles for state in coats.states)
    above = physics.pose("board")[0] + np.array([0.0, 0.0, 0.02])
    above[2] += robot.stage.things["board"].parts.height
    hold = Hold.of(robot, "right")
    over = hold.hand(hold.turn, np.zeros(3), above)
    base = robot.drive(bring_over(robot, hold, "board", [over]))
    low, _ = physics.box("sponge")
    places = coats.states[0].world_places(physics)
    assert np.abs(places[:, 2] - low[2]).max() < WIPE_REACH_M, "near enough, but for contact"
    physics.matter.wiping["sponge"] = "tray"
    robot.drive(robot.wait(0.2))
    assert [state.n_particles for state in coats.states] == [dust, mud]
    del physics.matter.wiping["sponge"]
    robot.drive(robot.move("right", lifted(over, -0.022), base))
    robot.drive(robot.wait(0.2))
    assert physics.touches("sponge", "board")
    assert coats.states[0].n_particles < dust
    assert coats.states[1].n_particles == mud


def test_a_knife_takes_up_what_is_in_the_jar_not_a_rest_on_top_of_it() -> None:
    """Less than a particle is no content; what may not lie on the knife was looked up for it."""

    def traces(stage: StageBuilder) -> None:
        jam(stage)
        stage.substance("honey", WATER, kind="film", holders=("jar",), coats=("bread",))

    robot = robot_on(table_stage(traces))
    fluids = robot.physics.matter.fluids
    fluids.add(fluids.number["honey"], fluids.place["jar"], 0.5 * PARTICLE_M3)
    assert fluids.layers[fluids.place["jar"]][-1] == fluids.number["honey"]
    facts = carry_out(robot, Grasp("right", "butter_knife"), Dip("right", "jar"))
    assert ("Covered", "butter_knife", "jam") in at_end(facts, robot.physics.frame)


def test_a_salad_is_cut_diced_filled_in_and_stirred() -> None:
    """Each product appears in the frame its parents vanish, in their place, and stays there."""
    stage = table_stage(kitchen_work)
    steps = (
        Grasp("right", "knife"),
        Slice("right", "tomato"),
        Dice("right", "half_1"),
        Dice("right", "half_2"),
        Place("right", "table", (0.36, 0.1)),
        Grasp("right", "pile_1"),
        Place("right", "salad_bowl"),
        Grasp("right", "pile_2"),
        Place("right", "salad_bowl"),
        Grasp("left", "spoon"),
        Stir("left", "salad_bowl"),
        Place("left", "table", (-0.35, -0.15)),
        Wait(0.5),
    )
    check_plan(stage, steps)
    robot = robot_on(stage)
    facts = carry_out(robot, *steps)
    life = {f.subject: (f.frame_from, f.frame_to) for f in facts if f.predicate == "Exists"}
    assert life["tomato"][1] == life["half_1"][0] == life["half_2"][0]
    assert life["half_1"][1] == life["pile_1"][0] < life["half_2"][1] == life["pile_2"][0]
    assert life["pile_1"][1] == life["pile_2"][1] == life["salad"][0]
    assert life["salad"][1] == robot.physics.frame
    assert ("Inside", "salad", "salad_bowl") in at_end(facts, robot.physics.frame)
    # The blade must have touched what it cut, not only have come near.
    assert named(facts, "Touching") >= {
        ("Touching", "knife", "tomato"),
        ("Touching", "half_1", "knife"),
        ("Touching", "half_2", "knife"),
    }
    held = [f for f in facts if f.predicate == "Inside" and f.subject == "salad"]
    assert held[0].frame_from == life["salad"][0]
    for piece in ("half_1", "half_2", "pile_1", "pile_2"):
        assert life[piece][0] in starts(facts, "OnTop", piece, "cutting_board"), piece
    assert {o.name: o.parents for o in stage.world.objects if o.parents} == {
        "half_1": ("tomato",),
        "half_2": ("tomato",),
        "pile_1": ("half_1",),
        "pile_2": ("half_2",),
        "salad": ("pile_1", "pile_2"),
    }


def test_stirring_too_early_names_what_is_missing() -> None:
    """Else the salad would never come about, and the goal would be missed without a reason."""
    robot = robot_on(table_stage(kitchen_work))
    robot.run(Grasp("left", "spoon"))
    refuses(robot, Stir("left", "salad_bowl"), "not all .* in salad_bowl: pile_1, pile_2 missing")
    refuses(robot, Dice("left", "tomato"), "no knife in the hand")


def test_a_steak_on_a_lit_stove_is_cooked_and_shows_it() -> None:
    """Cooked holds from when it is hot enough; its surfaces change with the same frame."""

    def steak(stage: StageBuilder) -> None:
        stage.put("steak", "steak", RED, "stove")
        stage.cookable("steak", {"flesh_0": BROWN})

    stage = table_stage(steak, beside=("stove",))
    robot = robot_on(stage)
    refuses(robot, AwaitCooked("steak", 1.0), "steak has 23 C after 1 s")
    facts = carry_out(robot, Press("right", "stove"), AwaitCooked("steak"), Wait(0.2))
    (cooked,) = [f for f in facts if f.predicate == "Cooked"]
    (lit,) = [f for f in facts if f.predicate == "ToggledOn"]
    assert 8.0 < (cooked.frame_from - lit.frame_from) / 30 < 9.0
    shown = np.array(robot.physics.log.appearance)[:, stage.matter.cooked_cues["steak"]]
    assert np.flatnonzero(shown)[0] == cooked.frame_from
    refuses(robot, AwaitCooked("knife"), "knife is not cookable")


def test_a_tap_fills_what_stands_below_it_until_it_is_closed() -> None:
    """The spout flows while ToggledOn and no longer."""

    def washing(stage: StageBuilder) -> None:
        sink = stage.fixtures["sink"]
        assert sink.spout is not None
        below = (sink.spout[0] - sink.origin[0], sink.spout[1] - sink.origin[1])
        stage.put("glass", "glass", RED, "sink", below)
        stage.substance("water", WATER, holders=("glass",))
        stage.tap("sink", "water")

    robot = robot_on(table_stage(washing, beside=("sink",)))
    carry_out(robot, Press("right", "sink"), Wait(1.0), Press("right", "sink"))
    matter = robot.physics.matter
    full = matter.fluids.content("glass")["water"]
    carry_out(robot, Wait(1.0))
    assert matter.fluids.content("glass")["water"] == full
    assert full == pytest.approx(float(matter.fluids.drawn[0]))
    assert matter.total() == pytest.approx(0.0, abs=1e-12)


def test_the_same_steps_give_the_same_bytes() -> None:
    """Levels, particles and streams are part of the log, and so of the hash of every picture."""

    def bytes_of(stage: Stage) -> bytes:
        robot = robot_on(stage)
        carry_out(robot, *POURING)
        return np.array(robot.physics.log.mocap_pos).tobytes()

    assert bytes_of(table_stage(vessels)) == bytes_of(table_stage(vessels))


def test_facts_about_matter_are_named_like_the_scene_graph() -> None:
    """Goals are written with these names."""
    facts, _ = _spread_facts()
    assert named(list(facts), "Contains", "Covered", "Cooked") == {
        ("Contains", "jar", "jam"),
        ("Covered", "butter_knife", "jam"),
        ("Covered", "bread", "jam"),
    }


FORESEEN = {
    "nothing to pour": (
        (Grasp("right", "sponge"), Pour("right", "bowl")),
        "step 2 of 2, .*sponge holds nothing that flows",
    ),
    "nowhere to pour": (
        (Grasp("left", "jug"), Pour("left", "board")),
        r"none of what jug may hold \(water\) may be in or on board",
    ),
    "a share of nothing": ((Grasp("left", "jug"), Pour("left", "bowl", 0.0)), "share to pour is 0"),
    "no sponge": ((Wipe("left", "board"),), "the left hand holds nothing, not a sponge"),
    "dust elsewhere": ((Grasp("right", "sponge"), Wipe("right", "jug")), "ever lies on jug"),
    "no spoon": ((Grasp("right", "sponge"), Stir("right", "bowl")), "not a spoon"),
    "nothing to dip": ((Grasp("right", "sponge"), Dip("right", "bowl")), "not a tool that takes"),
    "nothing to spread": ((Spread("right", "board"),), "not a tool that takes"),
    "no knife": ((Dice("right", "jug"),), "not a knife"),
    "into itself": ((Grasp("left", "jug"), Pour("left", "jug")), "jug is in a hand; place it"),
    "not cookable": ((AwaitCooked("jug"),), "jug is not cookable"),
}


@pytest.mark.parametrize("what", sorted(FORESEEN))
def test_what_is_wrong_with_a_plan_is_known_before_it_runs(what: str) -> None:
    """Minutes of simulation before a mistake in the last step are minutes lost."""
    steps, message = FORESEEN[what]
    with pytest.raises(PlanError, match=message):
        check_plan(table_stage(vessels, dusty), steps)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ((Dice("right", "tomato"),), "tomato cannot be diced"),
        ((Slice("right", "tomato"), Slice("right", "half_1")), "half_1 cannot be sliced"),
        ((Dice("right", "lemon"), Grasp("left", "lemon_half")), "before lemon is cut"),
        ((Slice("right", "lemon"), Grasp("left", "lemon_pile")), "before lemon is cut"),
    ],
)
def test_slicing_and_dicing_are_told_apart_ahead(steps: tuple[Step, ...], message: str) -> None:
    """The simulation refuses what has no recipe of its kind; the check must not let it pass."""

    def both(stage: StageBuilder) -> None:
        kitchen_work(stage)
        stage.put("lemon", "lemon", RED, "table", (-0.05, -0.2))
        for name, kind, when in (
            ("lemon_half", "half_lemon", Cut("lemon")),
            ("lemon_pile", "diced_tomato", Diced("lemon")),
        ):
            stage.put_later(name, kind, RED)
            stage.recipe((name,), ("lemon",), when=when)

    with pytest.raises(PlanError, match=message):
        check_plan(table_stage(both), (Grasp("right", "knife"), *steps))


def test_what_is_behind_a_door_cannot_be_poured_into() -> None:
    """A plan that forgot to open the fridge is refused before it runs, and passes once it does."""

    def cold(stage: StageBuilder) -> None:
        stage.put("jug", "jug", RED, "table", (-0.25, -0.1))
        stage.put("glass", "glass", RED, "fridge")
        stage.substance("water", WATER, holders=("jug", "glass"))
        stage.fill("jug", "water", 0.5)

    stage = table_stage(cold, beside=("fridge",))
    ahead = Forecast.at_start(stage)
    ahead.take("jug", "left")
    with pytest.raises(PlanError, match="fridge is closed; open it first"):
        Pour("left", "glass", 0.2).foresee(ahead)
    ahead.set_open(stage.fixtures["fridge"], is_open=True)
    ahead.places.pop("glass")
    Pour("left", "glass", 0.2).foresee(ahead)


def test_what_is_stirred_is_known_to_be_in_the_vessel() -> None:
    """A salad that rests nowhere is behind no door, however closed the cabinet around its bowl."""
    stage = table_stage(kitchen_work)
    ahead = Forecast.at_start(stage)
    ahead.take("spoon", "left")
    Stir("left", "salad_bowl").foresee(ahead)
    assert ahead.resting["salad"] == "salad_bowl"
    assert ahead.access["salad"] == stage.access["salad_bowl"]
    assert "salad" in ahead.existing


def test_a_bowl_out_of_reach_is_known_before_it_runs() -> None:
    """The arm holds the jug above the bowl; that is farther than to take it."""

    def far(stage: StageBuilder) -> None:
        stage.put("jug", "jug", RED, "table", (-0.3, -0.1))
        stage.put("bowl", "bowl", RED, "table", (0.0, 1.2))
        stage.substance("water", WATER, holders=("jug", "bowl"))
        stage.fill("jug", "water", 0.5)

    with pytest.raises(PlanError, match="place to pour into bowl is out of reach of the left hand"):
        check_plan(table_stage(far), (Grasp("left", "jug"), Pour("left", "bowl", 0.2)))
