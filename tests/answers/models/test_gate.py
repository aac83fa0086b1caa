import asyncio
import email.utils
import math
import time

import pytest

from enact_assets.answers.models import gate as gate_module
from enact_assets.answers.models.gate import FIRST, Gate, Halt, asked_to_wait_s


def test_it_doubles_per_round_until_the_first_refusal_then_grows_by_one() -> None:
    gate = Gate(200)
    assert gate.limit == FIRST == 16
    for expected in (32, 64):
        for _ in range(gate.limit):
            gate.faster()
        assert gate.limit == expected
    gate.slower(0.0)
    assert gate.limit == 32
    for _ in range(33):
        gate.faster()
    assert gate.limit == 33
    for _ in range(100_000):
        gate.faster()
    assert gate.limit == 200


def test_many_refusals_of_one_pause_halve_once() -> None:
    gate = Gate(64)
    for _ in range(10):
        gate.slower(5.0)
    assert gate.limit == 8


def test_no_more_are_inside_than_may_be_and_none_is_left_waiting() -> None:
    async def run() -> int:
        gate, inside, peak = Gate(7), 0, 0

        async def work() -> None:
            nonlocal inside, peak
            async with gate:
                inside += 1
                peak = max(peak, inside)
                try:
                    await asyncio.sleep(0.001)
                finally:
                    inside -= 1

        tasks = [asyncio.create_task(work()) for _ in range(50)]
        await asyncio.sleep(0.002)
        for task in tasks[::3]:
            task.cancel()
        await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 5)
        await asyncio.wait_for(work(), 1)
        return peak

    assert asyncio.run(run()) == 7


def test_a_place_given_to_one_that_is_cancelled_at_once_is_not_lost() -> None:
    async def run() -> None:
        gate = Gate(1)
        async with gate:
            waiting = asyncio.create_task(gate.__aenter__())
            await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await asyncio.wait_for(gate.__aenter__(), 1)

    asyncio.run(run())


def test_a_pause_holds_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate_module, "_SPREAD_S", 0.01)

    async def run() -> list[float]:
        gate, begun = Gate(16), time.monotonic()
        entered = []

        async def work() -> None:
            async with gate:
                entered.append(time.monotonic() - begun)

        gate.slower(0.1)
        await asyncio.gather(*(work() for _ in range(20)))
        return entered

    entered = asyncio.run(run())
    assert len(entered) == 20
    assert 0.1 <= min(entered) <= max(entered) < 0.5


def test_a_run_that_halts_waits_for_no_pause() -> None:
    async def run() -> None:
        halt = Halt()
        gate = Gate(1, halt)

        async def work() -> None:
            async with gate:
                return

        gate.slower(900.0)
        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(work())
            await asyncio.sleep(0.01)
            halt.stop("HTTP 401")
            gate.slower(900.0)

    asyncio.run(asyncio.wait_for(run(), 5))


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        ({"retry-after": "7"}, b"", 7.0),
        ({"retry-after": "1.5"}, b"", 1.5),
        ({"retry-after": "9", "retry-after-ms": "250"}, b"", 0.25),
        ({}, b'{"error":{"details":[{"retryDelay": "34.5s"}]}}', 34.5),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, b"", 0.0),
        ({"retry-after": "soon"}, b"", None),
        ({"retry-after": "-3"}, b"", None),
        ({"retry-after": "nan"}, b"", None),
        ({"retry-after": "Wed, 99 Foo 99999 07:28:00 GMT"}, b"", None),
        ({"retry-after": "-inf"}, b"", None),
        ({"retry-after": ""}, b"", None),
        ({"retry-after": "1_0"}, b"", None),
        ({"retry-after": " 2e1 "}, b"", 20.0),
        ({"retry-after": "1e300"}, b"", 1e300),
        ({"retry-after": "9" * 400}, b"", math.inf),
        ({"retry-after": "Infinity"}, b"", math.inf),
        ({"retry-after-ms": "1e999"}, b"", math.inf),
        ({}, b'{"retryDelay": "' + b"9" * 400 + b's"}', math.inf),
        ({}, b"\xff", None),
    ],
)
def test_how_long_a_provider_asks_to_wait(
    headers: dict[str, str], body: bytes, expected: float | None
) -> None:
    """Faults N17: 1e300 is a very long time, not nothing."""
    assert asked_to_wait_s(headers, body) == expected


def test_a_date_in_the_future_is_waited_for() -> None:
    later = email.utils.formatdate(time.time() + 100, usegmt=True)
    assert 95 < (asked_to_wait_s({"retry-after": later}, b"") or 0) <= 100
