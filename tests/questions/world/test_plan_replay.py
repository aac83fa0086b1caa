"""Plans: classes of actions equal a search through all, and orders spread as by hand."""

from collections import Counter
from itertools import combinations, permutations

from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.ids import seed_from
from enact_assets.questions.world.action_labels import Label
from enact_assets.questions.world.plan_replay import (
    FINAL,
    INITIAL,
    INTERNAL,
    RIGHT,
    Kinds,
    Replay,
    Situation,
)
from enact_assets.questions.world.pp_questions import chosen_beside, pairs_apart

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


def apart(one, other):
    return sum(
        (one.index(a) < one.index(b)) != (other.index(a) < other.index(b))
        for a, b in combinations(sorted(one), 2)
    )


def missed(right, chosen, rank):
    """How far the number of orders nearer to all than ``right`` is from ``rank``; ties are both."""
    four = [right, *chosen]
    mine, *others = (sum(apart(one, other) for other in four) for one in four)
    nearer, as_near = sum(o < mine for o in others), sum(o <= mine for o in others)
    return max(nearer - rank, rank - as_near, 0)


orders = st.lists(st.permutations(range(4)).map(tuple), min_size=4, max_size=7, unique=True)


@given(orders, st.integers(0, 3), st.data())
def test_the_choice_is_the_first_that_comes_closest_to_the_rank(all_orders, rank, data):
    right, *wrong = all_orders
    n_first = data.draw(st.integers(0, len(wrong)))
    picked = chosen_beside(right, wrong, 3, rank, n_first)
    allowed = [
        three
        for three in combinations(range(len(wrong)), 3)
        if sum(k < n_first for k in three) == min(3, n_first)
    ]
    assert picked == min(allowed, key=lambda three: missed(right, [wrong[k] for k in three], rank))


@given(orders)
def test_pairs_apart_are_counted_as_by_hand(all_orders):
    found = pairs_apart(all_orders)
    assert found.tolist() == [[apart(a, b) for b in all_orders] for a in all_orders]


def test_neither_the_nearest_nor_the_farthest_order_is_right_more_often_than_by_chance():
    """With eight wrong orders drawn for each of 200 plans of four, ties broken by chance."""
    right, scores = tuple(range(4)), {min: 0.0, max: 0.0}
    others = [order for order in permutations(range(4)) if order != right]
    for seed in range(200):
        wrong = sorted(others, key=lambda order: seed_from(seed, *order))[:8]
        picked = chosen_beside(right, wrong, 3, seed % 4, 8)
        four = [right, *(wrong[k] for k in picked)]
        sums = [sum(apart(one, other) for other in four) for one in four]
        for end in scores:
            scores[end] += (sums[0] == end(sums)) / sums.count(end(sums))
    # Four standard deviations of a binomial.
    assert all(abs(score - 50) < 25 for score in scores.values()), scores
