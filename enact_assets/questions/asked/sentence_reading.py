"""English sentences back into the components that they tell of: the inverse of ``natural``."""

import re
from functools import lru_cache

from enact_assets.engine.errors import QuestionError
from enact_assets.questions.asked.natural import AGREEMENTS, HALF, HALVES, PHRASINGS
from enact_assets.settings.components import PARENT_JOINT, Component, Operation

_ACTION = re.compile(r"^\[Action (\d+)\] (.+)$", re.MULTILINE)
_JOINT = re.compile(f"{PARENT_JOINT}(?:the|a(?= {HALF})) ")


def actions_of(prompt: str) -> list[list[Component]]:
    """Components of each action that ``prompt`` lists, in the order of their numbers.

    Only the words count. Objects have the names that sentences give them; an object that several
    became one of has its parents joined by " and ". Errors: :class:`QuestionError` for a sentence
    that is none of ours (another wording, a release's own), and for actions not numbered from 1.
    """
    found = [(int(number), text) for number, text in _ACTION.findall(prompt)]
    numbers = [number for number, _ in found]
    if not numbers or numbers != list(range(1, len(numbers) + 1)):
        raise QuestionError(
            f"the prompt lists actions {numbers or 'of no number'}; expected lines that begin "
            "with [Action 1], [Action 2] and so on"
        )
    return [[component_of(sentence) for sentence in _sentences(text)] for _, text in found]


@lru_cache(maxsize=1 << 14)
def component_of(sentence: str) -> Component:
    """The component that one sentence, without its full stop, tells of.

    Where a sentence can be split in several ways, the one with the shortest names counts: a longer
    one has words of the phrasing in it. Errors: :class:`QuestionError` if it is none of ours.
    """
    found = []
    for operation, predicate, pattern in _PATTERNS:
        match = pattern.fullmatch(sentence)
        if match is not None:
            subject = _JOINT.sub(PARENT_JOINT, match["subject"])
            thing = match.groupdict().get("object")
            is_halved = operation == "transition" and thing is None
            found.append(
                Component(operation, predicate, subject, HALF + subject if is_halved else thing)
            )
    if not found:
        raise QuestionError(
            f"{sentence!r} is not a sentence in the wording 'natural' of this project"
        )
    return min(found, key=lambda component: len(f"{component.subject}{component.object}"))


def _sentences(text: str) -> list[str]:
    return [stripped for part in text.split(".") if (stripped := part.strip())]


def _pattern(operation: str, phrasing: str) -> re.Pattern[str]:
    text = re.escape(phrasing).replace(r"\{", "{").replace(r"\}", "}")
    for field, words in AGREEMENTS.items():
        text = text.replace(f"{{{field}}}", f"(?:{'|'.join(words)})")
    text = text.replace("{S}", f"(?:[Tt]he|[Aa](?= {HALF})) (?P<subject>.+?)")
    named = f"(?:the|a(?= {HALF})) {{o}}"
    text = text.replace("{O}", f"(?:{named}|{HALVES})" if operation == "transition" else named)
    return re.compile(text.replace("{o}", "(?P<object>.+?)"))


_OPERATIONS: dict[str, Operation] = {o: o for o in ("add", "remove", "transition")}
_PATTERNS = tuple(
    (_OPERATIONS[operation], predicate, _pattern(operation, phrasing))
    for (operation, predicate), phrasings in PHRASINGS.items()
    for phrasing in phrasings
)
