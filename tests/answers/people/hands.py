"""Hands on a page in a real browser: keys, mouse, touch, and pictures of what is seen."""

import base64
import time
from pathlib import Path

from results.browse.browser import Tab

CONTROL, SHIFT = 2, 8
CODES = {"Enter": 13, "Tab": 9, "Backspace": 8, "Escape": 27, "ArrowRight": 39, "ArrowLeft": 37}
TEXTS = {"Enter": "\r"}
TAP_S = 0.06
"""From the touch to the click that follows."""


class Hands:
    """Acts in ``tab`` as a person would; elements are named by CSS."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab

    def key(self, name: str, held: int = 0, *, leads_away: bool = False) -> None:
        """Press and release a key, with ``held`` ones; wait for the page that it leads to."""
        code = CODES.get(name) or ord(name.upper())
        about = {"key": name, "code": name, "windowsVirtualKeyCode": code, "modifiers": held}
        text = {} if held else {"text": TEXTS.get(name, name if len(name) == 1 else "")}
        if leads_away:
            self._leading_away()
        self.tab._call("Input.dispatchKeyEvent", type="keyDown", **about, **text)
        self.tab._call("Input.dispatchKeyEvent", type="keyUp", **about)
        if leads_away:
            self._arrived()

    def click(self, css: str, *, leads_away: bool = False) -> None:
        """With the mouse, in the middle of what ``css`` names."""
        x, y = self.middle(css)
        if leads_away:
            self._leading_away()
        for kind in ("mousePressed", "mouseReleased"):
            self._mouse(kind, x, y)
        if leads_away:
            self._arrived()

    def drag(self, css: str, to: str) -> None:
        """With the mouse from the middle of one to that of another, both in sight."""
        x, y, to_x, to_y = self._both(css, to)
        self._mouse("mousePressed", x, y)
        for k in range(1, 6):
            self._mouse("mouseMoved", x + (to_x - x) * k / 5, y + (to_y - y) * k / 5)
        self._mouse("mouseReleased", to_x, to_y)
        self.tab.value("new Promise(done => setTimeout(done, 20))")

    def tap(self, css: str, *, leads_away: bool = False) -> None:
        """With a finger."""
        x, y = self.middle(css)
        if leads_away:
            self._leading_away()
        self._touch("touchStart", [{"x": x, "y": y}])
        self._touch("touchEnd", [])
        if leads_away:
            self._arrived()
        else:
            time.sleep(TAP_S)

    def swipe(self, css: str, to: str) -> None:
        """With a finger that stays down."""
        x, y, to_x, to_y = self._both(css, to)
        self._touch("touchStart", [{"x": x, "y": y}])
        for k in range(1, 6):
            at = {"x": x + (to_x - x) * k / 5, "y": y + (to_y - y) * k / 5}
            self._touch("touchMove", [at])
        time.sleep(0.15)  # without a rest the page would be flung, and the next tap stop it
        self._touch("touchMove", [{"x": to_x, "y": to_y}])
        self._touch("touchEnd", [])
        time.sleep(TAP_S)

    def _both(self, css: str, to: str) -> tuple[float, float, float, float]:
        """Where two elements are, after scrolling to the second and then to the first."""
        self.middle(to)
        y = self._seen(css)[1]
        if y < 40:
            self.tab.value(f"scrollBy(0, {y - 80}), 0")
        seen = (*self._seen(css), *self._seen(to))
        assert min(seen[1], seen[3]) > 0, seen
        return seen

    def middle(self, css: str) -> tuple[float, float]:
        """Where it is, after scrolling to it."""
        self.tab.value(f"document.querySelector({css!r}).scrollIntoView({{block: 'center'}}), 0")
        return self._seen(css)

    def picture(self, path: Path) -> None:
        """A picture of what is in sight."""
        found = self.tab._call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(found["data"]))

    def allow_script(self, *, is_allowed: bool) -> None:
        """Of the pages that are opened from now on."""
        self.tab._call("Emulation.setScriptExecutionDisabled", value=not is_allowed)

    def _seen(self, css: str) -> tuple[float, float]:
        box = f"document.querySelector({css!r}).getBoundingClientRect()"
        left, top, width, height = self.tab.value(
            f"(() => {{ const b = {box}; return [b.left, b.top, b.width, b.height]; }})()"
        )
        return left + width / 2, top + min(height / 2, 60)

    def _mouse(self, kind: str, x: float, y: float) -> None:
        held = {"button": "left", "buttons": 1, "clickCount": 1}
        self.tab._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **held)

    def _touch(self, kind: str, points: list[dict[str, float]]) -> None:
        self.tab._call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def _leading_away(self) -> None:
        self.tab.value("window.isLeft = true")

    def _arrived(self) -> None:
        """A new page is whole; the old one had a mark."""
        for _ in range(400):
            try:
                if self.tab.value("!window.isLeft && document.readyState === 'complete'"):
                    return
            except AssertionError:  # between two pages there is none
                pass
            time.sleep(0.02)
        raise TimeoutError(self.tab.value("location.href"))
