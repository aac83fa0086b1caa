"""Batch APIs of three providers on this machine, which count what they sold and kill on demand.

A batch ends when it is asked about, or listed, for the second time. Its results come in reverse
order. With ``expiring`` every third request of the first batch expires; with ``failing`` the first
one of each batch ends in an error.
"""

import datetime as dt
import hashlib
import json
import os
import re
import signal
from collections import Counter
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from reference.misbehaving_server import (
    CANARY,
    _model_of,
    _question_of,
    _read_canary,
    _shaped,
    answer_to,
)
from reference.threaded_servers import Handler, Server, in_thread

_QUESTION = re.compile(rb"QID=([A-Za-z0-9_]+)")


class Received(NamedTuple):
    """A request; names of ``headers`` are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class BatchServer(Server):
    """``sold`` counts answers of batches by question. ``victim`` is a process to kill at request
    number ``kill_at``, before it is handled or after; ``received`` are all requests.
    """

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.sold: Counter[str] = Counter()
        self.asked_now: Counter[str] = Counter()
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.expiring = self.failing = False
        self.victim: Any = None
        self.kill_at, self.kill_after = -1, False
        self.n = 0
        self.received: list[Received] = []

    def create(self, kind: str, path: str, requests: list[tuple[str, Any]], label: str) -> str:
        """Sell a batch."""
        id_ = f"{'batches/' if kind == 'google' else 'b'}{len(self.batches)}"
        lines = []
        for at, (custom_id, body) in enumerate(requests):
            raw = json.dumps(body).encode()
            question = _QUESTION.search(raw)
            assert question is not None
            name = question[1].decode()
            if self.expiring and not self.batches and at % 3 == 0:
                lines.append((custom_id, "expired", None))
            elif self.failing and at == 0:
                lines.append((custom_id, "failed", None))
            else:
                self.sold[name] += 1
                at_path = path if kind == "google" else path.replace("/batches", "")
                model = _model_of(path, raw)
                lines.append((custom_id, "done", _shaped(at_path, answer_to(name), "stop", model)))
        made = dt.datetime.now(dt.UTC).isoformat()
        self.batches[id_] = {"id": id_, "label": label, "polled": 0, "lines": lines, "made": made}
        return id_


class _Handler(Handler):
    server: BatchServer

    def get(self) -> None:
        self._serve(b"")

    def post(self, body: bytes) -> None:
        self._serve(body)

    def _serve(self, body: bytes) -> None:
        server = self.server
        with server.lock:
            server.n += 1
            headers = {name.lower(): value for name, value in self.headers.items()}
            server.received.append(Received(self.command, self.path, headers, body))
            is_last = server.victim is not None and server.n - 1 == server.kill_at
            if is_last and not server.kill_after:
                os.kill(server.victim.pid, signal.SIGKILL)
                return
            reply, headers = self._reply(body)
            if is_last:
                os.kill(server.victim.pid, signal.SIGKILL)
                return
        self.send(reply, headers=headers)

    def _reply(self, body: bytes) -> tuple[Any, dict[str, str]]:
        server, path = self.server, self.path.partition("?")[0]
        if path.startswith("/v1/messages/batches"):
            return self._anthropic(path, body), {}
        if path.startswith(("/v1/files", "/v1/batches")):
            return self._openai(path, body), {}
        if "/v1beta/files" in path or "/v1beta/batches" in path or "batchGenerate" in path:
            return self._google(path, body)
        question = _question_of(body)
        server.asked_now[question] += 1
        assert question == CANARY, "only the first message is asked at once"
        return _shaped(path, _read_canary(body, {}), "stop", _model_of(path, body)), {}

    def _openai(self, path: str, body: bytes) -> Any:
        server = self.server
        if path == "/v1/files":
            edge = self.headers["content-type"].partition("boundary=")[2].encode()
            file = body.split(b"\r\n--" + edge)[1].partition(b"\r\n\r\n")[2]
            server.files[f"f{len(server.files)}"] = file
            return {"id": f"f{len(server.files) - 1}"}
        if path.endswith("/content"):
            return server.files[path.split("/")[3]]
        if self.command == "POST":
            asked = json.loads(body)
            rows = [json.loads(line) for line in server.files[asked["input_file_id"]].splitlines()]
            assert {row["url"] for row in rows} == {asked["endpoint"]}
            requests = [(row["custom_id"], row["body"]) for row in rows]
            label = asked["metadata"]["enact_label"]
            return {"id": server.create("openai", asked["endpoint"], requests, label)}
        if path == "/v1/batches":
            listed = [{"id": b["id"], "metadata": {"enact_label": b["label"]}} for b in
                      server.batches.values()]  # fmt: skip
            # One per page, so that pages are read.
            after = re.search(r"after=(\w+)", self.path)
            start = 0 if after is None else [b["id"] for b in listed].index(after[1]) + 1
            return {"data": listed[start : start + 1], "has_more": start + 1 < len(listed)}
        batch = server.batches[path.split("/")[3]]
        batch["polled"] += 1
        if batch["polled"] < 2:
            return {"id": batch["id"], "status": "in_progress"}
        good, bad = [], []
        for custom_id, how, reply in reversed(batch["lines"]):
            row: dict[str, Any] = {"custom_id": custom_id, "error": None}
            if how == "done":
                good.append(row | {"response": {"status_code": 200, "body": reply}})
            elif how == "expired":
                bad.append(row | {"response": None, "error": {"code": "batch_expired"}})
            else:
                error = {"error": {"message": "overloaded", "code": None}}
                bad.append(row | {"response": {"status_code": 500, "body": error}})
        for name, rows in (("good", good), ("bad", bad)):
            text = "".join(json.dumps(row) + "\n" for row in rows)
            server.files[f"{name}-{batch['id']}"] = text.encode()
        return {
            "id": batch["id"],
            "status": "expired" if server.expiring else "completed",
            "output_file_id": f"good-{batch['id']}",
            "error_file_id": f"bad-{batch['id']}" if bad else None,
        }

    def _anthropic(self, path: str, body: bytes) -> Any:
        server = self.server
        if self.command == "POST":
            rows = json.loads(body)["requests"]
            assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", row["custom_id"]) for row in rows)
            requests = [(row["custom_id"], row["params"]) for row in rows]
            return {"id": server.create("anthropic", path, requests, "")}
        if path.endswith("/batches"):
            for batch in server.batches.values():
                batch["polled"] += 1
            return {"data": [self._described(b) for b in reversed(server.batches.values())],
                    "has_more": False}  # fmt: skip
        batch = server.batches[path.split("/")[4]]
        if path.endswith("/results"):
            rows = []
            for custom_id, how, reply in reversed(batch["lines"]):
                result: dict[str, Any] = {"type": "succeeded", "message": reply}
                if how == "expired":
                    result = {"type": "expired"}
                elif how == "failed":
                    error = {"type": "error", "error": {"type": "api_error", "message": "sorry"}}
                    result = {"type": "errored", "error": error}
                rows.append({"custom_id": custom_id, "result": result})
            return "".join(json.dumps(row) + "\n" for row in rows).encode()
        batch["polled"] += 1
        return self._described(batch)

    def _described(self, batch: dict[str, Any]) -> dict[str, Any]:
        counts = Counter(how for _, how, _ in batch["lines"])
        return {
            "id": batch["id"],
            "created_at": batch["made"],
            "processing_status": "ended" if batch["polled"] >= 2 else "in_progress",
            # Elsewhere than one would think: its path is not documented.
            "results_url": f"{self.server.url}/v1/messages/batches/{batch['id']}/results?now=1",
            "request_counts": {"processing": 0, **counts},
        }

    def _google(self, path: str, body: bytes) -> tuple[Any, dict[str, str]]:  # noqa: PLR0911 - one for each request
        server = self.server
        if path.startswith("/upload/"):
            if self.headers["x-goog-upload-command"] == "start":
                return {}, {"x-goog-upload-url": f"{server.url}/upload/v1beta/files?id=1"}
            name = f"files/{hashlib.sha256(body).hexdigest()[:8]}"
            server.files[name] = body
            return {"file": {"name": name}}, {"x-goog-upload-status": "final"}
        if path.endswith(":download"):
            return server.files[path.partition("v1beta/")[2].removesuffix(":download")], {}
        if self.command == "POST":
            asked = json.loads(body)["batch"]
            lines = server.files[asked["inputConfig"]["fileName"]].splitlines()
            rows = [json.loads(line) for line in lines]
            requests = [(row["key"], row["request"]) for row in rows]
            at = path.replace("batchGenerateContent", "generateContent")
            return {"name": server.create("google", at, requests, asked["displayName"])}, {}
        if path == "/v1beta/batches":
            return {"operations": [{"name": b["id"], "metadata": {"displayName": b["label"]}}
                                   for b in server.batches.values()]}, {}  # fmt: skip
        batch = server.batches[path.partition("v1beta/")[2]]
        batch["polled"] += 1
        state = {"name": batch["id"], "metadata": {"state": "BATCH_STATE_RUNNING"}}
        if batch["polled"] < 2:
            return state, {}
        rows = [
            {"key": key, "response": reply} if how == "done"
            else {"key": key, "error": {"code": 13, "message": how}}
            for key, how, reply in reversed(batch["lines"])
        ]  # fmt: skip
        file = f"files/out{batch['id'].partition('/')[2]}"
        server.files[file] = "".join(json.dumps(row) + "\n" for row in rows).encode()
        output = {"responsesFile": file}
        return {**state, "metadata": {"state": "BATCH_STATE_SUCCEEDED", "output": output}}, {}


def serving() -> AbstractContextManager[BatchServer]:
    """A server in a thread of this process."""
    return in_thread(BatchServer())
