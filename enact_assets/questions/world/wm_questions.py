"""World modelling: which of four clips shows the action that leads from one state to another.

Questions come in balanced sets of ours: four mutually incompatible actions, whose clips are shown
four times, each being right once. A preference for a clip scores exactly chance on a whole set.
Actions of one verb come into sets first: their clips begin and end alike, hand empty or full.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from enact_assets.engine.ids import short_id
from enact_assets.questions.asked.shuffles import shuffled_labels
from enact_assets.questions.world.action_labels import label_of, without_hands
from enact_assets.questions.world.candidates import (
    INCOMPATIBLE,
    TRUTH,
    Instance,
    Question,
    in_drawn_order,
)
from enact_assets.settings.world import EQUIVALENT, LETTERS, SAME, WM

SET_SIZE = 4
BASELINE_VIEW, OTHER_VIEW = "baseline", "view"


@dataclass(frozen=True)
class ActionState:
    """One row of ``action_states``; ``changes`` are without hands."""

    instance: Instance
    key_frame_before: int
    key_frame_after: int
    changes: frozenset[str]
    has_clip: bool
    is_askable: bool
    plan_lengths: tuple[int, ...]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "ActionState":
        """A row as a dictionary."""
        names = row["demonstration"], row["action"], row["category"], row["environment"]
        return cls(
            Instance(*names),
            row["key_frame_before"],
            row["key_frame_after"],
            without_hands(row["changes"]),
            row["has_clip"],
            row["is_askable"],
            tuple(row["plan_lengths"]),
        )


def view_of(condition: str) -> str:
    """The camera that shows the clips of a condition: that of the states only under ``same``."""
    return BASELINE_VIEW if condition == SAME else OTHER_VIEW


def wm_questions(
    states: Sequence[ActionState],
    others: Sequence[Sequence[ActionState]],
    conditions: Sequence[str],
    seed: int,
) -> Iterator[Question]:
    """Questions about the actions ``states`` of one recording, in whole balanced sets.

    ``others`` are actions of recordings in other environments: each shares some categories.
    """
    for other in others:
        for pairs in balanced_sets(states, other, seed):
            yield from _of_set(pairs, conditions, seed)


def balanced_sets(
    states: Sequence[ActionState], other: Sequence[ActionState], seed: int
) -> list[tuple[tuple[ActionState, ActionState], ...]]:
    """Sets of four (action asked about, its equivalent), mutually incompatible, no category twice.

    Built one after the other in a drawn order, so a few actions may find no place in any. Actions
    of one verb are put together first: whether a hand holds something then tells nothing.
    """
    own = _one_of_each([s for s in states if s.is_askable], seed)
    theirs = _one_of_each([s for s in other if s.has_clip], seed)
    recordings = [s.instance.recording for s in (*states[:1], *other[:1])]
    pairs = {category: (own[category], theirs[category]) for category in own.keys() & theirs.keys()}
    by_verb: dict[str, list[str]] = {}
    for category in in_drawn_order(pairs, seed, *recordings):
        by_verb.setdefault(label_of(category).verb, []).append(category)
    sets, left = [], list[str]()
    for categories in by_verb.values():
        of_verb, rest = _packed(categories, pairs)
        sets += of_verb
        left += rest
    return [*sets, *_packed(left, pairs)[0]]


def _packed(
    categories: Sequence[str], pairs: Mapping[str, tuple[ActionState, ActionState]]
) -> tuple[list[tuple[tuple[ActionState, ActionState], ...]], list[str]]:
    """Sets of four categories, taken in order, and the categories that found no place."""
    left, sets, without = list(categories), [], list[str]()
    while left:
        chosen: list[str] = []
        for category in left:
            if all(_are_incompatible(pairs[category], pairs[c]) for c in chosen):
                chosen.append(category)
            if len(chosen) == SET_SIZE:
                break
        if len(chosen) == SET_SIZE:
            sets.append(tuple(pairs[c] for c in sorted(chosen)))
            left = [c for c in left if c not in chosen]
        else:
            without.append(left.pop(0))
    return sets, without


def _one_of_each(states: Sequence[ActionState], seed: int) -> dict[str, ActionState]:
    """Category -> one of its actions."""
    # Drawn by instance: a set of changes is written in another order by each process.
    of = {state.instance: state for state in states}
    found: dict[str, ActionState] = {}
    for instance in in_drawn_order(of, seed):
        found.setdefault(instance.category, of[instance])
    return found


def _are_incompatible(
    first: tuple[ActionState, ActionState], second: tuple[ActionState, ActionState]
) -> bool:
    """Whether neither's change is part of what the other does, there or in its equivalent."""
    return all(
        not asked.changes <= shown.changes
        for (asked, _), clips in ((first, second), (second, first))
        for shown in clips
    )


def options_of(right: int, set_id: str) -> list[int]:
    """The clips of a set by letter, in the question whose right clip is ``right``.

    Within a set each letter is right once. Conditions share the order: their questions are
    compared in pairs.
    """
    letters = shuffled_labels(SET_SIZE, set_id, "right")
    others = [k for k in range(SET_SIZE) if k != right]
    order = [others[k - 1] for k in shuffled_labels(SET_SIZE - 1, set_id, right)]
    order.insert(letters[right] - 1, right)
    return order


def _of_set(
    pairs: Sequence[tuple[ActionState, ActionState]], conditions: Sequence[str], seed: int
) -> Iterator[Question]:
    recording = pairs[0][0].instance.recording
    content = [[p.instance.recording, p.instance.action] for pair in pairs for p in pair]
    set_id = short_id("wm", seed, *map(str, content))
    for condition in conditions:
        pool = tuple((theirs if condition == EQUIVALENT else own).instance for own, theirs in pairs)
        for right, (asked, _) in enumerate(pairs):
            order = options_of(right, set_id)
            place = order.index(right)
            row = {
                "question_id": short_id(set_id, condition, asked.instance.category),
                "task": WM,
                "condition": condition,
                "set_id": set_id,
                "length": 1,
                "recording": recording,
                "first_action": asked.instance.action,
                "key_frame_before": asked.key_frame_before,
                "key_frame_after": asked.key_frame_after,
                "plan": [asked.instance.category],
                "answer": LETTERS[place],
                "classes": [TRUTH if k == right else INCOMPATIBLE for k in order],
            }
            numbers = tuple(order.index(k) + 1 for k in range(SET_SIZE))
            options = tuple((k,) for k in order)
            yield Question(row, pool, options, numbers, view_of(condition))
