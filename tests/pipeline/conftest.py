"""One small materialization of the whole graph, shared by the tests that look at it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from daemon_places import Place
from made_roots import Materialized

from enact_assets.contracts.registry import DEFAULT_REGISTRY
from enact_assets.data_root.watched_folders import WATCH_VARIABLE
from enact_assets.driver.step_runs import leave

VARIANTS = ("baseline", "aperture_80", "contact")


def small_registry(folder: Path, **changes: object) -> Path:
    """The real registry with tiny pictures, two demonstrations and three variants: seconds instead
    of hours.
    """
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text())
    del entries["demo"]
    entries["variants"] = {name: entries["variants"][name] for name in VARIANTS}
    entries["demonstrations"] = entries["demonstrations"][:2]
    entries["models"].remove("identity")
    entries["variants"]["baseline"]["renderer"] = {"path_depth": 2, "samples": 1, "size_px": 64}
    # Few probe questions, so that they leave some key frames out.
    entries["questions"] |= {"trajectories_per_length": 12, "probe_set_per_stratum": 4}
    entries |= changes
    path = folder / "registry.yaml"
    path.write_text(yaml.safe_dump(entries))
    return path


@pytest.fixture(scope="session")
def session_registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_registry(tmp_path_factory.mktemp("registry"))


@pytest.fixture(scope="session")
def materialized(tmp_path_factory: pytest.TempPathFactory, session_registry: Path) -> Materialized:
    """Two demonstrations from nothing to leaderboard, at 64 px."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENACT_REGISTRY", str(session_registry))
        made = Materialized(tmp_path_factory.mktemp("data"), session_registry)
    assert made.first.is_success, [f.message for f in made.first.failures]
    return made


@pytest.fixture(autouse=True)
def use_small_registry(session_registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENACT_REGISTRY", str(session_registry))


@pytest.fixture
def place(materialized, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    root, registry_file = tmp_path / "data", tmp_path / "registry.yaml"
    shutil.copytree(materialized.root, root)
    shutil.copy(materialized.registry_file, registry_file)
    monkeypatch.setenv("ENACT_REGISTRY", str(registry_file))
    monkeypatch.setenv("ENACT_HOME", str(root))
    monkeypatch.delenv(WATCH_VARIABLE, raising=False)
    found = Place(root, registry_file)
    yield found
    leave()
    found.instance.dispose()
