"""The page in a real browser, on a desktop and a phone: mouse, touch, keys alone, no script, axe.

They need a browser; axe-core is an npm package, whose file ``ENACT_AXE`` names.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from answers.people.conftest import Site
from answers.people.hands import CONTROL, SHIFT, Hands
from answers.people.test_page import work_through
from results.browse.browser import Tab, browser_path, opened

AXE = Path(os.environ.get("ENACT_AXE", "axe-core is not set"))
BROWSER = browser_path()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no chromium or chrome on PATH"),
]
needs_axe = pytest.mark.skipif(
    not AXE.is_file(), reason="ENACT_AXE does not name axe.min.js of the npm package axe-core"
)
WIDTHS = (1280, 390)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
N_QUESTIONS = 20
ORDER = "[...document.querySelectorAll('.card select')].map(each => [each.name, each.value])"
SAVE = "footer .main"


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with opened(str(BROWSER), tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def hands(tab: Tab, page: Site) -> Hands:
    """At the first page of an annotator, who has not been here before."""
    tab._call("Network.clearBrowserCookies")
    tab._call("Emulation.setTouchEmulationEnabled", enabled=False)
    found = Hands(tab)
    tab.resize(1280)
    tab.open(f"http://127.0.0.1:{page.port}/join/{page.tokens[0]}")
    return found


def order(hands: Hands) -> dict[str, str]:
    return dict(hands.tab.value(ORDER))


def n_cards(hands: Hands) -> int:
    return hands.tab.value("document.querySelectorAll('.put').length")


def answered(page: Site) -> dict[str, list[int]]:
    """Assignment -> last answer, as the annotator saw the numbers."""
    found = {}
    for row in page.store.assignments("person_1"):
        if row["answer"] is not None:
            shuffle = json.loads(row["shuffle"])
            found[row["id"]] = [shuffle.index(label) + 1 for label in json.loads(row["answer"])]
    return found


def check_page(hands: Hands, width: int) -> None:
    assert hands.tab.value("document.documentElement.scrollWidth") <= width
    if not AXE.is_file():
        return
    hands.tab.value(f"{AXE.read_text()}; 0")
    found = hands.tab.value(
        f"axe.run({{runOnly: {RULES}}}).then(found => found.violations.map("
        "each => [each.id, each.nodes.map(node => node.html)]))"
    )
    assert found == []


def focus(hands: Hands, css: str) -> None:
    """By the Tab key alone; what has the focus is always seen."""
    for _ in range(100):
        hands.tab.press("Tab")
        is_there, is_seen = hands.tab.value(
            f"""(() => {{
                const e = document.activeElement, style = getComputedStyle(e);
                const box = e.getBoundingClientRect();
                return [e.matches({css!r}), e === document.body || (
                    style.outlineStyle !== 'none' && box.bottom > 0 && box.top < innerHeight)];
            }})()"""
        )
        assert is_seen
        if is_there:
            return
    raise AssertionError(f"no Tab leads to {css}")


def go_on_from_practice(hands: Hands) -> None:
    if "/feedback" in hands.tab.value("location.href"):
        hands.click("a.main", leads_away=True)


@pytest.mark.parametrize("width", WIDTHS)
def test_practice_and_twenty_questions_by_keys_alone(hands: Hands, page: Site, width: int) -> None:
    hands.tab.resize(width, 844)
    hands.tab.open(f"http://127.0.0.1:{page.port}/")
    check_page(hands, width)
    focus(hands, "a.main")
    hands.key("Enter", leads_away=True)
    chosen = {}
    for number in range(N_QUESTIONS):
        id_ = hands.tab.value("location.pathname").rpartition("/")[2]
        if number % 4 == 0:
            check_page(hands, width)
        n = n_cards(hands)
        if n:
            focus(hands, ".put")
            for place in range(n, 0, -1):
                hands.key(str(place))
            backwards = {f"item_{k}": str(n + 1 - k) for k in range(1, n + 1)}
            assert order(hands) == backwards
            hands.key("z", CONTROL)  # the last card is out again, and its place marked
            assert list(order(hands).values()).count("") == 1
            focus(hands, ".pool .put")
            hands.key("Enter")
            assert order(hands) == backwards
            focus(hands, ".put")
            before = order(hands)
            hands.key("ArrowRight", SHIFT)
            if order(hands) == before:  # it is in the last place
                hands.key("ArrowLeft", SHIFT)
            assert order(hands) != before
            hands.key("Backspace")
            hands.key("z", CONTROL)
            chosen[id_] = order(hands)
        else:
            focus(hands, "input[name=choice]")
            hands.key(" ")
        hands.key("Enter", CONTROL, leads_away=True)
        if "/feedback" in hands.tab.value("location.href"):
            check_page(hands, width)
            focus(hands, "a.main")
            hands.key("Enter", leads_away=True)
        if hands.tab.value("location.pathname") == "/":
            break
    kept = answered(page)
    assert len(kept) == number + 1
    for id_, given in chosen.items():
        places = {f"item_{item}": str(place) for place, item in enumerate(kept[id_], start=1)}
        assert places == given


@pytest.mark.parametrize("width", WIDTHS)
def test_practice_and_all_questions_by_mouse(hands: Hands, page: Site, width: int) -> None:
    """Dragged and clicked in turn; a card that is dragged to a full place changes with it."""
    hands.tab.resize(width, 844)
    hands.tab.open(f"http://127.0.0.1:{page.port}/next")
    for number in range(N_QUESTIONS):
        n = n_cards(hands)
        for place in range(1, n + 1):
            if number % 2:
                hands.drag(".pool .card .put", ".place.marked")
            else:
                hands.click(".pool .card .put")
            assert list(order(hands).values()).count("") == n - place
        if n == 2:
            before = order(hands)
            hands.drag(".place[data-place='1'] .put", ".place[data-place='2']")
            assert sorted(order(hands).items()) == sorted(
                zip(before, reversed(before.values()), strict=True)
            )
            hands.click("#undo")
            assert order(hands) == before
        if not n:
            hands.click(".choice")
        hands.click(SAVE, leads_away=True)
        go_on_from_practice(hands)
        if hands.tab.value("location.pathname") == "/":
            break
    assert len(answered(page)) == number + 1


def test_by_touch_on_a_phone(hands: Hands, page: Site) -> None:
    hands.tab.resize(390, 844)
    hands.tab._call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    hands.tab.open(f"http://127.0.0.1:{page.port}/next")
    for number in range(N_QUESTIONS):
        n = n_cards(hands)
        for place in range(1, n + 1):
            if number % 2 and place == 1:
                hands.swipe(".pool .card .put", ".place.marked")
            else:
                hands.tap(".pool .card .put")
            assert list(order(hands).values()).count("") == n - place
        if n > 2:
            hands.tap(".place[data-place='2'] .put")  # out again, and its place is marked
            assert list(order(hands).values()).count("") == 1
            hands.tap(".place[data-place='2'] .mark")
            hands.tap(".pool .card .put")
            assert "" not in order(hands).values()
        if not n:
            hands.tap(".choice")
        hands.tap(SAVE, leads_away=True)
        go_on_from_practice(hands)
        if hands.tab.value("location.pathname") == "/":
            break
    assert len(answered(page)) == number + 1


def test_without_script(hands: Hands, page: Site) -> None:
    hands.allow_script(is_allowed=False)
    try:
        hands.tab.open(f"http://127.0.0.1:{page.port}/next")
        for _n_done in range(1, N_QUESTIONS + 1):
            for k in range(1, n_cards(hands) + 1):
                hands.tab.value(f"document.querySelector('[name=item_{k}]').focus(), 0")
                hands.key(str(k))
            if not n_cards(hands):
                hands.click("input[name=choice]")
            assert hands.tab.value("getComputedStyle(document.querySelector('#undo')).display") == (
                "none"
            )
            hands.click(SAVE, leads_away=True)
            go_on_from_practice(hands)
            if hands.tab.value("location.pathname") == "/":
                break
        assert len(answered(page)) == _n_done
    finally:
        hands.allow_script(is_allowed=True)


def test_an_order_that_was_not_saved_is_there_after_a_reload(hands: Hands, page: Site) -> None:
    hands.tab.open(f"http://127.0.0.1:{page.port}/next")
    while not n_cards(hands):
        hands.click(".choice")
        hands.click(SAVE, leads_away=True)
        go_on_from_practice(hands)
    address = hands.tab.value("location.href")
    hands.click(".pool .card .put")
    before = order(hands)
    assert "".join(before.values()) == "1"
    hands.tab.open(address)
    assert order(hands) == before
    hands.click(SAVE)
    assert "Not placed yet" in hands.tab.value("document.querySelector('#problem').innerText")
    assert hands.tab.value("document.activeElement.id") == "problem"


def test_pictures_are_seen_large_one_after_the_other(hands: Hands, page: Site) -> None:
    hands.tab.open(f"http://127.0.0.1:{page.port}/next")
    while not n_cards(hands):
        hands.click(".choice")
        hands.click(SAVE, leads_away=True)
        go_on_from_practice(hands)
    hands.click(".zoom")
    seen = "[document.querySelector('#large').open, document.querySelector('#large img').src]"
    is_open, first = hands.tab.value(seen)
    assert is_open
    hands.key("ArrowRight")
    assert hands.tab.value(seen)[1] != first
    hands.key("ArrowLeft")
    assert hands.tab.value(seen) == [True, first]
    assert hands.tab.value("document.querySelector('#large img').clientHeight") > 600
    check_page(hands, 1280)
    hands.key("Escape")
    assert not hands.tab.value(seen)[0]


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_of_a_lead(hands: Hands, page: Site, width: int) -> None:
    for k in (0, 1):
        work_through(page.client(k))
    hands.tab.resize(width)
    hands.tab.open(f"http://127.0.0.1:{page.port}/join/{page.tokens[2]}")
    assert "person_2" in hands.tab.value("document.body.innerText")
    assert " %" in hands.tab.value("document.querySelectorAll('table')[1].innerText")
    check_page(hands, width)
