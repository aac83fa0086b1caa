"""Finds runs whose process died; otherwise Dagster would show them as started forever."""

import time
from collections.abc import Callable

import dagster as dg

from enact_assets.engine.system.process_identity import ProcessIdentity
from enact_assets.pipeline.runs.running import unfinished_runs

PROCESS_TAG = ".dagster/enact_process"
"""Tag with run id and process. Dagster hides tags that begin with a dot, and copies them to
retries.
"""
OLD_S = 24 * 3600.0
"""After this time a run on another machine counts as lost: no step takes that long."""
NOTHING_HALF = "Nothing incomplete was published."


def process_tags(run_id: str) -> dict[str, str]:
    """Tags that identify the process of run ``run_id``."""
    return {PROCESS_TAG: f"{run_id} {ProcessIdentity.here().encoded()}"}


def process_of(run: dg.DagsterRun) -> ProcessIdentity | None:
    """The process of ``run``; None if it has no tag, or only the tag copied from the run it
    repeats.
    """
    run_id, _, process = run.tags.get(PROCESS_TAG, "").partition(" ")
    return ProcessIdentity.decoded(process) if run_id == run.run_id else None


def note_process(context: dg.AssetExecutionContext) -> None:
    """Tag a run with its process, replacing an earlier tag."""
    context.instance.add_run_tags(context.run.run_id, process_tags(context.run.run_id))


def mark_lost(instance: dg.DagsterInstance, run_id: str, why: str) -> bool:
    """Mark a run as failed and release its slots in pools, unless it has ended; returns whether it
    was marked.
    """
    return _mark(instance, run_id, why, instance.report_run_failed)


def mark_stopped(instance: dg.DagsterInstance, run_id: str) -> bool:
    """As :func:`mark_lost`, but as canceled."""
    why = "Stopped by its driver or user."
    return _mark(instance, run_id, why, instance.report_run_canceled)


def _mark(
    instance: dg.DagsterInstance,
    run_id: str,
    why: str,
    report: Callable[[dg.DagsterRun, str], object],
) -> bool:
    run = instance.get_run_by_id(run_id)
    if run is None or run.is_finished:
        return False
    report(run, f"{why} {NOTHING_HALF}")
    if instance.event_log_storage.supports_global_concurrency_limits:
        instance.event_log_storage.free_concurrency_slots_for_run(run_id)
    return True


def mark_all_lost(instance: dg.DagsterInstance) -> list[str]:
    """Mark every unfinished run as failed whose process is gone; returns their ids.

    Only runs with :func:`process_tags` are checked; Dagster finds runs that never got a process.
    Processes on other machines cannot be checked from here, so their runs are left for a day.
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
