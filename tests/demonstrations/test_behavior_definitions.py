"""Definitions in BDDL: goals against their meaning, tried on every state, and what is missing."""

import os
from itertools import chain, combinations, permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enact_assets.demonstrations.behavior import definitions
from enact_assets.demonstrations.behavior.definitions import (
    DEFINED,
    Atom,
    Definition,
    parse_definition,
    ways_to_goal,
)
from enact_assets.demonstrations.behavior.translated import translated
from enact_assets.demonstrations.replay.embedded import activity_of
from enact_assets.engine.errors import ActivityError, SettingsError, SimulationError
from enact_assets.simulator.simulate import carry_out, random_draws

OBJECTS = {"a_1": "a", "a_2": "a", "b_1": "b", "b_2": "b"}
ATOMS: list[Atom] = [
    *(("hot", name) for name in OBJECTS),
    *(("in", a, b) for a in ("a_1", "a_2") for b in ("b_1", "b_2")),
]
BY_NAME = """(define (problem tidying-0) (:domain omnigibson)
    (:objects mug.n.04_1 - mug.n.04 table.n.02_1 - table.n.02 cabinet.n.01_1 - cabinet.n.01
      agent.n.01_1 - agent.n.01 floor.n.01_1 - floor.n.01)
    (:init (ontop mug.n.04_1 table.n.02_1) (inroom table.n.02_1 kitchen)
      (inroom cabinet.n.01_1 kitchen) (ontop agent.n.01_1 floor.n.01_1))
    (:goal (and (forall (?mug.n.04 - mug.n.04) (inside ?mug.n.04 ?cabinet.n.01_1)) ; all
      (not (open ?cabinet.n.01_1)))))"""


def holds(tree: Any, state: frozenset[Atom], bound: dict[str, str]) -> bool:
    """The meaning of a goal, by its words."""
    word, *rest = tree
    if word == "not":
        return not holds(rest[0], state, bound)
    if word in ("and", "or"):
        return (all if word == "and" else any)(holds(part, state, bound) for part in rest)
    if word == "imply":
        return not holds(rest[0], state, bound) or holds(rest[1], state, bound)
    if word in ("forall", "exists", "forn"):
        n = int(rest.pop(0)[0]) if word == "forn" else None
        (variable, _, kind), body = rest
        found = [
            holds(body, state, {**bound, variable: name})
            for name, own in OBJECTS.items()
            if own == kind
        ]
        return sum(found) == n if word == "forn" else all(found) if word == "forall" else any(found)
    if word in ("forpairs", "fornpairs"):
        n = int(rest.pop(0)[0]) if word == "fornpairs" else 2
        (one, _, first), (two, _, second), body = rest
        return any(
            all(
                holds(body, state, {**bound, one: a, two: b}) and a != b
                for a, b in zip(left, right, strict=True)
            )
            for left in combinations([o for o in OBJECTS if OBJECTS[o] == first], n)
            for right in permutations([o for o in OBJECTS if OBJECTS[o] == second], n)
        )
    return (word, *(bound.get(name, name) for name in rest)) in state


def trees(variables: tuple[tuple[str, str], ...] = ()) -> st.SearchStrategy[Any]:
    of_a = [name for name, kind in variables if kind == "a"] + ["a_1", "a_2"]
    of_b = [name for name, kind in variables if kind == "b"] + ["b_1", "b_2"]
    leaf = st.one_of(
        st.builds(lambda x: ["hot", x], st.sampled_from(of_a + of_b)),
        st.builds(lambda x, y: ["in", x, y], st.sampled_from(of_a), st.sampled_from(of_b)),
    )
    if len(variables) == 2:
        return leaf
    named = f"?x{len(variables)}"

    def under(kind: str) -> st.SearchStrategy[Any]:
        inner = trees((*variables, (named, kind)))
        quantified = [named, "-", kind]
        return st.one_of(
            st.builds(lambda t: ["forall", quantified, t], inner),
            st.builds(lambda t: ["exists", quantified, t], inner),
            st.builds(lambda t: ["forn", ["1"], quantified, t], inner),
        )

    pairs = [["?p", "-", "a"], ["?q", "-", "b"]]
    return st.one_of(
        leaf,
        st.builds(lambda t: ["not", t], leaf),
        st.builds(lambda w, s, t: [w, s, t], st.sampled_from(["and", "or", "imply"]), leaf, leaf),
        under("a"),
        under("b"),
        st.just(["forpairs", *pairs, ["in", "?p", "?q"]]),
        st.just(["fornpairs", ["1"], *pairs, ["in", "?p", "?q"]]),
    )


EVERY = [frozenset(s) for s in chain.from_iterable(combinations(ATOMS, n) for n in range(9))]


@settings(max_examples=25, deadline=None)
@given(tree=trees(), facts=st.frozensets(st.sampled_from(ATOMS), max_size=4))
def test_the_ways_to_a_goal_are_those_that_change_least(tree: Any, facts: frozenset[Atom]) -> None:
    """Against every state: the nearest one in which the goal holds is as far as the ways say."""
    definition = Definition("tried", OBJECTS, facts, tree)
    found = ways_to_goal(definition)
    reached = [state for state in EVERY if holds(tree, state, {})]
    assert bool(found) == bool(reached)
    if reached:
        least = min(len(state ^ facts) for state in reached)
        assert {definition.changes(way) for way in found} == {least}
    for way in found:
        changed = (facts | {a for yes, a in way if yes}) - {a for yes, a in way if not yes}
        assert holds(tree, changed, {})


def test_a_definition_becomes_a_declaration() -> None:
    """Furniture by synset, a thing's way, what must be shut, and what stands for what."""
    declared = translated(random_draws("tidying", 0), parse_definition("tidying", BY_NAME))
    (group,) = declared.things
    assert group.of == ("mug",)
    assert group.from_ != group.to
    assert declared.goal == (f"not Open({group.to})",)
    assert declared.stands_for["mug"] == "mug.n.04"
    assert {group.from_, group.to} <= declared.stands_for.keys()


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("mug.n.04", "unicorn.n.01", "no kind of thing is a unicorn"),
        ("cabinet.n.01", "throne.n.01", "no kind of thing is a throne"),
        ("(ontop mug.n.04_1", "(attached mug.n.04_1", "nothing is attached at the start"),
    ],
)
def test_what_is_missing_is_said(was: str, now: str, said: str) -> None:
    """Else a user could not know what to add."""
    definition = parse_definition("tidying", BY_NAME.replace(was, now))
    with pytest.raises(ActivityError, match=said):
        translated(random_draws("tidying", 0), definition)


def test_brackets_that_do_not_match_are_named() -> None:
    """A file that was cut off."""
    with pytest.raises(SettingsError, match=r"tidying: brackets do not match"):
        parse_definition("tidying", BY_NAME[:-3])


def test_without_the_package_it_is_said_how_to_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other extra may bring it."""
    monkeypatch.setattr(definitions, "_files", dict)
    with pytest.raises(SettingsError, match=r"pip install --no-deps bddl=="):
        activity_of(f"{DEFINED}bringing_water")


CARRIED_OUT = (
    "bringing_water",
    "clean_a_computer_monitor",
    "clean_a_grill_pan",
    "clean_a_pumpkin",
    "clean_a_teddy_bear",
    "clean_baby_toys",
    "clean_potatoes",
    "clean_quartz",
    "collecting_wood",
    "drying_table",
    "fertilize_plants",
    "pouring_water_in_a_glass",
    "putting_away_games",
    "putting_dishes_away_after_cleaning",
    "putting_meal_in_fridge_at_work",
    "re_shelving_library_books",
    "setting_up_room_for_games",
    "store_firewood",
    "store_firewood_outdoors",
    "storing_food",
    "throwing_out_used_napkins",
    "wash_towels",
)
"""At least twenty, tried with seed 0."""


def _is_carried_out(name: str, seed: int) -> bool:
    """Not every seed is: a definition names more than some rooms have places for."""
    try:
        return bool(carry_out(activity_of(f"{DEFINED}{name}"), seed).goal)
    except SimulationError:
        return False


@pytest.mark.slow
def test_definitions_are_carried_out_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the definitions of the package, whose source `make install-programs` unpacks."""
    source = os.environ.get("BDDL_SOURCE")
    if source is None:
        pytest.skip("BDDL_SOURCE names no unpacked source distribution of bddl")
    monkeypatch.syspath_prepend(source)
    definitions._files.cache_clear()
    assert len(definitions.defined_names()) == 1016
    assert len(CARRIED_OUT) >= 20
    for name in CARRIED_OUT:
        assert any(_is_carried_out(name, seed) for seed in range(3)), name
    monkeypatch.undo()
    definitions._files.cache_clear()
