"""Change one thing: only what lies downstream of it is made again."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
import yaml
from made_roots import small_registry

from enact_assets.cli import main
from enact_assets.engine.errors import PredictionError, UnknownNameError
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.runs.instance import only_driver
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.results.published import query
from enact_assets.settings.registry import load_registry

from reference.undrawn import BUT_REPORT


@pytest.fixture
def copied(materialized, tmp_path: Path) -> Path:
    """A copy of the data root, free to be changed."""
    root = tmp_path / "data"
    shutil.copytree(materialized.root, root)
    return root


@pytest.fixture
def other(simulated, tmp_path: Path) -> Path:
    """A copy of the one with simulated demonstrations, free to be changed."""
    root = tmp_path / "simulated"
    shutil.copytree(simulated.root, root)
    return root


def driver(root: Path, registry_file: Path, monkeypatch: pytest.MonkeyPatch) -> Driver:
    monkeypatch.setenv("ENACT_REGISTRY", str(registry_file))
    return Driver(root, registry=load_registry(registry_file), workers=1)


def changed_registry(materialized, folder: Path, change) -> Path:
    entries = yaml.safe_load(materialized.registry_file.read_text())
    change(entries)
    path = folder / "changed.yaml"
    path.write_text(yaml.safe_dump(entries))
    return path


@pytest.mark.slow
def test_a_changed_camera_touches_only_its_variant_and_old_rows_are_told(
    simulated, other: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rebuilding the baseline for a probe's setting would cost hours at scale.

    And after a failure old scores under a new setting would look current: first no model answers,
    then they do.
    """

    def narrower(entries) -> None:
        entries["variants"]["aperture_80"]["camera"]["aperture_mm"] = 70.0

    def fail(*_: object, **__: object) -> None:
        raise PredictionError("the model is out of order")

    registry = changed_registry(simulated, tmp_path, narrower)
    before = n_renders(other)
    walk = driver(other, registry, monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr("enact_assets.pipeline.steps.answer_steps.answers_to", fail)
        failed = walk.run(assets=BUT_REPORT)
    assert {f.message for f in failed.failures} == {"the model is out of order"}
    # Probes say what a variant changes: new settings are reason enough to make them.
    of_answers = {"human_agreement", "question_quality"}
    assert {run.step for run in failed.kept} == of_answers | {
        *("evaluation", "error_analysis", "model_comparisons", "model_findings")
    }
    assert all("aperture_80" in run.partition for run in failed.kept)
    stale = query(other / "enact.duckdb", "select asset, partition from stale_partitions")
    of_variants = stale.filter(pl.col("asset") != "probe_panels")
    assert {p.split("|")[-1] for p in of_variants.get_column("partition")} == {"aperture_80"}
    assert set(stale.get_column("asset")) == {
        *("predictions", "evaluation", "compared_steps", "compared_components", "probes"),
        *("probe_panels", "model_accuracies", "model_comparisons", "model_findings"),
        *("random_orders", *of_answers),
    }

    lake = DataResource(root=str(other)).lake
    wanted = lake.read_all("wanted_frames", variant="aperture_80")
    pictures = lake.read_all("frame_images", variant="aperture_80")
    n_key_frames = lake.read_all("segmented_frames", gating="state").height
    assert pictures.height == wanted.height < n_key_frames
    n_rendered = n_renders(other)
    assert n_rendered == before + pictures["render_sha"].n_unique()

    report = walk.run(assets=BUT_REPORT)
    assert report.is_success
    assert n_renders(other) == n_rendered
    assert query(other / "enact.duckdb", "select * from stale_partitions").is_empty()
    downstream = {
        *("variant_config", "asked_questions", "wanted_frames", "frame_images", "predictions")
    }
    # Where other pictures gave the same answers.
    cut_off = {"evaluation", "error_analysis", "model_comparisons", "model_findings", "warehouse"}
    cut_off |= {"probes", "probe_panels"} | of_answers
    steps = [*failed.made, *report.made]
    assert downstream <= {run.step for run in steps} <= downstream | cut_off
    of_variants = [run for run in steps if run.partition and run.step != "probe_panels"]
    assert all("aperture_80" in run.partition for run in of_variants)


@pytest.mark.slow
def test_fewer_probe_questions_render_nothing_and_leave_the_baseline_alone(
    simulated, other: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every change of the question set would otherwise touch the pictures of everybody."""

    def shorter(entries) -> None:
        entries["questions"]["probe_lengths"] = [3]

    registry = changed_registry(simulated, tmp_path, shorter)
    before = n_renders(other)
    chain = ["question_config", "trajectories", "qa", "question_set", "asked_questions"]
    walk = driver(other, registry, monkeypatch)
    report = walk.run(assets=[*chain, "wanted_frames", "frame_images"])
    assert report.is_success
    made = [(run.step, ("", *run.partition)[-1]) for run in report.made]
    assert ("wanted_frames", "baseline") in made
    assert {v for name, v in made if name == "frame_images"} == {"aperture_80", "contact"}
    assert n_renders(other) == before


@pytest.mark.slow
def test_a_first_look_makes_its_part_and_leaves_the_rest_for_later(
    simulated, other: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    """`make demo` must neither take hours, nor find something to do when it is run again."""
    first, second = simulated.registry.demonstrations
    activity = first.rsplit("-", 1)[0]

    def more(entries) -> None:
        entries["demo"] = {"demonstrations": [first, second]}
        entries["demo"]["variants"] = list(entries["variants"])
        entries["demonstrations"].append(f"{activity}-9")
        entries["variants"]["high"] = {"camera": {"height_offset_m": 0.5}}

    registry = changed_registry(simulated, tmp_path, more)
    monkeypatch.setenv("ENACT_REGISTRY", str(registry))
    assert main(["demo", "--data", str(other)]) == 0
    printed = capsys.readouterr().out
    assert "Nothing to do" in printed
    assert "materialize --all --data" in printed
    assert "3 demonstrations, 4 variants" in printed
    stale = query(other / "enact.duckdb", "select * from stale_partitions")
    assert stale.is_empty()
    # What the options say comes before what the registry says.
    assert main(["demo", "--demonstration", first, "--variant", "high", "--asset", "variant_config",
                 "--data", str(other)]) == 0  # fmt: skip
    assert "1 partition made" in capsys.readouterr().out


def n_renders(root: Path) -> int:
    return sum(path.is_file() for path in (root / "images" / "renders").rglob("*"))


def test_an_unknown_name_is_left_out_and_the_rest_goes_on(
    materialized, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A typo in the registry must not stop the rest, nor stay a partition once it is corrected."""
    walk = driver(copied, materialized.registry_file, monkeypatch)
    names = {"demonstrations": ["paint_the_ceiling-0"], "models": ["gpt-9000"]}
    report = walk.run(**names, assets=BUT_REPORT)
    assert not report.is_success
    assert [m for m in report.rejected if "paint_the_ceiling" in m]
    assert [m for m in report.rejected if "gpt-9000" in m and "oracle" in m]
    assert report.made == report.failures == report.blocked == []
    assert walk.run(assets=BUT_REPORT).is_success


@pytest.mark.slow
def test_an_unknown_partition_fails_alone(
    materialized, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Added in the UI, where nobody checks names: one message, nothing overwritten."""
    lake = DataResource(root=str(copied)).lake
    before = {str(p): lake.content_sha("qa", p) for p in lake.partitions("qa")}
    walk = driver(copied, materialized.registry_file, monkeypatch)
    walk.instance.add_dynamic_partitions("demonstration", ["paint_the_ceiling-0"])
    report = walk.run(assets=BUT_REPORT)
    assert [f.run.key for f in report.failures] == ["paint_the_ceiling-0"]
    assert report.failures[0].message.startswith("unknown activity 'paint_the_ceiling'")
    assert {run.partition[0] for run in report.blocked} == {"paint_the_ceiling-0"}
    assert {str(p): lake.content_sha("qa", p) for p in lake.partitions("qa")} == before
    walk.forget("demonstration", "paint_the_ceiling-0")
    assert walk.run(assets=BUT_REPORT).is_success


@pytest.mark.slow
def test_a_forgotten_demonstration_leaves_the_tables_and_comes_back(
    simulated, other: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of a name nobody knows any more would stay on the leaderboard for ever.

    Back again it has not changed to Dagster, and takes places of others in the question set: their
    pictures have to follow, and none is rendered.
    """
    first, second = simulated.registry.demonstrations
    walk = driver(other, small_registry(tmp_path, 1), monkeypatch)
    walk.forget("demonstration", second)
    report = walk.run(assets=BUT_REPORT)
    assert report.is_success
    left = query(other / "enact.duckdb", "select distinct demonstration from answers")
    assert left.get_column("demonstration").to_list() == [first]
    before = n_renders(other)
    # As if the walk had been killed half way: the next one does not know what that one made.
    names = {"demonstrations": [second], "only": {"demonstration": [second]}}
    before_pictures = BUT_REPORT[: BUT_REPORT.index("wanted_frames")]
    assert walk.run(**names, assets=before_pictures).is_success
    report = walk.run(**names, assets=BUT_REPORT)
    assert report.is_success
    followed = {run.step for run in report.made if str(run.key).startswith(f"{first}|")}
    assert followed == {"wanted_frames", "frame_images"}
    assert n_renders(other) == before
    assert query(other / "enact.duckdb", "select * from stale_partitions").is_empty()
    again = driver(other, simulated.registry_file, monkeypatch).run(assets=BUT_REPORT)
    assert again.made == []


@pytest.mark.slow
def test_what_is_gone_behind_our_back_is_made_again(
    materialized, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fresh for Dagster, gone for the reader: the warehouse, a picture, a file of another run."""
    walk = driver(copied, materialized.registry_file, monkeypatch)
    (copied / "enact.duckdb").unlink()
    assert [run.step for run in walk.run(assets=BUT_REPORT).made] == ["warehouse"]
    lake = DataResource(root=str(copied)).lake
    first, second = (lake.path("qa", p) for p in lake.partitions("qa")[:2])
    partition = lake.partitions("qa")[0]
    rows = lake.read("qa", partition)
    lake.write("qa", rows.head(3), partition)
    assert first != second
    assert [run.step for run in walk.run(assets=BUT_REPORT).made] == ["qa"]
    assert lake.read("qa", partition).height == rows.height
    next((copied / "images").rglob("*.png")).unlink()
    assert {run.step for run in walk.run(assets=BUT_REPORT).made} == {"frame_images"}


@pytest.mark.slow
def test_an_interrupted_walk_stops_and_goes_on_later(
    tmp_path: Path,
) -> None:
    """Dagster turns Ctrl-C into a failed step and would go on with the next one."""
    registry, root = small_registry(tmp_path, 2), tmp_path / "data"
    environment = {**os.environ, "ENACT_REGISTRY": str(registry)}
    command = [sys.executable, "-m", "enact_assets.cli", "materialize", "--data", str(root)]
    command += ["--asset", "replays"]
    process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own code
        command, env=environment, stderr=subprocess.PIPE, text=True
    )
    lock = root / "materialize.lock"
    while not lock.exists():
        time.sleep(0.05)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, printed = process.communicate(timeout=60)
    assert process.returncode == 130, printed
    assert printed.index("Stopping: ") < printed.index("Stopped")
    with only_driver(root):
        pass


def test_a_damaged_file_is_named_and_made_again(
    materialized, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A truncated Parquet file must neither be read nor be taken for fresh."""
    lake = DataResource(root=str(copied)).lake
    partition = lake.partitions("transition_graph")[0]
    sha = lake.content_sha("transition_graph", partition)
    path = lake.path("transition_graph", partition)
    path.write_bytes(path.read_bytes()[:100])
    walk = driver(copied, materialized.registry_file, monkeypatch)
    report = walk.run(assets=BUT_REPORT)
    assert report.is_success
    assert [run.step for run in report.made] == ["visible_changes"]
    assert lake.content_sha("transition_graph", partition) == sha


def test_an_unknown_asset_names_the_known(materialized, monkeypatch: pytest.MonkeyPatch) -> None:
    walk = driver(materialized.root, materialized.registry_file, monkeypatch)
    with pytest.raises(UnknownNameError, match="question_set"):
        walk.run(assets=["questionset"])
