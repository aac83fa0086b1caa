"""What the daemon must not ask for: what a driver does, what is not loaded, what just failed."""

import json
from datetime import UTC, datetime

import dagster as dg
import pytest
import yaml
from daemon_places import Place
from dagster._core.definitions.schedule_definition import ScheduleExecutionData

from enact_assets.pipeline.dagster import sensors
from enact_assets.pipeline.dagster.schedules import nightly
from enact_assets.pipeline.dagster.sensors import changed_sources, registered_partitions
from enact_assets.pipeline.runs.driver_lock import only_driver
from enact_assets.pipeline.runs.pools import API, LIMITS

pytestmark = pytest.mark.slow

NIGHT = datetime(2026, 11, 20, 3, tzinfo=UTC)


def night(place: Place) -> ScheduleExecutionData:
    """What the daemon gets from the schedule, with everything that Dagster checks of it."""
    with dg.build_schedule_context(
        instance=place.instance,
        resources={"data": place.data},
        repository_def=place.repository,
        scheduled_execution_time=NIGHT,
    ) as context:
        return nightly.evaluate_tick(context)


def test_nothing_is_asked_for_while_a_driver_walks(place: Place) -> None:
    """Both would make the same partitions, one of them in vain. Between two steps no run is on."""
    place.change_camera(70.0)
    with only_driver(place.root):
        assert place.automated() == set()
        assert night(place).run_requests == []
        assert "skipped: a driver is at work and does both (process" in str(
            night(place).skip_message
        )
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
    assert night(place).run_requests


def test_a_variant_that_is_not_loaded_yet_leaves_the_night_to_the_others(place: Place) -> None:
    """Dagster refuses the whole tick for one partition that it does not know."""
    entries = yaml.safe_load(place.registry_file.read_text())
    entries["variants"]["aperture_50"] = {**entries["variants"]["aperture_80"]}
    entries["gatings"]["contact_too"] = entries["gatings"]["contact"]
    place.registry_file.write_text(yaml.safe_dump(entries))
    place.change_camera(70.0)
    asked = [(r.asset_selection[0].to_user_string(), r.partition_key)
             for r in night(place).run_requests or ()]  # fmt: skip
    assert asked == [("variant_config", "aperture_80"), ("warehouse", None)]


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
