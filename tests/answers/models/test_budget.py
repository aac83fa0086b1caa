import asyncio
import random
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from enact_assets.answers.models import budget as budget_module
from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.budget import Account, Budget, BudgetSpentError
from enact_assets.answers.models.ledger import Ledger
from enact_assets.answers.models.ledger_locks import locked
from enact_assets.engine.errors import PredictionError
from enact_assets.engine.system.process_identity import ProcessIdentity

BOUND = 0.1


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget_module, "_POLL_S", 0.02)


async def buy(account: Account, ledger: Ledger, usd: float, wait_s: float = 0.0) -> None:
    await account.reserve(BOUND)
    await asyncio.sleep(wait_s)
    await ledger.put(Answer("sha", "q", "seer", text="[1]", usd=usd))
    account.settle(BOUND, usd)


async def buy_until_refused(budget: Budget, folder: Path, seed: int = 0) -> tuple[float, str]:
    """What was spent by eight at a time, and why they stopped."""
    reasons: list[str] = []
    draw = random.Random(seed)  # noqa: S311 - no secret
    with Ledger(folder) as ledger:
        account = Account(budget, ledger.path.name)

        async def work() -> None:
            try:
                while True:
                    await buy(account, ledger, draw.uniform(0.03, BOUND), draw.uniform(0, 0.004))
            except BudgetSpentError as error:
                reasons.append(str(error))

        await asyncio.gather(*(work() for _ in range(8)))
    account.close()
    return account.spent, reasons[0]


def test_the_limit_is_used_up_and_never_passed(tmp_path: Path) -> None:
    budget = Budget(tmp_path, 3.0)
    spent, why = asyncio.run(buy_until_refused(budget, tmp_path / "seer"))
    assert 3.0 - BOUND < spent <= 3.0
    assert "the budget of 3.00 USD" in why
    assert "does not cover another request" in why
    assert budget.committed_usd() == pytest.approx(spent)
    assert asyncio.run(buy_until_refused(Budget(tmp_path, 3.0), tmp_path / "seer"))[0] == 0


def test_what_was_spent_before_counts_also_if_it_is_unsure(tmp_path: Path) -> None:
    with Ledger(tmp_path / "other") as ledger:
        ledger.put_soon(Answer("a", "q", "other", text="[1]", usd=1.0))
        ledger.put_soon(Answer("b", "q", "other", error="reset", unsure=2, usd_unsure=1.5))
    spent, _ = asyncio.run(buy_until_refused(Budget(tmp_path, 3.0), tmp_path / "seer"))
    assert 0.5 - BOUND < spent <= 0.5


def test_two_runs_at_once_share_the_limit(tmp_path: Path) -> None:
    async def both() -> list[tuple[float, str]]:
        runs = (
            buy_until_refused(Budget(tmp_path, 4.0), tmp_path / name, seed)
            for seed, name in enumerate("ab")
        )
        return await asyncio.gather(*runs)

    spent = sum(usd for usd, _ in asyncio.run(both()))
    assert 4.0 - BOUND < spent <= 4.0


def test_a_run_has_a_limit_of_its_own_over_several_ledgers(tmp_path: Path) -> None:
    budget = Budget(tmp_path, 100.0, max_usd_of_run=1.0)
    first, why = asyncio.run(buy_until_refused(budget, tmp_path / "a"))
    assert "1.00 USD for this run" in why
    assert asyncio.run(buy_until_refused(budget, tmp_path / "b"))[0] == 0
    assert 1.0 - BOUND < first <= 1.0


def test_without_a_limit_only_what_is_free_is_asked(tmp_path: Path) -> None:
    account = Account(Budget(tmp_path, None), "1.jsonl")
    asyncio.run(account.reserve(0.0))
    with pytest.raises(BudgetSpentError, match="no budget is set"):
        asyncio.run(account.reserve(0.01))


def account_file(folder: Path, process: ProcessIdentity | None, usd: float) -> Path:
    path = folder / "budget" / "1-dead.jsonl.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    encoded = "" if process is None else process.encoded()
    path.write_bytes(msgspec.json.encode({"up_to_usd": usd, "process": encoded}))
    return path


def test_what_a_killed_run_reserved_stays_counted(tmp_path: Path) -> None:
    dead = replace(ProcessIdentity.here(), started="1")
    path = account_file(tmp_path, dead, 2.5)
    spent, why = asyncio.run(buy_until_refused(Budget(tmp_path, 3.0), tmp_path / "seer"))
    assert 0.5 - BOUND < spent <= 0.5
    assert "2.50 USD are set aside for requests of processes that died" in why
    path.unlink()
    spent, _ = asyncio.run(buy_until_refused(Budget(tmp_path, 3.0), tmp_path / "seer"))
    assert spent > 2.0


def test_answers_of_a_killed_run_are_not_counted_twice(tmp_path: Path) -> None:
    account_file(tmp_path, None, 2.5)
    (tmp_path / "x").mkdir()
    line = msgspec.json.encode(Answer("a", "q", "x", text="[1]", usd=2.0)) + b"\n"
    (tmp_path / "x" / "1-dead.jsonl").write_bytes(line)
    assert Budget(tmp_path, 3.0).committed_usd() == 2.5


def test_a_running_process_is_waited_for(tmp_path: Path) -> None:
    path = account_file(tmp_path, ProcessIdentity.here(), 2.95)

    async def run() -> float:
        account = Account(Budget(tmp_path, 3.0), "2.jsonl")
        waiting = asyncio.create_task(account.reserve(BOUND))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        path.unlink()
        await asyncio.wait_for(waiting, 3)
        return BOUND

    assert asyncio.run(run()) == BOUND


def test_an_account_is_raised_by_one_process_at_a_time(tmp_path: Path) -> None:
    async def run() -> None:
        account = Account(Budget(tmp_path, 3.0), "1.jsonl")
        with locked(tmp_path / "budget" / ".lock"):
            raising = asyncio.create_task(account.reserve(BOUND))
            await asyncio.sleep(0.05)
            assert not raising.done()
        await asyncio.wait_for(raising, 3)

    asyncio.run(run())


def test_a_run_that_was_interrupted_leaves_what_is_unsettled(tmp_path: Path) -> None:
    budget = Budget(tmp_path, 3.0)
    account = Account(budget, "1.jsonl")
    asyncio.run(account.reserve(BOUND))
    account.close()
    assert budget.committed_usd() == pytest.approx(BOUND)


def test_a_damaged_account_is_reported(tmp_path: Path) -> None:
    path = account_file(tmp_path, None, 1.0)
    path.write_bytes(b"{")
    with pytest.raises(PredictionError, match=path.name):
        Budget(tmp_path, 3.0).committed_usd()
