"""Why each option of a practice question of WorldPrediction is right or wrong, in sentences.

The paper showed its annotators solved examples with explanations (A.2, A.3); these sentences are
made from labels of actions and from the classes of wrong plans, so any question can be practice.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import polars as pl

from enact_assets.answers.people.plans import Assigned
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.world.action_labels import label_of
from enact_assets.questions.world.annotated_questions import FIXED, OPEN
from enact_assets.questions.world.items import Candidate, WorldItem, items_of
from enact_assets.questions.world.plan_replay import FINAL, INITIAL, INTERNAL
from enact_assets.settings.classes import world_source_of
from enact_assets.settings.world import EMBEDDED_WORLD, LETTERS, WM

InWords = Callable[[str], str]
"""A category of an action -> what is done, such as ``take the cup from the shelf``."""

_DONE: Mapping[str, tuple[str, str]] = {
    "grasp": ("take the {0} from the {1}", "a hand holds the {0}"),
    "place": ("put the {0} on or into the {1}", "the {0} is at the {1}, and no hand holds it"),
    "open": ("open the {0}", "the {0} is open"),
    "close": ("close the {0}", "the {0} is closed"),
    "press": ("press the button of the {0}", "the {0} has gone on or off"),
    "slice": ("cut the {0} into slices or halves", "the {0} is in pieces"),
    "dice": ("cut the {0} into small pieces", "the {0} is in small pieces"),
    "pour": ("pour from the {0} into or onto the {1}", "there is more in or on the {1}"),
    "wipe": ("wipe the {1} with the {0}", "the {1} is clean"),
    "dip": ("dip the {0} into the {1}", "something sticks to the {0}"),
    "spread": ("spread something on the {1} with the {0}", "something covers the {1}"),
    "stir": ("stir the {1} with the {0}", "what is in the {1} is mixed"),
}
"""Verb -> what is done with a thing (0) and a place (1), and what one sees afterwards."""
_NO_PLACE = "its place"
_WHY_WRONG: Mapping[str, str] = {
    INTERNAL: "It contradicts itself: whatever the room looks like before, one of its actions is "
    "not possible when its turn comes.",
    INITIAL: "It does not fit state 1: from there, one of its actions is not possible when its "
    "turn comes.",
    FINAL: "All of it is possible from state 1, but it does not lead to state 2.",
    FIXED: "It has an action after one that came later in all recordings.",
    OPEN: "It was done in another order; nothing else is known against this one.",
}


def action_in_words(category: str) -> str:
    """``grasp(wooden_spoon, table)`` -> ``take the wooden spoon from the table``; a category of an
    unknown verb stays as it is.
    """
    found = _said(category)
    return category if found is None else found[0]


def _said(category: str) -> tuple[str, str] | None:
    """What is done, and what one sees afterwards."""
    verb, thing, place = label_of(category)
    done = _DONE.get(verb.removesuffix("_both"))
    if done is None:
        return None
    names = thing.replace("_", " "), place.replace("_", " ") or _NO_PLACE
    action, after = (text.format(*names).replace(f"the {_NO_PLACE}", _NO_PLACE) for text in done)
    return action + (" with both hands" if verb.endswith("_both") else ""), after


def reasons_of(item: WorldItem, in_words: InWords = action_in_words) -> tuple[str, ...]:
    """A reason for each of the four options, in the order of their letters."""
    right = LETTERS.index(item.row["answer"])
    reason = _of_clip if item.row["task"] == WM else _of_plan
    return tuple(reason(item, option, right, in_words) for option in range(len(LETTERS)))


def _of_clip(item: WorldItem, option: int, right: int, in_words: InWords) -> str:
    category = item.options[option][0]["category"]
    said = _said(category)
    after = "" if said is None else f" Afterwards {said[1]}."
    shown = f"This clip shows: {in_words(category)}.{after}"
    if option == right:
        return f"{shown} State 2 differs from state 1 in this."
    return f"{shown} This does not explain what is different in state 2."


def _of_plan(item: WorldItem, option: int, right: int, in_words: InWords) -> str:
    own, best = item.options[option], item.options[right]
    if option == right:
        steps = "; ".join(_numbered(clip, in_words) for clip in own)
        is_replayed = item.row["key_frame_before"] is not None
        end = "Each is possible when its turn comes, and all together lead to state 2."
        return f"In order: {steps}. {end if is_replayed else 'This is what was done.'}"
    place = next(k for k, clip in enumerate(own) if clip["pool"] != best[k]["pool"])
    differs = (
        f"The first place where it differs from the right plan is {place + 1}: "
        f"{_numbered(own[place], in_words)}, instead of {_numbered(best[place], in_words)}."
    )
    return f"{_WHY_WRONG[item.row['classes'][option]]} {differs}"


def _numbered(clip: Candidate, in_words: InWords) -> str:
    return f"clip {clip['pool']}, {in_words(clip['category'])}"


def with_reasons(lake: Lake, variant: str, plan: Assigned) -> Assigned:
    """``plan`` with reasons in its practice questions, if ``variant`` is one of WorldPrediction.

    Errors: :class:`MissingPartitionError` if its questions were not made.
    """
    source = world_source_of(variant)
    if source is None or not plan.practice:
        return plan
    of_set = {"question_set": variant}
    wanted = [question.question_id for question in plan.practice]
    reasons = _by_question(lake, of_set, wanted, source)
    practice = tuple(replace(q, reasons=reasons[q.question_id]) for q in plan.practice)
    return replace(plan, practice=practice)


def _by_question(
    lake: Lake, of_set: Mapping[str, str], wanted: Collection[str], source: str
) -> dict[str, tuple[str, ...]]:
    is_wanted = pl.col("question_id").is_in(list(wanted))
    questions = lake.read("world_questions", of_set).filter(is_wanted)
    candidates = lake.read("world_candidates", of_set).filter(is_wanted)
    in_words: InWords = action_in_words
    if source != EMBEDDED_WORLD:
        actions = lake.read("annotated_actions", of_set).sort("recording", "action")
        labels: dict[str, str] = {}
        for category, label in actions.select("category", "label").iter_rows():
            labels.setdefault(category, label)
        in_words = labels.__getitem__
    return {
        item.row["question_id"]: reasons_of(item, in_words)
        for item in items_of(questions, candidates)
    }
