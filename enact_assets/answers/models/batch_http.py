"""Requests of batch APIs: one after another, bodies of hundreds of megabytes in pieces.

A request without a reply may have bought a batch, so nothing is sent twice here: the caller checks
the provider's list first (:mod:`enact_assets.answers.models.bought_batches`).
"""

import http.client
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from enact_assets.answers.models.keys import without_key
from enact_assets.engine.errors import PredictionError

_QUOTED = 300
_LONGEST_LINE = 64 << 20
_TIMEOUT_S = 600.0


class BatchError(PredictionError):
    """A batch could not be submitted or read. ``status`` is that of the reply; 0: there was no
    reply, so it is unknown whether the request arrived.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would hand the key to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


class BatchHttp:
    """One provider: ``headers`` hold the ``key``, which no message repeats."""

    def __init__(self, base_url: str, headers: Mapping[str, str], key: str) -> None:
        self.base_url = base_url
        self._headers, self._key = headers, key
        self._opener = urllib.request.build_opener(_NoRedirect)

    def json(self, method: str, path: str, body: object = None) -> Any:
        """The decoded reply to a request with this JSON. Errors: :class:`BatchError`."""
        pieces = None if body is None else [msgspec.json.encode(body)]
        return self.sent(method, path, pieces)[0]

    def sent(
        self,
        method: str,
        path: str,
        pieces: Sequence[bytes] | None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[Any, Mapping[str, str]]:
        """The decoded reply to a request with these pieces as its body, and the reply's headers.

        ``path`` may be a whole address that a reply named: it gets no key. Errors:
        :class:`BatchError`.
        """
        with self._opened(method, path, pieces, headers or {}) as reply:
            body = reply.read()
            try:
                return (msgspec.json.decode(body) if body else None), dict(reply.headers.items())
            except ValueError as error:
                raise BatchError(f"{self._shown(path)}: a reply that is not JSON", 200) from error

    def lines(self, path: str) -> Iterator[bytes]:
        """Lines of a file of results. Errors: :class:`BatchError`."""
        with self._opened("GET", path, None, {}) as reply:
            try:
                while line := reply.readline(_LONGEST_LINE):
                    if line.strip():
                        yield line
            except (OSError, http.client.HTTPException) as error:
                raise BatchError(f"{self._shown(path)}: cut off ({error})") from error

    def _opened(
        self,
        method: str,
        path: str,
        pieces: Sequence[bytes] | None,
        headers: Mapping[str, str],
    ) -> Any:
        given = {"content-type": "application/json"}
        url = path
        if not path.startswith("http"):
            url = self.base_url + path
            given |= self._headers
        given |= headers
        if pieces is not None:
            given["content-length"] = str(sum(map(len, pieces)))
        data = None if pieces is None else iter(pieces)
        try:
            request = urllib.request.Request(url, data, given, method=method)  # noqa: S310 - a provider
            return self._opener.open(request, timeout=_TIMEOUT_S)
        except urllib.error.HTTPError as error:
            said = " ".join(error.read(2000).decode(errors="replace").split())[:_QUOTED]
            words = f"HTTP {error.code} from {self._shown(path)}: {said}"
            raise BatchError(without_key(words, self._key), error.code) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            words = f"no reply from {self._shown(path)}: {error}"
            raise BatchError(without_key(words, self._key)) from None

    def _shown(self, path: str) -> str:
        return path.partition("?")[0]
