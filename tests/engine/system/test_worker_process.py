"""Worker processes: none outlives the process that it works for, however that one ends."""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from enact_assets.engine.system.worker_process import kill_workers, worker_pool

pytestmark = pytest.mark.slow

ENDS_WITHIN_S = 20.0
LONG_S = 600.0


def returned() -> None:
    pass


def raised() -> None:
    raise ValueError("an error of the step")


def interrupted() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(LONG_S)


def terminated() -> None:
    # Dagster gives both signals one handler.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(LONG_S)


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def ended_at_once() -> None:
    os._exit(0)


kept: list[ProcessPoolExecutor] = []
"""A pool for the next step, as the renderer keeps one."""


def one_works_and_one_is_idle(ours: Connection, end: Callable[[], None]) -> None:
    """Main function of a process like those that Dagster starts for runs."""
    pool = worker_pool(2)
    kept.append(pool)
    pool.submit(time.sleep, LONG_S)
    pool.submit(os.getpid).result()
    ours.send(list(pool._processes))
    end()


def one_sends_a_result(ours: Connection, end: Callable[[], None]) -> None:
    """The same, of a process that keeps no pool."""
    pool = worker_pool(1)
    theirs, stopped = multiprocessing.get_context("spawn").Pipe()
    pool.submit(stop_amid_the_result, stopped)
    theirs.recv()
    ours.send(list(pool._processes))
    end()


def one_renders(ours: Connection, end: Callable[[], None]) -> None:
    """The same, with the processes that render."""
    from enact_assets.demonstrations.pictures import render_pool

    pool = render_pool._pool(2)
    pool.submit(os.getpid).result()
    ours.send(list(pool._processes))
    end()


def stop_amid_the_result(stopped: Connection) -> None:
    """A task whose process halts when half of what it sends as a result is sent."""

    def half(
        self: Connection, content: bytes, write: Callable[[int, bytes], int] = os.write
    ) -> None:
        write(self.fileno(), content[: len(content) // 2])
        Connection._send = send
        stopped.send(None)
        time.sleep(LONG_S)

    send, Connection._send = Connection._send, half


Main = Callable[[Connection, Callable[[], None]], None]


def left_by(main: Main, end: Callable[[], None]) -> list[int]:
    """Run ``main`` in a process of multiprocessing; workers of it that have not ended."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=main, args=(theirs, end))
    process.start()
    workers = ours.recv()
    try:
        process.join(ENDS_WITHIN_S)
        assert process.exitcode is not None, "it waits for its workers"
    finally:
        process.kill()
        process.join()
    until = time.monotonic() + ENDS_WITHIN_S
    while (left := alive(workers)) and time.monotonic() < until:
        time.sleep(0.02)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left


def alive(pids: list[int]) -> list[int]:
    """Those that work on; one that ended may keep its number for seconds, until it is reaped."""
    found = []
    for pid in pids:
        try:
            stat = Path("/proc", str(pid), "stat").read_text()
        except OSError:
            continue
        if stat.rpartition(")")[2].split()[0] not in "ZX":
            found.append(pid)
    return found


@pytest.mark.parametrize("end", [returned, raised, interrupted, terminated, killed, ended_at_once])
def test_workers_end_with_their_process(end: Callable[[], None]) -> None:
    """A process of multiprocessing waited for its idle workers, and they for it."""
    assert left_by(one_works_and_one_is_idle, end) == []


def test_renderers_end_with_their_process() -> None:
    """Each run that the UI started left its process and its renderers: 0.86 GB."""
    assert left_by(one_renders, returned) == []


def test_half_a_result_is_not_waited_for() -> None:
    """The thread that reads it waited for the other half, and its process for the thread."""
    assert left_by(one_sends_a_result, returned) == []


def test_killed_workers_end_amid_their_work() -> None:
    pool = worker_pool(1)
    pool.submit(time.sleep, LONG_S)
    (process,) = pool._processes.values()
    kill_workers(pool)
    process.join(ENDS_WITHIN_S)
    assert process.exitcode == -signal.SIGKILL
