"""The site of a run, as data that are sent between processes, and the interface of runners."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from enact_assets.engine.planning.shards import Shards
from enact_assets.engine.progress import Progress
from enact_assets.pipeline.runs.run import Outcome, Run
from enact_assets.settings.registry import DEFAULT_REGISTRY


@dataclass(frozen=True)
class Site:
    """Everything a process needs to make partitions: data root, lake, and the driver's registry.

    ``lake_url`` is the place of tables and pictures if it is not below the data root.
    ``registry_name`` is the name of the registry's file, ``beside_it`` are files that it names:
    path from its folder, and text. ``shards`` are the shards of Dagster's partitions; None if there
    is one for each name.
    """

    data_root: Path
    lake_url: str | None
    registry_text: str = field(repr=False)
    registry_name: str = DEFAULT_REGISTRY.name
    beside_it: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    shards: Shards | None = None

    @property
    def sha(self) -> str:
        """Hash of the site; equal sites have equal hashes."""
        parts = [str(self.data_root), self.lake_url or "", self.registry_text, self.registry_name]
        parts += [part for file in self.beside_it for part in file]
        parts += [str(self.shards)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


Started = Callable[[Run], None]
Progressed = Callable[[Run, Progress], None]


class Runner(ABC):
    """Performs runs that do not depend on each other."""

    n_workers: int = 1
    """How many runs it performs at the same time."""

    @abstractmethod
    def run(self, runs: Sequence[Run], started: Started, progress: Progressed) -> Iterator[Outcome]:
        """Perform all of ``runs``; yields one outcome for each when it ends, in any order.

        The outcome of a failed run has an error. Ctrl-C raises KeyboardInterrupt; runs that have
        not begun then, or that a caller gave up by ending the iteration, have no outcome. If a
        process dies during a run of one partition, the run is tried again, up to
        :data:`MAX_ATTEMPTS` times in all. If it dies during a run of several partitions, the caller
        requests the missing ones one by one.
        """

    @abstractmethod
    def close(self) -> None:
        """End everything that was started; a second call does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
