"""Components: one text form, read back as written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.contracts.components import Component
from enact_assets.contracts.errors import EnactError
from enact_assets.contracts.predicates import CATALOGUE, label

names = st.from_regex(r"[a-z]+(_[a-z0-9]+)?( [a-z]+)?", fullmatch=True)


@given(st.sampled_from(["add", "remove"]), st.sampled_from(sorted(CATALOGUE)), names, names)
def test_text_and_component_are_two_forms_of_one_thing(operation, predicate, subject, other):
    """Questions store the text: what is read back must be what was written."""
    unary = CATALOGUE[predicate].arity == 1
    component = Component(operation, predicate, subject, None if unary else other)
    assert Component.parse(str(component)) == component


def test_a_transition_names_all_parents_once_in_order() -> None:
    component = Component.transition(("flour", "egg", "flour"), "dough")
    assert str(component) == "~Transition(egg and flour, dough)"
    assert Component.parse(str(component)) == component


@pytest.mark.parametrize(
    "text", ["", "OnTop(a, b)", "+OnTop(a)", "+Open(a, b)", "+Flying(a)", "+Open(a) ", "+Open()"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(EnactError):
        Component.parse(text)


def test_a_label_is_the_category_in_words() -> None:
    assert label("half__apple") == "half apple"
