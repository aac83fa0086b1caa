"""A real browser on a page, through its DevTools protocol: sizes, keys, and what axe finds."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")

KEYS = {
    "Tab": (9, ""),
    "Enter": (13, "\r"),
    "Escape": (27, ""),
    "ArrowLeft": (37, ""),
    "ArrowRight": (39, ""),
}
"""Name of a key -> its code, and what it types."""


def browser_path() -> str | None:
    """The first browser of :data:`NAMES` on this machine."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Tab:
    """One tab; each method waits until the browser answers."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._numbers = count(1)
        self._session: dict[str, str] = {}
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._session = {"sessionId": session}
        self._call("Page.enable")
        self._call("Page.setBypassCSP", enabled=True)  # axe is put into pages that allow no script

    def resize(self, width: int, height: int = 900) -> None:
        """Set the size of what is seen, in px."""
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def open(self, address: str) -> None:
        """Go to a page and wait until all of it is there."""
        self._call("Page.navigate", until="Page.loadEventFired", url=address)

    def press(self, key: str, *, leads_away: bool = False) -> None:
        """Press and release one of :data:`KEYS`; wait for the page that it leads to."""
        code, text = KEYS[key]
        about = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self._call("Input.dispatchKeyEvent", type="keyDown", text=text, **about)
        until = "Page.loadEventFired" if leads_away else None
        self._call("Input.dispatchKeyEvent", until=until, type="keyUp", **about)

    def value(self, expression: str) -> Any:
        """What JavaScript says, as JSON."""
        found = self._call(
            *("Runtime.evaluate",),
            expression=expression,
            awaitPromise=True,
            returnByValue=True,
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def _call(self, method: str, until: str | None = None, **parameters: object) -> dict[str, Any]:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters, **self._session}
        self._connection.send(json.dumps(message))
        answer: dict[str, Any] | None = None
        while answer is None or until is not None:
            heard = json.loads(self._connection.recv(timeout=60))
            if heard.get("id") == number:
                assert "error" not in heard, (method, heard)
                answer = heard["result"]
            if heard.get("method") == until:
                until = None
        return answer


@contextmanager
def opened(path: str, profile: Path) -> Iterator[Tab]:
    """A tab of the browser at ``path``, which keeps its files in ``profile``."""
    switches = ("--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0")
    with subprocess.Popen(  # noqa: S603 - a browser of this machine
        [path, *switches, f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            lines = (re.search(r"ws://\S+", line) for line in process.stderr)
            address = next(filter(None, lines)).group()
            with connect(address, max_size=None) as connection:
                yield Tab(connection)
        finally:
            process.terminate()
