"""Question files of the release: read strictly, written again to the byte."""

import contextlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from enact_assets.engine.errors import OutputError, QuestionError, QuestionFileError
from enact_assets.engine.ids import sha256_bytes
from enact_assets.questions.asked.official import (
    FIELDS,
    OfficialQuestion,
    encode_answer,
    image_paths,
    official_id,
    parse_type,
    question_type,
    read_answers,
    read_questions,
    write_questions_file,
)
from enact_assets.questions.asked.official_rows import from_rows, to_rows
from enact_assets.questions.asked.templates import KINDS

from reference.official_questions import question_fields
from reference.official_sample import sample_of_160


@pytest.fixture(scope="module")
def official_file() -> Path:
    return sample_of_160()


def fields(**changed: Any) -> dict[str, Any]:
    """One valid question as a dictionary in the release's order of fields."""
    question = 'Which image comes first?\nSay "1" or \\2, caf\u00e9.'
    return question_fields(**{"question": question, **changed})


def write(path: Path, *lines: str | bytes | dict[str, Any]) -> Path:
    encoded = [
        line
        if isinstance(line, bytes)
        else (line if isinstance(line, str) else json.dumps(line)).encode()
        for line in lines
    ]
    path.write_bytes(b"".join(line + b"\n" for line in encoded))
    return path


def test_the_official_questions_round_trip_to_the_byte(official_file: Path, tmp_path: Path) -> None:
    """A question set that changes on its way through a tool is another question set."""
    questions = read_questions(official_file)
    assert len(questions) == 160
    assert all(question.as_found is None for question in questions)
    sha = sha256_bytes(official_file.read_bytes())
    rows = to_rows("sample160", questions, sha)
    for k, kept in enumerate((questions, from_rows(rows))):
        out = tmp_path / f"{k}.jsonl"
        assert write_questions_file(out, kept) == 160
        assert out.read_bytes() == official_file.read_bytes()
    assert rows.group_by("kind", "length").len()["len"].to_list() == [10] * 16
    assert set(rows["source_sha"]) == {sha}


def test_official_ids_and_image_paths_follow_from_their_key_frames(official_file: Path) -> None:
    """Ids that cannot be derived anew cannot be matched with anybody's answers."""
    for question in read_questions(official_file):
        ids, type_, task = question.key_frame_ids, question.type, question.task_name
        kind, length = parse_type(type_)
        assert question.id == official_id(task, type_, ids)
        assert question.images == image_paths(question.id, type_, task, length)
        assert type_ == question_type(kind, length, is_published=True)
        assert len(ids) == length


_texts = st.text(st.characters(codec="utf-8"), max_size=8)
_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def foreign_lines(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    """(known fields, further fields, a line with both) in any order, spacing and escaping."""
    values = fields(question=draw(_texts), options=draw(st.lists(_json, max_size=2)))
    names = _texts.filter(lambda name: name not in FIELDS)
    further = draw(st.dictionaries(names, _json, max_size=3))
    line = json.dumps(
        further | {name: values[name] for name in draw(st.permutations(FIELDS))},
        ensure_ascii=draw(st.booleans()),
        separators=draw(st.sampled_from([(", ", ": "), (",", ":"), (" , ", " :\t")])),
    )
    return values, further, line.encode()


@given(foreign_lines())
def test_any_valid_line_is_kept_as_found(
    tmp_path_factory: pytest.TempPathFactory, given_line: tuple[dict[str, Any], ...]
) -> None:
    """Further fields, their order and how texts are escaped belong to whoever wrote the file."""
    values, further, line = given_line
    folder = tmp_path_factory.mktemp("official")
    path = write(folder / "in.jsonl", fields(id="other"), line)
    questions = read_questions(path)
    assert {name: getattr(questions[1], name) for name in FIELDS} == values
    for kept in (questions, from_rows(to_rows("in", questions, "sha"))):
        write_questions_file(folder / "out.jsonl", kept)
        assert (folder / "out.jsonl").read_bytes() == path.read_bytes()
    answered = json.loads(encode_answer(questions[1], [2, 1]))
    assert answered == {**further, **values, "answer": [2, 1]}
    assert list(answered)[-1] == "answer" or "answer" in further


def test_answers_are_added_as_the_last_field(tmp_path: Path) -> None:
    """Whatever a model said is kept as it is: parsing belongs to evaluation."""
    question = OfficialQuestion(**fields())
    replies: list[Any] = ["[2, 1]", [2, 1], None, "caf\u00e9 \u2192 [1]", {"a": 1.5}]
    lines = [encode_answer(question, reply) for reply in replies]
    assert lines[0] == json.dumps({**fields(), "answer": "[2, 1]"})
    rows, _ = read_answers(write(tmp_path / "answers.jsonl", *lines))
    assert [row.answer for row in rows] == replies
    assert {row.id for row in rows} == {question.id}
    assert rows[0].gt_answer == [2, 1]


def test_answer_rows_may_lack_what_evaluation_then_skips(tmp_path: Path) -> None:
    """The release passes over rows without id, frames or reference; reading must go on."""
    path = write(tmp_path / "a.jsonl", "{}", "", '{"id": null, "answer": 3}', '{"gt_answer": []}')
    rows, _ = read_answers(path)
    assert [(row.id, row.gt_answer, row.answer) for row in rows] == [
        (None, None, None),
        (None, None, 3),
        (None, [], None),
    ]


BAD_FIELDS: list[tuple[str, Any, str]] = [
    ("id", 7, r"field 'id': Expected `str`, got `int`"),
    ("id", "", r"field 'id': expected a name"),
    ("type", "sideways_world_modeling_3_steps", r"field 'type': unknown type of question"),
    ("type", "forward_world_modeling_4_steps", r"field 'key_frame_ids': expected 4 entries"),
    ("task_name", "../setting_the_table", r"field 'task_name': expected letters"),
    ("task_name", "a/b", r"field 'task_name'"),
    ("key_frame_ids", ["60", "305", 516], r"field 'key_frame_ids\[2\]': Expected `str`"),
    ("key_frame_ids", ["60", "-5", "516"], r"field 'key_frame_ids\[1\]': expected digits, is '-5'"),
    ("key_frame_ids", ["60", "\u0663", "5"], r"field 'key_frame_ids\[1\]': expected digits"),
    ("key_frame_ids", "60", r"field 'key_frame_ids': Expected `array`"),
    ("images", ["a.png", "b.png"], r"field 'images': expected 3 entries"),
    ("images", ["a.png", "b/../../c.png", "d.png"], r"field 'images\[1\]': expected a path that"),
    ("images", ["/a.png", "b.png", "d.png"], r"field 'images\[0\]'"),
    ("images", ["a.png", "b.png", "..\\d.png"], r"field 'images\[2\]'"),
    ("images", ["a.png", "b.png", "C:\\d.png"], r"field 'images\[2\]'"),
    ("question", None, r"field 'question': Expected `str`, got `null`"),
    ("options", {}, r"field 'options': Expected `array`"),
    (
        "gt_answer",
        [1, 1],
        r"field 'gt_answer': expected an order of the numbers 1 to 2, is \[1, 1\]",
    ),
    ("gt_answer", [1, 2.5], r"field 'gt_answer\[1\]': Expected `int`"),
    ("gt_answer", [1, 10**30], r"field 'gt_answer'"),
    ("gt_answer", [True, 2], r"field 'gt_answer\[0\]': Expected `int`, got `bool`"),
]


@pytest.mark.parametrize(("field", "value", "message"), BAD_FIELDS)
def test_a_wrong_field_is_named_with_its_line(
    tmp_path: Path, field: str, value: Any, message: str
) -> None:
    """A question read half wrong is scored wrong for every model."""
    path = write(tmp_path / "q.jsonl", fields(id="first"), "", fields(**{field: value}))
    with pytest.raises(QuestionFileError, match=rf"q\.jsonl, line 3, {message}"):
        read_questions(path)


BAD_LINES: list[tuple[bytes, str]] = [
    (b'{"id": "a"', "not a JSON object on one line"),
    (b"[1, 2]", "Expected `object`, got `array`"),
    (json.dumps(fields(id="b")).encode() + b" {}", "not a JSON object"),
    (b'{"id": "\xff"}', "not UTF-8 at byte"),
    (b'{"id": "\\ud800"}', "not a JSON object"),
    (b'{"id": nan}', "not a JSON object"),
    (b'{"id": "\\ud800", "x": NaN}', "not a JSON object"),
    (b'{"options": ' + b"[" * 50_000, "not a JSON object"),
    (b'{"answer": ' + b"[" * 50_000 + b"]" * 50_000 + b"}", "not a JSON object"),
    (b"\x00\x01", "not a JSON object"),
]


@pytest.mark.parametrize(("line", "message"), BAD_LINES)
def test_a_line_that_is_no_object_is_named(tmp_path: Path, line: bytes, message: str) -> None:
    """Also for answers: a truncated file is no file of missing answers."""
    path = write(tmp_path / "q.jsonl", fields(), line)
    told = rf"q\.jsonl, line 2: {message}"
    with pytest.raises(QuestionFileError, match=told):
        read_questions(path)
    rows, (bad,) = read_answers(path)
    assert (len(rows), re.search(told, bad) is not None) == (1, True)


def test_a_question_without_its_answer_is_unlabelled_and_written_as_it_was(tmp_path: Path) -> None:
    """Held-out splits leave it out; what they say of frames and options may be missing, too."""
    lacking = fields()
    del lacking["gt_answer"]
    none, bare = {**lacking, "id": "b", "gt_answer": None}, {**lacking, "id": "c"}
    del bare["key_frame_ids"], bare["options"]
    path = write(tmp_path / "q.jsonl", lacking, none, bare, fields(id="d"))
    questions = read_questions(path)
    assert [question.is_unlabelled for question in questions] == [True, True, True, False]
    assert [question.key_frame_ids for question in questions] == [
        *[lacking["key_frame_ids"]] * 2, [], lacking["key_frame_ids"],
    ]  # fmt: skip
    again = tmp_path / "again.jsonl"
    write_questions_file(again, questions)
    assert again.read_bytes() == path.read_bytes()
    assert from_rows(to_rows("q", questions, "sha")) == questions
    labelled = {**fields(), "key_frame_ids": []}
    with pytest.raises(QuestionFileError, match="'key_frame_ids': expected 3 entries, is"):
        read_questions(write(tmp_path / "q.jsonl", labelled))


def test_a_missing_field_a_repeated_id_and_a_missing_file_are_named(tmp_path: Path) -> None:
    """Two questions of one id would share one answer."""
    lacking = fields()
    del lacking["images"]
    with pytest.raises(QuestionFileError, match="line 1: Object missing required field `images`"):
        read_questions(write(tmp_path / "q.jsonl", lacking))
    # Not UTF-8 in a text that is in none of the fields that are read.
    odd = json.dumps(lacking).encode()[:-1] + b', "note": "\xed"}'
    with pytest.raises(QuestionFileError, match="line 1: Object missing required"):
        read_questions(write(tmp_path / "q.jsonl", odd))
    with pytest.raises(QuestionFileError, match=r"line 3, field 'id': .* came in line 1"):
        read_questions(write(tmp_path / "q.jsonl", fields(), fields(id="b"), fields()))
    with pytest.raises(QuestionFileError, match=r"nothing\.jsonl: cannot be read"):
        read_questions(tmp_path / "nothing.jsonl")
    with pytest.raises(QuestionFileError, match="cannot be read"):
        read_answers(tmp_path)
    with pytest.raises(QuestionFileError, match=r"field 'key_frame_ids\[0\]'"):
        read_answers(write(tmp_path / "a.jsonl", {"key_frame_ids": [[1]]}))


def test_an_unwritable_place_is_an_output_error_and_leaves_nothing(tmp_path: Path) -> None:
    """Half a question file looks like a smaller question set."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        write_questions_file(tmp_path / "file" / "q.jsonl", [])
    (tmp_path / "q.jsonl").write_text("before")

    def broken() -> Any:
        yield OfficialQuestion(**fields())
        raise QuestionError("no more")

    with pytest.raises(QuestionError):
        write_questions_file(tmp_path / "q.jsonl", broken())
    assert (tmp_path / "q.jsonl").read_text() == "before"
    assert {p.name for p in tmp_path.iterdir()} == {"file", "q.jsonl"}


@pytest.mark.parametrize("is_published", [False, True])
def test_types_name_kind_and_length_in_both_namings(*, is_published: bool) -> None:
    """The published data set and the released code name the same questions differently."""
    for kind in KINDS:
        for length in range(3, 11):
            text = question_type(kind, length, is_published=is_published)
            assert parse_type(text) == (kind, length)
    for text in ("forward_world_modeling__3_steps", "forward_world_modeling_03_steps", ""):
        with pytest.raises(QuestionError, match="unknown type"):
            parse_type(text)


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
@example(b"0}")
def test_noise_ends_in_our_error_or_in_rows(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes
) -> None:
    """Anything else than our error would take the other files of a folder down with it."""
    path = tmp_path_factory.mktemp("noise") / "q.jsonl"
    path.write_bytes(b'{"id": "a", "x": ' + noise + b"}\n")
    with contextlib.suppress(QuestionFileError):
        assert [row.id for row in read_questions(path)] == ["a"]
    with contextlib.suppress(QuestionFileError):
        assert [row.id for row in read_answers(path)[0]] == ["a"]


def test_bytes_outside_of_the_known_fields_are_looked_at_too(tmp_path: Path) -> None:
    """The line is kept as text, so what is no text anywhere in it has to be refused by name."""
    line = json.dumps(fields() | {"note": "?"}).encode().replace(b"?", b"\xff")
    with pytest.raises(QuestionFileError, match=r"q\.jsonl, line 1: not UTF-8 at byte \d+"):
        read_questions(write(tmp_path / "q.jsonl", line))


def test_a_message_stays_short_whatever_it_quotes(tmp_path: Path) -> None:
    long = fields(id="x" * 100_000)
    with pytest.raises(QuestionFileError, match="came in line 1") as caught:
        read_questions(write(tmp_path / "q.jsonl", long, long))
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"id": 7, "key_frame_ids": [692, 903.0, "1325"]}', ("7", ["692", "903", "1325"])),
        (
            '{"id": 9007199254740993, "key_frame_ids": [9007199254740992, 9007199254740993]}',
            ("9007199254740993", ["9007199254740992", "9007199254740993"]),
        ),
        ('{"id": 18446744073709551617, "more": NaN}', ("18446744073709551617", None)),
        ('{"id": "a", "logprob": -Infinity, "more": [NaN]}', ("a", None)),
        ('{"id": NaN, "answer": NaN}', (None, None)),
    ],
)
def test_numbers_as_data_frames_write_them_are_read(
    tmp_path: Path, line: str, expected: tuple[str | None, list[str] | None]
) -> None:
    """parity D3, D4, D5: whole rows were refused for fields that say what they mean."""
    (tmp_path / "answers.jsonl").write_text(line)
    rows, bad = read_answers(tmp_path / "answers.jsonl")
    assert bad == []
    assert [(row.id, row.key_frame_ids) for row in rows] == [expected]


def test_what_is_no_row_beside_nan_names_its_field(tmp_path: Path) -> None:
    """parity D4: the message was about a byte."""
    (tmp_path / "answers.jsonl").write_text('{}\n{"gt_answer": [NaN, 1]}\n{"id": NaN, \n')
    _, bad = read_answers(tmp_path / "answers.jsonl")
    assert "line 2, field 'gt_answer[0]': Expected `int`, got `float`" in bad[0]
    assert "line 3: not a JSON object" in bad[1]


def test_a_byte_order_mark_is_dropped_and_utf_16_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "q.jsonl", fields())
    plain = path.read_bytes()
    (question,) = read_questions(path)
    path.write_bytes(b"\xef\xbb\xbf" + plain)
    assert read_questions(path) == [question]
    path.write_bytes(plain.decode().encode("utf-16"))
    with pytest.raises(QuestionFileError, match=r"line 1: not UTF-8 text \(it is UTF-16\)"):
        read_answers(path)
    twins = [fields(id="u\u0308"), fields(id="\u00fc")]
    with pytest.raises(QuestionFileError, match=r"line 2, field 'id': .* came in line 1"):
        read_questions(write(path, *twins))
