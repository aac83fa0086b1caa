"""Steps, actions and annotations as spreadsheets write them: one reader, one clock, one yes/no."""

from pathlib import Path

import pytest

from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.demonstrations.replay.annotated import check_annotation, read_annotated
from enact_assets.engine.errors import StepFileError
from enact_assets.pipeline.lineage.annotation_readings import READ_ANEW, reading_of
from enact_assets.questions.world.annotated_videos import ACTIONS, write_annotated_videos
from enact_assets.questions.world.step_files import films_in, read_step_file, twin_films

from reference.small_step_files import STEPS, step, write_step_file
from reference.small_videos import write_video

VIDEOS = ["a,1,1,60"]
ANNOTATION = """frame;change;predicate;subject;object;category
;object;;robot;;agent
;object;;sch\u00fcssel;;sch\u00fcssel
;object;;tisch;;tisch
2;add;OnTop;sch\u00fcssel;tisch;
8;remove;OnTop;schu\u0308ssel;tisch;
"""


def steps_of(folder: Path, text: str, coding: str = "utf-8-sig") -> list[tuple[object, ...]]:
    write_step_file(folder, [], VIDEOS)
    (folder / "step_annotations.csv").write_bytes(text.encode(coding))
    found = read_step_file(folder, "x")
    return found.steps.select("line", "start_s", "end_s", "has_error").rows()


def test_steps_by_clock_with_a_mark_semicolons_and_decimal_commas(tmp_path: Path) -> None:
    text = " Recording ID ;step_id;START_TIME;end_time;description;has_errors;;\r\n"
    text += "a;1;00:00:00,00;0:02,5;step 1;FALSCH;;\r\n;;;;;;;\r\na;2;3000 ms;5;step 2;yes;;\r\n"
    text += "a;3;-1,0;-1.0;step 3;nein\r\n"
    assert steps_of(tmp_path, text) == [(2, 0.0, 2.5, False), (4, 3.0, 5.0, True)]


def test_steps_by_frames_of_a_known_rate(tmp_path: Path) -> None:
    text = STEPS.replace("time", "frame") + "\na,1,30,60,step 1,0\n"
    with pytest.raises(StepFileError, match=r"start_frame '30' is not a whole number from 0 of a"):
        steps_of(tmp_path, text)
    information = "recording_id,environment_id,person_id,duration(sec),frame_rate\na,1,1,60,30\n"
    (tmp_path / "video_information.csv").write_text(information)
    assert read_step_file(tmp_path, "x").steps.select("start_s", "end_s").row(0) == (1.0, 2.0)


@pytest.mark.parametrize("rate", ["1:00", "25 fps", "30 ms", "0", "-25", "30000/1001"])
def test_a_rate_that_is_none_is_named(tmp_path: Path, rate: str) -> None:
    steps_of(tmp_path, f"{STEPS}\n{step('a', 1, 0, 1)}\n")
    header = "recording_id,environment_id,person_id,duration(sec),frame_rate"
    (tmp_path / "video_information.csv").write_text(f"{header}\na,1,1,60,{rate}\n")
    with pytest.raises(StepFileError, match=f"line 2: frame_rate '{rate}' is not a number above 0"):
        read_step_file(tmp_path, "x")


def test_a_column_that_may_be_there_is_there_once(tmp_path: Path) -> None:
    """The last one won in silence."""
    with pytest.raises(StepFileError, match="line 1: column 'start_frame' is there twice"):
        steps_of(tmp_path, f"{STEPS},start_frame,end_frame,start_frame\n")


def test_a_film_is_found_in_either_unicode_form(tmp_path: Path) -> None:
    (tmp_path / "videos").mkdir()
    (tmp_path / "videos" / "ku\u0308.MP4").write_bytes(b"")
    assert list(films_in(tmp_path)) == ["k\u00fc"]


def test_of_two_films_of_one_recording_none_counts(tmp_path: Path) -> None:
    (tmp_path / "videos").mkdir()
    for name in ("a.mp4", "a.MP4", "b.mp4"):
        (tmp_path / "videos" / name).write_bytes(b"")
    assert list(films_in(tmp_path)) == ["b"]
    assert ["'a.MP4' and 'a.mp4' are both films of 'a'" in said for said in twin_films(tmp_path)]


def test_a_duration_and_a_description_have_one_meaning(tmp_path: Path) -> None:
    """The first was taken for none, and of two descriptions the first counted."""
    steps_of(tmp_path, f"{STEPS}\n{step('a', 1, 0, 1)}\n")
    labels = tmp_path / "step_idx_description.csv"
    text = labels.read_text()
    labels.write_text(f"{text}1,step 1\n")
    assert read_step_file(tmp_path, "x").steps["label"].to_list() == ["step 1"]
    labels.write_text(f"{text}1,\n,pour it\n,stir it\n")
    assert read_step_file(tmp_path, "x").steps["label"].to_list() == ["step 1"]
    labels.write_text(f"{text}1,pour it\n")
    with pytest.raises(StepFileError, match="step_idx '1' is 'pour it', and 'step 1' further up"):
        read_step_file(tmp_path, "x")
    labels.write_text(text)
    write_step_file(tmp_path, [step("a", 1, 0, 1)], ["a,1,1,an hour"])
    with pytest.raises(StepFileError, match=r"line 2: duration\(sec\) 'an hour' is not seconds"):
        read_step_file(tmp_path, "x")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (step("a", 1, "soon", 2), "line 2, recording a, step 1: start_time 'soon' is not seconds"),
        (step("a", 1, 1, "NaN"), "end_time 'NaN' is not seconds from 0, such as 83.5, 83500 ms"),
        (step("a", 1, 1, '"1,250"'), "end_time '1,250' is not seconds"),
        (step("a", 1, 1, 2, "maybe"), r"has_errors 'maybe' is not true or false \(yes/no"),
        (step("a", 1, 1, 2) + ",x", "more fields than columns .first: line 2, 7 fields, 6 columns"),
    ],
)
def test_no_step_can_be_used_says_what_the_first_lacks(tmp_path: Path, row: str, said: str) -> None:
    with pytest.raises(StepFileError, match=r"no step can be used\. .*" + said):
        steps_of(tmp_path, f"{STEPS}\n{row}\n")


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    text = f"{STEPS}\n{step('a', 1, 0, 1)} ü\n"
    with pytest.raises(StepFileError, match=r"line 2: not UTF-8 text \(byte 0xfc .* CSV UTF-8"):
        steps_of(tmp_path, text, "latin-1")
    with pytest.raises(StepFileError, match=r"line 1: not UTF-8 text \(it is UTF-16\)"):
        steps_of(tmp_path, text, "utf-16")
    with pytest.raises(StepFileError, match="line 1: column 'step_id' is there twice"):
        steps_of(tmp_path, f"{STEPS},step_id\n")


def test_actions_are_read_as_the_annotation_beside_them(tmp_path: Path) -> None:
    folder = tmp_path / "recordings/keys_1"
    write_video(folder / "external_sensor1.mp4", 10, rate=2)
    (folder / "annotation.csv").write_text(ANNOTATION, "utf-8-sig")
    (folder / ACTIONS).write_bytes(
        "start;end;verb;object;place\r\n0:01,5;2,0;put;schu\u0308ssel;tisch\r\n"
        "later;4;take;sch\u00fcssel;\r\n".encode("utf-8-sig")
    )
    recordings, out = Recordings(tmp_path / "recordings"), tmp_path / "out"
    (told,) = write_annotated_videos(recordings, out)
    assert "start or end cannot be read (first: line 3, start 'later' is not seconds from" in told
    assert read_step_file(out, "x").steps.select("start_s", "end_s").rows() == [(1.5, 2.0)]
    by_frame = "start_frame,end_frame,verb,object,place\n3,10,put,sch\u00fcssel,tisch\n"
    (folder / ACTIONS).write_text(by_frame + "3,11,put,sch\u00fcssel,tisch\n")
    (told,) = write_annotated_videos(recordings, out)
    assert "line 3, end_frame '11' is not a whole number from 0 to 10" in told
    assert read_step_file(out, "x").steps.select("start_s", "end_s").rows() == [(1.5, 5.0)]


def test_two_unicode_forms_are_one_name_and_colons_number_things(tmp_path: Path) -> None:
    write_video(tmp_path / "external_sensor1.mp4", 10, rate=2)
    file = tmp_path / "annotation.csv"
    file.write_text(ANNOTATION)
    assert check_annotation(file).problems == []
    assert reading_of(file) == READ_ANEW
    events = tmp_path / "annotation.jsonl"
    line = '{{"time": "{}", "scene_graph": {{"plate:1": ["fork", "{}"]}}}}\n'
    events.write_text(line.format("0 ms", "u\\u0308") + line.format("00:00:01,5", "\u00fc"))
    objects = read_annotated(events, "x-1").objects
    categories = dict(objects.select("object_name", "category").rows())
    assert categories == {"robot": "agent", "plate:1": "plate", "fork": "fork", "ü": "ü"}
    assert reading_of(events) == READ_ANEW
    events.write_text('{"time": 0, "scene_graph": {"plate": ["fork", "\\u00fc"]}}\n')
    assert reading_of(events) == ""
