"""Change one thing: only what lies downstream of it is made again."""

import shutil
from pathlib import Path

import pytest
import yaml

from enact_assets.contracts.errors import MaterializationError, UnknownNameError
from enact_assets.contracts.registry import load_registry
from enact_assets.defs.resources import DataResource
from enact_assets.materialize import Driver, only_driver


@pytest.fixture
def copied(materialized, tmp_path: Path) -> Path:
    """A copy of the data root, free to be changed."""
    root = tmp_path / "data"
    shutil.copytree(materialized.root, root)
    return root


def driver(root: Path, registry_file: Path, monkeypatch: pytest.MonkeyPatch) -> Driver:
    monkeypatch.setenv("ENACT_REGISTRY", str(registry_file))
    registry = load_registry(registry_file)
    made = Driver(root, registry=registry, workers=2)
    made.register(registry.demonstrations, registry.models)
    return made


def changed_registry(materialized, folder: Path, change) -> Path:
    entries = yaml.safe_load(materialized.registry_file.read_text())
    change(entries)
    path = folder / "changed.yaml"
    path.write_text(yaml.safe_dump(entries))
    return path


def test_a_changed_camera_touches_only_its_variant(
    materialized, copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rebuilding the baseline for a probe's setting would cost hours at scale."""

    def narrower(entries) -> None:
        entries["variants"]["aperture_80"]["camera"]["aperture_mm"] = 70.0

    registry = changed_registry(materialized, tmp_path, narrower)
    report = driver(copied, registry, monkeypatch).run()
    assert report.is_success
    downstream = {"variant_config", "asked_questions", "frame_images", "predictions"}
    cut_off = {"evaluation", "probes", "warehouse"}  # where other pictures gave the same answers
    made = {s.name for s in report.made}
    assert downstream <= made <= downstream | cut_off
    assert all("aperture_80" in s.partition for s in report.made if s.partition)


def test_a_new_demonstration_leaves_the_others_alone(
    materialized, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = materialized.registry.demonstrations
    activity = known[0].rsplit("-", 1)[0]
    walk = driver(copied, materialized.registry_file, monkeypatch)
    walk.register([f"{activity}-1"], [])
    report = walk.run(assets=["facts", "segmented_frames"])
    assert report.is_success
    assert {s.partition.split("|")[0] for s in report.made} == {f"{activity}-1"}


def test_an_unknown_activity_fails_alone(
    materialized, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One bad name must not stop the rest, nor overwrite anything, nor look like success."""
    lake = DataResource(root=str(copied)).lake
    before = {str(p): lake.content_sha("qa", p) for p in lake.partitions("qa")}
    walk = driver(copied, materialized.registry_file, monkeypatch)
    walk.register(["paint_the_ceiling-0"], [])
    report = walk.run()
    assert not report.is_success
    assert [f.step.partition for f in report.failures] == ["paint_the_ceiling-0"]
    assert "paint_the_ceiling" in report.failures[0].message
    assert "Traceback" not in report.failures[0].message
    assert {s.partition.split("|")[0] for s in report.blocked} == {"paint_the_ceiling-0"}
    assert {str(p): lake.content_sha("qa", p) for p in lake.partitions("qa")} == before


def test_an_unknown_model_fails_alone(
    materialized, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk = driver(copied, materialized.registry_file, monkeypatch)
    walk.register([], ["gpt-9000"])
    report = walk.run(only={"variant": ["contact"]})
    assert {f.step.partition for f in report.failures} == {"gpt-9000|contact"}
    assert "oracle" in report.failures[0].message


def test_a_damaged_file_is_named_and_made_again(
    materialized, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A truncated Parquet file must neither be read nor be taken for fresh."""
    lake = DataResource(root=str(copied)).lake
    partition = lake.partitions("transition_graph")[0]
    sha = lake.content_sha("transition_graph", partition)
    path = lake.path("transition_graph", partition)
    path.write_bytes(path.read_bytes()[:100])
    report = driver(copied, materialized.registry_file, monkeypatch).run()
    assert report.is_success
    assert [s.name for s in report.made] == ["transition_graph"]
    assert lake.content_sha("transition_graph", partition) == sha


def test_a_second_driver_is_told_to_wait(tmp_path: Path) -> None:
    with (
        only_driver(tmp_path),
        pytest.raises(MaterializationError, match="another materialize"),
        only_driver(tmp_path),
    ):
        pass


def test_an_unknown_asset_names_the_known(materialized, monkeypatch: pytest.MonkeyPatch) -> None:
    walk = driver(materialized.root, materialized.registry_file, monkeypatch)
    with pytest.raises(UnknownNameError, match="question_set"):
        walk.run(assets=["questionset"])
