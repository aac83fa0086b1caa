"""What a provider can charge beyond the budget: faults N13."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from answers.models.small_questions import (
    KEY,
    KEY_VARIABLE,
    PRICE,
    asked,
    messages,
    model,
    outcomes,
)
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.answers.models.budget import Account, Budget, BudgetSpentError
from enact_assets.answers.models.gate import Gate
from enact_assets.answers.models.replies import Reply
from enact_assets.answers.models.requested import most_usd

from reference.misbehaving_server import DEAR, TOKENS_IN, TOKENS_OUT, Server

IN_FLIGHT, N = 16, 60
DEAR_USD = (TOKENS_IN * DEAR * PRICE.tokens_in + TOKENS_OUT * PRICE.tokens_out) / 1e6
ROUNDING = 1e-6


@pytest.mark.parametrize("n_before", [0, 3, 40])
def test_the_limit_is_passed_by_what_is_in_flight_at_most_faults_n13(
    server: Server, tmp_path: Path, n_before: int
) -> None:
    """14 answers for 12.60 USD with a budget of 0.05: sixteen were in flight at once."""
    given = model(server.url(f"dear{n_before}-lat20"), in_flight=IN_FLIGHT)
    one = most_usd(given, messages(1)[0], 100)
    answers = asked(given, messages(N), tmp_path, one * (N + 2))
    dear = [a for a in answers.values() if (a.usd or 0.0) > one]
    assert 1 <= len(dear) <= min(IN_FLIGHT, 1 + n_before)
    most = len(dear) * (DEAR_USD - one)
    assert Budget(tmp_path, None).committed_usd() <= one * (N + 2) + most + ROUNDING
    assert outcomes(answers)["missing"] == N - n_before - len(dear)


async def spent_on(budget: Budget, costs: list[float], in_flight: int, bound: float) -> list[bool]:
    """Answers of these costs asked for one after another or at once, as a client does; whether
    each was asked for before any had cost too much.
    """
    account, gate = Account(budget, "1.jsonl"), Gate(in_flight, first=1)
    todo, is_known, were_before = iter(costs), False, list[bool]()

    async def work() -> None:
        nonlocal is_known
        for cost in todo:
            async with gate:
                try:
                    held = await account.reserve(bound)
                except BudgetSpentError:
                    return
                was_before = not is_known
                await asyncio.sleep(0)
            account.settle(held, cost)
            if account.costs_more(cost, bound, held):
                is_known = True
                were_before.append(was_before)
                gate.one_by_one()
            else:
                gate.faster()

    await asyncio.gather(*(work() for _ in range(in_flight)))
    spent = account.spent
    account.close()
    assert spent <= (budget.max_usd_of_root or 0.0) + sum(max(0.0, cost - bound) for cost in costs)
    return were_before


@given(
    n_good=st.integers(0, 40),
    factor=st.floats(1.5, 1000.0),
    in_flight=st.integers(1, 32),
    limit=st.floats(0.05, 5.0),
)
def test_dear_answers_are_as_many_as_were_in_flight(
    tmp_path_factory: pytest.TempPathFactory,
    n_good: int,
    factor: float,
    in_flight: int,
    limit: float,
) -> None:
    """Whenever a provider begins to charge a multiple, only what was in flight then passes the
    limit: nothing that is asked later costs more than was set aside.
    """
    bound = 0.01
    costs = [bound] * n_good + [bound * factor] * 60
    folder = tmp_path_factory.mktemp("ledger")
    over: list[bool] = asyncio.run(spent_on(Budget(folder, limit), costs, in_flight, bound))
    assert all(over)
    assert len(over) <= min(in_flight, 1 + n_good)


def test_a_model_run_in_this_process_is_asked_one_by_one_after_a_dear_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through Inspect, too: money is set aside in batches that double."""
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    sizes: list[int] = []

    class Dear:
        version = "1"

        def answers(self, batch: Any, read: Any) -> Iterator[Any]:
            sizes.append(len(batch))
            for message in batch:
                n = 1 if message.question_id == "canary" else 900_000 * (len(sizes) > 4)
                yield Reply("407, 185, 962, 318", "complete", "seer-2", n, None, 1)

    given = model("", channel="inspect", in_flight=IN_FLIGHT)
    one = most_usd(given, messages(1)[0], None)
    equally_long = messages(140)[100:]
    asked(given, equally_long, tmp_path, one * 100, in_process=Dear())
    assert sizes[:5] == [1, 1, 2, 4, 8]
    assert sizes[5:8] == [1, 2, 4]  # within what is set aside from then on
