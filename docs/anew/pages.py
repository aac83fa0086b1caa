"""Pictures of pages, taken by a Chromium or Chrome of the machine that draws no window."""

import base64
import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anew.declared import ROOT, CannotMakeError, Place
from PIL import Image

sys.path.insert(0, str(ROOT / "tests"))  # its driver of a browser
from results.browse.browser import Tab, browser_path, opened

WAIT_S, SETTLE_S = 90, 10
"""For a page to show what is expected; for its figures to stop moving."""
ENACT = Path(sys.executable).with_name("enact-assets")
LEAST_ITEMS = 4
"""Of a question whose picture is taken."""
GRAPH = (
    "[...document.querySelectorAll('svg')].find(each => each.innerHTML.includes('foreignObject'))"
)
LAST_MARKDOWN = (
    "[...document.querySelectorAll('button, a')]"
    ".filter(each => each.innerText.includes('Show Markdown')).at(-1)"
)


@contextmanager
def _browser(place: Place) -> Iterator[Tab]:
    path = browser_path()
    if path is None:
        raise CannotMakeError("no chromium or chrome on PATH")
    with opened(path, place.scratch / "profile") as tab:
        tab._call("Emulation.setScrollbarsHidden", hidden=True)
        yield tab


@contextmanager
def _serving(place: Place, arguments: list[str], says: str) -> Iterator[str]:
    """The address of a server that prints ``says`` with it; what it asks people is forgotten."""
    people = {"ENACT_PEOPLE": str(place.scratch / "people.db")}
    command = [str(ENACT), *arguments, "--data", str(place.data)]
    with subprocess.Popen(  # noqa: S603 - our own program
        command,
        env=os.environ | people | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as server:
        try:
            lines = iter(server.stdout or ())
            found = next(filter(None, (re.search(says, line) for line in lines)), None)
            if found is None:
                raise CannotMakeError(f"`{' '.join(command[1:])}` ended before it served a page")
            yield found[1]
        finally:
            server.terminate()
            # It may wait for somebody to read what it says at the end.
            server.communicate()


def _wait(tab: Tab, expression: str, settle_s: float = SETTLE_S) -> None:
    """Until ``expression`` is true, and what moves has come to rest."""
    until = time.monotonic() + WAIT_S
    while not tab.value(f"Boolean({expression})"):
        if time.monotonic() > until:
            raise CannotMakeError(
                f"after {WAIT_S} s {tab.value('location.href')} has no {expression}"
            )
        time.sleep(0.5)
    time.sleep(settle_s)


def _picture(tab: Tab, path: Path, css: str | None = None) -> None:
    """What is in sight, or the element that ``css`` names."""
    cut = {}
    if css is not None:
        x, y, width, height = tab.value(
            f"(() => {{ const b = document.querySelector({css!r}).getBoundingClientRect();"
            " return [b.left, b.top, b.width, b.height]; })()"
        )
        cut = {"clip": {"x": x, "y": y, "width": width, "height": height, "scale": 1}}
    data = base64.b64decode(tab._call("Page.captureScreenshot", format="png", **cut)["data"])
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    if path.suffix == ".jpg":
        picture.save(path, quality=80)
    else:
        # Pages have few colours: a palette halves the file.
        picture.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def report_pictures(place: Place) -> None:
    """The report's beginning, on a desktop and on a phone."""
    with _browser(place) as tab:
        for name, width, height in (("desktop", 1280, 1700), ("phone", 360, 2500)):
            tab.resize(width, height)
            tab.open((place.data / "report" / "report.html").resolve().as_uri())
            _picture(tab, place.output / f"report_{name}.png")


def annotation_pictures(place: Place) -> None:
    """A forward question on a desktop, an inverse one on a phone, of some length."""

    def annotate(*arguments: str) -> str:
        people = {"ENACT_PEOPLE": str(place.scratch / "people.db")}
        command = [str(ENACT), "annotate", *arguments, "--data", str(place.data)]
        done = subprocess.run(  # noqa: S603 - our own program
            command, env=os.environ | people, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise CannotMakeError(f"`{' '.join(command[1:])}`: {done.stderr.strip()}")
        return done.stdout

    invited = annotate("invite", "Ada")
    token = re.findall(r"/join/(\S+)", invited)[0]
    annotate("plan", "--plan", "k_each", "--per-stratum", "2")
    serve = ["annotate", "serve", "--port", "0"]
    with _serving(place, serve, r"(http://\S+)") as address, _browser(place) as tab:
        tab.resize(1280, 900)
        tab.open(f"{address}/join/{token}")
        wanted = {"forward": ("desktop", 1280, 900), "inverse": ("phone", 390, 844)}
        for _ in range(60):
            if not wanted:
                return
            tab.open(f"{address}/next")
            _wait(tab, "document.querySelector('.put')", settle_s=0.2)
            is_practice = tab.value("document.querySelector('h1').innerText.startsWith('Practice')")
            kind = tab.value("document.querySelector('.of-pictures') ? 'forward' : 'inverse'")
            n_items = tab.value("document.querySelectorAll('.put').length")
            if kind in wanted and n_items >= LEAST_ITEMS and not is_practice:
                name, width, height = wanted.pop(kind)
                tab.resize(width, height)
                tab.value("scrollTo(0, 0)")
                time.sleep(1)
                _picture(tab, place.output / f"annotation_{name}.jpg")
                tab.resize(1280, 900)
            _answer(tab)
    raise CannotMakeError(f"60 questions had none for {', '.join(wanted)}")


def _answer(tab: Tab) -> None:
    """Fill in the form in the order in which things are shown, and send it."""
    tab.value(
        "document.querySelectorAll('.card select').forEach((each, k) => { each.value = k + 1; }),"
        " document.querySelector('footer .main').click(), 0"
    )
    time.sleep(1)


def dagster_pictures(place: Place) -> None:
    """Dagster's pages: all assets, a mart and what it reads, the runs of the demo, a question."""
    port = "3993"
    with (
        _serving(
            place, ["ui", "--port", port], r"Serving dagster-webserver on (http://\S+)"
        ) as address,
        _browser(place) as tab,
    ):
        graph = GRAPH
        tab.resize(1700, 1340)  # the graph is as wide as the window allows, and as high
        tab.open(f"{address}/asset-groups")
        _wait(tab, graph)
        tab.value(f"{graph}.id = 'graph-shown', 0")
        _picture(tab, place.output / "dagster_asset_graph.png", "#graph-shown")
        for name, path, height, text in (
            ("leaderboard", "/assets/leaderboard?view=overview", 1000, "pairwise_accuracy"),
            ("leaderboard_lineage", "/assets/leaderboard?view=lineage", 900, "leaderboard_details"),
            ("timeline", "/overview/activity/timeline", 720, "refresh_gating_config"),
        ):
            tab.resize(1400, height)
            tab.open(f"{address}{path}")
            _wait(tab, f"document.body.textContent.includes({text!r})")
            _picture(tab, place.output / f"dagster_{name}.png")
        tab.resize(1460, 900)
        tab.open(
            f"{address}/assets/predictions?view=partitions&partition=pixel_continuity%7Cbaseline"
        )
        link = LAST_MARKDOWN
        _wait(tab, link)
        tab.value(f"{link}.click(), 0")
        dialog = ".dagster-dialog, .bp5-dialog, [role=dialog]"
        _wait(tab, f"document.querySelector({dialog!r})?.querySelector('img')")
        _picture(tab, place.output / "dagster_question.jpg", dialog)
