"""Makes ``tests/`` importable (``from reference.x import y``), and shares work out to workers."""

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# People get the same few examples every time; `make test-all` looks for new ones.
settings.register_profile(
    "quick",
    max_examples=25,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile(
    "all", settings.get_profile("quick"), max_examples=300, derandomize=False, print_blob=True
)
settings.load_profile("quick")

BUILT_ONCE = (
    ("tests/pipeline/",),
    ("tests/operations/",),
    ("tests/report/",),
    ("tests/sql/test_marts.py",),
    ("tests/sql/test_error_marts.py",),
    ("tests/sql/test_statistics_marts.py",),
    ("tests/official/test_importing.py",),
    ("tests/official/test_commands.py",),
    # The same simulated demonstrations.
    (
        "tests/simulator/activities/test_world_simulation.py",
        "tests/simulator/activities/test_cooking_activities.py",
        "tests/simulator/activities/test_garage_activities.py",
        "tests/simulator/activities/test_kitchen_activities.py",
        "tests/simulator/activities/test_living_room_activities.py",
    ),
)
"""Folders and files whose tests share something dear to build."""

sys.path.insert(0, str(Path(__file__).parent))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests that share something dear to build go to one worker, all others to the next free one.

    The plugin's own groups no longer work with pytest 9.2, which ignores the names it gives tests.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Shared(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            path = nodeid.partition("::")[0]
            return next((shared[0] for shared in BUILT_ONCE if path.startswith(shared)), nodeid)

    return Shared(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Contexts that Dagster builds for sensors enter their instance and leave it when they are
    collected, in any order: a later test would load its definitions from one that is gone.
    """
    state = sys.modules.get("dagster._core.storage.defs_state.base")
    if state is not None:
        state._current_storage.set(None)
