"""Sends requests over HTTP: stores each reply, retries temporary failures, and stops the run on
permanent ones.

An answer (even empty, cut or refused) is stored. A whole reply without an answer may have been paid
for: it is stored with its error, and the request is not sent again in this run, unless the reply is
only an error. A rate limit holds all requests. A temporary failure is retried, with growing pauses.
A refused key, address or model stops the run, as does a series of questions without any answer, or
a quarter of an hour of refusals because of the rate limit.
"""

import asyncio
import random
import time
from collections.abc import Callable

import msgspec

from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.budget import Account, BudgetSpentError
from enact_assets.answers.models.entries import Model
from enact_assets.answers.models.gate import FIRST, Gate, Halt, without_answers
from enact_assets.answers.models.ledger import Ledger
from enact_assets.answers.models.posting import Poster, Response
from enact_assets.answers.models.replies import (
    Reply,
    ReplyError,
    counts_tokens,
    is_refusal,
    status_within,
)
from enact_assets.answers.models.requested import (
    Attempts,
    Request,
    answered,
    missing,
    refused,
    unreadable,
)
from enact_assets.answers.models.wires import Pieces, Wire

MOST_FAULTS = 6
"""Most failing attempts before a question is given up for this run."""
MOST_UNSURE = 3
"""Of these, attempts that may have been charged."""
MOST_REFUSALS = 20
"""The same for refusals because of the rate limit."""
FIRST_WAIT_S = 0.5
"""Doubled after each fault, less a random half."""
LONGEST_WAIT_S = 60.0
LONGEST_PAUSE_S = 900.0
"""A provider that asks to wait longer stops the run: a limit per day, say. So does one that refuses
everything for its rate for so long.
"""
TOLD_AFTER_S = 10.0
"""After so long without an answer, because of the rate limit, a message is shown."""
FAILED_IN_A_ROW = 16
"""So many questions in a row without an answer stop the run."""

_ENDS_RUN = frozenset({301, 302, 303, 307, 308, 401, 402, 403, 404})
_WANTS_KEY = frozenset({401, 403})
_OUT_OF_MONEY = b"insufficient_quota"


class Client:
    """Asks one model: ``async with Client(...) as client: await client.ask(request)``."""

    def __init__(
        self,
        model: Model,
        wire: Wire,
        key: str,
        pieces: Pieces,
        *,
        snapshot: str | None,
        ledger: Ledger,
        account: Account,
        halt: Halt,
        told: Callable[[str], None] = lambda _: None,
        at_fault: set[str] | None = None,
    ) -> None:
        """``at_fault`` receives hashes of requests that the provider refuses as they are."""
        self._model, self._wire, self._pieces, self._snapshot = model, wire, pieces, snapshot
        self._ledger, self._account, self._halt, self._told = ledger, account, halt, told
        url = wire.url(model.base_url, model.asked_id)
        self._poster = Poster(url, wire.headers(key or None), key, model.entry.timeout_s)
        self._gate = Gate(model.entry.in_flight, halt, first=1 if model.costs_money else FIRST)
        self._no_key = "" if key else _no_key(model)
        self._n_answered = self._n_failed = 0
        self._refused_since: float | None = None
        """Since when every reply was a refusal for the rate, and no other request in flight."""
        self._is_told = False
        self._n_in_flight = 0
        self._at_fault = set[str]() if at_fault is None else at_fault

    async def __aenter__(self) -> "Client":
        await self._poster.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._poster.__aexit__()

    async def ask(self, request: Request) -> Answer:
        """The line of the ledger for ``request``, without ``raw``; on disk if anything was sent.

        Errors: :class:`~enact_assets.engine.errors.OutputError` if the ledger cannot be written,
        and those of the wire and of the reader of pictures.
        """
        attempts = Attempts()
        answer: Answer | None = None
        try:
            answer = await self._tried(request, attempts)
            if attempts.n:
                await self._ledger.put(answer)
        except asyncio.CancelledError:
            # An answer that waits for the disk is written all the same.
            self._settle(attempts, answer or self._interrupted(request, attempts))
            raise
        self._settle(attempts, answer)
        # The disk has them; nine thousand whole replies are a lot of memory.
        return msgspec.structs.replace(answer, raw=None)

    def _interrupted(self, request: Request, attempts: Attempts) -> Answer:
        """The line for a request that is given up with its run, kept if it may be charged."""
        attempts.unsure += attempts.is_in_flight
        answer = missing(self._model, request, "interrupted", attempts)
        if attempts.unsure:
            self._ledger.put_soon(answer)
        return answer

    def _settle(self, attempts: Attempts, answer: Answer) -> None:
        self._account.settle(attempts.held_usd, (answer.usd or 0.0) + answer.usd_unsure)

    async def _tried(self, request: Request, attempts: Attempts) -> Answer:
        model, parts = self._model, request.message.parts
        body = self._wire.body(model.asked_id, model.parameters, parts, self._pieces)
        while True:
            async with self._gate:
                held_usd = 0.0
                if self._halt.reason is None:
                    held_usd = await self._reserve(request.most_usd)
                if self._halt.reason is not None:
                    return missing(model, request, self._halt.reason, attempts)
                attempts.begin(held_usd)
                self._n_in_flight += 1
                try:
                    response = await self._poster.post(body)
                finally:
                    self._n_in_flight -= 1
                attempts.end()
            if response.status == 200:
                reply = self._read(response)
                if isinstance(reply, Reply):
                    return self._answered(request, response, reply, attempts)
                status = status_within(response.reply)
                if status == 200:
                    self._count_failure(str(reply))
                    return unreadable(model, request, str(reply), attempts, response.raw)
                response = response._replace(
                    status=status,
                    words=f"HTTP 200, but {reply}",
                    is_unsure=counts_tokens(response.reply),
                )
            if response.is_unsure:
                attempts.unsure += 1
            else:
                self._account.settle(attempts.reserved_usd, 0.0)
                attempts.held_usd -= attempts.reserved_usd
            answer = self._given_up(request, response, attempts)
            if answer is not None:
                return answer
            wait_s = _wait_s(response, attempts)
            if response.is_rate:
                self._gate.slower(wait_s)
            else:
                await self._halt.sleep(wait_s)

    async def _reserve(self, usd: float) -> float:
        """Reserve money, unless the run halts, which it also does without money; returns the
        amount.
        """
        try:
            held = await self._account.reserve(usd)
        except BudgetSpentError as error:
            self._halt.stop(str(error))
            return 0.0
        if self._halt.reason is not None:
            self._account.settle(held, 0.0)
        return held

    def _given_up(self, request: Request, response: Response, attempts: Attempts) -> Answer | None:
        """The line for a reply without an answer; None if the request is sent again."""
        if is_refusal(response.status, response.body):
            self._count_answer()
            return refused(self._model, request, response.said, attempts)
        attempts.rate_refusals += response.is_rate
        attempts.faults += not response.is_rate
        wait_s, words = _wait_s(response, attempts), response.words
        refused_s = self._refused_s() if response.is_rate else 0.0
        if self._no_key and response.status in _WANTS_KEY:
            words += f" ({self._no_key})"
        if response.status in _ENDS_RUN or _OUT_OF_MONEY in response.body:
            self._halt.stop(words)
        elif wait_s > LONGEST_PAUSE_S:
            words += f" (asks to wait {wait_s:.15g} s: ask again later)"
            self._halt.stop(words)
        elif refused_s >= LONGEST_PAUSE_S:
            words += f" (and nothing else for {refused_s:.0f} s: ask again later)"
            self._halt.stop(words)
        elif not response.may_pass:
            self._at_fault.add(request.sha)
            self._count_failure(words, is_request_at_fault=True)
        elif (
            attempts.faults >= MOST_FAULTS
            or attempts.unsure >= MOST_UNSURE
            or attempts.rate_refusals >= MOST_REFUSALS
        ):
            self._count_failure(words)
        else:
            if refused_s + wait_s >= TOLD_AFTER_S and not self._is_told:
                self._is_told = True
                self._told(self._waiting_words(words))
            return None
        return missing(self._model, request, words, attempts)

    def _refused_s(self) -> float:
        """Seconds since the first refusal for the rate after the latest answer; one came now.

        While other requests are in flight the provider may be working: that time does not count.
        """
        if self._n_in_flight:
            self._refused_since = None
            return 0.0
        now = time.monotonic()
        if self._refused_since is None:
            self._refused_since = now
        return now - self._refused_since

    def _waiting_words(self, words: str) -> str:
        return (
            f"Model {self._model.name}: the provider says that it is asked too often ({words}). "
            "Requests wait and are sent again; after "
            f"{LONGEST_PAUSE_S / 60:g} minutes without an answer the run stops."
        )

    def _read(self, response: Response) -> Reply | ReplyError:
        """The content of a whole reply, or why it is unknown."""
        if response.words:
            return ReplyError(response.words)
        try:
            return self._wire.read(response.reply, self._model.entry.stops)
        except ReplyError as error:
            return error

    def _answered(
        self, request: Request, response: Response, reply: Reply, attempts: Attempts
    ) -> Answer:
        answer = answered(
            self._model, request, reply, attempts, snapshot=self._snapshot, raw=response.raw
        )
        usd, reserved_usd = answer.usd or 0.0, attempts.reserved_usd
        if self._account.costs_more(usd, request.most_usd, reserved_usd):
            self._gate.one_by_one()
        else:
            self._gate.faster()
        if answer.error is not None:
            self._halt.stop(answer.error)
        self._count_answer()
        return answer

    def _count_answer(self) -> None:
        self._n_answered += 1
        self._n_failed = 0
        self._refused_since, self._is_told = None, False

    def _count_failure(self, words: str, *, is_request_at_fault: bool = False) -> None:
        """Stop the run after too many. What is wrong with single requests, such as too many
        pictures, stops it only if none was answered so far.
        """
        if is_request_at_fault and self._n_answered:
            return
        self._n_failed += 1
        if self._n_failed >= FAILED_IN_A_ROW:
            self._halt.stop(without_answers(self._n_failed, words))


def _no_key(model: Model) -> str:
    """Message for a server that requires a key, why none is sent to ``model``."""
    if model.key_variable:
        return f"no key was sent: the environment variable {model.key_variable} is not set"
    return f"no key was sent: name its environment variable in `key` of {model.name} in models.yaml"


def _wait_s(response: Response, attempts: Attempts) -> float:
    """How long to wait after a reply without an answer.

    As long as the provider says, the first time. A provider that says 0 again and again would use
    up all attempts at once, so from then on the wait grows all the same.
    """
    n = attempts.rate_refusals if response.is_rate else attempts.faults
    if response.wait_s is not None and n == 1:
        return response.wait_s
    jitter = random.uniform(0.5, 1.0)  # noqa: S311 - no secret
    own = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(n - 1, 16)) * jitter
    return max(own, response.wait_s or 0.0)
