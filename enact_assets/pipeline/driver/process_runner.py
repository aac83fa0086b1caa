"""Performs runs in worker processes of this machine, which are reused between runs."""

import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from enact_assets.engine.errors import MaterializationError
from enact_assets.engine.progress import Progress
from enact_assets.engine.system.contexts import having
from enact_assets.pipeline.driver.contract import Progressed, Runner, Site, Started
from enact_assets.pipeline.driver.worker import Message, Ready, Unusable, work
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.pipeline.runs.lost_runs import mark_lost, mark_stopped
from enact_assets.pipeline.runs.run import MAX_ATTEMPTS, Outcome, Run

STOP_S = 3.0
"""Time limit for a worker to clean up; then it is killed."""
MAX_STILLBORN = 3
"""How many processes in a row may end during their start before no more are started."""
THREADS = ("POLARS_MAX_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class Worker:
    """A worker process and its current run."""

    def __init__(self, site: Site, threads: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(
            target=work, args=(theirs, site), name="enact-step"
        )
        self.run: Run | None = None
        self.is_ready = False
        self._began = time.monotonic()
        # Of a number of cores, unless the environment sets one.
        with having({name: str(threads) for name in THREADS if name not in os.environ}):
            self.process.start()
        theirs.close()

    def give(self, run: Run) -> bool:
        """Send ``run`` to the process; False if the process has ended."""
        try:
            self.connection.send(run)
        except (BrokenPipeError, ConnectionResetError):
            return False
        self.run, self._began = run, time.monotonic()
        return True

    def ask_to_end(self) -> None:
        """Interrupt the process if it is busy."""
        if self.run is not None:
            self.process.terminate()
            return
        with suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send(None)

    def received(self) -> "Message | None":
        """The next message of the process; None if it has ended."""
        try:
            message: Message = self.connection.recv()
        except (EOFError, ConnectionResetError):
            return None
        return message

    def seconds(self) -> float:
        """Seconds since the process got its run."""
        return time.monotonic() - self._began

    def how_it_ended(self) -> str:
        """Why the process closed its connection, as far as the system reports it."""
        self.process.join(STOP_S)
        code = self.process.exitcode
        if code is None:
            return "it stopped answering"
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


class ProcessRunner(Runner):
    """Performs runs of ``site`` in up to ``n`` processes, started when needed, kept until closed.

    If a process dies, its run is marked as failed.
    """

    def __init__(self, site: Site, n: int) -> None:
        if n < 1:
            raise MaterializationError(f"--workers must be at least 1, not {n}")
        self._site = site
        self.n_workers = n
        self._workers: list[Worker] = []
        self._n_stillborn = 0
        # This also creates the database files, before several processes would do so at the same
        # time.
        self._instance = open_instance(site.data_root)

    def run(self, runs: Sequence[Run], started: Started, progress: Progressed) -> Iterator[Outcome]:
        """As in :class:`Runner`.

        Errors: :class:`MaterializationError` if a process cannot work at the site.
        """
        to_do = deque(runs)
        try:
            while to_do or self._busy():
                self._hand_out(to_do, started)
                for worker in self._spoke():
                    message = worker.received()
                    if isinstance(message, Ready):
                        worker.is_ready, self._n_stillborn = True, 0
                    elif isinstance(message, Progress):
                        if worker.run is not None:
                            progress(worker.run, message)
                    elif isinstance(message, Outcome):
                        worker.run = None
                        yield message
                    elif isinstance(message, Unusable):
                        raise MaterializationError(message.why)
                    elif (failed := self._lost(worker, to_do)) is not None:
                        yield failed
        except BaseException:
            # Ctrl-C, or a caller that stops iterating.
            self._stop([w for w in self._workers if w.run is not None])
            raise

    def close(self) -> None:
        """End all processes."""
        self._stop(self._workers)
        self._instance.dispose()

    def _busy(self) -> list[Worker]:
        return [w for w in self._workers if w.run is not None]

    def _hand_out(self, to_do: deque[Run], started: Started) -> None:
        """Give every idle process a run, and start more processes while there are runs."""
        while to_do:
            worker = next((w for w in self._workers if w.run is None), None)
            if worker is None:
                if len(self._workers) == self.n_workers:
                    return
                worker = Worker(self._site, threads=max(2, _n_cores() // self.n_workers))
                self._workers.append(worker)
            run = to_do.popleft()
            if not worker.give(run):
                # It died while idle, so no run was lost.
                self._workers.remove(worker)
                self._count_stillborn(worker, worker.how_it_ended())
                to_do.appendleft(run)
            elif run.attempt == 1:
                started(run)

    def _spoke(self) -> list[Worker]:
        """Wait for busy processes that have sent a message or died, and return them."""
        by_connection: dict[Connection, Worker] = {w.connection: w for w in self._busy()}
        return [by_connection[c] for c in wait(list(by_connection)) if isinstance(c, Connection)]

    def _lost(self, worker: Worker, to_do: deque[Run]) -> Outcome | None:
        """Handle a process that died during its run: try the run again, or return a failed
        outcome.
        """
        self._workers.remove(worker)
        how = worker.how_it_ended()
        worker.process.kill()
        run = worker.run
        if run is None:
            return None
        self._count_stillborn(worker, how)
        mark_lost(self._instance, run.run_id, f"Its process ended unexpectedly ({how}).")
        if run.attempt < MAX_ATTEMPTS and not run.is_list:
            to_do.appendleft(run.again())
            return None
        times = "" if run.is_list else f" {MAX_ATTEMPTS} times (the last time: {how})"
        why = (
            f"its process ended unexpectedly{times}. Out of memory? Try fewer --workers. Nothing "
            "incomplete was published."
        )
        return Outcome(run, run.run_id, why, worker.seconds())

    def _count_stillborn(self, worker: Worker, how: str) -> None:
        if worker.is_ready:
            return
        self._n_stillborn += 1
        if self._n_stillborn >= MAX_STILLBORN:
            raise MaterializationError(
                f"worker processes end while they start (the last one: {how}). In your own "
                "script, put the calls below `if __name__ == '__main__':`, since each worker "
                "imports it, or use `--workers 1`."
            )

    def _stop(self, workers: Sequence[Worker]) -> None:
        """End ``workers``, after giving them time to clean up; their runs are marked as
        canceled.
        """
        workers = list(workers)
        self._workers = [w for w in self._workers if w not in workers]
        try:
            for worker in workers:
                worker.ask_to_end()
            until = time.monotonic() + STOP_S
            for worker in workers:
                worker.process.join(max(0.0, until - time.monotonic()))
        finally:
            # This also happens if Ctrl-C was pressed again.
            for worker in workers:
                worker.process.kill()
                worker.process.join()
                worker.connection.close()
                if worker.run is not None:
                    mark_stopped(self._instance, worker.run.run_id)


def _n_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
