"""Annotated videos whose actions are named become a source of questions."""

from pathlib import Path

import pytest

from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.demonstrations.recordings.videos import length_s
from enact_assets.engine.errors import StepFileError
from enact_assets.questions.world.annotated_actions import annotated_actions
from enact_assets.questions.world.annotated_questions import annotated_questions
from enact_assets.questions.world.annotated_videos import ACTIONS, write_annotated_videos
from enact_assets.questions.world.step_files import films_in, read_step_file
from enact_assets.settings.world import WorldSettings

from reference.small_videos import write_video

ANNOTATION = """time,change,predicate,subject,object,category
,object,,robot,,agent
,object,,cup_{k},,cup
,object,,shelf,,shelf
,object,,table,,table
,object,,drawer,,drawer
0,add,OnTop,cup_{k},shelf,
2,add,Open,drawer,,
4,remove,OnTop,cup_{k},shelf,
4,add,RightGrasping,robot,cup_{k},
6,remove,RightGrasping,robot,cup_{k},
6,add,OnTop,cup_{k},table,
8,remove,Open,drawer,,
"""
STEPS = [
    "0,2,open,drawer,",
    "2,4,grasp,cup_{k},shelf",
    "4,6,place,cup_{k},table",
    "6,8,close,drawer,",
]


def recorded(root: Path, k: int, steps: list[str], more: str = "") -> None:
    folder = root / f"tidying_{k}"
    write_video(folder / "external_sensor1.mp4", 20, rate=2)
    (folder / "annotation.csv").write_text(ANNOTATION.format(k=k))
    header = "start,end,verb,object,place" + more
    rows = [step.format(k=k) for step in steps]
    (folder / ACTIONS).write_text("\n".join([header, *rows, ""]))


def test_actions_of_annotated_videos_are_asked_about(tmp_path: Path) -> None:
    root, folder = tmp_path / "recordings", tmp_path / "step_files/annotated_videos"
    for k in (1, 2):
        recorded(root, k, STEPS)
    recorded(root, 3, [f"{step},kitchen" for step in [*STEPS, "8,9,grasp,mug,"]], ",environment")
    (told,) = write_annotated_videos(Recordings(root), folder)
    assert "tidying_3/actions.csv: 1 row left out: no such object (first: line 6, mug)" in told
    films = {name: length_s(film) for name, film in films_in(folder).items()}
    assert films == pytest.approx(dict.fromkeys(("tidying_1", "tidying_2", "tidying_3"), 10.0))
    found = annotated_actions(read_step_file(folder, "annotated_videos"), films)
    assert found.problems == ()
    categories = ["open(drawer)", "grasp(cup, shelf)", "place(cup, table)", "close(drawer)"]
    assert found.rows.filter(recording="tidying_1")["category"].to_list() == categories
    assert found.rows["is_askable"].all()
    rooms = dict(found.rows.select("recording", "environment").iter_rows())
    assert rooms == {"tidying_1": "tidying_1", "tidying_2": "tidying_2", "tidying_3": "kitchen"}
    asked = annotated_questions(found.rows, WorldSettings(lengths=(3,)))
    assert asked.questions.filter(task="wm").height == 12  # four clips, once each, three videos
    assert set(asked.questions.filter(task="pp")["recording"]) == set(films)


def test_videos_without_actions_and_wrong_files(tmp_path: Path) -> None:
    root, folder = tmp_path / "recordings", tmp_path / "annotated_videos"
    with pytest.raises(StepFileError, match=r"Write actions\.csv beside its annotation"):
        write_annotated_videos(Recordings(root), folder)
    recorded(root, 1, STEPS)
    recorded(root, 2, STEPS)
    (root / "tidying_2" / ACTIONS).write_text("from,to\n1,2\n")
    (told,) = write_annotated_videos(Recordings(root), folder)
    assert "lacks columns ['start', 'end', 'verb', 'object', 'place']" in told
    assert set(films_in(folder)) == {"tidying_1"}
    (root / "tidying_1" / ACTIONS).unlink()
    (root / "tidying_2" / ACTIONS).write_text("start,end,verb,object,place\n0,2,open,drawer,\n")
    assert write_annotated_videos(Recordings(root), folder) == ()
    assert set(films_in(folder)) == {"tidying_2"}  # the link to a video that is asked no more
