"""Both tasks on films of people, from annotations alone: ``world_questions``, ``world_candidates``.

Procedural planning: a question is a plan that a person carried out without an error: neighbours in
time, none begun before the previous one ended, none twice. Each action is shown by a clip of the
same category from another environment; the wrong plans are three other orders of these clips.

World modelling, in balanced sets: a set is four categories that the recording of the states shares
with one of another environment, whose clips are shown; it is asked once per category. So each clip
is right once and wrong three times, and what is known of the clips alone cannot tell which is
right.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from enact_assets.engine.ids import seed_from, short_id
from enact_assets.engine.plurals import counted
from enact_assets.questions.asked.shuffles import shuffled_labels
from enact_assets.questions.world.annotated_actions import flawless_recordings, is_sound
from enact_assets.questions.world.annotated_rows import (
    TRUTH,
    Clip,
    Drawn,
    Questions,
    question_rows,
)
from enact_assets.questions.world.observed_orders import OrderCounts, breaks_fixed_order
from enact_assets.questions.world.plan_windows_kernels import longest_plans
from enact_assets.settings.world import EQUIVALENT, LETTERS, WorldSettings

FIXED = "fixed"
"""Class of a wrong plan with an action after one that always came later."""
OPEN = "open"
"""Class of a shuffle that nothing observed excludes."""
N_WRONG = 3
_CLIP = list(Clip._fields)


class Plan(NamedTuple):
    """Actions of one recording that follow each other."""

    steps: tuple[Clip, ...]
    person: str


def clips_of(actions: pl.DataFrame) -> list[Clip]:
    """Rows of ``annotated_actions`` as clips, in their order."""
    return list(map(Clip._make, actions.select(_CLIP).iter_rows()))


def flawless_plans(actions: pl.DataFrame, lengths: Sequence[int]) -> list[Plan]:
    """All plans of ``lengths`` in recordings without an error, by recording, time and length.

    ``actions`` are all rows of ``annotated_actions`` of one step file.
    """
    rows = actions.sort("recording", "action").filter(flawless_recordings())
    if rows.is_empty() or not lengths:
        return []
    longest = longest_plans(
        rows["recording"].rank("dense").cast(pl.Int64).to_numpy(),
        rows.select("start_s", "end_s").to_numpy(),
        rows["category"].rank("dense").cast(pl.Int64).to_numpy(),
        rows.select(is_sound()).to_series().to_numpy(),
        max(lengths),
    )
    clips, people = clips_of(rows), rows["person"].to_list()
    return [
        Plan(tuple(clips[first : first + length]), people[first])
        for first, most in enumerate(longest.tolist())
        for length in sorted(lengths)
        if length <= most
    ]


def order_counts(actions: pl.DataFrame) -> OrderCounts:
    """Orders seen in all recordings, those with errors too, which show what else is possible."""
    return OrderCounts.of(list(_plans_by_recording(actions)), categories_of(actions))


def categories_of(actions: pl.DataFrame) -> list[str]:
    """All categories, sorted."""
    return actions["category"].unique().sort().to_list()


def equivalents(actions: pl.DataFrame) -> Mapping[str, list[Clip]]:
    """Category -> clips that can show it, in the order of the table."""
    found: dict[str, list[Clip]] = {}
    for clip in clips_of(actions.filter(is_sound()).sort("recording", "action")):
        found.setdefault(clip.category, []).append(clip)
    return found


def plan_questions(actions: pl.DataFrame, lengths: Sequence[int], seed: int = 0) -> Iterator[Drawn]:
    """One question for each plan whose actions all have an equivalent in another environment.

    What is drawn depends on the plan and on ``seed`` alone. Equivalents with a film come first.
    """
    orders, clips = order_counts(actions), equivalents(actions)
    is_fixed = orders.is_fixed
    for plan in flawless_plans(actions, lengths):
        key = seed, *plan.steps[0][:2], len(plan.steps)
        shown = [_equivalent(step, clips.get(step.category, []), key) for step in plan.steps]
        found = [clip for clip in shown if clip is not None]
        if len(found) < len(shown):
            continue
        numbers = shuffled_labels(len(found), "pool", *key)  # of each step's clip
        pool = [clip for _, clip in sorted(zip(numbers, found, strict=True))]
        wrong = wrong_orders(len(found), key)
        names = [step.category for step in plan.steps]
        shuffled = orders.numbers([[names[place] for place in order] for order in wrong])
        breaks = breaks_fixed_order(is_fixed, shuffled)
        yield Drawn(
            "pp",
            None,
            plan.steps,
            pool,
            [numbers, *([numbers[place] for place in order] for order in wrong)],
            [TRUTH, *(FIXED if b else OPEN for b in breaks)],
            bool(breaks.all()),
        )


def wrong_orders(length: int, key: Sequence[object]) -> list[list[int]]:
    """Three different orders of the places 0 to ``length - 1``, none of them ascending.

    Uniform over all such choices, by the content of ``key`` alone; ``length`` is 3 or more.
    """
    found: list[list[int]] = []
    draw = 0
    while len(found) < N_WRONG:
        order = [label - 1 for label in shuffled_labels(length, "wrong", *key, draw)]
        draw += 1
        if order != sorted(order) and order not in found:
            found.append(order)
    return found


def _equivalent(step: Clip, clips: list[Clip], key: Sequence[object]) -> Clip | None:
    others = [clip for clip in clips if clip.environment != step.environment]
    others = [clip for clip in others if clip.is_askable] or others
    if not others:
        return None
    return others[seed_from("equivalent", *key, step.action) % len(others)]


def _plans_by_recording(actions: pl.DataFrame) -> Iterator[list[str]]:
    rows = actions.sort("recording", "action").group_by("recording", maintain_order=True)
    yield from rows.agg("category")["category"].to_list()


INCOMPATIBLE = "incompatible"
_SET = len(LETTERS)


def transition_questions(actions: pl.DataFrame, seed: int = 0) -> Iterator[Drawn]:
    """Questions of one step file, four per set.

    Categories differ, so what they change is taken to differ. Each recording is asked with clips
    of the recording in another environment that shares the most categories, of those with films if
    there are any. Where their number is no multiple of four the last set repeats some.
    """
    first = first_of_each(actions)
    for recording, own in first.items():
        shown = _shown_by(recording, own, first, seed)
        if shown is None:
            continue
        shared = sorted(own.keys() & first[shown].keys())
        order = [
            shared[k - 1] for k in shuffled_labels(len(shared), "sets", seed, recording, shown)
        ]
        for begin in range(0, len(order), _SET):
            # The last set borrows from the first, which is full.
            four = (order[begin : begin + _SET] + order)[:_SET]
            set_id = short_id(recording, shown, *four)
            pool = [first[shown][category] for category in four]
            for place, category in enumerate(four):
                wrong = [[k + 1] for k in range(_SET) if k != place]
                classes = [TRUTH, *[INCOMPATIBLE] * (_SET - 1)]
                options = [[place + 1], *wrong]
                yield Drawn("wm", set_id, [own[category]], pool, options, classes, None)


def first_of_each(actions: pl.DataFrame) -> dict[str, dict[str, Clip]]:
    """Recording -> category -> the first time that it was done without an error."""
    found: dict[str, dict[str, Clip]] = {}
    rows = actions.sort("recording", "action").filter(is_sound())
    for clip in clips_of(rows.unique(["recording", "category"], keep="first", maintain_order=True)):
        found.setdefault(clip.recording, {})[clip.category] = clip
    return found


def _shown_by(
    recording: str, own: dict[str, Clip], first: dict[str, dict[str, Clip]], seed: int
) -> str | None:
    """The recording whose clips are shown; None if none shares four categories."""
    environment = next(iter(own.values())).environment
    ranked = []
    for other, clips in first.items():
        shared = [clips[category] for category in own.keys() & clips.keys()]
        if len(shared) >= _SET and shared[0].environment != environment:
            films = sum(clip.is_askable for clip in shared)
            ranked.append((films, len(shared), seed_from("shown", seed, recording, other), other))
    return max(ranked)[-1] if ranked else None


def annotated_questions(actions: pl.DataFrame, settings: WorldSettings) -> Questions:
    """All questions about one step file, ``actions`` being its rows of ``annotated_actions``.

    They are asked under condition ``equivalent`` alone, and every plan of the lengths wanted is.
    Without films they have no pictures: only models that read labels can answer.
    """
    if actions.is_empty() or EQUIVALENT not in settings.conditions:
        return question_rows("", ())
    drawn = [
        *transition_questions(actions, settings.seed),
        *plan_questions(actions, settings.lengths, settings.seed),
    ]
    return question_rows(str(actions.item(0, "world_source")), drawn)


def not_asked(
    actions: pl.DataFrame, questions: pl.DataFrame, lengths: Sequence[int]
) -> tuple[str, ...]:
    """Which recordings and plans of one step file no question is about, and why, in sentences.

    ``actions`` are its rows of ``annotated_actions``, ``questions`` those of ``world_questions``.
    """
    said = []
    transitions = set(questions.filter(task="wm")["recording"])
    left = [name for name in first_of_each(actions) if name not in transitions]
    if left:
        said.append(
            f"wm: {counted(len(left), 'recording')} not asked about (first: {left[0]}): no "
            "recording of another environment shares four steps."
        )
    rows = questions.filter(task="pp").select("recording", "first_action", "length").rows()
    plans = set(rows)
    alone = [
        plan.steps[0]
        for plan in flawless_plans(actions, lengths)
        if (*plan.steps[0][:2], len(plan.steps)) not in plans
    ]
    if alone:
        said.append(
            f"pp: {counted(len(alone), 'plan')} not asked about (first: recording "
            f"{alone[0].recording}, action {alone[0].action}): a step has no equivalent in another "
            "environment."
        )
    return tuple(said)
