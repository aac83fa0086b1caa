"""Runs of steps as data: the step, its site and its outcome, which travel between processes."""

import hashlib
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from enact_assets.engine.planning.shards import Shards
from enact_assets.pipeline.runs.progress import Progress
from enact_assets.settings.registry import DEFAULT_REGISTRY

MAX_ATTEMPTS = 3
"""A step whose process dies is tried again: so often in all, since it may be what kills it."""


@dataclass(frozen=True)
class Site:
    """All that a process needs to run steps: data root, lake, registry as the driver has it.

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


@dataclass(frozen=True)
class StepRun:
    """One partition of one step; ``workers`` is how many processes the step itself may use.

    Of a shard, ``only`` names the members that are made. ``is_again`` is set if an attempt at the
    run broke off: what that one made is left out, unless the run ``is_forced``. It does not begin
    at the time ``until`` (Unix, s) or later.
    """

    step: str
    partition: str | None
    tags: Mapping[str, str]
    workers: int = 1
    only: tuple[str, ...] = ()
    is_forced: bool = False
    is_again: bool = False
    until: float | None = None

    def __str__(self) -> str:
        return f"{self.step} {self.partition or ''}".strip()


@dataclass(frozen=True)
class Outcome:
    """What came of a run: ``error`` is None if it was made, else what to tell people.
    ``is_left`` if it did not begin, as it was too late.

    ``failures`` are those of a shard's partitions that the run could not make, and why.
    """

    run: StepRun
    run_id: str | None
    error: str | None
    seconds: float
    failures: Mapping[str, str] = field(default_factory=dict)
    is_left: bool = False


Started = Callable[[StepRun], None]
Progressed = Callable[[StepRun, Progress], None]


class Runner(ABC):
    """Runs steps that do not depend on each other."""

    @abstractmethod
    def run(
        self, runs: Sequence[StepRun], started: Started, progress: Progressed
    ) -> Iterator[Outcome]:
        """Run all of ``runs``; gives one outcome each, as they end, in any order.

        A step that fails is an outcome with an error. Ctrl-C raises KeyboardInterrupt; steps not
        begun by then, or given up by a caller that stops iterating, give no outcome.
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


def run_id_of(task: str, attempt: int) -> str:
    """Dagster's id of the ``attempt``-th run of a task, 1 for the first.

    A new attempt can look up the earlier ones without being given their ids.
    """
    return str(uuid.uuid5(uuid.UUID(task), str(attempt)))
