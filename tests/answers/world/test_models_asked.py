"""Models that are asked questions of WorldPrediction: by texts and stills, or through captions."""

import json
from pathlib import Path

import polars as pl
import pytest
from questions.world.asked_rooms import ASKED, SOURCE, STILLS, WORLD, asked_root
from questions.world.tidied_rooms import scenes_of, tidied

from enact_assets.answers.baselines.known_models import KnownModels
from enact_assets.answers.baselines.model_asker import ModelAsker
from enact_assets.answers.baselines.predict import answers_to, predictions_of, why_not_shown
from enact_assets.answers.baselines.requests import ModelRequest, Picture, build_request
from enact_assets.answers.models.catalogue import name_of
from enact_assets.answers.models.messages import Target, Text, request_sha
from enact_assets.answers.world.captioned_models import answers_from_captions, captions_of
from enact_assets.answers.world.captions import SceneTables
from enact_assets.answers.world.true_captions import NO_FACTS, true_captions
from enact_assets.engine.errors import PredictionError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.asked.types import ClipPicture, encoded_picture, type_of
from enact_assets.questions.world.items import items_of
from enact_assets.questions.world.pictures import picture_shas
from enact_assets.results.verification.evaluate import PAPER_ANSWERS, evaluate
from enact_assets.settings.classes import captioner_and_reader
from enact_assets.settings.paths import DataRoot

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
SENT = {
    "wm_equivalent": "754d3b9f38d5534a11eca3432e0b2eaafa7b1891a60ba24c8e346db3a30d4b81",
}
"""Kind -> hash of the message about its first question, as version 0.2.0 sent it: answers that were
bought then are found again. Plans were drawn anew since, as none of the wrong ones ended elsewhere.
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> DataRoot:
    return asked_root(tmp_path_factory.mktemp("rooms"))


@pytest.fixture(scope="module")
def asked(root: DataRoot) -> pl.DataFrame:
    return Lake(root.lake).read("asked_questions", ASKED)


def shas_of(root: DataRoot) -> dict[tuple[object, ...], str]:
    lake = Lake(root.lake)
    return picture_shas(lake.read_all("frame_images"), lake.read_all("clip_images"))


def asker(root: DataRoot, folder: Path) -> ModelAsker:
    return ModelAsker(DataRoot(folder), ImageStore(root.images).read_png)


def unread(*key: object) -> None:
    raise AssertionError(key)


def test_a_registered_model_is_asked_once_and_its_answers_are_scored(root, asked, tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    mine = f"models: {{mine: {{id: 'python/{tmp_path / 'mine.py'}:Mine'}}}}"
    (tmp_path / "models.yaml").write_text(mine)
    ask = asker(root, tmp_path)
    found = [
        predictions_of(
            "mine",
            WORLD,
            answers_to("mine", WORLD, asked, unread, shas_of(root), ask=ask),
        )
        for _ in range(2)
    ]
    assert found[0].drop("latency_s").equals(found[1].drop("latency_s"))
    said = (tmp_path / "asked.txt").read_text().split("|END|")[:-1]
    # Once the numbers that every model is tried with; the second time the ledger answers.
    assert len(said) == 1 + asked.height
    scored = evaluate(found[0], asked, {}, PAPER_ANSWERS)
    right = scored.join(asked.select("question_id", right="answer"), on="question_id")
    assert scored["answer_status"].unique().to_list() == ["parsed"]
    assert (right["is_accepted"] == (right["right"].list.first() == 1)).all()
    assert set(right["is_accepted"]) == {True, False}


def test_a_message_shows_states_and_clips_and_names_no_action(root, asked):
    lake, shas = Lake(root.lake), shas_of(root)
    rows = {row["question_id"]: row for row in asked.iter_rows(named=True)}
    for item in items_of(
        lake.read("world_questions", SOURCE), lake.read("world_candidates", SOURCE)
    ):
        row = rows[item.row["question_id"]]
        message = build_request(row, unread, shas).message
        assert message.n_pictures == 2 + STILLS * len(item.pool)
        words = "".join(part.text for part in message.parts if isinstance(part, Text))
        assert row["prompt"] == words
        for category in {c["category"] for c in item.pool}:
            verb, _, rest = category.partition("(")
            things = rest.rstrip(")").split(", ")
            assert not {verb, *things} & set(words.lower().replace(",", " ").split())
        shown = [part.sha for part in message.parts if not isinstance(part, Text)]
        states = [item.row["key_frame_before"], item.row["key_frame_after"]]
        assert shown[:2] == [shas[item.row["recording"], key_frame] for key_frame in states]
        clips = [(c["recording"], c["view"], c["action"]) for c in item.pool]
        assert shown[2:] == [shas[*clip, k] for clip in clips for k in range(1, STILLS + 1)]
        plans = [" ".join(str(c["pool"]) for c in option) for option in item.options]
        named = all(f"{k}: {plan}\n" in words for k, plan in zip("ABCD", plans, strict=True))
        assert named == row["kind"].startswith("pp")
        assert ('{"action": "A"}' in words) == row["kind"].startswith("wm")


def test_answers_that_were_bought_by_the_last_version_are_found(root, asked):
    target, shas = Target("m", "c", "1", "s", {}), shas_of(root)
    first = asked.sort("question_id").unique("kind", keep="first", maintain_order=True)
    sent = {
        row["kind"]: request_sha(target, build_request(row, unread, shas).message)
        for row in first.iter_rows(named=True)
        if row["kind"] in SENT
    }
    assert sent == SENT


def test_questions_without_pictures_are_missing_with_a_reason(root, asked, tmp_path):
    row = asked.filter(kind="wm_equivalent").row(0, named=True)
    with pytest.raises(PredictionError, match="State 1: there is no picture of key frame"):
        _ = build_request(row, unread, {}).message
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "models.yaml").write_text(
        f"models: {{mine: {{id: 'python/{tmp_path / 'mine.py'}:Mine'}}}}"
    )
    answers = answers_to("mine", WORLD, asked, unread, {}, ask=asker(root, tmp_path))
    found = predictions_of("mine", WORLD, answers, 0)
    assert found["raw_answer"].null_count() == asked.height
    assert found["error"].str.contains("pictures are missing under 'world:embedded'").all()


def test_names_of_recordings_may_have_bars(asked: pl.DataFrame) -> None:
    shown = ClipPicture("Clip A, 1", "a|1", "film", 3, 1)
    row = asked.row(0, named=True) | {"actions": ["Clip A:\n", encoded_picture(shown.key)]}
    assert type_of(row).parts(row) == ("Clip A:\n", shown)


@pytest.mark.parametrize(
    ("view", "how"), [("view", "; materialize clip_images"), ("film", "; put the film beside the ")]
)
def test_a_missing_picture_of_a_clip_says_what_gets_it(view: str, how: str) -> None:
    """It was always frame_images, which are key frames."""
    shown = ClipPicture("Clip A, 1", "a", view, 3, 1)
    parts = (Picture(shown, None, unread),)
    request = ModelRequest("q", "video", "wm_equivalent", 1, parts, (1,), ())
    found = why_not_shown(request, WORLD)
    assert found is not None
    assert f"first Clip A, 1: picture 1 of action 3 of a{how}" in found


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


def answered(root: DataRoot, folder: Path, name: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    asked, ask = Lake(root.lake).read("asked_questions", ASKED), asker(root, folder)
    captions = captions_of(name, WORLD, asked, shas_of(root), ask)
    found = answers_from_captions(name, WORLD, asked, shas_of(root), captions, ask=ask)
    return predictions_of(name, WORLD, found, ask.max_missing(name)), captions


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
        assert again[0]["raw_answer"].equals(found["raw_answer"])
    questions = Lake(root.lake).read("asked_questions", ASKED)
    sees, reads = ([json.dumps(b) for b in asked if b["model"] == m] for m in ("sees", "reads"))
    # Each model is tried once besides, the reader without a picture.
    assert len(sees) == 1 + captions.height
    assert all("image_url" in body for body in sees)
    assert not any("image_url" in body for body in reads)
    assert "Answer with the word ready" in reads[0]
    # Every caption says the same here, so that questions of WM are one.
    n_of = dict(questions.group_by("kind").len().iter_rows())
    assert len(reads) == 1 + 1 + n_of["pp_equivalent"]
    assert all("State 2:\\n[1, 2]\\n" in body for body in reads[1:])
    assert found.height == questions.height
    assert set(found["model"]) == {"sees+reads"}
    assert set(found["raw_answer"]) == {"[1, 2]"}
    scored = evaluate(found, questions, {}, PAPER_ANSWERS)
    assert scored["answer_status"].unique().to_list() == ["unparsed"]
    shas = captions["image_shas"].to_list()
    assert len(shas) == len(set(map(tuple, shas)))  # each once, however many questions show it
    assert dict(captions.select("shows", pl.col("image_shas").list.len()).unique().iter_rows()) == {
        "state": 1,
        "clip": STILLS,
    }


def test_captions_of_the_oracle_are_facts_and_labels(root: DataRoot, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    mine = f"models: {{mine: {{id: 'python/{tmp_path / 'mine.py'}:Mine', max_images: 0}}}}"
    (tmp_path / "models.yaml").write_text(mine)
    recorded, asked = (
        tidied(("tidy-0",), ("tidy-901",)),
        Lake(root.lake).read("asked_questions", ASKED),
    )
    captions = true_captions(
        "oracle+mine", WORLD, asked, shas_of(root),
        scenes=scenes_of(recorded), states=recorded.states,
    )  # fmt: skip
    ask = asker(root, tmp_path)
    found = answers_from_captions("oracle+mine", WORLD, asked, shas_of(root), captions, ask=ask)
    predicted = predictions_of("oracle+mine", WORLD, found, ask.max_missing("oracle+mine"))
    assert predicted["error"].is_null().all()
    said = (tmp_path / "asked.txt").read_text().split("|END|")[1:-1]
    lake = Lake(root.lake)
    items = {
        item.row["question_id"]: item
        for item in items_of(
            lake.read("world_questions", SOURCE), lake.read("world_candidates", SOURCE)
        )
    }
    by_id = {question: said[k] for k, question in enumerate(asked["question_id"])}
    for question, item in items.items():
        names = ("A", "B", "C", "D") if item.row["task"] == "wm" else range(1, 99)
        for name, clip in zip(names, item.pool, strict=False):
            assert f"Clip {name}:\n{clip['category']}\n" in by_id[question].replace(" \n", "\n")
    first = captions.filter(shows="state")["caption"].to_list()
    assert all("plate" in text for text in first)
    assert any("2 x plate on cabinet" in text for text in first)
    assert any("in a hand" in text for text in first)
    # Films say what is done, and not what holds.
    nothing = true_captions(
        "oracle+mine", WORLD, asked, shas_of(root),
        scenes=SceneTables(pl.DataFrame(schema=scenes_of(recorded).graphs.schema),
                           recorded.objects.clear(), recorded.actions.clear()),
        states=recorded.states,
    )  # fmt: skip
    assert set(nothing.filter(shows="state")["error"]) == {NO_FACTS}
    version = KnownModels(DataRoot(tmp_path)).version("oracle+mine")
    assert version != KnownModels(DataRoot(tmp_path)).version("mine")


def test_names_of_pairs() -> None:
    assert captioner_and_reader("a+b") == ("a", "b")
    assert captioner_and_reader("chat_x") is None
    assert captioner_and_reader("+b") is None
    # A model known by its id: openrouter/meta/llama, or a version of it.
    assert captioner_and_reader(name_of("openrouter/meta/llama")) is None
    with pytest.raises(PredictionError, match=r"joined by \+"):
        captions_of("alone", WORLD, pl.DataFrame(), {}, None)  # type: ignore[arg-type]
