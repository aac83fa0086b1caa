"""Salad, steak and lemonade: goals are reached, and what is made comes from what it should."""

import numpy as np
import pytest
from simulator.simulated import (
    SEEDS,
    cases,
    changed_predicates,
    hands_at_once,
    key_frames,
    recorded,
    seeds_of,
)

from enact_assets.simulator.shapes.world import World
from enact_assets.simulator.simulate import build_world
from enact_assets.simulator.simulation.facts import Fact
from enact_assets.simulator.simulation.recording import Recording

DISHES = ("make_a_salad", "make_a_steak", "make_lemonade")


def _facts(recording: Recording, predicate: str, *names: str) -> list[Fact]:
    """Facts of a predicate whose subject and object begin with ``names``, earliest first."""
    found = [
        f
        for f in recording.facts
        if f.predicate == predicate
        and all(
            (n or "").startswith(name)
            for n, name in zip((f.subject, f.object), names, strict=False)
        )
    ]
    return sorted(found, key=lambda f: f.frame_from)


@pytest.mark.parametrize(("activity", "seed"), cases(DISHES))
def test_a_dish_is_made_in_time_and_in_enough_steps(activity: str, seed: int) -> None:
    """The simulator rejects missed goals; this guards against goals and plans that say nothing."""
    recording = recorded(activity, seed)
    assert 60 <= recording.n_frames / recording.frame_rate_hz <= 180
    assert len(recording.goal) >= 6
    found = key_frames(activity, seed)
    assert 14 <= len(found) - 1 <= 30
    assert max(hands_at_once(k) for k in found) == 2, "no change of both hands at once"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("activity", "predicates"),
    [
        ("make_a_salad", {"Open", "Inside", "OnTop", "Covered", "Transition"}),
        ("make_a_steak", {"Open", "Inside", "OnTop", "Covered", "Cooked", "ToggledOn"}),
        ("make_lemonade", {"Contains", "Inside", "OnTop", "ToggledOn", "Transition"}),
    ],
)
def test_the_predicates_of_a_dish_change(activity: str, predicates: set[str]) -> None:
    """A predicate that holds all the time is in the facts and yet in no question."""
    changed = set().union(*(changed_predicates(activity, seed) for seed in SEEDS[activity]))
    assert changed >= predicates | {"LeftGrasping", "RightGrasping"}


def test_a_salad_is_what_was_cut_and_stirred() -> None:
    """A salad that is there before its parents are gone would be made of nothing."""
    recording = recorded("make_a_salad", 0)
    born = next(f for f in _facts(recording, "Exists", "salad") if f.subject == "salad").frame_from
    assert born > 0
    parents = next(o for o in recording.world.objects if o.name == "salad").parents
    assert "lettuce" in parents
    assert sum(name.startswith("diced_") for name in parents) == 2
    for name in parents:
        assert [f.frame_to for f in _facts(recording, "Exists", name)] == [born]
        inside = _facts(recording, "Inside", name, "salad_bowl")
        assert inside
        assert inside[-1].frame_to == born
    (dressed,) = _facts(recording, "Covered", "salad", "salad_dressing")
    assert born < dressed.frame_from
    assert dressed.frame_to == recording.n_frames


@pytest.mark.slow
def test_a_steak_browns_on_the_lit_stove_only() -> None:
    """Heat that comes from anywhere, or a cue that does not follow it, would show a lie."""
    recording = recorded("make_a_steak", 0)
    (lit,) = _facts(recording, "ToggledOn", "stove")
    (cooked,) = _facts(recording, "Cooked", "steak")
    (in_pan,) = _facts(recording, "Inside", "steak", "frying_pan")
    assert max(lit.frame_from, in_pan.frame_from) < cooked.frame_from < lit.frame_to
    cue = next(k for k, c in enumerate(recording.world.cues) if c.object_name == "steak")
    browned = np.flatnonzero(recording.appearance[:, cue] > 0.5)
    assert browned[0] == cooked.frame_from
    assert browned[-1] == recording.n_frames - 1


@pytest.mark.slow
def test_a_lid_rests_on_the_rim() -> None:
    """Put on the bottom of the pan as other things are, it would be pressed through the wall."""
    recording = recorded("make_a_steak", 0)
    on = max(_facts(recording, "OnTop", "lid", "saucepan"), key=lambda f: f.frame_to - f.frame_from)
    model = recording.world.model
    heights = {}
    for name in ("lid", "saucepan"):
        address = int(model.joint(name).qposadr[0])
        heights[name] = recording.qpos[(on.frame_from + on.frame_to) // 2, address + 2]
    assert heights["lid"] - heights["saucepan"] == pytest.approx(0.1, abs=0.006)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds_of("make_lemonade"))
def test_lemonade_is_poured_into_both_cups(seed: int) -> None:
    """Lemonade from a pitcher that still holds water, or a cup filled before it was stirred."""
    recording = recorded("make_lemonade", seed)
    (mixed,) = _facts(recording, "Contains", "pitcher", "lemonade")
    for part in ("water", "sugar"):
        (held,) = _facts(recording, "Contains", "pitcher", part)
        assert held.frame_to == mixed.frame_from
    cups = {f.subject: f for f in _facts(recording, "Contains") if f.object == "lemonade"}
    assert len(cups) == 3
    assert all(f.frame_from > mixed.frame_from for name, f in cups.items() if name != "pitcher")
    assert all(f.frame_to == recording.n_frames for f in cups.values())


def _tool_x(world: World) -> float:
    """How far right the tool is that lies on one side of the table in every seed."""
    names = {o.name for o in world.objects}
    return float(world.model.body("knife" if "knife" in names else "gravy_boat").pos[0])


@pytest.mark.slow
def test_seeds_differ_in_sides_things_and_looks() -> None:
    """Seeds that only jitter would make many demonstrations of one."""
    for activity in DISHES:
        worlds = [build_world(activity, seed) for seed in range(6)]
        kinds = {frozenset(o.category for o in world.objects) for world in worlds}
        floors = {world.surfaces["floor.slab"] for world in worlds}
        assert len(kinds) >= 3
        assert len(floors) >= 2
        assert len({world.sha for world in worlds}) == len(worlds)
        assert {_tool_x(world) > 0 for world in worlds} == {True, False}
