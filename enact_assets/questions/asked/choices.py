"""Questions that name one of four options: WorldPrediction's. How their answers are read."""

import json
import re

from enact_assets.questions.asked.parsing import CUT, DECLINED, REASONS, REFUSED
from enact_assets.questions.asked.refusals_in_words import refuses_in_words
from enact_assets.questions.asked.thinking import without_thinking
from enact_assets.settings.world import LETTERS, WM

ANSWER_KEYS = ("action", "plan", "answer")
NO_LETTER = "no_letter"
WORDS = {**REASONS, NO_LETTER: "the answer names none of the four options, or several"}
"""Reasons in words."""
_OBJECT = re.compile(r"\{[^{}]*\}")
_LONE = re.compile(r"(?<![A-Za-z])([A-D])(?![A-Za-z])")


def answer_key(kind: str) -> str:
    """The key under which the release asks for an answer, for a kind or task."""
    return "action" if kind.startswith(WM) else "plan"


def answer_text(kind: str, letter: str) -> str:
    """An answer as the release asks for it: ``{"action": "A"}``."""
    return json.dumps({answer_key(kind): letter})


def read_letter(text: str, stop: str | None = None) -> tuple[str | None, str | None]:
    """The letter that an answer names: that of its last JSON object, else the only letter A to D
    that is a separate word; None if there is none, or several that differ; and why there is none:
    ``no_letter``, or a key of ``parsing.REASONS``. Thoughts are left out.

    ``stop`` is why the model stopped: a refusal names no letter, a cut answer only one in a whole
    JSON object.
    """
    if stop == "refused":
        return None, REFUSED
    said = without_thinking(text)
    for found in reversed(_OBJECT.findall(said or "")):
        letter = _letter_of(found)
        if letter is not None:
            return letter, None
    if stop == "cut":
        return None, CUT
    lone = set(_LONE.findall(said or ""))
    return (lone.pop(), None) if len(lone) == 1 else (None, _why_unread(said))


def _why_unread(said: str | None) -> str:
    """Why what is said names no letter."""
    if said is None:
        return "open_thought"
    if not said.strip():
        return "empty_answer"
    return DECLINED if refuses_in_words(said) else NO_LETTER


def _letter_of(text: str) -> str | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    values = [found[key] for key in ANSWER_KEYS if key in found]
    letters = [v.strip().upper() for v in values if isinstance(v, str)]
    return letters[-1] if letters and letters[-1] in set(LETTERS) else None
