"""Sentences read back: whatever is worded is understood as it was meant."""

import re

import polars as pl
import pytest

from enact_assets.engine.errors import QuestionError
from enact_assets.questions.asked.natural import PHRASINGS, sentence
from enact_assets.questions.asked.notation import is_robot
from enact_assets.questions.asked.sentence_reading import actions_of, component_of
from enact_assets.settings.components import Component
from enact_assets.settings.predicates import label

from reference.household import build_household

SUBJECTS = ("fridge", "hand towels", "half watermelon", "glass")
OBJECTS = ("table", "water", "scissors", "half lemon")


def components() -> list[tuple[Component, int]]:
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
    cases = components()
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
