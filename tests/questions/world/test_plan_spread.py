from itertools import combinations, permutations

from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.ids import seed_from
from enact_assets.questions.world.pp_questions import chosen_beside, pairs_apart


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
