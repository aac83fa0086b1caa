"""Processes that are killed, interrupted, or ask the same at the same time."""

import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from enact_assets.answers.models.budget import FOLDER, Budget
from enact_assets.answers.models.ledger import read_answers

from reference.misbehaving_server import answer_to
from reference.picture_server import TOKENS_IN, TOKENS_OUT

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
TESTS = HERE.parents[1]
SERVER = TESTS / "reference" / "misbehaving_server.py"
N, IN_FLIGHT, N_KILLS = 2_000, 64, 10
USD = (900 + 9 * 2) / 1e6
"""Of an answer."""


@pytest.fixture
def server() -> Iterator[str]:
    """Address of a server in a process of its own."""
    with subprocess.Popen(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, SERVER],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.terminate()


def counts(server: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{server}/stat") as reply:  # noqa: S310 - our own server
        found: dict[str, Any] = json.load(reply)
        return found


class Asking(subprocess.Popen[str]):
    """A process that asks ``n`` questions and prints what became of them into a file: of two that
    end together one would wait for the reader of the other's pipe.
    """

    def __init__(
        self,
        server: str,
        folder: Path,
        faults: str,
        *,
        n: int = N,
        asked_id: str = "seer-2",
        usd: float = 100.0,
    ) -> None:
        url = f"{server}/x-{faults}/v1"
        given = [url, str(folder), str(n), asked_id, str(usd), str(IN_FLIGHT)]
        self.printed = folder.with_name(f"{folder.name}-{asked_id}-{time.time_ns()}.json")
        with self.printed.open("w") as file:
            super().__init__([sys.executable, HERE / "asking_process.py", *given], stdout=file)


def finished(process: Asking) -> dict[str, str]:
    assert process.wait(timeout=200) == 0
    found: dict[str, str] = json.loads(process.printed.read_text())
    return found


def kill(begin: Callable[[], subprocess.Popen[str]], folder: Path, n_kills: int, s: float) -> None:
    """Kill so many processes that ``begin`` starts, each within ``s`` seconds of its first answers:
    no answer is lost.
    """
    seed = int.from_bytes(os.urandom(4))
    draw = random.Random(seed)  # noqa: S311 - no secret
    print(f"seed {seed}")
    kept: dict[str, str | None] = {}
    while n_kills:
        process = begin()
        while process.poll() is None and len(read_answers(folder)) < len(kept) + 4:
            time.sleep(0.05)
        time.sleep(draw.uniform(0.0, s))
        if process.poll() is None:
            process.kill()
            n_kills -= 1
        process.wait()
        time.sleep(0.7)  # the server answers what it still has
        now = {sha: answer.text for sha, answer in read_answers(folder).items()}
        assert kept.items() <= now.items(), f"an answer is gone (seed {seed})"
        kept = now


def test_killed_ten_times_no_answer_is_lost_and_few_are_bought_twice(
    server: str, tmp_path: Path
) -> None:
    kill(lambda: Asking(server, tmp_path, "lat500"), tmp_path, N_KILLS, 2.5)
    rows = finished(Asking(server, tmp_path, "lat500"))
    assert rows == {f"q{k}": answer_to(f"q{k}") for k in range(N)}
    counted = counts(server)
    assert counted["questions"] == N + 1
    print(f"{counted['twice']} bought twice in {N_KILLS} kills")
    assert counted["twice"] <= N_KILLS * IN_FLIGHT
    # What the budget counts is at least what the server charged.
    assert Budget(tmp_path, 100.0).committed_usd() >= counted["sold"] * USD - 1e-9


def test_killed_while_pictures_are_edited_none_is_lost_and_few_are_bought_twice(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-m", "reference.picture_server"]
    n, in_flight, n_kills = 60, 4, 5
    with subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, text=True) as running:  # noqa: S603
        assert running.stdout is not None
        url = f"http://127.0.0.1:{running.stdout.readline().strip()}/x-good"
        given = [sys.executable, HERE / "editing_process.py", url, tmp_path, str(n), str(in_flight)]
        editing = list(map(str, given))
        begin = partial(subprocess.Popen, editing, stdout=subprocess.DEVNULL, text=True)
        kill(begin, tmp_path, n_kills, 0.5)
        files = {path.name for path in tmp_path.rglob("pictures/*")}
        assert {str(answer.text) for answer in read_answers(tmp_path).values()} <= files
        done = subprocess.run(editing, capture_output=True, text=True, check=True)  # noqa: S603
        assert json.loads(done.stdout) == {"pictures": n}
        sold = counts(url)
        running.terminate()
    assert len(sold) == n
    print(f"{sum(sold.values()) - n} bought twice in {n_kills} kills")
    assert sum(sold.values()) - n <= n_kills * in_flight
    usd = (TOKENS_IN * 10 + TOKENS_OUT * 40) / 1e6
    assert Budget(tmp_path, 1e3).committed_usd() >= sum(sold.values()) * usd - 1e-9


def test_interrupted_it_keeps_what_is_there_and_writes_down_what_was_sent(
    server: str, tmp_path: Path
) -> None:
    process = Asking(server, tmp_path, "lat1000")
    while counts(server)["questions"] < 100:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=20)
    assert process.returncode != 0
    time.sleep(1.2)
    counted = counts(server)
    unsure = sum(
        json.loads(line).get("unsure", 0)
        for path in tmp_path.rglob("*.jsonl")
        for line in path.read_text().splitlines()
    )
    # Some may not have left the process.
    assert counted["sold"] <= len(read_answers(tmp_path)) + unsure
    assert 0 < unsure <= IN_FLIGHT
    assert not list((tmp_path / FOLDER).glob("*.json"))
    finished(Asking(server, tmp_path, ""))
    assert counts(server)["twice"] <= unsure


def test_two_processes_that_ask_the_same_buy_nothing_twice(server: str, tmp_path: Path) -> None:
    processes = [Asking(server, tmp_path, "lat20", n=1_000) for _ in range(2)]
    rows = [finished(process) for process in processes]
    assert rows[0] == rows[1] == {f"q{k}": answer_to(f"q{k}") for k in range(1_000)}
    assert counts(server)["twice"] == 0


def test_two_processes_share_a_budget_also_after_a_kill(server: str, tmp_path: Path) -> None:
    limit = 1.5
    killed = Asking(server, tmp_path, "lat300", usd=limit, asked_id="seer-0")
    while counts(server)["sold"] < 50:
        time.sleep(0.02)
    killed.kill()
    killed.wait()
    time.sleep(0.5)
    begun = counts(server)["sold"]
    processes = [Asking(server, tmp_path, "lat10", usd=limit, asked_id=f"seer-{k}") for k in (1, 2)]
    rows = [finished(process) for process in processes]
    reasons = {text for found in rows for text in found.values() if not text.startswith("[")}
    assert all("does not cover another" in reason for reason in reasons)
    sold = counts(server)["sold"]
    assert begun * USD < sold * USD <= limit
    # Nearly all is used: what is left is less than a request, and what the kill left open.
    left_open = Budget(tmp_path, limit).committed_usd() - sold * USD
    assert sold * USD > limit - max(0.0, left_open) - 0.02
