"""Inspect finds the task, asks, and scores as the pipeline does; answers leave as its logs."""

import base64
import gc
import io
import random
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from PIL import Image

WHY = "Inspect is not installed here: `make test-all` runs these tests"
inspect_ai = pytest.importorskip("inspect_ai", reason=WHY)

from commands.harnesses.exported import exported  # noqa: E402
from inspect_ai.log import read_eval_log  # noqa: E402
from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: E402

from enact_assets.answers.baselines.tables import Predictions  # noqa: E402
from enact_assets.cli import main  # noqa: E402
from enact_assets.commands.harnesses.folder import FolderExported  # noqa: E402
from enact_assets.engine.lake.lake import Lake  # noqa: E402
from enact_assets.results.verification.evaluate import PAPER_ANSWERS, evaluate  # noqa: E402
from enact_assets.results.verification.metrics import summarize  # noqa: E402
from enact_assets.settings.paths import DataRoot  # noqa: E402

from reference.household import Household, build_household  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """What Inspect leaves open is collected here, where its warnings are ignored: later they would
    end the whole run as errors.
    """
    yield
    gc.collect()


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> FolderExported:
    return exported(tmp_path_factory.mktemp("inspect"))


@pytest.fixture(scope="module")
def home() -> Household:
    return build_household(4, lengths=range(3, 6))


def answers_to(found: FolderExported) -> pl.DataFrame:
    """Rows of ``predictions``: right, wrong, short, refused and cut answers, some missing."""
    draw = random.Random(5)  # noqa: S311 - no secret
    rows = []
    for row in found.rows.iter_rows(named=True):
        labels = list(row["answer"])
        text: str | None = f"It is {labels}."
        how = draw.choice(["right", "wrong", "short", "refused", "cut", "unreadable", "missing"])
        if how == "wrong":
            text = str(draw.sample(labels, len(labels)))
        elif how in {"short", "cut"}:
            text = str(labels[:-1])
        elif how == "unreadable":
            text = "I cannot tell."
        stop = {"refused": "refused", "cut": "cut", "missing": None}.get(how, "complete")
        rows.append(
            {"model": "seer", "variant": "baseline", "question_id": row["question_id"]}
            | {"repetition": 0, "request_sha": "3" * 64, "stop": stop, "attempts": 1}
            | {"raw_answer": None if how == "missing" else text}
            | {"error": "no connection" if how == "missing" else None}
        )
    return Predictions.build(rows)


def judged(home: Household, predictions: pl.DataFrame) -> pl.DataFrame:
    return evaluate(predictions, home.asked, {home.demonstration: home.index}, PAPER_ANSWERS)


def check_scores(log: Any, expected: pl.DataFrame) -> None:
    """Every sample, and the accuracies by kind and length, are those of the pipeline."""
    rows = {r["question_id"]: r for r in expected.iter_rows(named=True)}
    scored = {s.id: s.scores["enact_order"] for s in log.samples if s.error is None}
    assert set(scored) == {k for k, r in rows.items() if r["answer_status"] != "missing"}
    for id_, score in scored.items():
        assert score.value["task"] == float(rows[id_]["is_accepted"])
        assert score.value["pairs"] == pytest.approx(rows[id_]["pairwise_accuracy"])
        assert score.value["parsed"] == float(rows[id_]["answer_status"] == "parsed")
    by_name = {score.name: score.metrics for score in log.results.scores}
    for by in (["kind"], ["kind", "length"]):
        for row in summarize(expected, by).iter_rows(named=True):
            name = f"enact_assets/by_kind_and_length_{' '.join(str(row[n]) for n in by)}"
            assert by_name["task"][name].value == pytest.approx(row["task_accuracy"])
            assert by_name["pairs"][name].value == pytest.approx(row["pairwise_accuracy"])
    steps = expected.drop_nulls("n_steps_passed")
    pooled = steps["n_steps_passed"].sum() / steps["n_steps"].sum()
    assert by_name["pairs"]["enact_assets/pooled"].value == pytest.approx(pooled)


def test_the_task_is_found_by_name_and_scores_as_we_do(
    found: FolderExported, home: Household, tmp_path: Path
) -> None:
    predictions = answers_to(found).filter(pl.col("raw_answer").is_not_null())
    said = {r["question_id"]: r for r in predictions.iter_rows(named=True)}
    kept = found.rows.filter(pl.col("question_id").is_in(list(said)))
    asked = {row["question"].rsplit("<image>", 1)[1]: row for row in kept.iter_rows(named=True)}
    stops = {"refused": "content_filter", "cut": "max_tokens", "complete": "stop"}
    seen: list[int] = []

    def reply(messages: Any, *_: Any, **__: Any) -> ModelOutput:
        content = messages[-1].content
        row = asked[content[-1].text]
        pictures = [part for part in content if part.type == "image"]
        for part, name in zip(pictures, row["images_file_names"], strict=True):
            data = part.image.partition(",")[2]
            png = base64.b64decode(data) if data else Path(part.image).read_bytes()
            assert png == (found.folder / name).read_bytes()
        seen.append(len(pictures))
        answer = said[row["question_id"]]
        output = ModelOutput.from_content(
            "mockllm/model", answer["raw_answer"], stop_reason=stops[answer["stop"]]
        )
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    (log,) = inspect_ai.eval(
        "enact_assets/enact",
        task_args={"questions": str(found.folder)},
        model=get_model("mockllm/model", custom_outputs=reply),
        sample_id=list(said),
        log_dir=str(tmp_path),
        log_images=False,
        display="none",
    )
    assert log.status == "success", log.error
    assert len(seen) == len(said)
    check_scores(log, judged(home, predictions))


def test_a_first_try_needs_no_network(
    found: FolderExported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice the same, other orders for another seed, at chance."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "empty"))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: pytest.fail("asks the network"))
    answers = []
    for seed in (0, 0, 1):
        (log,) = inspect_ai.eval(
            "enact_assets/enact",
            task_args={"questions": str(found.folder)},
            model=f"enact_random/{seed}",
            limit=12,
            log_dir=str(tmp_path),
            log_images=False,
            display="none",
        )
        assert log.status == "success", log.error
        values = [sample.scores["enact_order"].value for sample in log.samples]
        assert {value["parsed"] for value in values} == {1.0}
        assert 0 < sum(value["pairs"] for value in values) < 0.7 * len(values)
        answers.append({sample.id: sample.output.completion for sample in log.samples})
    assert answers[0] == answers[1] != answers[2]


def test_a_partition_becomes_a_log_with_pictures_answers_and_scores(
    found: FolderExported, home: Household, tmp_path: Path
) -> None:
    data = DataRoot(found.folder.parent / "root", lake_url=None)
    predictions = answers_to(found)
    Lake(data.lake).write("predictions", predictions, {"model": "seer", "variant": "baseline"})
    output = tmp_path / "seer.eval"
    options = ["--format", "inspect", "--model", "seer", "--data", str(data.root)]
    assert main(["export", "state", str(output), *options]) == 0
    log = read_eval_log(str(output), resolve_attachments=True)
    assert (log.eval.model, len(log.samples or [])) == ("seer", predictions.height)
    check_scores(log, judged(home, predictions))
    rows = {row["question_id"]: row for row in found.rows.iter_rows(named=True)}
    texts = dict(predictions.select("question_id", "raw_answer").iter_rows())
    for sample in log.samples or []:
        parts = sample.input[0].content
        pictures = [part.image for part in parts if part.type == "image"]
        names = rows[sample.id]["images_file_names"]
        assert len(pictures) == len(names)
        for address, name in zip(pictures, names, strict=True):
            shown = Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2])))
            true = Image.open(found.folder / name).convert("RGB")
            assert shown.size == true.size
            assert (
                max(
                    abs(a - b)
                    for a, b in zip(shown.getpixel((9, 9)), true.getpixel((9, 9)), strict=True)
                )
                < 9
            )  # type: ignore[arg-type]
        if texts[sample.id] is None:
            assert sample.error is not None
            assert sample.error.message == "no connection"
        else:
            assert sample.output.completion == texts[sample.id]


def test_a_model_without_answers_has_no_log(
    found: FolderExported, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--format", "inspect", "--model", "nobody", "--data"]
    data = str(found.folder.parent / "root")
    assert main(["export", "state", str(tmp_path / "x.eval"), *options, data]) == 2
    assert "nobody has no answers under 'baseline'" in " ".join(capsys.readouterr().err.split())
