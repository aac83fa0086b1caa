"""Components as sentences, symbols and emoji: readable, and never mistaken for one another.

Whatever is worded is understood as it was meant when it is read back."""

import re
import unicodedata
from itertools import product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import QuestionError
from enact_assets.engine.ids import seed_from
from enact_assets.questions.asked.natural import PHRASINGS, is_plural, sentence
from enact_assets.questions.asked.notation import (
    NOTATIONS,
    OPERATIONS,
    PREDICATES,
    is_robot,
    key_to,
    write_component,
)
from enact_assets.questions.asked.sentence_reading import actions_of, component_of
from enact_assets.questions.asked.wording import WORDINGS, explain_wording, word_actions
from enact_assets.settings.components import Component, Operation
from enact_assets.settings.predicates import CATALOGUE, EXISTS, RELATED, TRANSITION, label

from reference.household import build_household

LABELS = ("mug", "hand towels", "top", "right hand", "water", "fridge")
N_PHRASINGS = max(map(len, PHRASINGS.values()))


def all_components() -> list[Component]:
    components = []
    for name, entry in CATALOGUE.items():
        if name == EXISTS or entry.is_recorded_only:
            continue
        operations = ("transition",) if name == TRANSITION else ("add", "remove")
        if entry.arity == 1:
            components += [Component(o, name, s) for o, s in product(operations, LABELS)]
        else:
            subjects = ("agent",) if entry.semantic_class == "agent_interaction" else LABELS
            components += [
                Component(o, name, s, x)
                for o, s, x in product(operations, subjects, LABELS)
                if s != x
            ]
    return components


def test_every_change_that_can_be_asked_has_several_phrasings() -> None:
    """A predicate added to the catalogue without a wording would stop the pipeline much later."""
    wanted = {
        (operation, name)
        for name, entry in CATALOGUE.items()
        if name != EXISTS and not entry.is_recorded_only
        for operation in (("transition",) if name == TRANSITION else ("add", "remove"))
    }
    assert set(PHRASINGS) == wanted
    assert all(len(set(p)) >= 2 for p in PHRASINGS.values())


def test_no_two_components_share_a_sentence_under_any_phrasing() -> None:
    """One sentence for two changes makes a question whose right answer is counted as wrong."""
    meaning: dict[str, Component] = {}
    for component in all_components():
        for phrasing in range(N_PHRASINGS):
            text = sentence(component, phrasing)
            assert meaning.setdefault(text, component) == component, text


@given(st.integers(0, 2**63 - 1))
def test_every_sentence_is_well_formed(phrasing: int) -> None:
    """Capital, full stop, articles, no unfilled field, whatever the seed."""
    for component in all_components():
        text = sentence(component, phrasing)
        assert text[0].isupper()
        assert text.endswith(".")
        assert not set("{}_") & set(text)
        assert "  " not in text
        assert "agent" not in text
        assert (component.object or component.subject) in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+RightGrasping(agent, mug)", "The robot's right hand now holds the mug."),
        ("-LeftGrasping(robot, mug)", "The robot's left hand no longer holds the mug."),
        ("-OnTop(mug, counter)", "The mug is no longer on top of the counter."),
        ("+Inside(hand towels, washer)", "The hand towels are now inside the washer."),
        ("+Contains(bowl, water)", "The bowl now contains water."),
        ("-Covered(desk, dust)", "The desk is no longer covered with dust."),
        ("+Open(fridge)", "The fridge is now open."),
        ("-ToggledOn(burner)", "The burner is no longer switched on."),
        (
            "~Transition(watermelon, half watermelon)",
            "The watermelon turned into two halves.",
        ),
        (
            "~Transition(mushrooms, half mushrooms)",
            "The mushrooms turned into the half mushrooms.",
        ),
        ("~Transition(onion, half apple)", "The onion turned into a half apple."),
        ("-OnTop(half lemon, board)", "A half lemon is no longer on top of the board."),
        ("+Inside(half mushrooms, pan)", "The half mushrooms are now inside the pan."),
        ("~Transition(egg and flour, dough)", "The egg and the flour turned into the dough."),
        (
            "+Touching(drinking glass, table)",
            "The drinking glass is now in contact with the table.",
        ),
    ],
)
def test_first_phrasings_read_as_written_here(text: str, expected: str) -> None:
    """Literal sentences: grammar is not checked by any property."""
    assert sentence(Component.parse(text)) == expected


def test_an_action_tells_each_change_once_in_a_fixed_order() -> None:
    """The order of a set would leak nothing but change from run to run."""
    texts = ["-OnTop(mug, counter)", "+RightGrasping(agent, mug)", "-OnTop(mug, counter)"]
    (words,) = word_actions([texts], "seed")
    assert [words] == word_actions([texts[::-1]], "seed")
    assert words.count(".") == 2
    assert words.index("right hand") < words.index("counter")


def test_phrasings_vary_with_the_content_and_all_of_them_occur() -> None:
    """A constant phrasing would be one template in disguise."""
    component = Component.parse("+OnTop(mug, table)")
    every = {sentence(component, k) for k in range(len(PHRASINGS["add", "OnTop"]))}
    assert {word_actions([[str(component)]], "trajectory", k)[0] for k in range(50)} == every
    assert set(word_actions([[str(component)]] * 50, "trajectory")) == every


def test_phrasings_are_chosen_by_a_hash_of_the_content_the_number_and_the_component() -> None:
    """Another way to choose them words every question anew."""
    steps = [["+OnTop(mug, table)", "-Open(fridge)"], ["+OnTop(mug, table)"]]
    for words, number, step in zip(word_actions(steps, "id", 7), (1, 2), steps, strict=True):
        seeds = [seed_from("phrasing", "id", 7, number, text) for text in step]
        found = [sentence(Component.parse(t), s) for t, s in zip(step, seeds, strict=True)]
        assert words == " ".join(found)


def test_existence_is_never_worded() -> None:
    """Nobody can see that an object exists somewhere."""
    with pytest.raises(QuestionError, match="no wording"):
        sentence(Component("add", EXISTS, "mug"))


def test_plurals_are_told_from_words_that_end_in_s() -> None:
    """ "The glass are" in a prompt looks careless to a reader and odd to a model."""
    assert all(map(is_plural, ("hand towels", "scissors", "brussels sprouts", "chips")))
    assert not any(map(is_plural, ("drinking glass", "bus", "chassis", "gas", "hand towel")))


def test_and_within_a_name_stays_and() -> None:
    """Component texts write it otherwise, to tell one parent from two."""
    turned = Component.transition(("salt and pepper",), "seasoning")
    assert "salt and pepper" in sentence(turned).lower()


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


SUBJECTS = ("fridge", "hand towels", "half watermelon", "glass")
OBJECTS = ("table", "water", "scissors", "half lemon")


def phrased_components() -> list[tuple[Component, int]]:
    """Every phrasing of every change, of one thing and of several."""
    found = []
    for (operation, predicate), phrasings in PHRASINGS.items():
        has_object = any("{O}" in p or "{o}" in p for p in phrasings)
        is_grasp = predicate.endswith("Grasping")
        for subject in ("robot",) if is_grasp else SUBJECTS:
            for other in OBJECTS if has_object else (None,):
                component = Component(operation, predicate, subject, other)
                found += [(component, k) for k in range(len(phrasings))]
    several = [
        Component.transition(("bread", "cheese"), "toast"),
        Component.transition(("bread", "half lemon"), "toast"),
        Component.transition(("lemon",), "half lemon"),
        Component.transition(("lemon",), "half apple"),
    ]
    return [*found, *((parents, k) for parents in several for k in range(3))]


def test_every_phrasing_is_read_as_it_was_meant() -> None:
    """A phrasing that is read as another change trains and answers with the wrong facts."""
    cases = phrased_components()
    assert len(cases) > 300
    for component, phrasing in cases:
        assert component_of(sentence(component, phrasing).rstrip(".")) == component


def named(component: Component) -> Component:
    """As sentences name its objects."""
    subject = "robot" if is_robot(component.subject) else label(component.subject)
    other = None if component.object is None else label(component.object)
    return Component(component.operation, component.predicate, subject, other)


def test_prompts_give_the_changes_of_their_actions_and_nothing_else() -> None:
    """The instructions of a prompt name actions as well."""
    home = build_household(4)
    for prompt, told in home.qa.select("prompt", "action_components").iter_rows():
        meant = [{named(Component.parse(text)) for text in texts} for texts in told]
        assert [set(action) for action in actions_of(prompt)] == meant


@pytest.mark.parametrize(
    ("prompt", "error"),
    [
        ("[Action 1] OnTop(mug, table) -> true", "'OnTop(mug, table) -> true' is not a sentence"),
        ("[Action 1] The mug flies.", "'The mug flies' is not a sentence"),
        ("[Action 2] The fridge is now open.", "the prompt lists actions [2]; expected lines"),
        ("Which comes first?", "the prompt lists actions of no number"),
    ],
)
def test_what_is_not_understood_is_an_error(prompt: str, error: str) -> None:
    """A sentence that is skipped makes a guess of the answer."""
    with pytest.raises(QuestionError, match=re.escape(error)):
        _ = actions_of(prompt)


def test_questions_in_another_wording_are_refused() -> None:
    home = build_household(4)
    notation = home.qa.with_columns(
        pl.col("prompt").str.replace_all(r"(?m)^(\[Action \d+\]) .*$", "${1} on_top(mug, table)=1")
    )
    with pytest.raises(QuestionError, match="wording 'natural'"):
        _ = actions_of(notation.item(0, "prompt"))
