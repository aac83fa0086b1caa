"""The player as a process: who holds the GPU, and what is left when somebody dies."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from omnigibson_worlds import Machine, World

from enact_assets.demonstrations.replay import omnigibson_runs
from enact_assets.demonstrations.replay.omnigibson import playback_request, replay_omnigibson
from enact_assets.demonstrations.replay.omnigibson_runs import Player, one_gpu
from enact_assets.engine.errors import PlaybackError

pytestmark = pytest.mark.slow

WORLD = World(6, {"apple": "apple"}, {("Open", "apple", None): range(3)})
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
    about = machine.demonstration(WORLD)
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
    about = machine.demonstration(WORLD)

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
replay_omnigibson("d", about, output, Player(), lambda done, total: None)
"""


def test_the_gpu_is_in_use_until_the_player_ends_not_its_parent(machine: Machine) -> None:
    """A worker of Dagster that is killed leaves its player, which plays on and finishes."""
    about, go_on = machine.demonstration(WORLD), machine.root / "go_on"
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
    tables = replay_omnigibson("d", about, output, Player(say=say), lambda _done, _total: None)
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
player["adopt_package"]()
player["keep_lock"]()
lock = next(int(n) for n in os.listdir("/proc/self/fd") if os.path.realpath(
    f"/proc/self/fd/{{n}}").endswith("gpu.lock"))
print("inherits", os.get_inheritable(lock), flush=True)
"""
    script = machine.root / "program.py"
    script.write_text(program)
    as_interpreter(machine, f'exec "{machine.python}" "{script}"')
    about = machine.demonstration(WORLD)
    with pytest.raises(PlaybackError, match="inherits False"):
        replay_omnigibson("d", about, machine.root / "played/d", Player(), print)


def test_a_request_is_written_under_the_lock(machine: Machine) -> None:
    """Another one for the same folder, which came later, does not change what is played."""
    about = machine.demonstration(WORLD)
    asked = playback_request("d", about, machine.root / "p", frames=(1, 2))

    def say(_text: str) -> None:
        raise RuntimeError

    with one_gpu(Path(asked.output).parents[1] / "gpu.lock", print):
        with pytest.raises(RuntimeError):
            Player(say=say).run(asked, lambda: False, lambda _done, _total: None)
        assert not (Path(asked.output) / "request.json").exists()
