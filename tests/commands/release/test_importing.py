"""Recordings and question files enter a data root, and questions leave it as they came."""

import gzip
import json
import os
from pathlib import Path

import pytest
from official_files import a_question, write_inputs, write_pictures

from enact_assets.cli import main
from enact_assets.commands import terminal
from enact_assets.commands.release import pictures
from enact_assets.commands.release.pictures import label_picture
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.asked.official import official_id, write_questions_file
from enact_assets.settings.paths import DataRoot

from reference.undrawn import ASSETS_BUT_REPORT

pytestmark = pytest.mark.slow

TASK = "synth_set_table_2212"
REGISTRY = """
gatings:
  state:   {profile: paper, contact: false}
  release: {profile: release, contact: true}
variants:
  baseline: {gating: release}
  aperture_80:
    camera: {aperture_mm: 80.0}
questions: {trajectories_per_length: 2, question_set_per_stratum: 4, probe_set_per_stratum: 2}
demonstrations: []
models: [identity, oracle]
"""


def write_question_file(path: Path) -> bytes:
    """Two questions, one of them with a field nobody knows and its own spacing."""
    write_questions_file(path, [a_question()])
    line = json.loads(path.read_text())
    line |= {"id": line["id"] + "x", "note": "né"}
    odd = json.dumps(line, separators=(",", ":"), ensure_ascii=False)
    path.write_text(path.read_text() + odd + "\n")
    return path.read_bytes()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data root with one recording and one question file, materialized."""
    folder = tmp_path_factory.mktemp("imported")
    write_inputs(folder / "replayed", (TASK,))
    write_pictures(folder / "replayed", TASK)
    (folder / "registry.yaml").write_text(REGISTRY)
    write_question_file(folder / "published.jsonl")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENACT_REGISTRY", str(folder / "registry.yaml"))
        data = ["--data", str(folder / "data")]
        paths = [str(folder / "replayed"), str(folder / "published.jsonl")]
        assert main(["import", *paths, *data]) == 0
        assert main(["materialize", *data, *ASSETS_BUT_REPORT]) == 0
        yield folder


def test_a_recording_is_a_demonstration_under_either_profile(root: Path) -> None:
    """Same questions as by the command: one set of rules, whatever way a replay comes in."""
    lake = Lake(DataRoot(root / "data").lake)
    partition = {"demonstration": TASK, "gating": "release"}
    found = lake.read("qa", partition)
    segmented, output = root / "segmented", root / "by_command.jsonl"
    assert main(["segment", str(root / "replayed"), str(segmented)]) == 0
    arguments = ["--num-to-sample", "2", "--no-pictures"]
    assert main(["qa", str(segmented), str(root / "replayed"), str(output), *arguments]) == 0
    by_command = {q["id"]: q for q in map(json.loads, output.read_text().splitlines())}
    assert set(found["question_id"]) == set(by_command)
    for row in found.iter_rows(named=True):
        assert row["answer"] == by_command[row["question_id"]]["gt_answer"]
        assert row["prompt"] == by_command[row["question_id"]]["question"]
    assert lake.read("qa", {"demonstration": TASK, "gating": "state"}).height > 0


def test_a_recording_is_asked_about_as_it_was_recorded_only(root: Path) -> None:
    """Under another camera there is no picture of it; an empty answer sheet is no zero."""
    lake = Lake(DataRoot(root / "data").lake)
    rows = lake.read("evaluation", {"model": "oracle", "variant": "baseline"})
    assert rows.height == 2 * 8 * 4 - 2 * 8 * 2  # two trajectories of each length, both kinds
    assert rows["is_accepted"].all()
    assert lake.read("evaluation", {"model": "oracle", "variant": "aperture_80"}).is_empty()
    assert lake.read("frame_images", {"demonstration": TASK, "variant": "aperture_80"}).is_empty()


def test_a_gating_is_exported_with_its_pictures(root: Path) -> None:
    output = root / "ours" / "all.jsonl"
    data = ["--data", str(root / "data")]
    assert main(["export", "release", str(output), *data]) == 0
    lines = output.read_text().splitlines()
    assert len(lines) == 32
    for question in map(json.loads, lines):
        assert all((output.parent / image).is_file() for image in question["images"])
        type_, ids = question["type"], question["key_frame_ids"]
        assert question["id"] == official_id(TASK, type_, ids)
    assert main(["export", "nobody", str(output), *data]) == 2


def test_an_export_that_was_stopped_keeps_what_it_drew_and_tells_how_far_it_is(
    root: Path, tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Minutes without a word, and all of them again after a Ctrl-C."""
    monkeypatch.setattr(terminal, "LINE_EVERY_S", 0.0)
    drawn: list[str] = []

    def draw(png: bytes, label: str, where: str) -> bytes:
        drawn.append(f"{where}, {label}")
        return label_picture(png, label, where)

    monkeypatch.setattr(pictures, "label_picture", draw)
    output = tmp_path / "QA" / "all.jsonl"
    words = ["export", "release", str(output), "--data", str(root / "data")]
    assert main(words) == 0
    assert "export pictures: " in capsys.readouterr().err
    output.unlink()
    n_drawn = len(drawn)
    whole = {p: p.read_bytes() for p in output.parent.rglob("*.png")}
    assert n_drawn > 5
    changed = sorted(whole, key=lambda path: path.stat().st_nlink)[:4]
    for path in changed:
        assert path.stat().st_nlink == 1
    changed[0].unlink()
    changed[1].write_bytes(whole[changed[1]][:-20])
    changed[2].write_bytes(whole[changed[2]].replace(b"IDAT", b"IDAT\1", 1))
    changed[3].write_bytes(label_picture(whole[changed[3]], "Next State 9", "x"))
    drawn.clear()
    assert main(words) == 0
    assert len(drawn) == len(changed)
    assert {p: p.read_bytes() for p in output.parent.rglob("*.png")} == whole
    assert output.is_file()


def test_an_imported_question_file_leaves_as_it_came(root: Path) -> None:
    output = root / "again.jsonl"
    assert main(["export", "published", str(output), "--data", str(root / "data")]) == 0
    assert output.read_bytes() == (root / "published.jsonl").read_bytes()


def other_bytes(file: Path) -> bytes:
    """Those of ``file``, which is compressed less: another file of the same scene graphs."""
    return gzip.compress(gzip.decompress(file.read_bytes()), 1)


def test_a_second_run_finds_nothing_to_do(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A recording read again on every run would cost minutes each time."""
    data = ["--data", str(root / "data")]
    assert main(["materialize", "--asset", "replays", "--asset", "official_questions", *data]) == 0
    assert "Nothing to do" in capsys.readouterr().out
    file = next((root / "replayed" / TASK).glob("scene_graph_0.json.gz"))
    whole = file.read_bytes()
    os.utime(file)
    assert main(["materialize", "--asset", "replays", *data]) == 0
    assert "Nothing to do" in capsys.readouterr().out
    file.write_bytes(other_bytes(file))
    assert main(["materialize", "--asset", "replays", *data]) == 0
    assert "Nothing to do" not in capsys.readouterr().out
    file.write_bytes(whole)
    assert main(["materialize", "--asset", "replays", *data]) == 0


def test_a_recording_imported_from_elsewhere_is_read_again(root: Path, tmp_path: Path) -> None:
    """Its file may be older than what was read from the one before."""
    data = ["--data", str(root / "data")]
    other = write_inputs(tmp_path / "other", (TASK,))
    old = next((other / TASK).glob("scene_graph_0.json.gz"))
    content = other_bytes(old)
    old.unlink()  # it may be linked to the one that was imported
    old.write_bytes(content)
    os.utime(old, (1e9, 1e9))
    assert main(["import", str(other), *data]) == 0
    link = root / "data" / "recordings" / TASK
    assert link.resolve() == other / TASK
    lake = root / "data" / "lake" / "facts" / f"{TASK}.parquet"
    before = lake.stat().st_mtime_ns
    assert main(["materialize", "--asset", "replays", *data]) == 0
    assert lake.stat().st_mtime_ns > before
    assert main(["import", str(root / "replayed"), *data]) == 0
    assert main(["materialize", "--asset", "replays", *data]) == 0


def test_a_question_file_can_be_forgotten(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Deleted, it would fail every run from then on."""
    data = ["--data", str(root / "data")]
    (root / "passing.jsonl").write_bytes((root / "published.jsonl").read_bytes())
    assert main(["import", str(root / "passing.jsonl"), *data]) == 0
    assert main(["materialize", "--asset", "official_questions", *data]) == 0
    (root / "data" / "question_files" / "passing.jsonl").unlink()
    assert main(["materialize", "--asset", "official_questions", *data]) == 1
    assert main(["forget", "question_file", "passing", *data]) == 0
    capsys.readouterr()
    assert main(["materialize", "--asset", "official_questions", *data]) == 0


def test_what_cannot_be_imported_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And changes nothing: a bad line found later would leave half a question set."""
    (tmp_path / "bad.jsonl").write_text('{"id": "x"}\n')
    (tmp_path / "setting_the_table-3").mkdir()
    (tmp_path / "setting_the_table-3" / "scene_graph_0.json").write_text("{}")
    data = tmp_path / "data"
    paths = [tmp_path / "bad.jsonl", tmp_path / "setting_the_table-3", tmp_path / "gone"]
    assert main(["import", *map(str, paths), "--data", str(data)]) == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "line 1" in printed
    assert "name of an embedded demonstration" in printed
    assert f"failed: {paths[2]}: no such file or folder" in printed
    assert "materialize" not in printed, "nothing came in, so nothing is to be made"
    assert not list(data.rglob("*"))


def test_a_missing_path_is_called_that_by_import_and_validate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was `no annotation by its name` of one, and named twice by the other."""
    monkeypatch.chdir(tmp_path)
    for name in ("nothere", "nothere.csv", "nothere.jsonl", "nothere.hdf5"):
        assert main(["validate", name]) == 1
        assert capsys.readouterr().out == f"{name}: no such file or folder\n"
        assert main(["import", name, "--data", "data"]) == 1
        printed = capsys.readouterr().out
        assert printed.startswith(f"failed: {name}: no such file or folder\n")
    (tmp_path / "empty").mkdir()
    assert main(["import", "empty", "--data", "data"]) == 1
    assert capsys.readouterr().out.startswith("failed: empty: no folder below it holds a ")


def test_who_imports_answers_is_told_that_questions_are_expected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`Object missing required field` of what nobody said he had."""
    file = tmp_path / "answers.jsonl"
    file.write_text('{"id": "x", "answer": "[2, 1]"}\n')
    assert main(["import", str(file), "--data", str(tmp_path / "data")]) == 1
    printed = capsys.readouterr().out
    assert "missing required field `type`. Expected a question file: each line has id, " in printed
    assert "look like answers: `enact-assets eval`" in printed
    file.write_text('{"id": "x", "gt": "[2, 1]"}\n')
    assert main(["import", str(file), "--data", str(tmp_path / "data")]) == 1
    printed = capsys.readouterr().out
    assert "Expected a question file" in printed
    assert "eval" not in printed
