import io

import numpy as np
import pytest
from PIL import Image
from questions.world.tidied_rooms import tidied

from enact_assets.engine.errors import RenderError
from enact_assets.questions.world.candidates import PP, WM
from enact_assets.questions.world.embedded_questions import as_tables, embedded_questions
from enact_assets.questions.world.items import items_of
from enact_assets.results.world.question_sheets import clip_strips, question_sheet
from enact_assets.settings.world import WorldSettings


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
