"""Questions of WorldPrediction in a real browser: clips that play, one option of four."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from answers.people.hands import CONTROL, Hands
from answers.people.page_server import serving
from answers.people.test_page_in_a_browser import (
    BROWSER,
    SAVE,
    WIDTHS,
    check_page,
    focus,
    go_on_from_practice,
)
from questions.world.asked_rooms import WORLD, asked_root
from results.browse.browser import Tab, opened

from enact_assets.answers.people.annotator_names import PERSON
from enact_assets.answers.people.plan_loading import load_plan
from enact_assets.answers.people.plans import paper_plan
from enact_assets.answers.people.store import Store
from enact_assets.answers.people.variant_questions import shown_questions
from enact_assets.engine.lake.image_store import ImageStore

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no chromium or chrome on PATH"),
]
CHOSEN = "document.querySelector('[name=choice]:checked')?.value ?? null"


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with opened(str(BROWSER), tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def asked(tmp_path: Path, tab: Tab) -> Iterator[tuple[Hands, Store, str]]:
    """At the first page of an annotator with about ten questions after three for practice."""
    root, store = asked_root(tmp_path), Store(str(tmp_path / "people.db"))
    name, token = store.invite("Ada", PERSON)
    shown = shown_questions(root, WORLD)
    load_plan(store, paper_plan(shown.questions, [name], 0), WORLD)
    tab._call("Network.clearBrowserCookies")
    tab._call("Emulation.setTouchEmulationEnabled", enabled=False)
    with serving(store, ImageStore(root.images), requests_per_s=1000.0) as port:
        tab.resize(1280)
        tab.open(f"http://127.0.0.1:{port}/join/{token}")
        yield Hands(tab), store, f"http://127.0.0.1:{port}"


def answered(store: Store) -> dict[str, str]:
    """Assignment -> number of the option that was chosen last, as the annotator saw it."""
    return {
        row["id"]: str(json.loads(row["shuffle"]).index(json.loads(row["answer"])[0]) + 1)
        for row in store.assignments("person_1")
        if row["answer"] is not None
    }


def all_chosen(hands: Hands, site: str, choose: object) -> dict[str, str]:
    """Work through all questions; ``choose`` chooses an option and leads to the next page."""
    hands.tab.open(f"{site}/next")
    chosen = {}
    while (path := hands.tab.value("location.pathname")) != "/":
        chosen[path.rpartition("/")[2]] = choose(len(chosen))
        go_on_from_practice(hands)
    return chosen


@pytest.mark.parametrize("width", WIDTHS)
def test_all_questions_by_keys_alone(asked, width: int) -> None:
    hands, store, site = asked
    hands.tab.resize(width, 844)
    check_page(hands, width)

    def choose(n_done: int) -> str:
        if n_done < 4:
            check_page(hands, width)
        focus(hands, "input[name=choice]")
        wanted = str(n_done % 4 + 1)
        hands.key(wanted)
        if n_done % 2:
            hands.key("ArrowRight")
            wanted = str(int(wanted) % 4 + 1)
        assert hands.tab.value(CHOSEN) == wanted
        hands.key("Enter", CONTROL, leads_away=True)
        if n_done < 2:
            assert "/feedback" in hands.tab.value("location.href")
            check_page(hands, width)
        return wanted

    chosen = all_chosen(hands, site, choose)
    assert len(chosen) > 9
    assert answered(store) == chosen


@pytest.mark.parametrize(("width", "is_touch"), [(1280, False), (390, True)])
def test_all_questions_by_mouse_or_touch(asked, width: int, is_touch: bool) -> None:
    hands, store, site = asked
    hands.tab.resize(width, 844)
    hands.tab._call("Emulation.setTouchEmulationEnabled", enabled=is_touch, maxTouchPoints=2)

    def choose(n_done: int) -> str:
        wanted = n_done % 4 + 1
        act = hands.tap if is_touch else hands.click
        act(f".options .card:nth-of-type({wanted}) .choice")
        assert hands.tab.value(CHOSEN) == str(wanted)
        act(SAVE, leads_away=True)
        return str(wanted)

    chosen = all_chosen(hands, site, choose)
    assert len(chosen) > 9
    assert answered(store) == chosen


def test_without_script_a_clip_is_a_film_and_its_pictures(asked) -> None:
    hands, store, site = asked
    hands.allow_script(is_allowed=False)
    try:

        def choose(_n_done: int) -> str:
            n = hands.tab.value("document.querySelectorAll('video[controls]').length")
            assert (
                hands.tab.value("document.querySelectorAll('.clip .pictures img').length") == 4 * n
            )
            hands.click(".options .card:nth-of-type(3) .choice")
            hands.click(SAVE, leads_away=True)
            return "3"

        chosen = all_chosen(hands, site, choose)
        assert answered(store) == chosen != {}
    finally:
        hands.allow_script(is_allowed=True)


def test_films_play_one_at_a_time_and_a_choice_outlives_a_reload(asked) -> None:
    hands, _store, site = asked
    hands.tab.open(f"{site}/next")
    playing = "[...document.querySelectorAll('video')].map(film => !film.paused)"
    for k in (0, 2):
        hands.tab.value(f"document.querySelectorAll('video')[{k}].play().then(() => 0)")
        hands.tab.value("new Promise(done => setTimeout(done, 50))")
        assert [n for n, is_on in enumerate(hands.tab.value(playing)) if is_on] == [k]
    seconds, error = hands.tab.value(
        "(film => [film.duration, film.error?.message ?? null])"
        "(document.querySelectorAll('video')[2])"
    )
    assert error is None
    assert seconds == pytest.approx(2.5)
    hands.click(".options .card:nth-of-type(2) .choice")
    address = hands.tab.value("location.href")
    hands.tab.open(address)
    assert hands.tab.value(CHOSEN) == "2"
    hands.click(".clip .zoom")
    assert hands.tab.value("document.querySelector('#large').open")
    check_page(hands, 1280)
