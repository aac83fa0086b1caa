"""What Dagster shows of answers: outcomes, costs, and questions with their pictures."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image
from sql.tiny_lake import BOIL, TABLE, Rows, answer, tiny_rows

from enact_assets.answers.baselines.tables import Predictions
from enact_assets.demonstrations.pictures.tables import FrameImages
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.pipeline.dagster.table_assets import markdown_table
from enact_assets.pipeline.handles.tools import Pictures
from enact_assets.pipeline.steps.previews import (
    Markdown,
    answered_question,
    judged_answers,
    literal,
)
from enact_assets.questions.asked.tables import AskedQuestions
from enact_assets.results.verification.tables import Evaluation


@pytest.fixture
def pictures(tmp_path: Path) -> Pictures:
    """Grey pictures of all key frames of the table."""
    store, shas = ImageStore(tmp_path), {}
    for key_frame in range(4):
        png = io.BytesIO()
        Image.fromarray(np.full((8, 8, 3), 40 * key_frame, np.uint8)).save(png, "PNG")
        shas[TABLE, key_frame] = store.put(png.getvalue())
    return Pictures(shas, store)


def of_guesser(rows: Rows, table: str) -> list[dict[str, Any]]:
    return [r for r in rows[table] if r["model"] == "guesser" and r["variant"] == "baseline"]


def questions(rows: Rows) -> pl.DataFrame:
    return AskedQuestions.build([r for r in rows["asked_questions"] if r["variant"] == "baseline"])


def test_three_wrong_answers_are_shown_with_pictures_and_both_orders(pictures: Pictures) -> None:
    """Of both kinds in turn; a repeated question once; unparsed answers have no order to show."""
    rows = tiny_rows()
    answer(rows, "guesser", "baseline", "f3", parsed=[1, 2, 3], passed=0, repetition=1)
    answer(rows, "guesser", "baseline", "f1", parsed=[1, 2], passed=0, repetition=1)
    answer(rows, "guesser", "baseline", "f4", raw="I must not.", repetition=1, stop="refused")
    evaluation = Evaluation.build(of_guesser(rows, "evaluation"))
    found = judged_answers(evaluation, questions(rows), FrameImages.empty(), pictures)
    assert found["unparsed answers"] == 2
    assert found["refused answers"] == 1
    assert found["missing answers"] == 1
    assert found["task accuracy"] == pytest.approx(1 / 7)
    shown = {name: text for name, text in found.items() if name.startswith("wrong")}
    assert list(shown) == ["wrong answer 1", "wrong answer 2", "wrong answer 3"]
    for text, (given, right) in zip(
        shown.values(),
        [("[2, 1, 3]", "[2, 3, 1]"), ("[1, 2, 3]", "[3, 1, 2]"), ("[1, 2]", "[2, 1]")],
        strict=True,
    ):
        assert isinstance(text, Markdown)
        assert "data:image/jpeg;base64," in text
        assert "- [Action 1] Something happens" in text
        assert text.endswith(f"Answered `{given}`, right is `{right}`.")


def test_answers_without_pictures_are_counted_all_the_same(pictures: Pictures) -> None:
    rows = tiny_rows()
    answer(rows, "lost", "baseline", "f4", parsed=[1, 2], passed=0)
    evaluation = Evaluation.build([rows["evaluation"][-1]])
    found = judged_answers(evaluation, questions(rows), FrameImages.empty(), pictures)
    assert found["parsed answers"] == 1
    assert found["wrong answer 1"].startswith("no preview: ")
    assert BOIL in found["wrong answer 1"]
    nothing = judged_answers(evaluation.clear(), questions(rows), FrameImages.empty(), pictures)
    assert nothing == {}


def test_costs_and_failures_are_summed_by_kind(pictures: Pictures) -> None:
    rows = tiny_rows()
    mine = of_guesser(rows, "predictions")
    for n, error in enumerate(("429: try later, request 1", "429: try later, request 2"), 1):
        mine.append({**mine[3], "repetition": n, "error": error})
    mine[0] |= {"tokens_in": 10, "tokens_out": 5, "usd": 0.25, "latency_s": 2.0}
    mine[1] |= {"tokens_in": 20, "tokens_out": 6, "usd": 0.5, "latency_s": 4.0, "stop": "refused"}
    mine[2] |= {"served_model": "m-1"}
    found = dict(answered_question(questions(rows), Predictions.build(mine), pictures))
    picture = found.pop("a question")
    assert picture.endswith("Reference `[2, 3, 1]`. Answered:\n\n    [2, 1, 3]")
    assert found == {
        "missing answers": 3,
        "why answers are missing": {"429": 2, "the service was down": 1},
        "refused answers": 1,
        "tokens in": 30,
        "tokens out": 11,
        "USD": 0.75,
        "answers without a price": 2,
        "median latency, s": 3.0,
        "served models": "m-1",
    }


def test_words_of_a_model_are_shown_as_code_and_only_their_end(pictures: Pictures) -> None:
    """Else a picture that an answer links to would be fetched by whoever looks at the run."""
    rows = tiny_rows()
    said = "x" * 5_000 + "\n\n![](http://example.org/a.png)\n\n[2, 1, 3]"
    for prediction in of_guesser(rows, "predictions"):
        prediction["raw_answer"] = said
    predictions = Predictions.build(of_guesser(rows, "predictions"))
    shown = answered_question(questions(rows), predictions, pictures)["a question"]
    words = shown.split("Answered:\n\n")[1]
    assert len(words) < 1_100
    assert all(line.startswith("    ") for line in words.split("\n"))
    assert words.endswith("    ![](http://example.org/a.png)\n    \n    [2, 1, 3]")


HOSTILE = "<img src=x onerror=alert(1)> ![](http://example.org/a.png) `code` | *b* \\[\n- item"


def test_actions_and_errors_are_shown_as_they_are_written(pictures: Pictures) -> None:
    """They hold names that others chose: nothing in them is markup, and nothing is endless."""
    rows = tiny_rows()
    for question in rows["asked_questions"]:
        question["actions"] = [HOSTILE * 100 for _ in question["actions"]]
    mine = Predictions.build(of_guesser(rows, "predictions"))
    shown = str(answered_question(questions(rows), mine, pictures)["a question"])
    listed = [line for line in shown.split("\n") if line.startswith("- ")]
    assert len(listed) == 3
    for line in listed:
        assert line.startswith(r"- [Action ")
        text = line.partition("] ")[2]
        assert text.startswith(
            r"&lt;img src=x onerror=alert(1)&gt; !\[\](http://example.org/a.png)"
        )
        assert len(text) < 600
    assert literal(HOSTILE, 200).endswith(r"\`code\` \| \*b\* \\\[ - item")
    table = markdown_table(pl.DataFrame({"name": [HOSTILE], "answer": [[2, 1]]}), 200)
    assert table.split("\n")[2] == rf"| {literal(HOSTILE, 200)} | \[2, 1\] |"
