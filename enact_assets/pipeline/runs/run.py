"""Runs (partitions of one step to make) and outcomes, as data that are sent between processes."""

import uuid
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from enact_assets.engine.grids import Partition
from enact_assets.engine.plurals import counted
from enact_assets.engine.system.contexts import holding

MAX_ATTEMPTS = 3
"""Most attempts at a partition whose process dies, as the partition itself may be the reason."""


def _new_id() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True)
class Run:
    """Partitions of one step that are made together, each with its reason.

    A driver requests all partitions of a step, which are divided (:meth:`of`) into runs of Dagster.
    Each partition is made and reported, and may fail, independently. No partition starts at the
    time ``until`` (Unix, s) or later. The step may use ``workers`` processes. All attempts at a run
    have the same ``id``.
    """

    step: str
    partitions: tuple[Partition, ...]
    whys: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    workers: int = 1
    until: float | None = None
    attempt: int = 1
    id: str = field(default_factory=_new_id, compare=False)

    def __str__(self) -> str:
        more = f" and {len(self.partitions) - 1:,} more" if self.is_list else ""
        return f"{self.step} {self.key}".strip() + more

    @property
    def is_list(self) -> bool:
        """Whether the run makes several partitions."""
        return len(self.partitions) > 1

    @property
    def partition(self) -> Partition:
        """The first or only partition."""
        return self.partitions[0]

    @property
    def key(self) -> str:
        """The key of the first or only partition."""
        return self.partition.key

    @property
    def why(self) -> str:
        """The reason for the run in one line; empty without a reason."""
        if not self.whys:
            return ""
        of_many = f"{counted(len(self.partitions), 'partition')}, first {self.key}: "
        return (of_many if self.is_list else "") + self.whys[0]

    @property
    def run_id(self) -> str:
        """Dagster's id of this attempt. It follows from ``id`` and attempt, so a later attempt can
        find the earlier ones.
        """
        return run_id_of(self.id, self.attempt)

    def why_of(self, partition: Partition) -> str:
        """The reason for one of its partitions; empty without a reason."""
        return dict(zip(self.partitions, self.whys, strict=False)).get(partition, "")

    def of(self, partitions: Iterable[Partition]) -> "Run":
        """A run of some of its partitions."""
        some = tuple(partitions)
        whys = dict(zip(self.partitions, self.whys, strict=False))
        whys_of = tuple(whys[p] for p in some) if whys else ()
        return replace(self, partitions=some, whys=whys_of, attempt=1, id=_new_id())

    def each(self) -> list["Run"]:
        """A run for each of its partitions."""
        return [self.of([partition]) for partition in self.partitions]

    def again(self) -> "Run":
        """The next attempt."""
        return replace(self, attempt=self.attempt + 1)


def run_id_of(run: str, attempt: int) -> str:
    """Dagster's id of the ``attempt``-th attempt at a run, 1 for the first."""
    return str(uuid.uuid5(uuid.UUID(run), str(attempt)))


@dataclass
class Outcome:
    """Result of a run: ``error`` is None if it made all partitions, else a message.

    In a run of several partitions ``failures`` are those that could not be made (key -> reason),
    and ``left`` those that did not start before the time limit. Without a ``run_id`` the run never
    began.
    """

    run: Run
    run_id: str | None = None
    error: str | None = None
    seconds: float = 0.0
    failures: dict[str, str] = field(default_factory=dict)
    left: list[Partition] = field(default_factory=list)

    @property
    def broke_off(self) -> bool:
        """Whether a run of several partitions failed without a result for each: the lake shows
        which ones exist.
        """
        return self.run.is_list and self.error is not None and not self.failures


_performed: ContextVar[Outcome | None] = ContextVar("enact_performed", default=None)


def performing(outcome: Outcome) -> AbstractContextManager[None]:
    """Within the block, the run of ``outcome`` is performed, and records its results in
    ``outcome``.
    """
    return holding(_performed, outcome)


def performed() -> Outcome | None:
    """The outcome of the run that a driver performs now; None in other runs, such as those of the
    UI.
    """
    return _performed.get()
