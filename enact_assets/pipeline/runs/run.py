"""Runs and outcomes as data, which travel between processes: make these partitions of that step."""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from enact_assets.engine.grids import Partition
from enact_assets.engine.plurals import counted

MAX_ATTEMPTS = 3
"""A partition whose process dies is tried again: so often in all, as it may be what kills it."""


def _new_id() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True)
class Run:
    """Partitions of one step that are made together, and why each of them is.

    A walk asks for all that it makes of a step, which is cut (:meth:`of`) into runs of Dagster. Of
    several, each is made, told and fails for itself. None begins at the time ``until`` (Unix, s) or
    later. The step may use ``workers`` processes. All attempts at a run have the same ``id``.
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
        """Whether it makes several partitions."""
        return len(self.partitions) > 1

    @property
    def partition(self) -> Partition:
        """The first, or only one."""
        return self.partitions[0]

    @property
    def key(self) -> str:
        """The key of the first, or only one."""
        return self.partition.key

    @property
    def why(self) -> str:
        """Why it is made, in one line; empty if nobody said."""
        if not self.whys:
            return ""
        of_many = f"{counted(len(self.partitions), 'partition')}, first {self.key}: "
        return (of_many if self.is_list else "") + self.whys[0]

    @property
    def run_id(self) -> str:
        """Dagster's id of this attempt: a new one can look up the earlier ones."""
        return run_id_of(self.id, self.attempt)

    def why_of(self, partition: Partition) -> str:
        """Why it makes one of its partitions; empty if nobody said."""
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
    """What came of a run: ``error`` is None if it made all, else what to tell people.

    Of several partitions ``failures`` are those that could not be made (key -> why), and ``left``
    those that it did not begin, as it was too late. Without a ``run_id`` it never began.
    """

    run: Run
    run_id: str | None = None
    error: str | None = None
    seconds: float = 0.0
    failures: dict[str, str] = field(default_factory=dict)
    left: list[Partition] = field(default_factory=list)

    @property
    def broke_off(self) -> bool:
        """Whether a run of several partitions failed without a word on any: the lake knows more."""
        return self.run.is_list and self.error is not None and not self.failures


_performed: ContextVar[Outcome | None] = ContextVar("enact_performed", default=None)


@contextmanager
def performing(outcome: Outcome) -> Iterator[None]:
    """Within the block, the run of ``outcome`` is performed, which notes there what it came to."""
    token = _performed.set(outcome)
    try:
        yield
    finally:
        _performed.reset(token)


def performed() -> Outcome | None:
    """What a driver performs now; None in runs of others, such as those of the UI."""
    return _performed.get()
