"""Work on very many files: in chunks, and by several processes where that pays."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from enact_assets.engine.system.local_places import LocalPlace
from enact_assets.engine.system.places import Entry, Place
from enact_assets.engine.system.worker_process import worker_pool

Values = tuple[str, ...]
File = tuple[Values, Entry]
"""Values of a partition, and its file."""

CHUNK = 1_000
POOL_FROM = 100_000
"""From so many files on, more processes are worth their start, which takes a second or two."""
MAX_PROCESSES = 8
"""With more processes, the disk is the bottleneck, not the processor."""

Result = TypeVar("Result")
Work = Callable[[Place, str, Sequence[File]], list[Result]]
"""(place, table, files) -> a result for each file. Other processes import it by its name."""


class Workers:
    """Processes for work on the files of ``place``, started if there are enough files."""

    def __init__(self, place: Place, n_files: int) -> None:
        self._place = place
        # A daemon process may not start others; for a remote place the network is the bottleneck.
        may_share = isinstance(place, LocalPlace) and not multiprocessing.current_process().daemon
        processes = min(os.cpu_count() or 1, MAX_PROCESSES)
        self._pool: ProcessPoolExecutor | None = None
        if n_files >= POOL_FROM and processes > 1 and may_share:
            self._pool = worker_pool(processes)

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def run(
        self,
        work: Work[Result],
        table_name: str,
        files: Sequence[File],
        on_progress: Callable[[int], None],
    ) -> Iterator[Result]:
        """Results for ``files``, in their order; ``on_progress`` gets the number done so far."""
        chunks = [files[first : first + CHUNK] for first in range(0, len(files), CHUNK)]
        n_done = 0
        if self._pool is not None:
            n = len(chunks)
            try:
                for results in self._pool.map(work, [self._place] * n, [table_name] * n, chunks):
                    n_done += 1
                    on_progress(len(results))
                    yield from results
            except BrokenProcessPool:
                # Workers cannot run: out of memory, or a main module that cannot be imported again.
                # Continue in this process.
                self._pool = None
        for chunk in chunks[n_done:]:
            results = work(self._place, table_name, chunk)
            on_progress(len(results))
            yield from results
