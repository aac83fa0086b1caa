"""Files made by mistake or by somebody hostile: sound ones go on, and nothing leaves its place.

Each case was found by the fuzz tests (``make fuzz``), which run many more.
"""

import io
import json
import os
import re
import shutil
import time
from pathlib import Path

import pytest
from official_files import picture, run, tree, write_inputs, write_pictures
from PIL import Image

from enact_assets.commands.release.layout import output_file, read_key_frame_ids
from enact_assets.commands.release.pictures import label_picture
from enact_assets.engine.errors import OutputError, RecordingError
from enact_assets.engine.system.atomic import replacing

TASK = "synth_set_table_2212"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a\\b", "..x", "a\x1b[31m", "a\nb", "x" * 121, "\udcff"])
def test_a_folder_of_an_impossible_name_fails_alone(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One odd folder stopped all tasks; one that is no text stopped the summary as well."""
    write_inputs(tmp_path / "in", (TASK,))
    shutil.copytree(tmp_path / "in" / TASK, tmp_path / "in" / name)
    assert run("segment", tmp_path / "in", tmp_path / "out") == 1
    printed = capsys.readouterr().out
    assert "name cannot be a task name" in " ".join(printed.split())
    assert "1 of 2 done" in printed
    assert "\x1b" not in printed
    assert names(tmp_path / "out") == [TASK]
    shutil.copytree(tmp_path / "out" / TASK, tmp_path / "out" / name)
    arguments = ("--num-to-sample", 1, "--no-pictures")
    assert run("qa", tmp_path / "out", tmp_path / "in", tmp_path / "q.jsonl", *arguments) == 1
    lines = (tmp_path / "q.jsonl").read_text().splitlines()
    tasks = {json.loads(line)["task_name"] for line in lines}
    assert tasks == {TASK}
    assert run("import", tmp_path / "in", "--data", tmp_path / "data") == 1
    assert names(tmp_path / "data" / "recordings") == [TASK]


@pytest.mark.slow
def test_a_name_that_no_partition_may_have_goes_through_all_three(tmp_path: Path) -> None:
    """It is that of a folder, and text in rows. The release takes it, too."""
    name = "käse 50% (1)"
    write_inputs(tmp_path / "in", (TASK,))
    (tmp_path / "in" / TASK).rename(tmp_path / "in" / name)
    assert run("segment", tmp_path / "in", tmp_path / "out") == 0
    assert names(tmp_path / "out") == [name]
    arguments = (tmp_path / "out", tmp_path / "in", tmp_path / "q.jsonl")
    assert run("qa", *arguments, "--num-to-sample", 1, "--no-pictures") == 0
    rows = [json.loads(line) for line in (tmp_path / "q.jsonl").read_text().splitlines()]
    assert {row["task_name"] for row in rows} == {name}
    answers = tmp_path / "enact_ordering_m.jsonl"
    answered = (json.dumps({**row, "answer": str(row["gt_answer"])}) for row in rows)
    answers.write_text("\n".join(answered))
    places = ("--segmented-data", tmp_path / "out", "--raw-data", tmp_path / "in")
    assert run("eval", answers, *places, "--output-root", tmp_path / "eval") == 0
    report = json.loads((tmp_path / "eval" / "m" / "report.json").read_text())
    assert report["overall"]["count"] == len(rows) > 0
    assert report["overall"]["task_accuracy"] == 1


def test_an_answer_file_of_an_impossible_name_fails_alone(tmp_path: Path) -> None:
    """Its name becomes a folder's, and the model's in tables that hold text only."""
    write_inputs(tmp_path / "in", (TASK,))
    assert run("segment", tmp_path / "in", tmp_path / "seg", "--profile", "paper") == 0
    (tmp_path / "answers").mkdir()
    ids = list(json.loads((tmp_path / "seg" / TASK / "segmented_scene_graph_0.json").read_text()))
    asked = {"id": "a", "type": "forward_world_modeling_3_steps", "task_name": TASK}
    order = {"key_frame_ids": ids[:3], "gt_answer": [2, 1], "answer": "[2, 1]"}
    row = json.dumps(asked | order)
    for model in ("m", "\udcff", "", ".", ".."):
        (tmp_path / "answers" / f"enact_ordering_{model}.jsonl").write_text(row)
    assert run(
        "eval", tmp_path / "answers", "--segmented-data", tmp_path / "seg", "--raw-data",
        tmp_path / "in", "--output-root", tmp_path / "out", "--profile", "paper",
    ) == 1  # fmt: skip
    written = ["batch_evaluation_summary.json", "detailed_eval", "m", "meta_performance"]
    assert names(tmp_path / "out") == written
    assert names(tmp_path / "out" / "detailed_eval") == ["enact_ordering_m.jsonl"]


@pytest.mark.parametrize("profile", ["release", "paper"])
def test_one_row_with_an_endless_frame_id_does_not_stop_the_others(
    tmp_path: Path, profile: str
) -> None:
    """Python refuses to read thousands of digits, with an error that was not ours."""
    write_inputs(tmp_path / "in", (TASK,))
    arguments = ("--profile", profile)
    assert run("segment", tmp_path / "in", tmp_path / "seg", *arguments) == 0
    output = tmp_path / "q.jsonl"
    more = ("--num-to-sample", 1, "--no-pictures")
    assert run("qa", tmp_path / "seg", tmp_path / "in", output, *more, *arguments) == 0
    rows = [json.loads(line) | {"answer": [1, 2]} for line in output.read_text().splitlines()]
    rows[0]["key_frame_ids"][0] = "9" * 5000
    output.write_text("\n".join(map(json.dumps, rows)))
    assert run(
        "eval", output, "--segmented-data", tmp_path / "seg", "--raw-data", tmp_path / "in",
        "--output-root", tmp_path / "out", *arguments,
    ) == 0  # fmt: skip
    report = json.loads((tmp_path / "out" / "unknown" / "report.json").read_text())
    assert report["overall"]["count"] == len(rows) - 1


BOMB = picture(1)[:16] + b"\x00\x01\x00\x00" * 2 + picture(1)[24:]


@pytest.mark.parametrize("content", [b"GIF89a nonsense", picture(1)[:-30], BOMB, None])
def test_a_picture_that_is_none_costs_its_questions_and_no_others(
    tmp_path: Path, content: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """None: a folder of its name."""
    write_inputs(tmp_path / "in", (TASK,))
    ids = write_pictures(tmp_path / "in", TASK)
    broken = f"{ids[-1]:05d}.png"
    place = tmp_path / "in" / TASK / "external_sensor1" / broken
    if content is None:
        place.unlink()
        place.mkdir()
    else:
        place.write_bytes(content)
    assert run("segment", tmp_path / "in", tmp_path / "out") == 0
    assert re.search(f"1 file is no picture, first .*{broken}", capsys.readouterr().out)
    assert broken not in {path.name for path in (tmp_path / "out").rglob("*.png")}
    questions = tmp_path / "QA" / "questions.jsonl"
    assert run("qa", tmp_path / "out", tmp_path / "in", questions, "--num-to-sample", 2) == 0
    said = capsys.readouterr().out
    assert f"1 of {len(ids)} key frames have no picture, first {ids[-1]} (1 file is no" in said
    rows = [json.loads(line) for line in questions.read_text().splitlines()]
    assert rows
    assert not any(str(ids[-1]) in row["key_frame_ids"] for row in rows)
    assert all((tmp_path / image).is_file() for row in rows for image in row["images"])


def test_a_task_that_fails_leaves_nothing(tmp_path: Path) -> None:
    """Pictures that were copied before it would look like those of a task that is done."""
    write_inputs(tmp_path / "in")
    write_pictures(tmp_path / "in", TASK)
    # A folder stands where its key frames are to be written.
    (tmp_path / "out" / TASK / "segmented_scene_graph_0.json").mkdir(parents=True)
    assert run("segment", tmp_path / "in", tmp_path / "out") == 1
    assert not list((tmp_path / "out" / TASK).rglob("*.png"))


def test_a_picture_as_high_as_a_tower_can_be_labelled() -> None:
    """The label grows with the height: one of 6,500 px per letter was more than Pillow draws."""
    out = io.BytesIO()
    Image.new("L", (1, 65_535)).save(out, "PNG")
    assert Image.open(io.BytesIO(label_picture(out.getvalue(), "Current State", "x"))).width == 1


def test_what_stood_in_the_output_before_stays_if_a_task_fails(tmp_path: Path) -> None:
    write_inputs(tmp_path / "in", (TASK,))
    ids = write_pictures(tmp_path / "in", TASK)
    assert run("segment", tmp_path / "in", tmp_path / "out") == 0
    graphs = tmp_path / "out" / TASK / "segmented_scene_graph_0.json"
    graphs.unlink()
    graphs.mkdir()
    before = tree(tmp_path / "out")
    assert len(before) == len(ids)
    assert run("segment", tmp_path / "in", tmp_path / "out") == 1
    assert tree(tmp_path / "out") == before


def test_a_key_frame_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """Readers of JSON keep the last one, and two files glued together pass for one."""
    file = tmp_path / "segmented_scene_graph_0.json"
    file.write_text('{"60": {}, "300": {}, "60": {"60": {}}}')
    with pytest.raises(RecordingError, match="duplicate frame ids, first 60"):
        read_key_frame_ids(file)
    file.write_text('{"60": {"a": 1, "a": 2}, "300": {}}')
    assert read_key_frame_ids(file) == [60, 300]


def test_links_in_a_circle_are_an_error_of_the_output(tmp_path: Path) -> None:
    (tmp_path / "task").symlink_to(tmp_path / "task")
    with pytest.raises(OutputError, match="broken links in the path"):
        output_file(tmp_path, "task", "x.json")


def test_an_output_folder_may_look_like_markup(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_inputs(tmp_path / "in", (TASK,))
    assert run("segment", tmp_path / "in", tmp_path / "[" / "red]") == 0
    assert "[/red]" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["segment", "qa", "eval", "import"])
def test_a_name_that_is_too_long_is_a_wrong_call(tmp_path: Path, command: str) -> None:
    long = tmp_path / ("a" * 300)
    calls = {"segment": [long, tmp_path], "qa": [long, tmp_path, tmp_path / "q"], "eval": [long]}
    code = run(command, *calls.get(command, [long, "--data", tmp_path / "data"]))
    assert code == (1 if command == "import" else 2)


@pytest.mark.parametrize("folder", ["recordings", "question_files"])
def test_an_import_does_not_follow_a_link_out_of_the_data_root(tmp_path: Path, folder: str) -> None:
    write_inputs(tmp_path / "in", (TASK,))
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / folder).symlink_to(tmp_path / "elsewhere")
    paths = (tmp_path / "in", tmp_path / "empty.jsonl")
    assert run("import", *paths, "--data", tmp_path / "data") == 1
    assert not names(tmp_path / "elsewhere")


def test_an_old_link_of_a_killed_run_is_swept_and_not_followed(tmp_path: Path) -> None:
    """It looked like a folder to be removed, which failed every write beside it."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    link = tmp_path / "out" / ".task.0123456789ab.tmp"
    link.symlink_to(tmp_path / "elsewhere")
    long_ago = time.time() - 1e6
    os.utime(link, (long_ago, long_ago), follow_symlinks=False)
    with replacing(tmp_path / "out" / "x") as temporary:
        temporary.write_text("x")
    assert names(tmp_path / "out") == ["x"]
    assert (tmp_path / "elsewhere").is_dir()
