"""A lake by hand and where it is published."""

from pathlib import Path

import pytest
from sql.tiny_lake import Relations, tiny_rows, write_lake

from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.publishing import former_file


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "data" / "enact.duckdb"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return write_lake(tmp_path / "lake", tiny_rows())


@pytest.fixture(scope="session")
def tiny() -> Relations:
    """Relations of :func:`tiny_rows`, for tests that change nothing."""
    return Relations(tiny_rows())


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part for each demonstration."""
    monkeypatch.setattr(former_file, "FEWEST", 1)
    monkeypatch.setattr(former_file, "ONE_IN", 1)
