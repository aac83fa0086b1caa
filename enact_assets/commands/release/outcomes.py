"""What became of each task of a command: numbers where it went well, a message where it did not."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from enact_assets.engine.errors import EnactError

Number = int | float | str

MAX_SHOWN = 30
"""Most rows and failures that commands print by default."""
FAILED_FILE = "failed.txt"
"""All failures of a run, if they are more than that."""


@dataclass
class Outcome:
    """One task, file or model. ``error`` is None unless it failed."""

    name: str
    numbers: dict[str, Number] = field(default_factory=dict)
    error: str | None = None


@dataclass
class Summary:
    """All outcomes of one command, in order."""

    outcomes: list[Outcome] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_dry_run: bool = False
    has_output: bool = False
    """Whether something was written although what it is about counts as failed."""

    @property
    def failures(self) -> list[Outcome]:
        """Those that failed."""
        return [o for o in self.outcomes if o.error is not None]

    @property
    def is_success(self) -> bool:
        """Whether nothing failed."""
        return not self.failures

    @contextmanager
    def attempt(self, name: str) -> Iterator[Outcome]:
        """Record one outcome; an error of ours becomes its message, and the others go on."""
        outcome = Outcome(name)
        self.outcomes.append(outcome)
        try:
            yield outcome
        except EnactError as error:
            outcome.error = str(error)

    def total(self, number: str) -> float:
        """Sum of one number over the outcomes that have it."""
        values: Iterable[Number] = (o.numbers.get(number, 0) for o in self.outcomes)
        return sum(v for v in values if not isinstance(v, str))
