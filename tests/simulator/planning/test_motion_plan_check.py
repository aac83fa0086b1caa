"""What is wrong with a plan, a goal or an activity is said before anything is simulated."""

import dataclasses
import re
from dataclasses import dataclass

import numpy as np
import pytest
from simulator.small_stage import small_stage

from enact_assets.engine.errors import ActivityError, PlanError
from enact_assets.simulator import simulate as simulate_module
from enact_assets.simulator.activities.base import Activity, Episode
from enact_assets.simulator.planning.basic_steps import (
    Close,
    Grasp,
    GraspBoth,
    Open,
    Place,
    PlaceBoth,
    Press,
    Slice,
    Together,
    move,
    move_wide,
)
from enact_assets.simulator.planning.forecast import Forecast
from enact_assets.simulator.planning.matter_steps import Wait
from enact_assets.simulator.planning.plan_check import check_goal, check_names, check_plan
from enact_assets.simulator.simulate import build_world, perform, simulate
from enact_assets.simulator.simulation.recording import GoalFact
from enact_assets.simulator.skills.executor import Executor, Step
from enact_assets.simulator.skills.motion import Motions
from enact_assets.simulator.stage.stage import Stage


@pytest.fixture(scope="module")
def stage() -> Stage:
    return small_stage()


WRONG: dict[str, tuple[tuple[Step, ...], str]] = {
    "unknown thing": ((Grasp("left", "mugg"),), r"no thing 'mugg' \(known: basket, bowl, can"),
    "unknown fixture": ((Open("left", "drawer"),), r"no fixture 'drawer' \(known: bottom_drawer"),
    "unknown place": (
        (Grasp("left", "mug"), Place("left", "tabel")),
        r"nothing is called 'tabel' \(known: basket",
    ),
    "no panel": ((Open("left", "table"),), "table has no door, lid or drawer"),
    "no button": ((Press("left", "table"),), "table has no button"),
    "open twice": (
        (Open("left", "top_drawer"), Open("left", "top_drawer")),
        "top_drawer is open already",
    ),
    "closed already": ((Close("right", "chest"),), "chest is closed already"),
    "thing in a closed drawer": ((Grasp("left", "can_2"),), "top_drawer is closed; open it first"),
    "place in a closed chest": (
        (Grasp("right", "can"), Place("right", "chest")),
        "chest is closed; open it first",
    ),
    "hand full": (move("left", "mug", "table")[:1] * 2, "the left hand holds mug; place it first"),
    "hand empty": ((Place("right", "table"),), "the right hand is empty; grasp something first"),
    "hand full at a door": (
        (Grasp("left", "mug"), Open("left", "top_drawer")),
        "the left hand holds mug",
    ),
    "in the other hand": ((Grasp("left", "mug"), Grasp("right", "mug")), "mug is in a hand"),
    "onto what is held": (
        (Grasp("left", "mug"), Grasp("right", "can"), Place("right", "mug")),
        "mug is in a hand; place it first",
    ),
    "no knife": (
        (Slice("right", "watermelon"),),
        "the right hand holds nothing, not a knife; grasp one first",
    ),
    "not a knife": (
        (Grasp("right", "can"), Slice("right", "watermelon")),
        "the right hand holds can, not a knife",
    ),
    "half of a whole": (
        (Grasp("left", "half_1"),),
        "half_1 does not exist before watermelon is cut",
    ),
    "start out of reach": (
        (Grasp("right", "watermelon"),),
        r"watermelon \(-0.9., .* m out of reach of the right hand; use the other hand",
    ),
    "place out of reach": (
        (Grasp("left", "mug"), Place("left", "table", (1.0, 0.4))),
        r"the place on table \(.* m out of reach of the left hand",
    ),
    "handle out of reach": (
        (Open("right", "bottom_drawer"),),
        "the handle of bottom_drawer goes out of reach",
    ),
    "narrow for two hands": ((GraspBoth("mug"),), "mug is not made for two hands"),
    "one hand full": ((Grasp("left", "mug"), GraspBoth("basket")), "the left hand holds mug"),
    "placed by one hand": (
        (GraspBoth("basket"), Place("left", "chest_of_drawers")),
        "both hands hold basket; use PlaceBoth",
    ),
    "held by one hand": (
        (Grasp("left", "basket"), PlaceBoth("table")),
        "the right hand does not hold basket too; use Place",
    ),
    "too high for a drawer": (
        (Open("left", "top_drawer"), *move("left", "watermelon", "top_drawer")),
        r"watermelon is .* m high, top_drawer only",
    ),
    "one hand of two": (
        (Together(move("left", "mug", "table"), move("right", "cann", "table")),),
        r"step 1 of the right hand, Grasp\(.*'cann'\): no thing 'cann'",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_plan_is_refused_in_one_message(case: str, stage: Stage) -> None:
    """It names the activity, the step and its number, what is wrong, and what to do."""
    plan, problem = WRONG[case]
    n = len(plan) + 1
    with pytest.raises(PlanError) as caught:
        check_plan(stage, (*plan, Grasp("left", "mug")), "tidying seed 3")
    text = str(caught.value)
    wrong = next(
        k for k in range(1, n) if f"tidying seed 3, step {k} of {n}, {plan[k - 1]}" in text
    )
    assert wrong == len(plan)
    assert text.endswith("Change the plan or the placement in simulator/activities.")
    assert text.count("step ") - text.count("step 1 of the") == 1
    assert re.search(problem, text), text


def test_a_plan_that_can_be_done_passes(stage: Stage) -> None:
    """A check that is too strict would forbid what the robot can do; this plan is simulated."""
    plan = (
        Open("left", "top_drawer"),
        *move("left", "can_2", "table", (-0.1, -0.25)),
        *move("left", "mug", "top_drawer", (0.1, 0.0)),
        Close("left", "top_drawer"),
        *move_wide("basket", "chest_of_drawers", (0.02, -0.16)),
        *move("left", "orange", "table", (-0.3, 0.15)),
    )
    check_plan(stage, plan)
    robot = Executor(stage, "test seed 0")
    ahead = Forecast.at_start(stage)
    for step in plan:
        robot.run(step)
        step.foresee(ahead)  # type: ignore[attr-defined]
    for name in ("can_2", "mug", "basket", "orange"):
        assert robot.physics.pose(name)[0] == pytest.approx(ahead.places[name], abs=0.012)
    assert ahead.opened == set()
    now = Forecast.now(robot)
    assert (now.held, now.opened, now.existing) == (ahead.held, ahead.opened, ahead.existing)
    assert now.resting == ahead.resting


BROKEN: dict[str, tuple[object, str]] = {
    "no plan": (None, r": the plan is None, not a tuple of steps"),
    "a text": ((Grasp("left", "mug"), "place"), r"step 2 of 2: 'place' is not a step\. Change"),
    "a class": ((Grasp,), r"step 1 of 1: <class .*Grasp'> is not a step\. "),
    "no star": (
        (move("left", "mug", "table"),),
        r"step 1 of 1: \(Grasp.* is not a step; put a star",
    ),
    "third hand": ((Grasp("middle", "mug"),), r"no side 'middle' \(known: left, right\)"),  # type: ignore[arg-type]
    "way": (
        (Grasp("left", "mug"), Place("left", "table", access="below")),  # type: ignore[arg-type]
        r"step 2 of 2, Place\(.*: no access 'below' \(known: top, front, or None\)",
    ),
    "half an offset": (
        (Grasp("left", "mug"), Place("left", "table", (0.1,))),  # type: ignore[arg-type]
        r"step 2 of 2, Place\(.*: the offset \(0\.1,\) is not two finite numbers",
    ),
    "no offset": (move_wide("basket", "table", (np.nan, 0.0)), r"offset \(nan, 0\.0\) is not two"),
    "a long wait": ((Wait(np.nan),), r"Wait\(seconds=nan\): a time of nan s cannot be waited for"),
    "endless": ((Wait(np.inf),), "a time of inf s cannot be waited for"),
    "backwards": ((Wait(-1),), "a time of -1 s cannot be waited for"),
    "not a time": ((Wait("long"),), r"Wait\(seconds='long'\): TypeError: must be real number"),  # type: ignore[arg-type]
    "one of two tasks": (
        (Together(Grasp("left", "mug"), (Grasp("right", "can"),)),),  # type: ignore[arg-type]
        r"step 1 of 1: the left task is Grasp\(.*\), not a tuple of steps",
    ),
    "within a task": (
        (Together((Grasp("left", "mug"),), ("wave",)),),  # type: ignore[arg-type]
        r"step 1 of 1, step 1 of the right hand: 'wave' is not a step",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_no_plan_at_all_is_one_clear_error(case: str, stage: Stage) -> None:
    """A slip of the pen would be a bare AttributeError, after the steps before it were done."""
    plan, problem = BROKEN[case]
    with pytest.raises(PlanError, match=rf"^tidying seed 3.*{problem}") as caught:
        check_plan(stage, plan, "tidying seed 3")  # type: ignore[arg-type]
    assert str(caught.value).endswith("Change the plan or the placement in simulator/activities.")


@dataclass(frozen=True)
class Nod:
    """A step of another module that cannot be checked."""

    def motions(self, robot: Executor) -> Motions:
        """The motion that carries the step out."""
        return robot.wait(0.1)


def test_steps_that_cannot_be_checked_pass(stage: Stage) -> None:
    """Other modules may add steps without a forecast."""
    check_plan(stage, (Nod(), *move("left", "mug", "table")))
    with pytest.raises(PlanError, match=r"step 2 of 2, Grasp\(.*'spoon'"):
        check_plan(stage, (Nod(), Grasp("left", "spoon")))


def test_a_plan_is_checked_before_it_is_simulated(stage: Stage) -> None:
    """An hour of steps that work must not hide that the last one cannot."""
    heard: list[float] = []
    plan = (*move("left", "mug", "table", (-0.3, 0.0)), Grasp("left", "spoon"))
    episode = Episode(stage, plan, (), frozenset())
    with pytest.raises(PlanError, match=r"^tidying seed 3, step 3 of 3, Grasp"):
        perform("tidying", 3, episode, np.random.default_rng(0), progress=heard.append)
    assert heard == []


def test_a_goal_that_can_never_hold_is_refused_with_all_that_is_wrong(stage: Stage) -> None:
    """A misspelt name would otherwise be missed only after the whole plan ran."""
    goal: tuple[GoalFact, ...] = (
        ("OnTop", "mug", "table"),
        ("OnTop", "mugg", "tabel"),
        ("Above", "mug", "table"),
        ("Open", "chest", "table"),
    )
    with pytest.raises(ActivityError) as caught:
        check_goal(stage, goal, "tidying seed 3")
    assert str(caught.value).startswith(
        "tidying seed 3: 3 of 4 goal facts can never hold: OnTop(mugg, tabel): no object is called "
        "mugg or tabel; Above(mug, table): no predicate is called Above; Open(chest, table): Open "
        "takes 1 object(s), not 2. Known objects: basket, "
    )
    episode = Episode(stage, (), goal, frozenset())
    with pytest.raises(ActivityError, match="3 of 4 goal facts"):
        perform("tidying", 3, episode, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("goal", "problem"),
    [
        (None, "the goal is None, not a tuple of"),
        ("Open", "the goal is 'Open', not a tuple of"),
        (
            (("Open", "chest"),),
            r"1 of 1 goal .*: \('Open', 'chest'\) is not \(predicate, subject, ",
        ),
        ((["Open", "chest", None],), r"\['Open', 'chest', None\] is not \(predicate"),
        (("Open", "chest", None), r"3 of 3 .*'Open' is not .*; 'chest' is not .*; None is not"),
        ((("OnTop", "mug", 7),), r"\('OnTop', 'mug', 7\) is not \(predicate"),
        ((("OnTop", None, "mug"),), r"\('OnTop', None, 'mug'\) is not \(predicate"),
        ((("OnTop", "mug", None),), r"OnTop\(mug\): OnTop takes 2 object\(s\), not 1"),
        ((("Filled", "mug", "table"),), r"Filled\(mug, table\): the simulator never finds Filled"),
        ((("Transition", "mug", "can"),), "the simulator never finds Transition"),
    ],
)
def test_a_goal_of_another_form_is_refused(goal: object, problem: str, stage: Stage) -> None:
    """A pair equals none of the triples found, so it would fail after the whole plan."""
    with pytest.raises(ActivityError, match=rf"^tidying seed 3: .*{problem}.*Mend the goal"):
        check_goal(stage, goal, "tidying seed 3")  # type: ignore[arg-type]
    check_goal(stage, (("Open", "chest", None), ("OnTop", "mug", "table")))
    check_goal(stage, (("Exists", "mug", None), ("Touching", "mug", "table")))


@pytest.mark.parametrize(
    ("covers", "problem"),
    [
        (
            {"chest", "cabinett", "shelv"},
            r"2 of 3 covers are no objects: 'cabinett', 'shelv' \(known: ",
        ),
        ({7}, "1 of 1 covers are no objects: 7"),
        ("chest", "the covers are 'chest', not a set of names"),
        (None, "the covers are None, not a set of names"),
    ],
)
def test_covers_that_are_not_there_are_refused(covers: object, problem: str, stage: Stage) -> None:
    """Misspelt, nothing is ever under it, and no question asks about it."""
    episode = Episode(stage, (Nod(),), (), covers)  # type: ignore[arg-type]
    with pytest.raises(ActivityError, match=rf"^tidying seed 3: {problem}.*Mend the covers"):
        perform("tidying", 3, episode, np.random.default_rng(0))
    there = {thing.name for thing in stage.world.objects}
    check_names(frozenset({"chest", "table"}), there, "covers", "no objects", "here")


def _broken(_: np.random.Generator) -> Episode:
    raise ZeroDivisionError("no places left")


@pytest.mark.parametrize(
    ("build", "problem"),
    [
        (_broken, r"cannot be built: ZeroDivisionError: no places left"),
        (lambda _: Episode(small_stage(), (), (), frozenset()), r"has an empty plan"),
        (
            lambda _: Episode(_uncompilable(), (Nod(),), (), frozenset()),
            r"cannot be built: ValueError: .*XML",
        ),
    ],
)
def test_a_broken_activity_is_one_clear_error(
    build: object, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names activity and seed and the file to mend, whatever went wrong inside."""
    broken = Activity("tidying", "", build)  # type: ignore[arg-type]
    monkeypatch.setattr(simulate_module, "ACTIVITIES", {"tidying": broken})
    for use in (build_world, simulate):
        with pytest.raises(
            ActivityError, match=rf"^tidying seed 4 {problem}.*simulator/activities/tidying.py"
        ):
            use("tidying", 4)
    assert simulate_module.find_activity("tidying") is broken


def _uncompilable() -> Stage:
    stage = small_stage()
    return dataclasses.replace(stage, world=dataclasses.replace(stage.world, xml="<mujoco><oops>"))


def test_an_arm_that_led_a_panel_is_at_its_handle_until_the_next_step(stage: Stage) -> None:
    """What it hides there is not to be taken next."""
    ahead, handles = Forecast.at_start(stage), []
    for step in (Open("left", "top_drawer"), Close("left", "top_drawer")):
        step.foresee(ahead)
        assert ahead.arm is not None
        side, at = ahead.arm
        assert side == "left"
        handles.append(at)
    opening = stage.fixture("top_drawer").opening
    assert handles[1] == pytest.approx(opening.handle)
    assert handles[0] - handles[1] == pytest.approx(opening.opened * np.array(opening.axis))
    Grasp("right", "can").foresee(ahead)
    assert ahead.arm is None
