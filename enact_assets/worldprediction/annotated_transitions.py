"""World modelling on films of people, from annotations alone, in balanced sets.

A set is four categories that the recording of the states shares with one of another environment,
whose clips are shown; it is asked once per category. So each clip is right once and wrong three
times, and what is known of the clips alone cannot tell which is right.
"""

from collections.abc import Iterator

import polars as pl

from enact_assets.contracts.ids import seed_from, short_id
from enact_assets.questions.shuffles import shuffled_labels
from enact_assets.worldprediction.annotated_actions import is_sound
from enact_assets.worldprediction.annotated_plans import clips_of
from enact_assets.worldprediction.annotated_rows import LETTERS, TRUTH, Clip, Drawn

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
