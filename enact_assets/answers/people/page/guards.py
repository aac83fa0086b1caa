"""Protects the page on a network: headers, sizes, rates, origins, clean pictures."""

import time
from collections.abc import MutableMapping
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 16_384
MAX_CLIENTS = 10_000
HEADERS = {
    "content-security-policy": "default-src 'none'; img-src 'self' data:; media-src 'self'; "
    "style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    # With no-referrer a browser sends `Origin: null` with our own forms.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KEPT_CHUNKS = (b"IHDR", b"PLTE", b"tRNS", b"sRGB", b"gAMA", b"cHRM", b"IDAT", b"IEND")


class Limit:
    """At most ``burst`` at once of one client, and ``per_s`` a second from then on."""

    def __init__(self, per_s: float, burst: int) -> None:
        self._per_s, self._burst = per_s, float(burst)
        self._left: MutableMapping[str, tuple[float, float]] = {}

    def count(self, client: str) -> None:
        """One more of ``client``. Errors: ``HTTPException`` 429 if that is too many."""
        now = time.monotonic()
        if len(self._left) >= MAX_CLIENTS and client not in self._left:
            self._left.pop(next(iter(self._left)))
        left, then = self._left.pop(client, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._per_s) - 1
        self._left[client] = max(left, -1.0), now
        if left < 0:
            wait_s = max(1, round(1 / self._per_s))
            raise HTTPException(
                429,
                "Too many requests. Wait a moment, then try again.",
                headers={"retry-after": str(wait_s)},
            )


class Guarded:
    """Adds :data:`HEADERS` to every reply; refuses a longer body whatever its headers say."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As any application."""
        n_bytes = 0

        async def receiving() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if n_bytes > MAX_BODY_BYTES:
                raise HTTPException(413, f"A request may have {MAX_BODY_BYTES} bytes at most.")
            return message

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        await self._app(scope, receiving if scope["type"] == "http" else receive, sending)


def check_origin(request: Request) -> None:
    """Errors: ``HTTPException`` 403 for a form that another site sent."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise HTTPException(403, "This form came from another site.")


def without_remarks(png: bytes) -> bytes:
    """``png`` without the chunks that do not change its pixels: dates, names, EXIF."""
    out, at = [_SIGNATURE], len(_SIGNATURE)
    while at + 12 <= len(png):
        end = at + 12 + int.from_bytes(png[at : at + 4], "big")
        if png[at + 4 : at + 8] in _KEPT_CHUNKS:
            out.append(png[at:end])
        at = end
    return b"".join(out)
