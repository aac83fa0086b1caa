"""After a run: how many cases each fuzz target saw, and what became of them."""

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest
from fuzz_cases import COUNTS, COUNTS_VARIABLE


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    outcomes: dict[str, dict[str, int]] = defaultdict(dict)
    for (target, outcome), n in COUNTS.items():
        outcomes[target][outcome] = n
    if COUNTS_VARIABLE in os.environ:
        Path(os.environ[COUNTS_VARIABLE]).write_text(json.dumps(outcomes))
    if not outcomes:
        return
    terminalreporter.section("fuzz cases")
    for target, found in sorted(outcomes.items()):
        parts = ", ".join(f"{n} {outcome}" for outcome, n in sorted(found.items()))
        terminalreporter.write_line(f"{target}: {sum(found.values())} ({parts})")
    terminalreporter.write_line(f"all: {sum(COUNTS.values())}")
