"""The player as a process: who holds the GPU, and what is left when somebody dies.

Dagster runs start it by the protocol of Dagster Pipes."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import dagster as dg
import pytest
from omnigibson_worlds import LAYOUTS, Machine, World, write_worlds

from enact_assets.demonstrations.replay import omnigibson_runs
from enact_assets.demonstrations.replay.omnigibson import (
    RawDemonstration,
    playback_request,
    replay_omnigibson,
    write_demonstration,
)
from enact_assets.demonstrations.replay.omnigibson_runs import Player, one_gpu
from enact_assets.engine.errors import PlaybackError
from enact_assets.engine.grids import Partition
from enact_assets.engine.progress import Progress
from enact_assets.pipeline.driver.contract import Site
from enact_assets.pipeline.driver.step_runs import InProcessRunner, leave, workplace
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.run import Outcome, Run
from enact_assets.settings.registry import DEFAULT_REGISTRY

pytestmark = pytest.mark.slow

SMALL_WORLD = World(6, {"apple": "apple"}, {("Open", "apple", None): range(3)})
PATIENCE_S = 120.0
"""On a busy machine."""


def wait_for(what: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    """Whether it runs; who ended and was not collected by its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def as_interpreter(machine: Machine, script: str) -> None:
    """Let a shell script stand for OmniGibson's interpreter."""
    program = machine.root / "og-python"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    machine.monkeypatch.setenv("OMNIGIBSON_PYTHON", str(program))


def is_locked(lock: Path) -> bool:
    told: list[str] = []

    class WouldWaitError(Exception):
        pass

    def say(text: str) -> None:
        told.append(text)
        raise WouldWaitError

    try:
        with one_gpu(lock, say):
            return False
    except WouldWaitError:
        return True


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="asks /proc who is alive")
def test_helpers_that_a_crashed_player_leaves_are_ended(machine: Machine) -> None:
    pids = machine.root / "pids"
    as_interpreter(machine, f'sleep 600 & echo $! >> "{pids}"; exit 3')
    about = machine.demonstration(SMALL_WORLD)
    with pytest.raises(PlaybackError, match="crashed with exit code 3, 2 times"):
        replay_omnigibson("d", about, machine.root / "played/d", Player(), print)
    helpers = [int(line) for line in pids.read_text().split()]
    assert len(helpers) == 2
    wait_for(lambda: not any(is_alive(pid) for pid in helpers))


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="asks /proc who is alive")
def test_a_player_that_is_interrupted_ends_with_all_it_started(machine: Machine) -> None:
    pids = machine.root / "pids"
    as_interpreter(machine, f'trap "" TERM; sleep 600 & echo $! $$ > "{pids}"; wait; wait')
    machine.monkeypatch.setattr(omnigibson_runs, "STOP_S", 0.3)
    about = machine.demonstration(SMALL_WORLD)

    def tell(*_: object) -> bool:
        wait_for(lambda: pids.exists() and len(pids.read_text().split()) == 2)
        raise KeyboardInterrupt

    machine.monkeypatch.setattr(omnigibson_runs, "_tell", tell)
    with pytest.raises(KeyboardInterrupt):
        replay_omnigibson("d", about, machine.root / "played/d", Player(), print)
    wait_for(lambda: not any(is_alive(int(pid)) for pid in pids.read_text().split()))


_PARENT = """
import sys
from pathlib import Path
from enact_assets.demonstrations.replay.omnigibson import replay_omnigibson
from enact_assets.demonstrations.replay.omnigibson_runs import Player
about, output = map(Path, sys.argv[1:])
replay_omnigibson("d", about, output, Player())
"""


def test_the_gpu_is_in_use_until_the_player_ends_not_its_parent(machine: Machine) -> None:
    """A worker of Dagster that is killed leaves its player, which plays on and finishes."""
    about, go_on = machine.demonstration(SMALL_WORLD), machine.root / "go_on"
    output = machine.root / "played/d"
    machine.monkeypatch.setenv("FAKE_OMNIGIBSON_WAIT", f"4:{go_on}")
    parent = subprocess.Popen([sys.executable, "-c", _PARENT, str(about), str(output)])  # noqa: S603
    wait_for(lambda: list(output.rglob("progress.txt")))
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    lock = output.parent / "gpu.lock"
    assert is_locked(lock)
    told: list[str] = []

    def say(text: str) -> None:
        told.append(text)
        go_on.touch()

    machine.crash_at(0, times=99)  # whoever played it again would tell
    tables = replay_omnigibson("d", about, output, Player(say=say))
    assert tables.demonstrations.item(0, "n_frames") == 6
    assert told == ["Another replay uses the GPU; waiting for it."]
    assert not (machine.root / "crashes").exists()
    assert not is_locked(lock)


def test_helpers_of_a_player_do_not_keep_the_lock(machine: Machine) -> None:
    """Some of Isaac Sim's leave the session and live on."""
    program = f"""
import os, subprocess, sys
sys.path.insert(0, {str(omnigibson_runs.PLAYER)!r})
import runpy
player = runpy.run_path({str(omnigibson_runs.PLAYER / "__main__.py")!r}, run_name="player")
player["keep_lock"]()
lock = next(int(n) for n in os.listdir("/proc/self/fd") if os.path.realpath(
    f"/proc/self/fd/{{n}}").endswith("gpu.lock"))
print("inherits", os.get_inheritable(lock), flush=True)
"""
    script = machine.root / "program.py"
    script.write_text(program)
    as_interpreter(machine, f'exec "{machine.python}" "{script}"')
    about = machine.demonstration(SMALL_WORLD)
    with pytest.raises(PlaybackError, match="inherits False"):
        replay_omnigibson("d", about, machine.root / "played/d", Player(), print)


def test_a_request_is_written_under_the_lock(machine: Machine) -> None:
    """Another one for the same folder, which came later, does not change what is played."""
    about = machine.demonstration(SMALL_WORLD)
    asked = playback_request("d", about, machine.root / "p", frames=(1, 2))

    def say(_text: str) -> None:
        raise RuntimeError

    with one_gpu(Path(asked.output).parents[1] / "gpu.lock", print):
        with pytest.raises(RuntimeError):
            Player(say=say).run(asked, lambda: False)
        assert not (Path(asked.output) / "request.json").exists()


NAME = "raw.demo_0"
WORLD = World(
    40,
    {"apple": "apple", "table": "table", "fridge": "fridge"},
    {("Open", "fridge", None): range(10, 40), ("OnTop", "apple", "table"): range(20)},
    removed={25: ["apple"]},
)


class RunOfReplays:
    """The step ``replays`` of one raw demonstration, in a data root of its own."""

    def __init__(self, machine: Machine, world: World = WORLD) -> None:
        machine.demonstration(world)
        self.machine = machine
        self.site = Site(machine.root, None, DEFAULT_REGISTRY.read_text(encoding="utf-8"))
        self.progress: list[Progress] = []
        self.instance.add_dynamic_partitions("demonstration", [NAME])

    @property
    def instance(self) -> dg.DagsterInstance:
        return workplace(self.site).instance

    def run(self, step: str = "replays", partition: str = NAME) -> Outcome:
        runner = InProcessRunner(self.site)
        steps = [Run(step, (Partition.of(partition),), ("a test",))]
        return next(
            runner.run(steps, lambda _run: None, lambda _run, told: self.progress.append(told))
        )

    def messages(self) -> list[str]:
        """What the log of the latest run says by now."""
        runs = self.instance.get_run_records(limit=1)
        if not runs:
            return []
        logged = self.instance.all_logs(runs[0].dagster_run.run_id)
        return [entry.user_message for entry in logged]


@pytest.fixture
def replays(machine: Machine) -> Iterator[RunOfReplays]:
    yield RunOfReplays(machine)
    leave()


@pytest.mark.slow
def test_a_run_shows_the_players_log_while_it_plays(replays: RunOfReplays, tmp_path: Path) -> None:
    """The player waits at frame 30 until its first message is in the run's log, in Dagster."""
    go_on = tmp_path / "go_on"
    replays.machine.monkeypatch.setenv("FAKE_OMNIGIBSON_WAIT", f"30:{go_on}")
    live: list[str] = []

    def watch() -> None:
        deadline = time.monotonic() + 240  # on a busy machine
        while time.monotonic() < deadline and not live:
            live.extend(m for m in replays.messages() if m == f"{NAME}: 1/40 frames")
            time.sleep(0.05)
        go_on.touch()

    assert replays.instance  # opened in this thread
    watcher = threading.Thread(target=watch)
    watcher.start()
    outcome = replays.run()
    watcher.join()
    assert outcome.error is None
    assert live
    assert f"{NAME}: 40/40 frames" in replays.messages()
    assert replays.progress[-1].as_text() == f"replaying {NAME}: 40/40 frames"
    lake = DataResource(root=str(replays.machine.root)).lake
    facts = lake.read("facts", {"demonstration": NAME})
    opened = facts.filter(predicate="Open").select("subject", "frame_from", "frame_to")
    assert opened.rows() == [("fridge", 10, 40)]
    about = lake.read("demonstrations", {"demonstration": NAME})
    assert about.select("source", "n_frames").rows() == [("omnigibson", 40)]
    assert lake.read("observability", {"demonstration": NAME}).height > 4


@pytest.mark.slow
def test_a_crash_is_tried_once_more_in_the_same_run(replays: RunOfReplays) -> None:
    replays.machine.crash_at(17, times=1)
    outcome = replays.run()
    assert outcome.error is None
    (told,) = [m for m in replays.messages() if "tried once more" in m]
    ended = f"{NAME}: the player was ended by SIGKILL at frame 1 of 40 or soon after."
    assert told == f"{ended} It is tried once more."


@pytest.mark.slow
def test_a_second_crash_fails_the_run_clearly(replays: RunOfReplays) -> None:
    replays.machine.crash_at(17, times=9)
    error = replays.run().error
    assert error is not None
    assert (replays.machine.root / "crashes").read_text() == "xx"
    assert f"{NAME} (" in error
    assert "raw.hdf5, demo_0)" in error
    assert "the player was ended by SIGKILL at frame 1 of 40 or soon after, 2 times" in error
    assert "a crash of the fake" in error
    assert "Traceback" not in error
    assert not list(replays.machine.root.rglob("replay.jsonl"))
    (record,) = replays.instance.get_run_records(limit=1)
    assert record.dagster_run.status is dg.DagsterRunStatus.FAILURE
    replays.machine.crash_at(17, times=0)
    assert replays.run().error is None  # the demonstration is resumed by a new run


def test_a_file_that_another_version_recorded_fails_alone(replays: RunOfReplays) -> None:
    """One message; the demonstration beside it is played in the same run."""
    other = World(4, {"apple": "apple"})
    raw = replays.machine.root / "newer.hdf5"
    write_worlds(replays.machine.python, raw, other, layout=LAYOUTS["3.7"])
    folder = replays.machine.root / "recordings" / "newer.demo_0"
    folder.mkdir()
    write_demonstration(folder / "omnigibson.json", RawDemonstration(str(raw), 0, 4, size_px=64))
    replays.instance.add_dynamic_partitions("demonstration", ["newer.demo_0"])
    runner = InProcessRunner(replays.site)
    steps = [Run("replays", (Partition.of(name),), ("a test",)) for name in ("newer.demo_0", NAME)]
    refused, played = runner.run(steps, lambda _run: None, lambda _run, _told: None)
    assert refused.error is not None
    assert refused.error.startswith(
        f"newer.demo_0: {raw}, demo_0: recorded with OmniGibson 3.7.2, "
    )
    assert "\n" not in refused.error.strip()
    assert played.error is None


def test_key_frames_and_what_they_show_follow_as_from_any_source(machine: Machine) -> None:
    """Three changes that last: the fridge opens, the apple is taken, the apple is cut."""
    world = World(
        320,
        {"apple": "apple", "table": "table", "fridge": "fridge"},
        {
            ("Open", "fridge", None): range(80, 320),
            ("Grasping:right", "robot_r1", "apple"): range(150, 211),
            ("OnTop", "apple", "table"): range(150),
        },
        added={210: {"half_apple_0": "half_apple", "half_apple_1": "half_apple"}},
        removed={210: ["apple"]},
    )
    replays = RunOfReplays(machine, world)
    try:
        for step, partition in (
            ("replays", NAME),
            ("gating_config", "state"),
            ("segmentation", f"{NAME}|state"),
            ("visibility", f"{NAME}|state"),
        ):
            assert replays.run(step, partition).error is None
        lake = DataResource(root=str(machine.root)).lake
    finally:
        leave()
    of_state = {"demonstration": NAME, "gating": "state"}
    frames = lake.read("segmented_frames", of_state).sort("key_frame").get_column("frame")
    assert frames.to_list() == [20, 100, 170, 231]  # each change, and 20 frames to settle
    seen = lake.read("visibility", of_state)
    names = seen.group_by("frame").agg("object_name").sort("frame").get_column("object_name")
    assert {"apple"} <= set(names[0]) - set(names[3])
    assert {"half_apple_0", "half_apple_1"} <= set(names[3]) - set(names[0])
