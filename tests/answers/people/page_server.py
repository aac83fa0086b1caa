"""The page as it runs: a real server in this process, or in one of its own that can be killed."""

import re
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from html import unescape
from http.client import HTTPConnection
from typing import NamedTuple
from urllib.parse import urlencode

from enact_assets.answers.people.page.pages import annotation_site
from enact_assets.answers.people.store import Store
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.sites import listening_on, server_of


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str

    @property
    def location(self) -> str:
        return self.headers["location"]


@contextmanager
def serving(store: Store, images: ImageStore, **options: object) -> Iterator[int]:
    """The port of a server in a thread."""
    with listening_on("127.0.0.1", 0) as socket:
        app = annotation_site(store, images, **options)
        server = server_of(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]})
        thread.start()
        try:
            yield socket.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


class Client:
    """One annotator's browser, without a script."""

    def __init__(self, port: int, token: str = "") -> None:
        self.port = port
        self.cookie = f"annotator={token}"

    def get(self, path: str, **headers: str) -> Reply:
        return self._ask("GET", path, None, headers)

    def post(self, path: str, form: object, **headers: str) -> Reply:
        body = form if isinstance(form, bytes) else urlencode(form).encode()
        return self._ask("POST", path, body, headers)

    def next(self) -> tuple[str, str]:
        """Path of the next question and its page; twice empty when all are done."""
        reply = self.get("/next")
        if reply.location == "/":
            return "", ""
        return reply.location, self.get(reply.location).text

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Reply:
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            given = {"Cookie": self.cookie} | {k.replace("_", "-"): v for k, v in headers.items()}
            connection.request(method, path, body, given)
            reply = connection.getresponse()
            found = {name.lower(): value for name, value in reply.getheaders()}
            return Reply(reply.status, found, reply.read().decode("utf-8", "replace"))


def form_of(page: str) -> dict[str, str]:
    """The form filled in: items in the order in which they are shown, or the second option."""
    items = re.findall(r'name="(item_\d+)"', page)
    form = {name: str(k) for k, name in enumerate(items, 1)} or {"choice": "2"}
    hidden = re.search(r'name="submission" value="([^"]+)"', page)
    assert hidden is not None, page
    return form | {"done": "answer", "submission": unescape(hidden[1]), "active_ms": "1200"}


def wait_for(port: int) -> None:
    for _ in range(200):
        try:
            Client(port).get("/static/page.css")
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(port)
