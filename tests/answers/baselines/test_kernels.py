"""Orders of least cost against trying every order."""

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.answers.baselines.order_kernels import shortest_path
from enact_assets.answers.baselines.text_prior import RULES, WEIGHTS, ActionRules, order_by_text

from reference.household import build_household
from reference.permutations import (
    cost_of_order,
    least_cost,
    path_length,
    shortest_path_length,
)

RULE_WEIGHTS = dict(zip(RULES, WEIGHTS.tolist(), strict=True))

matrices = st.integers(1, 6).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(0, 9), min_size=n + 1, max_size=n + 1), min_size=n + 1, max_size=n + 1
    )
)


@given(matrices)
def test_the_path_is_the_shortest_there_is(distance: list[list[int]]) -> None:
    """A greedy walk from picture to picture is nearly right and not what is claimed."""
    order = shortest_path(np.array(distance, np.float64)).tolist()
    assert sorted(order) == list(range(1, len(distance)))
    assert path_length(distance, order) == shortest_path_length(distance)


def test_equally_short_paths_give_the_smallest_labels() -> None:
    """Identical pictures must not make the answer depend on the machine."""
    assert shortest_path(np.zeros((6, 6))).tolist() == [1, 2, 3, 4, 5]


THINGS = ("mug", "milk")
FACTS = [
    *(f"{hand}Grasping(agent, {x})" for hand in ("Right", "Left") for x in THINGS),
    *(f"OnTop({x}, {y})" for x in THINGS for y in ("table", "shelf")),
    *(f"Inside({x}, fridge)" for x in THINGS),
    "Open(fridge)",
]
components = st.one_of(
    st.builds("{}{}".format, st.sampled_from("+-"), st.sampled_from(FACTS)),
    st.just("~Transition(milk, cheese)"),
    st.just("~Transition(cheese and mug, soup)"),
)


@given(
    st.lists(st.lists(components, min_size=1, max_size=4), min_size=1, max_size=6),
    st.randoms(use_true_random=False),
)
def test_the_text_prior_breaks_as_little_as_can_be(
    actions: list[list[str]], chance: object
) -> None:
    """Branch and bound that cuts too much is fast and wrong."""
    preference = list(range(1, len(actions) + 1))
    chance.shuffle(preference)
    order, cost = order_by_text(actions, preference)
    rules = ActionRules(actions)

    def slow_cost(order: Sequence[int]) -> int:
        return cost_of_order(order, rules, RULE_WEIGHTS)

    assert sorted(order) == sorted(preference)
    assert slow_cost([k - 1 for k in order]) == cost == least_cost(len(actions), slow_cost)


def test_more_facts_than_a_word_holds_are_all_seen() -> None:
    """A mask of 64 bits would let the 65th fact overlap the first."""
    many = [f"+OnTop(mug {k}, table)" for k in range(80)]
    for fact in (many[0], many[-1]):
        removed = ["-" + fact[1:]]
        order, cost = order_by_text([many, ["+Open(door)"], removed, [fact]], [4, 1, 2, 3])
        # Put, removed, put again: anything else contradicts itself.
        assert (order.index(1) < order.index(3) < order.index(4)) or (
            order.index(4) < order.index(3) < order.index(1)
        )
        assert cost == 0


@pytest.mark.parametrize(
    ("actions", "order"),
    [
        # A hand lets go of one thing before it takes another.
        (
            [
                ["+RightGrasping(agent, milk)", "-OnTop(milk, table)"],
                ["+OnTop(mug, shelf)", "-RightGrasping(agent, mug)"],
                ["+RightGrasping(agent, mug)", "-OnTop(mug, table)"],
            ],
            [3, 2, 1],
        ),
        # The door: opened, then used; used, then closed.
        ([["-Inside(milk, fridge)"], ["+Open(fridge)"]], [2, 1]),
        ([["-Open(fridge)"], ["+Inside(milk, fridge)"]], [2, 1]),
        # What is made is used after it is made.
        ([["+OnTop(cheese, table)"], ["~Transition(milk, cheese)"]], [2, 1]),
        # Taken from one place before it is put on another.
        (
            [["+OnTop(mug, shelf)"], ["+LeftGrasping(agent, mug)"], ["-OnTop(mug, table)"]],
            [2, 3, 1],
        ),
    ],
    ids=["hand", "opening", "closing", "transition", "place"],
)
def test_each_rule_orders_what_it_is_about(actions: list[list[str]], order: list[int]) -> None:
    """A rule with its sign wrong would order backwards and still be an optimum."""
    for preference in (list(range(1, len(actions) + 1)), list(range(len(actions), 0, -1))):
        assert order_by_text(actions, preference) == (order, 0)


def test_ties_follow_the_preference() -> None:
    """Unrelated actions must come out at random, not in the order shown."""
    actions = [["+Open(a)"], ["+Open(b)"], ["+Open(c)"]]
    assert order_by_text(actions, [2, 3, 1]) == ([2, 3, 1], 0)


def test_the_true_order_is_consistent_when_everything_is_seen_step_by_step() -> None:
    """Rules that the household itself breaks would punish the right answer."""
    qa = pl.concat(build_household(seed, 24, 30, range(3, 6), 1.0).qa for seed in (31, 32, 33))
    n_consistent = n_questions = 0
    for question in qa.iter_rows(named=True):
        steps = np.diff(question["key_frames"])
        if question["kind"] == "inverse" and (steps == 1).all():
            rules = ActionRules(question["action_components"])
            order = [label - 1 for label in question["answer"]]
            strict = {r: w * (r != "in_hand") for r, w in RULE_WEIGHTS.items()}
            n_consistent += cost_of_order(order, rules, strict) == 0
            n_questions += 1
    assert n_questions == n_consistent > 5
