"""The layout of the paper's release, and question sheets: written, read, and what is refused."""

import io
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image
from questions.world.tidied_rooms import tidied

from enact_assets.engine.errors import QuestionFileError, RenderError
from enact_assets.questions.world.annotated_actions import annotated_actions
from enact_assets.questions.world.annotated_questions import annotated_questions
from enact_assets.questions.world.embedded_questions import as_tables, embedded_questions
from enact_assets.questions.world.items import items_of
from enact_assets.questions.world.step_files import read_step_file
from enact_assets.results.world.question_sheets import clip_strips, question_sheet
from enact_assets.results.world.release import (
    annotated_spans,
    embedded_spans,
    read_release,
    release_bytes,
    to_release,
)
from enact_assets.settings.world import PP, WM, WorldSettings

from reference.small_step_files import three_kitchens

SEGMENT = {"segment_uid": "s", "video": "v", "segment_start_time": 1.5, "segment_end_time": 4}
FOUR = [{**SEGMENT, "segment_uid": f"c{k}", "action_label": "stir"} for k in range(4)]
QUESTION = {"states": SEGMENT, "candidates": FOUR, "ground_truth": "c2"}


def test_our_questions_are_written_and_read_again(tmp_path: Path) -> None:
    actions = annotated_actions(read_step_file(three_kitchens(tmp_path / "x"), "x"), {}).rows
    asked = annotated_questions(actions, WorldSettings(lengths=(3,)))
    found = to_release(*asked, annotated_spans(actions))
    path = tmp_path / "WorldPrediction-WM.json"
    path.write_bytes(release_bytes(found))
    again = read_release(path)
    assert again == found
    assert release_bytes(again) == path.read_bytes()
    rows = asked.questions.filter(task="wm")
    assert {name: set(of) for name, of in found.items()} == {"x": set(rows["question_id"])}
    for row in rows.iter_rows(named=True):
        question = found["x"][row["question_id"]]
        assert question.answer == row["answer"]
        assert question.states.video == row["recording"]
        times = question.states.segment_start_time, question.states.segment_end_time
        assert times == (row["before_s"], row["after_s"])
        shown = asked.candidates.filter(question_id=row["question_id"]).sort("option")
        assert [c.action_label for c in question.candidates] == [
            f"step {c}" for c in shown["category"]
        ]


def test_a_file_of_others_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "theirs.json"
    path.write_text(json.dumps({"COIN": {"7": QUESTION}}))
    found = read_release(path)
    assert found["COIN"]["7"].answer == "C"
    assert json.loads(release_bytes(found)) == json.loads(path.read_text())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not the layout of WorldPrediction-WM.json"),
        (json.dumps({"COIN": {"7": {**QUESTION, "candidates": FOUR[:3]}}}), "length 4"),
        (json.dumps({"COIN": {"7": {**QUESTION, "plan": "A"}}}), "unknown field `plan`"),
        (
            json.dumps({"COIN": {"7": QUESTION, "8": {**QUESTION, "ground_truth": "z"}}}),
            "in 1 question, the first COIN, 8, ground_truth names not exactly one candidate",
        ),
    ],
)
def test_what_is_not_that_layout_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(QuestionFileError, match=said):
        read_release(path)
    with pytest.raises(QuestionFileError, match="cannot be read"):
        read_release(tmp_path / "none.json")


def test_frames_of_embedded_actions_are_seconds_of_their_pictures() -> None:
    states = pl.DataFrame(
        {"demonstration": ["d"], "action": [3], "frame_from": [30], "frame_to": [75]}
    ).with_columns(category=pl.lit("grasp(cup, shelf)"))
    rate = pl.DataFrame({"demonstration": ["d"], "frame_rate_hz": [30.0]})
    assert embedded_spans(states, rate) == {("d", 3): (1.0, 2.5, "grasp(cup, shelf)")}


@pytest.fixture(scope="module")
def items():
    recorded = tidied(("tidy-0",), ("tidy-901",))
    made = embedded_questions(recorded, ["tidy-0"], WorldSettings(plans_per_length=1))
    return list(items_of(*as_tables(made, recorded)))


def painted(grey):
    return np.full((48, 48, 3), grey, np.uint8)


def of_task(items, task):
    return next(i for i in items if i.row["task"] == task)


@pytest.mark.parametrize("task", [WM, PP])
def test_a_sheet_shows_both_states_and_every_clip(items, task):
    item = of_task(items, task)
    states = [painted(10), painted(20)]
    clips = [[painted(40 + 10 * k)] * 3 for k in range(len(item.pool))]
    sheet = np.asarray(Image.open(io.BytesIO(question_sheet(item, states, clips))))
    for grey in (10, 20, *(40 + 10 * k for k in range(len(clips)))):
        assert (sheet == grey).all(axis=2).sum() > 10_000, grey


def test_a_sheet_without_a_picture_is_refused(items):
    item = of_task(items, WM)
    with pytest.raises(RenderError, match=item.row["question_id"]):
        question_sheet(item, [painted(1)] * 2, [[painted(2)]] * 3)
    with pytest.raises(RenderError, match="no clips"):
        clip_strips([], [])
