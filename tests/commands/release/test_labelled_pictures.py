"""Labelled pictures on disk: each drawn once, linked elsewhere, whole or not there at all."""

import os
from io import BytesIO
from pathlib import Path

import pytest
from official_files import picture, tree
from PIL import Image, ImageDraw, ImageFont

from enact_assets.commands.release import pictures
from enact_assets.commands.release.pictures import label_picture, write_question_pictures
from enact_assets.engine.errors import OutputError
from enact_assets.questions.asked.official import OfficialQuestion

TASK, TYPE = "task_1", "inverse_world_modeling_4_steps"
FRAMES = (60, 300, 600, 900)


def questions(n: int = 3) -> list[OfficialQuestion]:
    """Questions that all show the same four key frames in one folder."""
    folder = f"QA/images/{TYPE}/{TASK}"
    return [
        OfficialQuestion(
            id=f"q{k}", type=TYPE, task_name=TASK, key_frame_ids=[str(f) for f in FRAMES],
            images=[f"{folder}/q{k}_{place}.png" for place in range(4)],
            question="", options=[], gt_answer=[1, 2, 3],
        )
        for k in range(n)
    ]  # fmt: skip


def write(root: Path, n: int = 3) -> int:
    found = [(TASK, str(frame), picture(frame)) for frame in FRAMES]
    return write_question_pictures(questions(n), found, root)


def folder_of(root: Path) -> Path:
    return root / "QA" / "images" / TYPE / TASK


def test_labels_look_as_pillow_draws_them() -> None:
    """What a label covers is remembered, and the release's look is that of one call."""
    for size in ((64, 64), (300, 40), (512, 700)):
        image = Image.radial_gradient("L").resize(size).convert("RGB")
        out = BytesIO()
        image.save(out, "PNG")
        for label in ("Current State", "Next State 9", "Current State"):
            expected = image.copy()
            font = ImageFont.truetype("DejaVuSans-Bold.ttf", max(40, size[1] // 10))
            ImageDraw.Draw(expected).text(
                (15, 15), label, fill=(255, 20, 20), font=font, stroke_width=3,
                stroke_fill=(255, 255, 255),
            )  # fmt: skip
            labelled = Image.open(BytesIO(label_picture(out.getvalue(), label, "x")))
            assert labelled.tobytes() == expected.tobytes()


def test_waiting_for_the_disk_does_not_grow_with_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was two waits for each of thousands; but each file reaches the disk, and its folders."""
    flushed: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda file: flushed.append(os.fstat(file).st_ino))
    assert write(tmp_path, 20) == 80
    folder = folder_of(tmp_path)
    above = [path for path in folder.parents if path.is_relative_to(tmp_path)]
    assert len(flushed) == 5 + len(above)
    assert set(flushed) == {path.stat().st_ino for path in (folder, *folder.iterdir(), *above)}


def test_what_is_not_the_picture_is_replaced_and_the_rest_stays(tmp_path: Path) -> None:
    """Half of a file, another question's picture, a link that leads elsewhere."""
    write(tmp_path / "out")
    whole = tree(tmp_path / "out")
    places = sorted(folder_of(tmp_path / "out").iterdir())
    kept = places[-1].stat().st_ino
    elsewhere = tmp_path / "precious"
    elsewhere.write_text("precious")
    for place, content in ((0, b""), (5, whole[next(iter(whole))][:200]), (6, b"x")):
        places[place].unlink()
        places[place].write_bytes(content)
    for place in (1, 7):
        places[place].unlink()
        places[place].symlink_to(elsewhere)
    write(tmp_path / "out")
    assert tree(tmp_path / "out") == whole
    assert not any(place.is_symlink() for place in places)
    assert places[-1].stat().st_ino == kept
    assert elsewhere.read_text() == "precious"


def test_a_folder_that_leads_out_gets_no_picture(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    folder_of(tmp_path / "out").parent.mkdir(parents=True)
    folder_of(tmp_path / "out").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError, match="outside the output folder"):
        write(tmp_path / "out")
    assert tree(tmp_path / "elsewhere") == {}


def test_where_files_cannot_be_linked_they_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "linked")

    def refuse(*_arguments: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(pictures.os, "link", refuse)
    write(tmp_path / "copied")
    assert tree(tmp_path / "copied") == tree(tmp_path / "linked")
    assert {p.stat().st_nlink for p in folder_of(tmp_path / "copied").iterdir()} == {1}


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_run_killed_while_it_writes_leaves_no_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed as a signal does it: nothing is tidied up."""
    write(tmp_path / "whole")
    pid = os.fork()
    if pid == 0:
        monkeypatch.setattr(Path, "replace", lambda *_: os._exit(9))
        write(tmp_path / "out")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    assert [p.suffix for p in folder_of(tmp_path / "out").iterdir()] == [".tmp"]
    write(tmp_path / "out")
    done = {k: v for k, v in tree(tmp_path / "out").items() if not k.endswith(".tmp")}
    assert done == tree(tmp_path / "whole")
