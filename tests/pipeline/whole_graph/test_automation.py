"""What the daemon does by itself: which partitions it asks for, which batches it collects.

It leaves alone what a driver does, what is not loaded, and what just failed."""

import json
import os
import shutil
import time
import warnings
from pathlib import Path

import dagster as dg
import pytest
import yaml
from answers.models.small_questions import messages, read_picture
from daemon_places import Place, added, demonstrations
from made_roots import ACTIVITY

from enact_assets.answers.models.bought_batches import ledger_folders, submit
from enact_assets.answers.models.budget import Budget
from enact_assets.answers.models.ledger import read_answers
from enact_assets.demonstrations.recordings.watched_folders import WATCH_VARIABLE
from enact_assets.engine.grids import Partition
from enact_assets.engine.system.process_identity import ProcessIdentity
from enact_assets.pipeline.dagster import sensors
from enact_assets.pipeline.dagster.automation import (
    AUTOMATE_VARIABLE,
    RUN_TAGS,
    TRY_AGAIN_S,
    _cursor,
    _tried,
)
from enact_assets.pipeline.dagster.batch_collection import collect_batches, hourly_batches
from enact_assets.pipeline.dagster.checks import sql_check_specs
from enact_assets.pipeline.dagster.sensors import changed_sources, lost_runs, registered_partitions
from enact_assets.pipeline.dagster.up_to_date import CHECK, every_quarter, report_up_to_date
from enact_assets.pipeline.lineage.graph import STEP_NAMED
from enact_assets.pipeline.root.scope import Scope, write_scope
from enact_assets.pipeline.runs.driver_lock import only_driver
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.pipeline.runs.lost_runs import OLD_S, PROCESS_TAG, mark_all_lost
from enact_assets.pipeline.runs.marts import mart_files
from enact_assets.pipeline.runs.pools import API, LIMITS, RENDERER
from enact_assets.pipeline.runs.reported import read_lineage
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry

from reference.batch_server import serving
from reference.misbehaving_server import answer_to

pytestmark = pytest.mark.slow

CAMERA = ("variant_config", "aperture_80")


def test_nothing_is_asked_for_where_nothing_changed(place: Place) -> None:
    assert place.automated() == set()
    assert place.sensor(changed_sources).run_requests in (None, [])


def test_a_changed_camera_is_asked_for_step_by_step_and_once(place: Place) -> None:
    """All of them at once would render frames that nobody asks about any more."""
    place.change_camera(70.0)
    assert place.automated() == {("asked_questions", "aperture_80")}
    assert place.automated() == set()
    place.make("asked_questions", "aperture_80")
    (name,) = demonstrations(place)
    partition = f"{name}|aperture_80"
    assert place.automated() == {("wanted_frames", partition)}
    place.make("wanted_frames", partition)
    waiting = place.queue(("frame_images",), partition)
    assert place.automated() == set()
    place.instance.delete_run(waiting)
    assert place.automated() == {("frame_images", partition)}


def test_a_new_demonstration_is_asked_for_at_the_next_look(place: Place) -> None:
    """A name is no event of Dagster's: whoever waits for one waits for ever."""
    assert place.automated() == set()
    new = f"{ACTIVITY}-7"
    place.instance.add_dynamic_partitions("demonstration", [new])
    assert place.automated() == {("replays", new)}


def test_the_settings_themselves_are_asked_for_by_their_sensor(place: Place) -> None:
    """Only the partition whose entry changed, and never twice for the same change."""
    place.change_camera(70.0)
    (request,) = place.sensor(changed_sources).run_requests or []
    assert [k.to_user_string() for k in request.asset_selection or ()] == ["variant_config"]
    assert request.partition_key == "aperture_80"
    assert request.tags["enact/why"].startswith(
        "the registry entry changed: camera.aperture_mm 80.0 -> 70.0 ("
    )
    assert RUN_TAGS.items() - {("enact/trigger", "automation")} <= request.tags.items()
    (again,) = place.sensor(changed_sources).run_requests or []
    assert again.run_key == request.run_key
    run_id = place.queue(("variant_config",), "aperture_80")
    assert not place.sensor(changed_sources).run_requests
    place.instance.delete_run(run_id)
    place.make("variant_config", "aperture_80")
    assert not place.sensor(changed_sources).run_requests
    # There and back again is a change each time.
    place.change_camera(60.0)
    place.make("variant_config", "aperture_80")
    place.change_camera(70.0)
    (other,) = place.sensor(changed_sources).run_requests or []
    assert other.run_key != request.run_key


def test_a_question_file_is_read_again_when_it_is_complete(place: Place) -> None:
    folder = place.root / "question_files"
    folder.mkdir()
    (folder / "official.jsonl").write_text("")
    requests = place.sensor(registered_partitions).dynamic_partitions_requests or []
    assert [(r.partitions_def_name, r.partition_keys) for r in requests] == [
        ("question_file", ["official"])
    ]
    place.instance.add_dynamic_partitions("question_file", ["official"])
    # With the first file there is a gating that asks its questions.
    asked = {("segmentation", "moving_cups-0|official")}
    assert place.automated() == {("official_questions", "official")} | asked
    place.make("official_questions", "official")
    row = {"id": "a_0", "type": "forward_world_modeling_3_steps", "task_name": "a"}
    (folder / "official.jsonl").write_text(json.dumps(row))

    def read_again(found: dg.SensorResult) -> list[str | None]:
        # Besides the settings of the gating, which are new.
        ours = dg.AssetKey("official_questions")
        requests = found.run_requests or []
        return [r.partition_key for r in requests if ours in (r.asset_selection or ())]

    first = place.sensor(changed_sources)
    assert not read_again(first)
    (folder / "official.jsonl").write_text("\n")
    second = place.sensor(changed_sources, first.cursor)
    assert not read_again(second)
    assert read_again(place.sensor(changed_sources, second.cursor)) == ["official"]
    assert ("official_questions", "official") not in place.automated()


def test_names_from_everywhere_become_partitions_and_bad_ones_are_told_once(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A typo must not stop the others, nor fill the log at every look, nor become a partition."""
    (place.root / "demonstrations.txt").write_text(
        f"# new seeds\n{ACTIVITY}-7  # the blue one\n\npaint_the_ceiling-0\n"
    )
    (place.root / "models.txt").write_bytes(b"oracle\n\xff\n")
    watched = tmp_path / "incoming" / "fold_towels"
    watched.mkdir(parents=True)
    (watched / "scene_graph_0.json").write_text("{}")
    monkeypatch.setenv(
        WATCH_VARIABLE, os.pathsep.join([str(tmp_path / "gone"), str(watched.parent)])
    )
    first = place.sensor(registered_partitions)
    assert added(first) == {"demonstration": [f"{ACTIVITY}-7"]}
    told = json.loads(str(first.cursor))["told"]
    assert [t for t in told if "demonstrations.txt, line 4" in t and "paint_the_ceiling" in t]
    assert [t for t in told if "models.txt" in t]
    assert [t for t in told if "gone" in t]
    assert len(told) == 3
    second = place.sensor(registered_partitions, first.cursor)
    assert added(second)["demonstration"] == [f"{ACTIVITY}-7", "fold_towels"]
    assert json.loads(str(second.cursor))["told"] == told
    place.registry_file.write_text("gatings: [")
    third = place.sensor(registered_partitions, second.cursor)
    assert "fold_towels" in added(third)["demonstration"]
    assert "not valid YAML" in json.loads(str(third.cursor))["told"][0]


def test_a_name_that_nobody_defined_is_removed_and_all_others_stay(place: Place) -> None:
    """Typed into the UI; the plan wanted 25 partitions of it, and each command failed."""
    names = {
        "demonstration": ["nonsense-0", f"{ACTIVITY}-7", "listed_0"],
        "model": ["nonsense", "oracle", "listed"],
        "question_file": ["nonsense"],
        "world_source": ["nonsense"],
    }
    (place.root / "demonstrations.txt").write_text("listed_0\n")
    (place.root / "models.txt").write_text("listed\n")
    for dimension, typed in names.items():
        place.instance.add_dynamic_partitions(dimension, typed)
    (recorded, *_) = demonstrations(place)
    # What is made stays, also while the recording is on a disk that is away.
    shutil.move(place.root / "recordings", place.root / "away")
    found = place.sensor(registered_partitions)
    requests = found.dynamic_partitions_requests or []
    removed = {r.partitions_def_name: r.partition_keys for r in requests}
    assert removed == {d: [n for n in typed if "nonsense" in n] for d, typed in names.items()}
    said = str(found.skip_reason)
    assert "removed demonstration nonsense-0: it is not defined anywhere" in said
    shutil.rmtree(place.root / "lake")
    assert recorded in demonstrations(place)
    again = place.sensor(registered_partitions).dynamic_partitions_requests or []
    assert {r.partitions_def_name: r.partition_keys for r in again} == removed
    (place.root / "models.yaml").write_text("models: [")
    place.registry_file.write_text("gatings: [")
    assert not place.sensor(registered_partitions).dynamic_partitions_requests


def test_what_is_outside_the_scope_is_said(place: Place) -> None:
    """A variant added to the registry never appeared in a root of a first look, without a word."""
    entries = yaml.safe_load(place.registry_file.read_text())
    entries["variants"]["aperture_50"] = {"camera": {"aperture_mm": 50.0}}
    place.registry_file.write_text(yaml.safe_dump(entries))
    assert "outside" not in str(place.sensor(registered_partitions).skip_reason)
    write_scope(place.root, Scope({"variant": frozenset({"aperture_80"})}))
    said = str(place.sensor(registered_partitions).skip_reason)
    assert "outside the scope of this data root" in said
    assert "aperture_50" in said
    assert "baseline" not in said


def quarter(place: Place) -> object:
    """What the daemon gets from the quarter-hourly schedule.

    The context is left: it holds an instance that Dagster would go on asking when it is gone.
    """
    with dg.build_schedule_context(instance=place.instance, resources={"data": place.data}) as now:
        return every_quarter(now)


def test_up_to_date_warns_of_what_is_stale_and_says_why(place: Place) -> None:
    """Dagster shows a partitioned asset as fresh while partitions of it are stale."""
    lineage = read_lineage(place.instance, place.data, load_registry())
    report_up_to_date(place.instance, lineage)
    assert report_up_to_date(place.instance, lineage) == 0
    assert isinstance(quarter(place), dg.SkipReason)
    place.change_camera(70.0)
    request = quarter(place)
    assert isinstance(request, dg.RunRequest)
    job = place.definitions.resolve_job_def("check_freshness")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = job.execute_in_process(instance=place.instance)
    found = {e.asset_key.to_user_string(): e for e in result.get_asset_check_evaluations()}
    marts = {file.name for file in mart_files()}
    assert set(found) == {a for step in STEP_NAMED.values() for a in step.assets} | marts
    warned = {asset for asset, e in found.items() if not e.passed}
    # Marts of what may come out otherwise: a look of Dagster's ends at the next step.
    assert {"leaderboard", "probe_deltas"} <= warned & marts
    assert not {"question_ids", "stale_partitions"} & warned
    assert warned - marts == {
        *("variant_config", "asked_questions", "variant_settings", "wanted_frames"),
        *("frame_images", "predictions"),
        *("evaluation", "compared_steps", "compared_components", "probes", "warehouse", "report"),
        *("probe_panels", "model_accuracies", "model_comparisons"),
        *("model_findings", "random_orders"),
        *("human_agreement", "question_quality"),
    }
    told = found["wanted_frames"]
    assert told.check_name == CHECK
    assert told.severity == dg.AssetCheckSeverity.WARN
    assert told.metadata["stale"].value == len(demonstrations(place))
    assert "variant_config changed" in str(told.description)
    assert isinstance(quarter(place), dg.SkipReason)


@pytest.mark.slow
def test_a_check_that_fails_keeps_the_old_file_and_shows_its_rows(place: Place) -> None:
    """The run fails; what is wrong stands beside the asset, and whoever queries notices nothing."""
    partition = {"model": "oracle", "variant": "baseline"}
    lake, path = place.data.lake, place.data.warehouse_path
    rows = lake.read("evaluation", partition)
    lake.write("evaluation", rows.with_columns(pairwise_accuracy=0.5), partition)
    before = path.read_bytes()
    error = place.make("warehouse", None, fails=True)
    assert "oracle_is_always_right" in error
    assert path.read_bytes() == before
    specs = sql_check_specs()
    found = place.instance.event_log_storage.get_latest_asset_check_execution_by_key(
        [spec.key for spec in specs]
    )
    results = {key.name: r.event.dagster_event.event_specific_data for key, r in found.items()}
    assert set(results) == {spec.name for spec in specs}
    wrong = {name for name, result in results.items() if not result.passed}
    assert "oracle_is_always_right" in wrong
    assert len(wrong) < len(results)
    told = results["oracle_is_always_right"]
    assert told.blocking
    assert told.severity == dg.AssetCheckSeverity.ERROR
    assert told.metadata["offending rows"].value == rows.height
    shown = told.metadata["first offending rows"].value
    assert sum(question in shown for question in rows["question_id"]) == 5
    assert "verification" in told.metadata["what to do"].value


def test_a_run_whose_process_is_gone_counts_as_failed(place: Place) -> None:
    """After a restart of the machine it would count as running for ever, and hold its pool."""
    here = ProcessIdentity.here()
    lost = ProcessIdentity(here.host, here.pid, here.boot, here.namespace, "1")
    dead, alive = place.queue(("qa",), "x|state"), place.queue(("qa",), "y|state")
    for run_id, process in ((dead, lost), (alive, here)):
        place.instance.add_run_tags(run_id, {PROCESS_TAG: f"{run_id} {process.encoded()}"})
    context = dg.build_sensor_context(instance=place.instance)
    assert dead in str(lost_runs(context))
    status = {r: place.instance.get_run_by_id(r).status for r in (dead, alive)}
    assert status[dead] == dg.DagsterRunStatus.FAILURE
    assert status[alive] == dg.DagsterRunStatus.NOT_STARTED


def test_a_run_on_a_machine_that_cannot_be_asked_is_lost_after_a_day(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No step takes so long; before that it may well be at work."""
    elsewhere = ProcessIdentity("elsewhere", 1, "another-boot", "1", "1")
    run_id = place.queue(("qa",), "z|state")
    place.instance.add_run_tags(run_id, {PROCESS_TAG: f"{run_id} {elsewhere.encoded()}"})
    assert mark_all_lost(place.instance) == []
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + OLD_S + 60)
    assert mark_all_lost(place.instance) == [run_id]


def test_what_was_tried_is_tried_again_after_a_day() -> None:
    a, b = Partition.of("a"), Partition.of("b")
    first = _tried(_cursor({}, {a: "x"}, 0.0), 9.0)
    cursor = _cursor(first, {a: "x", b: "y"}, 9.0)
    assert _tried(cursor, 9.0) == {("a",): ("x", 0.0), ("b",): ("y", 9.0)}
    assert set(_tried(cursor, TRY_AGAIN_S - 1)) == {("a",), ("b",)}
    assert set(_tried(cursor, TRY_AGAIN_S + 1)) == {("b",)}


def test_pools_hold_up_the_queue_and_never_a_run_in_this_process(place: Place) -> None:
    """By op, a driver would wait for ever for a place that the daemon's run holds."""
    pools = {p.name: p.limit for p in place.instance.event_log_storage.get_pool_limits()}
    assert pools == dict(LIMITS)
    config = place.instance.get_concurrency_config().pool_config
    assert config.pool_granularity.value == "run"
    place.instance.event_log_storage.set_concurrency_slots(API, 0)
    place.make("predictions", "random|baseline")
    open_instance(place.root).dispose()
    pools = {p.name: p.limit for p in place.instance.event_log_storage.get_pool_limits()}
    assert pools[API] == 0
    graph = place.repository.asset_graph
    used = {k.to_user_string(): graph.get(k).pools for k in graph.materializable_asset_keys}
    assert {asset for asset, names in used.items() if names == {RENDERER}} == {
        *("visibility", "frame_images", "clip_images", "training_statistics", "rule_effects"),
    }
    asking = {asset for asset, names in used.items() if names == {API}}
    assert asking == {"predictions", "captions", "world_filters"}


def test_one_switch_turns_on_what_makes_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening the UI on a full registry must not begin an hour of rendering."""
    from enact_assets.pipeline.dagster.automation import automation_sensor

    monkeypatch.delenv(AUTOMATE_VARIABLE, raising=False)
    assert automation_sensor().default_status == dg.DefaultSensorStatus.STOPPED
    monkeypatch.setenv(AUTOMATE_VARIABLE, "1")
    assert automation_sensor().default_status == dg.DefaultSensorStatus.RUNNING
    assert registered_partitions.default_status == dg.DefaultSensorStatus.RUNNING


def test_nothing_is_asked_for_while_a_driver_walks(place: Place) -> None:
    """Both would make the same partitions, one of them in vain. Between two steps no run is on."""
    place.change_camera(70.0)
    with only_driver(place.root):
        assert place.automated() == set()
        found = place.sensor(changed_sources, "{}")
        assert not found.run_requests
        assert "a driver is at work" in str(found.skip_reason)
        assert found.cursor == "{}"
    assert place.automated() == {("asked_questions", "aperture_80")}
    assert place.sensor(changed_sources).run_requests


def test_a_run_that_a_driver_left_behind_stops_nothing(place: Place) -> None:
    """Killed on a machine that cannot be asked, it counts as running for a day."""
    place.change_camera(70.0)
    place.queue(("visibility",), "x|state", **{"enact/trigger": "materialize"})
    assert place.automated() == {("asked_questions", "aperture_80")}


def test_an_import_that_failed_is_tried_again_after_a_day_and_not_before(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same run_key the daemon would take it for the one that it has asked for already."""
    place.change_camera(70.0)

    def key() -> str | None:
        (request,) = place.sensor(changed_sources).run_requests or []
        return request.run_key

    first = key()
    run_id = place.queue(("variant_config",), "aperture_80", **{"enact/trigger": "changed_sources"})
    other = place.queue(("variant_config",), "contact", **{"enact/trigger": "changed_sources"})
    for failed in (run_id, other):
        run = place.instance.get_run_by_id(failed)
        assert run is not None
        place.instance.report_run_failed(run)
    assert key() == first
    monkeypatch.setattr(sensors, "TRY_AGAIN_S", 0.0)
    assert key() == f"{first} after {run_id}"


def test_limits_of_pools_are_there_where_no_driver_ever_was(place: Place) -> None:
    """An instance whose settings somebody else wrote, as in a cluster, has none."""
    storage = place.instance.event_log_storage
    for pool in LIMITS:
        storage.delete_concurrency_limit(pool)
    storage.set_concurrency_slots(API, 2)
    place.sensor(registered_partitions)
    limits = {p.name: p.limit for p in storage.get_pool_limits()}
    assert limits == {**LIMITS, API: 2}
    assert json.loads(str(place.sensor(registered_partitions).cursor))


def test_answers_are_collected_while_a_batch_is_open(tmp_path: Path) -> None:
    data, root = DataResource(root=str(tmp_path)), DataRoot(tmp_path, lake_url=None)
    context = dg.build_schedule_context(resources={"data": data})
    assert isinstance(hourly_batches(context), dg.SkipReason)
    with serving() as server:
        (tmp_path / "models.yaml").write_text(
            "models:\n  seer:\n    id: chat/seer-2\n    key: ''\n"
            f"    base_url: {server.url}/v1\n    price: {{in: 1.0, out: 2.0}}\n"
            "    parameters: {max_tokens: 100}\n"
        )
        seer = data.models.find("seer")
        assert seer is not None
        budget = Budget(root.ledger, 1.0)
        submit(seer, messages(3), read_picture, root.ledger, budget=budget)
        for _ in range(2):  # the server's batch ends at the second look
            assert isinstance(hourly_batches(context), dg.RunRequest)
            with dg.instance_for_test() as instance:
                run = collect_batches.execute_in_process(
                    resources={"data": data}, instance=instance
                )
            assert run.success
    said = {a.question_id: a.text for a in read_answers(root.ledger).values()}
    assert {said[f"q{k}"] for k in range(3)} == {answer_to(f"q{k}") for k in range(3)}
    assert not ledger_folders(root.ledger)
    assert isinstance(hourly_batches(context), dg.SkipReason)
