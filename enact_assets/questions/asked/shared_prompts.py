"""The prompt that all questions of an imported file share: their text without the actions.

The paper prints its prompts in figures 14 and 15, and each question of the published file carries
the text that a model gets. A variant may ask questions of ours in these words; they are read from
the user's file and are no part of this package.
"""

import hashlib
import re
from collections.abc import Iterable

import polars as pl

from enact_assets.engine.errors import QuestionFileError
from enact_assets.engine.plurals import counted, named
from enact_assets.questions.asked.templates import KINDS, checked_template
from enact_assets.settings.classes import ANY_FILE, Prompts

PUBLISHED = {
    "forward": "dace9970955ccb1ea79af65eb61a08017ecb47a4e8ccbc4923695d0419925a31",
    "inverse": "fa60ca8d6e66796b9c76b3519e0c34e6300cfae1240ddf637a6abb76b8397f95",
}
"""Kind -> :func:`words_sha` of the paper's prompt, as in ``published_settings``."""

_ACTION = re.compile(r"\[Action [0-9]+\][^\n]*")
_BLANK = re.compile(r"[\t\n\f\r ]+")
_LINES = re.compile(
    r"^\[Action [1-9][0-9]?\] [^\n]*(?:\n\[Action [1-9][0-9]?\] [^\n]*)*", re.MULTILINE
)
_LABEL = re.compile(r"^\[Action ([0-9]+)\]", re.MULTILINE)
N_SHOWN = 3
LETTERS = 40
SEE_MODELS = "(docs/models.md, Prompts of your own)"


def words_sha(prompt: str) -> str:
    """SHA-256 of a prompt without its actions, blanks as one: how ``comparable_with_published``
    knows the words of a prompt.
    """
    return hashlib.sha256(_BLANK.sub(" ", _ACTION.sub("", prompt)).encode()).hexdigest()


def shared_prompts(official_questions: pl.DataFrame, question_file: str) -> Prompts:
    """The prompts of ``question_file``, with ``{actions}`` in place of the lines of the actions.

    ``official_questions`` has the rows of all imported files. ``ANY_FILE`` stands for the first
    file, by name, whose questions are in the paper's words, by :data:`PUBLISHED`; each kind has a
    file of its own. Filled in with the actions of a question, a prompt is the question's text.
    Errors: :class:`QuestionFileError` if the file, a kind in it, or a file in the paper's words is
    missing; for the first question whose text has other words than those of its kind before it; for
    one without lines of its actions; and for a text with braces, which a template cannot have.
    """
    columns = ("question_file", "line", "kind", "length", "question")
    rows = official_questions.select(columns).sort("question_file", "line")
    found = {}
    for kind in KINDS:
        of_kind = rows.filter(kind=kind)
        is_any = question_file == ANY_FILE
        name = _in_published_words(of_kind, kind) if is_any else question_file
        found[kind] = _shared(of_kind.filter(question_file=name), name, kind)
    return Prompts(**found)


def _in_published_words(rows: pl.DataFrame, kind: str) -> str:
    """The first file with ``rows`` of which all are in the paper's words, else one of which some
    are: its other rows are then named.
    """
    some, names = None, rows["question_file"].unique(maintain_order=True).to_list()
    for name in names:
        texts = rows.filter(question_file=name)["question"]
        n = sum(words_sha(text) == PUBLISHED[kind] for text in texts)
        if n == len(texts):
            return str(name)
        some = name if n and some is None else some
    if some is not None:
        return str(some)
    where = f"({named(names, N_SHOWN)})" if names else "(there is none)"
    raise QuestionFileError(
        f"prompts: as_published: no {kind} question of an imported file {where} has the words of "
        "the paper's prompt. Import the published questions with `enact-assets import QA.zip`, or "
        f"name a file: `prompts: {{question_file: NAME}}` {SEE_MODELS}."
    )


def _shared(rows: pl.DataFrame, name: str, kind: str) -> str:
    """The template of ``rows``, all of one file and kind."""
    if rows.is_empty():
        raise QuestionFileError(
            f"question file {name!r}: no {kind} question, so it has no {kind} prompt. Import a "
            f"file of this name with questions of both kinds, or name another one {SEE_MODELS}."
        )
    lines, lengths, texts = (rows[column].to_list() for column in ("line", "length", "question"))
    frames = [
        _frame(text, length, f"question file {name!r}, line {line}")
        for line, length, text in zip(lines, lengths, texts, strict=True)
    ]
    before, after = frames[0]
    other = next((k for k, frame in enumerate(frames) if frame != frames[0]), None)
    if other is not None:
        n = sum(frame != frames[0] for frame in frames)
        theirs, expected = _first_difference(frames[other], frames[0])
        raise QuestionFileError(
            f"question file {name!r}, line {lines[other]}: its prompt has {theirs!r} where that of "
            f"line {lines[0]} has {expected!r}. {counted(n, 'question')} of {len(frames):,} "
            f"{kind} ones differ from line {lines[0]}. A variant asks in the words of a file only "
            f"if all its {kind} questions have the same; write them into a folder otherwise "
            f"{SEE_MODELS}."
        )
    if "{" in before + after or "}" in before + after:
        raise QuestionFileError(
            f"question file {name!r}, line {lines[0]}: its prompt has braces, which mark "
            f"placeholders. Write the prompts into a folder {SEE_MODELS}."
        )
    return checked_template(f"{before}{{actions}}{after}", f"of question file {name!r}")


def _frame(text: str, length: int, where: str) -> tuple[str, str]:
    """What comes before and after the lines of the actions of a question."""
    labels = list(range(1, length))
    found = [m for m in _LINES.finditer(text) if [int(k) for k in _LABEL.findall(m[0])] == labels]
    if len(found) != 1:
        raise QuestionFileError(
            f"{where}: expected the lines [Action 1] to [Action {length - 1}] once in its text, "
            f"found {len(found)} times"
        )
    return text[: found[0].start()], text[found[0].end() :]


def _first_difference(frame: Iterable[str], other: Iterable[str]) -> tuple[str, str]:
    """Where two frames first differ: the text there in each."""
    for one, two in zip(frame, other, strict=True):
        if one != two:
            pairs = enumerate(zip(one, two, strict=False))
            at = next((k for k, (a, b) in pairs if a != b), min(len(one), len(two)))
            return one[at : at + LETTERS], two[at : at + LETTERS]
    raise ValueError("equal frames")
