"""Answers that others collected enter a data root, and wrong files leave it as it was."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from enact_assets.answers.baselines.model_asker import ModelAsker
from enact_assets.answers.imported.answer_files import (
    OTHER_SHOWN,
    ImportedAnswer,
    add_answers,
    answer_file,
    answered_names,
    answers_version,
    imported_answers,
)
from enact_assets.answers.models.messages import Message, Picture, Text
from enact_assets.cli import main
from enact_assets.engine.errors import QuestionFileError, UnknownNameError
from enact_assets.pipeline.root.forgotten import Forgotten
from enact_assets.pipeline.runs.names import checked_name, names_found
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry

from reference.asked_root import SYMBOLS, write_asked_root

Line = dict[str, Any]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> DataRoot:
    return write_asked_root(tmp_path_factory.mktemp("asked"))[0]


@pytest.fixture(scope="module")
def official(root: DataRoot, tmp_path_factory: pytest.TempPathFactory) -> list[Line]:
    return exported(root, tmp_path_factory.mktemp("out"))


@pytest.fixture(scope="module")
def messages(root: DataRoot, tmp_path_factory: pytest.TempPathFactory) -> list[Line]:
    return exported(root, tmp_path_factory.mktemp("out"), "--form", "messages", "--answers")


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A name of its own for each test."""
    return tmp_path.name


def exported(root: DataRoot, folder: Path, *options: str) -> list[Line]:
    output = folder / "questions.jsonl"
    assert main(["export", "state", str(output), "--data", str(root.root), *options]) == 0
    return [json.loads(line) for line in output.read_text().splitlines()]


def take_in(
    root: DataRoot, folder: Path, lines: list[Line] | str, model: str, *options: str
) -> int:
    file = folder / "answers.jsonl"
    text = lines if isinstance(lines, str) else "".join(json.dumps(x) + "\n" for x in lines)
    file.write_text(text)
    words = ["import-answers", str(file), "--model", model, "--data", str(root.root)]
    return main([*words, *options])


def test_answers_to_either_form_are_the_same(
    root: DataRoot, official: list[Line], messages: list[Line], tmp_path: Path, model: str
) -> None:
    """Ids of the release's form lead back to our questions."""
    texts = [{"question_id": x["question_id"], "answer": str(x["gt_answer"])} for x in messages]
    lists = [{**question, "answer": question["gt_answer"]} for question in official]
    assert take_in(root, tmp_path, texts, model) == 0
    assert take_in(root, tmp_path, lists, f"{model}-b") == 0
    found = imported_answers(root, model, "baseline")
    assert len(found) == len(messages)
    other = imported_answers(root, f"{model}-b", "baseline")
    assert {k: json.loads(a.text) for k, a in found.items()} == {
        k: json.loads(a.text) for k, a in other.items()
    }
    assert {model, f"{model}-b"} <= set(answered_names(root))


def test_what_a_line_says_of_its_answer_is_kept(
    root: DataRoot, messages: list[Line], tmp_path: Path, model: str
) -> None:
    question = messages[0]["question_id"]
    facts = {"stop": "cut", "served_model": "m-1", "tokens_in": 9, "latency_s": 0.5}
    line = {"question_id": question, "answer": "", **facts, "note": "ignored"}
    assert take_in(root, tmp_path, [line], model) == 0
    facts["shown_sha"] = messages[0]["shown_sha"]  # as nothing else was said
    assert imported_answers(root, model, "baseline") == {
        question: ImportedAnswer(question, "", **facts)
    }
    assert imported_answers(root, model, SYMBOLS) == {}


def test_a_model_may_be_given_by_its_id(
    root: DataRoot, messages: list[Line], tmp_path: Path
) -> None:
    line = {"question_id": messages[0]["question_id"], "answer": "[1, 2]"}
    for model in ("lab/by/id", "openai/gpt-by-id"):
        assert take_in(root, tmp_path, [line], model) == 0
    assert {"lab:by+id", "openai:gpt-by-id"} <= set(answered_names(root))
    registry, data = load_registry(), DataResource(root=str(root.root), lake_url=None)
    assert checked_name("model", "lab/by/id", registry, data) == "lab:by+id"


def test_importing_again_adds_and_replaces_on_demand_only(
    root: DataRoot,
    messages: list[Line],
    tmp_path: Path,
    model: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An answer that was paid for must not vanish because another file has the question too."""
    a, b, c = (x["question_id"] for x in messages[:3])

    def go(answers: dict[str, str], *options: str) -> tuple[dict[str, str], str]:
        lines = [{"question_id": k, "answer": text} for k, text in answers.items()]
        assert take_in(root, tmp_path, lines, model, *options) == 0
        found = imported_answers(root, model, "baseline")
        return {k: x.text for k, x in found.items()}, answers_version(root, model)

    first, version = go({b: "[1]", a: "[2]"})
    assert first == {a: "[2]", b: "[1]"}
    assert go({a: "[2]", b: "[1]"}) == (first, version)
    kept, other = go({a: "[9]", c: "[3]"})
    assert kept == {a: "[2]", b: "[1]", c: "[3]"}
    assert other != version
    assert "1 differ from answers imported before, which were kept" in capsys.readouterr().out
    replaced, _ = go({a: "[9]"}, "--replace")
    assert replaced == {**kept, a: "[9]"}
    assert f"{len(messages) - 3} questions have no answer" in capsys.readouterr().out
    assert go({a: "[2]"}, "--replace") == (kept, other)


def message_of(line: Line) -> Message:
    """An exported line as the pipeline shows it to its own models."""
    parts = (
        Text(part["text"]) if "text" in part else Picture(Path(part["picture"]).stem)
        for part in line["parts"]
    )
    return Message(line["question_id"], tuple(parts))


@pytest.mark.parametrize("is_said", [True, False], ids=["kept in its line", "not said"])
@pytest.mark.parametrize("changed", ["words", "picture", "order"])
def test_an_answer_counts_for_what_was_shown_alone_faults_n6(  # noqa: PLR0917
    root: DataRoot, messages: list[Line], tmp_path: Path, model: str, changed: str, is_said: bool
) -> None:
    """Other words, and pictures of another size, gave a model the scores of before."""
    asked = messages[:2]
    kept = ("question_id", "shown_sha") if is_said else ("question_id",)
    lines = [{name: line[name] for name in kept} | {"answer": "[1, 2]"} for line in asked]
    assert take_in(root, tmp_path, lines, model) == 0
    ask = ModelAsker(root, read_png=lambda _: b"")
    shown = [message_of(line) for line in asked]
    before = ask(model, "baseline", shown)
    assert [before[m.question_id, 0].text for m in shown] == ["[1, 2]", "[1, 2]"]
    first, second, *rest = shown[0].parts
    other = {
        "words": (first, second, *rest[:-1], Text("Which came first?")),
        "picture": (first, Picture("0" * 64), *rest),
        "order": (rest[0], rest[1], first, second, *rest[2:]),
    }
    now = ask(model, "baseline", [replace(shown[0], parts=other[changed]), shown[1]])
    answer = now[shown[0].question_id, 0]
    assert (answer.text, answer.error) == (None, OTHER_SHOWN)
    assert now[shown[1].question_id, 0].text == "[1, 2]"


def test_answers_to_what_is_not_shown_any_more_are_counted_and_make_room_faults_n6(
    root: DataRoot, messages: list[Line], tmp_path: Path, model: str, capsys
) -> None:
    """They were made with an export of before: nobody would see that none of them counts."""
    question = messages[0]["question_id"]
    old = {"question_id": question, "answer": "[2, 1]", "shown_sha": "0" * 64}
    assert take_in(root, tmp_path, [old], model) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "1 answer to other words or pictures than baseline shows now" in said
    assert f"{len(messages)} questions have no answer" in said
    assert take_in(root, tmp_path, [{**old, "answer": "[3]"}], model) == 0
    assert "1 differ from answers imported before, which were kept" in capsys.readouterr().out
    new = {**old, "answer": "[1, 2]", "shown_sha": messages[0]["shown_sha"]}
    for again in (new, old):
        assert take_in(root, tmp_path, [again], model) == 0
        for sha, text in ((old["shown_sha"], "[2, 1]"), (new["shown_sha"], "[1, 2]")):
            found = imported_answers(root, model, "baseline", {question: sha})
            assert (found[question].shown_sha, found[question].text) == (sha, text)
        said = " ".join(capsys.readouterr().out.split())
        assert f"{len(messages) - 1} questions have no answer" in said
    ask = ModelAsker(root, read_png=lambda _: b"")
    assert ask(model, "baseline", [message_of(messages[0])])[question, 0].text == "[1, 2]"


def test_the_same_file_again_says_what_earlier_answers_are_to_faults_n6(
    root: DataRoot, messages: list[Line], tmp_path: Path, model: str, capsys
) -> None:
    """Earlier versions did not note it, nor does an import before the pictures are made."""
    same, other = (line["question_id"] for line in messages[:2])
    earlier = [ImportedAnswer(id_, "[1, 2]", tokens_in=9) for id_ in (same, other)]
    assert add_answers(root, model, "baseline", earlier) == (2, 0)
    lines = [{"question_id": id_, "answer": "[1, 2]", "tokens_in": 9} for id_ in (same, other)]
    lines[1]["answer"] = "[2, 1]"
    assert take_in(root, tmp_path, lines, model) == 0
    assert "1 differ from answers imported before, which were kept" in capsys.readouterr().out
    found = imported_answers(root, model, "baseline")
    assert found[same].shown_sha == messages[0]["shown_sha"]
    assert found[other] == earlier[1]
    version = answers_version(root, model)
    assert add_answers(root, model, "baseline", earlier) == (0, 0)
    assert answers_version(root, model) == version
    assert take_in(root, tmp_path, lines, model, "--replace") == 0
    found = imported_answers(root, model, "baseline")
    assert (found[other].text, found[other].shown_sha) == ("[2, 1]", messages[1]["shown_sha"])
    assert answer_file(root, model, "baseline").read_bytes().count(b"\n") == 2


KNOWN = {"question_id": "KNOWN", "answer": "[1, 2]"}
"""The test puts the id of a question that is asked."""
UNKNOWN = (
    r"1 of 2 lines have problems \(1 have unknown ids\), the first: line 2, field 'question_id': "
    r"'x' is not asked under variant 'baseline'\. Nothing was imported\."
)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([KNOWN, {"question_id": "x", "answer": ""}], UNKNOWN),
        ([{"answer": ""}, {}], r"2 of 2 .* line 1, field 'question_id': is missing"),
        ([KNOWN, {"id": "x"}], r"1 of 2 .* line 2, field 'answer': is missing or null"),
        ([KNOWN, {**KNOWN, "answer": 7}], r"line 2, field 'answer': line 1 has another answer"),
        ([{**KNOWN, "tokens_in": -1}], r"line 1, field 'tokens_in': Expected `int` >= 0"),
        ([{**KNOWN, "stop": "length"}], r"line 1, field 'stop': Invalid enum value 'length'"),
        ([{**KNOWN, "variant": "emoji"}], r"field 'variant': is 'emoji'\. Give it as --variant"),
        ("[1]\n{", r"2 of 2 lines have problems, the first: line 1: Expected `object`"),
        ("\n", r"contains no answers"),
    ],
)
def test_a_wrong_file_changes_nothing(  # noqa: PLR0917
    root: DataRoot,
    messages: list[Line],
    tmp_path: Path,
    model: str,
    capsys: pytest.CaptureFixture[str],
    lines: list[Line] | str,
    message: str,
) -> None:
    """Line, field and number of problems; a half imported file is worse than none."""
    if isinstance(lines, list):
        known = {"question_id": messages[0]["question_id"]}
        lines = [
            {**line, **known} if line.get("question_id") == "KNOWN" else line for line in lines
        ]
    assert take_in(root, tmp_path, lines, model) == 2
    said = capsys.readouterr().err
    assert re.search(message, said), said
    assert str(tmp_path / "answers.jsonl") in said
    assert model not in answered_names(root)


def test_ids_that_another_variant_asks_name_it(
    root: DataRoot, messages: list[Line], tmp_path: Path, model: str, capsys
) -> None:
    """The default is the baseline, which asks no imported question."""
    lines = [{"question_id": messages[0]["question_id"], "answer": "[1]"}]
    assert take_in(root, tmp_path, lines, model, "--variant", "emoji") == 2
    said = r"Questions with these ids are asked by baseline\b.*: add --variant baseline\.$"
    assert re.search(said, capsys.readouterr().err.strip())


@pytest.mark.parametrize("name", ["oracle", "../x", "a b", "", "x" * 121])
def test_names_that_no_model_may_have_are_refused(
    root: DataRoot, messages: list[Line], tmp_path: Path, name: str
) -> None:
    """Answers of a file must not pass for chance or the oracle, nor leave the data root."""
    line = {"question_id": messages[0]["question_id"], "answer": ""}
    before = answered_names(root)
    assert take_in(root, tmp_path, [line], name) == 2
    assert answered_names(root) == before


def test_a_model_with_answers_is_known_until_it_is_forgotten(
    root: DataRoot, messages: list[Line], tmp_path: Path, model: str
) -> None:
    """It becomes a partition with the next run; a forgotten one must not come back by itself."""
    registry, data = load_registry(), DataResource(root=str(root.root), lake_url=None)
    line = {"question_id": messages[0]["question_id"], "answer": "[1, 2]"}
    with pytest.raises(UnknownNameError, match=f"unknown model '{model}'"):
        checked_name("model", model, registry, data)
    assert take_in(root, tmp_path, [line], model) == 0
    checked_name("model", model, registry, data)
    found, problems = names_found(data, registry)
    assert model in found["model"]
    assert problems == []
    Forgotten(root.root).add("model", model)
    assert model not in names_found(data, registry)[0]["model"]
    assert take_in(root, tmp_path, [line], model) == 0
    assert model in names_found(data, registry)[0]["model"]


@pytest.mark.slow
def test_a_model_can_be_forgotten_before_it_was_materialized(
    root: DataRoot,
    messages: list[Line],
    tmp_path: Path,
    model: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Somebody mistyped its name. Its answers stay: they may have cost money."""
    line = {"question_id": messages[0]["question_id"], "answer": "[1, 2]"}
    assert take_in(root, tmp_path, [line], model) == 0
    forget = ["forget", "model", model, "--data", str(root.root)]
    assert main(forget) == 0
    assert "The name is still in" not in capsys.readouterr().out
    assert len(imported_answers(root, model, "baseline")) == 1
    assert main([*forget[:2], "never", *forget[3:]]) == 2


def test_a_damaged_file_is_named_with_its_line(
    root: DataRoot, messages: list[Line], tmp_path: Path, model: str
) -> None:
    line = {"question_id": messages[0]["question_id"], "answer": "[1, 2]"}
    assert take_in(root, tmp_path, [line], model) == 0
    file = answer_file(root, model, "baseline")
    file.write_bytes(file.read_bytes() + b'{"question_id"')
    with pytest.raises(QuestionFileError, match=r"baseline\.jsonl, line 2: is damaged"):
        imported_answers(root, model, "baseline")
    assert take_in(root, tmp_path, [line], model) == 2
