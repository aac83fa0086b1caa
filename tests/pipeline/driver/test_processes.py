"""Steps in several processes: whatever happens to one of them, nothing is lost or left."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import dagster as dg
import pytest
from small_sites import WaitingStep, empty_site, outcomes, trivial

from enact_assets.engine.errors import MaterializationError
from enact_assets.engine.grids import Partition
from enact_assets.pipeline.driver import process_runner
from enact_assets.pipeline.driver.contract import Site
from enact_assets.pipeline.driver.process_runner import ProcessRunner
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.pipeline.runs.lost_runs import process_of
from enact_assets.pipeline.runs.run import MAX_ATTEMPTS, Run

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return empty_site(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def waiting(site: Site) -> WaitingStep:
    return WaitingStep(site)


@pytest.fixture(scope="module")
def runner(site: Site) -> Iterator[ProcessRunner]:
    # Each process takes two seconds to begin.
    with ProcessRunner(site, 1) as runner:
        yield runner


@pytest.fixture
def instance(site: Site) -> Iterator[dg.DagsterInstance]:
    instance = open_instance(site.data_root)
    yield instance
    instance.dispose()


def process_at(
    instance: dg.DagsterInstance, step: str, *, timeout_s: float = 60, besides: Sequence[int] = ()
) -> int:
    """Number of the process that is at ``step``."""
    until = time.monotonic() + timeout_s
    started = dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED])
    while time.monotonic() < until:
        for run in instance.get_runs(started):
            process = process_of(run)
            assert process is not None
            is_here = not process.is_gone() and process.pid not in besides
            if is_here and dg.AssetKey(step) in (run.asset_selection or ()):
                return process.pid
        time.sleep(0.02)
    raise AssertionError(f"nobody began {step}")


def statuses(instance: dg.DagsterInstance, step: str) -> list[str]:
    """Of all runs of a step, oldest first."""
    return [
        run.status.value
        for run in reversed(instance.get_runs())
        if dg.AssetKey(step) in (run.asset_selection or ())
    ]


def test_every_step_has_one_outcome(runner: ProcessRunner, instance: dg.DagsterInstance) -> None:
    started: list[Run] = []
    runs = trivial("high", "low", "fisheye", "baseline")
    made = list(runner.run(runs, started.append, lambda _run, _progress: None))
    assert sorted(str(o.run) for o in made) == sorted(map(str, runs))
    assert sorted(map(str, started)) == sorted(map(str, runs))
    assert [o.error for o in made] == [None] * 4
    assert statuses(instance, "variant_config") == ["SUCCESS"] * 4


@pytest.mark.slow
def test_a_process_that_is_killed_loses_nothing(
    runner: ProcessRunner, waiting: WaitingStep, instance: dg.DagsterInstance
) -> None:
    """Its run would be in progress for ever, its partition missing."""

    def kill() -> None:
        pid = process_at(instance, "official_questions")
        waiting.let_go()
        os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    made = outcomes(runner, waiting.run, *trivial("high"))
    killer.join()
    assert [o.error for o in made] == [None, None]
    assert statuses(instance, "official_questions") == ["FAILURE", "SUCCESS"]


@pytest.mark.slow
def test_a_list_whose_process_is_killed_is_given_back_and_what_landed_stays(
    runner: ProcessRunner, waiting: WaitingStep, instance: dg.DagsterInstance
) -> None:
    """Tried again whole, one partition that kills its process would take the others along."""
    waiting.let_go()
    there, waits = (waiting.path.with_name(f"{name}.jsonl") for name in ("there", "waits"))
    waiting.path.replace(there)
    os.mkfifo(waits)
    instance.add_dynamic_partitions("question_file", [there.stem, waits.stem])
    before = len(statuses(instance, "official_questions"))
    lake = runner._site.data_root / "lake" / "official_questions"

    def kill() -> None:
        pid, until = process_at(instance, "official_questions"), time.monotonic() + 60
        while not list(lake.glob("there*")) and time.monotonic() < until:
            time.sleep(0.02)
        os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    (lost,) = outcomes(
        runner, Run("official_questions", (Partition.of(there.stem), Partition.of(waits.stem)))
    )
    killer.join()
    assert lost.broke_off
    assert "its process ended unexpectedly. " in str(lost.error)
    assert list(lake.glob("there*"))
    assert statuses(instance, "official_questions")[before:] == ["FAILURE"]


@pytest.mark.slow
def test_ctrl_c_stops_what_is_at_work_and_tells_dagster(
    runner: ProcessRunner, waiting: WaitingStep, instance: dg.DagsterInstance
) -> None:
    """Or the processes would work on, unseen, and their runs be in progress for ever."""
    waiting.wait_again()
    before = len(statuses(instance, "official_questions"))
    pids = []

    def press() -> None:
        pids.append(process_at(instance, "official_questions"))
        os.kill(os.getpid(), signal.SIGINT)

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    presser = threading.Thread(target=press)
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        outcomes(runner, *trivial("high"), waiting.run)
    signal.signal(signal.SIGINT, handler)
    presser.join()
    assert not Path("/proc", str(pids[0])).exists()
    assert statuses(instance, "official_questions")[before:] == ["FAILURE"]


@pytest.mark.slow
def test_processes_that_cannot_even_start_are_not_started_for_ever(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script without a main guard is imported by each worker, which then starts workers."""
    monkeypatch.setattr(process_runner, "work", _dies)
    with ProcessRunner(site, 2) as runner, pytest.raises(MaterializationError, match="exit code 7"):
        outcomes(runner, *trivial("high", "low", "fisheye", "baseline"))


def _dies(*_: object) -> None:
    os._exit(7)


@pytest.mark.slow
def test_many_processes_write_one_event_log(site: Site, instance: dg.DagsterInstance) -> None:
    """``database is locked`` would fail steps that had nothing wrong with them."""
    before = len(statuses(instance, "variant_config"))
    with ProcessRunner(site, 4) as runner:
        made = outcomes(runner, *trivial(*["high", "low", "fisheye", "baseline"] * 50))
    assert [o.error for o in made] == [None] * 200
    assert statuses(instance, "variant_config")[before:] == ["SUCCESS"] * 200


@pytest.mark.slow
def test_a_step_that_kills_its_process_each_time_fails(
    runner: ProcessRunner, waiting: WaitingStep, instance: dg.DagsterInstance
) -> None:
    """Out of memory, most of the time: it must not be tried for ever."""
    waiting.wait_again()
    before = len(statuses(instance, "official_questions"))

    def kill() -> None:
        killed: list[int] = []
        for _ in range(MAX_ATTEMPTS):
            killed.append(process_at(instance, "official_questions", besides=killed))
            os.kill(killed[-1], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    (failed,) = outcomes(runner, waiting.run)
    killer.join()
    assert "ended unexpectedly 3 times (the last time: killed by SIGKILL)" in str(failed.error)
    assert statuses(instance, "official_questions")[before:] == ["FAILURE"] * MAX_ATTEMPTS


@pytest.mark.slow
def test_no_process_outlives_a_driver_that_is_killed(
    site: Site, waiting: WaitingStep, instance: dg.DagsterInstance
) -> None:
    waiting.wait_again()
    code = f"""
import sys
sys.path[:0] = [{str(HERE)!r}, {str(HERE.parents[1])!r}]
from small_sites import *
from enact_assets.pipeline.driver.process_runner import ProcessRunner
if __name__ == "__main__":
    with ProcessRunner(empty_site(Path({str(site.data_root)!r})), 2) as runner:
        outcomes(runner, WaitingStep.run)
"""
    script = site.data_root / "driver.py"
    script.write_text(code)
    driver = subprocess.Popen([sys.executable, str(script)])  # noqa: S603 - our own script
    try:
        pid = process_at(instance, "official_questions")
    finally:
        driver.kill()
        driver.wait()
    until = time.monotonic() + 10
    while Path("/proc", str(pid)).exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not Path("/proc", str(pid)).exists()
