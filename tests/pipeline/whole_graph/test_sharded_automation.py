"""What the daemon does by itself where Dagster's partitions are shards of demonstrations."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from daemon_places import Place
from made_roots import RECORDED, Materialized

from benchmarks.tiny_root import write_tiny_recording
from enact_assets.pipeline.dagster.automation import RUN_TAGS
from enact_assets.pipeline.dagster.sensors import changed_sources, registered_partitions
from enact_assets.pipeline.root.scope import scoped_registry
from enact_assets.pipeline.runs.reported import read_lineage
from enact_assets.settings.paths import PARTITIONS_FILE

pytestmark = pytest.mark.slow

SHARD = "shard_000/1"
NEW = ("moving_cups-1", "moving_cups-2")


@pytest.fixture
def place(
    materialized: Materialized, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Place]:
    """Made by name, and cut into one shard since."""
    root, registry_file = materialized.copied(tmp_path, monkeypatch)
    (root / PARTITIONS_FILE).write_text("demonstration_shards: 1\n")
    found = Place(root, registry_file)
    yield found
    found.leave()


def stale(place: Place, step: str) -> set[str]:
    lineage = read_lineage(place.instance, place.data, scoped_registry(place.root))
    spec = lineage.graph.step_named[step]
    return {"|".join(p) for p in lineage.partitions(spec) if lineage.causes(spec, p)}


def without_files(place: Place) -> list[str]:
    """Gatings that ask no imported questions: of these there are none."""
    return list(scoped_registry(place.root).with_questions(()).gatings)


def arrive(place: Place, *names: str, n_moves: int = 2) -> None:
    for name in names:
        shutil.rmtree(place.root / "recordings" / name, ignore_errors=True)
        write_tiny_recording(place.root / "recordings", name, n_moves)
    found = place.sensor(registered_partitions)
    for request in found.dynamic_partitions_requests or []:
        place.instance.add_dynamic_partitions(
            request.partitions_def_name, list(request.partition_keys)
        )


def test_nothing_is_asked_for_after_a_root_was_cut_into_shards(place: Place) -> None:
    assert place.automated() == set()
    assert place.sensor(changed_sources).run_requests in (None, [])


def test_new_demonstrations_are_one_run_of_their_shard(place: Place) -> None:
    """Those that were there are left alone, by each step in turn."""
    arrive(place, *NEW)
    assert place.automated() == {("replays", SHARD)}
    assert place.automated() == set(), "it was asked for"
    place.make("replays", SHARD, **RUN_TAGS)
    assert stale(place, "replays") == set()
    before = (place.root / "lake" / "facts" / f"{RECORDED}.parquet").stat().st_mtime_ns
    asked = place.automated()
    assert {step for step, _ in asked} == {"segmentation", "wanted_clips"}
    gatings = without_files(place)
    assert {partition for _, partition in asked} == {*(f"{SHARD}|{g}" for g in gatings), SHARD}
    for gating in gatings:
        place.queue(("segmented_frames", "scene_graphs"), f"{SHARD}|{gating}")
    place.queue(("wanted_clips",), SHARD)
    assert place.automated() == set(), "what is made from them waits for the runs"
    assert (place.root / "lake" / "facts" / f"{RECORDED}.parquet").stat().st_mtime_ns == before


def test_a_member_that_fails_is_not_asked_for_again_and_holds_up_no_other(place: Place) -> None:
    arrive(place, *NEW)
    (place.root / "recordings" / NEW[0] / "scene_graph_0.json").write_text("{")
    assert place.automated() == {("replays", SHARD)}
    assert NEW[0] in place.make("replays", SHARD, fails=True, **RUN_TAGS)
    assert stale(place, "replays") == {NEW[0]}
    asked = place.automated()
    assert ("replays", SHARD) not in asked
    assert ("segmentation", f"{SHARD}|state") in asked
    state = f"{SHARD}|state"
    (request,) = [r for r in place.requested() if r.tags.get("dagster/partition") == state]
    only = request.run_config["ops"]["segmentation"]["config"]["only"]
    assert only == [NEW[1]], "the other one waits for its input"
    place.make("segmentation", state, only=tuple(only), **RUN_TAGS)
    gatings = without_files(place)
    both = {f"{name}|{gating}" for name in NEW for gating in gatings}
    assert stale(place, "segmentation") == both - {f"{NEW[1]}|state"}


def test_recordings_that_were_imported_again_are_read_again_and_no_others(place: Place) -> None:
    arrive(place, *NEW)
    assert place.automated() == {("replays", SHARD)}
    place.make("replays", SHARD, **RUN_TAGS)
    arrive(place, NEW[1], n_moves=3)
    first = place.sensor(changed_sources)
    assert not first.run_requests, "it may still be written"
    (request,) = place.sensor(changed_sources, first.cursor).run_requests or []
    assert request.partition_key == SHARD
    assert request.run_config["ops"]["replays"]["config"]["only"] == [NEW[1]]
    assert request.tags["enact/why"].startswith(f"1 partition, first {NEW[1]}: recording changed")
    (again,) = place.sensor(changed_sources, first.cursor).run_requests or []
    assert again.run_key == request.run_key
