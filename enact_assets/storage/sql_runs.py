"""Runs SQL files side by side, each on one thread.

A query on one thread gives the same floats every time: their sums depend on the order of rows. And
two files at a time on a thread each are faster than one after the other on two, as DuckDB's threads
spend a quarter of their time on keeping rows in order.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TypeVar

from duckdb import DuckDBPyConnection

from enact_assets.storage.sql_files import SqlFile

MAX_AT_ONCE = 4
"""Files that are run at a time: each may take gigabytes of memory."""

Result = TypeVar("Result")
_COMMENT = re.compile(r"--[^\n]*")
_WORD = re.compile(r"\w+")


class SideBySide:
    """Several connections to one database; files that read what others make wait for these.

    ``sizes`` are bytes of relations: what reads most is started first, lest it be waited for.
    """

    def __init__(self, connection: DuckDBPyConnection, sizes: Mapping[str, int]) -> None:
        self._sizes = sizes
        n = min(os.cpu_count() or 1, MAX_AT_ONCE)
        connection.execute("set threads = 1")
        self.connections = [connection.cursor() for _ in range(n)]

    def run(
        self,
        files: Sequence[SqlFile],
        work: Callable[[DuckDBPyConnection, SqlFile], Result],
        told: Callable[[int], None] = lambda _n_done: None,
    ) -> list[Result]:
        """``work`` on each of ``files``: results in their order.

        A file waits for those before it whose relation its text names. Errors: that of the first
        that failed, once nothing runs any more.
        """
        needs = _needs(files)
        idle: SimpleQueue[DuckDBPyConnection] = SimpleQueue()
        for connection in self.connections:
            idle.put(connection)

        def on_an_idle_one(file: SqlFile) -> Result:
            connection = idle.get()
            try:
                return work(connection, file)
            finally:
                idle.put(connection)

        waiting = sorted(files, key=lambda file: (-self._weight(file), file.place))
        running: dict[Future[Result], SqlFile] = {}
        done: dict[str, Future[Result]] = {}
        with self._pool() as pool:
            while running or (waiting and not _is_any_failed(done)):
                ready = [f for f in waiting if needs[f.place] <= done.keys()]
                for file in ready if not _is_any_failed(done) else []:
                    waiting.remove(file)
                    running[pool.submit(on_an_idle_one, file)] = file
                ended, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ended:
                    done[running.pop(future).place] = future
                told(len(done))
        return [done[file.place].result() for file in files if file.place in done]

    @contextmanager
    def _pool(self) -> Iterator[ThreadPoolExecutor]:
        """Threads; when they are left before their time, by Ctrl-C, queries end at once."""
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

    def _weight(self, file: SqlFile) -> int:
        return sum(self._sizes.get(word, 0) for word in _words(file))


def _needs(files: Sequence[SqlFile]) -> dict[str, set[str]]:
    """Place of a file -> places of those before it whose relation its text names."""
    before: dict[str, str] = {}
    needs = {}
    for file in files:
        needs[file.place] = {before[word] for word in _words(file) & before.keys()}
        if file.stage != "checks":
            before[file.name] = file.place
    return needs


def _words(file: SqlFile) -> set[str]:
    return set(_WORD.findall(_COMMENT.sub("", file.text)))


def _is_any_failed(done: Mapping[str, "Future[Result]"]) -> bool:
    return any(future.exception() is not None for future in done.values())
