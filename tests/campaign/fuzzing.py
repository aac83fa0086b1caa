"""Targets of ``make fuzz`` one after the other, each run with a seed of its own."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from campaign.tally import Tally

TESTS = Path(__file__).parents[1]
TARGETS = tuple(sorted(path.name for path in (TESTS / "fuzz").glob("test_fuzz_*.py")))
PER_RUN = 1_000
"""Cases of a target in one run; slow targets take a share of them, quick ones several times it."""
SHOWN = 3_000


class Fuzzing:
    """Runs of fuzz targets; what found something is kept in ``corpus``, and tried first."""

    def __init__(
        self, folder: Path, corpus: Path, tally: Tally, told: Callable[[str], None]
    ) -> None:
        self._counts, self._corpus = folder / "cases.json", corpus
        self._tally, self._told = tally, told

    def one(self) -> None:
        """The next target."""
        tally = self._tally
        number = tally.units["fuzz"]
        target = TARGETS[number % len(TARGETS)]
        self._counts.write_text("{}")
        environment = os.environ | {
            "ENACT_FUZZ_CASES": str(PER_RUN),
            "ENACT_FUZZ_CORPUS": str(self._corpus),
            "ENACT_FUZZ_COUNTS": str(self._counts),
        }
        seed = 1_000_000 * tally.seed + number
        command = [sys.executable, "-m", "pytest", "-n", "0", "-m", "slow", f"tests/fuzz/{target}"]
        done = subprocess.run(  # noqa: S603 - our own interpreter, our own tests
            [*command, f"--hypothesis-seed={seed}"],
            cwd=TESTS.parent, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        for name, outcomes in json.loads(self._counts.read_text()).items():
            tally.cases.setdefault(name, Counter()).update(outcomes)
        if done.returncode:
            failed = (done.stdout + done.stderr)[-SHOWN:]
            tally.found(f"fuzz, {target}, --hypothesis-seed={seed}", number, [failed])
        tally.units["fuzz"] += 1
        self._told(f"{tally.n_cases:,} fuzz cases, the last of {target}")
