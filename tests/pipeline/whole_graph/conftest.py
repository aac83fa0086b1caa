"""Small materializations of the whole graph, shared by the tests that look at them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from daemon_places import Place
from made_roots import Materialized, small_registry, write_recording

from enact_assets.demonstrations.recordings.watched_folders import WATCH_VARIABLE

from reference.undrawn import draw_nothing


@pytest.fixture(scope="session")
def session_registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_registry(tmp_path_factory.mktemp("registry"), 0)


def made(root: Path, registry: Path) -> Materialized:
    """Figures of its report are composed but not drawn."""
    with pytest.MonkeyPatch.context() as patch:
        draw_nothing(patch)
        patch.setenv("ENACT_REGISTRY", str(registry))
        found = Materialized(root, registry)
    assert found.first.is_success, [f.message for f in found.first.failures]
    return found


@pytest.fixture(scope="session")
def materialized(tmp_path_factory: pytest.TempPathFactory, session_registry: Path) -> Materialized:
    """One small recording from nothing to leaderboard, and a report."""
    root = tmp_path_factory.mktemp("data")
    write_recording(root / "recordings")
    return made(root, session_registry)


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Materialized:
    """Two embedded demonstrations from nothing to leaderboard, at 64 px: for slow tests."""
    registry = small_registry(tmp_path_factory.mktemp("simulated_registry"), 2)
    return made(tmp_path_factory.mktemp("simulated"), registry)


@pytest.fixture(autouse=True)
def use_small_registry(session_registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENACT_REGISTRY", str(session_registry))


@pytest.fixture
def place(materialized, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.delenv(WATCH_VARIABLE, raising=False)
    found = Place(*materialized.copied(tmp_path, monkeypatch))
    yield found
    found.leave()
