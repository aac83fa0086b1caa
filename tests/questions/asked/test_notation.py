"""Symbols and emoji: every predicate has its sign, and no two changes look alike."""

import unicodedata
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import QuestionError
from enact_assets.questions.asked.natural import PHRASINGS
from enact_assets.questions.asked.notation import (
    NOTATIONS,
    OPERATIONS,
    PREDICATES,
    key_to,
    write_component,
)
from enact_assets.questions.asked.wording import WORDINGS, explain_wording, word_actions
from enact_assets.settings.components import Component, Operation
from enact_assets.settings.predicates import CATALOGUE, EXISTS, RELATED, TRANSITION

NAMES = st.text("ab ,()%;+-~", min_size=1, max_size=8).filter(
    lambda name: name == " ".join(name.split())
)


@st.composite
def components(draw: st.DrawFn) -> Component:
    name = draw(st.sampled_from(sorted(PREDICATES)))
    operation: Operation = "transition"
    if name != TRANSITION:
        operation = draw(st.sampled_from(["add", "remove"]))
    other = draw(NAMES) if CATALOGUE[name].arity == 2 else None
    return Component(operation, name, draw(NAMES), other)


def test_every_predicate_that_a_picture_can_show_has_a_sign_of_its_own() -> None:
    """A predicate without one would stop the variant much later; a shared one hides a change."""
    assert set(PREDICATES) == set(CATALOGUE) - {EXISTS, RELATED}
    assert {name for _, name in PHRASINGS} <= set(PREDICATES)
    signs = [sign.emoji for sign in (*OPERATIONS.values(), *PREDICATES.values())]
    assert len(set(signs)) == len(signs)
    # One wide code point: it needs no selector, and is cut in no place.
    assert all(len(s) == 1 and unicodedata.east_asian_width(s) == "W" for s in signs)


@pytest.mark.parametrize("wording", NOTATIONS)
@given(first=components(), second=components())
def test_two_changes_never_share_a_text(wording: str, first: Component, second: Component) -> None:
    """One text for two changes makes a question whose right answer is counted as wrong."""
    same = write_component(first, wording) == write_component(second, wording)
    assert same == (first == second)


@pytest.mark.parametrize("wording", NOTATIONS)
def test_no_two_changes_of_the_catalogue_share_a_text(wording: str) -> None:
    """All predicates, polarities and a few objects against each other."""
    names = ("mug", "top", "half apple", "salt and pepper", "robot arm")
    every = [
        Component(operation, name, *objects)
        for name, entry in CATALOGUE.items()
        if name in PREDICATES
        for operation in (("transition",) if name == TRANSITION else ("add", "remove"))
        for objects in (product(names) if entry.arity == 1 else product(names, names))
    ]
    texts = {write_component(component, wording) for component in every}
    assert len(texts) == len(every) > 800


@pytest.mark.parametrize("wording", NOTATIONS)
@given(
    first=st.frozensets(components(), max_size=4), second=st.frozensets(components(), max_size=4)
)
def test_two_actions_never_share_a_text(
    wording: str, first: frozenset[Component], second: frozenset[Component]
) -> None:
    """Changes of one action must not read as those of another where they are joined."""
    texts = word_actions([list(map(str, first)), list(map(str, second))], wording=wording)
    assert (texts[0] == texts[1]) == (first == second)


@pytest.mark.parametrize(
    ("text", "symbolic", "emoji"),
    [
        ("+OnTop(lid, stove)", "+OnTop(lid, stove)", "✅🔼(lid, stove)"),
        ("-Open(fridge)", "-Open(fridge)", "❌🚪(fridge)"),
        ("+RightGrasping(agent, mug)", "+RightGrasping(robot, mug)", "✅👉(robot, mug)"),
        ("~Transition(egg and flour, dough)",) * 2 + ("🔄🦋(egg and flour, dough)",),
        ("-Contains(bowl, cooking_oil)", "-Contains(bowl, cooking oil)", "❌🥣(bowl, cooking oil)"),
    ],
)
def test_signs_read_as_written_here(text: str, symbolic: str, emoji: str) -> None:
    """Objects by the label that sentences use, the robot by one name."""
    found = [word_actions([[text]], wording=wording)[0] for wording in NOTATIONS]
    assert found == [symbolic, emoji]


def test_all_wordings_tell_the_changes_of_an_action_in_one_order() -> None:
    """An order that differs between wordings would be probed along with them."""
    action = ["~Transition(egg, omelette)", "-OnTop(mug, table)", "-Open(fridge)", "+Open(drawer)"]
    (symbolic,) = word_actions([action], wording="symbolic")
    assert (
        symbolic == "+Open(drawer); -OnTop(mug, table); -Open(fridge); ~Transition(egg, omelette)"
    )
    (words,) = word_actions([action])
    places = [words.index(name) for name in ("drawer", "mug", "fridge", "omelette")]
    assert places == sorted(places)
    assert word_actions([action[::-1]], wording="symbolic") == [symbolic]


def test_the_key_explains_every_sign_that_occurs_and_no_other() -> None:
    """A sign nobody explains cannot be answered; one that is explained and absent gives hints."""
    actions = [["+OnTop(mug, table)", "-Open(fridge)"], ["~Transition(egg, omelette)"]]
    told = explain_wording(actions, "emoji")
    shown = "".join(word_actions(actions, wording="emoji"))
    for sign in (*OPERATIONS.values(), *PREDICATES.values()):
        assert (sign.emoji in told) == (sign.emoji in shown)
        assert (sign.key in told) == (sign.emoji in shown)
    assert told.startswith(" ")
    assert told.endswith(".")
    assert "~Transition(a, b)" in key_to([], "symbolic")
    assert [explain_wording(actions, wording) == "" for wording in WORDINGS] == [True, False, False]


@pytest.mark.parametrize("wording", NOTATIONS)
def test_what_no_picture_shows_is_not_written(wording: str) -> None:
    """As in sentences: nobody can see that an object exists somewhere."""
    for name in (EXISTS, RELATED):
        with pytest.raises(QuestionError, match="no wording"):
            write_component(Component("add", name, "mug"), wording)
