"""Pictures from films: the right frame at the right time, and questions that have them."""

from pathlib import Path

import polars as pl
import pytest

from enact_assets.demonstrations.recordings.videos import length_s
from enact_assets.engine.errors import RenderError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.world.annotated_actions import annotated_actions
from enact_assets.questions.world.annotated_questions import annotated_questions
from enact_assets.questions.world.film_frames import FilmPictures, wanted_film_frames
from enact_assets.questions.world.film_images import film_images
from enact_assets.questions.world.step_files import films_in, read_step_file
from enact_assets.results.world.release import read_release, release_bytes
from enact_assets.settings.world import ClipSettings, WorldSettings

from reference.small_step_files import three_kitchens
from reference.small_videos import STEP, level, write_video


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
    pictures = FilmPictures(rows, store.read)
    plan = asked.questions.filter(task="pp", recording="a", first_action=2).row(0, named=True)
    before, after = pictures.states(plan)
    assert [round((picture.mean() - 10) / STEP) for picture in (before, after)] == [10, 40 % 16]
    assert pictures.states(plan | {"recording": "b"}) == []
    clip = asked.candidates.filter(recording="c").row(0, named=True)
    assert len(pictures.clip(clip)) == 4


@pytest.mark.slow
def test_the_command_makes_answers_about_a_step_file(tmp_path: Path) -> None:
    from enact_assets.cli import main

    filmed(tmp_path / "root/step_files/small")
    told = ["world", "--data", str(tmp_path / "root"), "--step-file", "small", "--workers", "1"]
    assert main(told) == 0
    lake = Lake(tmp_path / "root/lake")
    evaluated = lake.read_all("world_evaluation")
    right = dict(evaluated.group_by("world_model").agg(pl.col("is_correct").mean()).iter_rows())
    assert right["oracle"] == 1
    assert right["candidate_prior"] == 0.25
    # States of a and c are shown; their clips are those of the other one, if it is elsewhere.
    seen = evaluated.filter(pl.col("is_correct").is_not_null(), world_model="clip_continuity")
    assert set(seen["recording"]) == {"a", "c"}
    assert set(evaluated.filter(world_model="socratic_rules")["answer_status"]) == {"missing"}
    before = lake.read_all("world_accuracies")
    exported = tmp_path / "WorldPrediction-WM.json"
    assert main([*told, "--export", str(exported)]) == 0
    found = read_release(exported)
    assert release_bytes(found) == exported.read_bytes()
    answers = lake.read_all("world_questions").filter(task="wm").select("question_id", "answer")
    assert {q: of.answer for q, of in found["small"].items()} == dict(answers.iter_rows())
    assert lake.read_all("world_accuracies").equals(before)
