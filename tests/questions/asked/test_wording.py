"""Components as sentences: readable, and never mistaken for one another."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import QuestionError
from enact_assets.engine.ids import seed_from
from enact_assets.questions.asked.natural import PHRASINGS, is_plural, sentence
from enact_assets.questions.asked.wording import word_actions
from enact_assets.settings.components import Component
from enact_assets.settings.predicates import CATALOGUE, EXISTS, TRANSITION

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
