"""Scheduled rebuilds, night by night, by a simulated clock; and one tick of the real daemon."""

import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
import yaml
from daemon_places import Place
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import ModuleTarget
from dagster._daemon.daemon import get_default_daemon_logger
from dagster._scheduler.scheduler import launch_scheduled_runs
from made_roots import Materialized, small_registry, write_recording

from benchmarks.tiny_root import write_tiny_recording
from enact_assets.cli import main
from enact_assets.demonstrations.recordings.folders import CAMERA
from enact_assets.engine.planning.verdicts import Verdicts
from enact_assets.engine.system.process_identity import ProcessIdentity
from enact_assets.pipeline.driver import step_runs
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.lineage.graph import STEP_NAMED, STEP_OF
from enact_assets.pipeline.rebuild.job import Counts, Night, last_nights, rebuild_definitions
from enact_assets.pipeline.runs import range_making
from enact_assets.pipeline.runs.code_location import write_workspace
from enact_assets.pipeline.runs.driver_lock import only_driver
from enact_assets.pipeline.runs.lost_runs import PROCESS_TAG
from enact_assets.pipeline.runs.running import TRIGGER_TAG

from reference.nights import performed, requested
from reference.servers import postgres
from reference.undrawn import draw_nothing

pytestmark = pytest.mark.slow

FIRST = datetime(2026, 11, 20, 3, tzinfo=UTC)
NIGHTLY = timedelta(days=1)
PUBLISHED = {("warehouse", None), ("report", None)}
N_DUE = 13
HOUR_S = 3600.0


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Materialized:
    """Three recordings, five models: of a changed camera 13 partitions are due."""
    registry_file = small_registry(tmp_path_factory.mktemp("three_registry"), 0)
    entries = yaml.safe_load(registry_file.read_text())
    entries["models"].append("identity")
    registry_file.write_text(yaml.safe_dump(entries))
    root = tmp_path_factory.mktemp("three")
    write_recording(root / "recordings")
    other = write_tiny_recording(root.with_name("three_other"), "other")
    for name in ("moving_cups-1", "moving_cups-2"):
        place = write_tiny_recording(root / "recordings", name, has_contacts=True)
        shutil.copytree(other / CAMERA, place / "variant_aperture_80")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENACT_REGISTRY", str(registry_file))
        draw_nothing(patch)
        found = Materialized(root, registry_file)
    assert found.first.is_success, [f.message for f in found.first.failures]
    return found


class Nights(Place):
    """A data root with a schedule, and a clock of its own."""

    def __init__(self, root: Path, registry_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(root, registry_file)
        self.definitions = dg.Definitions.merge(self.definitions, rebuild_definitions())
        self.repository = self.definitions.get_repository_def()
        self.write()
        draw_nothing(monkeypatch)
        self._real = time.time
        self._offset_s = 0.0
        self._patch = monkeypatch
        monkeypatch.setattr(time, "time", lambda: self._real() + self._offset_s)

    def set_clock(self, at: datetime) -> None:
        self._offset_s = at.timestamp() - self._real()

    def runs_take(self, hours: float) -> None:
        """Each partition takes so long by the clock, alone or in a list."""
        execute, make = step_runs.execute, range_making._Run.make

        def slowly(*arguments: object, **named: object) -> object:
            outcome = execute(*arguments, **named)
            if not outcome.left and not outcome.run.is_list:
                self._offset_s += hours * HOUR_S
            return outcome

        def slowly_in_list(*arguments: object) -> None:
            make(*arguments)
            self._offset_s += hours * HOUR_S

        self._patch.setattr(step_runs, "execute", slowly)
        self._patch.setattr(range_making._Run, "make", slowly_in_list)

    def write(self, **fields: object) -> None:
        (self.root / "schedule.yaml").write_text(yaml.safe_dump({"workers": 1, **fields}))

    def plan(self) -> Verdicts:
        return Driver(self.root).plan()[0]

    def tick(self, night: datetime, late: timedelta = timedelta(0)) -> dg.RunRequest | str:
        """What the daemon gets from the schedule, with everything that Dagster checks of it."""
        self.set_clock(night + late)
        return requested(self.definitions, self.instance, night)

    def run(self, request: dg.RunRequest | str) -> dg.DagsterRun:
        """As the daemon starts it."""
        assert isinstance(request, dg.RunRequest), request
        return performed(self.definitions, self.instance, request)

    def counts(self) -> Counts:
        found = last_nights(self.instance, 1)[0].counts
        assert found is not None
        return found

    def made(self, night: dg.DagsterRun) -> Counter[tuple[str, str | None]]:
        """Asset and partition of all that a night made, publishing too."""
        filters = dg.RunsFilter(tags={"enact/invocation": night.tags["enact/invocation"]})
        runs = [r for r in self.instance.get_runs(filters) if r.run_id != night.run_id]
        assert {r.tags[TRIGGER_TAG] for r in runs} <= {"rebuild"}
        found: Counter[tuple[str, str | None]] = Counter()
        for run in runs:
            first = min({a.to_user_string() for a in run.asset_selection or ()} & set(STEP_OF))
            kind = dg.DagsterEventType.ASSET_MATERIALIZATION
            for told in self.instance.all_logs(run.run_id, of_type=kind):
                event = told.asset_materialization
                if event is not None and event.asset_key == dg.AssetKey(first):
                    found[first, event.partition] += 1
        return found

    def log(self, night: dg.DagsterRun) -> list[str]:
        return [entry.user_message for entry in self.instance.all_logs(night.run_id)]


@pytest.fixture
def nights(
    three: Materialized, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Nights]:
    found = Nights(*three.copied(tmp_path, monkeypatch), monkeypatch)
    yield found
    found.leave()


def keys(plan: Verdicts) -> set[tuple[str, str | None]]:
    """First asset and partition of what is made for certain."""
    return {(min(STEP_NAMED[row.step].assets), row.key) for row in plan.stale}


def may_follow(plan: Verdicts) -> set[tuple[str, str | None]]:
    assets = {s.name: min(s.assets) for s in STEP_NAMED.values()}
    return {
        (assets[name], "|".join(partition) or None)
        for name, partitions in plan.may_follow.items()
        for partition in partitions
    }


def test_a_night_makes_what_the_plan_names_and_the_next_one_nothing(nights: Nights) -> None:
    nights.change_camera()
    plan = nights.plan()
    assert len(plan.stale) == N_DUE
    request = nights.tick(FIRST)
    assert isinstance(request, dg.RunRequest)
    assert request.tags["enact/why"].startswith(
        "13 partitions due, first variant_config aperture_80: the registry entry changed: camera."
    )
    night = nights.run(request)
    assert night.status == dg.DagsterRunStatus.SUCCESS
    made = nights.made(night)
    assert set(made.values()) == {1}
    assert keys(plan) <= set(made)
    followed = set(made) - keys(plan)
    cut_off = may_follow(plan) - set(made)
    assert followed == may_follow(plan) - cut_off
    assert ("warehouse", None) in followed
    assert cut_off
    counts = nights.counts()
    assert (counts.made, counts.cut_off) == (len(made), len(cut_off))
    assert (counts.failed, counts.blocked, counts.left, counts.usd) == (0, 0, 0, 0.0)
    log = nights.log(night)
    listed = [line for line in log if line.startswith("cut off: ")]
    assert sum(int(line.split(", ")[1].split()[0]) for line in listed) == len(cut_off)
    assert f"{counts.made} made, {counts.cut_off} cut off, 0 failed, 0 left, 0.00 USD" in log
    n_runs = nights.instance.get_runs_count()
    said = nights.tick(FIRST + NIGHTLY)
    assert str(said).startswith("nothing is due: all ")
    assert nights.instance.get_runs_count() == n_runs
    assert not nights.plan().stale


def test_a_window_that_ends_in_the_middle_leaves_the_rest_to_the_next_night(
    nights: Nights,
) -> None:
    """What was begun ends, what was made is published, and nothing is made twice."""
    nights.write(hours=3.5)
    nights.change_camera()
    plan = nights.plan()
    nights.runs_take(1.0)
    night = nights.run(nights.tick(FIRST))
    assert night.status == dg.DagsterRunStatus.SUCCESS
    made = nights.made(night)
    # At 0, 1, 2 and 3 hours; what publishes comes after the end.
    assert sum(made.values()) == 4 + len(PUBLISHED)
    assert set(made) >= PUBLISHED
    assert nights.counts().left == N_DUE - 4
    log = nights.log(night)
    assert any(line.startswith("This night: a window of 3.5 hours") for line in log)
    assert any(line.startswith("left: ") and line.endswith("the window ended") for line in log)
    assert {(s.step, s.partition) for s in nights.plan().stale} < {
        (s.step, s.partition) for s in plan.stale
    }
    nights.write(hours=100)
    rest = nights.run(nights.tick(FIRST + NIGHTLY))
    of_rest = nights.made(rest)
    assert set(made) & set(of_rest) == PUBLISHED
    assert keys(plan) <= set(made) | set(of_rest)
    assert nights.counts().left == 0
    assert not nights.plan().stale


def test_a_greatest_number_of_partitions_is_kept_and_the_rest_is_made_later(nights: Nights) -> None:
    nights.write(max_partitions=5)
    nights.change_camera()
    night = nights.run(nights.tick(FIRST))
    made = nights.made(night)
    assert len(set(made) - PUBLISHED) == 5
    assert nights.counts().left == N_DUE - 5
    assert any(
        "the greatest number of partitions was reached" in line for line in nights.log(night)
    )
    nights.write()
    later = nights.run(nights.tick(FIRST + NIGHTLY))
    assert set(nights.made(later)) & set(made) == PUBLISHED
    assert not nights.plan().stale


def test_a_night_that_comes_too_late_makes_nothing_and_one_without_a_window_all(
    nights: Nights,
) -> None:
    """As when the daemon was down at three and comes back at nine."""
    nights.change_camera()
    nights.write(until="06:00")
    late = timedelta(hours=6)
    said = nights.tick(FIRST, late)
    assert said == (
        "the window of this night ended at 2026-11-20 06:00 UTC, so nothing begins: the next "
        "night makes what is due"
    )
    in_time = nights.tick(FIRST, timedelta(hours=2))
    assert isinstance(in_time, dg.RunRequest)
    # It may wait in the queue until the window is over.
    nights.set_clock(FIRST + late)
    night = nights.run(in_time)
    assert night.status == dg.DagsterRunStatus.SUCCESS
    assert nights.counts() == Counts()
    assert len(nights.plan().stale) == N_DUE
    nights.write()
    assert isinstance(nights.tick(FIRST, late), dg.RunRequest)


def test_a_variant_that_the_code_location_does_not_know_yet_is_made_too(nights: Nights) -> None:
    """Dagster refuses requests for a partition that it has not loaded; a walk loads them itself."""
    entries = yaml.safe_load(nights.registry_file.read_text())
    entries["variants"]["aperture_81"] = {**entries["variants"]["aperture_80"]}
    nights.registry_file.write_text(yaml.safe_dump(entries))
    night = nights.run(nights.tick(FIRST))
    assert ("variant_config", "aperture_81") in nights.made(night)
    assert ("evaluation", "oracle|aperture_81") in nights.made(night)


def test_two_nights_do_not_meet_and_no_driver(nights: Nights) -> None:
    nights.change_camera()
    with only_driver(nights.root):
        assert "skipped: a driver is at work" in str(nights.tick(FIRST))
    job = nights.definitions.resolve_job_def("rebuild")
    waiting = nights.instance.create_run_for_job(job)
    assert str(nights.tick(FIRST)).startswith("skipped: run ")
    # Killed with its machine, it would count as at work for ever.
    here = ProcessIdentity.here()
    lost = ProcessIdentity(here.host, here.pid, here.boot, here.namespace, "1")
    tag = {PROCESS_TAG: f"{waiting.run_id} {lost.encoded()}"}
    nights.instance.add_run_tags(waiting.run_id, tag)
    assert isinstance(nights.tick(FIRST), dg.RunRequest)


def test_a_night_with_a_failure_fails_after_it_made_the_rest(nights: Nights) -> None:
    nights.change_camera()
    for picture in (nights.root / "recordings" / "moving_cups-1").glob("variant_*/*.png"):
        picture.write_bytes(b"not a picture")
    night = nights.run(nights.tick(FIRST))
    assert night.status == dg.DagsterRunStatus.FAILURE
    counts = nights.counts()
    assert counts.failed == 1
    assert counts.made >= N_DUE - 2
    assert nights.made(night)["warehouse", None] == 1
    (failed,) = [
        entry.dagster_event.event_specific_data.user_failure_data
        for entry in nights.instance.all_logs(night.run_id, dg.DagsterEventType.STEP_FAILURE)
        if entry.dagster_event is not None
    ]
    assert str(failed.description).startswith("1 partition failed, first ")
    assert "moving_cups-1|aperture_80" in str(failed.description)


def test_a_night_works_with_postgresql(
    three: Materialized, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that knows of nothing: the lake is reported to it, and settings are made once."""
    places = three.copied(tmp_path, monkeypatch, "dagster")
    with postgres() as url:
        monkeypatch.setenv("ENACT_POSTGRES_URL", url)
        nights = Nights(*places, monkeypatch)
        try:
            nights.write(max_partitions=40)
            nights.change_camera()
            night = nights.run(nights.tick(FIRST))
            assert night.status == dg.DagsterRunStatus.SUCCESS
            assert ("variant_config", "aperture_80") in nights.made(night)
            assert nights.counts().left == 0
            assert str(nights.tick(FIRST + NIGHTLY)).startswith("nothing is due")
            assert not list((nights.root / "dagster").rglob("*.db"))
        finally:
            nights.leave()


def test_of_missed_nights_dagster_asks_for_the_last_one_once(nights: Nights) -> None:
    """Its real scheduler, with a clock that was away for three days."""
    nights.change_camera()
    target = ModuleTarget("enact_assets.definitions", None, None, "enact_assets")
    log = get_default_daemon_logger("SchedulerDaemon")
    nights.set_clock(datetime.now(UTC))  # the code server has a clock of its own

    def looks(context: WorkspaceProcessContext, at: datetime) -> None:
        for error in launch_scheduled_runs(context, log, at, {}):
            assert error is None or not hasattr(error, "message"), error

    began = datetime.now(UTC)
    missed = began + timedelta(days=3)
    with WorkspaceProcessContext(nights.instance, target) as context:
        looks(context, began)
        assert last_nights(nights.instance, 5) == []
        looks(context, missed)
        (queued,) = nights.instance.get_runs(dg.RunsFilter(job_name="rebuild"))
        last = missed.replace(hour=3, minute=0, second=0, microsecond=0)
        last -= timedelta(0) if last <= missed else NIGHTLY
        assert datetime.fromisoformat(queued.tags["enact/night"]) == last
        looks(context, missed)
        assert nights.instance.get_runs_count(dg.RunsFilter(job_name="rebuild")) == 1
        # The night after, that run has not ended yet.
        looks(context, missed + NIGHTLY)
    assert nights.instance.get_runs_count(dg.RunsFilter(job_name="rebuild")) == 1
    said = [night.status for night in last_nights(nights.instance, 5) if night.run_id is None]
    assert len(said) == 1
    assert "of an earlier night is queued or at work" in said[0]


def test_the_command_shows_the_next_night_and_makes_one(
    nights: Nights, capsys: pytest.CaptureFixture[str]
) -> None:
    nights.write(cron="30 2 * * *", time_zone="Europe/Berlin", hours=4, max_partitions=500)
    nights.change_camera()
    data = ["--data", str(nights.root)]
    assert main(["schedule", *data]) == 0
    said = capsys.readouterr().out
    assert "Schedule rebuild: on. cron 30 2 * * *, Europe/Berlin\n" in said
    assert "A night has a window of 4 hours, 500 partitions, nothing is bought." in said
    assert "02:30 C" in said
    assert "06:30 C" in said
    assert "13 partitions to make" in said
    assert "No night yet." in said
    assert nights.instance.get_runs_count(dg.RunsFilter(job_name="rebuild")) == 0
    assert main(["schedule", "--run-now", *data]) == 0
    counts = nights.counts()
    assert capsys.readouterr().out.endswith(f"{counts.words()}.\n")
    assert counts.made > N_DUE
    assert main(["schedule", "--run-now", *data]) == 0
    assert capsys.readouterr().out.startswith("Nothing is due: all ")
    assert main(["schedule", *data]) == 0
    said = capsys.readouterr().out
    assert "Nothing to do: all" in said
    (row,) = [line for line in said.splitlines() if "success" in line]
    assert f" {counts.made} " in row
    assert f" {counts.cut_off} " in row


def test_the_daemon_makes_a_night_by_itself(nights: Nights) -> None:
    """The real one, with a code server of its own, within two minutes of its start."""
    nights.write(cron="* * * * *")
    nights.change_camera()
    nights.set_clock(datetime.now(UTC))
    home = nights.root / "dagster"
    program = Path(sys.executable).with_name("dagster-daemon")
    environment = {**os.environ, "DAGSTER_HOME": str(home), "ENACT_AUTOMATE": "0"}
    with (nights.root.with_name("daemon.log")).open("wb") as log:
        daemon = subprocess.Popen(  # noqa: S603 - Dagster's own program
            [str(program), "run", "-w", str(write_workspace(home))],
            env=environment, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip

    def made() -> Night | None:
        nights_of_it = last_nights(nights.instance, 20)
        return next((n for n in nights_of_it if n.run_id and n.seconds is not None), None)

    def says_nothing_is_due() -> bool:
        return any(
            night.run_id is None and night.status.startswith("nothing is due")
            for night in last_nights(nights.instance, 20)
        )

    try:
        until = time.monotonic() + 600
        while (night := made()) is None or not says_nothing_is_due():
            assert daemon.poll() is None, nights.root.with_name("daemon.log").read_text()[-3000:]
            assert time.monotonic() < until
            time.sleep(1)
    finally:
        daemon.terminate()
        daemon.wait()
    assert night.status == "success"
    assert night.counts is not None
    assert night.counts.made > N_DUE
    assert not nights.plan().stale
    assert nights.instance.get_runs_count(dg.RunsFilter(job_name="rebuild")) == 1
