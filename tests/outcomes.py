"""What became of each test, in a file: ``pytest --outcomes FILE``, which ``make test-all`` reads.

Failures and long tests are printed when they end, so that a run that is cut short has told what it
found, and where its time went.
"""

import json
from pathlib import Path

import pytest

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
Outcome = tuple[str, str]
"""Passed, failed or skipped, and why."""
LONG_SECONDS = 20


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    about = "write what became of each test as JSON; print failures when they happen"
    parser.addoption("--outcomes", type=Path, metavar="FILE", help=about)
    about = "leave out tests that passed by such a file, but for properties, which try new examples"
    parser.addoption("--passed-before", type=Path, metavar="FILE", help=about)


def pytest_configure(config: pytest.Config) -> None:
    """Begin to note. Of several processes the one that hands out tests hears of all of them."""
    if config.option.outcomes and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Outcomes(config, config.option.outcomes))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what passed before and would do the same again."""
    file = config.option.passed_before
    if file is None:
        return
    passed = {test for test, (outcome, _) in read_outcomes(file).items() if outcome == PASSED}
    left_out = [
        item
        for item in items
        if item.nodeid in passed
        and not getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    ]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


class Outcomes:
    """Gathers reports of all phases; the worst that a test came to counts."""

    def __init__(self, config: pytest.Config, file: Path) -> None:
        self._config, self._file = config, file
        self._found: dict[str, Outcome] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a phase of a test. A test that fails as it should (xfail) has passed."""
        self._note(report, is_skipped=report.skipped and not hasattr(report, "wasxfail"))
        if report.duration >= LONG_SECONDS:
            where = getattr(report, "worker_id", "")
            self._write(f"{report.duration:.0f} s {where} {report.when} {report.nodeid}")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note files that cannot be read, or that skip all their tests."""
        if not report.passed:
            self._note(report, is_skipped=report.skipped)

    def _note(self, report: pytest.TestReport | pytest.CollectReport, *, is_skipped: bool) -> None:
        outcome = FAILED if report.failed else SKIPPED if is_skipped else PASSED
        if outcome == PASSED:
            self._found.setdefault(report.nodeid, (PASSED, ""))
            return
        why = report.longrepr
        reason = why[2].removeprefix("Skipped: ") if isinstance(why, tuple) else report.longreprtext
        if self._found.get(report.nodeid, (PASSED, ""))[0] != FAILED:
            self._found[report.nodeid] = (outcome, reason)
        if outcome == FAILED:
            self._write(f"FAILED {report.nodeid}\n{report.longreprtext}")

    def _write(self, text: str) -> None:
        self._config.pluginmanager.getplugin("terminalreporter").write_line(f"\n{text}")

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        self._file.write_text(json.dumps(self._found, indent=0), encoding="utf-8")


def read_outcomes(file: Path) -> dict[str, Outcome]:
    """Test -> what became of it."""
    found = json.loads(file.read_text(encoding="utf-8"))
    return {test: (str(outcome), str(why)) for test, (outcome, why) in found.items()}
