"""Rules of the project itself, as tests."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from enact_assets.engine.tables import TABLES
from enact_assets.storage.sources import NOT_PUBLISHED

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "enact_assets").rglob("*.py"))
SQL = sorted((ROOT / "sql").rglob("*.sql"))
HEAVY = ("mujoco", "mitsuba", "pyoidn", "scipy.stats")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_says_what_it_is_for_and_holds_one_idea(path: Path) -> None:
    """Past 350 lines a module holds two ideas; lists of contracts are data."""
    text = path.read_text()
    assert ast.get_docstring(ast.parse(text)), "no module docstring"
    if path.name != "tables.py":
        assert len(text.splitlines()) <= 350
    assert not set(path.stem.split("_")) & {"utils", "helpers", "manager", "misc", "common"}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_public_function_has_a_docstring(path: Path) -> None:
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{name_of(path)}: {node.name}"


@pytest.mark.parametrize("path", SQL, ids=name_of)
def test_a_sql_file_opens_with_its_grain(path: Path) -> None:
    first = path.read_text().splitlines()[0]
    assert first.startswith(f"-- {path.stem}"), first


def test_every_table_is_staged_once() -> None:
    """A table without a staging file would be missing from SQL without anyone noticing."""
    staged = {p.stem for p in (ROOT / "sql" / "staging").glob("*.sql")}
    assert staged == set(TABLES) - NOT_PUBLISHED | {"stale_partitions"}


def test_loading_the_definitions_imports_nothing_heavy() -> None:
    """The UI and every run load the definitions: seconds there are paid thousands of times."""
    code = (
        f"import sys, enact_assets.definitions; print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    printed = subprocess.run(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert printed == "[]"


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
        assert not [w for w in words if w in text], name
