"""What Dagster itself says of assets: which failed, and which are stale."""

import asyncio
import warnings

import dagster as dg
import pytest
from daemon_places import Place
from dagster._core.definitions.asset_health.asset_materialization_health import (
    AssetMaterializationHealthState,
)
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.loader import LoadingContextForTest
from made_roots import RECORDED
from test_automation import quarter

from enact_assets.engine.grids import Partition
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.runs.marts import Content, contents, mart_files, reported_contents
from enact_assets.pipeline.runs.reported import last_materialization, read_lineage, report_landed
from enact_assets.pipeline.runs.running import assets_made_with
from enact_assets.settings.registry import load_registry

pytestmark = pytest.mark.slow

OF_STATE = f"{RECORDED}|state"
PREDICTED = "oracle|baseline"
MARTS = {file.name for file in mart_files()}


def red(place: Place, *assets: str) -> dict[str, set[str]]:
    """Asset -> its partitions that pages of the UI call failed."""
    graph, found = place.repository.asset_graph, {}
    for asset in assets:
        key = dg.AssetKey(asset)
        health = asyncio.run(
            AssetMaterializationHealthState.compute_for_asset(
                key, graph.get(key).partitions_def, LoadingContextForTest(place.instance)
            )
        )
        failed = health.failed_subset.value
        if failed:
            found[asset] = {"all"} if failed is True else set(failed.get_partition_keys())
    return found


def damage(place: Place) -> None:
    """Flip a bit of the graph that questions are made from, and let a run find it."""
    path = place.data.lake.path("transition_graph", {"demonstration": RECORDED, "gating": "state"})
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    place.make("qa", OF_STATE, fails=True)


def never_started(place: Place, step: str, partition: str | None) -> None:
    """A run of a backfill that the machine was too busy to start."""
    job = place.definitions.resolve_implicit_global_asset_job_def()
    keys = {dg.AssetKey(asset) for asset in assets_made_with(step)}
    run = place.instance.create_run_for_job(
        job.get_subset(asset_selection=keys),
        asset_selection=frozenset(keys),
        tags={} if partition is None else {"dagster/partition": partition},
    )
    place.instance.report_run_failed(run, "it never started")


def test_what_a_driver_heals_is_red_no_more(place: Place) -> None:
    """It was fresh for the plan, and `Failed` in the UI until somebody made it again."""
    damage(place)
    never_started(place, "error_analysis", PREDICTED)
    never_started(place, "warehouse", None)
    never_started(place, "variant_config", "baseline")
    assets = ("qa", "compared_steps", "warehouse", "leaderboard", "variant_config")
    assert red(place, *assets) == {
        "qa": {OF_STATE},
        "compared_steps": {PREDICTED},
        "warehouse": {"all"},
        "leaderboard": {"all"},
        "variant_config": {"baseline"},
    }
    before = last_materialization(place.instance, "qa", Partition.of(RECORDED, "state"))
    report = Driver(place.root, workers=1).run()
    assert report.is_success
    assert "qa" not in {run.step for run in report.made}, "the rows of its input came out equal"
    assert red(place, *assets) == {}
    after = last_materialization(place.instance, "qa", Partition.of(RECORDED, "state"))
    assert before is not None
    assert after is not None
    assert after.asset_materialization == before.asset_materialization, "it says all that it said"
    assert Driver(place.root, workers=1).run().n_reported == 0


def test_what_automation_heals_is_red_no_more(place: Place) -> None:
    damage(place)
    while asked := place.automated():
        for step, partition in asked:
            place.make(step, partition)
    assert red(place, "qa") == {}


def test_the_daemon_reports_what_is_fresh_each_quarter(place: Place) -> None:
    job = place.definitions.resolve_job_def("check_freshness")

    def look() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            job.execute_in_process(instance=place.instance)
        return quarter(place)

    assert isinstance(look(), dg.SkipReason)
    never_started(place, "error_analysis", PREDICTED)
    request = quarter(place)
    assert isinstance(request, dg.RunRequest)
    assert f"compared_steps {PREDICTED} is fresh" in request.tags["enact/why"]
    assert isinstance(look(), dg.SkipReason)
    assert red(place, "compared_steps", "compared_components") == {}


def test_what_failed_and_is_stale_stays_red(place: Place) -> None:
    never_started(place, "asked_questions", "aperture_80")
    place.change_camera(70.0)
    lineage = read_lineage(place.instance, place.data, load_registry())
    report_landed(place.instance, place.data, lineage)
    assert red(place, "asked_questions") == {"asked_questions": {"aperture_80"}}


def stale_marts(place: Place) -> set[str]:
    """Marts that the UI calls unsynced."""
    resolver = CachingStaleStatusResolver(
        place.instance, place.repository.asset_graph, LoadingContextForTest(place.instance)
    )
    statuses = {mart: resolver.get_status(dg.AssetKey(mart)) for mart in MARTS}
    assert StaleStatus.MISSING not in statuses.values()
    return {mart for mart, status in statuses.items() if status == StaleStatus.STALE}


def test_changed_questions_turn_marts_that_read_them_stale_and_no_others(place: Place) -> None:
    """With twelve partitions stale, the page of `leaderboard` said when it was published."""
    assert stale_marts(place) == set()
    lake, partition = place.data.lake, {"demonstration": RECORDED, "gating": "state"}
    rows = lake.read("qa", partition)
    sha = lake.write("qa", rows.head(rows.height - 1), partition)
    place.instance.report_runless_asset_event(
        dg.AssetMaterialization("qa", partition=OF_STATE, tags={"dagster/data_version": sha})
    )
    readers = {file.name for file in mart_files() if "qa" in file.reads}
    assert stale_marts(place) == readers
    assert len(readers) < len(MARTS)


def test_equal_rows_have_equal_versions(place: Place) -> None:
    """Whoever goes by the version of a mart is woken by other rows, not by a publication."""
    before = reported_contents(place.instance)
    assert set(before) == MARTS
    driver = Driver(place.root, workers=1)
    assert driver.run(assets=["warehouse"], force=True, from_nothing=True).is_success
    assert reported_contents(place.instance) == before
    answers, of = "predictions", {"model": "oracle", "variant": "baseline"}
    rows = place.data.lake.read(answers, of)
    place.data.lake.write(answers, rows.with_columns(raw_answer=rows["raw_answer"] + " "), of)
    place.make("warehouse", None)
    now = reported_contents(place.instance)
    changed = {mart for mart in MARTS if now[mart].version != before[mart].version}
    made_anew = {mart for mart in MARTS if now[mart].made_of != before[mart].made_of}
    assert changed < made_anew < MARTS
    assert "answers" in changed
    assert "leaderboard" in made_anew - changed


def test_rows_of_a_mart_are_hashed_again_if_it_is_made_of_something_else(place: Place) -> None:
    """Whoever published without telling, such as another process that was killed."""
    warehouse = place.data.warehouse_path
    now = {file.name: content for file, content in contents(warehouse, {})}
    assert now.keys() == MARTS
    others = {name: Content("something else", "former rows") for name in now}
    assert {file.name: content for file, content in contents(warehouse, others)} == now
    kept = {name: content._replace(version="as told") for name, content in now.items()}
    assert {file.name: content for file, content in contents(warehouse, kept)} == kept
