r"""Raw answers -> an order of labels, or a named reason why there is none.

The strict reading, which profile ``paper`` scores. Thoughts are no answer
(:mod:`~enact_assets.questions.asked.thinking`). The last bracketed list that orders all steps
counts, whatever dress it wears (``\boxed{2, 1}``, ``["2", "1"]``, ``<answer>2, 1</answer>``): its
labels are 1..n, or 0..n-1, which is shifted. Without one, the last parentheses, braces or JSON text
that order all steps count: no question asks for these. If nothing orders all steps, the last list
of integers counts: one of fewer than n labels is parsed too, not accepted, but credited with its
steps in order. Anything else is unparsed: numbers without a list, ranges and mappings are not
guessed. So is a refusal, whatever it says. An answer that a limit of tokens cut is read only if it
orders all steps: a shorter list may be the beginning of a longer one. Profile ``release``, and the
second reading of every answer: see :mod:`~enact_assets.questions.asked.release_parsing`.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from enact_assets.questions.asked.refusals_in_words import refuses_in_words
from enact_assets.questions.asked.thinking import without_thinking

Labels = list[Any]
"""An answer as read: integers, or whatever a JSON list holds."""
Reader = Callable[[Any, int], tuple[Labels | None, str | None]]
"""(answer, steps of the question) -> the labels it names or None, and what is wrong with it."""

WRONG_LENGTH = "wrong_length"
REFUSED = "refused"
DECLINED = "declined"
CUT = "cut"
REASONS: Mapping[str, str] = {
    "no_answer": "the model never answered, for an unknown reason",
    "empty_answer": "the answer holds nothing but white space, or nothing but a thought",
    "open_thought": "the answer is a thought that never ends",
    "no_list": "the answer holds no bracketed list of integers",
    DECLINED: "the answer holds no list: it refuses in words, though the provider says nothing",
    WRONG_LENGTH: "the last list has too many entries, or too few and is parsed all the same",
    "not_a_permutation": "the last list repeats a label or names one that was not shown",
    REFUSED: "profile paper: the model or its provider refused to answer",
    CUT: "profile paper: a limit of tokens cut the answer before it named a whole order",
}
"""Why an order is missing (the first), short, or could not be parsed (the others)."""

# Quantifiers that could meet again are possessive, and no match passes an opening bracket of its
# kind: linear in the answer.
_LATEX_SPACE = re.compile(r"\\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z])|\\[,;:! ]|\\q?quad(?![a-z])")
_LATEX_FONT = re.compile(r"\\(?:text|math|mbox|bf|bold)[a-z]*+(?=\s*+\{)")
_MARKUP = re.compile(r"</?(?:b|i|u|p|em|strong|code|span|br)(?:\s[^<>]{0,99})?/?>", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([\"'`*_()#])")
_ARROW = re.compile(r"[-=]{1,9}>|\\(?:long)?(?:[rR]ightarrow|to|implies)(?![A-Za-z])")
_MARKED = (
    ("[", re.compile(r"\[([^\[\]]*+)\]")),
    ("[", re.compile(r"\[((?:\s*+\[[^\[\]]*+\]\s*+[,;>]?+)++\s*+)\]")),
    ("boxed", re.compile(r"\\f?boxed\s*+\{((?:[^{}]++|\{[^{}]*+\})*+)\}")),
    (
        "<",
        re.compile(
            r"<(?:final[_ ]?)?answer>([^<]*+)(?:</(?:final[_ ]?)?answer>|\Z)", re.IGNORECASE
        ),
    ),
    ("<|begin_of_box|>", re.compile(r"<\|begin_of_box\|>([^<]*+)<\|end_of_box\|>")),
    ("[ANSWER]", re.compile(r"\[ANSWER\]([^\[\]]*+)\[/ANSWER\]")),
    (
        ":",
        re.compile(r"[\"'](?:final[_ ]?)?answer[\"']\s*+:\s*+[\"']([^\"']*+)[\"']", re.IGNORECASE),
    ),
)
"""Brackets, tags and the field of JSON that mark an answer, each with what it cannot lack: most
answers have few of them, and looking for a word takes a tenth of the time.
"""
_UNMARKED = (
    ("(", re.compile(r"\(([^()]*+)\)")),
    ("{", re.compile(r"\{([^{}]*+)\}")),
    (":", re.compile(r"[\"']\s*+:\s*+[\"']([^\"']*+)[\"']")),
)
"""Others, which may hold anything."""
_DRESS = re.compile(r"[\"'`*$(){}\u2018\u2019\u201c\u201d«»]++|(?<![A-Za-z])_++|_++(?![\w\s])")
_CALLED = re.compile(
    r"(?:next|future)?[\s_-]{0,3}(?:state|action|image|picture|frame|step|option|no)s?[\s_.-]{0,3}"
    r"|(?:下一)?(?:状态|动作|步骤|图片|图像|图)|#",
    re.IGNORECASE,
)
_AND = r"(?:and|then|&)(?![A-Za-z])\s*+"
_LOOSE = re.compile(rf"\s*+(?:[,;|>]\s*+(?:{_AND})?|{_AND})|\s++", re.IGNORECASE)
_COMMA, _PARTED = re.compile("[,;]"), re.compile("[,;>]")
_NUMBER = re.compile(r"\s*+([+-]?[0-9]++)(?:\.0*+)?\s*+")
_MAX_DIGITS = 9
_MOST_PER_LABEL = 64
"""Characters that one label of a whole list may take, with all that dresses it."""


def read_answer(raw: str | None, n_steps: int) -> tuple[Labels | None, str | None]:
    """The order that ``raw`` names for a question of ``n_steps``, by the strict reading.

    Returns (labels from 1, None), (fewer labels than steps, ``WRONG_LENGTH``), or (None, a key of
    ``REASONS``). Time is linear in the length of ``raw``. Source: paper A.3.2; what counts as a
    list, and shifting, are ours.
    """
    if raw is None:
        return None, "no_answer"
    said = without_thinking(raw)
    if said is None:
        return None, "open_thought"
    text = _plain(said)
    groups = sorted(_groups(text), reverse=True)
    for is_marked, end, start in groups:
        if 2 * n_steps - 1 <= end - start <= _MOST_PER_LABEL * n_steps:
            labels, reason = as_order(_entries(text[start:end], is_marked=is_marked), n_steps)
            if labels is not None and reason is None:
                return labels, None
    for is_marked, end, start in groups:
        if is_marked and (entries := _listed(text[start:end])):
            return as_order(entries, n_steps)
    if not said.strip():
        return None, "empty_answer"
    return None, DECLINED if refuses_in_words(said) else "no_list"


def as_order(entries: Sequence[int], n_steps: int) -> tuple[Labels | None, str | None]:
    """``entries`` as labels from 1, and what is wrong with them, as :func:`read_answer` has it."""
    if len(entries) > n_steps:
        return None, WRONG_LENGTH
    labels = [label + 1 for label in entries] if 0 in entries else list(entries)
    if not labels or len(set(labels)) < len(labels) or min(labels) < 1 or max(labels) > n_steps:
        return None, "not_a_permutation"
    return labels, WRONG_LENGTH if len(labels) < n_steps else None


def heed_stop(
    read: tuple[Labels | None, str | None], stop: str | None
) -> tuple[Labels | None, str | None]:
    """What :func:`read_answer` found, of a model that stopped for the reason ``stop``.

    ``stop`` is that of ``predictions``; None changes nothing. A refusal names no order, a cut
    answer only a whole one.
    """
    if stop == "refused":
        return None, REFUSED
    if stop == "cut" and read[1] is not None:
        return None, CUT
    return read


def _groups(text: str) -> list[tuple[bool, int, int]]:
    """Whether two brackets mark an answer, and end and start of the text between them."""
    return [
        (is_marked, *found.span(1)[::-1])
        for patterns, is_marked in ((_MARKED, True), (_UNMARKED, False))
        for needed, pattern in patterns
        if needed in text
        for found in pattern.finditer(text)
    ]


def _entries(inside: str, *, is_marked: bool) -> list[int]:
    """Numbers of a group, if there is nothing else in it; where it marks an answer, words such as
    `Action` may precede each, and `and`, arrows or blanks may part them.
    """
    inside = _undressed(inside)
    if not is_marked:
        return _numbers(_PARTED.split(inside))
    return _numbers(_LOOSE.split(_CALLED.sub("", inside).strip()))


def _listed(inside: str) -> list[int]:
    """Numbers of a group that is a list of integers by its commas."""
    return _numbers(_COMMA.split(_undressed(inside)))


def _undressed(inside: str) -> str:
    """``inside`` without what dresses its entries, which lists within lists part."""
    return _DRESS.sub("", inside.replace("[", " ").replace("]", " "))


def _numbers(entries: Sequence[str]) -> list[int]:
    """``entries`` as integers, a trailing comma left out; none if one is anything else."""
    if len(entries) > 1 and not entries[-1].strip():
        entries = entries[:-1]
    found = [_NUMBER.fullmatch(entry) for entry in entries]
    # int() refuses thousands of digits, and no label has more than a few.
    return [int(f[1]) if len(f[1]) <= _MAX_DIGITS else -1 for f in found if f] if all(found) else []


def _plain(text: str) -> str:
    """``text`` with ASCII for digits, brackets and commas of other scripts, without LaTeX."""
    if not text.isascii():
        text = text.translate(_PLAIN)
    if ">" in text or "\\" in text:
        text = _MARKUP.sub(" ", _ARROW.sub(">", text))
    if "\\" not in text:
        return text
    text = _LATEX_FONT.sub("", _LATEX_SPACE.sub(" ", _ESCAPED.sub(r"\1", text)))
    text = text.replace("{,}", ",")
    for brackets in ("[]", "{}"):
        for bracket in brackets:
            text = text.replace(f"\\{bracket}", bracket)
    return text.replace("\\lbrack", "[").replace("\\rbrack", "]")


class _Characters(dict[int, str]):
    """What stands for a character, found when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        digit = unicodedata.decimal(character, None)
        if digit is not None:
            found = str(digit)
        elif unicodedata.category(character) == "Cf":  # zero-width spaces, marks of direction
            found = ""
        elif unicodedata.east_asian_width(character) == "F":
            found = unicodedata.normalize("NFKC", character)
        else:
            found = character
        self[code] = found
        return found


_PLAIN = _Characters(
    {ord(a): b for a, b in zip("【】〔〕〖〗「」⟦⟧、،→⇒➔➜⟶", "[][][][][],,>>>>>", strict=True)}  # noqa: RUF001 - these are what is read
    | {ord(a): str(b) for b, a in enumerate("①②③④⑤⑥⑦⑧⑨", start=1)}
)
