"""Facts of logs written by hand: every rule of simulator/simulation/facts.py, and near misses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulator.hand_made_log import TABLE, facts_named, log_of, relations

from enact_assets.simulator.simulation.facts import Fact, find_intervals

from reference.intervals import intervals

CAN = ((0.1, 0.1, 0.75), (0.05, 0.05, 0.05))


@given(st.lists(st.booleans(), max_size=30))
def test_intervals_agree_with_a_walk_over_frames(holds: list[bool]) -> None:
    """A run that touches the first or last frame is the one an index trick loses."""
    assert find_intervals(np.array(holds, dtype=np.bool_)) == intervals(holds)


def test_a_box_on_a_table_is_on_top_and_touches() -> None:
    """The base case, and the table is never on top of the box."""
    log = log_of({"can": [CAN], "table": [TABLE]}, contacts=[("can", "table")])
    assert relations(log) == {("OnTop", "can", "table"), ("Touching", "can", "table")}


def test_a_box_that_hovers_or_leans_on_the_side_is_not_on_top() -> None:
    """Height alone, or contact alone, must not be enough."""
    hovering = log_of({"can": [CAN], "table": [TABLE]})
    beside = log_of(
        {"can": [((0.55, 0.1, 0.05), (0.05, 0.05, 0.05))], "table": [TABLE]},
        contacts=[("can", "table")],
    )
    assert relations(hovering) == set()
    assert relations(beside) == {("Touching", "can", "table")}


def test_a_stack_is_a_chain_of_neighbours() -> None:
    """The upper plate stands on the lower one, not on the table it does not touch."""
    log = log_of(
        {
            "plate": [((0.0, 0.0, 0.71), (0.1, 0.1, 0.01))],
            "bowl": [((0.0, 0.0, 0.76), (0.08, 0.08, 0.04))],
            "table": [TABLE],
        },
        contacts=[("plate", "table"), ("bowl", "plate")],
    )
    assert relations(log) == {
        ("OnTop", "plate", "table"),
        ("OnTop", "bowl", "plate"),
        ("Touching", "plate", "table"),
        ("Touching", "bowl", "plate"),
    }


def test_a_thing_in_a_cavity_is_inside_and_not_on_top() -> None:
    """It touches the shelf it lies on, but its place is the cabinet."""
    cavity = (np.array([-0.3, -0.3, 0.7]), np.array([0.3, 0.3, 1.2]))
    log = log_of(
        {"can": [CAN], "cabinet": [((0.0, 0.0, 0.6), (0.3, 0.3, 0.6))]},
        contacts=[("can", "cabinet")],
        cavities={"cabinet": cavity},
    )
    assert relations(log) == {("Inside", "can", "cabinet"), ("Touching", "cabinet", "can")}


def test_a_cavity_turns_with_its_basket() -> None:
    """A basket turned by 90 degrees holds along its own long side, not along the world's."""
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    turn = np.tile(np.eye(3), (1, 3, 1, 1))
    turn[:, 2] = quarter
    log = log_of(
        {
            "can": [((0.0, 0.15, 0.1), (0.05, 0.05, 0.05))],
            "basket": [((0.0, 0.0, 0.05), (0.1, 0.2, 0.05))],
        },
        cavities={"basket": (np.array([-0.2, -0.1, 0.0]), np.array([0.2, 0.1, 0.2]))},
        turn=turn,
    )
    assert ("Inside", "can", "basket") in relations(log)


def _below_a_shelf(**fields: object) -> set[tuple[str, str, str | None]]:
    shelf = ((0.1, 0.1, 1.2), (0.3, 0.2, 0.02))
    log = log_of(
        {"can": [CAN], "table": [TABLE], "shelf": [shelf]},
        contacts=[("can", "table")],
        **fields,
    )
    return {r for r in relations(log) if r[0] == "Under"}


def test_a_thing_at_rest_below_a_cover_is_under_it() -> None:
    """Only furniture that was declared a cover counts, or everything would be under something."""
    assert _below_a_shelf(covers=frozenset({"shelf"})) == {("Under", "can", "shelf")}
    assert _below_a_shelf() == set()


def test_a_thing_in_the_hand_is_under_nothing() -> None:
    """Else every cupboard the arm passes would flicker through the graph."""
    held = {"left": np.array([1]), "right": np.array([-1])}
    assert _below_a_shelf(covers=frozenset({"shelf"}), held=held) == set()


def test_only_the_lowest_cover_counts() -> None:
    """What stands in the cabinet is not above the jug below the cabinet."""
    log = log_of(
        {
            "jug": [CAN],
            "table": [TABLE],
            "cabinet": [((0.1, 0.1, 1.4), (0.3, 0.3, 0.2))],
            "box": [((0.1, 0.1, 1.4), (0.1, 0.1, 0.1))],
        },
        contacts=[("jug", "table"), ("box", "cabinet")],
        covers=frozenset({"cabinet"}),
        cavities={"cabinet": (np.array([-0.2, -0.2, 1.2]), np.array([0.4, 0.4, 1.6]))},
    )
    assert {r for r in relations(log) if r[0] == "Under"} == {("Under", "jug", "cabinet")}


@pytest.mark.parametrize(("share", "is_open"), [(0.049, False), (0.05, False), (0.051, True)])
def test_a_door_is_open_past_five_per_cent(share: float, is_open: bool) -> None:
    """Exactly five per cent is still closed."""
    log = log_of({"cabinet": [TABLE]}, doors={"cabinet": np.array([share])})
    assert (("Open", "cabinet", None) in relations(log)) is is_open


def test_nothing_holds_about_what_does_not_exist() -> None:
    """Halves wait in limbo: their contacts there are no facts, and their existence begins late."""
    exists = np.ones((4, 3), dtype=np.bool_)
    exists[:2, 1] = False
    log = log_of(
        {"can": [CAN] * 4, "table": [TABLE] * 4}, contacts=[("can", "table")], exists=exists
    )
    assert facts_named(log, "OnTop") == [Fact("OnTop", "can", "table", 2, 4)]
    assert [f for f in facts_named(log, "Exists") if f.subject == "can"] == [
        Fact("Exists", "can", None, 2, 4)
    ]


def test_each_hand_has_its_own_predicate() -> None:
    """Left and right are the only difference between two graphs; they must not be swapped."""
    log = log_of(
        {"can": [CAN] * 3},
        held={"left": np.array([-1, 1, 1]), "right": np.array([1, -1, -1])},
    )
    assert facts_named(log, "LeftGrasping") == [Fact("LeftGrasping", "robot", "can", 1, 3)]
    assert facts_named(log, "RightGrasping") == [Fact("RightGrasping", "robot", "can", 0, 1)]


def test_touching_names_each_pair_once_in_order() -> None:
    """A symmetric fact in both directions would double every change under contact gating."""
    log = log_of({"can": [CAN], "bowl": [CAN]}, contacts=[("can", "bowl")])
    touching = facts_named(log, "Touching")
    assert [(f.subject, f.object) for f in touching] == [("bowl", "can")]


@pytest.mark.parametrize(("particles", "holds"), [(0.0, False), (0.99, False), (1.0, True)])
def test_a_vessel_contains_from_one_particle_on(particles: float, holds: bool) -> None:
    """A wet wall is no content; OmniGibson asks for more than no particle."""
    log = log_of(
        {"jug": [CAN], "water": [CAN]}, contained={("jug", "water"): np.array([particles])}
    )
    assert (("Contains", "jug", "water") in relations(log)) is holds


@pytest.mark.parametrize(("particles", "holds"), [(0.0, False), (1.0, True), (12.0, True)])
def test_one_particle_covers(particles: float, holds: bool) -> None:
    """One is enough, as in OmniGibson; and jug and water must not be swapped."""
    log = log_of(
        {"board": [CAN], "dust": [CAN]}, covering={("board", "dust"): np.array([particles])}
    )
    assert (("Covered", "board", "dust") in relations(log)) is holds


@pytest.mark.parametrize(("highest", "holds"), [(23.0, False), (69.99, False), (70.0, True)])
def test_a_thing_is_cooked_from_seventy_degrees_on(highest: float, holds: bool) -> None:
    """Exactly seventy is cooked."""
    log = log_of({"steak": [CAN]}, hottest={"steak": np.array([highest])})
    assert (("Cooked", "steak", None) in relations(log)) is holds


def test_nothing_is_in_or_on_what_does_not_exist() -> None:
    """What a vanished bowl had in it is not in the graph any more."""
    exists = np.ones((4, 3), dtype=np.bool_)
    exists[2:, 1] = False
    log = log_of(
        {"bowl": [CAN] * 4, "soup": [CAN] * 4},
        exists=exists,
        contained={("bowl", "soup"): np.full(4, 5.0)},
        covering={("bowl", "soup"): np.full(4, 5.0)},
        hottest={"bowl": np.full(4, 90.0)},
    )
    for name in ("Contains", "Covered", "Cooked"):
        assert [(f.frame_from, f.frame_to) for f in facts_named(log, name)] == [(0, 2)]
