"""The server is killed under ten annotators: no answer is lost, doubled or changed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.bench_people import Panel
from enact_assets.settings.paths import PEOPLE_VARIABLE

from reference.servers import postgres

pytestmark = pytest.mark.slow


@pytest.fixture
def postgres_url() -> Iterator[str]:
    with postgres() as url:
        yield url


def check(folder: Path) -> None:
    found = Panel(folder).answer(n_answers=30, n_kills=3)
    assert found.n_answers == 300
    assert found.n_wrong == 0


def test_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PEOPLE_VARIABLE, raising=False)
    check(tmp_path)


def test_postgres(tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PEOPLE_VARIABLE, postgres_url)
    check(tmp_path)
