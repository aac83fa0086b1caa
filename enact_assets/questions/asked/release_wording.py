"""Sentences of profile ``release``: our own words, chosen by the release's draws.

A state has one phrase, and four ways of saying that it came about and two of saying that it ended;
a transition has one. How many there are, and their order in a text, is the release's
(definitions.md R11); the words are ours.
"""

from collections.abc import Sequence
from functools import lru_cache

from enact_assets.engine.errors import QuestionError
from enact_assets.questions.asked.natural import is_plural
from enact_assets.questions.key_frames.release_deltas import Entry
from enact_assets.settings.components import PARENT_JOINT, Component

ADDED = (
    "{S} {is} now {state}",
    "{S} {has} come to be {state}",
    "{S} {ends} up {state}",
    "{S} {is} {state} from now on",
)
REMOVED = (
    "{S} {is} no longer {state}",
    "{S} {is} not {state} any more",
)
TRANSITION = "{S} {has} turned into {O}"
COOKED_TRANSITION = "{S} {has} turned into something cooked"
"""A transition whose result the release calls nothing but ``cooked``."""

# {O}: the object with its article; {o}: without, for what comes in bulk.
PAIR_STATES = {
    "AttachedTo": "fixed to {O}",
    "Contains": "holding some {o}",
    "Covered": "covered with {o}",
    "Draped": "draped over {O}",
    "Filled": "full of {o}",
    "Grasping": "gripping {O}",
    "Inside": "inside {O}",
    "LeftGrasping": "gripping {O} with the left hand",
    "NextTo": "next to {O}",
    "OnTop": "on top of {O}",
    "Overlaid": "spread over the top of {O}",
    "RightGrasping": "gripping {O} with the right hand",
    "Saturated": "soaked with {o}",
    "Touching": "in contact with {O}",
    "Under": "under {O}",
}
OBJECT_STATES = {
    "Burnt": "burnt",
    "Cooked": "cooked",
    "Folded": "folded up",
    "Frozen": "frozen",
    "HeatSourceOrSink": "giving off heat or cold",
    "Heated": "hot",
    "InFOVofRobot": "in the robot's field of view",
    "OnFire": "on fire",
    "Open": "open",
    "ToggledOn": "switched on",
    "Unfolded": "unfolded",
}

_SINGULAR = {"is": "is", "has": "has", "ends": "ends"}
_PLURAL = {"is": "are", "has": "have", "ends": "end"}


@lru_cache(maxsize=1 << 14)
def release_sentence(entry: Entry, wording: int = 0) -> str:
    """One change as a sentence without its full stop: first letter upper, the rest lower case.

    ``wording`` counts from 0, below four for a state that appears and two for one that ends.
    Errors: :class:`QuestionError` for a state the release does not know.
    """
    operation, _, state, subject, other = entry
    is_transition = operation == "transition"
    named = Component("transition", state, subject).parents if is_transition else (subject,)
    words = {
        **(_PLURAL if len(named) > 1 or is_plural(subject) else _SINGULAR),
        "S": PARENT_JOINT.join(f"the {name}" for name in named),
    }
    if is_transition:
        pattern = COOKED_TRANSITION if other is None else TRANSITION
        return pattern.format_map(words | {"O": f"the {other}"}).capitalize()
    pattern = (ADDED if operation == "add" else REMOVED)[wording]
    return pattern.format_map(words | {"state": _phrase(state, other)}).capitalize()


def release_text(entries: Sequence[Entry], wordings: Sequence[int]) -> str:
    """All changes of one step as the release tells them, ``wordings`` used up in turn.

    What appeared comes first (of single objects, then of pairs), then what ended, then what turned
    into something else; transitions use no wording. Errors: :class:`QuestionError` if there are not
    as many wordings as states, or nothing changes: a valid step has one to five sentences.
    """
    drawn = iter(wordings)
    try:
        sentences = [
            release_sentence(entry, 0 if entry[0] == "transition" else next(drawn))
            for entry in entries
        ]
    except StopIteration:
        sentences = []
    if not sentences or next(drawn, None) is not None:
        n_states = sum(operation != "transition" for operation, *_ in entries)
        raise QuestionError(
            f"{len(wordings)} wordings were drawn for {n_states} states in {entries[:3]}: draws "
            "and changes are of different key frames. Materialize trajectories and qa again."
        )
    return ". ".join(sentences) + "."


def _phrase(state: str, other: str | None) -> str:
    """What ``state`` says of its subject.

    A recording may give a state of pairs to a single object, or the other way round; the release
    counts and words it all the same.
    """
    if state in OBJECT_STATES:
        phrase = OBJECT_STATES[state]
        return phrase if other is None else f"{phrase} with regard to the {other}"
    if state not in PAIR_STATES:
        known = ", ".join(sorted((*OBJECT_STATES, *PAIR_STATES)))
        raise QuestionError(f"no wording for state {state!r} (known: {known})")
    if other is None:
        return PAIR_STATES[state].format(O="something", o="something")
    return PAIR_STATES[state].format(O=f"the {other}", o=other)
