"""What a walk through the asset graph consists of, and what it tells about itself."""

from dataclasses import dataclass, field

from enact_assets.defs.progress import Progress
from enact_assets.engine.graph import Partition, partition_tuple


@dataclass(frozen=True)
class Step:
    """One partition of one asset (or of the assets that one step lands together)."""

    name: str
    keys: tuple[str, ...]
    partition: str | None
    why: str

    @property
    def names(self) -> Partition:
        """The partition as a tuple of names."""
        return partition_tuple(self.partition)

    def __str__(self) -> str:
        return f"{self.name} {self.partition or ''}".strip()


@dataclass(frozen=True)
class Failure:
    """A step that failed: what the error said, and the run in which the UI shows it."""

    step: Step
    message: str
    run_id: str


@dataclass
class Report:
    """What a walk did.

    ``blocked`` could not be made because something upstream failed; ``kept`` are as they were, but
    older than what failed. ``rejected`` are messages about names that nobody defined. ``n_told``
    partitions were there though Dagster had not been told of them.
    """

    made: list[Step] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    blocked: list[Step] = field(default_factory=list)
    kept: list[Step] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    n_fresh: int = 0
    n_told: int = 0
    seconds: float = 0.0

    @property
    def is_success(self) -> bool:
        """Whether everything wanted is up to date now."""
        return not self.failures and not self.blocked and not self.rejected


class Observer:
    """Told what happens. The terminal subclasses it; the base says nothing."""

    def reading(self, share: float) -> None:
        """The lake is being read: the share done, 0 to 1."""

    def stage_starts(self, name: str, n_steps: int) -> None:
        """An asset has ``n_steps`` partitions to make."""

    def step_starts(self, step: Step) -> None:
        """A partition is being made."""

    def progress(self, step: Step, progress: Progress) -> None:
        """A running step got further."""

    def step_ends(self, step: Step, failure: Failure | None) -> None:
        """A partition was made, or failed."""
