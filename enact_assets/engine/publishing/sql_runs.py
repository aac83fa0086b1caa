"""Runs jobs on one database side by side, each on one thread.

A query on one thread gives the same floats every time, as sums of floats depend on the order of
rows. Two queries side by side on one thread each are faster than one after the other on two
threads, as DuckDB's threads spend a quarter of their time on keeping rows in order.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Generic, TypeVar

from duckdb import DuckDBPyConnection, OutOfMemoryException

from enact_assets.engine.progress import OnProgress, Progress, unheard

MAX_AT_ONCE = 4
"""How many jobs run at the same time: each may take gigabytes of memory."""
MOST_CACHED, LEAST_CACHED = 160 << 20, 32 << 20
"""When the file has more than ``MOST_CACHED`` bytes in memory, no job starts until all running ones
have ended; then cached blocks are dropped down to ``LEAST_CACHED`` bytes. DuckDB keeps every block
that it wrote or read until its ``memory_limit`` is reached. With a limit while jobs run, a large
job might spill to disk, depending on the other jobs, and floats would be added in another order."""
ASK_EVERY_S = 0.1

Result = TypeVar("Result")


@dataclass(frozen=True)
class Job(Generic[Result]):
    """A task on a connection that starts once the jobs that it ``needs`` are done.

    Of the ready jobs, the one with the greatest ``weight`` starts first, so that others do not have
    to wait for it at the end. ``is_due_anyway`` runs it even if another job failed.
    """

    name: str
    work: Callable[[DuckDBPyConnection], Result]
    needs: frozenset[str] = frozenset()
    weight: int = 0
    is_due_anyway: bool = False


class SideBySide:
    """Several connections to one database, closed at the end of the block."""

    def __init__(self, connection: DuckDBPyConnection) -> None:
        n = min(os.cpu_count() or 1, MAX_AT_ONCE)
        connection.execute("set threads = 1")
        self._connection = connection
        self._ask_from, self._is_full = 0.0, False
        self.connections = [connection.cursor() for _ in range(n)]
        [(database,)] = connection.execute("select current_database()").fetchall()
        for other in self.connections:
            other.execute(f"use {database}")

    def __enter__(self) -> "SideBySide":
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self.connections:
            connection.close()

    def run(self, jobs: Sequence[Job[Result]], on_progress: OnProgress = unheard) -> list[Result]:
        """Results of ``jobs`` in their order; ``on_progress`` gets the number of finished jobs.

        Errors: the error of the first failed job, after all running jobs have ended.
        """
        idle: SimpleQueue[DuckDBPyConnection] = SimpleQueue()
        for connection in self.connections:
            idle.put(connection)

        def on_an_idle_one(job: Job[Result]) -> Result:
            connection = idle.get()
            try:
                return job.work(connection)
            finally:
                idle.put(connection)

        waiting = sorted(jobs, key=lambda job: (-job.weight, job.name))
        running: dict[Future[Result], str] = {}
        done: dict[str, Future[Result]] = {}
        is_any_failed = False
        with self._pool() as pool:
            while True:
                # Start only one job per connection: a job that becomes ready later may have more
                # weight.
                ready = _ready(waiting, done, is_any_failed=is_any_failed)
                if self._holds_much():
                    if not running:
                        self._drop_cached()
                    else:
                        ready = []
                for job in ready[: len(self.connections) - len(running)]:
                    waiting.remove(job)
                    running[pool.submit(on_an_idle_one, job)] = job.name
                if not running:
                    break
                ended, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ended:
                    done[running.pop(future)] = future
                    is_any_failed |= future.exception() is not None
                on_progress(Progress(len(done), len(jobs), "files"))
        return [done[job.name].result() for job in jobs if job.name in done]

    def _holds_much(self) -> bool:
        """Whether too much of the file is in memory; called a few times a second."""
        now = time.monotonic()
        if now >= self._ask_from:
            self._ask_from = now + ASK_EVERY_S
            of_file = "sum(memory_usage_bytes) filter (tag = 'BASE_TABLE')"
            [(n,)] = self._connection.execute(f"select {of_file} from duckdb_memory()").fetchall()  # noqa: S608 - our own
            self._is_full = n > MOST_CACHED
        return self._is_full

    def _drop_cached(self) -> None:
        """Drop blocks of the file from memory."""
        try:
            self._connection.execute(f"set memory_limit = '{LEAST_CACHED} bytes'")
        except OutOfMemoryException:
            pass  # the rest does not belong to the file; all droppable blocks were dropped
        finally:
            self._connection.execute("reset memory_limit")
            self._is_full = False

    @contextmanager
    def _pool(self) -> Iterator[ThreadPoolExecutor]:
        """Threads; if the block is left early, as by Ctrl-C, running queries are interrupted."""
        pool = ThreadPoolExecutor(len(self.connections), thread_name_prefix="enact-sql")
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for connection in self.connections:
                connection.interrupt()
            raise
        finally:
            pool.shutdown()


def _ready(
    waiting: Sequence[Job[Result]], done: Mapping[str, Future[Result]], *, is_any_failed: bool
) -> list[Job[Result]]:
    return [
        job
        for job in waiting
        if (job.is_due_anyway or not is_any_failed) and job.needs <= done.keys()
    ]
