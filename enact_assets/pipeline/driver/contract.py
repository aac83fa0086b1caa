"""Where runs are performed: the site, as data that travel between processes, and the runners."""

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
    """All that a process needs to make partitions: data root, lake, registry as the driver has it.

    ``lake_url`` holds tables and pictures if they are not below the data root. ``registry_name`` is
    the name of the registry's file, ``beside_it`` are files that it names: path from its folder,
    and text. ``shards`` are those of Dagster's partitions; None if it has one for each name.
    """

    data_root: Path
    lake_url: str | None
    registry_text: str = field(repr=False)
    registry_name: str = DEFAULT_REGISTRY.name
    beside_it: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    shards: Shards | None = None

    @property
    def sha(self) -> str:
        """Two sites with the same one are the same."""
        parts = [str(self.data_root), self.lake_url or "", self.registry_text, self.registry_name]
        parts += [part for file in self.beside_it for part in file]
        parts += [str(self.shards)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


Started = Callable[[Run], None]
Progressed = Callable[[Run, Progress], None]


class Runner(ABC):
    """Performs runs that do not depend on each other."""

    n_workers: int = 1
    """How many it performs at once."""

    @abstractmethod
    def run(self, runs: Sequence[Run], started: Started, progress: Progressed) -> Iterator[Outcome]:
        """Perform all of ``runs``; gives one outcome each, as they end, in any order.

        One that fails is an outcome with an error. Ctrl-C raises KeyboardInterrupt; runs not
        begun by then, or given up by a caller that stops iterating, give no outcome. If a process
        dies at a run of one partition, that is tried again, :data:`MAX_ATTEMPTS` times in all; a
        run of several broke off, and the caller asks for what it did not make, one by one.
        """

    @abstractmethod
    def close(self) -> None:
        """End what was started; a second call does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
