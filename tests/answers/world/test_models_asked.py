"""Models that are asked questions of WorldPrediction: by texts and stills, or through captions."""

import io
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image
from questions.world.asked_rooms import SOURCE, STILLS, asked_root
from questions.world.tidied_rooms import tidied

from enact_assets.answers.models.messages import Text
from enact_assets.answers.world.asked_models import WorldAsker, asked_predictions
from enact_assets.answers.world.captioned_models import captioned_predictions, captioner_and_reader
from enact_assets.answers.world.content import stored_pictures
from enact_assets.answers.world.messages import message_of
from enact_assets.engine.errors import PredictionError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.world.candidates import PP, WM
from enact_assets.questions.world.embedded_questions import as_tables, embedded_questions
from enact_assets.questions.world.items import items_of
from enact_assets.questions.world.pictures import WorldPictures
from enact_assets.results.world.evaluation import evaluate_world
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.world import EQUIVALENT, WorldSettings

from reference.recording_server import recording

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


PYTHON = """
class Fails:
    def answer(self, parts):
        if len(parts) == 5 and "one action" in parts[-1]:
            raise ValueError("no clips today")
        return "A room."

class Reads:
    def answer(self, parts):
        raise AssertionError(parts)

class Thinks:
    def answer(self, parts):
        if len(parts) == 5 and "one action" in parts[-1]:
            return "<think>A clip of an action."
        return "<think>Let me look.</think> A room."

class Declines:
    def answer(self, parts):
        if len(parts) == 5 and "one action" in parts[-1]:
            return "I'm sorry, but I can't assist with that."
        return "<|begin_of_box|>A room.<|end_of_box|>"
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> DataRoot:
    return asked_root(tmp_path_factory.mktemp("rooms"))


def answered(root: DataRoot, folder: Path, name: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    lake, read = Lake(root.lake), ImageStore(root.images).read_png
    questions = lake.read("world_questions", SOURCE)
    items = items_of(questions, lake.read("world_candidates", SOURCE))
    pictures, _ = stored_pictures(root, "embedded")
    return captioned_predictions(
        name, "embedded", items, pictures, WorldAsker(DataRoot(folder), read)
    )


def python_models(folder: Path) -> None:
    (folder / "mine.py").write_text(PYTHON)
    names = {"fails": "Fails", "reads": "Reads", "thinks": "Thinks", "declines": "Declines"}
    lines = [
        f"  {name}: {{id: 'python/{folder / 'mine.py'}:{of}', max_images: "
        f"{0 if name == 'reads' else 8}, max_missing: {99 if name == 'fails' else 0}}}"
        for name, of in names.items()
    ]
    (folder / "models.yaml").write_text("\n".join(["models:", *lines]))


def test_what_lacks_a_caption_is_missing(root: DataRoot, tmp_path: Path) -> None:
    python_models(tmp_path)
    found, captions = answered(root, tmp_path, "fails+reads")
    assert found["raw_answer"].null_count() == found.height
    assert found["error"].str.contains("4 of 6 captions by fails are missing").any()
    assert set(captions.filter(pl.col("caption").is_null())["shows"]) == {"clip"}
    assert captions["error"].drop_nulls().str.contains("no clips today").all()


def test_what_a_captioner_thinks_is_no_caption(root: DataRoot, tmp_path: Path) -> None:
    """The reader would answer from thoughts, which may name what was never seen."""
    python_models(tmp_path)
    found, captions = answered(root, tmp_path, "thinks+reads")
    assert found["raw_answer"].null_count() == found.height
    said = dict(captions.unique("shows").select("shows", "caption").rows())
    assert said == {"state": "A room.", "clip": None}
    assert set(captions["error"].drop_nulls()) == {"nothing but a thought"}


def test_a_captioner_that_declines_wrote_no_caption(root: DataRoot, tmp_path: Path) -> None:
    """The reader would answer from the refusal; and GLM's marks are no words of a caption."""
    python_models(tmp_path)
    found, captions = answered(root, tmp_path, "declines+reads")
    assert found["raw_answer"].null_count() == found.height
    said = dict(captions.unique("shows").select("shows", "caption").rows())
    assert said == {"state": "A room.", "clip": None}
    (reason,) = set(captions["error"].drop_nulls())
    assert reason == "declined: I'm sorry, but I can't assist with that."


def test_over_http_captions_are_bought_once(root: DataRoot, tmp_path: Path) -> None:
    with recording() as server:
        of = f"base_url: '{server.url}/v1', serves: ['gpt-4o-2024-08-06'], price: {{in: 0, out: 0}}"
        (tmp_path / "models.yaml").write_text(
            f"models:\n  sees: {{id: chat/sees, {of}}}\n"
            f"  reads: {{id: chat/reads, max_images: 0, {of}}}\n"
        )
        found, captions = answered(root, tmp_path, "sees+reads")
        asked = [request.body for request in server.requests]
        again = answered(root, tmp_path, "sees+reads")
        assert len(server.requests) == len(asked)
        assert again[0].equals(found)
    questions = Lake(root.lake).read("world_questions", SOURCE)
    sees, reads = ([json.dumps(b) for b in asked if b["model"] == m] for m in ("sees", "reads"))
    # Each model is tried once besides, the reader without a picture.
    assert len(sees) == 1 + captions.height
    assert all("image_url" in body for body in sees)
    assert not any("image_url" in body for body in reads)
    assert "Answer with the word ready" in reads[0]
    # Every caption says the same here, so that questions of WM are one.
    n_of = dict(questions.group_by("task").len().iter_rows())
    assert len(reads) == 1 + 1 + n_of["pp"]
    assert all("State 2:\\n[1, 2]\\n" in body for body in reads[1:])
    assert found.height == questions.height
    assert set(found["world_model"]) == {"sees+reads"}
    assert set(found["raw_answer"]) == {"[1, 2]"}
    assert evaluate_world(found, questions)["answer_status"].unique().to_list() == ["unparsed"]
    shas = captions["image_shas"].to_list()
    assert len(shas) == len(set(map(tuple, shas)))  # each once, however many questions show it
    assert dict(captions.select("shows", pl.col("image_shas").list.len()).unique().iter_rows()) == {
        "state": 1,
        "clip": STILLS,
    }


def test_names_of_pairs() -> None:
    assert captioner_and_reader("a+b") == ("a", "b")
    assert captioner_and_reader("chat_x") is None
    assert captioner_and_reader("+b") is None
    with pytest.raises(PredictionError, match=r"joined by \+"):
        captioned_predictions("alone", "embedded", [], None, None)  # type: ignore[arg-type]
