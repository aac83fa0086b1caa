"""A machine with the fake OmniGibson: its own interpreter, a GPU by name, and a data set."""

from pathlib import Path

import pytest
from omnigibson_worlds import Machine, make_interpreter

from enact_assets.replay import omnigibson_runs


@pytest.fixture(scope="session")
def other_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_interpreter(tmp_path_factory.mktemp("omnigibson") / "venv")


@pytest.fixture
def machine(tmp_path: Path, other_python: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    found = Machine(tmp_path / "machine", other_python, monkeypatch)
    found.set_up()
    monkeypatch.setattr(omnigibson_runs, "POLL_S", 0.02)
    return found
