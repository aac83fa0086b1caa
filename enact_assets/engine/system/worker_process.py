"""Worker processes: pools, start and end; and signals that stop a process."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.process import BaseProcess
from multiprocessing.queues import SimpleQueue
from multiprocessing.util import Finalize
from typing import Any
from weakref import ref

STOPPING = (signal.SIGINT, signal.SIGTERM)


def worker_pool(processes: int) -> ProcessPoolExecutor:
    """A pool of ``processes`` worker processes that end with this process, even if it is killed.

    Workers are spawned when there is work for them; a fork would inherit running threads. Keep a
    reference to the pool until its results are there: its workers are killed when it is
    garbage-collected.
    """
    spawning = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, spawning, initializer=begin_worker)
    # Dagster starts each run as a process of multiprocessing, which joins its children before
    # concurrent.futures ends them: without this it would wait forever.
    Finalize(pool, _kill, (ref(pool), pool._processes, pool._result_queue), exitpriority=100)
    return pool


def kill_workers(pool: ProcessPoolExecutor) -> None:
    """End ``pool`` and its processes at once. Unfinished work is lost."""
    _kill(ref(pool), pool._processes, pool._result_queue)


def _kill(
    pool: "ref[ProcessPoolExecutor]",
    processes: Mapping[int, BaseProcess] | None,
    results: "SimpleQueue[Any] | None",
) -> None:
    # Python 3.14 has kill_workers() for this. A pool that was shut down has no list of processes.
    if (found := pool()) is not None:
        found.shutdown(wait=False, cancel_futures=True)
    for process in list((processes or {}).values()):
        process.kill()
    if results is not None:
        # The pool's thread may have read half of a result, and would wait for the other half.
        results._writer.close()  # type: ignore[attr-defined]


def begin_worker() -> None:
    """Set up a worker process: it ignores Ctrl-C, which the parent handles, and ends with the
    parent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def begin_stoppable_worker() -> None:
    """As :func:`begin_worker`, but SIGTERM raises KeyboardInterrupt, so that work is cleaned up.

    Ctrl-C in a terminal goes to every process of a group. This process gets its own group, so that
    it is not stopped twice. Dagster has one handler for both signals, so this has, too.
    """
    os.setpgid(0, 0)
    heed_stopping()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def heed_stopping() -> None:
    """Let SIGINT and SIGTERM raise KeyboardInterrupt, even if the process started with one ignored.

    Importing Polars installs a handler below Python's, with which a signal does not wake waiting
    code. So Polars is imported before the handlers are set.
    """
    import polars as pl  # noqa: F401

    for number in STOPPING:
        signal.signal(number, signal.default_int_handler)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
