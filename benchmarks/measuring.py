"""How figures are taken and printed: CPU seconds, peak memory, rows with their targets."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One line of the table: what is done, what it should take at most, what it took."""

    work: str
    target: str
    measured: str
    is_reached: bool
    note: str = ""

    def as_text(self) -> str:
        """As a row of a Markdown table."""
        verdict = "yes" if self.is_reached else "NO"
        return f"| {self.work} | {self.target} | {self.measured} | {verdict} | {self.note} |"


HEADER = "| work | to reach | measured | reached | note |\n|---|---|---|---|---|"


def cpu_seconds(run: Callable[[], object]) -> float:
    """CPU seconds of one call, all threads of this process together."""
    start = time.process_time()
    run()
    return time.process_time() - start


def best_of(n: int, run: Callable[[], object]) -> float:
    """Fewest CPU seconds of ``n`` calls after one that is not counted: the machine is shared."""
    run()
    return min(cpu_seconds(run) for _ in range(n))


def milliseconds(seconds: float) -> str:
    """Seconds as text in milliseconds."""
    return f"{1e3 * seconds:.1f} ms"


def megabytes(size: float) -> str:
    """Bytes as text in MB."""
    return f"{size / 1e6:,.0f} MB"


def in_fresh_process(*arguments: str, **environment: str) -> dict[str, Any]:
    """What ``python -m benchmarks.fresh`` prints for ``arguments``, with peak memory of its own.

    Errors: :class:`subprocess.CalledProcessError` if it fails; it says why on the terminal.
    """
    printed = subprocess.run(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, "-m", "benchmarks.fresh", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=os.environ | environment,
    ).stdout
    found: dict[str, Any] = json.loads(printed)
    return found
