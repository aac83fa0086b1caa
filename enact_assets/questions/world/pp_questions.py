"""Procedural planning: which order of the clips of a pool leads from one state to the other.

The right plan must not be the odd one out. Drawn blindly, wrong plans are more alike than the right
one is to them, or less: a look at the four orders of numbers, without a picture, then beats chance.
Here the right plan is as often the one nearest to the other three as the farthest, as far as there
are wrong plans enough.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import factorial

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.ids import short_id
from enact_assets.questions.asked.shuffles import shuffled_labels
from enact_assets.questions.world.action_labels import label_of
from enact_assets.questions.world.candidates import (
    TRUTH,
    Instance,
    Question,
    in_drawn_order,
)
from enact_assets.questions.world.plan_replay import INTERNAL, RIGHT, Kinds, Replay, Situation
from enact_assets.questions.world.wm_questions import ActionState, view_of
from enact_assets.settings.world import EQUIVALENT, LETTERS, PP

N_DISTRACTORS = 3
ALL_ORDERS_UP_TO = 5
N_DRAWN = 8
"""Wrong orders, of those that contradict themselves and of the others, from which three come."""
N_SAMPLED = 300
"""Orders that are tried of a plan too long to try all."""

Order = tuple[int, ...]


def pairs_apart(orders: Sequence[Order]) -> NDArray[np.int64]:
    """Number of pairs that are in another order in two orders of the same n things; shape (m, m) of
    m.
    """
    places = np.argsort(np.asarray(orders, np.int64), axis=1)
    earlier, later = np.triu_indices(places.shape[1], 1)
    is_before = places[:, earlier] < places[:, later]
    return np.asarray((is_before[:, None] != is_before[None]).sum(axis=2), np.int64)


def chosen_beside(
    right: Order, wrong: Sequence[Order], n: int, rank: int, n_first: int
) -> tuple[int, ...]:
    """Positions of ``n`` of the ``wrong`` orders: the first choice, in their order, among which
    ``rank`` orders lie nearer to all others than ``right`` does; else the choice closest to that.

    ``rank`` is 0 to ``n``, ``n_first`` how many are to be among the first of ``wrong``: as many of
    the first ``n_first`` as there is room for are taken. Needs ``n`` wrong orders or more.
    """
    apart = pairs_apart([right, *wrong])
    n_of_first = min(n, n_first)
    chosen = [
        picked
        for picked in combinations(range(len(wrong)), n)
        if sum(k < n_first for k in picked) == n_of_first
    ]
    members = np.pad(np.asarray(chosen, np.int64) + 1, ((0, 0), (1, 0)))  # 0 is the right one
    sums = apart[members[:, :, None], members[:, None, :]].sum(axis=2)
    nearer = (sums[:, 1:] < sums[:, :1]).sum(axis=1)
    as_near = (sums[:, 1:] <= sums[:, :1]).sum(axis=1)
    missed = np.maximum(np.maximum(nearer - rank, rank - as_near), 0)
    return chosen[int(np.argmin(missed))]


@dataclass(frozen=True)
class PlanWorld:
    """One recording as plans are replayed in it. ``situation`` gives what holds before an action,
    by its number from 1.
    """

    kinds: Kinds
    situation: Callable[[int], Situation]


def pp_questions(
    states: Sequence[ActionState],
    world: PlanWorld,
    equivalents: Mapping[str, Sequence[Instance]],
    *,
    conditions: Sequence[str],
    plans_per_length: int,
    seed: int,
) -> Iterator[Question]:
    """Questions about plans of one recording: consecutive actions, all with a clip.

    ``equivalents`` maps category -> its instances in other environments. At most
    ``plans_per_length`` plans of each length are asked about: those whose wrong plans contradict
    themselves least, as these give themselves away without a picture; of equals drawn by ``seed``.
    """
    by_length: dict[int, list[int]] = {}
    for first, state in enumerate(states):
        for length in state.plan_lengths:
            if all(s.has_clip for s in states[first : first + length]):
                by_length.setdefault(length, []).append(first)
    for length in sorted(by_length):
        drawn = in_drawn_order(by_length[length], seed, states[0].instance.recording, length)
        windows = [states[first : first + length] for first in drawn]
        found = [list(_about(w, world, equivalents, conditions, seed)) for w in windows]
        made = [questions for questions in found if questions]
        made.sort(key=lambda questions: questions[0].row["classes"].count(INTERNAL))
        for questions in made[:plans_per_length]:
            yield from questions


def _about(
    window: Sequence[ActionState],
    world: PlanWorld,
    equivalents: Mapping[str, Sequence[Instance]],
    conditions: Sequence[str],
    seed: int,
) -> Iterator[Question]:
    """The question about one plan under each condition; none where it cannot be asked."""
    own = [state.instance for state in window]
    plan = [clip.category for clip in own]
    where = f"{own[0].recording} {own[0].action} {len(own)}"
    shown = draw_equivalents(plan, equivalents, seed, where)
    replay = Replay([label_of(c) for c in plan], world.kinds, world.situation(own[0].action))
    if shown is None or not replay.is_replayed:
        return
    wrong = distractors(plan, replay, seed, where)
    if len(wrong) < N_DISTRACTORS:
        return
    n_options = N_DISTRACTORS + 1
    orders = [(tuple(range(len(plan))), TRUTH), *wrong]
    order = [k - 1 for k in shuffled_labels(n_options, "letters", seed, where)]
    numbers = tuple(shuffled_labels(len(plan), "pool", seed, where))
    for condition in conditions:
        pool = tuple(shown if condition == EQUIVALENT else own)
        row = {
            "question_id": short_id("pp", seed, where, condition),
            "task": PP,
            "condition": condition,
            "length": len(plan),
            "recording": own[0].recording,
            "first_action": own[0].action,
            "key_frame_before": window[0].key_frame_before,
            "key_frame_after": window[-1].key_frame_after,
            "plan": plan,
            "answer": LETTERS[order.index(0)],
            "classes": [orders[k][1] for k in order],
        }
        options = tuple(orders[k][0] for k in order)
        yield Question(row, pool, options, numbers, view_of(condition))


def draw_equivalents(
    plan: Sequence[str],
    equivalents: Mapping[str, Sequence[Instance]],
    seed: int,
    where: str,
) -> list[Instance] | None:
    """An instance of each category of ``plan``, drawn for each action by itself; no clip twice.

    Recordings that fewest clips of this plan are from come first: the pictures of one recording
    follow each other, which gives an order away. None if a category has too few.
    """
    used = set[Instance]()
    found: list[Instance] = []
    for place, category in enumerate(plan):
        free = [i for i in equivalents.get(category, ()) if i not in used]
        if not free:
            return None
        seen = Counter(clip.recording for clip in found)
        drawn = in_drawn_order(free, seed, where, place)
        found.append(min(drawn, key=lambda clip: seen[clip.recording]))
        used.add(found[-1])
    return found


def distractors(
    plan: Sequence[str], replay: Replay, seed: int, where: str
) -> list[tuple[tuple[int, ...], str]]:
    """Three orders that are wrong, each with its class, or as many as there are.

    Drawn uniformly; orders that contradict themselves are taken only where there are no others,
    as they give themselves away without a picture. Of those drawn, three are shown that do not make
    the right one the odd one out. All differ as sequences of categories.
    """
    tried = {tuple(plan)}
    places = {c: [k for k, other in enumerate(plan) if other == c] for c in plan}
    found: list[tuple[tuple[int, ...], str]] = []
    contradictory: list[tuple[tuple[int, ...], str]] = []
    for order in _orders(len(plan), seed, where):
        told = tuple([plan[k] for k in order])
        if told in tried:
            continue
        tried.add(told)
        # Actions of one category stay in their true order, as they cannot be distinguished.
        rest = {c: iter(ks) for c, ks in places.items()}
        in_place = tuple([next(rest[c]) for c in told])
        kind = replay.class_of(in_place)
        if kind != RIGHT:
            (contradictory if kind == INTERNAL else found).append((in_place, kind))
        if len(found) == N_DRAWN:
            break
    drawn = [*found[:N_DRAWN], *contradictory[:N_DRAWN]]
    if len(drawn) <= N_DISTRACTORS:
        return drawn
    orders, rank = (
        [order for order, _ in drawn],
        shuffled_labels(N_DISTRACTORS + 1, "rank", seed, where)[0] - 1,
    )
    right = tuple(range(len(plan)))
    n_first = min(len(found), N_DRAWN)
    return [drawn[k] for k in chosen_beside(right, orders, N_DISTRACTORS, rank, n_first)]


def _orders(n: int, seed: int, where: str) -> Iterable[tuple[int, ...]]:
    """All orders of n actions, or a sample, in a drawn order."""
    if n <= ALL_ORDERS_UP_TO:
        return in_drawn_order(permutations(range(n)), seed, where)
    tries = range(min(N_SAMPLED, factorial(n)))
    return (tuple(k - 1 for k in shuffled_labels(n, seed, where, number)) for number in tries)
