"""Question files come in alone, zipped, with recordings, and with other files beside them.

The command that an import prints makes what came in, and nothing else."""

import json
import zipfile
from pathlib import Path

import pytest
from official_files import a_question, picture, write_inputs

from enact_assets.cli import main
from enact_assets.commands.release.importing import import_paths
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.engine.errors import SettingsError
from enact_assets.pipeline.root.scope import Scope, read_scope, write_scope
from enact_assets.questions.asked.official import encode_question, write_questions_file
from enact_assets.questions.files.imported import question_file_names
from enact_assets.settings.paths import SCOPE_FILE, DataRoot
from enact_assets.settings.registry import DEFAULT_REGISTRY

GRAPHS = json.dumps({str(k): {"nodes": [], "edges": [], "type": "full"} for k in range(5)})
RECORDED = {"replayed_activities/tidy_1/scene_graph_0.json": GRAPHS}


def asked(*tasks: str) -> str:
    """A question file about ``tasks``."""
    return "".join(encode_question(a_question(task)) + "\n" for task in tasks)


def zipped(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as written:
        for name, content in files.items():
            written.writestr(name, content)
    return path


def imported(path: Path, root: DataRoot) -> tuple[list[str], list[str], list[str], str]:
    """Question files and recordings that came in, what failed, and the notes."""
    summary = import_paths([path], root)
    questions, recordings = question_file_names(root.question_files), Recordings(root.recordings)
    failed = [str(o.error) for o in summary.failures]
    return questions, recordings.names(), failed, " ".join(summary.notes)


def validated(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = main(["validate", str(path)])
    return code, " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("given", ["zip", "folder"])
def test_a_data_set_of_questions_is_looked_at_and_comes_in(
    given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """QA.zip as it is downloaded, and QA as it is unpacked."""
    files = {"QA/one.jsonl": asked("a_1"), "QA/two.jsonl": asked("a_1", "b_1")}
    path = zipped(tmp_path / "QA.zip", files)
    with zipfile.ZipFile(path, "a") as added:
        for image in a_question("a_1").images:
            added.writestr(image, picture(1))
    where = f"{path}: QA/"
    if given == "folder":
        with zipfile.ZipFile(path) as opened:
            opened.extractall(tmp_path)
        path, where = tmp_path / "QA", f"{tmp_path}/QA/"
    code, said = validated(path, capsys)
    assert code == 0
    assert f"{where}one.jsonl: no problems. 1 question about 1 demonstration, 3 pictures." in said
    assert f"note: {where}two.jsonl: 3 of 6 pictures are missing" in said
    questions, _, failed, notes = imported(path, DataRoot(tmp_path / "data"))
    assert (questions, failed) == (["one", "two"], [])
    assert "ignored" not in notes  # its pictures are not files that nothing needs


def test_a_second_file_of_the_same_name_does_not_replace_the_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"a/q.jsonl": asked("a_1"), "b/q.jsonl": asked("b_1", "c_1")}
    path, root = zipped(tmp_path / "z.zip", files), DataRoot(tmp_path / "data")
    questions, _, [failure], _ = imported(path, root)
    assert questions == ["q"]
    assert (root.question_files / "q.jsonl").read_text() == asked("a_1")
    assert failure.startswith(f"{path}: b/q.jsonl: a/q.jsonl has the same name")
    code, said = validated(path, capsys)
    assert code == 1
    assert "b/q.jsonl: a/q.jsonl has the same name" in said
    assert "a/q.jsonl: no problems" in said


OTHER_ROWS = '{"file_name": "a.png"}\n'


@pytest.mark.parametrize(
    ("beside", "came", "part"),
    [
        ({"QA/q.jsonl": asked("a_1")}, ["q"], ""),
        ({"metadata.jsonl": OTHER_ROWS}, [], ""),
        ({"metadata.jsonl": OTHER_ROWS, "QA/q.jsonl": asked("a_1")}, ["q"], ""),
        ({"QA/q.jsonl": asked("a_1")[:-9]}, [], "QA/q.jsonl, line 1"),
    ],
    ids=["questions", "other rows", "both", "damaged"],
)
def test_recordings_come_in_whatever_is_beside_them(
    beside: dict[str, str],
    came: list[str],
    part: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = zipped(tmp_path / "z.zip", RECORDED | beside)
    questions, recordings, failed, notes = imported(path, DataRoot(tmp_path / "data"))
    assert (questions, recordings) == (came, ["tidy_1"])
    assert len(failed) == (1 if part else 0)
    assert all(text.startswith(f"{path}: {part}") for text in failed)
    is_noted = "metadata.jsonl" in beside
    assert (f"{path}: metadata.jsonl: ignored, its rows are not questions." in notes) == is_noted
    _, said = validated(path, capsys)
    assert ("note: " in said and "metadata.jsonl: ignored" in said) == is_noted
    assert "no problems. 5 frames" in said or "key frames need a picture" in said
    assert part in said


def test_other_rows_alone_are_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = zipped(tmp_path / "z.zip", {"metadata.jsonl": OTHER_ROWS})
    questions, _, [failure], _ = imported(path, DataRoot(tmp_path / "data"))
    assert questions == []
    assert failure.startswith(f"{path}: metadata.jsonl, line 1")
    assert validated(path, capsys)[0] == 1


def test_a_folder_of_recordings_may_hold_other_rows(tmp_path: Path) -> None:
    folder = tmp_path / "replayed_activities"
    (folder / "tidy_1").mkdir(parents=True)
    (folder / "tidy_1" / "scene_graph_0.json").write_text(GRAPHS)
    (folder / "metadata.jsonl").write_text(OTHER_ROWS)
    assert imported(folder, DataRoot(tmp_path / "data"))[:3] == ([], ["tidy_1"], [])


TASK = "synth_set_table_2212"


def command_after(root: DataRoot, path: Path) -> str:
    return import_paths([path], root).notes[-1].split("`")[1].removesuffix(f" --data {root.root}")


def test_it_names_the_variants_that_ask_about_what_came_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = DataRoot(tmp_path / "data")
    write_inputs(tmp_path / "replayed", (TASK,))
    write_questions_file(tmp_path / "published.jsonl", [a_question()])
    replay = tmp_path / "replayed" / TASK
    assert command_after(root, replay) == "enact-assets materialize --variant recorded"
    command = command_after(root, tmp_path / "published.jsonl")
    assert command == "enact-assets materialize --variant official"
    # Imported questions are asked about recordings too.
    both = "enact-assets materialize --variant recorded --variant official"
    assert command_after(root, replay) == both
    registry = DEFAULT_REGISTRY.read_text().replace("sources: [embedded]", "sources: [recorded]")
    (tmp_path / "registry.yaml").write_text(registry)
    monkeypatch.setenv("ENACT_REGISTRY", str(tmp_path / "registry.yaml"))
    assert command_after(root, replay) == "enact-assets materialize"


def test_an_import_puts_its_variants_in_scope_and_nothing_else(tmp_path: Path) -> None:
    write_inputs(tmp_path / "replayed", (TASK,))
    replay = tmp_path / "replayed" / TASK
    new, used = DataRoot(tmp_path / "new"), DataRoot(tmp_path / "used")
    assert import_paths([replay], new).is_success
    recorded = frozenset({"recorded"})
    assert read_scope(new.root) == Scope({"demonstration": frozenset(), "variant": recorded})
    fisheye = {"variant": frozenset({"fisheye"})}
    write_scope(used.root, Scope(fisheye))
    assert import_paths([replay], used).is_success
    assert read_scope(used.root) == Scope({"variant": fisheye["variant"] | recorded})


def test_nothing_is_imported_where_the_scope_is_damaged(tmp_path: Path) -> None:
    """What came in was not in scope, and no message named it."""
    write_inputs(tmp_path / "replayed", (TASK,))
    root = DataRoot(tmp_path / "data")
    root.root.mkdir()
    (root.root / SCOPE_FILE).write_text("variants: 3\n")
    with pytest.raises(SettingsError, match=SCOPE_FILE):
        import_paths([tmp_path / "replayed" / TASK], root)
    assert not root.recordings.exists()
