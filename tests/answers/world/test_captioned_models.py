"""One model writes captions, another reads them; both through the ledger, over HTTP."""

import json
from pathlib import Path

import polars as pl
import pytest
from questions.world.asked_rooms import SOURCE, STILLS, asked_root

from enact_assets.answers.world.asked_models import WorldAsker
from enact_assets.answers.world.captioned_models import captioned_predictions, captioner_and_reader
from enact_assets.answers.world.content import stored_pictures
from enact_assets.engine.errors import PredictionError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.world.items import items_of
from enact_assets.results.world.evaluation import evaluate_world
from enact_assets.settings.paths import DataRoot

from reference.recording_server import recording

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
