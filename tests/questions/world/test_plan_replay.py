"""Plans: classes of actions equal a search through all, and orders spread as by hand."""

from collections import Counter
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from enact_assets.questions.world.action_labels import Label, label_of
from enact_assets.questions.world.plan_replay import (
    FINAL,
    INITIAL,
    INTERNAL,
    RIGHT,
    Kinds,
    Replay,
    Situation,
)
from enact_assets.questions.world.wrong_plans import exchanges, swaps

from reference.plan_worlds import GONE, PlanWorlds

KINDS = Kinds(
    {"cup": 2, "tray": 1, "melon": 1, "half": 2, "sponge": 1},
    {"melon": {"half": 2}},
    frozenset({"cabinet"}),
)
PLACES = ("table", "cabinet")
ACTIONS = [
    *(Label(verb, "cup", place) for verb in ("grasp", "place") for place in PLACES),
    *(Label(verb, "tray", "table") for verb in ("grasp_both", "place_both")),
    *(Label(verb, "half", "table") for verb in ("grasp", "place")),
    Label("slice", "melon", "table"),
    *(Label(verb, "cabinet", "") for verb in ("open", "close")),
    Label("dip", "sponge", "bowl"),
    Label("spread", "sponge", "tray"),
    Label("place", "sponge", "table"),
    Label("press", "oven", ""),
]


@st.composite
def windows(draw):
    """A kind of world with few things, and a plan that works from a start of it."""
    names = draw(
        st.sets(st.sampled_from(["cup", "tray", "melon", "sponge"]), min_size=1, max_size=2)
    )
    if "melon" in names:
        names = names | {"half"}
    kinds = Kinds(
        {k: n for k, n in KINDS.numbers.items() if k in names}, KINDS.pieces, KINDS.openable
    )
    known = [a for a in ACTIONS if a.thing in {*names, "cabinet", "oven"}]
    worlds = PlanWorlds(kinds, known)
    starts = list(worlds.starts())
    state = start = starts[draw(st.integers(0, len(starts) - 1))]
    plan = []
    for _ in range(draw(st.integers(2, 4))):
        possible = [(a, after) for a in known if (after := worlds.after(state, a)) is not None]
        if not possible:
            break
        action, state = possible[draw(st.integers(0, len(possible) - 1))]
        plan.append(action)
    return kinds, plan, worlds, start


def situation_of(worlds, start):
    at = Counter(p for p in zip(worlds.things, start[0], strict=True) if p[1] != GONE)
    return Situation(at, start[1], start[2], worlds.hands(start))


@given(windows())
def test_classes_are_those_of_a_search_through_every_start(window):
    kinds, plan, known, start = window
    replay = Replay(plan, kinds, situation_of(known, start))
    assert replay.is_replayed
    worlds = PlanWorlds(kinds, plan)
    worlds.width = known.width
    starts = list(worlds.starts())
    end = worlds.run(start, plan)
    for order in permutations(range(len(plan))):
        shuffled = [plan[k] for k in order]
        if all(worlds.run(one, shuffled) is None for one in starts):
            expected = INTERNAL
        elif (reached := worlds.run(start, shuffled)) is None:
            expected = INITIAL
        else:
            expected = RIGHT if worlds.ends_alike(reached, end) else FINAL
        assert replay.class_of(order) == expected, (shuffled, start)


def test_examples_of_each_class():
    start = Situation(Counter({("plate", "cabinet"): 2, ("cup", "table"): 1}))
    kinds = Kinds({"plate": 2, "cup": 1}, openable=frozenset({"cabinet"}))
    plan = [
        Label("open", "cabinet", ""),
        Label("grasp", "plate", "cabinet"),
        Label("place", "plate", "table"),
        Label("grasp", "cup", "table"),
    ]
    replay = Replay(plan, kinds, start)
    assert replay.class_of((0, 1, 3, 2)) == RIGHT
    # As there are two plates, one may be in the hand at the start: the first state says it is not.
    assert replay.class_of((0, 2, 1, 3)) == INITIAL
    assert replay.class_of((1, 0, 2, 3)) == INTERNAL
    alone = Replay(plan, Kinds({"plate": 1, "cup": 1}, openable=kinds.openable), start)
    assert alone.class_of((0, 2, 1, 3)) == INTERNAL
    kept = Replay(
        [
            Label("dip", "sponge", "bowl"),
            Label("open", "cabinet", ""),
            Label("close", "cabinet", ""),
        ],
        Kinds({"sponge": 1}, openable=kinds.openable),
        Situation(Counter({("sponge", "(held)"): 1}), frozenset({"drawer"}), frozenset(), 1),
    )
    assert kept.class_of((1, 0, 2)) == RIGHT
    assert kept.class_of((2, 0, 1)) == INITIAL


def test_other_actions_are_replayed_in_place_of_those_of_the_plan():
    start = Situation(Counter({("cup", "table"): 1, ("bowl", "table"): 1}))
    plan = [Label("grasp", "cup", "table"), Label("place", "cup", "shelf")]
    others = [Label("place", "cup", "stove"), Label("grasp", "bowl", "table")]
    replay = Replay(plan, Kinds({"cup": 1, "bowl": 1}), start, others)
    assert replay.is_replayed
    assert not replay.is_seen_to_differ((0, 1))
    assert replay.class_of((0, 2)) == FINAL
    assert replay.is_seen_to_differ((0, 2))
    # The bowl is taken: the cup cannot be put down, as it is not in a hand.
    assert replay.class_of((3, 1)) == INITIAL
    assert not replay.is_seen_to_differ((3, 1))


categories = st.lists(
    st.sampled_from([f"{a.verb}({a.thing}, {a.place})" for a in ACTIONS if a.place]),
    min_size=3,
    max_size=10,
)


@given(categories, st.integers(0, 5))
def test_swaps_are_their_own_inverse_and_keep_actions_of_one_kind_in_order(plan, seed):
    found = swaps(plan, seed, "here")
    assert len(set(found)) == len(found)
    for order in found:
        assert sorted(order) == list(range(len(plan)))
        assert [order[k] for k in order] == list(range(len(plan)))
        assert [plan[k] for k in order] != plan
        for kind in plan:
            at = [k for k in order if plan[k] == kind]
            assert at == sorted(at)


@given(categories, st.sets(st.sampled_from(ACTIONS), max_size=8))
def test_exchanges_of_several_actions_keep_verbs_and_show_no_clip_twice(plan, labels):
    spare = sorted({f"{a.verb}({a.thing}, {a.place})" for a in labels if a.place} - set(plan))
    told = [*plan, *spare]
    found = exchanges(plan, spare)
    for order in found:
        new = [k for k in order if k >= len(plan)]
        assert len(set(new)) == len(new) > 0
        assert all(k >= len(plan) or k == place for place, k in enumerate(order))
        verbs = [label_of(told[k]).verb for k in order]
        assert len(new) == 1 or verbs == [label_of(category).verb for category in plan]
    one_by_one = {
        (*range(place), len(plan) + k, *range(place + 1, len(plan)))
        for place in range(len(plan))
        for k in range(len(spare))
    }
    assert one_by_one <= found


def test_all_actions_with_a_thing_are_exchanged_together():
    plan = ["grasp(cup, shelf)", "open(cabinet, )", "place(cup, cabinet)"]
    spare = ["grasp(bowl, table)", "place(bowl, cabinet)", "place(bowl, sink)"]
    assert {(3, 1, 4), (3, 1, 5)} <= exchanges(plan, spare)
    opened = ["open(cabinet)", "grasp(cup, cabinet)"]
    assert (2, 3) in exchanges(opened, ["open(drawer)", "grasp(cup, drawer)"])
