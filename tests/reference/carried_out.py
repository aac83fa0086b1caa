"""Demonstrations that several slow tests look at, each simulated once in a run of all tests."""

import fcntl
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from enact_assets.simulator.activities.base import Activity
from enact_assets.simulator.simulate import carry_out
from enact_assets.simulator.simulation.recording import Recording


def carried_out_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Recording]:
    """As ``carry_out``, which whoever asks first calls; all processes of a run share what came.

    What is asked for later has no failed draws to tell of.
    """
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if own.name.startswith("popen-") else own) / "carried_out"
    folder.mkdir(exist_ok=True)

    def once(activity: Activity, seed: int, *told: Any, **tells: Any) -> Recording:
        file = folder / f"{activity.name}-{seed}.pickle"
        with file.open("ab") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            if not file.stat().st_size:
                pickle.dump(carry_out(activity, seed, *told, **tells), held)
        found: Recording = pickle.loads(file.read_bytes())  # noqa: S301 - written by this run
        return found

    return once
