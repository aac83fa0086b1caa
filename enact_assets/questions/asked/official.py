"""Question and answer files of the public release: JSON lines, read and written strictly.

A question file has one object per line with the fields of :class:`OfficialQuestion`, an answer file
the same objects with ``answer`` added. A question that is written the way the release writes it
(fields in this order, ``", "`` and ``": "`` between them, ASCII only) is its fields; of any other
the line is kept as found. So a file read and written again has the same bytes in either case.
Source: definitions.md R13.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from math import isnan
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import msgspec

from enact_assets.engine.errors import (
    GivenTextError,
    OutputError,
    QuestionError,
    QuestionFileError,
)
from enact_assets.engine.given_files import open_given
from enact_assets.engine.given_text import SAVE_AS_UTF8, nfc, without_mark
from enact_assets.engine.system.atomic import replacing
from enact_assets.questions.asked.templates import check_kind
from enact_assets.settings.classes import is_partition_name

IMAGE_FOLDER = "QA/images"
ID_DIGITS = 8

_TYPE = re.compile(r"(forward|inverse)_world_modeling(_ordering)?_([1-9][0-9]?)_steps")
_FRAME_ID = re.compile(r"[0-9]{1,15}")


class OfficialQuestion(msgspec.Struct, frozen=True):
    """What a question says.

    ``key_frame_ids`` has one entry per key frame, in true order; ``images`` as many paths of
    pictures, in the order shown, the current state first. ``gt_answer`` is the label shown for each
    step in turn, from 1; it is empty in an unlabelled question, as held-out sets have them, whose
    ``key_frame_ids`` may be empty, too.
    """

    id: str
    type: str
    task_name: str
    key_frame_ids: list[str]
    images: list[str]
    question: str
    options: list[Any]
    gt_answer: list[int]

    @property
    def is_unlabelled(self) -> bool:
        """Whether its answer is not known: it is asked, and never scored."""
        return not self.gt_answer


class _GivenQuestion(msgspec.Struct, frozen=True):
    """As :class:`OfficialQuestion`; what held-out sets leave out may be missing."""

    id: str
    type: str
    task_name: str
    images: list[str]
    question: str
    key_frame_ids: list[str] = msgspec.field(default_factory=list)
    options: list[Any] = msgspec.field(default_factory=list)
    gt_answer: list[int] | None = None


class ImportedQuestion(OfficialQuestion, frozen=True):
    """A question as a file has it, in line ``line`` from 1.

    ``as_found`` is the whole line if the release would have written the question otherwise, e.g.
    without a further field; the line is then what is written again.
    """

    line: int
    as_found: str | None


class OfficialAnswer(msgspec.Struct, frozen=True):
    """What evaluation reads of a question and its answer; the release skips rows without them."""

    id: str | None = None
    type: str | None = None
    task_name: str | None = None
    key_frame_ids: list[str] | None = None
    gt_answer: list[int] | None = None
    answer: Any = None
    """Any JSON value, as the file has it."""


class _GivenAnswer(msgspec.Struct, frozen=True):
    """As :class:`OfficialAnswer`, with ids that data frames turned into numbers."""

    id: str | int | float | None = None
    type: str | None = None
    task_name: str | None = None
    key_frame_ids: list[str | int | float] | None = None
    gt_answer: list[int] | None = None
    answer: Any = None


Record = TypeVar("Record")

FIELDS: tuple[str, ...] = OfficialQuestion.__struct_fields__
"""Fields of a question, in the order in which the release writes them."""

_LACKING = "Object missing required field"

_as_question = msgspec.json.Decoder(_GivenQuestion)
_as_answer = msgspec.json.Decoder(_GivenAnswer)
_NO_JSON_NUMBER = re.compile(rb"\bNaN\b|\bInfinity\b")


def question_type(kind: str, length: int, *, is_published: bool = False) -> str:
    """The release's name for questions of ``kind`` over ``length`` key frames.

    The published data set uses other names than the release's code (``is_published``).
    """
    check_kind(kind)
    return f"{kind}_world_modeling_{'ordering_' if is_published else ''}{length}_steps"


def parse_type(text: str) -> tuple[str, int]:
    """Kind and number of key frames of a type in either naming.

    Errors: :class:`QuestionError` for any other text.
    """
    found = _TYPE.fullmatch(text)
    if found is None:
        known = question_type("forward", 3), question_type("inverse", 10, is_published=True)
        raise QuestionError(
            f"unknown type of question {text!r:.80} (expected like {' or '.join(known)})"
        )
    return found[1], int(found[3])


def official_id(task_name: str, question_type: str, key_frame_ids: Iterable[str]) -> str:
    """The release's id of a question: task, type and a hash of key frames (definitions.md R13)."""
    digest = hashlib.sha256("_".join(key_frame_ids).encode()).hexdigest()
    return f"{task_name}_{question_type}_{digest[:ID_DIGITS]}"


def image_paths(question_id: str, question_type: str, task_name: str, length: int) -> list[str]:
    """Where the release puts the pictures of a question, the current state first."""
    stem = f"{IMAGE_FOLDER}/{question_type}/{task_name}/{question_id}"
    return [f"{stem}_cur_state.png", *(f"{stem}_next_state_{k}.png" for k in range(1, length))]


def read_questions(path: Path) -> list[ImportedQuestion]:
    """All questions of a file, in order; empty lines are passed over.

    Errors: :class:`QuestionFileError` names file, line and field of what is not as expected: no
    JSON object, a field missing or of another type, an unknown type, numbers of key frames,
    pictures or labels that do not agree, an answer that is not an order, an id that came before, a
    task's name or a picture's path that could lead out of its folder.
    """
    questions, line_of = [], dict[str, int]()
    for number, line in numbered_lines(path):
        where = f"{path}, line {number}"
        fields = decode_question(line, where)
        first = line_of.setdefault(nfc(fields.id), number)
        if first != number:
            raise QuestionFileError(f"{where}, field 'id': {fields.id!r:.120} came in line {first}")
        as_found = None if _encode(fields).encode() == line else _text(line, where)
        questions.append(ImportedQuestion(**_fields(fields), line=number, as_found=as_found))
    return questions


def decode_question(line: bytes, where: str) -> OfficialQuestion:
    """The question on one line. Errors: as :func:`read_questions`, with ``where``."""
    given = decode_line(_as_question, line, where)
    about = given.id, given.type, given.task_name, given.key_frame_ids, given.images
    question = OfficialQuestion(*about, given.question, given.options, given.gt_answer or [])
    _check_fields(question, where)
    return question


def read_answers(path: Path) -> tuple[list[OfficialAnswer], list[str]]:
    """All rows of an answer file, in order, and what is wrong with others: file, line and field of
    a line that is not a JSON object or has a field of another type. Empty lines are passed over.

    Fields may be missing or null: which rows count is decided by evaluation (definitions.md R15.5).
    Ids may be numbers. Errors: :class:`QuestionFileError` for a file that cannot be read, or of
    which no row can.
    """
    rows, bad = [], []
    for number, line in numbered_lines(path):
        try:
            rows.append(_decoded_answer(line, f"{path}, line {number}"))
        except QuestionFileError as error:
            bad.append(str(error))
    if bad and not rows:
        raise QuestionFileError(f"{bad[0]} (none of {len(bad)} rows can be read)")
    return rows, bad


def _decoded_answer(line: bytes, where: str) -> OfficialAnswer:
    given = decode_line(_as_answer, line, where)
    ids = given.key_frame_ids
    return OfficialAnswer(
        _as_text(given.id),
        given.type,
        given.task_name,
        None if ids is None else [_as_text(i) or "" for i in ids],
        given.gt_answer,
        given.answer,
    )


def _as_text(given: str | float | None) -> str | None:
    """An id as text; None of one that is no number."""
    if isinstance(given, float):
        return f"{given:.0f}" if given.is_integer() else None if isnan(given) else str(given)
    return given if given is None else str(given)


def write_questions_file(path: Path, questions: Iterable[OfficialQuestion]) -> int:
    """Write a question file, whole or not at all; returns how many questions it has.

    Errors: :class:`OutputError`.
    """
    return _write(path, map(encode_question, questions))


def encode_question(question: OfficialQuestion) -> str:
    """The line of a question file, without its end."""
    return _found_in(question) or _encode(question)


def encode_answer(question: OfficialQuestion, answer: Any) -> str:
    """The line of an answer file: the question's fields, and ``answer`` as the last one.

    Where the question brought an answer of its own, this one takes its place.
    """
    line = _found_in(question)
    if line is None:
        return json.dumps({**_fields(question), "answer": answer})
    fields = json.loads(line)
    if "answer" in fields:
        return json.dumps(fields | {"answer": answer}, ensure_ascii=line.isascii())
    return f'{line.rstrip().removesuffix("}")}, "answer": {json.dumps(answer)}}}'


def _found_in(question: OfficialQuestion) -> str | None:
    return question.as_found if isinstance(question, ImportedQuestion) else None


def _write(path: Path, lines: Iterable[str]) -> int:
    n = 0
    try:
        with replacing(path) as temporary, temporary.open("wb") as file:
            for line in lines:
                file.write(line.encode() + b"\n")
                n += 1
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror})") from error
    return n


def _fields(question: OfficialQuestion) -> dict[str, Any]:
    return {name: getattr(question, name) for name in FIELDS}


def _encode(question: OfficialQuestion) -> str:
    return json.dumps(_fields(question))


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines that are not empty, with their numbers from 1, without their ends.

    Errors: :class:`QuestionFileError` if the file cannot be read.
    """
    try:
        with open_given(path) as file:
            for number, line in enumerate(file, start=1):
                if number == 1:
                    line = without_mark(line)  # noqa: PLW2901 - the same line
                if line.strip():
                    yield number, line.removesuffix(b"\n")
    except GivenTextError as error:
        raise QuestionFileError(f"{path}, {error}. {SAVE_AS_UTF8}") from None
    except OSError as error:
        raise QuestionFileError(f"{path}: cannot be read ({error.strerror})") from error


def _text(line: bytes, where: str) -> str:
    """A line as text: text outside the parsed fields was not checked so far."""
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise QuestionFileError(f"{where}: not UTF-8 at byte {error.start} of the line") from None


def decode_line(decoder: msgspec.json.Decoder[Record], line: bytes, where: str) -> Record:
    """What a line holds. Errors: :class:`QuestionFileError` names ``where`` and the field."""
    try:
        return decoder.decode(line)
    except msgspec.ValidationError as error:
        # A line may lack a field before something else shows that it is no JSON at all.
        plain = _plain(line, where)
        expected = _expected(plain) if str(error).startswith(_LACKING) else ""
        raise QuestionFileError(f"{where}{_by_field(error)}{expected}") from None
    except UnicodeDecodeError as error:
        raise QuestionFileError(f"{where}: not UTF-8 at byte {error.start} of a text") from None
    except (msgspec.DecodeError, RecursionError) as error:
        if _NO_JSON_NUMBER.search(line):
            return _decode_python(decoder, line, where, error)
        raise _no_json(where, error) from None


def _decode_python(
    decoder: msgspec.json.Decoder[Record], line: bytes, where: str, problem: Exception
) -> Record:
    """As :func:`decode_line`, of a line with NaN or Infinity, which Python writes into JSON."""
    try:
        found = json.loads(line)
        json.dumps(found, ensure_ascii=False).encode()  # half characters cannot be written again
        return msgspec.convert(found, decoder.type)
    except msgspec.ValidationError as error:
        raise QuestionFileError(f"{where}{_by_field(error)}") from None
    except (ValueError, RecursionError):
        raise _no_json(where, problem) from None


def _by_field(error: msgspec.ValidationError) -> str:
    """What follows the place of a line: the field, if one is named, and what is wrong."""
    message, _, place = str(error).partition(" - at `$.")
    return (f", field {place.removesuffix('`')!r}" if place else "") + f": {message}"


def _plain(line: bytes, where: str) -> object:
    """A line as JSON of any kind; nothing if one of its texts is no text."""
    try:
        return msgspec.json.decode(line)
    except UnicodeDecodeError:  # in a text that is in none of the fields that are read
        return {}
    except (msgspec.DecodeError, RecursionError) as error:
        raise _no_json(where, error) from None


def _no_json(where: str, error: Exception) -> QuestionFileError:
    return QuestionFileError(f"{where}: not a JSON object on one line ({error})")


def _expected(plain: object) -> str:
    """Advice for a file that is not a question file."""
    is_answer = isinstance(plain, dict) and "answer" in plain
    other = " These look like answers: `enact-assets eval` scores them." if is_answer else ""
    return f". Expected a question file: each line has {', '.join(FIELDS)}.{other}"


def _check_fields(question: OfficialQuestion, where: str) -> None:
    """Raise :class:`QuestionFileError` for the first field whose value contradicts the format."""

    def require(is_right: object, field: str, expected: str, found: object) -> None:
        if not is_right:
            raise QuestionFileError(
                f"{where}, field {field!r}: expected {expected}, is {found!r:.120}"
            )

    require(question.id, "id", "a name", question.id)
    require(
        is_partition_name(question.task_name),
        "task_name",
        "letters a to z and A to Z, digits and _.:+@- (at most 120, no '..')",
        question.task_name,
    )
    try:
        length = parse_type(question.type)[1]
    except QuestionError as error:
        raise QuestionFileError(f"{where}, field 'type': {error}") from None
    ids, images, answer = question.key_frame_ids, question.images, question.gt_answer
    if ids or answer:
        require(len(ids) == length, "key_frame_ids", f"{length} entries", ids)
    for k, frame_id in enumerate(ids):
        require(_FRAME_ID.fullmatch(frame_id), f"key_frame_ids[{k}]", "digits", frame_id)
    require(len(images) == length, "images", f"{length} entries", images)
    for k, image in enumerate(images):
        require(_stays_inside(image), f"images[{k}]", "a path that stays in its folder", image)
    require(
        not answer or sorted(answer) == list(range(1, length)),
        "gt_answer",
        f"an order of the numbers 1 to {length - 1}",
        answer,
    )


def _stays_inside(path: str) -> bool:
    """Whether a relative path, read on any system, cannot leave the folder it starts in."""
    parts: Sequence[str] = PurePosixPath(path.replace("\\", "/")).parts
    return bool(parts) and parts[0] != "/" and ".." not in parts and ":" not in parts[0]
