"""Annotated videos whose actions are named become a source of questions.

Pictures from films: the right frame at the right time, and questions that have them."""

from pathlib import Path

import polars as pl
import pytest

from enact_assets.answers.baselines.requests import build_request
from enact_assets.demonstrations.pictures.tables import FrameImages
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.demonstrations.recordings.videos import length_s
from enact_assets.engine.errors import RenderError, StepFileError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.publishing.warehouse import publish
from enact_assets.pipeline.lineage.graph import names_now
from enact_assets.pipeline.runs.names import publishable_names
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.questions.world.annotated_actions import annotated_actions
from enact_assets.questions.world.annotated_questions import annotated_questions
from enact_assets.questions.world.annotated_videos import ACTIONS, write_annotated_videos
from enact_assets.questions.world.film_frames import wanted_film_frames
from enact_assets.questions.world.film_images import film_images
from enact_assets.questions.world.pictures import picture_shas
from enact_assets.questions.world.shown_questions import ask_world_questions, clips_of_films
from enact_assets.questions.world.step_files import films_in, read_step_file
from enact_assets.results.published import query
from enact_assets.results.world.release import read_release, release_bytes
from enact_assets.settings.registry import load_registry
from enact_assets.settings.world import ClipSettings, WorldSettings

from reference.small_step_files import three_kitchens
from reference.small_videos import level, write_video

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
    assert "tidying_3/actions.csv: 1 row left out: no such object (first: line 6, 'mug')" in told
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


def test_a_video_has_one_person(tmp_path: Path) -> None:
    """That of the first row counted, whatever the others said."""
    root, folder = tmp_path / "recordings", tmp_path / "annotated_videos"
    people = ["", "ann", "ann", ""]
    recorded(root, 1, [f"{of},{p}" for of, p in zip(STEPS, people, strict=True)], ",person")
    assert write_annotated_videos(Recordings(root), folder) == ()
    assert set(read_step_file(folder, "x").steps["person"]) == {"ann"}
    recorded(root, 2, [f"{of},{p}" for of, p in zip(STEPS, "abba", strict=True)], ",person")
    (told,) = write_annotated_videos(Recordings(root), folder)
    assert "person is 'a' in line 2 and 'b' in line 3, but a video has one" in told


def filmed(folder: Path) -> Path:
    """Three kitchens, two of which were filmed, a picture each second: a grey of its own."""
    three_kitchens(folder)
    for recording in "ac":
        write_video(folder / f"videos/{recording}.mp4", 60, rate=1)
    return folder


def test_the_length_of_a_film_is_read_from_its_header(tmp_path: Path) -> None:
    film = write_video(tmp_path / "a.mp4", 60, rate=2)
    assert length_s(film) == pytest.approx(30, abs=0.01)
    film.write_bytes(b"no film")
    with pytest.raises(RenderError):
        length_s(film)


def test_pictures_are_those_of_their_times(tmp_path: Path) -> None:
    """Six steps of ten seconds; a picture at the begin, two between, and one at the end."""
    folder = filmed(tmp_path / "small")
    films = {name: length_s(film) for name, film in films_in(folder).items()}
    actions = annotated_actions(read_step_file(folder, "small"), films).rows
    asked = annotated_questions(actions, WorldSettings(lengths=(3,)))
    wanted = wanted_film_frames(*asked, actions, ClipSettings(frames=4))
    assert set(wanted["recording"]) == {"a", "c"}
    store = ImageStore(tmp_path / "images")
    rows = film_images("small", films_in(folder), wanted, 24, store.put)
    assert rows.height == wanted.height == 2 * 6 * 4
    assert set(rows["width_px"]) == {24}
    assert set(rows["height_px"]) == {16}
    of_third = rows.filter(recording="c", action=3).sort("place")
    assert of_third["time_s"].to_list() == pytest.approx([20, 23.333, 26.667, 30], abs=1e-3)
    shown = [level(store.read(sha)) for sha in of_third["image_sha"]]
    assert shown == [second % 16 for second in (20, 23, 26, 30)]
    last = rows.filter(recording="c", action=6, place=4).item(0, "image_sha")
    assert level(store.read(last)) == 59 % 16  # the film ends with second 59
    shas = picture_shas(FrameImages.empty(), film_images=rows)
    variant = load_registry().variant("world:small")
    shown = ask_world_questions(*asked, variant, clips_of_films(rows))
    requests = {
        (row["question_id"]): build_request(row, lambda *key: store.read(shas[key]), shas)
        for row in shown.iter_rows(named=True)
    }
    questions = asked.questions.filter(task="pp", first_action=2)
    of = {row["recording"]: requests[row["question_id"]] for row in questions.to_dicts()}
    before, after, *clips = of["a"].pictures
    assert [level(picture.load()) for picture in (before, after)] == [10, 40 % 16]
    assert len(clips) == 3 * 4
    # There is no film of b: what would be shown is known, and that it is missing.
    assert [picture.sha for picture in of["b"].pictures[:2]] == [None, None]


@pytest.mark.slow
def test_the_command_makes_answers_about_a_step_file(tmp_path: Path) -> None:
    from enact_assets.cli import main

    filmed(tmp_path / "root/step_files/small")
    told = ["world", "--data", str(tmp_path / "root"), "--step-file", "small", "--workers", "1"]
    assert main(told) == 0
    lake = Lake(tmp_path / "root/lake")
    evaluated = lake.read_all("evaluation", variant="world:small")
    right = dict(evaluated.group_by("model").agg(pl.col("is_accepted").mean()).iter_rows())
    assert right["oracle"] == 1
    assert right["candidate_prior"] == 0.25
    # States of a and c are shown; their clips are those of the other one, if it is elsewhere.
    seen = evaluated.filter(pl.col("is_accepted").is_not_null(), model="clip_continuity")
    assert set(seen["demonstration"]) == {"a", "c"}
    assert set(evaluated.filter(model="socratic_rules")["answer_status"]) == {"missing"}
    before = lake.read_all("model_accuracies")
    # Recordings are no demonstrations of the graph, and were left out with all their answers.
    models = ["oracle", "person_1"]
    names = names_now(load_registry(), ["a-0"], models, (), world_sources=["small"])
    shown = publishable_names(names, DataResource(root=str(tmp_path / "root")))
    assert set(shown["demonstration"]) == {"a-0", "a", "b", "c"}
    assert set(shown["model"]) == {"oracle", "person_1", "people (1)"}
    publish(lake, tmp_path / "all.duckdb", names={**shown, "model": right})
    of = "select count(*) from {} where world_model = 'oracle'"
    for name, n in (("world_evaluation", 54), ("world_accuracies", 7)):
        assert query(tmp_path / "all.duckdb", of.format(name)).item() == n
    exported = tmp_path / "WorldPrediction-WM.json"
    assert main([*told, "--export", str(exported)]) == 0
    found = read_release(exported)
    assert release_bytes(found) == exported.read_bytes()
    answers = lake.read_all("world_questions").filter(task="wm").select("question_id", "answer")
    assert {q: of.answer for q, of in found["small"].items()} == dict(answers.iter_rows())
    assert lake.read_all("model_accuracies").equals(before)
