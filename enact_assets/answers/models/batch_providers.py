"""Batch APIs of three providers behind one protocol: half the price, answers within a day.

Requests are those of the wire formats. Each is identified by its hash, which providers call
``custom_id`` (Google: ``key``): 64 characters, the most that Anthropic accepts. They are sent one
after another, bodies of hundreds of megabytes in pieces. One without a reply may have bought a
batch, so nothing is sent twice here: the caller checks the provider's list first
(:mod:`enact_assets.answers.models.bought_batches`).
"""

import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

import msgspec

from enact_assets.answers.models.keys import without_key
from enact_assets.answers.models.wires import Wire
from enact_assets.engine.errors import PredictionError

Body = Sequence[bytes]
"""A request as JSON, in pieces."""
_json = msgspec.json.encode
_MIB = 1 << 20
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


@dataclass(frozen=True)
class Result:
    """Result of one request: a reply with its status, or a message without a reply."""

    sha: str
    status: int
    reply: Any = None
    words: str = ""


@dataclass(frozen=True)
class Planned:
    """Identifies a planned batch in the provider's list, which shows whether it was submitted."""

    label: str
    shas: frozenset[str]
    since: float
    """Seconds since 1970."""


class BatchProvider(Protocol):
    """The batch API of one provider. Errors of all methods: :class:`BatchError`."""

    most_bytes: int
    most_requests: int

    def submit(self, label: str, requests: Sequence[tuple[str, Body]]) -> str:
        """Submit requests, keyed by their hashes; returns the id of the batch."""
        ...

    def find(self, planned: Planned, known: frozenset[str]) -> tuple[str | None, bool]:
        """The id of a batch that was submitted but not recorded; and whether that is certain.

        ``known`` are ids of recorded batches. (None, True): it was never submitted.
        """
        ...

    def ended(self, batch_id: str) -> Mapping[str, Any] | None:
        """The provider's description of a batch that ended; None while it runs."""
        ...

    def results(self, batch_id: str, said: Mapping[str, Any]) -> Iterator[Result]:
        """Results of a batch that ended, in any order; requests without one were not answered."""
        ...


class OpenAiBatches:
    """A file of requests, a batch that names it, a file of results and one of errors."""

    most_bytes, most_requests = 190 * _MIB, 50_000

    def __init__(self, http: BatchHttp, wire: Wire) -> None:
        self._http = http
        self._endpoint = "/v1" + wire.path

    def submit(self, label: str, requests: Sequence[tuple[str, Body]]) -> str:
        """As :class:`BatchProvider`."""
        head = f'","method":"POST","url":"{self._endpoint}","body":'.encode()
        lines: list[bytes] = []
        for sha, body in requests:
            lines += [b'{"custom_id":"', sha.encode(), head, *body, b"}\n"]
        edge = f"enact-{label}"
        pieces = [
            f'--{edge}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f'--{edge}\r\ncontent-disposition: form-data; name="file"; filename="{label}.jsonl"\r\n'
            "content-type: application/jsonl\r\n\r\n".encode(),
            *lines,
            f"\r\n--{edge}--\r\n".encode(),
        ]
        kind = {"content-type": f"multipart/form-data; boundary={edge}"}
        file, _ = self._http.sent("POST", "/files", pieces, kind)
        asked = {
            "input_file_id": _text(file, "id"),
            "endpoint": self._endpoint,
            "completion_window": "24h",
            "metadata": {"enact_label": label},
        }
        return _text(self._http.json("POST", "/batches", asked), "id")

    def find(self, planned: Planned, known: frozenset[str]) -> tuple[str | None, bool]:  # noqa: ARG002 - the label says it
        """As :class:`BatchProvider`: by the label."""
        after = ""
        while True:
            page = self._http.json("GET", f"/batches?limit=100{after}")
            for batch in page["data"]:
                if (batch.get("metadata") or {}).get("enact_label") == planned.label:
                    return batch["id"], True
            if not page.get("has_more") or not page["data"]:
                return None, True
            after = f"&after={page['data'][-1]['id']}"

    def ended(self, batch_id: str) -> Mapping[str, Any] | None:
        """As :class:`BatchProvider`."""
        said: Mapping[str, Any] = self._http.json("GET", f"/batches/{batch_id}")
        ends = {"completed", "expired", "cancelled", "failed"}
        return said if said.get("status") in ends else None

    def results(self, batch_id: str, said: Mapping[str, Any]) -> Iterator[Result]:
        """As :class:`BatchProvider`."""
        files = [said.get("output_file_id"), said.get("error_file_id")]
        if said["status"] == "failed" and not any(files):
            raise BatchError(f"batch {batch_id} failed: {_short(said.get('errors'))}", 400)
        for file in filter(None, files):
            for line in self._http.lines(f"/files/{file}/content"):
                row = _row(line)
                response = row.get("response") or {}
                status = response.get("status_code", 0)
                error = row.get("error")
                words = _short(error or response.get("body"))
                yield Result(row["custom_id"], 0 if error else status, response.get("body"), words)


class AnthropicBatches:
    """A batch contains its requests. It has no label, so one that was not recorded is recognised by
    its results.
    """

    most_bytes, most_requests = 240 * _MIB, 100_000
    _path = "/v1/messages/batches"

    def __init__(self, http: BatchHttp, wire: Wire) -> None:  # noqa: ARG002 - there is one format
        self._http = http

    def submit(self, label: str, requests: Sequence[tuple[str, Body]]) -> str:  # noqa: ARG002 - takes none
        """As :class:`BatchProvider`."""
        pieces: list[bytes] = [b'{"requests":[']
        for at, (sha, body) in enumerate(requests):
            opening = b'%s{"custom_id":"%s","params":' % (b"," * bool(at), sha.encode())
            pieces += [opening, *body, b"}"]
        return _text(self._http.sent("POST", self._path, [*pieces, b"]}"])[0], "id")

    def find(self, planned: Planned, known: frozenset[str]) -> tuple[str | None, bool]:
        """As :class:`BatchProvider`: by the hashes in its results, once it ended."""
        is_certain = True
        for batch in self._listed(planned.since):
            count = sum(batch["request_counts"].values())
            if batch["id"] in known or count != len(planned.shas):
                continue
            if batch["processing_status"] != "ended":
                is_certain = False  # it may be this one
            elif planned.shas >= {r.sha for r in self.results(batch["id"], batch)}:
                return batch["id"], True
        return None, is_certain

    def ended(self, batch_id: str) -> Mapping[str, Any] | None:
        """As :class:`BatchProvider`."""
        said: Mapping[str, Any] = self._http.json("GET", f"{self._path}/{batch_id}")
        return said if said.get("processing_status") == "ended" else None

    def results(self, batch_id: str, said: Mapping[str, Any]) -> Iterator[Result]:
        """As :class:`BatchProvider`: where the batch says, at the address of ours."""
        named = urlsplit((said.get("results_url") or "").removeprefix(self._http.base_url))
        path = named._replace(scheme="", netloc="").geturl()
        for line in self._http.lines(path or f"{self._path}/{batch_id}/results"):
            row = _row(line)
            result = row["result"]
            if result["type"] == "succeeded":
                yield Result(row["custom_id"], 200, result["message"])
            else:
                error = result.get("error")
                # Refused content is an error of the request; others may pass.
                status = 400 if result["type"] == "errored" else 0
                yield Result(row["custom_id"], status, error, _short(error or result["type"]))

    def _listed(self, since: float) -> Iterator[Mapping[str, Any]]:
        import datetime as dt

        after = ""
        while True:
            page = self._http.json("GET", f"{self._path}?limit=100{after}")
            for batch in page["data"]:
                made = dt.datetime.fromisoformat(batch["created_at"]).timestamp()
                if made < since - 3600:  # clocks differ; the newest come first
                    return
                yield batch
            if not page.get("has_more") or not page["data"]:
                return
            after = f"&after_id={page['last_id']}"


class GoogleBatches:
    """An uploaded file of requests, a batch that names it, a file of results."""

    most_bytes, most_requests = 1_900 * _MIB, 200_000

    def __init__(self, http: BatchHttp, wire: Wire, asked_id: str) -> None:
        self._http, self._version = http, wire.version
        single = wire.url(http.base_url, asked_id).removeprefix(http.base_url)
        self._create = single.replace(":generateContent", ":batchGenerateContent")

    def submit(self, label: str, requests: Sequence[tuple[str, Body]]) -> str:
        """As :class:`BatchProvider`."""
        pieces: list[bytes] = []
        for sha, body in requests:
            pieces += [b'{"key":"', sha.encode(), b'","request":', *body, b"}\n"]
        size = sum(map(len, pieces))
        start = {
            "x-goog-upload-protocol": "resumable",
            "x-goog-upload-command": "start",
            "x-goog-upload-header-content-length": str(size),
            "x-goog-upload-header-content-type": "application/jsonl",
        }
        named = [_json({"file": {"displayName": label, "mimeType": "application/jsonl"}})]
        _, headers = self._http.sent("POST", f"/upload/{self._version}/files", named, start)
        url = {name.lower(): value for name, value in headers.items()}.get("x-goog-upload-url")
        if url is None:
            raise BatchError("the provider gave no address to upload the requests to", 200)
        command = {"x-goog-upload-offset": "0", "x-goog-upload-command": "upload, finalize"}
        uploaded, _ = self._http.sent("POST", url, pieces, command)
        asked = {"displayName": label, "inputConfig": {"fileName": _text(uploaded["file"], "name")}}
        return _text(self._http.json("POST", self._create, {"batch": asked}), "name")

    def find(self, planned: Planned, known: frozenset[str]) -> tuple[str | None, bool]:  # noqa: ARG002 - the label says it
        """As :class:`BatchProvider`: by the label."""
        page_token = ""
        while True:
            page = self._http.json("GET", f"/{self._version}/batches?pageSize=100{page_token}")
            for batch in (page or {}).get("operations", ()):
                if batch.get("metadata", {}).get("displayName") == planned.label:
                    return batch["name"], True
            if not (page or {}).get("nextPageToken"):
                return None, True
            page_token = f"&pageToken={page['nextPageToken']}"

    def ended(self, batch_id: str) -> Mapping[str, Any] | None:
        """As :class:`BatchProvider`."""
        said: Mapping[str, Any] = self._http.json("GET", f"/{self._version}/{batch_id}")
        state = str(said.get("metadata", {}).get("state", ""))
        is_ended = re.search(r"_(SUCCEEDED|FAILED|CANCELLED|EXPIRED)$", state)
        return said if is_ended else None

    def results(self, batch_id: str, said: Mapping[str, Any]) -> Iterator[Result]:
        """As :class:`BatchProvider`."""
        output = said.get("metadata", {}).get("output") or said.get("response") or {}
        file = output.get("responsesFile")
        if file is None:
            if str(said["metadata"]["state"]).endswith("_FAILED"):
                raise BatchError(f"batch {batch_id} failed: {_short(said.get('error'))}", 400)
            return
        for line in self._http.lines(f"/{self._version}/{file}:download?alt=media"):
            row = _row(line)
            reply, error = row.get("response"), row.get("error")
            status = (
                200 if reply is not None else int((error or {}).get("code", 0) in {3, 400}) * 400
            )
            yield Result(row["key"], status, reply or {"error": error}, _short(error))


def batch_provider(http: BatchHttp, wire: Wire, asked_id: str) -> BatchProvider:
    """The batch API of a wire format."""
    if wire.name == "anthropic":
        return AnthropicBatches(http, wire)
    if wire.name == "google":
        return GoogleBatches(http, wire, asked_id)
    return OpenAiBatches(http, wire)


def _text(reply: Any, name: str) -> str:
    found = reply.get(name) if isinstance(reply, dict) else None
    if not isinstance(found, str) or not found:
        raise BatchError(f"a reply without {name!r}: {_short(reply)}", 200)
    return found


def _row(line: bytes) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(line)
    except ValueError as error:
        raise BatchError(f"a result that is not JSON: {line[:80]!r}", 200) from error
    if not isinstance(found, dict):
        raise BatchError(f"a result that is no object: {line[:80]!r}", 200)
    return found


def _short(value: object) -> str:
    return str(value)[:300]
