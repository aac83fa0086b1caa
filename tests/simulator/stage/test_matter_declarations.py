"""Bad declarations are named, all in one message, before anything is simulated."""

from collections.abc import Callable

import pytest
from simulator.matter_bench import BROWN, DUST, JAM, RED, WATER, builder, vessels

from enact_assets.engine.errors import SimulationError, StageError
from enact_assets.simulator.activities.base import HEAD_PITCH_RAD
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Color
from enact_assets.simulator.stage.stage_builder import StageBuilder
from enact_assets.simulator.stage.transitions import Baked, Cut, Stirred, Switched
from enact_assets.simulator.things import kinds
from enact_assets.simulator.things.thing_parts import Parts, Vessel

Declare = Callable[[StageBuilder], None]


def _broken_start(stage: StageBuilder) -> None:
    stage.fill("jug", "water", 0.3)


BROKEN: dict[str, tuple[Declare, str]] = {
    "a holder nobody put": (
        lambda s: s.substance("oil", WATER, holders=("can",)),
        r"substance 'oil': 'can' is not a vessel \(known: bowl, glass, jug\)",
    ),
    "a coat that is none": (
        lambda s: s.substance("dust", DUST, coats=("bowl",)),
        r"substance 'dust': 'bowl' has no coat \(known: none\)",
    ),
    "a substance that is nowhere": (
        lambda s: s.substance("air", WATER),
        "substance 'air' has neither holders nor coats",
    ),
    "the name of a thing": (
        lambda s: s.substance("jug", WATER, holders=("bowl",)),
        "substance 'jug' has the name of a thing or fixture",
    ),
    "more than a vessel holds": (_broken_start, "'jug' is filled to 1.2 of its volume"),
    "less than nothing": (
        lambda s: s.fill("bowl", "water", -0.1),
        "'bowl' is filled to a share of -0.1",
    ),
    "an unknown filling": (
        lambda s: s.fill("bowl", "soup", 0.1),
        "'bowl' is filled with 'soup', which is not a substance",
    ),
    "a cover that cannot lie there": (
        lambda s: s.cover("jug", "water"),
        "'jug' is covered by 'water', which may only lie on",
    ),
    "cooked parts that do not exist": (
        lambda s: s.cookable("bowl", {"crust": BROWN}),
        r"cooked 'bowl' changes 'bowl\.crust', which is not a part of it \(known: bowl\.",
    ),
    "something cookable that is not there": (
        lambda s: s.cookable("steak", {"flesh": BROWN}),
        "'steak' is cookable, but no thing",
    ),
    "a tap without a spout": (
        lambda s: s.tap("table", "water"),
        "'table' is a tap, but no fixture with a spout",
    ),
    "a product that is there from the start": (
        lambda s: s.recipe(("bowl",), ("jug",), when=Cut("jug")),
        "'bowl' is there from the start; put it later",
    ),
    "a product of nothing": (
        lambda s: s.put_later("half", "half_tomato", RED),
        "'half' was put later, but no recipe makes it",
    ),
    "parents that are not the recipe's": (
        lambda s: (
            s.put_later("half", "half_tomato", RED, ("glass",)),
            s.recipe(("half",), ("bowl",), when=Cut("bowl")),
        )[1],
        r"'half' was put later with the parents \('glass',\)",
    ),
    "a cut of something else": (
        lambda s: s.recipe(("water",), ("bowl", "jug"), when=Cut("jug")),
        "cuts 'jug', which must be its only parent",
    ),
    "a substance that is cut": (
        lambda s: s.recipe(("water",), ("jug",), when=Cut("jug")),
        "substances take part in what is stirred or blended only",
    ),
    "stirring in a table": (
        lambda s: s.recipe(("water",), ("jug",), when=Stirred("table")),
        "happens in 'table', which has neither cavity nor hollow",
    ),
    "a machine without a button": (
        lambda s: s.recipe(("water",), ("jug",), when=Switched("table")),
        "needs 'table' to be switched on, but it has no button",
    ),
    "a product that may not be where it is made": (
        lambda s: (
            s.substance("tea", JAM, holders=("jug",)),
            s.recipe(("tea",), ("water",), when=Stirred("bowl")),
        )[1],
        "'tea' may not be in 'bowl'; add it to its holders",
    ),
    "baking what does not cook": (
        lambda s: (
            s.put_later("half", "half_tomato", RED),
            s.recipe(("half",), ("bowl",), when=Baked()),
        )[1],
        "is baked, but 'bowl' is not cookable",
    ),
    "a product filled in before": (
        lambda s: s.recipe(("water",), ("bowl",), when=Stirred("jug")),
        "'water' fills 'jug' before its recipe makes it",
    ),
}


@pytest.mark.parametrize("what", sorted(BROKEN))
def test_a_bad_declaration_is_named(what: str) -> None:
    """Found while simulating, it would be an index error, or a change that never comes."""
    declare, message = BROKEN[what]
    stage = builder()
    vessels(stage)
    declare(stage)
    with pytest.raises(StageError, match=message) as found:
        stage.finish(HEAD_PITCH_RAD)
    assert isinstance(found.value, SimulationError)


def test_all_that_is_wrong_stands_in_one_message() -> None:
    """Mending one mistake to be told of the next wastes a run for each."""
    stage = builder()
    vessels(stage)
    for what in ("a holder nobody put", "a tap without a spout", "an unknown filling"):
        BROKEN[what][0](stage)
    with pytest.raises(StageError, match=r"^3 thing\(s\) wrong .*can.*soup.*spout.*Mend"):
        stage.finish(HEAD_PITCH_RAD)


def test_a_profile_that_does_not_rise_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Volumes come from interpolation, which takes any order and says nothing."""

    def folded(scene: Scene, name: str, color: Color) -> Parts:
        look = scene.visible(f"{name}.cup", "cylinder", (0.05, 0.05), WATER, (0, 0, 0.05))
        solid = scene.solid("cylinder", (0.05, 0.05), (0, 0, 0.05), 0.2)
        hollow = Vessel(((0.1, 0.05), (0.05, 0.05)))
        return Parts(look + solid, 0.05, 0.05, 0.05, 0.05, 0.1, vessel=hollow)

    monkeypatch.setitem(kinds.builders(), "folded", folded)
    stage = builder()
    stage.put("cup", "folded", RED, "table")
    with pytest.raises(StageError, match=r"profile of vessel 'cup' does not rise.*\[0\.1, 0\.05\]"):
        stage.finish(HEAD_PITCH_RAD)


def test_a_substance_declared_twice_is_refused_at_once() -> None:
    """The second would silently replace the places of the first."""
    stage = builder()
    vessels(stage)
    with pytest.raises(StageError, match="substance 'water' is declared twice"):
        stage.substance("water", WATER, holders=("bowl",))


def test_too_many_places_are_named() -> None:
    """Asking for twenty of fifteen places would otherwise give fifteen."""
    stage = builder()
    stage.put("board", "board", RED, "table")
    stage.substance("dust", DUST, kind="film", coats=("board",))
    stage.cover("board", "dust", 99)
    with pytest.raises(StageError, match=r"'board' has \d+ places for 'dust', not 99"):
        stage.finish(HEAD_PITCH_RAD)
