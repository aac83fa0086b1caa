"""The three wrong plans of a question: its own order or another one, its own actions or others.

Of the four plans two have the actions of the right plan and two have some exchanged for others of
the same scene; of either pair one is in the right order and one in another order, the same for both
pairs. The plan that is in order and has other actions fits the first state and ends in another one,
so only the picture of the last state tells it from the right plan.

Without pictures the four look alike: each clip that two plans lack is in the other two, and the
other order swaps actions in pairs, so that either order is made from the other in the same way.
What is left is what the labels say of each plan by itself, such as which neighbours are common.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from enact_assets.questions.asked.shuffles import shuffled_labels
from enact_assets.questions.world.action_labels import Label, label_of
from enact_assets.questions.world.candidates import in_drawn_order
from enact_assets.questions.world.plan_replay import FINAL, INTERNAL, RIGHT, Replay

N_SAMPLED = 120
"""Other orders that are drawn of a plan."""
N_ORDERS, N_EXCHANGES = 12, 6
"""Other orders, and exchanges, of which the pair is chosen."""
MOST_PRODUCTS = 8
"""Ways to exchange all actions with one thing that are tried for each other thing."""

Order = tuple[int, ...]
Pair = tuple[str, str]


@dataclass(frozen=True)
class WrongPlans:
    """Three plans as positions: first the actions of the right plan, from 0, then ``others``.

    ``classes`` says of each why it is wrong; the first ends elsewhere.
    """

    others: tuple[str, ...]
    plans: tuple[Order, Order, Order]
    classes: tuple[str, str, str]


def wrong_plans(
    plan: Sequence[str],
    spare: Sequence[str],
    replay: Replay,
    *,
    is_seen: Sequence[bool],
    usual: Collection[Pair],
    seed: int,
    where: str,
) -> WrongPlans | None:
    """Three wrong plans beside ``plan``; None if no exchange or no other order makes them wrong.

    ``spare`` are categories of which a clip can be shown and that ``plan`` lacks; ``replay`` has
    them as others, in this order. At least one exchanged action changes something visibly
    (``is_seen``). Plans that contradict themselves come last, as they give themselves away without
    a picture; before that, those with another verb, after which hands hold something else; before
    that, other orders that move exchanged actions, half of which would move them forward, so that
    their place tells nothing; then those most of whose neighbours are not ``usual``; of equals one
    is drawn.
    """
    told = [*plan, *spare]
    verbs = [label_of(category).verb for category in told]

    def n_other_verbs(order: Sequence[int]) -> int:
        return sum(verbs[k] != verbs[place] for place, k in enumerate(order))

    def n_unusual(order: Sequence[int]) -> int:
        return sum(pair not in usual for pair in pairwise(told[k] for k in order))

    side = 2 * shuffled_labels(2, "side", seed, where)[0] - 3

    def n_moved(other: Order, order: Order) -> int:
        new = [k for k, place in enumerate(other) if place >= len(plan)]
        moved = sum(order.index(k) for k in new) - sum(new)
        return 0 if not moved else 1 if moved * side > 0 else 2

    fitting = [
        other
        for other in in_drawn_order(exchanges(plan, spare), seed, where, "exchange")
        if any(seen and k >= len(plan) for seen, k in zip(is_seen, other, strict=True))
        and replay.is_seen_to_differ(other)
    ]
    orders = [(order, replay.class_of(order)) for order in swaps(plan, seed, where)]
    orders = [(order, kind) for order, kind in orders if kind != RIGHT]
    orders.sort(key=lambda found: (found[1] == INTERNAL, n_unusual(found[0])))
    best, least = None, None
    fitting.sort(key=lambda order: (n_other_verbs(order), n_unusual(order)))
    for other in fitting[:N_EXCHANGES]:
        for order, kind in orders[:N_ORDERS]:
            both = tuple([other[k] for k in order])
            kind_of_both = replay.class_of(both)
            if kind_of_both == RIGHT:
                continue
            plans, kinds = (other, order, both), (FINAL, kind, kind_of_both)
            cost = (
                kinds.count(INTERNAL),
                n_other_verbs(other),
                n_moved(other, order),
                sum(map(n_unusual, plans)),
            )
            if least is None or cost < least:
                best, least = (plans, kinds), cost
    if best is None:
        return None
    plans, kinds = best
    used = sorted({k for k in plans[0] if k >= len(plan)})
    number = {k: k for k in range(len(plan))} | {k: len(plan) + n for n, k in enumerate(used)}
    first, second, third = (tuple([number[k] for k in order]) for order in plans)
    return WrongPlans(tuple([told[k] for k in used]), (first, second, third), kinds)


def exchanges(plan: Sequence[str], spare: Sequence[str]) -> set[Order]:
    """Plans with some actions in place of others, each of ``spare`` once.

    Any one action; or all actions with one thing, done with another one; or all in which a thing or
    a place occurs, with another in its stead. Positions: ``plan``, then ``spare``.
    """
    labels = [label_of(category) for category in plan]
    others = [label_of(category) for category in spare]
    at = {label: len(plan) + k for k, label in enumerate(others)}
    found = set[Order]()
    for changed in (
        *_of_one_action(labels, others),
        *_of_one_thing(labels, others),
        *_renamed(labels, others),
    ):
        if changed and len(set(changed.values())) == len(changed):
            found.add(tuple([at[changed[k]] if k in changed else k for k in range(len(plan))]))
    return found


Changed = dict[int, Label]
"""Place in the plan, from 0 -> the action that takes its place."""


def _of_one_action(labels: Sequence[Label], others: Sequence[Label]) -> Iterator[Changed]:
    for place in range(len(labels)):
        yield from ({place: other} for other in others)


def _of_one_thing(labels: Sequence[Label], others: Sequence[Label]) -> Iterator[Changed]:
    for thing in {label.thing for label in labels}:
        places = [k for k, label in enumerate(labels) if label.thing == thing]
        for instead in {other.thing for other in others} - {thing}:
            choices = [
                [o for o in others if o.thing == instead and o.verb == labels[k].verb]
                for k in places
            ]
            for n, chosen in enumerate(product(*choices)):
                if n == MOST_PRODUCTS:
                    break
                yield dict(zip(places, chosen, strict=True))


def _renamed(labels: Sequence[Label], others: Sequence[Label]) -> Iterator[Changed]:
    known = set(others)
    names = {name for label in labels for name in label[1:] if name}
    for name in names:
        for instead in {n for label in others for n in label[1:] if n} - {name}:
            changed = {
                k: Label(label.verb, *(instead if part == name else part for part in label[1:]))
                for k, label in enumerate(labels)
                if name in label[1:]
            }
            if known.issuperset(changed.values()):
                yield changed


def swaps(plan: Sequence[str], seed: int, where: str) -> list[Order]:
    """Other orders of ``plan``, each its own inverse, in a drawn order: pairs of actions are
    swapped. Actions of one category keep their order, as they cannot be distinguished.
    """
    n, found = len(plan), dict[Order, None]()
    for number in range(N_SAMPLED):
        drawn = shuffled_labels(n, "swaps", seed, where, number)
        order = list(range(n))
        for k in range(1 + number % (n // 2)):
            one, two = drawn[2 * k] - 1, drawn[2 * k + 1] - 1
            order[one], order[two] = two, one
        places: dict[str, int] = {}
        for k in order:
            if places.get(plan[k], -1) > k:
                break
            places[plan[k]] = k
        else:
            found[tuple(order)] = None
    return list(found)
