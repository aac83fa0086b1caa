"""A provider on this machine: records what it is sent, answers as documented."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from reference.provider_replies import ANTHROPIC, CHAT, GOOGLE, RESPONSES

REPLIES = {
    "/chat/completions": CHAT,
    "/responses": RESPONSES,
    "/v1/messages": ANTHROPIC,
    ":generateContent": GOOGLE,
    "/responses/input_tokens": {"object": "response.input_tokens", "input_tokens": 11},
    "/v1/messages/count_tokens": {"input_tokens": 11},
    ":countTokens": {"totalTokens": 11},
}


class Request(NamedTuple):
    path: str
    headers: dict[str, str]
    body: Any


class Recorder(ThreadingHTTPServer):
    daemon_threads = True
    status = 200

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[Request] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *args: object) -> None:
        """A client that hangs up is not news, and other errors fail the test anyway."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        assert isinstance(self.server, Recorder)
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        path = urlsplit(self.path).path
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(Request(path, headers, body))
        reply: Any = next(reply for end, reply in REPLIES.items() if path.endswith(end))
        if self.server.status != 200:
            reply = {"error": {"message": f"no, {headers.get('authorization')}"}}
        data = json.dumps(reply).encode()
        self.send_response(self.server.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Quiet."""


@contextmanager
def recording() -> Iterator[Recorder]:
    with Recorder() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
