"""Performs runs on an existing Dask cluster, each as one run of Dagster, on its workers.

Only runs and outcomes pass through the scheduler; workers write rows and pictures to the lake. This
module has the connection to the scheduler, the functions that run on workers, and the runner.
"""

import logging
import queue
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import astuple, replace
from enum import Enum
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dagster as dg

from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.engine.errors import EnactError, MaterializationError
from enact_assets.engine.progress import Progress, at_most_every
from enact_assets.pipeline.driver.agreement import (
    Accepted,
    DisagreementError,
    Terms,
    accept,
    offered_terms,
)
from enact_assets.pipeline.driver.contract import Progressed, Runner, Site, Started
from enact_assets.pipeline.driver.step_runs import execute, workplace
from enact_assets.pipeline.lineage.graph import STEP_NAMED, WHOLE
from enact_assets.pipeline.runs.lost_runs import mark_lost
from enact_assets.pipeline.runs.run import MAX_ATTEMPTS, Outcome, Run, run_id_of
from enact_assets.settings.paths import DataRoot

if TYPE_CHECKING:
    from distributed import Client, Future

REACHED_S = 15
"""Time limit for a scheduler to answer."""
CHECKED_S = 120
"""Time limit for existing workers to load everything; a busy worker is checked later."""
LOOK_EVERY_S = 1.0

_log = logging.getLogger(__name__)

NO_WORKER_S = 10.0
"""Seconds without a worker after which this is reported."""
SAID_EVERY_S = 60.0
QUIET = ("distributed.client", "tornado.application")
"""Loggers that print tracebacks of a lost connection, which the driver reports itself."""


def connected(address: str, timeout_s: float) -> "Client":
    """A client of the scheduler at ``address``.

    Errors: :class:`MaterializationError` if ``address`` is not an address, or no scheduler answers
    there.
    """
    from distributed import Client
    from distributed.security import Security

    for name in QUIET:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    _check_address(address)
    is_tls = address.startswith("tls:")
    if is_tls and Security().get_connection_args("client").get("ssl_context") is None:
        raise MaterializationError(
            f"--dask {address}: no certificates are set. Set them as deploy/README.md says under "
            "TLS."
        )
    try:
        return Client(address, timeout=timeout_s, set_as_default=False, name="enact-assets")
    except (OSError, TimeoutError, ValueError) as error:
        raise MaterializationError(
            f"--dask {address}: no Dask scheduler answers there within {timeout_s:.0f} s "
            f"({str(error) or type(error).__name__}). Check that it runs and that this machine "
            "can reach it."
        ) from error


def _check_address(address: str) -> None:
    """Refuse wrong addresses: Dask itself would start a local cluster, or retry for half a
    minute.
    """
    from distributed.comm.addressing import parse_address, parse_host_port
    from distributed.comm.registry import backends, get_backend

    try:
        scheme, place = parse_address(address, strict=True)
        get_backend(scheme)
        host, port = parse_host_port(place)
        is_one = bool(host) and 0 < port < 1 << 16 and address == address.strip()
    except (ValueError, ImportError):
        is_one = False
    if not is_one:
        known = ", ".join(sorted(backends.keys() - {"inproc"}))
        raise MaterializationError(
            f"--dask {address!r}: this is not the address of a Dask scheduler. Give protocol, "
            f"machine and port, such as tcp://host:8786 (protocols here: {known})."
        )


def why_refused(future: "Future[Any]") -> str:
    """Why a worker cannot be used."""
    error = future.exception()
    if isinstance(error, EnactError):
        return str(error)
    return f"{type(error).__name__}: {error}. Is enact_assets installed there?"


class Patience:
    """Reports that there is no worker: after some seconds, then every minute."""

    def __init__(self, client: "Client", address: str) -> None:
        self._client, self._address = client, address
        self._looked = time.monotonic()
        self._since: float | None = None
        self._said: float | None = None

    def look(self) -> Progress | None:
        """The report that is due now, or None. Call this whenever there is no event."""
        now = time.monotonic()
        if now - self._looked < NO_WORKER_S:
            return None
        last, self._looked = self._looked, now
        with suppress(OSError, TimeoutError):
            if self._client.scheduler_info(n_workers=-1)["workers"]:
                self._since = self._said = None
                return None
        if self._since is None:
            self._since = last
        if self._said is not None and now - self._said < SAID_EVERY_S:
            return None
        self._said = now
        text = f"no worker at {self._address} yet, waiting"
        return Progress(now - self._since, unit="s", text=text)


PROGRESS_EVERY_S = 0.5
GONE = "The worker that ran it is gone (killed, out of memory, machine lost?)."
_one_at_a_time = threading.Lock()
"""One run at a time per worker: a step sets the process's environment, and uses all cores
anyway.
"""


def same_terms(terms: Terms) -> Terms:
    """A task whose result all other tasks take, so that the registry is sent once to each
    worker.
    """
    return terms


def check_worker(terms: Terms) -> bool:
    """Whether this worker shares the driver's data root. Errors: as :func:`accept`."""
    with _one_at_a_time:
        return _accepted_here(terms).shares_root


def perform(terms: Terms, run: Run, topic: str, *, needs_root: bool) -> Outcome | None:
    """Perform one run; it logs ``(id, "started")`` and progress under ``topic``.

    Returns None without doing anything if the run needs the driver's data root and this worker has
    another one. Dask starts a task again if its worker dies. In that case the earlier attempt is
    first marked as failed; if it had just succeeded, its result is the outcome. A run of several
    partitions is not started again.
    """
    from distributed import get_worker

    worker = get_worker()

    def report(progress: Progress) -> None:
        worker.log_event(topic, [run.id, "progress", *astuple(progress)])

    with _one_at_a_time:
        accepted = _accepted_here(terms)
        if needs_root and not accepted.shares_root:
            return None
        site = accepted.site
        known = known_outcome(workplace(site).instance, run)
        if isinstance(known, Outcome):
            return known
        worker.log_event(topic, [run.id, "started"])
        return execute(site, known, at_most_every(PROGRESS_EVERY_S, report))


def known_outcome(instance: dg.DagsterInstance, run: Run) -> Outcome | Run:
    """The outcome of a run if it is known, else the next attempt.

    Earlier attempts that have not ended are marked as failed, as the caller replaces them.
    """
    for attempt in range(1, MAX_ATTEMPTS + 1):
        before = instance.get_run_by_id(run_id_of(run.id, attempt))
        if before is None:
            return replace(run, attempt=attempt)
        if before.is_success and not run.is_list:
            return Outcome(run, before.run_id)
        mark_lost(instance, before.run_id, GONE)
        if run.is_list:
            return Outcome(run, before.run_id, GONE)
    return Outcome(run, run_id_of(run.id, MAX_ATTEMPTS), too_many_losses())


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


class _Then(Enum):
    """Where to run a task again that has no outcome."""

    AGAIN = "on some worker"
    HERE = "in the driver"
    ELSEWHERE = "on a worker that agrees"


class DaskRunner(Runner):
    """Performs runs of ``site`` on the workers of the scheduler at ``address``.

    Workers may join and leave. If a worker dies, its run is marked as failed. A worker that joins
    later and does not agree gets no further runs. Runs that need files of the driver's data root
    are performed in this process, unless every worker is known to share it.

    Errors: :class:`MaterializationError` if no scheduler answers at ``address``, or if an existing
    worker does not agree with this process on versions, code, lake or Dagster's storage.
    """

    def __init__(self, site: Site, address: str, *, timeout_s: float = REACHED_S) -> None:
        if find_spec("distributed") is None:
            raise MaterializationError(
                "--dask needs dask.distributed: pip install 'enact_assets[distributed]'"
            )
        self._site, self._address = site, address
        self._events: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._topic = f"enact-{uuid.uuid4().hex}"
        self._shares_root: bool | None = None
        self._refused: dict[str, str] = {}
        """Address of each worker that did not agree -> reason."""
        self._bound: dict[str, frozenset[str]] = {}
        """Task -> the workers that may run it; empty while all workers agree."""
        with ExitStack() as stack:
            self._client = connected(address, timeout_s)
            stack.callback(self._client.close, timeout=5)
            terms = stack.enter_context(offered_terms(site, workplace(site).instance))
            self._client.subscribe_topic(self._topic, self._receive)
            self._terms = self._client.submit(same_terms, terms, key=f"terms-{self._topic}")
            self._check_workers(is_first=True)
            self._open = stack.pop_all()
        self._recordings = Recordings(DataRoot(site.data_root).recordings)

    def run(self, runs: Sequence[Run], started: Started, progress: Progressed) -> Iterator[Outcome]:
        """As in :class:`Runner`.

        Ctrl-C cancels runs that no worker has started; workers finish the others.
        Errors: :class:`MaterializationError` if the cluster is lost, or a worker does not agree.
        """
        needing = [run for run in runs if self._needs_root(run)]
        if needing and self._shares_root is None:
            self._check_workers()
        here = [] if self._shares_root else needing
        tasks = {run.id: run for run in runs if run not in here}
        futures = {name: self._submitted(run, 1) for name, run in tasks.items()}
        n_tried = dict.fromkeys(tasks, 1)
        n_started: set[str] = set()
        again = partial(self._submitted_elsewhere, tasks, futures, n_tried)
        patience = Patience(self._client, self._address)
        try:
            while here or futures:
                if here:
                    run = here.pop(0)
                    started(run)
                    yield execute(self._site, run, partial(progress, run))
                    continue
                name, what = self._next(patience, next(iter(futures)), again)
                if name not in futures or (what == "ended" and not futures[name].done()):
                    continue  # an old or duplicate event
                run = tasks[name]
                if isinstance(what, Progress):
                    progress(run, what)
                elif what == "started" and name not in n_started:
                    n_started.add(name)
                    started(run)
                elif what == "ended":
                    then = self._outcome(run, futures.pop(name), n_tried[name])
                    if then in (_Then.AGAIN, _Then.ELSEWHERE):
                        n_tried[name] += then is _Then.AGAIN
                        futures[name] = self._submitted(run, n_tried[name])
                    elif then is _Then.HERE:
                        here.append(run)
                    else:
                        yield then
        finally:
            # Ctrl-C, or a caller that stops iterating.
            if futures:
                with suppress(OSError, TimeoutError):
                    self._client.cancel(list(futures.values()))

    @property
    def n_workers(self) -> int:  # type: ignore[override]
        """Current number of workers, at least one."""
        return max(1, len(self._workers()))

    def close(self) -> None:
        """Close the connection; the cluster keeps running."""
        self._open.close()

    def _check_workers(self, *, is_first: bool = False) -> None:
        """Check every existing worker; workers that join later are checked with their first run.

        A worker that is not ready is an error only in the first check.
        """
        waiting = {
            worker: self._client.submit(
                check_worker, self._terms, workers=[worker], allow_other_workers=False, pure=False,
                retries=0, key=f"check-{uuid.uuid4()}",
            )
            for worker in sorted(self._workers())
        }  # fmt: skip
        asked = list(waiting.values())
        until, looked = time.monotonic() + CHECKED_S, time.monotonic()
        while waiting and time.monotonic() < until:
            time.sleep(0.05)
            if is_due := time.monotonic() - looked > LOOK_EVERY_S:
                looked = time.monotonic()
            # A worker that has left cannot be checked.
            there = self._workers() if is_due else waiting.keys()
            waiting = {w: f for w, f in waiting.items() if w in there and not f.done()}
        refused = [
            f for f in asked
            if f.status == "error" and (is_first or isinstance(f.exception(), DisagreementError))
        ]  # fmt: skip
        if not is_first:
            self._refused |= {f.exception().worker: str(f.exception()) for f in refused}
        if refused and (is_first or not self._usable()):
            why = why_refused(refused[0])
            raise MaterializationError(
                f"--dask {self._address}: {len(refused)} of {len(asked)} workers cannot be used, "
                f"first {why}"
            )
        found = [f.result() if f.status == "finished" else None for f in asked]
        if False in found:
            self._shares_root = False
        elif found and None not in found:
            self._shares_root = True
        self._client.cancel([f for f in asked if f.status == "pending"])

    def _needs_root(self, run: Run) -> bool:
        """Whether a step reads or writes files outside of the lake and the pictures."""
        inputs = {i.asset for i in STEP_NAMED[run.step].inputs}
        if run.step in WHOLE or "question_source" in inputs:
            return True
        if "recorded_variant" in inputs:
            return bool(self._recordings.names())
        # It is the first name of a two-dimensional partition.
        return "recording" in inputs and any(self._recordings.has(p[0]) for p in run.partitions)

    def _submitted(self, run: Run, n: int) -> "Future[Outcome | None]":
        usable = self._usable() if self._refused else frozenset[str]()
        self._bound[run.id] = usable
        future = self._client.submit(
            perform, self._terms, run, self._topic, needs_root=self._needs_root(run),
            key=f"{run.step}-{run.id}-{n}-{uuid.uuid4().hex[:6]}", pure=False, retries=0,
            workers=sorted(usable) or None,
        )  # fmt: skip
        future.add_done_callback(lambda _future: self._events.put((run.id, "ended")))
        return future

    def _usable(self) -> frozenset[str]:
        """Addresses of the workers that agree."""
        return self._workers() - self._refused.keys()

    def _workers(self) -> frozenset[str]:
        """Addresses of the scheduler's current workers. Errors: as :meth:`_lost`."""
        try:
            return frozenset(self._client.scheduler_info(n_workers=-1)["workers"])
        except (OSError, TimeoutError):
            raise self._lost() from None

    def _submitted_elsewhere(
        self,
        tasks: Mapping[str, Run],
        futures: dict[str, "Future[Outcome | None]"],
        n_tried: Mapping[str, int],
    ) -> None:
        """Submit tasks again whose permitted workers have all left.

        Other workers may have joined. If all remaining workers were refused, one of them reports
        the reason again.
        """
        usable = self._usable() if self._refused else frozenset[str]()
        for name in [n for n in futures if self._bound[n]]:
            if self._bound[name].isdisjoint(usable) and not futures[name].done():
                before = futures[name]
                futures[name] = self._submitted(tasks[name], n_tried[name])
                self._client.cancel([before])

    def _receive(self, event: tuple[float, Any]) -> None:
        """Receive an event; Dask's client calls this in its thread."""
        name, what, *values = event[1]
        self._events.put((name, Progress(*values) if what == "progress" else what))

    def _next(self, patience: Patience, waiting: str, look: Callable[[], None]) -> tuple[str, Any]:
        """The next event; ``waiting`` is the task under which a missing worker is reported.
        ``look`` is called while there is no event.
        """
        while True:
            try:
                return self._events.get(timeout=LOOK_EVERY_S)
            except queue.Empty:
                if self._client.status != "running":
                    raise self._lost() from None
                look()
            if (message := patience.look()) is not None:
                return waiting, message

    def _outcome(self, run: Run, future: "Future[Outcome | None]", n_tried: int) -> Outcome | _Then:
        """Outcome of a task that ended, or where to run it again."""
        from distributed import KilledWorker

        if future.status == "cancelled":
            raise self._lost()
        if future.status == "finished":
            result: Outcome | None = future.result()
            if result is None:
                self._shares_root = False  # a worker with another data root has joined
                return _Then.HERE
            return result
        error = future.exception()
        if isinstance(error, DisagreementError):
            self._refused[error.worker] = str(error)
            if self._usable():
                _log.warning("--dask %s: a worker gets no further steps: %s", self._address, error)
                return _Then.ELSEWHERE
            raise MaterializationError(f"--dask {self._address}: {error}")
        if isinstance(error, KilledWorker):
            why = too_many_losses()
        else:
            why = (
                str(error) if isinstance(error, EnactError) else f"{type(error).__name__}: {error}"
            )
        # Dask also counts deaths of workers on which this run had not started.
        known = known_outcome(workplace(self._site).instance, run)
        if isinstance(known, Outcome):
            return known if known.error is None or known.broke_off else Outcome(run, None, why)
        return Outcome(run, None, why) if n_tried >= MAX_ATTEMPTS else _Then.AGAIN

    def _lost(self) -> MaterializationError:
        return MaterializationError(
            f"--dask {self._address}: the cluster is gone or dropped its tasks. What was finished "
            "is kept; run the same command again."
        )
