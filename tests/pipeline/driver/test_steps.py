"""One step in this process: what Dagster is told of it, what people are told, what is kept."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster._core.definitions.job_base import InMemoryJob
from dagster._core.execution.api import execute_run
from dagster._core.execution.plan.resume_retry import ReexecutionStrategy
from dagster._core.test_utils import in_process_test_workspace
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin
from small_sites import WaitingStep, empty_site, outcomes, trivial

from enact_assets.engine.grids import Partition
from enact_assets.engine.system.process_identity import ProcessIdentity
from enact_assets.engine.system.worker_process import STOPPING
from enact_assets.pipeline.driver.contract import Site
from enact_assets.pipeline.driver.interrupts import calling_on_signal, no_interrupt_is_lost
from enact_assets.pipeline.driver.step_runs import InProcessRunner, leave, registry_file, workplace
from enact_assets.pipeline.runs.code_location import job_origin
from enact_assets.pipeline.runs.lost_runs import (
    PROCESS_TAG,
    mark_all_lost,
    note_process,
    process_of,
)
from enact_assets.pipeline.runs.run import Run, run_id_of
from enact_assets.settings.registry import load_registry

OVERHEAD_S = 0.15
"""Issue: orchestration per partition step."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    yield empty_site(tmp_path_factory.mktemp("site"))
    leave()


@pytest.fixture
def instance(site: Site) -> dg.DagsterInstance:
    return workplace(site).instance


def test_a_step_is_a_run_with_its_partition_tags_and_assets(
    site: Site, instance: dg.DagsterInstance
) -> None:
    """A run without them would be nowhere to be found in the UI."""
    (made,) = outcomes(InProcessRunner(site), *trivial("high"))
    assert made.error is None
    run = instance.get_run_by_id(str(made.run_id))
    assert run is not None
    assert run.status == dg.DagsterRunStatus.SUCCESS
    assert run.tags["dagster/partition"] == "high"
    assert run.tags["enact/why"] == "variant_config: a test"
    assert run.asset_selection == {dg.AssetKey("variant_config")}
    assert run.remote_job_origin == job_origin("refresh_variant_config")
    assert run.job_name == "refresh_variant_config"
    assert process_of(run) == ProcessIdentity.here()
    event = instance.get_latest_materialization_event(dg.AssetKey("variant_config"))
    assert event is not None
    assert event.run_id == made.run_id


def test_a_step_costs_little(site: Site) -> None:
    """Connections of Dagster's own cost three times the step; CPU time, as others are at work."""
    runner = InProcessRunner(site)
    outcomes(runner, *trivial("high"))
    began = time.process_time()
    outcomes(runner, *trivial("high", "low", "fisheye", "high", "low"))
    assert (time.process_time() - began) / 5 < OVERHEAD_S


def test_what_went_wrong_is_told_and_the_others_go_on(
    site: Site, instance: dg.DagsterInstance
) -> None:
    """A foreign error beside the run (no such partition) must not end the walk."""
    instance.add_dynamic_partitions("question_file", ["absent"])
    runs = [
        *trivial("nobody"),
        Run("official_questions", (Partition.of("absent"),), ("a test",)),
        *trivial("low"),
    ]
    unknown, failed, made = outcomes(InProcessRunner(site), *runs)
    assert "nobody" in str(unknown.error)
    assert str(failed.error).startswith(str(site.data_root)), "our own error, as it was raised"
    assert "absent.jsonl" in str(failed.error)
    assert made.error is None
    run = instance.get_run_by_id(str(failed.run_id))
    assert run is not None
    assert run.status == dg.DagsterRunStatus.FAILURE
    assert run.tags["enact/why"].endswith(f"It failed: {failed.error}")
    assert run.tags["dagster/max_retries"] == "0", "the next walk makes it"
    [event] = instance.all_logs(run.run_id, of_type=dg.DagsterEventType.STEP_FAILURE)
    assert event.dagster_event is not None
    shown = event.dagster_event.step_failure_data.error
    assert shown is not None
    assert shown.message == f"dagster._core.definitions.events.Failure: {failed.error}\n"
    assert shown.cause is not None, "the stack trace of the error itself"


def test_steps_see_the_registry_of_the_site_and_nobody_else_does(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edit of the file during a walk would give rows of two registries."""
    entries = yaml.safe_load(site.registry_text)
    entries["variants"]["of_the_site"] = {"camera": {"height_offset_m": 0.123}}
    other = replace(site, registry_text=yaml.safe_dump(entries))
    monkeypatch.setenv("ENACT_REGISTRY", "/nowhere.yaml")
    (made,) = outcomes(InProcessRunner(other), *trivial("of_the_site"))
    assert made.error is None
    assert os.environ["ENACT_REGISTRY"] == "/nowhere.yaml"
    assert "ENACT_LAKE" not in os.environ


def test_the_copy_of_the_registry_has_the_name_of_the_users_file(site: Site) -> None:
    """The report named a hash, in which nobody recognised the file."""
    mine = registry_file(replace(site, registry_name="mine.yaml"))
    assert mine.name == "mine.yaml"
    assert mine.read_text("utf-8") == site.registry_text
    other = replace(site, registry_name="mine.yaml", registry_text=f"{site.registry_text}# other")
    assert registry_file(other) != mine


def test_the_copy_of_the_registry_has_the_prompts_that_it_names(site: Site, tmp_path: Path) -> None:
    """Steps read the copy: without its files no variant with prompts could be made."""
    entries = yaml.safe_load(site.registry_text)
    entries["variants"]["as_published"] = {"prompts": "words"}
    files = tuple((f"words/{kind}.txt", f"{kind} {{actions}}") for kind in ("forward", "inverse"))
    with_files = replace(site, registry_text=yaml.safe_dump(entries), beside_it=files)
    prompts = load_registry(registry_file(with_files)).variant("as_published").prompts
    assert prompts is not None
    assert prompts.forward == "forward {actions}"
    edited = replace(with_files, beside_it=(files[0], ("words/inverse.txt", "{actions}")))
    assert registry_file(edited) != registry_file(with_files)
    assert edited.sha != with_files.sha


def test_rows_land_in_the_lake_of_the_site(
    site: Site, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    """A walk with ``ENACT_LAKE`` would write below the data root, where nobody looks."""
    waiting = WaitingStep(site)
    waiting.let_go()
    other = replace(site, lake_url=str(tmp_path / "shared"))
    (made,) = outcomes(InProcessRunner(other), waiting.run)
    assert made.error is None
    assert list((tmp_path / "shared").rglob("*.parquet"))
    assert not list(site.data_root.rglob("*.parquet"))


def test_runs_of_one_task_have_ids_that_everybody_can_work_out() -> None:
    task = "6f0d3a4e-0b53-4b8f-9e0a-3a1f6a2b7c11"
    assert run_id_of(task, 1) == run_id_of(task, 1) != run_id_of(task, 2)


def test_an_interrupt_that_dagster_swallows_still_stops() -> None:
    """Its handler drops what arrives while a run is written down: most of a short step."""
    before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        with pytest.raises(KeyboardInterrupt), no_interrupt_is_lost():
            os.kill(os.getpid(), signal.SIGINT)
        with no_interrupt_is_lost():
            pass
    finally:
        signal.signal(signal.SIGINT, before)


def _wait_amid_a_signal(number: int, told: threading.Event) -> None:
    with no_interrupt_is_lost():
        os.kill(os.getpid(), number)
        told.wait(10.0)


def test_a_stop_is_told_before_the_main_thread_gets_to_it() -> None:
    """The handler, Dagster's or ours, waits for the end of a picture; people pressed keys again."""
    told = threading.Event()
    before = {number: signal.signal(number, lambda *_: None) for number in STOPPING}
    try:
        for number in STOPPING:
            told.clear()
            with calling_on_signal(told.set):
                with pytest.raises(KeyboardInterrupt):
                    _wait_amid_a_signal(number, told)
                assert told.is_set()
                with no_interrupt_is_lost():
                    pass
        told.clear()
        with calling_on_signal(told.set), no_interrupt_is_lost():
            pass
        assert not told.is_set()
        assert signal.set_wakeup_fd(-1) == -1, "what others listen to is as it was"
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_runs_of_processes_that_are_gone_are_marked_and_others_are_not(
    instance: dg.DagsterInstance,
) -> None:
    """A killed driver's run would be in progress for ever, and hold its place in a pool."""
    here = ProcessIdentity.here()
    processes = {
        "gone": replace(here, started="1").encoded(),
        "rebooted": replace(here, boot="another", pid=1).encoded(),
        "alive": here.encoded(),
        "elsewhere": replace(here, host="elsewhere", boot="another").encoded(),
        "of the UI": "",
    }
    runs = {
        name: instance.create_run_for_job(
            dg.JobDefinition(graph_def=dg.GraphDefinition("empty"), name="empty"),
            status=dg.DagsterRunStatus.STARTED,
        ).run_id
        for name in processes
    }
    for name, process in processes.items():
        if process:
            instance.add_run_tags(runs[name], {PROCESS_TAG: f"{runs[name]} {process}"})
    assert set(mark_all_lost(instance)) == {runs["gone"], runs["rebooted"]}
    assert mark_all_lost(instance) == []
    for name, run_id in runs.items():
        run = instance.get_run_by_id(run_id)
        assert run is not None
        assert run.is_finished == (name in ("gone", "rebooted")), name


@dg.asset
def noting(context: dg.AssetExecutionContext) -> None:
    """As each step of ours does."""
    assert mark_all_lost(context.instance) == []
    note_process(context)
    assert mark_all_lost(context.instance) == []


def definitions_of_noting() -> dg.Definitions:
    return dg.Definitions([noting], executor=dg.in_process_executor)


def test_a_retry_is_not_taken_for_the_run_it_repeats(
    instance: dg.DagsterInstance,
) -> None:
    """Dagster gives a retry all tags of the run that died; it waits, and works, in good health."""
    origin = LoadableTargetOrigin(python_file=__file__, attribute="definitions_of_noting")
    job = definitions_of_noting().resolve_implicit_global_asset_job_def()
    died = instance.create_run_for_job(job)
    gone = replace(ProcessIdentity.here(), started="1")
    instance.add_run_tags(died.run_id, {PROCESS_TAG: f"{died.run_id} {gone.encoded()}"})
    assert mark_all_lost(instance) == [died.run_id]
    parent = instance.get_run_by_id(died.run_id)
    assert parent is not None
    with in_process_test_workspace(instance, origin) as workspace:
        (location,) = workspace.code_locations
        (repository,) = location.get_repositories().values()
        retry = instance.create_reexecuted_run(
            request_context=workspace,
            parent_run=parent,
            code_location=location,
            remote_job=repository.get_full_job(job.name),
            strategy=ReexecutionStrategy.ALL_STEPS,
            use_parent_run_tags=True,
        )
    assert retry.tags[PROCESS_TAG] == parent.tags[PROCESS_TAG]
    assert mark_all_lost(instance) == []
    assert execute_run(InMemoryJob(job), retry, instance, raise_on_error=True).success
    done = instance.get_run_by_id(retry.run_id)
    assert done is not None
    assert process_of(done) == ProcessIdentity.here()
