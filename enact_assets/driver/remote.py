"""Code that runs on the workers of a Dask cluster, in one of their threads."""

import threading
from dataclasses import replace
from pathlib import Path

import dagster as dg

from enact_assets.driver.agreement import Accepted, DisagreementError, Terms, accept
from enact_assets.driver.contract import MAX_ATTEMPTS, Outcome, StepRun, run_id_of
from enact_assets.driver.step_runs import execute, workplace
from enact_assets.driver.worker import Throttle
from enact_assets.runs.lost_runs import mark_lost
from enact_assets.runs.progress import Progress

PROGRESS_EVERY_S = 0.5
GONE = "The worker that ran it is gone (killed, out of memory, machine lost?)."
_one_at_a_time = threading.Lock()
"""A step sets the process's environment, and keeps its cores busy anyway."""


def same_terms(terms: Terms) -> Terms:
    """A task of which all others take the result: the registry goes once to each worker."""
    return terms


def check_worker(terms: Terms) -> bool:
    """Whether this worker shares the driver's data root. Errors: as :func:`accept`."""
    with _one_at_a_time:
        return _accepted_here(terms).shares_root


def run_step(
    terms: Terms, run: StepRun, task: str, topic: str, *, needs_root: bool
) -> Outcome | None:
    """Run one step; it logs ``(task, "started")`` and progress under ``topic``.

    None, and nothing is done, if the step needs the driver's data root and this worker has another.
    Dask begins a task again if its worker dies. Then the run of the one before is marked failed
    first; if it had just succeeded, that is the outcome.
    """
    from distributed import get_worker

    worker = get_worker()
    throttle = Throttle(PROGRESS_EVERY_S)

    def tell(progress: Progress) -> None:
        if throttle.passes(progress):
            fields = (progress.text, progress.done, progress.total, progress.unit, progress.free)
            worker.log_event(topic, [task, "progress", *fields])

    with _one_at_a_time:
        accepted = _accepted_here(terms)
        if needs_root and not accepted.shares_root:
            return None
        site = accepted.site
        ended, attempt = next_attempt(workplace(site).instance, task)
        if ended is not None:
            return Outcome(run, ended, None, 0.0)
        if attempt > MAX_ATTEMPTS:
            return Outcome(run, run_id_of(task, MAX_ATTEMPTS), too_many_losses(), 0.0)
        worker.log_event(topic, [task, "started"])
        run = replace(run, is_again=attempt > 1)
        return execute(site, run, tell, run_id=run_id_of(task, attempt))


def next_attempt(instance: dg.DagsterInstance, task: str) -> tuple[str | None, int]:
    """Id of a run of ``task`` that succeeded, if one did; and the number of the next attempt.

    Runs that were begun and have not ended are marked failed: the caller is their successor.
    """
    for attempt in range(1, MAX_ATTEMPTS + 1):
        run = instance.get_run_by_id(run_id_of(task, attempt))
        if run is None:
            return None, attempt
        if run.is_success:
            return run.run_id, attempt
        mark_lost(instance, run.run_id, GONE)
    return None, MAX_ATTEMPTS + 1


def too_many_losses() -> str:
    """The message for a step whose every worker died."""
    return (
        f"{MAX_ATTEMPTS} workers died one after the other while making it. Out of memory? Give "
        "workers more memory, and read their logs. Nothing incomplete was published."
    )


def _accepted_here(terms: Terms) -> Accepted:
    from distributed import get_worker

    worker = get_worker()
    try:
        return accept(terms, Path(worker.local_directory))
    except DisagreementError as error:
        error.worker = worker.address
        raise
