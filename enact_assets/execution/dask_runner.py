"""Steps on a Dask cluster that exists already: one Dagster run per partition, on its workers.

Only orders and outcomes go through the scheduler; rows and pictures go from the workers to the
lake.
"""

import queue
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from enact_assets.contracts.errors import EnactError, MaterializationError
from enact_assets.contracts.lineage import STEP_NAMED, WAREHOUSE
from enact_assets.defs.progress import Progress
from enact_assets.execution.agreement import offered_terms
from enact_assets.execution.contract import (
    MAX_ATTEMPTS,
    Outcome,
    Progressed,
    Site,
    Started,
    StepRun,
)
from enact_assets.execution.remote import (
    check_worker,
    next_attempt,
    run_step,
    same_terms,
    too_many_losses,
)
from enact_assets.execution.steps import execute, workplace
from enact_assets.storage.paths import DataRoot
from enact_assets.storage.recordings import Recordings

if TYPE_CHECKING:
    from distributed import Client, Future

REACHED_S = 15
"""So long a scheduler may take to answer."""
CHECKED_S = 120
"""So long workers that are there may take to load everything; a busy one is checked later."""
LOOK_EVERY_S = 1.0


class DaskRunner:
    """Runs steps of ``site`` on the workers of the scheduler at ``address``.

    Workers may come and go. One that dies takes its step along: its run is marked failed, and the
    step is tried again on another, so often in all. Steps that read or write what only the driver's
    data root has run in this process, if the workers do not share it.

    Errors: :class:`MaterializationError` if nobody answers at ``address``, or a worker that is
    there does not agree with this process on versions, code, lake or Dagster's storage.
    """

    def __init__(self, site: Site, address: str, *, timeout_s: float = REACHED_S) -> None:
        if find_spec("distributed") is None:
            raise MaterializationError(
                "--dask needs dask.distributed: pip install 'enact_assets[distributed]'"
            )
        self._site, self._address = site, address
        self._heard: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._topic = f"enact-{uuid.uuid4().hex}"
        self._shares_root = True
        with ExitStack() as stack:
            self._client = _connected(address, timeout_s)
            stack.callback(self._client.close, timeout=5)
            terms = stack.enter_context(offered_terms(site, workplace(site).instance))
            self._client.subscribe_topic(self._topic, self._hear)
            self._terms = self._client.submit(same_terms, terms, key=f"terms-{self._topic}")
            self._check_workers()
            self._open = stack.pop_all()
        self._recordings = Recordings(DataRoot(site.data_root).recordings)

    def run(
        self, runs: Sequence[StepRun], started: Started, progress: Progressed
    ) -> Iterator[Outcome]:
        """As in :class:`Runner`.

        Ctrl-C takes back what no worker has begun; what one has begun it finishes.
        Errors: :class:`MaterializationError` if the cluster is lost, or a worker does not agree.
        """
        here = [run for run in runs if not self._shares_root and self._needs_root(run)]
        tasks = {str(uuid.uuid4()): run for run in runs if run not in here}
        futures = {name: self._submitted(name, run, 1) for name, run in tasks.items()}
        n_tried = dict.fromkeys(tasks, 1)
        n_started: set[str] = set()
        try:
            for run in here:
                started(run)
                yield execute(self._site, run, partial(progress, run))
            while futures:
                name, what = self._next()
                if name not in futures:
                    continue  # of an earlier stage, or told twice
                run = tasks[name]
                if isinstance(what, Progress):
                    progress(run, what)
                elif what == "started":
                    if name not in n_started:
                        n_started.add(name)
                        started(run)
                else:
                    outcome = self._outcome(name, run, futures.pop(name), n_tried[name])
                    if outcome is not None:
                        yield outcome
                    else:
                        n_tried[name] += 1
                        futures[name] = self._submitted(name, run, n_tried[name])
        finally:
            # Ctrl-C, or a caller that stops iterating.
            if futures:
                with suppress(OSError, TimeoutError):
                    self._client.cancel(list(futures.values()))

    def close(self) -> None:
        """Leave the cluster as it was."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _check_workers(self) -> None:
        """Ask every worker that is there; those that come later are asked with their first step."""
        workers = list(self._client.scheduler_info(n_workers=-1)["workers"])
        asked = [
            self._client.submit(
                check_worker, self._terms, workers=[worker], allow_other_workers=False, pure=False,
                retries=0, key=f"check-{uuid.uuid4()}",
            )
            for worker in workers
        ]  # fmt: skip
        until = time.monotonic() + CHECKED_S
        while any(not f.done() for f in asked) and time.monotonic() < until:
            time.sleep(0.05)
        refused = [f for f in asked if f.status == "error"]
        if refused:
            why = _why(refused[0])
            raise MaterializationError(
                f"--dask {self._address}: {len(refused)} of {len(asked)} workers cannot be used, "
                f"first {why}"
            )
        self._shares_root = all(f.result() for f in asked if f.status == "finished")
        self._client.cancel([f for f in asked if f.status == "pending"])

    def _needs_root(self, run: StepRun) -> bool:
        """Whether a step reads or writes what is neither in the lake nor among the pictures."""
        inputs = {i.asset for i in STEP_NAMED[run.step].inputs}
        if run.step == WAREHOUSE or "question_source" in inputs:
            return True
        if "recorded_variant" in inputs:
            return bool(self._recordings.names())
        # Of a two-dimensional partition it is the first.
        demonstration = (run.partition or "").partition("|")[0]
        return "recording" in inputs and self._recordings.has(demonstration)

    def _submitted(self, name: str, run: StepRun, n: int) -> "Future[Outcome]":
        future = self._client.submit(
            run_step, self._terms, run, name, self._topic,
            key=f"{run.step}-{name}-{n}", pure=False, retries=0,
        )  # fmt: skip
        future.add_done_callback(lambda _future: self._heard.put((name, "ended")))
        return future

    def _hear(self, event: tuple[float, Any]) -> None:
        """Called by Dask's client, in its thread."""
        name, what, *values = event[1]
        self._heard.put((name, Progress(*values) if what == "progress" else what))

    def _next(self) -> tuple[str, Any]:
        while True:
            try:
                return self._heard.get(timeout=LOOK_EVERY_S)
            except queue.Empty:
                if self._client.status != "running":
                    raise self._lost() from None

    def _outcome(
        self, name: str, run: StepRun, future: "Future[Outcome]", n_tried: int
    ) -> Outcome | None:
        """What came of a task that ended; None if it is to be tried again."""
        from distributed import KilledWorker

        if future.status == "cancelled":
            raise self._lost()
        if future.status == "finished":
            result: Outcome = future.result()
            return result
        error = future.exception()
        if isinstance(error, EnactError):
            raise MaterializationError(f"--dask {self._address}: {error}")
        if not isinstance(error, KilledWorker):
            return Outcome(run, None, f"{type(error).__name__}: {error}", 0.0)
        # Dask also counts deaths of workers at which this step only waited.
        ended, attempt = next_attempt(workplace(self._site).instance, name)
        if ended is not None:
            return Outcome(run, ended, None, 0.0)
        if attempt > MAX_ATTEMPTS or n_tried >= MAX_ATTEMPTS:
            return Outcome(run, None, too_many_losses(), 0.0)
        return None

    def _lost(self) -> MaterializationError:
        return MaterializationError(
            f"--dask {self._address}: the cluster is gone, or dropped what it was given. What was "
            "finished is kept: run the same command again."
        )


def _connected(address: str, timeout_s: float) -> "Client":
    from distributed import Client

    try:
        return Client(address, timeout=timeout_s, set_as_default=False, name="enact-assets")
    except (OSError, TimeoutError, ValueError) as error:
        raise MaterializationError(
            f"--dask {address}: no Dask scheduler answers there within {timeout_s:.0f} s "
            f"({str(error) or type(error).__name__}). Is it running, and may this machine reach it?"
        ) from error


def _why(future: "Future[Any]") -> str:
    error = future.exception()
    if isinstance(error, EnactError):
        return str(error)
    return f"{type(error).__name__}: {error}. Is enact_assets installed there?"
