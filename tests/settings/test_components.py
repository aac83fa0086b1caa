"""Components: one text form, read back as written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import EnactError
from enact_assets.settings.components import Component
from enact_assets.settings.further_predicates import FURTHER
from enact_assets.settings.predicates import CATALOGUE, STATE_PREDICATES, TRANSITION, label

names = st.from_regex(r"[a-z]+(_[a-z0-9]+)?( [a-z]+)?", fullmatch=True)


# What recordings call things may hold the characters that the text is made of.
recorded_names = st.text(st.sampled_from("ab ,()%25C.é&"), min_size=1, max_size=8)


@pytest.mark.slow
@given(
    st.sampled_from(["add", "remove"]),
    st.sampled_from(sorted(set(CATALOGUE) - {TRANSITION})),
    names | recorded_names,
    names | recorded_names | st.none(),
)
def test_text_and_component_are_two_forms_of_one_thing(operation, predicate, subject, other):
    """Questions store the text: what is read back must be what was written."""
    component = Component(operation, predicate, subject, other)
    assert Component.parse(str(component)) == component


def test_usual_names_are_written_as_they_are() -> None:
    """Quoting is for the odd name; it must not show in every text."""
    assert (
        str(Component("add", "OnTop", "jar of honey", "t shirt")) == "+OnTop(jar of honey, t shirt)"
    )
    assert str(Component("remove", "Open", "jar (50%)")) == "-Open(jar %2850%25%29)"


@given(st.sets(names | recorded_names | st.just("salt and pepper"), min_size=1, max_size=3))
def test_parents_of_a_transition_are_found_again(parents: set[str]) -> None:
    """Salt and pepper can be one parent or two."""
    component = Component.transition(tuple(parents), "soup")
    read = Component.parse(str(component))
    assert read == component
    if not any(" & " in parent for parent in parents):
        assert read.parents == tuple(sorted(parents))


def test_a_transition_names_all_parents_once_in_order() -> None:
    component = Component.transition(("flour", "egg", "flour"), "dough")
    assert str(component) == "~Transition(egg and flour, dough)"
    assert Component.parse(str(component)) == component


@pytest.mark.parametrize(
    "text",
    ["", "OnTop(a, b)", "~Transition(a)", "+Flying(a)", "+Open(a) ", "+Open()", "+Open(a,b)"],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(EnactError):
        Component.parse(text)


def test_a_label_is_the_category_in_words() -> None:
    assert label("half__apple") == "half apple"


def test_no_further_predicate_has_the_name_of_one_in_the_catalogue() -> None:
    """It would take its place without a word."""
    further = [one.name for one in FURTHER]
    assert list(CATALOGUE)[len(CATALOGUE) - len(further) :] == further
    assert not [name for name in STATE_PREDICATES if CATALOGUE[name].is_recorded_only]
