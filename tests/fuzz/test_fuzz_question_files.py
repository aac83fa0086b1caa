"""Question and answer files in any state: refused by line and field, or kept to the byte."""

import codecs
import json
from typing import Any

import pytest
from fuzz_cases import fuzz, junk_values, read_file, scratch
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import QuestionFileError
from enact_assets.questions.asked.official import (
    FIELDS,
    encode_answer,
    read_answers,
    read_questions,
    write_questions_file,
)
from enact_assets.questions.asked.official_rows import from_rows, to_rows

from reference.broken_recordings import BYTES, JUNK
from reference.official_questions import question_fields

pytestmark = pytest.mark.slow

STEPS = "world_modeling"
TYPES = (
    *(f"forward_{STEPS}_1_steps", f"inverse_{STEPS}_2_steps", f"forward_{STEPS}_99_steps"),
    f"forward_{STEPS}_ordering_10_steps",
)
NAMES = ("../../../etc/passwd", "/etc/passwd", "\\\\host\\share", "task/../..", "~root", "%2e%2e/")
IDS = (["1", "1", "1"], *([first, "1", "2"] for first in ("-1", "٣", "9" * 16)))
IMAGES = tuple([first, "b", "c"] for first in ("a/../../b.png", "C:b.png", "\0"))
ANSWERS = ([2, 1, 3], [10**40, 1], [1.0, 2.0], ["1", "2"], [True, 2])
HOSTILE: list[Any] = [*JUNK, "a" * 2_000_000, *TYPES, *NAMES, *IDS, *IMAGES, *ANSWERS]


def fields(
    length: int = 3, kind: str = "forward", task: str = "setting_the_table_1"
) -> dict[str, Any]:
    ids, answer = tuple(str(60 + 100 * k) for k in range(length)), list(range(1, length))
    return question_fields(ids, kind, task, question="Which comes first?\n", gt_answer=answer)


values = junk_values(st.sampled_from(HOSTILE))
separators = st.sampled_from([(", ", ": "), (",", ":"), (" ,\t", " : ")])


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """A question, with up to two fields damaged and up to three places of its text."""
    row = fields(draw(st.integers(2, 10)), draw(st.sampled_from(["forward", "inverse"])))
    row["id"] += draw(st.sampled_from(["", "", "a", "b"]))
    if draw(st.booleans()):
        row["answer"] = draw(values)
    for _ in range(draw(st.integers(0, 2))):
        name = draw(st.sampled_from([*FIELDS, *FIELDS, "answer", "extra", "", "\udc00"]))
        match draw(st.sampled_from(["replace", "replace", "remove", "item"])):
            case "replace":
                row[name] = draw(values)
            case "remove":
                row.pop(name, None)
            case _ if isinstance(row.get(name), list) and row[name]:
                items = list(row[name])
                items[draw(st.integers(0, len(items) - 1))] = draw(values)
                row[name] = items
            case _:
                pass
    text = json.dumps(row, ensure_ascii=draw(st.booleans()), separators=draw(separators))
    data = text.encode("utf-8", draw(st.sampled_from(["surrogatepass", "replace"])))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 3]))):
        at = draw(st.integers(0, len(data)))
        match draw(st.sampled_from(["cut", "insert", "replace", "extra field"])):
            case "cut":
                data = data[:at]
            case "insert":
                data = data[:at] + draw(st.sampled_from(BYTES)) + data[at:]
            case "replace":
                data = data[:at] + draw(st.binary(max_size=3)) + data[at + 2 :]
            case _:
                junk = draw(st.sampled_from(BYTES) | st.binary(max_size=6))
                quote = b'"' if draw(st.booleans()) else b""
                data = data.rstrip()[:-1] + b', "x' + junk + b'": ' + quote + junk + quote + b"}"
    return data


files = st.lists(lines() | st.sampled_from(BYTES), min_size=1, max_size=3).map(b"\n".join)


@given(files)
@fuzz()
def test_a_question_file_is_refused_or_kept_to_the_byte(data: bytes) -> None:
    found = read_file("question files", "asked.jsonl", data, read_questions, QuestionFileError)
    if found is None:
        return
    kept = from_rows(to_rows("fuzz", found, "sha"))
    assert kept == found
    with scratch() as folder:
        write_questions_file(folder / "again.jsonl", kept)
        assert (folder / "again.jsonl").read_bytes() == b"".join(f + b"\n" for f in filled(data))
    for question in kept:
        encode_answer(question, "[1, 2]").encode()


def filled(data: bytes) -> list[bytes]:
    """Lines that are not blank."""
    text = data.removeprefix(codecs.BOM_UTF8)
    return [line for line in text.split(b"\n") if line.strip()]


@given(files)
@fuzz()
def test_an_answer_file_is_refused_or_read_row_by_row(data: bytes) -> None:
    found = read_file("answer files", "answers.jsonl", data, read_answers, QuestionFileError)
    assert found is None or sum(map(len, found)) == len(filled(data))
