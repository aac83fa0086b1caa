"""Sends requests over HTTP: keeps each reply, tries again what may work later, stops what cannot.

What becomes of a reply: an answer (also empty, cut or refused) is kept. A whole reply without an
answer was paid for: it is kept with its error and not sent again in this run. A limit of the rate
holds all requests. A fault that may pass is tried again, with growing pauses. A key, address or
model that is refused stops the run, as does a row of questions without any answer.
"""

import asyncio
import json
import random
import urllib.request
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from enact_assets.asking.answers import Answer
from enact_assets.asking.budget import Account, BudgetSpentError
from enact_assets.asking.gate import Gate, asked_to_wait_s
from enact_assets.asking.ledger import Ledger
from enact_assets.asking.model_entries import LOOPBACK, Model
from enact_assets.asking.requested import Attempts, Request, answered, missing, refused, unreadable
from enact_assets.asking.wires import Pieces, ReplyError, Wire, is_refusal

if TYPE_CHECKING:
    import aiohttp

MOST_FAULTS = 6
"""Attempts that may end in a fault before a question is given up for this run."""
MOST_UNSURE = 3
"""Of these, attempts that may have been charged."""
MOST_REFUSALS = 20
"""The same for refusals of the rate."""
FIRST_WAIT_S = 0.5
"""Doubled after each fault, less a random half."""
LONGEST_WAIT_S = 60.0
LONGEST_PAUSE_S = 900.0
"""A provider that asks to wait longer stops the run: a limit per day, say."""
FAILED_IN_A_ROW = 16
"""So many questions in a row without an answer stop the run."""
MOST_BYTES = 16 << 20
"""Of a reply; reading ends there."""
MOST_RAW_BYTES = 1 << 20
"""Of a reply that is kept whole beside its text."""
_CONNECT_S = 30.0
_QUOTED = 300
_SHORTEST_KEY = 8
"""What is shorter is a placeholder, such as those of local servers."""

_ENDS_RUN = frozenset({301, 302, 303, 307, 308, 401, 402, 403, 404})
_RATE = frozenset({429, 529})
_PASSES = frozenset({408, 409, 425, *_RATE})
_MAYBE_CHARGED = frozenset({408, 504, 524})
"""A gateway gave up waiting; the model may have answered."""
_OUT_OF_MONEY = b"insufficient_quota"


class Halt:
    """Whether, and why, nothing more is sent in this run; ``error`` is raised at its end."""

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
        """Return after so long, or when the run halts."""
        try:
            await asyncio.wait_for(self._halted.wait(), seconds)
        except TimeoutError:
            return


class _Response(NamedTuple):
    """What came back. ``status`` 0: no whole reply. ``reply`` is decoded JSON, of status 200 only;
    without it ``words`` say what is wrong. ``is_unsure``: it may have been charged all the same.
    """

    status: int
    words: str = ""
    body: bytes = b""
    reply: Any = None
    raw: Any = None
    wait_s: float | None = None
    is_unsure: bool = False

    @property
    def is_rate(self) -> bool:
        """Whether the provider was asked too often."""
        return self.status in _RATE or (self.status == 503 and self.wait_s is not None)

    @property
    def may_pass(self) -> bool:
        """Whether the same request may be answered later."""
        return self.status == 0 or self.status >= 500 or self.status in _PASSES


class Client:
    """Asks one model: ``async with Client(...) as client: await client.ask(request)``."""

    def __init__(
        self,
        model: Model,
        wire: Wire,
        key: str | None,
        pieces: Pieces,
        *,
        snapshot: str | None,
        ledger: Ledger,
        account: Account,
        halt: Halt,
    ) -> None:
        self._model, self._wire, self._pieces, self._snapshot = model, wire, pieces, snapshot
        self._ledger, self._account, self._halt = ledger, account, halt
        self._key = (key or "").strip()
        self._url = wire.url(model.base_url, model.asked_id)
        self._proxy = _proxy_of(self._url)
        self._headers = wire.headers(self._key or None)
        self._gate = Gate(model.entry.in_flight)
        self._n_answered = self._n_rejected = self._n_failed = 0

    async def __aenter__(self) -> "Client":
        import aiohttp

        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=60)
        timeout = aiohttp.ClientTimeout(
            total=self._model.entry.timeout_s,
            sock_connect=min(_CONNECT_S, self._model.entry.timeout_s),
        )
        self._http = aiohttp.ClientSession(connector=connector, timeout=timeout)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.close()

    async def ask(self, request: Request) -> Answer:
        """What became of ``request``, on disk if anything was sent.

        Errors: :class:`~enact_assets.contracts.errors.OutputError` if the ledger cannot be written,
        and those of the wire and of the reader of pictures.
        """
        attempts = Attempts()
        try:
            answer = await self._tried(request, attempts)
        except asyncio.CancelledError:
            if attempts.is_in_flight:
                attempts.unsure += 1
            if attempts.unsure:
                self._ledger.put_soon(missing(self._model, request, "interrupted", attempts))
                self._account.settle(attempts.held_usd, attempts.unsure * request.most_usd)
            raise
        if attempts.n:
            await self._ledger.put(answer)
        self._account.settle(attempts.held_usd, (answer.usd or 0.0) + answer.usd_unsure)
        return answer

    async def _tried(self, request: Request, attempts: Attempts) -> Answer:
        model, parts = self._model, request.message.parts
        body = self._wire.body(model.asked_id, model.parameters, parts, self._pieces)
        while True:
            async with self._gate:
                await self._reserve(request.most_usd)
                if self._halt.reason is not None:
                    return missing(model, request, self._halt.reason, attempts)
                attempts.begin(request.most_usd)
                response = await self._post(body)
                attempts.end()
            if response.status == 200:
                return self._read(request, response, attempts)
            if response.is_unsure:
                attempts.unsure += 1
            else:
                self._account.settle(request.most_usd, 0.0)
                attempts.held_usd -= request.most_usd
            answer = self._given_up(request, response, attempts)
            if answer is not None:
                return answer
            wait_s = _wait_s(response, attempts)
            if response.is_rate:
                self._gate.slower(wait_s)
            else:
                await self._halt.sleep(wait_s)

    async def _reserve(self, usd: float) -> None:
        """Set money aside, unless the run halts, for lack of it too."""
        try:
            await self._account.reserve(usd)
        except BudgetSpentError as error:
            self._halt.stop(str(error))
            return
        if self._halt.reason is not None:
            self._account.settle(usd, 0.0)

    def _given_up(self, request: Request, response: _Response, attempts: Attempts) -> Answer | None:
        """The line for a reply without an answer; None if the request is sent again."""
        if is_refusal(response.status, response.body):
            self._count_answer()
            return refused(self._model, request, response.words, attempts)
        attempts.rate_refusals += response.is_rate
        attempts.faults += not response.is_rate
        wait_s, words = _wait_s(response, attempts), response.words
        if response.status in _ENDS_RUN or _OUT_OF_MONEY in response.body:
            self._halt.stop(words)
        elif wait_s > LONGEST_PAUSE_S:
            words += f" (asks to wait {wait_s:.0f} s: ask again later)"
            self._halt.stop(words)
        elif not response.may_pass:
            self._count_failure(words, is_request_at_fault=True)
        elif (
            attempts.faults >= MOST_FAULTS
            or attempts.unsure >= MOST_UNSURE
            or attempts.rate_refusals >= MOST_REFUSALS
        ):
            self._count_failure(words)
        else:
            return None
        return missing(self._model, request, words, attempts)

    def _read(self, request: Request, response: _Response, attempts: Attempts) -> Answer:
        """The answer that a whole reply holds."""
        self._gate.faster()
        try:
            if response.words:
                raise ReplyError(response.words)
            reply = self._wire.read(response.reply)
        except ReplyError as error:
            self._count_failure(str(error))
            return unreadable(self._model, request, str(error), attempts, response.raw)
        answer = answered(
            self._model, request, reply, attempts, snapshot=self._snapshot, raw=response.raw
        )
        if answer.error is not None:
            self._halt.stop(answer.error)
        self._count_answer()
        return answer

    def _count_answer(self) -> None:
        self._n_answered += 1
        self._n_failed = 0

    def _count_failure(self, words: str, *, is_request_at_fault: bool = False) -> None:
        """Stop the run after too many. What is wrong with single requests, such as too many
        pictures, stops it only if none was answered so far.
        """
        if is_request_at_fault and self._n_answered:
            return
        self._n_failed += 1
        if self._n_failed >= FAILED_IN_A_ROW:
            self._halt.stop(f"{self._n_failed} questions in a row got no answer, the last: {words}")

    async def _post(self, body: list[bytes]) -> _Response:
        import aiohttp

        headers = self._headers | {"content-length": str(sum(map(len, body)))}
        try:
            async with self._http.post(
                self._url,
                data=_pieces_of(body),
                headers=headers,
                proxy=self._proxy,
                # It would hand the key to another address.
                allow_redirects=False,
            ) as response:
                received = await _received(response.content)
                return self._understood(response.status, response.headers, received)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            return _Response(0, self._scrubbed(f"cannot connect to {self._url}: {error}"))
        except aiohttp.InvalidURL:
            return _Response(404, f"{self._url}: not an address; set `base_url` in models.yaml")
        except TimeoutError:
            seconds = self._model.entry.timeout_s
            return _Response(0, f"no whole reply within {seconds:g} s", is_unsure=True)
        except (aiohttp.ClientError, OSError) as error:
            words = f"no whole reply: {type(error).__name__}: {error}"
            return _Response(0, self._scrubbed(words), is_unsure=True)

    def _understood(
        self, status: int, headers: Mapping[str, str], received: bytes | None
    ) -> _Response:
        if received is None:
            words = f"a reply of more than {MOST_BYTES >> 20} MiB"
            return _Response(status, words, is_unsure=status in _MAYBE_CHARGED)
        body = self._scrubbed_bytes(received)
        quoted = " ".join(body[: 2 * _QUOTED].decode(errors="replace").split())[:_QUOTED]
        if status == 200:
            try:
                reply, raw = _decoded(body)
            except (ValueError, RecursionError):
                kind = headers.get("content-type", "no content type")
                words = f"a reply that is not JSON ({kind}): {quoted}"
                return _Response(0, words, is_unsure=True)
            return _Response(200, reply=reply, raw=raw if len(body) <= MOST_RAW_BYTES else None)
        words = f"HTTP {status} from {self._url}: {quoted}"
        if 300 <= status < 400:
            target = self._scrubbed(headers.get("location", "nowhere"))[:_QUOTED]
            words += f" redirects to {target}; redirects are not followed, so set `base_url`"
        wait_s = asked_to_wait_s(headers, body)
        return _Response(status, words, body, wait_s=wait_s, is_unsure=status in _MAYBE_CHARGED)

    def _scrubbed(self, words: str) -> str:
        return self._scrubbed_bytes(words.encode(errors="replace")).decode()

    def _scrubbed_bytes(self, words: bytes) -> bytes:
        """``words`` without the key, should a server repeat it."""
        is_key = len(self._key) >= _SHORTEST_KEY
        return words.replace(self._key.encode(), b"***") if is_key else words


async def _pieces_of(body: list[bytes]) -> AsyncIterator[bytes]:
    for piece in body:
        yield piece


async def _received(content: "aiohttp.StreamReader") -> bytes | None:
    """The whole body; None if it is longer than :data:`MOST_BYTES`."""
    chunks, size = [], 0
    async for chunk in content.iter_any():
        chunks.append(chunk)
        size += len(chunk)
        if size > MOST_BYTES:
            return None
    return b"".join(chunks)


def _decoded(body: bytes) -> tuple[Any, Any]:
    """A reply as JSON, and as the ledger keeps it. Errors: :class:`ValueError` for other bytes."""
    try:
        reply = msgspec.json.decode(body)
    except ValueError:
        # Half a character, as where a model is cut within an emoji, is no JSON to msgspec.
        text = body.decode()
        return json.loads(text), text
    return reply, reply


def _wait_s(response: _Response, attempts: Attempts) -> float:
    """How long to wait after a reply that was no answer."""
    if response.wait_s is not None:
        return response.wait_s
    n = attempts.rate_refusals if response.is_rate else attempts.faults
    jitter = random.uniform(0.5, 1.0)  # noqa: S311 - no secret
    return min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(n - 1, 16)) * jitter


def _proxy_of(url: str) -> str | None:
    """The proxy that the environment names for this address."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in LOOPBACK or urllib.request.proxy_bypass(host):
        return None
    return urllib.request.getproxies().get(parts.scheme)
