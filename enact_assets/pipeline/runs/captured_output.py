"""What runs print, kept for the UI: of a native library that crashes there is nothing else.

Dagster's own manager keeps every byte of every run, and starts four processes to show them on the
terminal, too. Here the last of each stream stays, of the last runs only, and a thread shows them.
Runs of drivers are left out: they share the terminal of their driver, which says what went wrong.
"""

import io
import os
import shutil
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
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
LOOK_S = 0.5
DROPPED = b"[earlier output was dropped]\n"

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
        """Within the block, what this process prints goes to files, and to where it went before."""
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
        """Nothing: sensors look thousands of times a day, and their message says what they saw."""
        yield None

    def is_capture_complete(self, log_key: Sequence[str]) -> bool:
        """Also if nothing was captured: the UI would wait for it."""
        complete = Path(self.get_captured_local_path(log_key, "complete"))
        return complete.exists() or not complete.parent.exists()

    def _drop_old_runs(self) -> None:
        try:
            runs = sorted(os.scandir(self._base_dir), key=lambda entry: entry.stat().st_mtime)
        except OSError:  # there are none, or another process drops them just now
            return
        for run in runs[: max(0, len(runs) - MOST_RUNS)]:
            shutil.rmtree(run, ignore_errors=True)


@contextmanager
def kept(stream: IO[str], path: Path) -> Iterator[None]:
    """Within the block, ``stream`` of this process and its children goes to ``path``, where the
    system keeps it if they crash, and from there to where it went before.

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
    """Write to ``before`` what came after the first ``seen`` bytes of a file; how many it has now.

    One that is too long is cut to its last half. Whoever writes to it appends.
    """
    with suppress(OSError), path.open("r+b") as file:
        file.seek(seen)
        while piece := file.read(MOST_BYTES):
            seen += len(piece)
            with suppress(OSError):  # a terminal that was closed
                before.write(piece)
        if seen > MOST_BYTES:
            file.seek(seen - MOST_BYTES // 2)
            last = file.read()
            file.truncate(0)
            with path.open("ab") as end:
                end.write(DROPPED + last)
            seen = len(DROPPED) + MOST_BYTES // 2
    return seen
