"""Keeps the output of runs for the UI. If a native library crashes, there is no other message.

Dagster's own manager keeps every byte of every run, and starts four processes to show them on the
terminal, too. Here only the end of each stream is kept, only for the last runs, and a thread shows
them. Runs of drivers are not captured: they share the terminal of their driver, which reports
failures.
"""

import io
import os
import shutil
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
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

from enact_assets.engine.system.contexts import holding

FOLDER = "logs"
"""Name of a folder in the folder of the instance."""
MOST_BYTES = 256 * 1024
"""Most bytes kept of one stream of a run."""
MOST_RUNS = 300
LOOK_S = 0.5
DROPPED = b"[earlier output was dropped]\n"

_is_captured: ContextVar[bool] = ContextVar("enact_is_captured", default=True)


def uncaptured() -> AbstractContextManager[None]:
    """Within the block, the output of runs goes to the terminal only."""
    return holding(_is_captured, value=False)


class BoundedComputeLogManager(LocalComputeLogManager):
    """Dagster's manager of files, with limits: ``MOST_BYTES``, ``MOST_RUNS``."""

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> Self:
        """Called by Dagster. The inherited method would create an instance of the parent class."""
        return cls(inst_data=inst_data, **config_value)

    @contextmanager
    def capture_logs(self, log_key: Sequence[str]) -> Generator[CapturedLogContext, None, None]:
        """Within the block, the output of this process goes to files and to its former target."""
        if not _is_captured.get():
            yield CapturedLogContext(log_key)
            return
        self._drop_old_runs()
        paths = {kind: Path(self.get_captured_local_path(log_key, extension))
                 for kind, extension in IO_TYPE_EXTENSION.items()}  # fmt: skip
        with (
            kept(sys.stdout, paths[ComputeIOType.STDOUT]),
            kept(sys.stderr, paths[ComputeIOType.STDERR]),
        ):
            yield CapturedLogContext(log_key)
        complete = Path(self.get_captured_local_path(log_key, "complete"))
        complete.parent.mkdir(parents=True, exist_ok=True)
        complete.touch()

    @contextmanager
    def open_log_stream(
        self,
        log_key: Sequence[str],  # noqa: ARG002 - Dagster's
        io_type: ComputeIOType,  # noqa: ARG002 - Dagster's
    ) -> Iterator[IO[bytes] | None]:
        """Give None, so that logs of sensors are not captured: they run thousands of times a day,
        and their message has the result.
        """
        yield None

    def is_capture_complete(self, log_key: Sequence[str]) -> bool:
        """True, even if nothing was captured: the UI would wait for it."""
        complete = Path(self.get_captured_local_path(log_key, "complete"))
        return complete.exists() or not complete.parent.exists()

    def _drop_old_runs(self) -> None:
        try:
            runs = sorted(os.scandir(self._base_dir), key=lambda entry: entry.stat().st_mtime)
        except OSError:  # the folder does not exist, or another process removes runs right now
            return
        for run in runs[: max(0, len(runs) - MOST_RUNS)]:
            shutil.rmtree(run, ignore_errors=True)


@contextmanager
def kept(stream: IO[str], path: Path) -> Iterator[None]:
    """Within the block, ``stream`` of this process and its children goes to the file ``path``,
    which stays if they crash, and from there to its former target.

    A stream without a descriptor, as in a notebook, is left alone.
    """
    try:
        number = stream.fileno()
    except (AttributeError, io.UnsupportedOperation):
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    is_over = Event()
    with os.fdopen(os.dup(number), "wb", buffering=0) as before, path.open("ab") as file:

        def follow() -> None:
            seen, is_last = 0, False
            while not is_last:
                is_last = is_over.wait(LOOK_S)
                seen = show(path, seen, before)

        follower = Thread(target=follow, name=f"output to {path.name}", daemon=True)
        stream.flush()
        os.dup2(file.fileno(), number)
        follower.start()
        try:
            yield
        finally:
            stream.flush()
            os.dup2(before.fileno(), number)
            is_over.set()
            follower.join()


def show(path: Path, seen: int, before: IO[bytes]) -> int:
    """Write a file's content after its first ``seen`` bytes to ``before``; returns its size now.

    A file that is too long is cut to its last half. All writers append.
    """
    with suppress(OSError), path.open("r+b") as file:
        file.seek(seen)
        while piece := file.read(MOST_BYTES):
            seen += len(piece)
            with suppress(OSError):  # the terminal was closed
                before.write(piece)
        if seen > MOST_BYTES:
            file.seek(seen - MOST_BYTES // 2)
            last = file.read()
            file.truncate(0)
            with path.open("ab") as end:
                end.write(DROPPED + last)
            seen = len(DROPPED) + MOST_BYTES // 2
    return seen
