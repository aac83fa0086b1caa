"""What runs print, kept for the UI: of a native library that crashes there is nothing else.

Dagster's own manager keeps every byte of every run. Here the last of each stream stays, of the last
runs only. Runs of drivers are left out: they share the terminal of their driver, which says what
went wrong, and four processes for each of a thousand short steps would cost more than the steps.
"""

import os
import shutil
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from threading import Event, Thread
from typing import IO, Any, Self

from dagster._core.storage.compute_log_manager import CapturedLogContext, ComputeIOType
from dagster._core.storage.local_compute_log_manager import (
    IO_TYPE_EXTENSION,
    LocalComputeLogManager,
)
from dagster._serdes import ConfigurableClassData

FOLDER = "logs"
"""Below the folder of the instance."""
MOST_BYTES = 256 * 1024
"""Of a stream of one run."""
MOST_RUNS = 300
LOOK_S = 1.0

_is_captured: ContextVar[bool] = ContextVar("enact_is_captured", default=True)


@contextmanager
def uncaptured() -> Iterator[None]:
    """Within the block, what runs print goes to the terminal only."""
    token = _is_captured.set(False)
    try:
        yield
    finally:
        _is_captured.reset(token)


class BoundedComputeLogManager(LocalComputeLogManager):
    """Dagster's manager of files, with limits: ``MOST_BYTES``, ``MOST_RUNS``."""

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> Self:
        """As Dagster calls it; its own gives an instance of the parent class."""
        return cls(inst_data=inst_data, **config_value)

    @contextmanager
    def capture_logs(self, log_key: Sequence[str]) -> Generator[CapturedLogContext, None, None]:
        """Within the block, what this process prints goes to files, and to where it went before.

        A stream is cut to its last half whenever it is seen to be too long, so that a process that
        prints without end fills no disk.
        """
        if not _is_captured.get():
            yield CapturedLogContext(log_key)
            return
        self._drop_old_runs()
        paths = [
            Path(self.get_captured_local_path(log_key, extension))
            for extension in IO_TYPE_EXTENSION.values()
        ]
        is_over = Event()

        def watch() -> None:
            while not is_over.wait(LOOK_S):
                cut(paths)

        watcher = Thread(target=watch, name="bounds of captured output", daemon=True)
        watcher.start()
        try:
            with super().capture_logs(log_key) as context:
                yield context
        finally:
            is_over.set()
            watcher.join()
            cut(paths)

    @contextmanager
    def open_log_stream(
        self,
        log_key: Sequence[str],  # noqa: ARG002 - as below
        io_type: ComputeIOType,  # noqa: ARG002 - Dagster's
    ) -> Iterator[IO[str] | None]:
        """Nothing: sensors look thousands of times a day, and their message says what they saw."""
        yield None

    def is_capture_complete(self, log_key: Sequence[str]) -> bool:
        """Also if nothing was captured: the UI would wait for it."""
        complete = Path(self.complete_artifact_path(log_key))
        return complete.exists() or not complete.parent.exists()

    def _drop_old_runs(self) -> None:
        try:
            runs = sorted(os.scandir(self._base_dir), key=lambda entry: entry.stat().st_mtime)
        except OSError:  # there are none, or another process drops them just now
            return
        for run in runs[: max(0, len(runs) - MOST_RUNS)]:
            shutil.rmtree(run, ignore_errors=True)


def cut(paths: Sequence[Path]) -> None:
    """Shorten each file that is too long to its last half. Whoever writes to it appends."""
    for path in paths:
        try:
            size = path.stat().st_size
            if size <= MOST_BYTES:
                continue
            with path.open("r+b") as file:
                file.seek(size - MOST_BYTES // 2)
                kept = file.read(MOST_BYTES // 2)
                file.truncate(0)
            with path.open("ab") as file:
                file.write(b"[earlier output was dropped]\n" + kept)
        except OSError:
            continue
