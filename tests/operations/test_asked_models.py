"""Models asked from a data root: kept, paid for once, scored like any other, within a budget."""

import json
import re
from pathlib import Path

import polars as pl
import pytest
from tiny_roots import TinyRoot, write_models

from enact_assets.answers.imported.answer_files import ImportedAnswer, add_answers
from enact_assets.cli import main
from enact_assets.engine.graph import StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.costs.spending import (
    USD_UNTIL_TAG,
    bought_by_persons,
    run_tags,
    usd_until,
)
from enact_assets.pipeline.lineage.graph import STEP_NAMED
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import DEFAULT_REGISTRY

from reference.misbehaving_server import Server

KEY = "sk-this-must-not-be-seen-anywhere"
ASKED = ("predictions", "evaluation")


def run(root: Path, *arguments: str) -> int:
    return main([*arguments, "--data", str(root)])


def answers(root: Path, model: str) -> pl.DataFrame:
    return Lake(root / "lake").read("predictions", {"model": model, "variant": "baseline"})


def questions(root: Path) -> pl.DataFrame:
    return Lake(root / "lake").read("asked_questions", {"variant": "baseline"})


def bought(root: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in (root / "ledger").rglob("*.jsonl")}


def materialize(tiny: TinyRoot, root: Path, model: str, max_usd: float | None = None) -> list[str]:
    """Messages of what failed."""
    report = tiny.driver(root).run(models=[model], assets=ASKED, max_usd=max_usd)
    return [failure.message for failure in report.failures]


def test_a_first_look_is_kept_and_the_rest_is_bought_once(
    tiny: TinyRoot, copied: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    """A first try costs cents, and what it bought counts for the leaderboard."""
    write_models(copied, server.url())
    n = questions(copied).height
    assert run(copied, "models") == 0
    assert "Spent" not in capsys.readouterr().out
    assert run(copied, "ask", "seer", "--questions", "5", "--estimate") == 0
    said = capsys.readouterr().out
    assert "5 answers to buy" in said
    assert f"{n} answers to buy" in said
    assert not server.sold
    assert run(copied, "ask", "seer", "--questions", "5") == 0
    said = capsys.readouterr().out
    assert "5 answers: 0.00" in said
    assert "answered by seer-1" in said
    assert sum(server.sold.values()) == 6  # and the canary
    assert "0 were in the ledger; spent now: 0.0055 USD." in said  # 5 questions and the canary
    page = copied / "first_looks" / "seer_baseline.html"
    assert "could not be read" in page.read_text("utf-8")
    assert run(copied, "plan", "--model", "seer", "--json") == 0
    planned = json.loads(capsys.readouterr().out)["answers_to_buy"]
    assert [(p["model"], p["n_to_buy"], p["n_known"]) for p in planned] == [("seer", n - 5, 5)]
    assert materialize(tiny, copied, "seer", max_usd=1) == []
    assert set(server.sold.values()) == {1}
    assert len(server.sold) == n + 1
    rows = answers(copied, "seer")
    assert rows.height == n
    assert rows["raw_answer"].null_count() == 0
    assert set(rows["served_model"]) == {"seer-1"}
    assert rows["usd"].sum() == pytest.approx(n * (900 + 2 * 9) / 1e6)
    assert run(copied, "models", "seer", "--check") == 0
    assert "saw the pictures in order" in capsys.readouterr().out
    assert run(copied, "models") == 0
    spent = f"Spent in this data root: {(n + 2) * 918e-6:.2g} USD."
    assert spent in capsys.readouterr().out


@pytest.mark.slow
def test_a_declared_part_is_the_same_for_every_model_and_grows(
    tiny: TinyRoot, copied: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    """Researcher, missing 3: first looks never reached the leaderboard."""
    write_models(copied, server.url())
    all_ids = set(questions(copied)["question_id"])
    part = {}
    for model, n in (("seer", "4"), ("random", "4"), ("seer", "6")):
        chosen = ["--model", model, "--questions", n, "--variant", "baseline"]
        assert run(copied, "materialize", *chosen, "--asset", ASKED[1], "--max-usd", "1") == 0
        part[model, n] = set(answers(copied, model)["question_id"])
    assert len(part["seer", "4"]) == 4
    assert part["seer", "4"] == part["random", "4"] < part["seer", "6"] < all_ids
    assert len(server.sold) == 6 + 1  # and the canary
    assert set(server.sold.values()) == {1}
    evaluated = Lake(copied / "lake").read("evaluation", {"model": "seer", "variant": "baseline"})
    assert set(evaluated["question_id"]) == part["seer", "6"]
    chosen = ["--model", "seer", "--variant", "baseline", "--asset", ASKED[1]]
    capsys.readouterr()
    assert run(copied, "plan", *chosen) == 0
    assert "Nothing to do" in capsys.readouterr().out
    assert run(copied, "ask", "seer", "--questions", "2", "--estimate") == 0
    assert "All 6 questions" in capsys.readouterr().out
    assert run(copied, "materialize", *chosen, "--questions", "all", "--max-usd", "1") == 0
    assert set(answers(copied, "seer")["question_id"]) == all_ids
    assert set(server.sold.values()) == {1}
    for wrong, why in (([], "name it with --model"), (["--model", "person_1"], "unknown model")):
        assert run(copied, "materialize", "--questions", "3", *wrong) == 2
        assert why in capsys.readouterr().err
    (copied / "subsets.yaml").write_text("seer: none")
    assert run(copied, "materialize", *chosen) == 1
    assert "subsets.yaml: Expected `int`" in capsys.readouterr().out
    assert set(answers(copied, "seer")["question_id"]) == all_ids


@pytest.mark.slow
def test_questions_without_answer_fail_the_partition_and_are_asked_again_alone(
    tiny: TinyRoot, copied: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)
    write_models(copied, server.url("s422half"))
    n = questions(copied).height
    (failure,) = materialize(tiny, copied, "seer", max_usd=1)
    found = re.search(rf"(\d+) of {n} questions have no answer", failure)
    assert found is not None
    assert 0 < int(found[1]) < n
    assert "HTTP 422" in failure
    assert sum(server.sold.values()) == n - int(found[1]) + 1
    assert not any(
        p == {"model": "seer", "variant": "baseline"}
        for p in Lake(copied / "lake").partitions("predictions")
    )
    write_models(copied, server.url())
    assert materialize(tiny, copied, "seer", max_usd=1) == []
    assert set(server.sold.values()) == {1}
    assert answers(copied, "seer")["raw_answer"].null_count() == 0
    seen = [p for p in copied.rglob("*") if p.is_file() and KEY.encode() in p.read_bytes()]
    assert seen == []


@pytest.mark.slow
def test_no_budget_is_passed_and_the_ledger_outlives_what_is_made_from_it(
    tiny: TinyRoot, copied: Path, server: Server
) -> None:
    write_models(copied, server.url())
    (failure,) = materialize(tiny, copied, "seer")
    assert "no budget is set" in failure
    assert not server.sold
    # Enough for a few requests at their highest possible price.
    (failure,) = materialize(tiny, copied, "seer", max_usd=0.01)
    assert "budget of" in failure
    n = sum(server.sold.values())
    assert 1 < n < questions(copied).height
    lines = [line for file in bought(copied).values() for line in file.splitlines()]
    spent = sum(json.loads(line).get("usd", 0.0) for line in lines)
    assert spent == pytest.approx(n * 918e-6)
    assert spent <= 0.01
    assert materialize(tiny, copied, "seer", max_usd=1) == []
    rows, before = answers(copied, "seer"), bought(copied)
    assert run(copied, "forget", "model", "seer") == 0
    assert run(copied, "gc", "--delete") == 0
    assert bought(copied) == before
    assert tiny.driver(copied).run(models=["seer"], assets=ASKED, force=True).is_success
    assert set(server.sold.values()) == {1}
    assert answers(copied, "seer").equals(rows)


def test_an_unreachable_question_is_missing_and_the_rest_is_scored(
    tiny: TinyRoot, copied: Path, server: Server
) -> None:
    """Pictures are never dropped: a question that shows too many is not asked at all."""
    few = f"  few: {{id: vllm/few, max_images: 4, base_url: '{server.url()}'}}\n"
    write_models(copied, server.url(), few)
    assert materialize(tiny, copied, "few") == []
    rows = answers(copied, "few").join(questions(copied), on="question_id")
    is_large = rows["length"] > 4
    assert 0 < is_large.sum() < rows.height
    assert rows["raw_answer"].is_null().equals(is_large)
    reasons = set(rows.filter(is_large)["error"])
    assert all("takes 4 at most" in reason for reason in reasons)


@pytest.mark.slow
def test_a_class_outside_the_package_and_a_file_are_scored_like_any_model(
    tiny: TinyRoot, copied: Path
) -> None:
    (copied / "mine.py").write_text(
        "class Mine:\n    def answer(self, parts):\n        return '[1, 2]'\n"
    )
    asked = questions(copied)
    right = [ImportedAnswer(q, str(a)) for q, a in asked.select("question_id", "answer").rows()]
    add_answers(DataRoot(copied), "by_file", "baseline", right[1:])
    assert materialize(tiny, copied, "python/mine.py:Mine") == []
    lake = Lake(copied / "lake")
    of_class = lake.read("evaluation", {"model": "python:mine.py:Mine", "variant": "baseline"})
    assert of_class.height == asked.height
    of_file = lake.read("evaluation", {"model": "by_file", "variant": "baseline"})
    assert of_file["answer_status"].value_counts(sort=True).rows() == [
        ("parsed", asked.height - 1),
        ("missing", 1),
    ]
    assert of_file["is_accepted"].drop_nulls().all()
    assert answers(copied, "by_file")["stop"].null_count() == asked.height  # the file does not say
    # The code of such a model is part of its version.
    (copied / "mine.py").write_text(
        "class Mine:\n    def answer(self, parts):\n        return '[2, 1]'\n"
    )
    plan, _ = tiny.driver(copied).plan(assets=("predictions",))
    assert [step.partition[0] for step in plan.stale] == ["python:mine.py:Mine"]
    assert "asked_model" in plan.stale[0].why


@pytest.mark.slow
def test_a_class_that_costs_money_is_priced_and_so_is_what_it_answered_before(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model without a wire format of ours was called free."""
    (copied / "mine.py").write_text(
        "class Mine:\n    def answer(self, parts):\n        return '[1, 2]'\n"
    )
    price = "price: {in: 1, out: 2}"
    (copied / "models.yaml").write_text(
        f"models:\n  mine: {{id: 'python/mine.py:Mine'}}\n"
        f"  lost: {{id: 'python/absent.py:Mine', {price}}}\n"
    )
    assert run(copied, "ask", "mine", "--questions", "2") == 0
    assert run(copied, "ask", "mine", "--questions", "3") == 0
    said = capsys.readouterr().out
    assert "1 answer to ask for; 2 more are in the ledger: free." in said
    assert "tokens were counted. 2 were in the ledger; spent now: 0." in said
    n = questions(copied).height
    (copied / "models.yaml").write_text(
        (copied / "models.yaml").read_text().replace("Mine'}", f"Mine', {price}}}")
    )
    plan = ("plan", "--asset", "predictions", "--variant", "baseline")
    assert run(copied, *plan, "--model", "mine", "--model", "lost") == 0
    said = capsys.readouterr().out
    assert f"mine baseline: {n - 3} answers to buy; 3 more are in the ledger: an unknown" in said
    assert "lost baseline: not known: " in said
    assert "absent.py" in said


@pytest.mark.slow
def test_a_model_whose_entry_is_gone_fails_alone_and_can_be_forgotten(
    tiny: TinyRoot, copied: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    write_models(copied, server.url())
    asks = ("predictions",)
    assert tiny.driver(copied).run(models=["seer"], assets=asks, max_usd=1).is_success
    rows = answers(copied, "seer")
    (copied / "models.yaml").write_text(f"providers: {{vllm: {{base_url: '{server.url()}'}}}}\n")
    assert run(copied, "plan", "--asset", "predictions") == 0
    said = capsys.readouterr().out
    assert said.count("model 'seer' is known no more") == 1
    assert "enact-assets forget model seer" in said
    (copied / "models.txt").write_text("vllm/free-1\n")
    report = tiny.driver(copied).run(assets=asks)
    (gone,) = (f.message for f in report.failures if f.run.partition == ("seer", "baseline"))
    assert "model 'seer' is known no more" in gone
    assert {f.run.partition[0] for f in report.failures} == {"seer"}
    assert ("vllm:free-1", "baseline") in {run.partition for run in report.made}
    assert answers(copied, "seer").equals(rows)
    assert run(copied, "forget", "model", "seer") == 0
    # An id in place of a name, as in other commands.
    assert run(copied, "forget", "model", "vllm/free-1") == 0
    said = capsys.readouterr().out
    assert "vllm:free-1 is forgotten" in said
    assert "models.txt, line 1: remove it there" in said
    (copied / "models.txt").unlink()
    assert tiny.driver(copied).plan(assets=asks)[0].stale == ()


@pytest.mark.slow
def test_a_broken_file_of_models_stops_what_asks_and_nothing_else(
    tiny: TinyRoot, copied: Path
) -> None:
    (copied / "models.yaml").write_text("models: {mine: {max_images: 4}}")
    report = tiny.driver(copied).run(assets=("path_counts", "predictions"), force=True)
    assert {run.step for run in report.made} == {"path_counts"}
    (failure,) = report.failures
    assert "models.yaml: models.mine: " in failure.message


def test_automation_buys_only_where_it_may(copied: Path) -> None:
    step: StepSpec = STEP_NAMED["predictions"]
    write_models(copied, "http://far.example/v1")
    person, daemon = {}, {"enact/trigger": "automation"}
    command = {"enact/trigger": "materialize", USD_UNTIL_TAG: "2.5"}
    assert usd_until(copied, person) is None
    assert usd_until(copied, command) == 2.5
    assert usd_until(copied, daemon) is None
    withheld = bought_by_persons(copied)
    assert withheld(step, Partition.of("seer", "baseline"))
    assert withheld(step, Partition.of("gpt-5-2025-08-07", "baseline"))
    assert not withheld(step, Partition.of("oracle", "baseline"))
    assert not withheld(STEP_NAMED["evaluation"], Partition.of("seer", "baseline"))
    write_models(copied, "http://far.example/v1", "spending: {max_usd: 2}\n")
    assert [usd_until(copied, tags) for tags in (person, command, daemon)] == [2.0, 2.0, None]
    write_models(copied, "http://far.example/v1", "spending: {max_usd: 2, by_automation: true}\n")
    assert [usd_until(copied, tags) for tags in (person, command, daemon)] == [2.0, 2.0, 2.0]
    assert not bought_by_persons(copied)(step, Partition.of("seer", "baseline"))


def test_automation_buys_no_pictures_unless_it_may(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = copied / "registry.yaml"
    text = DEFAULT_REGISTRY.read_text()
    stand_in = "    renderer: {mode: realistic}"
    assert text.count(stand_in) == 1
    registry.write_text(text.replace(stand_in, "    editing: {model: openai-images/painter}"))
    monkeypatch.setenv("ENACT_REGISTRY", str(registry))
    step: StepSpec = STEP_NAMED["frame_images"]
    assert bought_by_persons(copied)(step, Partition.of("d-0", "realistic"))
    assert not bought_by_persons(copied)(step, Partition.of("d-0", "baseline"))
    (copied / "models.yaml").write_text("spending: {max_usd: 2, by_automation: true}\n")
    assert not bought_by_persons(copied)(step, Partition.of("d-0", "realistic"))
    # The limit of a command holds for its pictures too.
    assert USD_UNTIL_TAG in run_tags(copied, 2.5)("frame_images")
