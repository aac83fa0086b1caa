"""Step files: what they say is read, what is wrong is said, and the rest goes on."""

from pathlib import Path

import pytest

from enact_assets.engine.errors import StepFileError, UnknownNameError
from enact_assets.questions.world.annotated_actions import ERROR, NO_PICTURES, annotated_actions
from enact_assets.questions.world.captaincook4d import FOLDER, NAME
from enact_assets.questions.world.step_files import (
    annotations_in,
    ensured_step_files,
    read_step_file,
    step_file_folder,
    step_file_names,
    step_file_version,
)

from reference.small_step_files import VIDEOS as HEADER
from reference.small_step_files import kitchen, step, three_kitchens, write_step_file

VIDEOS = ["a,1,1,60", "b,2,2,60"]


def test_captaincook4d_ships_with_its_licence() -> None:
    file = read_step_file(FOLDER, NAME)
    assert file.n_not_done == 287
    assert file.steps.height == 5700 - 287
    assert file.steps["recording"].n_unique() == 384
    assert file.steps["category"].n_unique() <= 350
    assert "MIT License" in (FOLDER / "LICENSE").read_text()
    # Six steps that were carried out are called otherwise than their id.
    [problem] = file.problems
    assert "6 rows with the description of another step than that of the step_id" in problem
    assert "line 198, recording 1_136, step 8" in problem


def test_no_step_of_captaincook4d_lies_outside_its_film() -> None:
    """Some end five milliseconds after it: times are rounded."""
    found = annotated_actions(read_step_file(FOLDER, NAME), {})
    assert dict(found.rows["reason"].value_counts().iter_rows()) == {ERROR: 1683, NO_PICTURES: 3730}
    assert "302 overlaps of neighbouring steps" in found.problems[-1]


def test_bad_rows_are_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    steps = [
        step("a", 1, 0, 10),
        step("a", 2, 8, 20),  # overlaps the first
        step("a", 3, 30, 25),  # reversed
        step("a", 77, 32, 35),  # unknown
        step("a", 4, 50, 61),  # after the film
        step("a", 5, "soon", 55),
        step("b", 1, 0, 10, "perhaps"),
        step("z", 1, 0, 10),
        step("b", 2, -1, -1),
        step("b", 3, 10, 20, "True"),
        step("b", 4, 20, 30),
    ]
    file = read_step_file(write_step_file(tmp_path / "mine", steps, VIDEOS), "mine")
    assert file.n_not_done == 1
    unread, unplaced = file.problems
    assert "2 rows are ignored: start_time, end_time or has_errors cannot be read" in unread
    assert "line 7, recording a, step 5" in unread
    assert "1 row is ignored: video_information.csv lacks the recording" in unplaced
    found = annotated_actions(file, {"a": 60.0})
    reasons = {
        (r, c): why for r, c, why in found.rows.select("recording", "category", "reason").rows()
    }
    assert reasons == {
        ("a", "1"): None,
        ("a", "2"): None,
        ("a", "3"): "ends no later than it begins",
        ("a", "77"): "the list of steps lacks it",
        ("a", "4"): "ends after its film",
        ("b", "3"): ERROR,
        ("b", "4"): NO_PICTURES,
    }
    said = "\n".join(found.problems[2:])
    assert "line 4, recording a, step 3, 30.0 to 25.0 s" in said
    assert "line 6, recording a, step 4, 50.0 to 61.0 s, film of 60.0 s" in said
    assert "1 overlap of neighbouring steps (first: line 3" in said
    assert found.rows["action"].to_list() == [1, 2, 3, 4, 5, 1, 2]


def test_a_film_that_is_shorter_than_its_annotations(tmp_path: Path) -> None:
    file = read_step_file(write_step_file(tmp_path / "x", kitchen("a", range(1, 5)), VIDEOS), "x")
    found = annotated_actions(file, {"a": 25.0})
    assert found.rows["is_askable"].to_list() == [True, True, False, False]
    [problem] = found.problems
    assert problem == (
        "step_annotations.csv: 2 steps not asked about: ends after its film (first: line 4, "
        "recording a, step 3, 20.0 to 30.0 s, film of 25.0 s)."
    )


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("step_annotations.csv", None, "missing. A step file is a folder with"),
        ("video_information.csv", "recording_id,person_id\na,1\n", "lacks columns"),
        ("video_information.csv", f"{HEADER}\na,1,1,60\na,2,1,60\n", "2 rows share their"),
        ("step_annotations.csv", "", "cannot be read as CSV"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, file: str, text: str | None, said: str) -> None:
    folder = three_kitchens(tmp_path / "x")
    (folder / file).unlink()
    if text is not None:
        (folder / file).write_text(text)
    with pytest.raises(StepFileError, match=said):
        read_step_file(folder, "x")


def test_step_files_are_folders_of_the_data_root(tmp_path: Path) -> None:
    assert step_file_names(tmp_path / "none") == []
    with pytest.raises(UnknownNameError, match="that of captaincook4d may be empty"):
        step_file_folder(tmp_path, "mine")
    assert ensured_step_files(tmp_path, [NAME]) == [NAME]
    three_kitchens(tmp_path / "mine")
    (tmp_path / "embedded").mkdir()
    assert step_file_names(tmp_path) == [NAME, "mine"]
    assert annotations_in(tmp_path / NAME) == FOLDER
    assert annotations_in(tmp_path / "mine") == tmp_path / "mine"


def test_another_film_or_annotation_is_another_version(tmp_path: Path) -> None:
    folder = three_kitchens(tmp_path / "mine")
    first = step_file_version(tmp_path, "mine")
    (folder / "videos").mkdir()
    (folder / "videos/a.mp4").write_bytes(b"film")
    second = step_file_version(tmp_path, "mine")
    text = (folder / "step_annotations.csv").read_text()
    (folder / "step_annotations.csv").write_text(text.replace("False", "True", 1))
    assert len({first, second, step_file_version(tmp_path, "mine")}) == 3
