"""The table of the paper's definitions, tables and figures names what is really there."""

import re
from functools import reduce
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from enact_assets.engine.tables import TABLES
from enact_assets.settings.registry import DEFAULT_REGISTRY

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "definitions.md").read_text(encoding="utf-8")
SECTION = TEXT.partition('<a id="d10">')[2].partition("# Profile `release`")[0]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in SECTION.splitlines()
    if line.startswith("|")
][2:]
RELATIONS = {*TABLES, *(path.stem for path in (ROOT / "sql" / "marts").glob("*.sql"))}
REGISTRY = yaml.safe_load(DEFAULT_REGISTRY.read_text(encoding="utf-8"))


def named(row: list[str]) -> list[str]:
    return re.findall(r"`([^`]+)`", row[2])


def resolve(name: str) -> Any:
    """What ``name`` is: a setting of the registry, a relation, or something of the package."""
    if name.startswith("registry: "):
        keys = name.removeprefix("registry: ").split(".")
        return reduce(lambda entries, key: entries[key], keys, REGISTRY)
    if "." not in name:
        assert name in RELATIONS, f"no relation is called {name}"
        return name
    parts = ["enact_assets", *name.removeprefix("enact_assets.").split(".")]
    n = next(n for n in range(len(parts), 0, -1) if _is_module(".".join(parts[:n])))
    module = import_module(".".join(parts[:n]))
    return reduce(_part_of, parts[n:], module)


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _part_of(owner: Any, name: str) -> Any:
    fields = getattr(owner, "__dataclass_fields__", {})
    return fields[name] if name in fields else getattr(owner, name)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_what_the_table_names_is_there(row: list[str]) -> None:
    """A renamed mart or constant would leave the table pointing nowhere."""
    assert len(row) == 3
    for name in named(row):
        resolve(name)
    for path in re.findall(r"docs/[\w.]+", row[2]):
        assert (ROOT / path).is_file()


def test_a_name_of_nothing_is_noticed() -> None:
    for name in ("leaderbord", "registry: variants.blurred", "enact_assets.Profile.flicker"):
        with pytest.raises((AssertionError, KeyError, AttributeError)):
            resolve(name)


def test_every_table_figure_and_algorithm_of_the_paper_has_a_row() -> None:
    """By number: 14 tables, 51 figures, 4 algorithms."""
    for kind, last in (("table", 14), ("figure", 51), ("algorithm", 4)):
        found: set[int] = set()
        for row in ROWS:
            for numbers in re.findall(rf"{kind}s? ([\d, toand]+)", row[0]):
                for first, end in re.findall(r"(\d+)(?: to (\d+))?", numbers):
                    found |= set(range(int(first), int(end or first) + 1))
        assert found == set(range(1, last + 1)), kind
