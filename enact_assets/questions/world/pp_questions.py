"""Procedural planning: which plan, made of clips of a pool, leads from one state to the other."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from enact_assets.engine.ids import short_id
from enact_assets.questions.asked.shuffles import shuffled_labels
from enact_assets.questions.world.action_labels import label_of
from enact_assets.questions.world.candidates import (
    TRUTH,
    Instance,
    Question,
    in_drawn_order,
)
from enact_assets.questions.world.plan_replay import INTERNAL, Kinds, Replay, Situation
from enact_assets.questions.world.wm_questions import ActionState, view_of
from enact_assets.questions.world.wrong_plans import Pair, wrong_plans
from enact_assets.settings.world import EQUIVALENT, LETTERS, PP


@dataclass(frozen=True)
class PlanWorld:
    """One recording as plans are replayed in it. ``situation`` gives what holds before an action,
    by its number from 1.
    """

    kinds: Kinds
    situation: Callable[[int], Situation]
    usual: frozenset[Pair] = frozenset()
    """Categories that follow each other in recordings."""


def neighbours(recordings: Iterable[Sequence[ActionState]]) -> frozenset[Pair]:
    """Categories that follow each other in ``recordings``."""
    return frozenset(
        pair for states in recordings for pair in pairwise(s.instance.category for s in states)
    )


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

    ``equivalents`` maps category -> its instances in other environments. A plan of which no action
    can be exchanged, so that it ends elsewhere, is not asked about (``wrong_plans``). At most
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
        found = [
            list(
                _about(
                    states,
                    range(first, first + length),
                    world,
                    equivalents,
                    conditions=conditions,
                    seed=seed,
                )
            )
            for first in drawn
        ]
        made = [questions for questions in found if questions]
        made.sort(key=lambda questions: questions[0].row["classes"].count(INTERNAL))
        for questions in made[:plans_per_length]:
            yield from questions


def _about(
    states: Sequence[ActionState],
    places: range,
    world: PlanWorld,
    equivalents: Mapping[str, Sequence[Instance]],
    *,
    conditions: Sequence[str],
    seed: int,
) -> Iterator[Question]:
    """The question about the plan at ``places`` under each condition; none where it cannot be
    asked.
    """
    window, length = states[places.start : places.stop], len(places)
    own = [state.instance for state in window]
    plan = [clip.category for clip in own]
    where = f"{own[0].recording} {own[0].action} {len(own)}"
    of_category: dict[str, list[Instance]] = {}
    for state in (*states[: places.start], *states[places.stop :]):
        if state.has_clip:
            of_category.setdefault(state.instance.category, []).append(state.instance)
    spare = sorted((of_category.keys() & equivalents.keys()) - set(plan))
    start = world.situation(own[0].action)
    replay = Replay(list(map(label_of, plan)), world.kinds, start, list(map(label_of, spare)))
    if not (replay.is_replayed and equivalents.keys() >= set(plan)):
        return
    wrong = wrong_plans(
        plan,
        spare,
        replay,
        is_seen=[bool(state.changes) for state in window],
        usual=world.usual,
        seed=seed,
        where=where,
    )
    if wrong is None:
        return
    shown = draw_equivalents([*plan, *wrong.others], equivalents, seed, where)
    if shown is None:
        return
    own += [in_drawn_order(of_category[c], seed, where, c)[0] for c in wrong.others]
    orders = [(tuple(range(length)), TRUTH), *zip(wrong.plans, wrong.classes, strict=True)]
    order = [k - 1 for k in shuffled_labels(len(LETTERS), "letters", seed, where)]
    numbers = tuple(shuffled_labels(len(own), "pool", seed, where))
    for condition in conditions:
        pool = tuple(shown if condition == EQUIVALENT else own)
        row = {
            "question_id": short_id("pp", seed, where, condition, *wrong.others),
            "task": PP,
            "condition": condition,
            "length": length,
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
