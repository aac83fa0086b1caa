"""Machines with a fake OmniGibson: its own interpreter, a GPU by name, and a data set."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from omnigibson_worlds import Machine, make_interpreter

from enact_assets.demonstrations.replay import omnigibson_runs


@pytest.fixture(scope="session")
def other_pythons(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Interpreter by profile, made when it is first asked for."""

    @cache
    def python(profile: str) -> Path:
        return make_interpreter(tmp_path_factory.mktemp("omnigibson") / "venv", profile)

    return python


@pytest.fixture
def machines(
    tmp_path: Path, other_pythons: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Machine]:
    """A machine by profile; the one made last is the one whose interpreter is used."""
    monkeypatch.setattr(omnigibson_runs, "POLL_S", 0.02)

    def machine(profile: str) -> Machine:
        made = Machine(
            tmp_path / f"machine-{profile}", other_pythons(profile), monkeypatch, profile
        )
        made.set_up()
        return made

    return machine


@pytest.fixture
def machine(machines: Callable[[str], Machine]) -> Machine:
    """One with OmniGibson 1.1.1."""
    return machines("1.1.1")
