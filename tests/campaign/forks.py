"""Work in forks of a process that has imported everything, and done nothing yet.

A kill then costs what the step costs, and not the seconds of an import. What starts threads, as
polars and DuckDB do, is called in forks alone: a fork of a process with threads may wait for ever.
"""

import multiprocessing.util  # noqa: F401 - its hook for forks
import os
import pickle
import resource
import signal
import sys
import time
import traceback
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import fsspec

from benchmarks.crashes import MARK, processes_with
from enact_assets.cli import main
from enact_assets.pipeline.driver import choice

Result = TypeVar("Result")
ENDS_WITHIN_S = 15.0
"""Workers whose driver was killed alone have to be gone by then."""
HANGS_AFTER_S = 900.0
POLL_S = 0.005


class ForkError(Exception):
    """What was called in a fork raised; the message is its traceback."""


def call(
    function: Callable[..., Result], *arguments: Any, environment: Mapping[str, str] | None = None
) -> Result:
    """``function(*arguments)`` in a fork. Errors: :class:`ForkError`."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            _enter(environment or {})
            told: tuple[bool, Any] = True, function(*arguments)
        except BaseException:  # noqa: BLE001 - whatever it was is told
            told = False, traceback.format_exc()
        with os.fdopen(write, "wb") as out:
            pickle.dump(told, out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        data = file.read()
    os.waitpid(pid, 0)
    if not data:
        raise ForkError(f"{function.__name__}: the process ended without a word")
    is_done, value = pickle.loads(data)  # noqa: S301 - our own fork
    if not is_done:
        raise ForkError(value)
    return cast("Result", value)


class Walk:
    """``enact-assets`` with ``words`` in a fork, the leader of a session of its own."""

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        log: Path,
        *,
        limits: Mapping[int, int] | None = None,
        splits_early: bool = False,
        entered: Callable[[], None] | None = None,
    ) -> None:
        self.mark, self.log = uuid.uuid4().hex, log
        self.exit_code: int | None = None
        self._began = time.monotonic()
        self.pid = os.fork()
        if self.pid == 0:
            code = 72
            try:
                os.setsid()
                _redirect(log)
                _enter({**environment, MARK: self.mark})
                if splits_early:
                    choice.WORTH_PROCESSES.clear()
                    choice.WORTH_PROCESSES_OTHERS = choice.WORTH_STARTED = 2
                for limit, value in (limits or {}).items():
                    resource.setrlimit(limit, (value, value))
                if entered is not None:
                    entered()
                code = _exit_code(words)
            finally:
                os._exit(code)

    def is_alive(self) -> bool:
        """Whether it still works; the exit code of one that ended is kept."""
        if self.exit_code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.exit_code = os.waitstatus_to_exitcode(status)
        return self.exit_code is None

    def wait(self) -> int:
        """Until it ends; one that hangs is killed, which is a finding: exit code -9."""
        while self.is_alive():
            if time.monotonic() - self._began > HANGS_AFTER_S:
                self.kill()
            time.sleep(POLL_S)
        return self.exit_code or 0

    def kill(self, *, is_whole_group: bool = True) -> None:
        """SIGKILL, to its workers too or to itself alone."""
        (os.killpg if is_whole_group else os.kill)(self.pid, signal.SIGKILL)
        while self.is_alive():
            time.sleep(POLL_S)

    def end_survivors(self) -> int:
        """Kill what lives on :data:`ENDS_WITHIN_S` after it ended; returns how many."""
        until = time.monotonic() + ENDS_WITHIN_S
        while (alive := processes_with(self.mark)) and time.monotonic() < until:
            time.sleep(0.1)
        for pid in alive:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        return len(alive)

    def printed(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


def _enter(environment: Mapping[str, str]) -> None:
    os.environ.update(environment)
    # Which fsspec reads once, when it is imported: this process has imported it.
    fsspec.config.set_conf_env(fsspec.config.conf)


def _redirect(log: Path) -> None:
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(out, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)


def _exit_code(words: Sequence[str]) -> int:
    try:
        code = main(words)
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:  # noqa: BLE001 - whatever it was is printed
        traceback.print_exc()
        code = 70
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return code or 71
    return code
