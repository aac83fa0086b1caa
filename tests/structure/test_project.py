"""Rules of the project itself, as tests."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from enact_assets.settings.profile import CONSTANTS

ROOT = Path(__file__).parents[2]
HEAVY = ("mujoco", "mitsuba", "pyoidn", "scipy.stats")


def test_the_list_of_tables_is_current() -> None:
    """``python docs/make_tables.py`` writes it."""
    made = runpy.run_path(str(ROOT / "docs/make_tables.py"))
    assert (ROOT / "docs/tables.md").read_text(encoding="utf-8") == made["page"]()


def test_the_list_of_constants_is_current() -> None:
    """The same command writes it: a constant and its source in the page are those in the code."""
    made = runpy.run_path(str(ROOT / "docs/make_tables.py"))
    written = (ROOT / "docs/constants.md").read_text(encoding="utf-8")
    assert written == made["constants_page"]()
    assert all(f"| `{name}` | " in written for name in CONSTANTS)


def test_the_page_of_claims_is_current() -> None:
    """The same command writes it: a claim with another value than on the page."""
    made = runpy.run_path(str(ROOT / "docs/make_tables.py"))
    assert (ROOT / "docs/faithfulness.md").read_text(encoding="utf-8") == made["claims_page"]()


def test_the_page_of_constants_says_what_each_one_changes() -> None:
    """A constant that can be set without knowing what it does."""
    from benchmarks.bench_constants import VALUES

    assert set(VALUES) == {c.name for c in CONSTANTS.values() if c.is_settable}
    measured = (ROOT / "docs/constants.md").read_text(encoding="utf-8").partition("## What they")[2]
    rows = [line.split(" | ")[0] for line in measured.splitlines() if line.startswith("| `")]
    assert rows == [f"| `{name}`" for name, values in VALUES.items() for _ in values]


def test_decisions_have_numbers_of_their_own_which_rise_within_a_topic() -> None:
    topics = (ROOT / "DECISIONS.md").read_text(encoding="utf-8").split("\n## ")
    numbers = [[int(n) for n in re.findall(r"^\*\*(\d+)\.", t, re.MULTILINE)] for t in topics]
    assert [topic for topic in numbers if topic != sorted(topic)] == []
    every = [number for topic in numbers for number in topic]
    assert len(every) == len(set(every)) > 0


@pytest.mark.slow
def test_loading_the_definitions_imports_nothing_heavy() -> None:
    """The UI and every run load the definitions: seconds there are paid thousands of times."""
    assert loaded_by("enact_assets.definitions", HEAVY) == []


@pytest.mark.slow
def test_a_plan_needs_no_definitions() -> None:
    """`plan`, and a walk with nothing to do, answer while a person waits."""
    wiring = ("enact_assets.pipeline.dagster.definitions", "enact_assets.pipeline.driver.step_runs")
    assert (
        loaded_by("enact_assets.pipeline.driver.materialize", (*HEAVY, *wiring, "matplotlib")) == []
    )


def test_the_command_line_reads_its_arguments_before_it_loads_what_commands_need() -> None:
    libraries = ("dagster", "dataframely", "duckdb", "numba", "pyarrow", "sqlalchemy")
    assert loaded_by("enact_assets.cli", (*HEAVY, *libraries)) == []


def loaded_by(module: str, unneeded: tuple[str, ...]) -> list[str]:
    """Which of ``unneeded`` a new process has loaded once it imported ``module``."""
    code = f"import sys, {module}; print(*[m for m in {unneeded!r} if m in sys.modules])"
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()  # noqa: S603 - our own interpreter, our own code


def test_no_file_names_a_machine_or_a_registry_host() -> None:
    tracked = subprocess.run(
        ["git", "ls-files"],  # noqa: S607 - git is what made the checkout
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    # Written in two halves, or this file would name them itself.
    halves = ("pypi .org", "files.python hosted", "/wo rk/", "/ho me/", "/ro ot/")
    words = [h.replace(" ", "") for h in halves]
    for name in tracked:
        path = ROOT / name
        if path.suffix in {".png", ".parquet", ".gz"} or not path.is_file():
            continue
        text = path.read_text(errors="ignore")
        assert not [w for w in words if re.search(rf"(?<!\w){w}", text)], name
