"""The pages in a real browser, on a desktop and a phone: axe, width, and keys alone.

They need a browser and axe-core (an npm package), whose file ``ENACT_AXE`` names.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from results.browse.browser import Tab, browser_path, opened
from results.browse.test_site import port, root  # noqa: F401 - fixtures
from results.browse.world_rows import WORLD_VARIANT
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
    *(f"/demonstration/{TABLE}", "/demonstration/nix", "/question/f3?published=0"),
    *("/question/f3?compare=guesser&compare=oracle", "/question/i1?compare=oracle&compare=nix"),
    *("/questions?model=oracle&outcome=right&other=guesser&other_outcome=wrong",),
    *("/question/wm-1?model=guesser", "/question/pp-1?compare=guesser&compare=shy"),
    *("/?references=off", f"/?variant={WORLD_VARIANT}", "/question/f4?model=guesser&length=9"),
)
OF_LIST = "model=guesser&outcome=wrong"
FIRST, SECOND = (f"/question/{name}?variant=baseline&{OF_LIST}" for name in ("f3", "i1"))
ENLARGED = "document.querySelector('dialog[open] p')?.textContent ?? null"
PATH = "location.pathname"
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


@needs_axe
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing_about_an_enlarged_picture(tab: Tab, port: int, width: int) -> None:  # noqa: F811
    tab.resize(width)
    tab.open(f"http://127.0.0.1:{port}/question/f3")
    tab.value("document.querySelector('a.zoom').click()")
    tab.value(f"{AXE.read_text()}; 0")
    assert tab.value(ENLARGED) == "Current State: key frame 0 (1 of 4)"
    found = tab.value("axe.run().then(found => found.violations.map(each => each.id))")
    assert found == []
    assert tab.value("document.documentElement.scrollWidth") <= width
    tab.value("document.querySelectorAll('dialog button')[2].click()")
    frame = "document.querySelector('dialog .frame')"
    size = tab.value(f"{frame}.firstChild.getBoundingClientRect().width")
    assert size == tab.value(f"{frame}.firstChild.naturalWidth") == 32


def test_pictures_are_enlarged_by_keys_and_focus_stays(tab: Tab, port: int) -> None:  # noqa: F811
    tab.resize(1280)
    tab.open(f"http://127.0.0.1:{port}{FIRST}")
    tab.value("document.querySelectorAll('.strip a.zoom')[2].focus()")
    tab.press("Enter")
    assert tab.value(ENLARGED) == "Next State 2: key frame 1 (3 of 4)"
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"):
        tab.press(key)
        seen.append(tab.value(ENLARGED).split(":")[0])
    assert seen == ["Next State 3", "Current State", "Next State 3", "Next State 2"]
    tab.press("ArrowLeft")
    tab.press("Escape")
    assert tab.value(ENLARGED) is None
    assert tab.value(f"{PATH}") == "/question/f3"  # arrows changed the picture alone
    # The browser tells the page of the closed dialog a moment later.
    focused = "document.activeElement === document.querySelectorAll('.strip a.zoom')[1]"
    assert tab.value(f"new Promise(tell => setTimeout(() => tell({focused}), 300))")
    # Pictures of a step go on within it, and those of closed steps are left out.
    tab.value("document.querySelector('.step[open] a.zoom').click()")
    assert tab.value(ENLARGED).endswith("(1 of 4)")
    tab.press("Escape")


def test_arrows_lead_through_a_list_but_not_from_a_field(tab: Tab, port: int) -> None:  # noqa: F811
    tab.resize(1280)
    tab.open(f"http://127.0.0.1:{port}{FIRST}")
    assert "Keys: ← previous, → next" in tab.value("document.body.innerText")
    tab.press("ArrowLeft")  # the first has none before it
    assert tab.value(PATH) == "/question/f3"
    tab.press("ArrowRight", leads_away=True)
    assert tab.value(f"{PATH} + location.search") == SECOND
    tab.press("ArrowLeft", leads_away=True)
    assert tab.value(f"{PATH} + location.search") == FIRST
    tab.value("document.querySelector('.chooser').open = true")
    tab.value("document.querySelector('.chooser input[type=checkbox]').focus()")
    tab.press("ArrowRight")
    assert tab.value(f"{PATH} + location.search") == FIRST


@pytest.mark.parametrize("width", WIDTHS)
def test_an_address_unfolds_the_first_wrong_step(tab: Tab, port: int, width: int) -> None:  # noqa: F811
    """It is open in any case, and in sight where its link is followed."""
    tab.resize(width)
    tab.open(f"http://127.0.0.1:{port}{FIRST}")
    (wrong,) = tab.value(
        "[...document.querySelectorAll('.answer[open] .step[open]')].map(s => s.id)"
    )
    assert wrong == "answers-2-step-2"
    tab.open("about:blank")
    tab.open(f"http://127.0.0.1:{port}/question/f3?model=oracle#{wrong}")
    place = f"document.getElementById('{wrong}').getBoundingClientRect()"
    assert tab.value(f"document.getElementById('{wrong}').open")
    assert -1 < tab.value(f"{place}.top") < 900
    assert tab.value(f"{place}.height") > 100
