"""The same answers through every door by which answers come in: one order, one status."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from enact_assets.answers.imported.answer_files import add_answers, imported_answers
from enact_assets.answers.models.answers import Stop
from enact_assets.answers.models.batch_providers import batch_provider
from enact_assets.answers.models.entries import Model, ModelEntry
from enact_assets.answers.models.inspect_model import read_output
from enact_assets.answers.models.local_model import answer_in
from enact_assets.answers.models.messages import Message, Text
from enact_assets.answers.models.python_model import PythonModel
from enact_assets.answers.models.replies import Reply
from enact_assets.answers.models.wires import WIRES
from enact_assets.answers.people.answered import _given
from enact_assets.commands.harnesses.lmms_eval import _UTILS
from enact_assets.commands.harnesses.score_file import score_source
from enact_assets.commands.release.answer_importing import _answer, _decoded, _Line
from enact_assets.questions.asked.parsing import heed_stop, read_answer
from enact_assets.questions.asked.release_parsing import read_as_release
from enact_assets.settings.paths import DataRoot

from reference.provider_replies import WHOLE, changed
from reference.wordings import WORDINGS


class Case(NamedTuple):
    """An answer to a question of ``n`` steps, and what every door must make of it."""

    text: str
    n: int
    strict: list[int] | None
    reason: str | None
    stop: Stop = "complete"


MORE = [
    Case("<thinking>[1, 2, 3]</thinking> \\boxed{2, 3, 1}", 3, [2, 3, 1], None),
    Case("maybe [1, 2, 3]</think>[2, 3, 1], as [1] shows", 3, [2, 3, 1], None),
    Case("[THINK][1, 2, 3][/THINK]['2', '3', '1']", 3, [2, 3, 1], None),
    Case("<reasoning>[1, 2, 3]</reasoning> I cannot decide.", 3, None, "no_list"),
    Case("<think>It is [2, 3, 1]", 3, None, "open_thought"),
    Case("<think>It is [2, 3, 1]", 3, None, "cut", "cut"),
    Case("[2, 3", 3, None, "cut", "cut"),
    Case("[2, 3, 1] because", 3, [2, 3, 1], None, "cut"),
    Case("[2, 3]", 3, [2, 3], "wrong_length"),
    Case('{"answer": "2, 3, 1"}', 3, [2, 3, 1], None),
    Case("[2, 3, 1]. Steps (1, 2, 3) follow.", 3, [2, 3, 1], None),
    Case("I'm sorry, but I can't assist with that.", 3, None, "declined"),
    Case("[2, 3, 1]", 3, None, "refused", "refused"),
]
CASES = [
    Case(case["text"], case["n"], case["strict"], read_answer(case["text"], case["n"])[1])
    for case in WORDINGS
] + MORE
Told = tuple[str | None, str | None]
"""Text and reason to stop, as they are kept."""

STOPS = {
    "openai_chat": ("choices.0.finish_reason", {"cut": "length", "refused": "content_filter"}),
    "openai_responses": ("status", {"cut": "max_output_tokens", "refused": "content_filter"}),
    "anthropic": ("stop_reason", {"cut": "max_tokens", "refused": "refusal"}),
    "google": ("candidates.0.finishReason", {"cut": "MAX_TOKENS", "refused": "SAFETY"}),
}


def provider_says(wire: str, case: Case) -> Any:
    """A recorded reply with other words in it."""
    if wire == "anthropic":  # whose text is in two parts
        half = len(case.text) // 2
        said = changed(WHOLE[wire], "content.2.text", case.text[:half])
        said = changed(said, "content.3.text", case.text[half:])
    else:
        said = json.loads(json.dumps(WHOLE[wire]).replace('"[1, 2]"', json.dumps(case.text)))
    if case.stop == "complete":
        return said
    path, reasons = STOPS[wire]
    if wire == "openai_responses":
        said["incomplete_details"] = {"reason": reasons[case.stop]}
        return changed(said, "status", "incomplete")
    return changed(said, path, reasons[case.stop])


def by_wire(wire: str) -> Callable[[Path], Iterator[Told]]:
    def through(_: Path) -> Iterator[Told]:
        for case in CASES:
            reply = WIRES[wire].read(provider_says(wire, case))
            yield reply.text, reply.stop

    return through


def by_batch(wire: str) -> Callable[[Path], Iterator[Told]]:
    def row(at: int, case: Case) -> dict[str, Any]:
        reply = provider_says(wire, case)
        if wire == "anthropic":
            return {"custom_id": str(at), "result": {"type": "succeeded", "message": reply}}
        if wire == "google":
            return {"key": str(at), "response": reply}
        return {"custom_id": str(at), "response": {"status_code": 200, "body": reply}}

    def through(_: Path) -> Iterator[Told]:
        lines = [json.dumps(row(at, case)).encode() for at, case in enumerate(CASES)]
        http: Any = SimpleNamespace(base_url="", lines=lambda _: lines)
        provider = batch_provider(http, WIRES[wire], "m")
        said = {"status": "completed", "output_file_id": "f", "response": {"responsesFile": "f"}}
        for result in provider.results("b", said):
            reply = WIRES[wire].read(result.reply)
            yield reply.text, reply.stop

    return through


def by_inspect(_: Path) -> Iterator[Told]:
    stops = {"complete": "stop", "cut": "max_tokens", "refused": "content_filter"}
    for case in CASES:
        parts = [
            SimpleNamespace(type="reasoning", reasoning="[1, 2, 3]"),
            SimpleNamespace(type="text", text=case.text),
        ]
        choice = SimpleNamespace(
            stop_reason=stops[case.stop], message=SimpleNamespace(content=parts), stop_details=None
        )
        reply = read_output(SimpleNamespace(error=None, choices=[choice], usage=None, model="m"))
        yield reply.text, reply.stop


def by_weights_here(_: Path) -> Iterator[Told]:
    markers = {"<|im_end|>", "[THINK]", "[/THINK]", "<|begin_of_box|>", "<|end_of_box|>"}
    for case in CASES:
        yield answer_in(f"{case.text}<|im_end|>", markers), case.stop


def by_python_class(folder: Path) -> Iterator[Told]:
    (folder / "mine.py").write_text(
        "class Mine:\n    def __init__(self, said): self.said = said\n"
        "    def answer(self, parts): return self.said[int(parts[0])]\n"
    )
    asked = "mine.py:Mine"
    given = {"said": [case.text for case in CASES]}
    model = Model(asked, ModelEntry(id=f"python/{asked}"), "python", asked, "", "", given, folder)
    messages = [Message(f"q{at}", (Text(str(at)),)) for at in range(len(CASES))]
    for case, reply in zip(CASES, PythonModel(model).answers(messages, lambda _: b""), strict=True):
        assert isinstance(reply, Reply)
        # A class cannot say that it was cut.
        yield reply.text, case.stop if case.stop != "complete" else reply.stop


def by_imported_file(folder: Path) -> Iterator[Told]:
    file, root = folder / "answers.jsonl", DataRoot(folder / "data")
    rows = [
        {"question_id": f"q{at}", "answer": case.text, "stop": case.stop}
        for at, case in enumerate(CASES)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = [line for _, line in _decoded(file) if isinstance(line, _Line)]
    add_answers(root, "m", "baseline", [_answer(line, str(line.question_id)) for line in lines])
    kept = imported_answers(root, "m", "baseline")
    for at in range(len(CASES)):
        yield kept[f"q{at}"].text, kept[f"q{at}"].stop


def by_people(_: Path) -> Iterator[Told]:
    for case in CASES:
        row = {
            "kind": "inverse",
            "shown_sha": "s",
            "revision": 0,
            "answer": case.text,
            "active_ms": 9,
            "reason": None,
        }
        yield _given([row], "s").text, case.stop


DOORS = {
    **{f"reply of {wire}": by_wire(wire) for wire in WIRES},
    **{f"batch of {wire}": by_batch(wire) for wire in WIRES},
    "Inspect": by_inspect,
    "weights in this process": by_weights_here,
    "Python class": by_python_class,
    "import-answers": by_imported_file,
    "people": by_people,
}


@pytest.mark.parametrize("door", DOORS)
def test_an_answer_is_read_alike_through_every_door(door: str, tmp_path: Path) -> None:
    """public K2 and K5, researcher F1: the same words had other scores behind a server."""
    for case, (text, stop) in zip(CASES, DOORS[door](tmp_path), strict=True):
        assert heed_stop(read_answer(text, case.n), stop) == (case.strict, case.reason), case
        assert read_as_release(text, case.n) == read_as_release(case.text, case.n), case


def rows_to_score() -> list[dict[str, Any]]:
    """Questions whose reference is what should be read, so that a right reading is accepted."""
    return [
        {
            "kind": "inverse",
            "fits": "{}",
            "answer": case.strict
            if case.strict and len(case.strict) == case.n
            else [*range(1, case.n + 1)],
        }
        for case in CASES
    ]


def test_exported_scorers_read_answers_as_the_pipeline_does() -> None:
    """``enact_score.py``, and what lmms-eval is given."""
    utils: dict[str, Any] = {}
    exec(score_source() + _UTILS, utils)  # noqa: S102 - our own code
    for case, row in zip(CASES, rows_to_score(), strict=True):
        score = utils["score_row"](case.text, row, case.stop)
        is_whole = case.strict is not None and len(case.strict) == case.n
        assert score["reason"] == case.reason, case
        assert score["parsed"] == (case.strict is not None), case
        assert score["task"] == is_whole, case
        if case.stop == "complete":  # lmms-eval does not say why an answer ended
            found = utils["enact_results"](row, [case.text])
            assert (found["parsed"], found["task_accuracy"]) == (score["parsed"], score["task"])
