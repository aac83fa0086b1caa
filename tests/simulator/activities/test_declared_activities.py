"""Declared activities: what a file cannot say is one error, and what it says is carried out."""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from enact_assets.engine.errors import ActivityError, GoalError, PlanError, SettingsError
from enact_assets.engine.ids import seed_from
from enact_assets.simulator.activities.base import Activity, Episode
from enact_assets.simulator.activities.declared import composed as composed_module
from enact_assets.simulator.activities.declared.composed import composed, declared_activity
from enact_assets.simulator.activities.declared.declaration import parsed
from enact_assets.simulator.activities.declared.work import drawn
from enact_assets.simulator.planning.basic_steps import Close, Grasp, Open, Place
from enact_assets.simulator.planning.forecast import Forecast
from enact_assets.simulator.planning.layout import Item, Layout
from enact_assets.simulator.robot.kinematics import BasePose
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.simulate import carry_out, check_seen, perform
from enact_assets.simulator.simulation.recording import Recording

TIDYING = """says: Put things where they belong.
furniture: {left: [counter as countertop, cabinet], centre: [table], right: [stove, shelf]}
opened: [cabinet]
switched_on: [stove]
substances: {drink: {water: [0.1, 0.4, 0.9], milk: [0.9, 0.9, 0.9]}, dirt: [0.2, 0.1, 0.05]}
filled: {jug: [drink, 0.9]}
covered: {plate: dirt}
things:
  - {of: [jug, plate, rag], at: table}
  - {take: 1, of: [mug, goblet], as: cup, between: [cabinet, table]}
errands:
  - {take: 1, of: [apple, lemon, tomato], between: [shelf, table]}
do:
  - {pour: drink, from: jug, into: cup}
  - {wipe: dirt, from: plate, by: rag}
  - {press: stove}
goal: [not Open(cabinet)]
"""


def _drawn(seed: int, text: str = TIDYING, attempt: int = 1) -> Episode:
    return composed(parsed(text, "tidying.yaml"), np.random.default_rng(seed), attempt)


WRONG = {
    ("says:", "say:"): r"contains unknown field `say`|missing required field `says`",
    ("at: table}", "at: tabel}"): r"unknown name 'tabel' .*things, group 1, place 1",
    ("as: cup, ", ""): r"unknown name 'cup' .*do, deed 1",
    (
        "take: 1, of: [mug",
        "take: 3, of: [mug",
    ): r"things, group 2: takes 3 of mug, goblet, .* 2 kinds",
    ("[apple, lemon", "[jug, mug"): r"^(?!.*takes)|",
    ("between: [shelf, table]", "from: shelf"): r"errands, group 1: says from and to",
    ("counter as", "counters as"): r"furniture\.left: unknown kind of furniture 'counters'",
    ("[stove, shelf]", "[shelf]"): r"furniture\.right: 0 pieces of furniture .* not one",
    ("[table], r", "[stove], r"): r"furniture\.centre: stove has the slot 'base'",
    ("opened: [cabinet]", "opened: [shelf]"): r"opened: shelf has no panel",
    ("switched_on: [stove]", "switched_on: [oven]"): r"unknown fixture 'oven'",
    ("opened: [cabinet]", "touches: 1.5"): r"touches: the share 1\.5 is not in 0 to 1",
    ("opened: [cabinet]", "stands_for: {cups: cup.n.01}"): r"unknown name 'cups'",
    ("[drink, 0.9]", "[drink, 1.9]"): r"filled\.jug: the share 1\.9",
    ("{plate: dirt}", "{plate: dust}"): r"unknown substance 'dust' .*covered\.plate",
    ("from: jug, into: cup", "from: jug"): r"do, deed 1: pour needs into",
    ("{press: stove}", "{press: stove, from: jug}"): r"do, deed 3: press takes no from",
    (
        "{press: stove}",
        "{press: stove, cook: jug}",
    ): r"do, deed 3: expected one of .* press and cook",
    ("{press: stove}", "{hit: stove}"): r"unknown field `hit`",
    ("not Open(cabinet)", "Open cabinet"): r"goal: 'Open cabinet' is not like",
    ("do:", "do: ]"): r"tidying\.yaml: .*line",
}


@pytest.mark.parametrize(("said", "instead"), [case for case in WRONG if WRONG[case][:2] != "^("])
def test_what_a_declaration_cannot_say_is_said(said: str, instead: str) -> None:
    """File, field or line, what is wrong and what is known."""
    assert said in TIDYING
    with pytest.raises(SettingsError, match=WRONG[said, instead]) as error:
        parsed(TIDYING.replace(said, instead, 1), "tidying.yaml")
    assert "tidying.yaml" in str(error.value)


def test_no_two_things_have_one_name() -> None:
    """Of two mugs nobody knows which one a sentence means."""
    text = TIDYING.replace("[apple, lemon, tomato]", "[mug]")
    with pytest.raises(SettingsError, match=r"errands, group 1: takes 1 of mug, of which 0 kinds"):
        parsed(text, "tidying.yaml")
    for seed in range(20):
        kinds = drawn(np.random.default_rng(seed), parsed(TIDYING, "tidying.yaml")).kinds
        assert len(set(kinds.values())) == len(kinds) == 5


def test_another_attempt_changes_places_and_order_only() -> None:
    """Else seeds whose version is easy would be seen more often than others."""
    first, again, second = _drawn(3), _drawn(3), _drawn(3, attempt=2)
    assert first.stage.world.sha == again.stage.world.sha
    assert first.plan == again.plan
    assert first.stage.starts != second.stage.starts
    assert first.stage.resting == second.stage.resting
    assert first.stage.environment == second.stage.environment
    assert first.stage.opened == second.stage.opened
    assert set(first.goal) == set(second.goal)


def test_seeds_differ_in_side_kinds_and_ways() -> None:
    """Else one version would be seen forty times."""
    declared = parsed(TIDYING, "tidying.yaml")
    works = [drawn(np.random.default_rng(seed), declared) for seed in range(20)]
    assert {work.furnishing.is_mirrored for work in works} == {True, False}
    assert len({frozenset(work.kinds) for work in works}) == 6
    assert {work.routes.get("mug") for work in works} >= {
        ("cabinet", "table"),
        ("table", "cabinet"),
    }
    assert {"water", "milk"} == {what for work in works for what in work.substances} - {"dirt"}
    assert {bool(work.opened) for work in works} == {True, False}
    assert {bool(work.switched_on) for work in works} == {True, False}


def test_plans_keep_to_what_must_come_first() -> None:
    """A cup is filled where it stays, and the cabinet is open when something is taken there."""
    for seed in range(3):
        episode = _drawn(seed)
        cup = next(name for name in ("mug", "goblet") if name in episode.stage.things)
        is_open = "cabinet" in episode.stage.opened
        comes = poured = None
        held = ""
        for number, step in enumerate(episode.plan):
            if isinstance(step, Open | Close):
                assert is_open == isinstance(step, Close)
                is_open = not is_open
            elif isinstance(step, Grasp):
                held = step.thing
                assert is_open or not (held == cup and episode.stage.resting[cup] == "cabinet")
            elif isinstance(step, Place) and held == cup:
                comes = number
            elif getattr(step, "into", "") == cup:
                poured = number
        assert comes is not None
        assert poured is not None
        assert comes < poured
        assert not is_open
        assert ("Open", "cabinet", None) in episode.absent
        assert ("Covered", "plate", "dirt") in episode.absent
        assert {"rag", "jug"} <= episode.stays, "the cloth may push the plate along"


SALAD = """says: Toss a salad and wipe a table.
furniture: {left: [counter as countertop], centre: [table], right: [counter as sideboard]}
substances: {water: [0.1, 0.4, 0.9], dirt: [0.2, 0.1, 0.05]}
filled: {jug: [water, 0.9]}
covered: {table: dirt}
things:
  - {of: [salad_bowl, wooden_spoon, goblet, measuring_cup], at: table}
  - {of: [jug, rag], at: countertop}
  - {of: [tomato, lettuce], from: sideboard, to: salad_bowl}
do:
  - {pour: water, from: measuring_cup, into: goblet}
  - {pour: water, from: jug, into: measuring_cup}
  - {stir: salad_bowl, by: wooden_spoon, makes: salad, of: [tomato, lettuce]}
  - {pour: water, from: goblet, into: salad}
  - {wipe: dirt, from: table, by: rag}
"""


def test_what_is_stirred_is_there_before_it_is_poured_on() -> None:
    """Salad is made of two things, water comes through two vessels, dirt lies where it is free."""
    episode = _drawn(0, SALAD)
    done = [getattr(step, "into", type(step).__name__) for step in episode.plan]
    order = [done.index(name) for name in ("measuring_cup", "goblet", "salad")]
    assert order == sorted(order)
    assert done.index("Stir") < done.index("salad")
    assert {("Inside", "salad", "salad_bowl"), ("Covered", "salad", "water")} <= {*episode.goal}
    assert not {"salad", "tomato"} & episode.stays
    places = np.array(episode.stage.coats["table"].patches)
    for name, on in episode.stage.resting.items():
        if on == "table":
            x, y = episode.stage.starts[name][:2]
            assert np.hypot(*(places[:, :2] - [x, y]).T).min() > 0.03


LOADED = """says: Put food away.
furniture: {left: [counter as countertop], centre: [table], right: [fridge]}
opened: [fridge]
things:
  - {of: [tupperware], from: table, to: fridge, used: loaded}
  - {of: [lemon], from: countertop, to: tupperware}
  - {of: [bratwurst], at: tupperware}
  - {of: [plate], from: table, to: countertop, used: first}
  - {of: [apple], through: [table, plate, table]}
"""


def test_what_is_loaded_goes_along_with_what_holds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes there before the last way; what is used first is used before it goes."""
    for seed in range(2):
        episode = _drawn(seed, LOADED)
        held, at = "", dict[tuple[str, str], int]()
        for number, step in enumerate(episode.plan):
            if isinstance(step, Grasp):
                held = step.thing
                assert (held, "") not in at or held == "apple"
                at[held, ""] = number
            elif isinstance(step, Place):
                at[held, step.on] = number
        assert ("bratwurst", "") not in at
        assert at["lemon", "tupperware"] < at["tupperware", ""]
        assert at["apple", "plate"] < at["apple", "table"] < at["plate", ""]
        assert {("Inside", name, "tupperware") for name in ("lemon", "bratwurst")} <= {
            *episode.goal
        }
    monkeypatch.setattr(composed_module, "LAYOUTS", 1)
    with pytest.raises(
        ActivityError, match=r"bratwurst stays on tupperware, .* let that be loaded"
    ):
        _drawn(0, LOADED.replace(", used: loaded", ""))


def test_what_is_taken_from_the_fridge_was_seen_from_where_the_robot_stood() -> None:
    """A side wall hides what is deep in it from the other side of the room."""
    declared = parsed(LOADED, "loaded.yaml")
    work = drawn(np.random.default_rng(0), declared)
    site = work.furnishing.build(Scene())["fridge"]
    layout = Layout(np.random.default_rng(0), {"fridge": site})
    layout.place(Item("can", "can", ("fridge",)))
    pos = np.array(site.fixture.origin)
    ahead = Forecast.at_start(_drawn(0, LOADED).stage)
    ahead.places, ahead.resting["can"], ahead.access["can"] = {"can": pos}, "fridge", "front"
    turn = np.sign(pos[0])
    ahead.stance = BasePose(0.34 * turn, 0.1, 0.0)
    composed_module._is_seen_before(layout, ahead, Grasp("left", "can"))
    ahead.stance = BasePose(-0.34 * turn, 0.24, 0.0)
    with pytest.raises(PlanError, match="can is not seen in fridge from where the robot stood"):
        composed_module._is_seen_before(layout, ahead, Grasp("left", "can"))


def test_what_another_thing_hides_from_where_the_robot_stood_is_not_taken_then() -> None:
    """Nor what is at the edge of the picture: a question would show nothing of it."""
    layout = Layout(np.random.default_rng(0), {})
    layout.items = {name: Item(name, name, ()) for name in ("mug", "cereal_box")}
    ahead = Forecast.at_start(_drawn(0, LOADED).stage)
    ahead.resting, ahead.access = {}, {"mug": "top"}
    ahead.stance = BasePose(0.0, 0.0, 0.0)
    layout.items["mug"].spots = [SimpleNamespace(pos=np.zeros(3), on="x", site="x", stage=0)]
    layout.hollows = lambda _: iter(())
    for box, edge, problem in (
        ((0.5, 0.8, 0.8), (0.0, 1.05, 0.8), None),
        ((0.0, 0.8, 0.8), (0.0, 1.05, 0.8), "mug is hidden by cereal_box"),
        ((0.5, 0.8, 0.8), (1.26, 0.6, 0.8), "mug is hidden by .*, or too far"),
    ):
        ahead.places = {"cereal_box": np.array(box), "mug": np.array(edge)}
        with nullcontext() if problem is None else pytest.raises(PlanError, match=problem):
            composed_module._is_seen_before(layout, ahead, Grasp("left", "mug"))


def test_a_declaration_without_room_says_what_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The author has to know which thing it is."""
    monkeypatch.setattr(composed_module, "LAYOUTS", 3)
    text = TIDYING.replace("[jug, plate, rag], at", "[jug, plate, rag, bowl, platter, basket], at")
    with pytest.raises(ActivityError, match=r"no layout of 3 .*times: no place was found for"):
        _drawn(0, text)


def _carried_out(tmp_path: Path) -> Iterator[tuple[Activity, Recording]]:
    path = tmp_path / "tidying.yaml"
    path.write_text(TIDYING)
    found = declared_activity(path)
    yield found, carry_out(found, 1)


def test_a_declaration_is_carried_out(tmp_path: Path) -> None:
    """From a file to a recording whose goal holds, whose world can be built again."""
    ((found, recording),) = _carried_out(tmp_path)
    ends = {(f.predicate, f.subject, f.object) for f in recording.facts
            if f.frame_to == recording.n_frames}  # fmt: skip
    assert set(recording.goal) <= ends
    assert {"Covered", "Contains", "Open", "ToggledOn"} <= {f.predicate for f in recording.facts}
    rng = np.random.default_rng(seed_from("embedded", "tidying", 1))
    again = found.drawn(rng, recording.attempts)
    assert again.stage.world.sha == recording.world.sha
    check_seen(recording)


def test_an_attempt_that_fails_is_followed_by_another_one() -> None:
    """At most so many as the activity allows; what failed is told."""
    failures: list[str] = []
    asked: list[int] = []

    def build(rng: np.random.Generator, attempt: int = 1) -> Episode:
        asked.append(attempt)
        raise PlanError(f"no way in attempt {attempt}")

    found = Activity("tidying", "Nothing.", build, "tidying.yaml", 3)
    with pytest.raises(ActivityError, match=r"no way in attempt 3\. Mend tidying\.yaml"):
        carry_out(found, 0, failed=lambda error: failures.append(str(error)))
    assert asked == [1, 2, 3]
    assert len(failures) == 3


def test_perform_refuses_what_must_be_absent_or_stay() -> None:
    """A knife on the floor went unnoticed while all facts of the goal held."""
    rng = np.random.default_rng(0)
    episode = _drawn(0)
    nothing = replace(episode, plan=(), goal=(), absent=(("OnTop", "plate", "table"),))
    with pytest.raises(GoalError, match=r"1 of \d+ goal facts do not hold: not OnTop\(plate, tab"):
        perform("tidying", 0, nothing, rng)
