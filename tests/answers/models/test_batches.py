"""Batches of three providers: nothing bought twice, nothing lost, wherever a process dies."""

import multiprocessing
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from answers.models.small_questions import messages, model, outcomes, read_picture

from enact_assets.answers.models import bought_batches
from enact_assets.answers.models.batch_providers import OpenAiBatches
from enact_assets.answers.models.batch_records import waiting
from enact_assets.answers.models.bought_batches import collect, ledger_folders, submit
from enact_assets.answers.models.budget import FOLDER, Budget
from enact_assets.answers.models.ledger import read_answers
from enact_assets.answers.models.session import IN_BATCH, ask

from reference.batch_server import BatchServer, serving
from reference.misbehaving_server import TOKENS_IN, TOKENS_OUT, answer_to

WIRES = ("openai_chat", "openai_responses", "anthropic", "google")
USD = (TOKENS_IN + 2 * TOKENS_OUT) / 1e6
"""Of an answer that is bought at once."""


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with serving() as found:
        yield found


def asked(url: str, wire: str):  # type: ignore[no-untyped-def]
    return model(f"{url}/v1" if wire.startswith("openai") else url, wire)


def step(what: str, url: str, wire: str, folder: Path, n: int) -> int:
    """Submit or collect: how many requests were submitted, or are still open."""
    found, budget = asked(url, wire), Budget(folder, 100.0)
    if what == "submit":
        return submit(found, messages(n), read_picture, folder, budget=budget).n_requests
    return sum(collect(found, f, budget=budget).n_open for f in ledger_folders(folder))


def in_ledger(folder: Path) -> dict[str, str | None]:
    found = read_answers(folder).values()
    return {a.question_id: a.text for a in found if a.purpose == "question"}


@pytest.mark.parametrize("wire", WIRES)
def test_answers_come_back_by_their_hash_at_half_the_price(
    server: BatchServer, tmp_path: Path, wire: str
) -> None:
    """Results come in another order than requests."""
    assert step("submit", server.url, wire, tmp_path, 7) == 7
    assert step("submit", server.url, wire, tmp_path, 7) == 0
    assert in_ledger(tmp_path) == {}
    assert step("collect", server.url, wire, tmp_path, 7) == 7
    assert step("collect", server.url, wire, tmp_path, 7) == 0
    assert in_ledger(tmp_path) == {f"q{k}": answer_to(f"q{k}") for k in range(7)}
    answers = [a for a in read_answers(tmp_path).values() if a.purpose == "question"]
    assert [a.usd for a in answers] == pytest.approx([USD / 2] * 7)
    assert Budget(tmp_path, 1.0).committed_usd() == pytest.approx(USD + 7 * USD / 2)
    assert not list((tmp_path / FOLDER).glob("*.json"))
    # And the pipeline reads them: nothing is asked again.
    found = ask(
        asked(server.url, wire), messages(7), read_picture, tmp_path, budget=Budget(tmp_path, 1.0)
    )
    assert outcomes(found) == {"complete": 7}
    assert max(server.sold.values()) == 1


def test_what_waits_in_a_batch_is_not_bought_at_once(server: BatchServer, tmp_path: Path) -> None:
    step("submit", server.url, "openai_chat", tmp_path, 3)
    budget = Budget(tmp_path, 1.0)
    found = ask(
        asked(server.url, "openai_chat"), messages(3), read_picture, tmp_path, budget=budget
    )
    assert {answer.error for answer in found.values()} == {IN_BATCH}


@pytest.mark.parametrize("wire", WIRES)
def test_expired_and_failed_requests_cost_nothing_and_are_asked_again(
    server: BatchServer, tmp_path: Path, wire: str
) -> None:
    server.expiring = server.failing = True
    step("submit", server.url, wire, tmp_path, 9)
    step("collect", server.url, wire, tmp_path, 9)
    (folder,) = ledger_folders(tmp_path)
    done = collect(asked(server.url, wire), folder, budget=Budget(tmp_path, 1.0))
    assert (done.n_answers, done.n_without, done.n_open) == (6, 3, 0)
    assert len(in_ledger(tmp_path)) == 6
    assert Budget(tmp_path, 1.0).committed_usd() == pytest.approx(USD + 6 * USD / 2)
    server.expiring = server.failing = False
    assert step("submit", server.url, wire, tmp_path, 9) == 3
    step("collect", server.url, wire, tmp_path, 9)
    step("collect", server.url, wire, tmp_path, 9)
    assert in_ledger(tmp_path) == {f"q{k}": answer_to(f"q{k}") for k in range(9)}
    assert max(server.sold.values()) == 1


def test_batches_end_at_the_limits_of_the_provider(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OpenAiBatches, "most_requests", 4)
    assert step("submit", server.url, "openai_chat", tmp_path, 10) == 10
    assert [len(b["lines"]) for b in server.batches.values()] == [4, 4, 2]
    monkeypatch.setattr(OpenAiBatches, "most_bytes", 1)
    assert step("submit", server.url, "openai_chat", tmp_path, 12) == 2
    assert [len(b["lines"]) for b in server.batches.values()] == [4, 4, 2, 1, 1]


def test_the_budget_holds_for_batches_that_wait(server: BatchServer, tmp_path: Path) -> None:
    """Money of a batch is spoken for until its answers are in the ledger."""
    found = asked(server.url, "openai_chat")
    n = submit(found, messages(1), read_picture, tmp_path, budget=Budget(tmp_path, 1.0))
    limit = USD + 3.5 * n.usd
    for _ in range(2):
        done = submit(found, messages(9), read_picture, tmp_path, budget=Budget(tmp_path, limit))
        assert "does not cover another request" in done.why_not_all
    assert sum(server.sold.values()) == 3
    assert [len(waiting(folder)) for folder in ledger_folders(tmp_path)] == [3]


@pytest.mark.parametrize("last", ["covered", "write_batch"])
@pytest.mark.parametrize("n_times", [1, 2])
def test_killed_before_anything_is_sent_no_money_stays_set_aside(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str, n_times: int
) -> None:
    """``last`` is what the process did last: set money aside, or write the record of the batch."""
    begun = []
    whole = getattr(bought_batches, last)

    def and_no_further(*given: Any, **more: Any) -> Any:
        done = whole(*given, **more)
        begun.append(done)
        if len(begun) == n_times:
            raise SystemExit("killed")
        return done

    with monkeypatch.context() as patch:
        patch.setattr(OpenAiBatches, "most_requests", 2)  # the second batch is killed, too
        patch.setattr(bought_batches, last, and_no_further)
        with pytest.raises(SystemExit):
            step("submit", server.url, "openai_chat", tmp_path, 4)
    for _ in range(2):
        step("submit", server.url, "openai_chat", tmp_path, 4)
        step("collect", server.url, "openai_chat", tmp_path, 4)
    step("collect", server.url, "openai_chat", tmp_path, 4)
    assert in_ledger(tmp_path) == {f"q{k}": answer_to(f"q{k}") for k in range(4)}
    assert max(server.sold.values()) == 1
    assert Budget(tmp_path, 1.0).committed_usd() == pytest.approx(USD + 4 * USD / 2)
    assert not ledger_folders(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize("wire", ["openai_chat", "anthropic", "google"])
def test_killed_at_every_request_nothing_is_bought_twice_and_nothing_lost(
    tmp_path: Path, wire: str, is_after: bool
) -> None:
    """Before the provider handled a request, and after it did and nobody heard of it."""
    n, n_kills = 5, 0
    # From a process without threads, which has imported everything.
    fresh = multiprocessing.get_context("forkserver")
    fresh.set_forkserver_preload([__name__])
    for kill_at in range(20):
        folder = tmp_path / str(kill_at)
        was_killed = False
        with serving() as server:
            server.kill_after = is_after
            for what in ("submit", "collect", "collect"):
                process = fresh.Process(target=step, args=(what, server.url, wire, folder, n))
                server.victim, server.kill_at = process, kill_at
                process.start()
                process.join(60)
                if process.exitcode == -signal.SIGKILL:
                    was_killed, server.victim = True, None
                    break
                assert process.exitcode == 0
            for _ in range(4):
                step("submit", server.url, wire, folder, n)
                step("collect", server.url, wire, folder, n)
            assert in_ledger(folder) == {f"q{k}": answer_to(f"q{k}") for k in range(n)}
            assert max(server.sold.values()) == 1, (kill_at, server.sold)
            assert not ledger_folders(folder)
        n_kills += was_killed
        if not was_killed:
            break
    assert n_kills == kill_at
    assert n_kills >= 5
