"""Questions leave a data root as a variant asks them, in either form."""

import json
from pathlib import Path
from typing import Any

import pytest

from enact_assets.cli import main
from enact_assets.commands.release import shown_questions
from enact_assets.engine.ids import sha256_bytes
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.plurals import counted
from enact_assets.settings.paths import DataRoot

from reference.asked_root import SYMBOLS, UNSHOWN, picture, write_asked_root
from reference.household import Household

Root = tuple[DataRoot, Household]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Root:
    return write_asked_root(tmp_path_factory.mktemp("asked"))


def export(asked: Root, output: Path, *options: str) -> list[dict[str, Any]]:
    assert main(["export", "state", str(output), "--data", str(asked[0].root), *options]) == 0
    return [json.loads(line) for line in output.read_text().splitlines()]


def test_only_what_is_asked_is_exported_unless_all_is_wanted(asked: Root, tmp_path: Path) -> None:
    """Answers to questions that nobody asks would be paid for and thrown away."""
    n = asked[1].qa.height
    few = export(asked, tmp_path / "few.jsonl")
    whole = export(asked, tmp_path / "whole.jsonl", "--all")
    assert (len(few), len(whole)) == (n - 4, n)
    assert [q for q in whole if q in few] == few


def test_the_release_form_has_the_words_of_the_variant(asked: Root, tmp_path: Path) -> None:
    found = export(asked, tmp_path / "symbols.jsonl", "--variant", SYMBOLS)
    rows = Lake(asked[0].lake).read("asked_questions", {"variant": SYMBOLS})
    assert {q["question"] for q in found} == set(rows["prompt"])
    assert not {q["question"] for q in found} & set(asked[1].qa["prompt"])


def test_messages_are_what_models_are_shown(asked: Root, tmp_path: Path) -> None:
    """Another harness has nothing but these lines and the pictures beside them."""
    found = export(asked, tmp_path / "m" / "messages.jsonl", "--form", "messages")
    rows = {row["question_id"]: row for row in asked[1].qa.iter_rows(named=True)}
    assert len(found) == len(rows) - 4
    for line in found:
        row = rows[line["question_id"]]
        assert list(line) == [
            *("question_id", "official_id", "variant", "kind", "length", "n_entries"),
            *("shown_sha", "parts"),
        ]
        assert line["variant"] == "baseline"
        assert line["n_entries"] == line["length"] - 1 == len(row["answer"])
        *shown, prompt = line["parts"]
        assert prompt == {"text": row["prompt"]}
        assert [part["text"] for part in shown[::2]][:2] == ["[Current State]", "[Next State 1]"]
        for part, key_frame in zip(shown[1::2], row["shown_key_frames"], strict=True):
            path = tmp_path / "m" / part["picture"]
            assert path.read_bytes() == picture(key_frame)
            assert path.stem == sha256_bytes(picture(key_frame))


def test_both_forms_can_be_joined(asked: Root, tmp_path: Path) -> None:
    """By the id of the release's files, which names the same question in both."""
    release = export(asked, tmp_path / "release.jsonl")
    messages = export(asked, tmp_path / "m" / "messages.jsonl", "--form", "messages")
    prompts = {q["id"]: q["question"] for q in release}
    assert len(prompts) == len(messages)
    assert {m["official_id"]: m["parts"][-1]["text"] for m in messages} == prompts


def test_answers_are_told_on_demand_under_another_name(asked: Root, tmp_path: Path) -> None:
    """A file with references in `answer` could be imported as the answers of a perfect model."""
    found = export(asked, tmp_path / "m.jsonl", "--form", "messages", "--answers")
    answers = dict(asked[1].qa.select("question_id", "answer").iter_rows())
    assert all(line["gt_answer"] == answers[line["question_id"]] for line in found)
    assert not any("answer" in line for line in found)


def test_questions_without_their_pictures_are_left_out_and_counted(
    asked: Root, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half a message asks another question."""
    found = export(asked, tmp_path / "m.jsonl", "--form", "messages", "--variant", SYMBOLS)
    frames = Lake(asked[0].lake).read("asked_questions", {"variant": SYMBOLS})["key_frames"]
    n_lost = sum(UNSHOWN in shown for shown in frames)
    assert 0 < n_lost < len(frames)
    assert len(found) == len(frames) - n_lost
    assert f"{counted(n_lost, 'question')} left out" in capsys.readouterr().out


def test_pictures_that_are_there_are_not_written_again(
    asked: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An export that was stopped continues; one damaged picture is replaced."""
    export(asked, tmp_path / "m.jsonl", "--form", "messages")
    whole = {p: p.read_bytes() for p in (tmp_path / "pictures").iterdir()}
    damaged, gone, *_ = whole
    damaged.write_bytes(whole[damaged][:-9])
    gone.unlink()
    written: list[Path] = []
    write = shown_questions.write_picture
    monkeypatch.setattr(
        shown_questions, "write_picture", lambda path, png: written.append(path) or write(path, png)
    )
    export(asked, tmp_path / "m.jsonl", "--form", "messages")
    assert set(written) == {damaged, gone}
    assert {p: p.read_bytes() for p in (tmp_path / "pictures").iterdir()} == whole


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["state", "--variant", "contact"], "asks question set 'contact', not 'state'"),
        (["state", "--variant", "nobody"], "unknown variant 'nobody'"),
        (["state", "--variant", "emoji"], "asked_questions"),
        (["state", "--form", "inspect"], "give both or neither"),
        (["state", "--model", "seer"], "give both or neither"),
        *(
            ([*words, "--form", form], message)
            for form in ("messages", "hf")
            for words, message in (
                (["state", "--all"], "--all is for --form release"),
                (
                    ["file"],
                    (
                        "unknown question set 'file' "
                        "(known: contact, state, with_untold, world:embedded)"
                    ),
                ),
                (["state", "--variant", "contact"], "asks question set 'contact', not 'state'"),
            )
        ),
    ],
)
def test_what_cannot_be_exported_is_said_and_nothing_is_written(
    asked: Root,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
) -> None:
    output = tmp_path / "out" / "m.jsonl"
    name, *others = options
    assert main(["export", name, str(output), "--data", str(asked[0].root), *others]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not output.parent.exists()
