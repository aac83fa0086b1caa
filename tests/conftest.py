"""Makes ``tests/`` importable (``from reference.x import y``) and shares tests out to processes."""

import atexit
import gc
import os
import shutil
import sys
from collections.abc import Generator
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
    "all", settings.get_profile("quick"), max_examples=100, derandomize=False, print_blob=True
)
settings.load_profile("quick")

LONG = (
    # These compile kernels, the first two nearly all of them: in a fresh clone another process
    # would compile the same ones again.
    ("tests/pipeline/bulk/test_bulk_run.py", "tests/operations/", "tests/pipeline/whole_graph/"),
    ("tests/results/faithfulness/test_claims_of_demonstrations.py",),
    ("tests/simulator/activities/test_world_simulation.py",),
    # Tables and changes of recorded tasks.
    (
        "tests/results/verification/test_release_",
        "tests/questions/key_frames/test_release_",
        "tests/questions/asked/test_release_",
        "tests/questions/paths/test_release_",
        "tests/demonstrations/replay/test_recorded",
    ),
    # Rows of a tiny lake, with their statistics, and the file published from them.
    (
        *("tests/results/report/", "tests/sql/", "tests/results/browse/test_site.py"),
        *("tests/results/browse/test_questions.py", "tests/commands/test_coverage.py"),
        "tests/pipeline/steps/test_answer_summaries.py",
    ),
    ("tests/commands/release/test_importing.py",),
    ("tests/demonstrations/replay/test_omnigibson_pictures.py",),
    ("tests/demonstrations/replay/test_omnigibson.py",),
    ("tests/demonstrations/replay/test_omnigibson_versions.py",),
)
"""Tests that go to one process, what takes longest first; the rest goes there by file."""

WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
ONE_BY_ONE = "tests/simulator/activities/test_every_activity.py"
"""Half an hour of small parts: they come last and go to whichever process is free."""
SLOW_MODULE = "\npytestmark = pytest.mark.slow\n"

MEMORY = Path("/dev/shm")  # noqa: S108 - pytest makes a folder of its own there
"""Linux keeps the files of this folder in memory."""
MEMORY_BYTES = 4 << 30
"""Tests write half a gigabyte; a model in another process may need the rest."""

# Plans of tests know no time of other data roots, and runs of tests leave none.
os.environ["ENACT_STEP_TIMES"] = "none"

sys.path.insert(0, str(Path(__file__).parent))


pytest_plugins = ["outcomes"]


def place_of(nodeid: str, *, compiles: bool = True) -> tuple[int, str]:
    """Where a test stands in the queue, and what goes to one process together with it.

    Where kernels are compiled already, nothing keeps the first group together; it is half of all
    slow tests, so the second process would end long before the first.
    """
    for place, together in enumerate(LONG):
        for begin in together:
            if nodeid.startswith(begin):
                return place, begin if place == 0 and not compiles else together[0]
    if nodeid.startswith(ONE_BY_ONE):
        return len(LONG) + 1, nodeid
    return len(LONG), nodeid.partition("::")[0]


def is_quick(config: pytest.Config) -> bool:
    """Slow tests are left out, as nobody asked for them."""
    return bool(config.option.markexpr == "not slow")


def pytest_configure(config: pytest.Config) -> None:
    """Data roots are made in memory where there is room: each file of one waits for the disk.

    Slow tests make large ones, on the disk. Nothing that is collected is garbage, so the collector
    of reference cycles waits.
    """
    gc.disable()
    if not is_quick(config) or not MEMORY.is_dir():
        return
    is_unfit = os.statvfs(MEMORY).f_flag & (os.ST_NOEXEC | os.ST_RDONLY)
    if not is_unfit and shutil.disk_usage(MEMORY).free >= MEMORY_BYTES:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A module of slow tests alone is not even imported where none of them will run."""
    if not is_quick(config) or collection_path.suffix != ".py":
        return None
    return True if SLOW_MODULE in collection_path.read_text("utf-8") else None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Every second process reads test files from the last one on.

    In a fresh clone their assertions must be rewritten, which takes as long as all else about
    collection: each finds half of the files done by another.
    """
    report = yield
    if isinstance(collector, pytest.Directory) and WORKER % 2:
        report.result.reverse()
    return report


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest begins first, or one process would wait for the other at the end."""
    items.sort(key=lambda item: (place_of(item.nodeid)[0], item.nodeid.partition("::")[0]))


def pytest_collection_finish() -> None:
    """All that was imported stays: the collector of reference cycles need not look at it again.

    Of what tests keep, a data root or demonstration for others, it would look at millions of
    objects every few seconds: so it looks seldom.
    """
    gc.freeze()
    # What is frozen when Python ends, extension modules report as leaked. Before that, pytest looks
    # through all that is not frozen for exceptions that were lost.
    atexit.register(gc.unfreeze)
    gc.set_threshold(50_000, 10, 4)
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests are handed out by :func:`place_of`.

    The plugin's own groups no longer work with pytest 9.2, which ignores the names it gives tests.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return place_of(nodeid, compiles=is_quick(config))[1]

        def remove_node(self, node: Any) -> str | None:
            """A test whose process ended has failed: the plugin would try it in every new one."""
            work = self.assigned_work[node]
            left = (
                (unit, t) for unit in work.values() for t, is_done in unit.items() if not is_done
            )
            unit, crashed = next(left, ({}, None))
            if crashed is not None:
                unit[crashed] = True
            # A process that is handed nothing but what is done would wait for ever.
            self.assigned_work[node] = {s: u for s, u in work.items() if not all(u.values())}
            super().remove_node(node)
            return crashed

        def _reschedule(self, node: Any) -> None:
            """Of two processes that are replaced at once, one has not read the tests yet. A process
            begins a test when it knows the next one, or that there is none: it is told so.
            """
            if node in self.registered_collections:
                super()._reschedule(node)
                super()._reschedule(node)

    config.option.loadscopereorder = False
    return Together(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Contexts that Dagster builds for sensors enter their instance and leave it when they are
    collected, in any order: a later test would load its definitions from one that is gone.
    """
    state = sys.modules.get("dagster._core.storage.defs_state.base")
    if state is not None:
        state._current_storage.set(None)
