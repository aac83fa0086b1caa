import datetime as dt
import json
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from answers.models.small_questions import (
    KEY,
    KEY_VARIABLE,
    asked,
    messages,
    model,
    outcomes,
    read_picture,
)

from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.budget import FOLDER, Budget
from enact_assets.answers.models.canary import NUMBERS, canary_message
from enact_assets.answers.models.entries import Model, PictureTokens, Price
from enact_assets.answers.models.ledger import read_answers
from enact_assets.answers.models.ledger_locks import locked
from enact_assets.answers.models.messages import Message, PictureReader
from enact_assets.answers.models.replies import Reply
from enact_assets.answers.models.reply_readers import read_openai_chat
from enact_assets.answers.models.session import Asking, Key, ask, check
from enact_assets.answers.models.token_counts import counted
from enact_assets.engine.errors import PredictionError, UnreadableFileError

from reference.misbehaving_server import Server


def test_nothing_is_bought_twice(server: Server, tmp_path: Path) -> None:
    given = model(server.url())
    first = asked(given, messages(5), tmp_path)
    more = asked(given, messages(8), tmp_path)
    assert {key: more[key] for key in first} == first
    assert outcomes(more) == {"complete": 8}
    assert server.sold == {"canary": 1} | {f"q{k}": 1 for k in range(8)}
    assert asked(given, messages(8), tmp_path, max_usd=None) == more


def test_the_address_and_the_name_in_the_data_root_decide_no_answer(
    server: Server, tmp_path: Path
) -> None:
    given = model(server.url())
    asked(given, messages(3), tmp_path)
    moved = msgspec.structs.replace(given, name="other", base_url=server.url("lat1"))
    assert outcomes(asked(moved, messages(3), tmp_path)) == {"complete": 3}
    assert sum(server.sold.values()) == 4
    warmer = msgspec.structs.replace(given, parameters={"max_tokens": 101})
    asked(warmer, messages(3), tmp_path)
    assert sum(server.sold.values()) == 8


def test_the_same_message_of_several_questions_is_asked_once(
    server: Server, tmp_path: Path
) -> None:
    one = messages(1)[0]
    answers = asked(model(server.url()), [one, replace(one, question_id="twin")], tmp_path)
    assert answers["q0", 0] == answers["twin", 0]
    assert server.sold["q0"] == 1


def test_repetitions_are_answers_of_their_own(server: Server, tmp_path: Path) -> None:
    answers = asked(model(server.url(), samples=3), messages(2), tmp_path)
    assert set(answers) == {(f"q{k}", r) for k in range(2) for r in range(3)}
    assert {a.repetition for a in answers.values()} == {0, 1, 2}
    assert server.sold["q0"] == server.sold["q1"] == 3


@pytest.mark.parametrize(
    ("entry", "max_usd", "reason"),
    [
        ({"retired": dt.date(2026, 6, 15)}, 10.0, "was retired on 2026-06-15"),
        ({"price": None}, 10.0, "set `price` in models.yaml"),
        ({"price": Price(2.0, 2.0, currency="CNY")}, 10.0, "set `price` in models.yaml"),
        ({}, None, "no budget is set"),
        ({}, 0.0, "does not cover another request"),
    ],
)
def test_what_may_not_be_bought_is_not_asked(
    server: Server, tmp_path: Path, entry: dict[str, object], max_usd: float | None, reason: str
) -> None:
    given = model(server.url(), **entry)
    # Not on this machine, where nothing costs anything; an address that exists nowhere.
    if entry.get("price", given.price) is None:
        given = msgspec.structs.replace(given, base_url="http://provider.invalid/v1")
    n = server.n
    answers = asked(given, messages(3), tmp_path, max_usd)
    assert outcomes(answers) == {"missing": 3}
    assert all(reason in (a.error or "") and a.attempts == 0 for a in answers.values())
    assert {a.usd_unsure for a in answers.values()} == {0.0}
    assert server.n == n


def test_pictures_are_never_left_out(server: Server, tmp_path: Path) -> None:
    of = [*messages(2), *(replace(m, question_id=f"big {m.question_id}") for m in messages(2, 9))]
    answers = asked(model(server.url(), max_images=8), of, tmp_path)
    assert outcomes(answers) == {"complete": 2, "missing": 2}
    assert answers["big q0", 0].error == "9 pictures, and seer takes 8 at most"


def test_a_budget_ends_a_run_and_another_goes_on(server: Server, tmp_path: Path) -> None:
    given = model(server.url(), in_flight=4, picture_tokens=PictureTokens("fixed", (256,)))
    of = messages(40)
    usd = (900 + 9 * 2) / 1e6
    first = asked(given, of, tmp_path, max_usd=20 * usd)
    n = outcomes(first)["complete"]
    assert 5 < n < 20
    assert sum(server.sold.values()) * usd <= 20 * usd
    assert outcomes(asked(given, of, tmp_path, max_usd=1.0)) == {"complete": 40}
    assert set(server.sold.values()) == {1}


def test_a_reply_nobody_can_read_is_not_bought_again_and_again(
    server: Server, tmp_path: Path
) -> None:
    given = model(server.url("empty"))
    for _ in range(4):
        answers = asked(given, messages(3), tmp_path)
    assert {server.sold[f"q{k}"] for k in range(3)} == {2}
    reason = "paid for 2 times without a readable answer; to ask again, raise `max_unreadable` of"
    assert all(str(a.error).startswith(reason) for a in answers.values())
    repaired = model(server.url(), max_unreadable=3)
    assert outcomes(asked(repaired, messages(3), tmp_path)) == {"complete": 3}


def test_a_reply_that_costs_nothing_is_asked_for_until_it_can_be_read(
    server: Server, tmp_path: Path
) -> None:
    free = Price(0.0, 0.0)
    for _ in range(3):
        asked(model(server.url("empty"), price=free), messages(3), tmp_path)
    answers = asked(model(server.url(), price=free), messages(3), tmp_path)
    assert outcomes(answers) == {"complete": 3}


def test_the_first_message_is_asked_until_it_can_be_read(server: Server, tmp_path: Path) -> None:
    for _ in range(3):
        asked(model(server.url("all-empty")), messages(1), tmp_path)
    assert outcomes(asked(model(server.url()), messages(1), tmp_path)) == {"complete": 1}


def test_without_a_question_nothing_is_bought(server: Server, tmp_path: Path) -> None:
    n = server.n
    assert asked(model(server.url()), [], tmp_path) == {}
    assert server.n == n


@pytest.mark.parametrize(
    ("faults", "said"), [("swap", "531, .*, 185, 407"), ("most5-swap", "318, 962, 185, 407")]
)
def test_pictures_in_another_order_stop_everything(
    server: Server, tmp_path: Path, faults: str, said: str
) -> None:
    """Also at a server that takes fewer than the first message has."""
    for _ in range(2):
        with pytest.raises(PredictionError, match=rf"another order.*'{said}'"):
            asked(model(server.url(faults)), messages(3), tmp_path)
    assert server.sold == {"canary": 1}


def test_the_latest_check_of_the_order_decides(server: Server, tmp_path: Path) -> None:
    right, swapped = model(server.url()), model(server.url("swap"))
    with pytest.raises(PredictionError, match=r"`enact-assets models seer --check` asks it again"):
        asked(swapped, messages(3), tmp_path)
    assert check(right, tmp_path, budget=Budget(tmp_path, 1.0))[1] == "kept"
    assert outcomes(asked(right, messages(3), tmp_path)) == {"complete": 3}
    assert check(swapped, tmp_path, budget=Budget(tmp_path, 1.0))[1] == "changed"
    with pytest.raises(PredictionError, match="another order"):
        asked(right, messages(4), tmp_path)
    assert server.sold["canary"] == 3


def test_a_model_whose_answers_are_imported_is_not_asked(tmp_path: Path) -> None:
    imported = model("", "answers")
    with pytest.raises(PredictionError, match="`enact-assets import-answers`"):
        check(imported, tmp_path, budget=Budget(tmp_path, 1.0))
    with pytest.raises(PredictionError, match="`enact-assets import-answers`"):
        asked(imported, messages(1), tmp_path)


@pytest.mark.parametrize("key", ["sk-first-line\nsk-second-line", "sk-s\N{ACUTE ACCENT}cret-0123"])
def test_a_key_that_no_header_can_hold_is_not_sent(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, key)
    n = server.n
    answers = asked(model(server.url()), messages(2), tmp_path)
    assert outcomes(answers) == {"missing": 2}
    assert f"the key in the environment variable {KEY_VARIABLE}" in str(answers["q0", 0].error)
    assert "sk-" not in str(answers)
    assert counted(model(server.url(), "anthropic"), messages(2), read_picture) == []
    assert server.n == n


def test_a_model_that_cannot_read_numbers_is_asked_with_a_note(
    server: Server, tmp_path: Path
) -> None:
    told: list[Asking] = []
    answers = asked(model(server.url("blind")), messages(3), tmp_path, on_progress=told.append)
    assert outcomes(answers) == {"complete": 3}
    assert [p.note for p in told if p.note] == [
        "Model seer could not read the numbers that check the order of pictures."
    ]


def test_an_alias_means_the_model_that_answered_first(server: Server, tmp_path: Path) -> None:
    alias = model(server.url("alias"), serves=("seer-2*",))
    exact = model(server.url(), asked_id="seer-2026-09-09")
    assert outcomes(asked(alias, messages(3), tmp_path)) == {"complete": 3}
    # Asked by its exact id, the same model has answered already.
    assert outcomes(asked(exact, messages(3), tmp_path)) == {"complete": 3}
    assert {server.sold[f"q{k}"] for k in range(3)} == {1}
    moved = model(server.url(), serves=("seer-2*",))
    answers = asked(moved, messages(5), tmp_path)
    assert outcomes(answers) == {"complete": 3, "missing": 2}
    assert "now means 'seer-2'" in str(answers["q4", 0].error)


def test_two_at_once_buy_nothing_twice(server: Server, tmp_path: Path) -> None:
    given = model(server.url("lat20"))
    asked(given, messages(1), tmp_path)  # or the canary would keep them apart
    found: list[dict[Key, Answer]] = []
    threads = [
        threading.Thread(target=lambda: found.append(asked(given, messages(40), tmp_path)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [outcomes(answers) for answers in found] == [{"complete": 40}] * 2
    assert set(server.sold.values()) == {1}


def test_waiting_for_another_process_is_told(server: Server, tmp_path: Path) -> None:
    given = model(server.url())
    told: list[Asking] = []
    lock = tmp_path / "openai_chat" / "seer-2" / ".lock"
    with locked(lock):
        thread = threading.Thread(
            target=lambda: asked(given, messages(1), tmp_path, on_progress=told.append)
        )
        thread.start()
        thread.join(0.2)
        assert told[-1].note == "Another process asks seer. Waiting for it."
    thread.join()
    assert told[-1].done == 1


def test_progress_counts_what_is_known_missing_and_bought(server: Server, tmp_path: Path) -> None:
    given = model(server.url("s400-half"))
    told: list[Asking] = []
    for _ in range(2):
        asked(given, messages(12), tmp_path, on_progress=told.append)
    first = next(p for p in told if p.done == p.total)
    last = told[-1]
    usd = (900 + 9 * 2) / 1e6
    assert first == Asking(
        *(12, 12, "answers (7 missing, 0.01 USD)"), n_missing=7, usd=pytest.approx(6 * usd)
    )
    assert last == Asking(12, 12, "answers (5 known, 7 missing)", free=5, n_missing=7)


def test_a_picture_that_cannot_be_read_is_an_error_after_what_is_in_flight(
    server: Server, tmp_path: Path
) -> None:
    def read(sha: str) -> bytes:
        if sha == "picture 4":
            raise UnreadableFileError("picture 4: no rights")
        return read_picture(sha)

    given = model(server.url("lat20"), in_flight=4)
    with pytest.raises(UnreadableFileError, match="no rights"):
        ask(given, messages(40), read, tmp_path, budget=Budget(tmp_path, 1.0))
    kept = read_answers(tmp_path)
    assert len(kept) == sum(server.sold.values())


class Interrupt(BaseException):
    """As a system raises it that wants the process to end."""


def test_an_interrupt_ends_a_run_at_once_and_what_was_sent_is_written_down(
    server: Server, tmp_path: Path
) -> None:
    def heard(progress: Asking) -> None:
        if progress.done > 8:  # by then four are in flight
            raise Interrupt

    given = model(server.url("spread400"), in_flight=4)
    with pytest.raises(Interrupt):
        asked(given, messages(40), tmp_path, on_progress=heard)
    files = [path.read_text() for path in tmp_path.rglob("*.jsonl")]
    unsure = sum(json.loads(line).get("unsure", 0) for f in files for line in f.splitlines())
    assert 0 < unsure < 4
    while server.in_flight:
        time.sleep(0.01)
    # Some may not have left this machine.
    assert sum(server.sold.values()) <= len(read_answers(tmp_path)) + unsure
    assert not list((tmp_path / FOLDER).glob("*.json"))
    again = asked(model(server.url()), messages(40), tmp_path)
    assert outcomes(again) == {"complete": 40}
    assert server.counts()["twice"] <= unsure


class Fortune:
    """A model of this process: says the number of pictures, and fails where it is told to."""

    version = "fortune 1"

    def __init__(self, fails: str = "", dies: str = "") -> None:
        self.fails, self.dies = fails, dies
        self.asked: list[str] = []

    def answers(
        self, messages: Sequence[Message], read_picture: PictureReader
    ) -> Iterator[Reply | Exception]:
        for message in messages:
            self.asked.append(message.question_id)
            yield self.answer(message)

    def answer(self, message: Message) -> Reply | Exception:
        if message.question_id == self.dies:
            raise PredictionError("out of memory: set batch_size")
        if message.question_id == self.fails:
            return ValueError("no idea")
        if message.question_id == "canary":
            return Reply(", ".join(NUMBERS), "complete")
        return Reply(f"[{message.n_pictures}]", "complete", tokens_in=7, tokens_out=3)


def local(**entry: object) -> Model:
    return model("", "local", "fortune", price=None, **entry)


def told_fortune(fortune: Fortune, n: int, folder: Path, given: Model) -> dict[Key, Answer]:
    max_usd = None if given.price == Price(0.0, 0.0) else 1.0
    return asked(given, messages(n), folder, max_usd, in_process=fortune)


class Reasons(Fortune):
    """Behind a server whose parser takes all that the model writes for reasoning."""

    def answer(self, message: Message) -> Reply | Exception:
        if message.question_id == "canary":
            return super().answer(message)
        given = {"content": None, "reasoning_content": "[1, 2]"}
        return read_openai_chat({"choices": [{"message": given, "finish_reason": "stop"}]})


def test_text_that_a_server_gives_as_reasoning_is_said_once(tmp_path: Path) -> None:
    """public K2: such answers were unparsed, all of them, and nothing said why."""
    for _ in range(2):  # bought now, then known
        told: list[Asking] = []
        answers = asked(
            local(), messages(3), tmp_path, on_progress=told.append, in_process=Reasons()
        )
        assert [answer.text for answer in answers.values()] == [""] * 3
        (said,) = [progress.note for progress in told if progress.note]
        assert "3 of 3 answers are empty, since the server put the text into" in said


def test_a_model_in_this_process_answers_through_the_same_ledger(tmp_path: Path) -> None:
    first, second = Fortune(fails="q1"), Fortune()
    answers = told_fortune(first, 4, tmp_path, local())
    assert outcomes(answers) == {"complete": 3, "missing": 1}
    assert answers["q1", 0].error == "ValueError: no idea"
    assert answers["q0", 0].usd == 0.0
    assert {answer.latency_s for answer in answers.values()} == {None}
    assert outcomes(told_fortune(second, 6, tmp_path, local())) == {"complete": 6}
    assert second.asked == ["q1", "q4", "q5"]
    changed = Fortune()
    changed.version = "fortune 2"
    told_fortune(changed, 1, tmp_path, local())
    assert changed.asked == ["canary", "q0"]


def shown_four(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first message as it was before."""
    where = "enact_assets.answers.models.session"
    monkeypatch.setattr(f"{where}.canary_messages", lambda m=None: (canary_message(4),))
    monkeypatch.setattr(f"{where}.canary_message", lambda m=None: canary_message(4))


def test_the_longer_first_message_is_asked_only_if_something_is_to_be_bought(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an upgrade all partitions are stale: weights were loaded, or a server that is stopped
    was tried, though every answer was in the ledger.
    """
    with monkeypatch.context() as before:
        shown_four(before)
        first = told_fortune(Fortune(), 4, tmp_path, local())
    stopped = Fortune(dies="canary")
    assert told_fortune(stopped, 4, tmp_path, local()) == first
    assert stopped.asked == []
    running = Fortune()
    assert outcomes(told_fortune(running, 5, tmp_path, local())) == {"complete": 5}
    assert running.asked == ["canary", "q4"]


def test_a_server_that_takes_fewer_pictures_than_the_first_message_has(
    server: Server, tmp_path: Path
) -> None:
    """It was shown four before, and answered shorter questions."""
    told: list[Asking] = []
    of = [*messages(2), *(replace(m, question_id=f"big {m.question_id}") for m in messages(2, 9))]
    for _ in range(2):
        answers = asked(model(server.url("most5")), of, tmp_path, on_progress=told.append)
        assert outcomes(answers) == {"complete": 2, "missing": 2}
        assert "HTTP 400" in str(answers["big q0", 0].error)
        (note,) = [progress.note for progress in told if progress.note]
        assert note.startswith("Model seer takes fewer than 10 pictures: set `max_images` in")
        told.clear()
    assert server.sold == {"canary": 1, "q0": 1, "q1": 1}


class Short(Fortune):
    """Its context holds four pictures."""

    def answer(self, message: Message) -> Reply | Exception:
        is_long = message.n_pictures > 4
        return PredictionError("more than it holds") if is_long else super().answer(message)


def test_weights_whose_context_is_shorter_than_the_first_message(tmp_path: Path) -> None:
    short = Short()
    assert outcomes(told_fortune(short, 3, tmp_path, local())) == {"complete": 3}
    assert short.asked == ["canary", "canary", "q0", "q1", "q2"]


class Talking(Fortune):
    """Repeats its key wherever it can."""

    def answer(self, message: Message) -> Reply | Exception:
        if message.question_id == "q1":
            return ValueError("x" * 480 + f" key {KEY} rejected")
        if message.question_id == "q2":
            return Reply(f"my key is {KEY}", "complete")
        if message.question_id == "q3":
            raise PredictionError(f"key {KEY} rejected")
        return super().answer(message)


@pytest.mark.parametrize(("channel", "variable"), [("local", KEY_VARIABLE), ("inspect", "X_KEY")])
def test_a_model_in_this_process_gives_no_key_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, channel: str, variable: str
) -> None:
    monkeypatch.setenv(variable, KEY)
    given = model("", channel, "fortune", price=Price(0.0, 0.0))
    answers = told_fortune(Talking(), 3, tmp_path, given)
    assert KEY[:5] not in str(answers)
    assert answers["q2", 0].text == "my key is ***"
    with pytest.raises(PredictionError, match=r"key \*\*\* rejected"):
        told_fortune(Talking(), 4, tmp_path, given)
    assert not [path for path in tmp_path.rglob("*.jsonl") if KEY[:5] in path.read_text()]


def test_half_a_character_is_no_reason_to_lose_an_answer(tmp_path: Path) -> None:
    class Half(Fortune):
        def answer(self, message: Message) -> Reply | Exception:
            is_error = message.question_id == "q1"
            return ValueError("half \ud83d") if is_error else Reply("[1] \ud83d", "complete")

    answers = told_fortune(Half(), 2, tmp_path, local())
    assert answers["q0", 0].text == "[1] ?"
    assert answers["q1", 0].error == "ValueError: half ?"


def test_a_model_in_this_process_that_dies_keeps_its_answers(tmp_path: Path) -> None:
    with pytest.raises(PredictionError, match="set batch_size"):
        told_fortune(Fortune(dies="q3"), 6, tmp_path, local())
    again = Fortune()
    assert outcomes(told_fortune(again, 6, tmp_path, local())) == {"complete": 6}
    assert again.asked == ["q3", "q4", "q5"]


def test_a_model_in_this_process_that_costs_money_stops_at_the_budget(tmp_path: Path) -> None:
    tokens = {"context_tokens": 100, "picture_tokens": PictureTokens("fixed", (256,))}
    paid = model("", "inspect", "fortune", price=Price(1000.0, 1000.0), **tokens)
    fortune = Fortune()
    found = outcomes(asked(paid, messages(100), tmp_path, 5.0, in_process=fortune))
    assert found["complete"] == len(fortune.asked) - 1
    assert 0 < found["complete"] < 100
    assert Budget(tmp_path, 5.0).committed_usd() <= 5.0


def test_two_servers_that_use_one_id_do_not_share_answers(server: Server, tmp_path: Path) -> None:
    """They may run different weights; one entry may move to another address all the same."""

    def lab(name: str, faults: str = "") -> Model:
        url = server.url(faults)
        return msgspec.structs.replace(
            model(url), name=name, entry=msgspec.structs.replace(model(url).entry, base_url=url)
        )

    asked(lab("one"), messages(3), tmp_path)
    asked(lab("one", "lat1"), messages(3), tmp_path)
    assert set(server.sold.values()) == {1}
    asked(lab("two"), messages(3), tmp_path)
    assert set(server.sold.values()) == {2}
