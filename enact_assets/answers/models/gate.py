"""Limits the number of requests in flight, keeps the provider's pauses, and ends a run.

The limit starts at 16, or at 1 for a model that costs money, and doubles with each round of answers
until the first refusal because of the rate limit. Each refusal halves it and holds all requests for
as long as the provider says; from then on it grows by one per round. After an answer that cost more
than was reserved it restarts at 1 and grows by one per round: only the requests in flight at that
time can exceed a budget.
"""

import asyncio
import email.utils
import random
import re
import time
from collections import deque
from collections.abc import Mapping

FIRST = 16
_SPREAD_S = 0.2
"""After a pause requests start again spread over this time."""
_RETRY_DELAY = re.compile(rb'"retryDelay":\s*"(\d+(?:\.\d+)?)s"')
_NUMBER = re.compile(
    r"\s*((\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|\+?inf(inity)?)\s*", re.ASCII | re.IGNORECASE
)


class Halt:
    """Whether and why the run halts, so that nothing more is sent; ``error`` is raised at its
    end.
    """

    def __init__(self) -> None:
        self.reason: str | None = None
        self.error: Exception | None = None
        self._halted = asyncio.Event()

    def stop(self, reason: str, error: Exception | None = None) -> None:
        """The first reason counts, and the first error."""
        self.reason = self.reason or reason
        self.error = self.error or error
        self._halted.set()

    async def sleep(self, seconds: float) -> None:
        """Wait for so long, or until the run halts."""
        try:
            await asyncio.wait_for(self._halted.wait(), seconds)
        except TimeoutError:
            return


def without_answers(n: int, last: str) -> str:
    """Why a run stops after ``n`` questions without any answer."""
    return f"{n} questions in a row got no answer, the last: {last}"


class Gate:
    """At most ``most`` requests at a time: ``async with gate``. For one event loop.

    A run that halts waits for no pause.
    """

    def __init__(self, most: int, halt: Halt | None = None, *, first: int = FIRST) -> None:
        self._most, self._halt = max(1, most), halt or Halt()
        self._limit = float(min(first, self._most))
        self._inside = 0
        self._not_before = 0.0
        self._is_doubling = True
        self._turns: deque[asyncio.Future[None]] = deque()

    @property
    def limit(self) -> int:
        """How many may be in flight now."""
        return int(self._limit)

    async def __aenter__(self) -> None:
        await self._place()
        try:
            while (wait_s := self._not_before - time.monotonic()) > 0 and not self._halt.reason:
                spread_s = random.uniform(0, _SPREAD_S)  # noqa: S311 - no secret
                await self._halt.sleep(wait_s + spread_s)
        except asyncio.CancelledError:
            self._leave()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._leave()

    def slower(self, wait_s: float) -> None:
        """A request was refused for its rate: hold all for ``wait_s`` seconds."""
        now = time.monotonic()
        if now >= self._not_before:  # once per pause, not once per request that ran into it
            self._limit = max(1.0, self._limit / 2)
            self._is_doubling = False
        self._not_before = max(self._not_before, now + wait_s)

    def one_by_one(self) -> None:
        """An answer cost more than was reserved for it."""
        self._limit, self._is_doubling = 1.0, False

    def faster(self) -> None:
        """A request was answered."""
        step = 1.0 if self._is_doubling else 1 / self._limit
        self._limit = min(float(self._most), self._limit + step)
        self._wake()

    async def _place(self) -> None:
        if self._inside < self.limit and not self._turns:
            self._inside += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._turns.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave()
            raise

    def _leave(self) -> None:
        self._inside -= 1
        self._wake()

    def _wake(self) -> None:
        while self._turns and self._inside < self.limit:
            turn = self._turns.popleft()
            if not turn.done():
                self._inside += 1
                turn.set_result(None)


def asked_to_wait_s(headers: Mapping[str, str], body: bytes) -> float | None:
    """Seconds that a provider asks to wait: ``retry-after-ms``, ``retry-after`` in seconds or as a
    date, or Google's ``retryDelay``. None if it says nothing that can be read, or less than 0;
    infinity if it says more than a float holds.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    said = headers.get("retry-after")
    seconds = _number(said)
    if seconds is not None:
        return seconds
    if said:
        try:
            at = email.utils.parsedate_to_datetime(said).timestamp()
        except (ValueError, OverflowError):
            at = None
        if at is not None:
            return max(0.0, at - time.time())
    found = _RETRY_DELAY.search(body)
    return float(found[1]) if found else None


def _number(text: str | None) -> float | None:
    found = _NUMBER.fullmatch(text or "")
    return float(found[1]) if found else None
