"""A model of one's own answers questions of WorldPrediction, from texts and stills."""

import io
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image
from questions.world.tidied_rooms import tidied

from enact_assets.answers.models.messages import Text
from enact_assets.answers.world.asked_models import WorldAsker, asked_predictions
from enact_assets.answers.world.messages import message_of
from enact_assets.engine.errors import PredictionError
from enact_assets.questions.world.candidates import PP, WM
from enact_assets.questions.world.embedded_questions import as_tables, embedded_questions
from enact_assets.questions.world.items import items_of
from enact_assets.questions.world.pictures import WorldPictures
from enact_assets.results.world.evaluation import evaluate_world
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.world import EQUIVALENT, WorldSettings

MINE = """
from pathlib import Path

class Mine:
    def answer(self, parts):
        with Path(__file__).with_name("asked.txt").open("a") as asked:
            asked.write(" ".join("." if not isinstance(p, str) else p for p in parts) + "|END|")
        task = "action" if '"action"' in parts[-1] else "plan"
        return f'I think {{"{task}": "A"}}'
"""


def png(grey: int) -> bytes:
    out = io.BytesIO()
    Image.fromarray(np.full((8, 8, 3), grey, np.uint8)).save(out, "PNG")
    return out.getvalue()


@pytest.fixture(scope="module")
def asked():
    recorded = tidied(("tidy-0",), ("tidy-901",))
    settings = WorldSettings(plans_per_length=1, conditions=(EQUIVALENT,))
    questions, candidates = as_tables(embedded_questions(recorded, ["tidy-0"], settings), recorded)
    keys = sorted({*questions["key_frame_before"], *questions["key_frame_after"]})
    states = [{"demonstration": "tidy-0", "key_frame": k, "image_sha": f"state {k}"} for k in keys]
    clips = [
        {"demonstration": r, "action": a, "view": v, "place": p, "image_sha": f"clip {a} {p}"}
        for r, a, v in candidates.select("recording", "action", "view").unique().iter_rows()
        for p in (1, 2)
    ]
    pictures = WorldPictures(pl.DataFrame(states), pl.DataFrame(clips), lambda _sha: png(0))
    return questions, candidates, pictures


def asker(root: Path) -> WorldAsker:
    (root / "mine.py").write_text(MINE)
    (root / "models.yaml").write_text(f"models: {{mine: {{id: 'python/{root / 'mine.py'}:Mine'}}}}")
    return WorldAsker(DataRoot(root), lambda sha: png(len(sha)))


def test_a_registered_model_is_asked_once_and_its_answers_are_scored(asked, tmp_path):
    questions, candidates, pictures = asked
    ask = asker(tmp_path)
    found = [
        asked_predictions("mine", "embedded", items_of(questions, candidates), pictures, ask)
        for _ in range(2)
    ]
    assert found[0].equals(found[1])
    said = (tmp_path / "asked.txt").read_text().split("|END|")[:-1]
    # Once the numbers that every model is tried with; the second time the ledger answers.
    assert len(said) == 1 + questions.height
    scored = evaluate_world(found[0], questions)
    right = scored.join(questions.select("question_id", right="answer"), on="question_id")
    assert scored["answer_status"].unique().to_list() == ["parsed"]
    assert (right["is_correct"] == (right["right"] == "A")).all()
    assert set(right["is_correct"]) == {True, False}


def test_a_message_shows_states_and_clips_and_names_no_action(asked):
    questions, candidates, pictures = asked
    for item in items_of(questions, candidates):
        message = message_of(item, pictures)
        assert message.n_pictures == 2 + 2 * len(item.pool)
        words = "".join(part.text for part in message.parts if isinstance(part, Text))
        for category in {c["category"] for c in item.pool}:
            verb, _, rest = category.partition("(")
            things = rest.rstrip(")").split(", ")
            assert not {verb, *things} & set(words.lower().replace(",", " ").split())
        shas = [part.sha for part in message.parts if not isinstance(part, Text)]
        assert shas[:2] == pictures.state_shas(item.row)
        assert shas[2:] == [sha for clip in item.pool for sha in pictures.clip_shas(clip)]
        plans = [" ".join(str(c["pool"]) for c in option) for option in item.options]
        named = all(f"{k}: {plan}\n" in words for k, plan in zip("ABCD", plans, strict=True))
        assert named == (item.row["task"] == PP)
        assert ('{"action": "A"}' in words) == (item.row["task"] == WM)


def test_questions_without_pictures_are_missing_with_a_reason(asked, tmp_path):
    questions, candidates, _ = asked
    nothing = pl.DataFrame(
        schema={"demonstration": str, "key_frame": int, "image_sha": str, "action": int}
        | {"view": str, "place": int}
    )
    none = WorldPictures(nothing, nothing, lambda _sha: png(0))
    items = list(items_of(questions, candidates))
    with pytest.raises(PredictionError, match="6 states or clips lack pictures"):
        message_of(next(i for i in items if len(i.pool) == 4), none)
    found = asked_predictions("mine", "embedded", items, none, asker(tmp_path))
    assert found["raw_answer"].null_count() == questions.height
    assert found["error"].str.contains("lack pictures").all()
