"""A provider on this machine that misbehaves as asked, and counts what it sold.

The first folder of the address says how, options apart by ``-``:
``http://127.0.0.1:PORT/x-s429n2-ra0/v1``. An option with ``nK`` holds for the first K attempts of
each question. Options hold for questions only, and with ``all`` for the canary too; ``swap``,
``blind``, ``alias``, ``lat``, ``most`` are about it anyway. ``fault`` and a number: an error of
this status in a reply of status 200; ``failed`` and a number: in its first choice, beside counts of
tokens. ``dear`` and a number: after so many answers to questions they count ``DEAR`` times the
tokens; ``ctx`` and a number: prompts are cut to so many, without a word; ``most`` and a number: of
so many pictures and no more. Run as a program, with a port or none, it prints its port.
"""

import asyncio
import base64
import hashlib
import json
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from enact_assets.answers.models.canary import NUMBERS, drawn

_OPTION = re.compile(
    r"(s\d{3}|spread|ra|date|ms|delay|lat|cut|html|text|empty|filter|policy|other|drift|prose|long|"
    r"reset|rps|swap|blind|alias|all|half|quota|moved|surrogate|nousage|fault|failed|dear|ctx|most)(\d*)(?:n(\d+))?"
)
_QUESTION = re.compile(rb"QID=([A-Za-z0-9_]+)")
_PICTURE = re.compile(rb"(?:base64,|\"data\": ?\")([A-Za-z0-9+/=]{100,})")
_NUMBER_OF = {hashlib.sha256(drawn(number)).hexdigest(): number for number in NUMBERS}
TOKENS_IN, TOKENS_OUT, DEAR = 900, 9, 1000
TOKENS_OF_PICTURE = 300
_OF_CANARY = {"swap", "blind", "alias", "lat", "most"}
CANARY = "canary"


def answer_to(question: str) -> str:
    """What the server answers: the same to the same question."""
    order = sorted(range(1, 7), key=lambda n: hashlib.sha256(f"{question} {n}".encode()).digest())
    return str(order)


@dataclass
class Server:
    """Counts since the start; ``sold`` by question: replies that a provider would charge."""

    port: int = 0
    n: int = 0
    in_flight: int = 0
    peak: int = 0
    n_bytes: int = 0
    sold: Counter[str] = field(default_factory=Counter)
    tries: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    headers: dict[str, str] = field(default_factory=dict)
    asking: int = 0
    """Of those in flight, questions that are not answered yet: no canary."""
    pace_ms: int = 0
    """Every answer takes so much longer; ``GET /pace/600`` sets it while others ask."""
    _bucket: float = 0.0
    _bucket_at: float = 0.0

    def url(self, faults: str = "") -> str:
        """Base URL of a misbehaviour."""
        return f"http://127.0.0.1:{self.port}/x-{faults}/v1"

    def counts(self) -> dict[str, Any]:
        """As ``/stat`` answers."""
        twice = sum(n - 1 for n in self.sold.values())
        sold = sum(self.sold.values())
        return {
            "n": self.n, "peak": self.peak, "n_bytes": self.n_bytes, "sold": sold,
            "questions": len(self.sold), "twice": twice, "cpu_s": time.process_time(),
            "canaries": self.sold[CANARY], "asking": self.asking,
        }  # fmt: skip

    async def start(self, port: int = 0) -> asyncio.Server:
        """Listen on ``port``, or on a free one."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", port, limit=1 << 22)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                line, *rest = head[:-4].decode("latin1").split("\r\n")
                path = line.split(" ")[1]
                pairs = (h.split(":", 1) for h in rest)
                headers = {name.lower(): value.strip() for name, value in pairs}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                reply = await self._reply(path, headers, body)
                if reply is None:
                    break
                writer.write(reply)
                await writer.drain()
        writer.close()

    async def _reply(self, path: str, headers: dict[str, str], body: bytes) -> bytes | None:
        """The bytes to send; None closes the connection without a word."""
        if path.startswith("/stat"):
            return _http(200, json.dumps(self.counts()).encode())
        if path.startswith("/pace/"):
            self.pace_ms = int(path.removeprefix("/pace/"))
            return _http(200, b"{}")
        self.headers = headers
        self.n, self.n_bytes = self.n + 1, self.n_bytes + len(body)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            return await self._misbehaved(path, body)
        finally:
            self.in_flight -= 1

    async def _misbehaved(self, path: str, body: bytes) -> bytes | None:
        found = _QUESTION.search(body, max(0, len(body) - 4000)) or _QUESTION.search(body)
        question = found[1].decode() if found else _question_of(body)
        self.tries[question] += 1
        is_question = question != CANARY
        self.asking += is_question
        try:
            return await self._outcome(path, body, question)
        finally:
            self.asking -= is_question

    async def _outcome(self, path: str, body: bytes, question: str) -> bytes | None:
        options = self._options(path, question)
        await asyncio.sleep((options.get("lat", 0) + self.pace_ms) / 1000)
        if "spread" in options:
            share = hashlib.sha256(question.encode()).digest()[1] / 255
            await asyncio.sleep(share * options["spread"] / 1000)
        status = next((int(name[1:]) for name in options if re.fullmatch(r"s\d{3}", name)), 200)
        if "rps" in options and not self._has_place(options["rps"]):
            status = 429
        if "moved" in options:
            status = 302
        if len(_PICTURE.findall(body)) > options.get("most", 1 << 30):
            status = 400
        if status != 200 or "policy" in options or "fault" in options:
            return self._error(status, options)
        if "reset" in options:
            return None
        self.sold[question] += 1
        return self._answer(path, question, body, options)

    def _options(self, path: str, question: str) -> dict[str, int]:
        first = path.split("/")[1]
        given = {
            name: (int(value or 0), int(times or 1 << 30))
            for name, value, times in _OPTION.findall(first.removeprefix("x-"))
        }
        holds = {n: v for n, (v, times) in given.items() if self.tries[question] <= times}
        if question == CANARY and "all" not in given:
            return {n: v for n, v in holds.items() if n in _OF_CANARY}
        if "half" in given and hashlib.sha256(question.encode()).digest()[0] % 2:
            return {n: v for n, v in holds.items() if n in {"lat", "rps"}}
        return holds

    def _has_place(self, per_second: int) -> bool:
        now = time.monotonic()
        self._bucket = min(per_second, self._bucket + (now - self._bucket_at) * per_second)
        self._bucket_at = now
        if self._bucket < 1:
            return False
        self._bucket -= 1
        return True

    def _error(self, status: int, options: dict[str, int]) -> bytes:
        # Providers have been seen to repeat the key that they refuse.
        key = self.headers.get("authorization") or self.headers.get("x-api-key", "none")
        error: dict[str, Any] = {"message": f"the key was {key}", "type": "some_error"}
        extra = ""
        if "policy" in options:
            status, error["code"] = 400, "content_policy_violation"
        if options.get("fault"):
            error["code"] = options["fault"]
        if "quota" in options:
            error["code"] = "insufficient_quota"
        if "delay" in options:
            error["details"] = [{"retryDelay": f"{options['delay'] / 1000}s"}]
        if "ra" in options:
            extra = f"retry-after: {options['ra']}\r\n"
        if "date" in options:
            extra = "retry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n"
        if "ms" in options:
            extra = f"retry-after-ms: {options['ms']}\r\n"
        if status == 302:
            extra = f"location: http://127.0.0.1:{self.port}/x-/v1/chat/completions\r\n"
        self.statuses[status] += 1
        return _http(status, json.dumps({"error": error}).encode(), extra)

    def _count(self, reply: dict[str, Any], body: bytes, options: dict[str, int]) -> None:
        """Other numbers of tokens than the same for all, or an error beside them."""
        if "failed" in options:
            error = {"code": options["failed"], "message": "disconnected"}
            reply["choices"][0] |= {"finish_reason": "error", "error": error}
        n_sold = sum(self.sold.values()) - self.sold[CANARY]
        if "dear" in options and n_sold > options["dear"]:
            reply["usage"]["prompt_tokens"] = TOKENS_IN * DEAR
        if "ctx" in options:
            n = TOKENS_IN + TOKENS_OF_PICTURE * len(_PICTURE.findall(body))
            reply["usage"]["prompt_tokens"] = min(options["ctx"], n)

    def _answer(self, path: str, question: str, body: bytes, options: dict[str, int]) -> bytes:
        text, stop = answer_to(question), "stop"
        if question == CANARY:
            text = _read_canary(body, options)
        if "prose" in options:
            text = "I cannot tell which picture comes first."
        if "long" in options:
            text = "x" * 3_000_000
        if "filter" in options:
            text, stop = "", "content_filter"
        model = _model_of(path, body)
        if "other" in options:
            model = model.partition("-2")[0] + "-mini"
        if "drift" in options or "alias" in options:
            model = model.partition("-2")[0] + "-2026-09-09"
        reply = _shaped(path, text, stop, model)
        if "empty" in options:
            reply["choices"] = []
        self._count(reply, body, options)
        if "nousage" in options:
            del reply["usage"]
        data = json.dumps(reply).encode()
        if "surrogate" in options:
            data = data.replace(b'"content": "[', b'"content": "\\ud83d[')
        self.statuses[200] += 1
        if "cut" in options:
            return _http(200, data[:60])
        if "html" in options:
            return _http(200, b"<html>Sign in to the network</html>", kind="text/html")
        return _http(200, data, kind="text/plain" if "text" in options else "application/json")


def _question_of(body: bytes) -> str:
    """A name for a question that has none: the hash of its request, unless it is the canary."""
    first = _PICTURE.search(body)
    if first is not None and hashlib.sha256(base64.b64decode(first[1])).hexdigest() in _NUMBER_OF:
        return CANARY
    return hashlib.sha256(body).hexdigest()[:12]


def _read_canary(body: bytes, options: dict[str, int]) -> str:
    shown = [base64.b64decode(found) for found in _PICTURE.findall(body)]
    numbers = [_NUMBER_OF.get(hashlib.sha256(file).hexdigest(), "?") for file in shown]
    if "blind" in options:
        return "I see four calculators."
    return ", ".join(reversed(numbers) if "swap" in options else numbers)


def _model_of(path: str, body: bytes) -> str:
    named = re.search(rb'"model": ?"([^"]+)"', body) or re.search(r"models/([^:]+):", path)
    assert named is not None
    name = named[1]
    return name.decode() if isinstance(name, bytes) else name


def _shaped(path: str, text: str, stop: str, model: str) -> dict[str, Any]:
    """A reply in the format of the path."""
    if path.endswith("/chat/completions"):
        message = {"role": "assistant", "content": text}
        total = TOKENS_IN + TOKENS_OUT
        usage = {
            "prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT, "total_tokens": total,
        }  # fmt: skip
        choice = {"index": 0, "finish_reason": stop, "message": message}
        return {"id": "c", "model": model, "choices": [choice], "usage": usage}
    usage = {"input_tokens": TOKENS_IN, "output_tokens": TOKENS_OUT}
    if path.endswith("/responses"):
        part = {"type": "output_text", "text": text}
        item = {"type": "message", "role": "assistant", "content": [part]}
        return {"status": "completed", "model": model, "output": [item], "usage": usage}
    if path.endswith("/messages"):
        content = [{"type": "text", "text": text}]
        return {"content": content, "stop_reason": "end_turn", "model": model, "usage": usage}
    usage = {"promptTokenCount": TOKENS_IN, "candidatesTokenCount": TOKENS_OUT}
    candidate = {"finishReason": "STOP", "content": {"parts": [{"text": text}]}}
    return {"candidates": [candidate], "modelVersion": model, "usageMetadata": usage}


def _http(status: int, body: bytes, extra: str = "", kind: str = "application/json") -> bytes:
    head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\n{extra}content-length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


@contextmanager
def running() -> Iterator[Server]:
    """A server in a thread of this process."""
    state, started = Server(), threading.Event()
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()

    async def serve() -> None:
        async with await state.start():
            started.set()
            await ended.wait()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.sleep(0)

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    started.wait()
    try:
        yield state
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()


async def main() -> None:
    state = Server()
    async with await state.start(int(sys.argv[1]) if sys.argv[1:] else 0) as server:
        print(state.port, flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main())
