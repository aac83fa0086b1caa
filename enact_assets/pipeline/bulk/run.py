"""Makes many demonstrations in a few processes, batch by batch; finished batches are skipped."""

import os
import re
import resource
import shutil
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from filelock import lock_descriptor

from enact_assets.engine.errors import MaterializationError, OutputError
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.engine.system.atomic import is_temporary
from enact_assets.engine.system.contexts import having
from enact_assets.engine.system.lock_files import open_lock
from enact_assets.engine.system.worker_process import worker_pool
from enact_assets.pipeline.bulk.batches import (
    BatchTask,
    BulkFailure,
    Manifest,
    batch_folder,
    batch_folders,
    code_sha,
    make_batch,
    remove_batch,
)
from enact_assets.pipeline.bulk.chain import TABLES, BulkSettings
from enact_assets.pipeline.bulk.sources import BulkSource
from enact_assets.settings.classes import settings_sha

BATCH_SIZE = 50
"""Demonstrations per batch: some 150 MB of rows before they are written."""
LOCK = ".lock"
POLARS_THREADS = "POLARS_MAX_THREADS"
_KIB = 1024


@dataclass
class BulkSummary:
    """Results of a bulk run.

    ``n_skipped`` demonstrations were in finished batches. ``failures`` has every demonstration
    without rows, including those in finished batches; ``notes`` maps demonstration -> reason why it
    has no questions although nothing failed (profile ``release``). ``cpu_s`` are the CPU seconds of
    this run by stage, including ``load`` and ``write``; ``peak_bytes`` is the sum of the largest
    resident memory of this process and its workers.
    """

    n_demonstrations: int
    n_made: int = 0
    n_skipped: int = 0
    failures: list[BulkFailure] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    n_rows: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TABLES, 0))
    cpu_s: dict[str, float] = field(default_factory=dict)
    wall_s: float = 0.0
    peak_bytes: int = 0

    @property
    def is_success(self) -> bool:
        """Whether every demonstration has its rows."""
        return not self.failures


def run_bulk(
    sources: Iterable[BulkSource],
    output: Path,
    settings: BulkSettings,
    *,
    workers: int = 2,
    batch_size: int = BATCH_SIZE,
    replace: bool = False,
    on_progress: OnProgress = unheard,
) -> BulkSummary:
    """Run all stages up to questions for ``sources``; rows are written below ``output`` by batch.

    Rows depend only on sources and settings, not on ``workers`` (processes; 1: this process) nor on
    ``batch_size`` (demonstrations per file). Existing batches stay if they were made from the same
    inputs by the same code; batches of demonstrations that are no longer requested are removed.
    ``on_progress`` is called for every batch, with the number of failures and, as a note, the peak
    memory. A failed demonstration is listed in the summary; the others continue.

    Errors: :class:`MaterializationError` for names given twice, numbers below 1, a second run on
    the same folder, or a worker that died (run again: finished batches are kept);
    :class:`OutputError` if a batch cannot be written, or if ``output`` holds batches of other
    settings or of unknown origin, unless they are to be replaced.
    """
    sources = list(sources)
    _check(sources, workers, batch_size)
    began = time.perf_counter()
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{output}: cannot be made ({error.strerror})") from error
    with _only_run(output):
        code, starts = code_sha(), range(0, len(sources), batch_size)
        tasks = [
            BatchTask(output, number, tuple(sources[start : start + batch_size]), settings, code)
            for number, start in enumerate(starts)
        ]
        _clear(output, tasks, settings, replace=replace)
        summary = BulkSummary(len(sources))
        failures: dict[int, tuple[BulkFailure, ...]] = {}
        peaks = {os.getpid(): 0}
        here = (_make_one(task) for task in tasks)
        made = here if workers == 1 else _make(tasks, min(workers, len(tasks)))
        # Closing ends the processes if `on_progress` raises an error.
        with closing(made):
            for number, manifest, is_new, process, peak in made:
                peaks[process] = max(peak, peaks.get(process, 0))
                failures[number] = manifest.failures
                _add(summary, manifest, is_new=is_new)
                peaks[os.getpid()] = peak_bytes()
                on_progress(
                    Progress(
                        summary.n_made + summary.n_skipped,
                        len(sources),
                        "demonstrations",
                        f"{sum(map(len, failures.values()))} failed",
                        free=summary.n_skipped,
                        note=f"peak memory {sum(peaks.values()) / 1e6:,.0f} MB",
                    )
                )
    peaks[os.getpid()] = peak_bytes()
    summary.failures = [failure for number in sorted(failures) for failure in failures[number]]
    summary.peak_bytes = sum(peaks.values())
    summary.wall_s = time.perf_counter() - began
    return summary


def _check(sources: list[BulkSource], workers: int, batch_size: int) -> None:
    if workers < 1 or batch_size < 1:
        raise MaterializationError(
            f"a bulk run needs at least one worker and one demonstration per batch, not {workers} "
            f"and {batch_size}"
        )
    seen: set[str] = set()
    for source in sources:
        if source.demonstration in seen:
            raise MaterializationError(
                f"demonstration {source.demonstration!r} was given more than once "
                f"({len(sources)} sources): its questions would appear twice"
            )
        seen.add(source.demonstration)


@contextmanager
def _only_run(output: Path) -> Iterator[None]:
    """Hold the lock of ``output``; the system releases it when this process ends, even if it is
    killed.
    """
    with open_lock(output / LOCK) as lock:
        if not lock_descriptor(lock.fileno(), blocking=False):
            raise MaterializationError(
                f"another run is writing to {output}. Wait for it, or choose another folder."
            )
        yield


def _clear(output: Path, tasks: list[BatchTask], settings: BulkSettings, *, replace: bool) -> None:
    """Remove leftovers of killed runs, and batches with other demonstrations than planned.

    Afterwards no demonstration is in two batches, in whatever order batches are made.
    """
    for path in output.iterdir():
        if is_temporary(path) and path.name.startswith(".batch-"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    wanted = {task.number: tuple(s.demonstration for s in task.sources) for task in tasks}
    sha = settings_sha(settings)
    for number, folder in batch_folders(output).items():
        found = Manifest.read(folder)
        if (found is None or found.settings_sha != sha) and not replace:
            what = "has no manifest" if found is None else _difference(found.settings, settings)
            raise OutputError(
                f"{folder} {what}. Rows of two kinds would be mixed. Choose another folder, or "
                "replace the batches there (--replace)."
            )
        if found is None or found.settings_sha != sha or found.demonstrations != wanted.get(number):
            remove_batch(folder)


def _difference(before: Mapping[str, Any], settings: BulkSettings) -> str:
    """Settings of a batch that differ from the current ones."""
    was, now = _flat(before), _flat(asdict(settings))
    names = [name for name in sorted({*was, *now}) if was.get(name) != now.get(name)]
    changed = [f"{name} {was.get(name)}, now {now.get(name)}" for name in names]
    return "was made with other settings: " + "; ".join(changed[:3])


def _flat(settings: Mapping[str, Any], within: str = "") -> dict[str, str]:
    """Nested settings by dotted names, values as text."""
    found: dict[str, str] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{within}{name}.")
        else:
            found[f"{within}{name}"] = str(list(value) if isinstance(value, tuple) else value)
    return found


Made = tuple[int, Manifest, bool, int, int]
"""Number of the batch, its manifest, whether it is new, process number and peak memory in bytes."""


def _make_one(task: BatchTask) -> Made:
    manifest, is_new = make_batch(task)
    return task.number, manifest, is_new, os.getpid(), peak_bytes()


def _make(tasks: list[BatchTask], workers: int) -> Generator[Made, None, None]:
    """Make batches in other processes, in any order; after an error no further batch is started."""
    if not tasks:
        return
    # One thread for each process, as threads do not help with small tables.
    with worker_pool(workers) as pool, having({POLARS_THREADS: "1"}):
        futures = [pool.submit(_make_one, task) for task in tasks]
        n_done = 0
        try:
            for future in as_completed(futures):
                yield future.result()
                n_done += 1
        except BrokenProcessPool as error:
            raise MaterializationError(
                f"{batch_folder(tasks[0].output, 0).parent}: a worker ended unexpectedly after "
                f"{n_done} of {len(tasks)} batches (out of memory?). Finished batches are kept: "
                "run again."
            ) from error
        except BaseException:
            for future in futures:
                future.cancel()
            raise


def _add(summary: BulkSummary, manifest: Manifest, *, is_new: bool) -> None:
    summary.notes |= manifest.notes
    for name, n in manifest.n_rows.items():
        summary.n_rows[name] += n
    if not is_new:
        summary.n_skipped += len(manifest.demonstrations)
        return
    summary.n_made += len(manifest.demonstrations)
    for stage, seconds in manifest.seconds.items():
        summary.cpu_s[stage] = summary.cpu_s.get(stage, 0.0) + seconds


def peak_bytes() -> int:
    """Largest resident memory of this process so far.

    On Linux it is read from /proc: the value of ``getrusage`` includes that of the parent process.
    """
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    except OSError:
        found = None
    kib = int(found[1]) if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kib * _KIB
