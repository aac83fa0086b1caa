"""Variants of one's own through the whole graph: prompts as published, pictures by an image model.

The questions of both are the baseline's, so the probe panel compares answers question by question.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
import yaml
from tiny_roots import TinyRoot

from enact_assets.cli import main
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.driver.materialize import Driver, Report
from enact_assets.questions.asked.shared_prompts import PUBLISHED, words_sha
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry

from reference.misbehaving_server import running
from reference.official_sample import sample_of_160
from reference.picture_server import PictureServer, picture_server
from reference.undrawn import BUT_REPORT

pytestmark = pytest.mark.slow

PROMPTS = {
    "forward": "QID={n_steps}f. Order the pictures.\n{actions}\nAnswer like [2, 1].",
    "inverse": "QID={n_steps}i. Order the actions.\n{actions}\nAnswer like [2, 1].",
}

EDIT = "Make a photograph of it, and keep all that is there. " * 5


@pytest.fixture
def registry(tiny: TinyRoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small registry with variants ``as_published`` and ``realistic``."""
    (tmp_path / "words").mkdir()
    for kind, text in PROMPTS.items():
        (tmp_path / "words" / f"{kind}.txt").write_text(text)
    entries: dict[str, Any] = yaml.safe_load(tiny.registry.read_text())
    entries["variants"]["as_published"] = {"prompts": "words", "asks": "all"}
    (tmp_path / "words" / "edit.txt").write_text(EDIT)
    editing = {"model": "painter", "tries": 2, "prompt_file": "words/edit.txt"}
    entries["variants"]["realistic"] = {"editing": editing, "asks": "all"}
    entries["models"] += ["seer"]
    path = tmp_path / "registry.yaml"
    path.write_text(yaml.safe_dump(entries))
    monkeypatch.setenv("ENACT_REGISTRY", str(path))
    return path


@pytest.fixture
def painting() -> Iterator[PictureServer]:
    with picture_server() as server:
        yield server


@pytest.fixture
def urls(painting: PictureServer) -> Iterator[tuple[str, str]]:
    """Of a provider that answers and of one that paints: every first edit is useless."""
    with running() as answering:
        yield answering.url(), painting.selling("shifted-good")


def write_models(root: Path, urls: tuple[str, str]) -> None:
    seer, painter = urls
    (root / "models.yaml").write_text(
        "spending: {max_usd: 100}\n"
        "models:\n"
        f"  seer: {{id: openrouter/seer-1, base_url: '{seer}', price: {{in: 1, out: 2}}, "
        "picture_tokens: {rule: fixed, numbers: [256]}, parameters: {max_tokens: 60}}\n"
        f"  painter: {{id: openai-images/p-1, base_url: '{painter}/v1', "
        "price: {in: 9, out: 9}}\n"
    )


def made(root: Path, registry: Path) -> Report:
    report = Driver(root, registry=load_registry(registry), workers=1).run(assets=BUT_REPORT)
    assert report.is_success, [failure.message for failure in report.failures]
    return report


def pictures_to_buy(root: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """What ``plan`` says of the pictures of ``realistic``."""
    assert main(["plan", "--data", str(root), "--variant", "realistic", "--json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["pictures_to_buy"]
    return found


def test_prompts_and_pictures_of_ones_own_reach_the_probe_panels(
    copied: Path,
    registry: Path,
    urls: tuple[str, str],
    painting: PictureServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_models(copied, urls)
    (unknown,) = pictures_to_buy(copied, capsys)
    assert (unknown["n_to_buy"], unknown["n_unknown"]) == (0, 1)
    assert Driver(copied, registry=load_registry(registry)).run(assets=["wanted_frames"]).is_success
    (before,) = pictures_to_buy(copied, capsys)
    assert (before["model"], before["variant"]) == ("painter", "realistic")
    made(copied, registry)
    # The first edit of each is rejected: the plan's upper bound are both tries.
    assert sum(painting.sold.values()) == before["n_requests"] == 2 * before["n_to_buy"]
    assert all(EDIT.encode() in body for _, body in painting.bodies)
    lake = Lake(copied / "lake")
    asked = {
        variant: lake.read("asked_questions", {"variant": variant}).sort("question_id")
        for variant in ("baseline", "as_published", "realistic")
    }
    same = ["question_id", "actions", "answer", "shown_key_frames"]
    for variant in ("as_published", "realistic"):
        assert asked[variant].select(same).equals(asked["baseline"].select(same)), variant
    assert all(prompt.startswith("QID=") for prompt in asked["as_published"]["prompt"])
    assert asked["realistic"]["prompt"].equals(asked["baseline"]["prompt"])
    ours, theirs = (
        lake.read_all("frame_images", variant=variant) for variant in ("baseline", "realistic")
    )
    assert theirs.height > 0
    assert not set(theirs["image_sha"]) & set(ours["image_sha"])
    assert set(theirs["key_frame"]) == set(
        lake.read_all("wanted_frames", variant="realistic")["key_frame"]
    )
    with duckdb.connect(str(DataRoot(copied, None).warehouse), read_only=True) as warehouse:
        panels = warehouse.sql(
            "select distinct variant, panel from probe_panels where model = 'seer'"
        ).pl()
        settings = warehouse.sql(
            "select variant, setting, value from variant_settings "
            "where setting in ('prompts', 'editing.model')"
        ).pl()
    assert dict(panels.iter_rows()) == {"as_published": "prompts", "realistic": "realism"}
    assert dict(settings.select("variant", "setting").iter_rows()) == {
        "as_published": "prompts",
        "realistic": "editing.model",
    }
    # Nothing is stale afterwards, and nothing is bought again.
    spent = sum(path.stat().st_size for path in (copied / "ledger").rglob("*.jsonl"))
    assert made(copied, registry).made == []
    assert sum(path.stat().st_size for path in (copied / "ledger").rglob("*.jsonl")) == spent
    # Another quality makes other pictures: the plan knows.
    text = (copied / "models.yaml").read_text()
    worse = text.replace("p-1, base", "p-1, parameters: {quality: low}, base")
    (copied / "models.yaml").write_text(worse)
    (again,) = pictures_to_buy(copied, capsys)
    assert (again["n_to_buy"], again["n_known"]) == (before["n_to_buy"], 0)
    report = made(copied, registry)
    assert {run.step for run in report.made} >= {"frame_images"}


def test_a_picture_that_was_never_accepted_leaves_its_questions_missing_and_is_no_failure(
    copied: Path, registry: Path, urls: tuple[str, str]
) -> None:
    write_models(copied, (urls[0], urls[1].replace("shifted-good", "shifted")))
    made(copied, registry)
    lake = Lake(copied / "lake")
    assert lake.read_all("frame_images", variant="realistic").is_empty()
    answers = lake.read("predictions", {"model": "seer", "variant": "realistic"})
    assert answers["raw_answer"].null_count() == answers.height > 0
    assert set(answers["error"].str.contains("image model made none")) == {True}
    scores = lake.read("evaluation", {"model": "seer", "variant": "realistic"})
    assert set(scores["answer_status"]) <= {"missing"}
    assert scores.filter(pl.col("is_accepted")).is_empty()


def test_our_questions_are_asked_in_the_papers_prompts_once_its_questions_are_imported(
    copied: Path, registry: Path
) -> None:
    """Without a question file the variant does not exist, and a file of other words is refused."""
    entries = yaml.safe_load(registry.read_text())
    for name in ("as_published", "realistic"):
        del entries["variants"][name]
    entries["variants"]["in_paper_words"] = {"prompts": "as_published", "asks": "all"}
    entries["models"].remove("seer")
    registry.write_text(yaml.safe_dump(entries))
    made(copied, registry)
    lake = Lake(copied / "lake")
    assert "in_paper_words" not in {p["variant"] for p in lake.partitions("asked_questions")}
    file = copied / "question_files" / "published.jsonl"
    file.parent.mkdir(exist_ok=True)
    shutil.copy(sample_of_160(), file)
    runs = [run for run in made(copied, registry).made if run.step == "asked_questions"]
    assert [name for run in runs for (name,) in run.partitions] == ["in_paper_words"]
    theirs, ours = (
        lake.read("asked_questions", {"variant": name}).sort("question_id")
        for name in ("in_paper_words", "baseline")
    )
    assert theirs.height == ours.height > 0
    assert theirs["actions"].equals(ours["actions"])
    for kind, prompt in theirs.select("kind", "prompt").iter_rows():
        assert words_sha(prompt) == PUBLISHED[kind]
    assert not {words_sha(prompt) for prompt in ours["prompt"]} & set(PUBLISHED.values())
    with duckdb.connect(str(DataRoot(copied, None).warehouse), read_only=True) as warehouse:
        found = warehouse.sql(
            "select variant, why_not like '%Prompts are not in the words%' as is_said "
            "from comparable_with_published where model = 'oracle' and source is null"
        ).fetchall()
        panels = warehouse.sql("select distinct variant, panel from probe_panels").fetchall()
    assert set(found) == {("in_paper_words", False), ("baseline", True)}
    assert panels == [("in_paper_words", "prompts")]
    assert made(copied, registry).made == []
    # Another text in one question of the file: it has no prompt that all share.
    file.write_text(file.read_text().replace("Please", "Now", 1).replace("Now please", "Now", 1))
    report = Driver(copied, registry=load_registry(registry), workers=1).run(assets=BUT_REPORT)
    assert "differ from line" in " ".join(failure.message for failure in report.failures)
