"""Runs whose process died, which Dagster would otherwise show as started forever."""

import time

import dagster as dg

from enact_assets.engine.system.process_identity import ProcessIdentity
from enact_assets.pipeline.runs.running import unfinished_runs

PROCESS_TAG = ".dagster/enact_process"
"""Run id and process. Dagster hides tags that begin so; it copies them to retries, too."""
OLD_S = 24 * 3600.0
"""A run on a machine that cannot be asked counts as lost after this: no step takes that long."""
NOTHING_HALF = "Nothing incomplete was published."


def process_tags(run_id: str) -> dict[str, str]:
    """Tags by which the process of run ``run_id`` is found again, or found to be gone."""
    return {PROCESS_TAG: f"{run_id} {ProcessIdentity.here().encoded()}"}


def process_of(run: dg.DagsterRun) -> ProcessIdentity | None:
    """The process of ``run``; None if it has no tag, or the tag of the run it repeats."""
    run_id, _, process = run.tags.get(PROCESS_TAG, "").partition(" ")
    return ProcessIdentity.decoded(process) if run_id == run.run_id else None


def note_process(context: dg.AssetExecutionContext) -> None:
    """Tag a run with the process that works at it, whatever it was tagged with before."""
    context.instance.add_run_tags(context.run.run_id, process_tags(context.run.run_id))


def mark_lost(instance: dg.DagsterInstance, run_id: str, why: str) -> bool:
    """Mark a run failed unless it ended by itself, and give back what it held; whether it was."""
    run = instance.get_run_by_id(run_id)
    if run is None or run.is_finished:
        return False
    instance.report_run_failed(run, f"{why} {NOTHING_HALF}")
    _give_back(instance, run_id)
    return True


def mark_stopped(instance: dg.DagsterInstance, run_id: str) -> bool:
    """Mark a run canceled unless it ended by itself, and give back what it held; whether it was."""
    run = instance.get_run_by_id(run_id)
    if run is None or run.is_finished:
        return False
    instance.report_run_canceled(run, f"Stopped by its driver or user. {NOTHING_HALF}")
    _give_back(instance, run_id)
    return True


def mark_all_lost(instance: dg.DagsterInstance) -> list[str]:
    """Mark failed every unfinished run whose process is gone; their ids.

    Only runs that carry :func:`process_tags`; Dagster finds those that never got a process. Of
    processes on other machines cannot be checked from here: their runs are left for a day.
    """
    marked = []
    for run in unfinished_runs(instance):
        process = process_of(run)
        if process is None:
            continue
        is_gone = process.is_gone()
        if is_gone is None:
            is_gone = _age_s(instance, run.run_id) > OLD_S
        why = f"{process} ended unexpectedly (killed, out of memory, machine restarted?)."
        if is_gone and mark_lost(instance, run.run_id, why):
            marked.append(run.run_id)
    return marked


def _age_s(instance: dg.DagsterInstance, run_id: str) -> float:
    record = instance.get_run_record_by_id(run_id)
    return time.time() - record.create_timestamp.timestamp() if record is not None else 0.0


def _give_back(instance: dg.DagsterInstance, run_id: str) -> None:
    """Places in pools."""
    if instance.event_log_storage.supports_global_concurrency_limits:
        instance.event_log_storage.free_concurrency_slots_for_run(run_id)
