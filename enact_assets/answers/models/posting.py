"""One request over HTTP: sent in pieces, its reply read up to a limit, the key never repeated."""

import json
import urllib.request
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from enact_assets.answers.models.entries import LOOPBACK
from enact_assets.answers.models.gate import asked_to_wait_s
from enact_assets.answers.models.keys import without_key

if TYPE_CHECKING:
    import aiohttp

MOST_BYTES = 16 << 20
"""Of a reply; reading ends there."""
MOST_RAW_BYTES = 1 << 20
"""Of a reply that is kept whole beside its text."""
_CONNECT_S = 30.0
_QUOTED = 300
_RATE = frozenset({429, 529})
_PASSES = frozenset({408, 409, 425, *_RATE})
_MAYBE_CHARGED = frozenset({408, 504, 524})
"""A gateway gave up waiting; the model may have answered."""


class Response(NamedTuple):
    """What came back. ``status`` 0: no whole reply. ``reply`` is decoded JSON, of status 200 only;
    without it ``words`` say what is wrong. ``is_unsure``: it may have been charged all the same.
    """

    status: int
    words: str = ""
    said: str = ""
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


class Poster:
    """Posts to one address: ``async with Poster(...) as poster: await poster.post(body)``."""

    def __init__(self, url: str, headers: Mapping[str, str], key: str, timeout_s: float) -> None:
        self.url, self._headers, self._key, self._timeout_s = url, headers, key, timeout_s
        self._shown_url, self._proxy = _shown(url), _proxy_of(url)

    async def __aenter__(self) -> "Poster":
        import aiohttp

        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=60)
        seconds = self._timeout_s
        timeout = aiohttp.ClientTimeout(total=seconds, sock_connect=min(_CONNECT_S, seconds))
        self._http = aiohttp.ClientSession(connector=connector, timeout=timeout)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.close()

    async def post(self, body: list[bytes]) -> Response:
        """What came back for these pieces of a body; no fault raises an error."""
        import aiohttp

        headers = {**self._headers, "content-length": str(sum(map(len, body)))}
        try:
            async with self._http.post(
                self.url,
                data=_pieces_of(body),
                headers=headers,
                proxy=self._proxy,
                # It would hand the key to another address.
                allow_redirects=False,
            ) as response:
                received = await _received(response.content)
                return self._understood(response.status, response.headers, received)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            said = str(error).replace(" ssl:default", "")  # also of addresses without TLS
            words = f"cannot connect to {self._shown_url}: {said}"
            return Response(0, without_key(words, self._key))
        except aiohttp.InvalidURL:
            words = f"{self._shown_url}: not an address; set `base_url` in models.yaml"
            return Response(404, words)
        except ValueError as error:  # a key, and a user in the address too
            words = f"{self._shown_url}: {error}; set `base_url` in models.yaml"
            return Response(404, without_key(words, self._key))
        except TimeoutError:
            return Response(0, f"no whole reply within {self._timeout_s:g} s", is_unsure=True)
        except (aiohttp.ClientError, OSError) as error:
            words = f"no whole reply: {type(error).__name__}: {error}"
            return Response(0, without_key(words, self._key), is_unsure=True)

    def _understood(
        self, status: int, headers: Mapping[str, str], received: bytes | None
    ) -> Response:
        if received is None:
            words = f"a reply of more than {MOST_BYTES >> 20} MiB"
            return Response(status, words, is_unsure=status in _MAYBE_CHARGED)
        body = without_key(received, self._key)
        quoted = " ".join(body[: 2 * _QUOTED].decode(errors="replace").split())[:_QUOTED]
        if status == 200:
            try:
                reply, raw = _decoded(body)
            except (ValueError, RecursionError):
                kind = headers.get("content-type", "no content type")
                words = f"a reply that is not JSON ({kind}): {quoted}"
                return Response(0, words, is_unsure=True)
            kept = raw if len(body) <= MOST_RAW_BYTES else None
            return Response(200, said=quoted, body=body, reply=reply, raw=kept)
        words = f"HTTP {status} from {self._shown_url}: {quoted}"
        if 300 <= status < 400:
            target = without_key(headers.get("location", "nowhere"), self._key)[:_QUOTED]
            words += f" redirects to {target}; redirects are not followed, so set `base_url`"
        wait_s = asked_to_wait_s(headers, body)
        is_unsure = status in _MAYBE_CHARGED
        return Response(status, words, quoted, body, wait_s=wait_s, is_unsure=is_unsure)


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


def _shown(url: str) -> str:
    """``url`` without user, password and query, which may be secret."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _proxy_of(url: str) -> str | None:
    """The proxy that the environment names for this address."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in LOOPBACK or urllib.request.proxy_bypass(host):
        return None
    return urllib.request.getproxies().get(parts.scheme)
