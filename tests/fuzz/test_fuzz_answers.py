"""Answers of any JSON type and size: read in linear time, verified without any error but ours."""

import json
import sys
import time
from functools import cache
from typing import Any

import msgspec
import pytest
from fuzz_cases import check_message, count, fuzz, n_cases, scratch
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import EnactError
from enact_assets.pipeline.steps.profiles import ANSWERS, INDEX_CHANGES
from enact_assets.questions.asked.official import OfficialAnswer, question_type, read_answers
from enact_assets.questions.asked.parsing import REASONS, WRONG_LENGTH
from enact_assets.questions.asked.release_parsing import (
    FAILED,
    UNREADABLE,
    read_release_answer,
)
from enact_assets.results.verification.paper_scores import score_paper
from enact_assets.results.verification.release_report import report_release, wrong_cases
from enact_assets.results.verification.release_scores import ReleaseScorer
from enact_assets.results.verification.task_evidence import Evidence
from enact_assets.settings.profile import PAPER, RELEASE

from reference.builders import (
    build_objects,
    build_scene_graphs,
    build_segmented_frames,
    build_visibility,
)

pytestmark = pytest.mark.slow

MEGABYTE = 1 << 20
SECONDS_PER_MEGABYTE = 3.0
"""Far above what is needed, far below what anything quadratic takes."""
TASK = "task_1"
N_KEY_FRAMES = 6

PIECES = [
    "[", "]", "[[", "]]", ",", ", ", "1", "2", "3", "0", "-", "+", " ", "\t", "\n", "\x0b", "\x1c",
    "\xa0", "\u2003", "\u3000", "٣", "\uff11", "²", "፩", "[1, 2]", "[2, 1, 3]", "[0, 1]",
    "[1", "1]", "[1,", "[,", "[1 ", "1 1", "1.5", "1e9", "[01, 2]", "[00]", "[1,,2]", "9" * 400,
    "0" * 400, " " * 400, "{", "}", '"', "'", "\\", "\0", "Next State ", "[Action 2]", "`",
    "\u202e", "\ufeff", "é", "☃", "(", ")", "_", "1_0", "0x1", "\uff10", "]\n[", "\r\n",
]  # fmt: skip
pieces = st.sampled_from(PIECES)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Pieces in any order; one in ten repeated up to a megabyte."""
    text = "".join(draw(st.lists(pieces | st.text(max_size=4), max_size=12)))
    if draw(st.integers(0, 9)) == 0:
        unit = "".join(draw(st.lists(pieces, min_size=1, max_size=4)))
        n = draw(st.sampled_from([4299, 4300, 4301, 10_000, 100_000, MEGABYTE]))
        text += unit * max(1, n // len(unit)) + "".join(draw(st.lists(pieces, max_size=4)))
    return text


def elapsed_limit(text: str) -> float:
    return 0.5 + SECONDS_PER_MEGABYTE * len(text) / MEGABYTE


@given(texts(), st.integers(1, 12))
@fuzz(4)
def test_any_text_is_read_in_linear_time(text: str, n_steps: int) -> None:
    for profile in (PAPER, RELEASE):
        start = time.process_time()
        order, reason = ANSWERS.of(profile).read(text, n_steps)
        assert time.process_time() - start < elapsed_limit(text), (len(text), text[:60])
        assert order is not None or reason in {*REASONS, UNREADABLE, FAILED}
        if profile is PAPER and order is not None:
            assert len(set(order)) == len(order)
            assert set(order) <= set(range(1, n_steps + 1))
            assert reason == (None if len(order) == n_steps else WRONG_LENGTH)
        count(f"answers as text, {profile.name}", reason or "parsed")


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 12)
    | st.integers()
    | st.sampled_from([2**63, -(2**63), 2**64, 10**30, -(10**400), 10**4299])
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
answers = (
    json_values
    | st.lists(st.integers(-1, 8) | json_values, max_size=8)
    | st.permutations([1, 2, 3]).map(str)
    | st.sampled_from([f"[0, {'9' * 4300}]", f"[{'9' * 4300}, 1]", "9" * 4300, [[]] * 10_000])
)


@given(json_values, st.integers(1, 12))
@fuzz()
def test_any_json_value_is_read(value: Any, n_steps: int) -> None:
    labels, reason = read_release_answer(value, n_steps)
    assert (labels is None) == (reason is not None)
    count("answers as JSON", reason or "parsed")


@cache
def evidence(is_release: bool) -> Evidence:
    """Six key frames in which a fridge, a lamp and a cup change in turn; one pair fails."""
    things = {("Exists", name, None) for name in ("fridge", "lamp", "cup", "table")}
    graphs: list[set[tuple[str, str, str | None]]] = [
        things,
        things | {("Open", "fridge", None)},
        things | {("Open", "fridge", None), ("OnTop", "cup", "table")},
        things | {("OnTop", "cup", "table"), ("ToggledOn", "lamp", None)},
        things | {("ToggledOn", "lamp", None)},
        things | ({("Exists", "diced__apple", None)} if is_release else {("Open", "lamp", None)}),
    ]
    objects = build_objects(
        ("fridge", "fridge"), ("lamp", "lamp"), ("cup", "cup"), ("table", "table"),
        *([("diced__apple", "System", ["apple_1"])] if is_release else []),
    )  # fmt: skip
    seen = [dict.fromkeys(objects["object_name"], 0.1)] * N_KEY_FRAMES
    tables = build_scene_graphs(graphs), build_visibility(seen)
    profile = RELEASE if is_release else PAPER
    parts = *tables, objects, profile, N_KEY_FRAMES
    index = INDEX_CHANGES.of(profile)(*parts, later_parents=None)
    return Evidence.of(index, build_segmented_frames(N_KEY_FRAMES)["frame_id"].to_list())


# Deferred: whoever collects these tests does not wait for kernels.
frame_ids = st.deferred(lambda: st.sampled_from([*map(str, evidence(is_release=True).position)]))
odd_ids = st.sampled_from(["", "x", "-1", " 0", "\u0660", "9" * 5000, "0" * 5000, "7", "\0", "1_0"])
types = st.sampled_from(
    [question_type(kind, length) for kind in ("forward", "inverse") for length in range(2, 7)]
    + [
        "inverse_world_modeling_1_steps",
        "",
        "INVERSE",
        "forward_world_modeling_99_steps",
        "x" * 10_000,
    ]
)


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    """A row of an answer file: often a sound question, sometimes damaged, its answer anything."""
    n = draw(st.integers(1, 5))
    kind = draw(st.sampled_from(["forward", "inverse"]))
    row: dict[str, Any] = {
        "id": draw(st.sampled_from(["a", "b", "c", "", None, "../x", "x" * 10_000])),
        "type": question_type(kind, n + 1),
        "task_name": draw(st.sampled_from([TASK] * 8 + [None, "", "other", "../../x"])),
        "key_frame_ids": draw(st.lists(frame_ids, min_size=n + 1, max_size=n + 1)),
        "gt_answer": draw(st.permutations(range(1, n + 1))),
        "answer": draw(answers | st.permutations(range(1, n + 1))),
    }
    match draw(st.integers(0, 11)):
        case 0:
            row["type"] = draw(types)
        case 1:
            row["key_frame_ids"] = draw(st.lists(frame_ids | odd_ids, max_size=7))
        case 2:
            strange = st.sampled_from([0, -1, 10**30, 10**4200, 2**63])
            row["gt_answer"] = draw(st.lists(st.integers(-1, 6) | strange, max_size=6))
        case 3:
            row.pop(draw(st.sampled_from(sorted(row))))
        case _:
            pass
    return row


def as_read(found: list[dict[str, Any]]) -> list[OfficialAnswer]:
    """Through a file, so that nothing is verified which could not have been read."""
    with scratch() as folder:
        path = folder / "a.jsonl"
        path.write_text("\n".join(map(json.dumps, found)))
        return read_answers(path)[0]


@given(st.lists(rows(), min_size=1, max_size=6))
@fuzz()
def test_verification_of_any_answer_ends_in_a_report(found: list[dict[str, Any]]) -> None:
    """One odd answer among thousands must not take the report of its model with it."""
    try:
        read = as_read(found)
    except EnactError as error:
        check_message(str(error))
        count("verified rows", "file refused", len(found))
        return
    count("verified rows", "release and paper", len(read))
    known = {TASK: evidence(is_release=True)}
    for is_analyzed in (False, True):
        scorer = ReleaseScorer(read, known)
        results = scorer.score([row.answer for row in read], analyze_wrong_cases=is_analyzed)
        json.dumps([result._asdict() for result in results])
        json.dumps(report_release(results))
        json.dumps(wrong_cases(scorer, results, known))
        assert len(results) == len(read)
        assert all(0 <= r.pairwise_accuracy <= 1 for r in results if r.is_scored)
    scored = score_paper("m", read, {TASK: evidence(is_release=False)}, is_analyzed=True)
    json.dumps([scored.report, scored.rows, scored.wrong_cases, scored.numbers])
    for row in scored.rows:
        if "answer_status" not in row:
            check_message(row["reason"])


@pytest.mark.parametrize(
    "unit", ["[", "[[1],", "[1, 2]", "{", "٣", "[٣, ", "9", "0", " ", '"', "\\"]
)
def test_a_megabyte_answer_goes_through_a_file_and_both_profiles(unit: str) -> None:
    text = unit * (MEGABYTE // len(unit))
    row = {
        "id": "a",
        "type": question_type("forward", 3),
        "task_name": TASK,
        "key_frame_ids": [*map(str, evidence(is_release=True).position)][:3],
        "gt_answer": [1, 2],
        "answer": text,
    }
    start = time.process_time()
    read = as_read([row])
    known = {TASK: evidence(is_release=True)}
    scorer = ReleaseScorer(read, known)
    json.dumps([result._asdict() for result in scorer.score([text])])
    score_paper("m", read, {TASK: evidence(is_release=False)}, is_analyzed=True)
    assert time.process_time() - start < 5
    count("verified rows", "a megabyte")


def test_nested_brackets_of_json_are_refused_or_verified() -> None:
    """Deeper than the interpreter's stack is an error of the file, not of the interpreter."""
    for depth in (10, 500, sys.getrecursionlimit(), 100_000):
        with scratch() as folder:
            path = folder / "a.jsonl"
            path.write_text('{"id": "a", "answer": ' + "[" * depth + "]" * depth + "}")
            try:
                read, _ = read_answers(path)
            except EnactError as error:
                check_message(str(error), str(path))
                count("verified rows", "file refused")
                continue
        assert read_release_answer(read[0].answer, 3)[0] == read[0].answer
        assert msgspec.json.decode(json.dumps(read[0].answer)) == read[0].answer
        count("verified rows", "nested")


def test_cases_are_counted() -> None:
    """A typing error in the variable would otherwise run nothing and look like success."""
    assert n_cases() >= 1
