"""Annotations without a contradiction that say what is seldom meant: each warning, and twins."""

from pathlib import Path

import pytest

from enact_assets.demonstrations.recordings.folders import CAMERA
from enact_assets.demonstrations.replay.annotated import check_annotation, read_annotated
from enact_assets.demonstrations.replay.annotation_doubts import DOUBTS

from reference.small_videos import write_video

N_FRAMES = 90
HEAD = "frame,change,predicate,subject,object,category\n"
THINGS = "".join(
    f",object,,{name},,{category}\n"
    for name, category in (
        *(("robot", "agent"), ("cup", "cup"), ("spoon", "spoon")),
        *(("table", "table"), ("shelf", "shelf")),
    )
)
FIRST = 7
"""The line after head and things."""
ON = "0,add,OnTop,cup,table"
OFF = "30,remove,OnTop,cup,table"
HOLD = "30,add,LeftGrasping,robot,cup"
LET_GO = "60,remove,LeftGrasping,robot,cup"

CASES: list[tuple[str, tuple[str, ...], int, str]] = [
    # kind, rows, line, part of the message
    ("hidden_before", (ON, OFF, HOLD, "60,show,,cup,"), FIRST + 3,
     "'cup' is unseen until here, frame 60; OnTop(cup, table) changes at 30 (changes: 2)"),
    ("all_early", ("0,add,Open,cup,", "1,add,Open,spoon,", "2,add,Open,shelf,"), 0,
     "all 3 changes lie in the first 3 of 90 frames"),
    ("alike_names", (ON, ",object,,Cup,,cup"), FIRST + 1, "'Cup' and 'cup' differ in capitals"),
    ("alike_names", (ON, ",object,,tea pot,,pot", ",object,,tea_pot,,pot"), FIRST + 2, "(such pa"),
    ("alike_categories", (ON, ",object,,cup_2,,Cup"), FIRST + 1, "'Cup' and 'cup'"),
    ("turned_round", ("0,add,Inside,spoon,cup", "20,remove,Inside,spoon,cup",
                      "50,add,Inside,cup,spoon"), FIRST + 2,
     "Inside(cup, spoon), and in line 7 Inside(spoon, cup) (such pairs: 1)"),
    ("flicker", (ON, "40,add,Open,shelf,", "45,remove,Open,shelf,"), FIRST + 1,
     "Open(shelf) begins at frame 40 and ends at 45 (facts as short: 1)"),
    ("two_in_one_hand", (HOLD, "50,add,LeftGrasping,robot,spoon"), FIRST + 1,
     "LeftGrasping(robot, spoon) begins while LeftGrasping(robot, cup) holds"),
    ("left_behind", (ON, HOLD, LET_GO, "60,add,OnTop,cup,shelf"), FIRST + 3,
     "OnTop(cup, shelf) begins after a grasp, while OnTop(cup, table) still holds"),
]  # fmt: skip


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_video(tmp_path_factory.mktemp("video") / f"{CAMERA}.mp4", N_FRAMES)


def written(folder: Path, video: Path, rows: tuple[str, ...]) -> Path:
    (folder / video.name).symlink_to(video)
    file = folder / "annotation.csv"
    file.write_text(HEAD + THINGS + "\n".join(rows) + "\n")
    return file


@pytest.mark.parametrize("case", CASES, ids=[f"{k} {c[0]}" for k, c in enumerate(CASES)])
def test_a_warning_names_its_place_and_stops_nothing(
    case: tuple[str, tuple[str, ...], int, str], tmp_path: Path, video: Path
) -> None:
    kind, rows, line, part = case
    file = written(tmp_path, video, rows)
    checked = check_annotation(file)
    assert checked.problems == []
    [warning] = checked.warnings
    assert (warning.kind, warning.line) == (kind, line)
    assert part in str(warning)
    assert str(warning).endswith(".")
    assert read_annotated(file, "d").demonstrations.height == 1


def test_every_warning_is_tested() -> None:
    assert {case[0] for case in CASES} == set(DOUBTS)


GOOD: dict[str, tuple[str, ...]] = {
    "unseen, and said so": (ON, "0,hide,,cup,", OFF, HOLD, "60,show,,cup,"),
    "unseen until it is taken out": ("0,add,Inside,cup,shelf", "60,show,,cup,",
                                     "60,remove,Inside,cup,shelf"),
    "shown in time for the picture": (ON, OFF, HOLD, "50,show,,cup,"),
    "seen from the start": ("0,show,,cup,", ON, OFF),
    "few changes, early": ("0,add,Open,cup,", "2,add,Open,spoon,"),
    "stacked the other way": ("0,add,OnTop,spoon,cup", "30,remove,OnTop,spoon,cup",
                              "30,add,OnTop,cup,spoon"),
    "short at the end of the video": (ON, "85,add,Open,shelf,"),
    "one after the other": (HOLD, LET_GO, "60,add,LeftGrasping,robot,spoon"),
    "a hand each": (HOLD, "50,add,RightGrasping,robot,cup"),
    "taken and put elsewhere": (ON, OFF, HOLD, LET_GO, "60,add,OnTop,cup,shelf"),
    "on a shelf on the table": ("0,add,OnTop,shelf,table", ON, HOLD, LET_GO,
                                "60,add,OnTop,cup,shelf"),
    "a bridge that nobody held": (ON, "60,add,OnTop,cup,shelf"),
    "numbered": (ON, ",object,,cup_1,,cup", ",object,,cup_2,,cup"),
}  # fmt: skip


@pytest.mark.parametrize("rows", GOOD.values(), ids=GOOD)
def test_a_good_twin_has_no_warning(rows: tuple[str, ...], tmp_path: Path, video: Path) -> None:
    checked = check_annotation(written(tmp_path, video, rows))
    assert (checked.problems, checked.warnings) == ([], [])


def test_a_category_robot_may_hold_things(tmp_path: Path, video: Path) -> None:
    file = written(tmp_path, video, (ON, HOLD))
    file.write_text(file.read_text().replace("robot,,agent", "robot,,robot"))
    assert check_annotation(file).problems == []
    file.write_text(file.read_text().replace("robot,,robot", "robot,,person"))
    [problem] = check_annotation(file).problems
    assert "LeftGrasping(robot, cup), but 'robot' is a 'person' and no agent" in str(problem)


def test_the_sample_of_the_docs_has_no_warning() -> None:
    folder = Path(__file__).parents[3] / "docs" / "annotated_video" / "picking_up_toys_1"
    checked = check_annotation(folder / "annotation.csv")
    assert (checked.problems, checked.warnings) == ([], [])
