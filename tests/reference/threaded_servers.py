"""What servers of tests share that answer in threads of this process."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar


class Handler(BaseHTTPRequestHandler):
    """Quiet; connections stay open."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """As :meth:`get` says."""
        self.get()

    def do_POST(self) -> None:
        """As :meth:`post` says."""
        self.post(self.rfile.read(int(self.headers.get("content-length", 0))))

    def get(self) -> None:
        """Reply to a request without a body."""
        self.send({"error": "no"}, 404)

    def post(self, body: bytes) -> None:
        """Reply to a request with this body."""
        self.get()

    def send(self, reply: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """Reply with bytes as they are, or with anything else as JSON."""
        data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        given = {"content-type": "application/json", "content-length": str(len(data))}
        self.send_response(status)
        for name, value in (given | dict(headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


class Server(ThreadingHTTPServer):
    """On a free port of this machine, at ``url``."""

    daemon_threads = True

    def __init__(self, handler: type[Handler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.lock = threading.Lock()

    def handle_error(self, *_: object) -> None:
        """A client that hangs up is not news, and other errors fail the test anyway."""


AnyServer = TypeVar("AnyServer", bound=Server)


@contextmanager
def in_thread(server: AnyServer) -> Iterator[AnyServer]:
    """``server`` while it serves."""
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
