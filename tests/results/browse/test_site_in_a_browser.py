"""The pages in a real browser, on a desktop and a phone: axe, width, and keys alone.

They need a browser and axe-core (an npm package), whose file ``ENACT_AXE`` names.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from results.browse.browser import Tab, browser_path, opened
from results.browse.test_site import port, root  # noqa: F401 - fixtures
from sql.tiny_lake import TABLE

AXE = Path(os.environ.get("ENACT_AXE", "axe-core is not set"))
BROWSER = browser_path()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no chromium or chrome on PATH"),
]
needs_axe = pytest.mark.skipif(
    not AXE.is_file(), reason="ENACT_AXE does not name axe.min.js of the npm package axe-core"
)
PATHS = (
    *("/", "/?variant=aperture_80", "/questions", "/questions?outcome=missing&kind=inverse"),
    *("/questions?model=nix", "/question/f3", "/question/f2?model=parrot", "/demonstrations"),
    *(f"/demonstration/{TABLE}", "/demonstration/nix"),
)
WIDTHS = (1280, 390)
FOCUSED = """(() => {
  const e = document.activeElement, style = getComputedStyle(e);
  return [e.getAttribute('aria-label') ?? e.getAttribute('href') ?? '',
          style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0];
})()"""
MAX_KEYS = 100


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with opened(str(BROWSER), tmp_path_factory.mktemp("profile")) as found:
        yield found


@needs_axe
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing(tab: Tab, port: int, width: int) -> None:  # noqa: F811
    tab.resize(width)
    for path in PATHS:
        tab.open(f"http://127.0.0.1:{port}{path}")
        tab.value("document.querySelectorAll('details').forEach(each => each.open = true)")
        tab.value(f"{AXE.read_text()}; 0")
        found = tab.value(
            "axe.run().then(found => found.violations.map("
            "each => [each.id, each.nodes.map(node => node.html)]))"
        )
        assert found == [], path


@needs_axe
def test_axe_would_find_something(tab: Tab, port: int) -> None:  # noqa: F811
    tab.open(f"http://127.0.0.1:{port}/question/f3")
    tab.value("document.querySelectorAll('img').forEach(each => each.removeAttribute('alt'))")
    tab.value(f"{AXE.read_text()}; 0")
    assert "image-alt" in tab.value("axe.run().then(f => f.violations.map(each => each.id))")


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_is_wider_than_the_screen(tab: Tab, port: int, width: int) -> None:  # noqa: F811
    tab.resize(width)
    for path in PATHS:
        tab.open(f"http://127.0.0.1:{port}{path}")
        tab.value("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert tab.value("document.documentElement.scrollWidth") <= width, path


@pytest.mark.parametrize("width", WIDTHS)
def test_a_wrong_answer_is_three_steps_from_the_leaderboard_by_keys_alone(
    tab: Tab,
    port: int,  # noqa: F811
    width: int,
) -> None:
    tab.resize(width)
    tab.open(f"http://127.0.0.1:{port}/")
    for wanted, leads_away in (
        ("wrong answers of guesser", True),
        ("/question/", True),
        ("#answers-", False),
    ):
        for _ in range(MAX_KEYS):
            tab.press("Tab")
            name, is_seen = tab.value(FOCUSED)
            assert is_seen, name
            if wanted in name:
                break
        else:
            pytest.fail(f"no Tab leads to {wanted}")
        tab.press("Enter", leads_away=leads_away)
    answer = tab.value(
        "(() => { const e = document.querySelector(location.hash);"
        " return [e.open, e.innerText, e.getBoundingClientRect().top] })()"
    )
    assert answer[0]
    assert "guesser" in answer[1]
    assert "Not right" in answer[1]
    assert -1 < answer[2] < 900
