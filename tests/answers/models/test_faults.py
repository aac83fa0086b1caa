"""Whatever a provider does: every question ends answered, refused, or missing with a reason."""

import asyncio
import itertools
import os
import resource
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from answers.models.small_questions import (
    KEY,
    KEY_VARIABLE,
    asked,
    messages,
    model,
    outcomes,
)

from enact_assets.answers.models import client, gate, posting
from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.budget import FOLDER, Budget
from enact_assets.answers.models.canary import NUMBERS
from enact_assets.answers.models.entries import Price
from enact_assets.answers.models.ledger import read_answers
from enact_assets.answers.models.session import Asking, Key
from enact_assets.engine.errors import PredictionError

from reference.misbehaving_server import Server, answer_to

N = 12


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "FIRST_WAIT_S", 0.001)
    monkeypatch.setattr(client, "LONGEST_WAIT_S", 0.002)
    monkeypatch.setattr(gate, "_SPREAD_S", 0.001)


def asked_at(
    server: Server, faults: str, folder: Path, n: int = N, **entry: object
) -> dict[Key, Answer]:
    """Asks ``n`` questions; whatever happens, no key is written and no money stays reserved."""
    answers = asked(model(server.url(faults), **entry), messages(n), folder)
    assert set(answers) == {(f"q{k}", 0) for k in range(n)}
    assert not list((folder / FOLDER).glob("*.json"))
    assert KEY not in "".join(str(answer) for answer in answers.values())
    assert not [path for path in folder.rglob("*.jsonl") if KEY in path.read_text()]
    paid = sum(answer.usd or 0.0 for answer in answers.values())
    assert Budget(folder, 10.0).committed_usd() >= paid
    return answers


ANSWERED_ONE = {"complete": 1}
ANSWERED, REFUSED, MISSING = ({kind: N} for kind in ("complete", "refused", "missing"))


@pytest.mark.parametrize(
    ("faults", "expected", "n_sold", "reason"),
    [
        ("", ANSWERED, N, ""),
        ("s429n2-ra0", ANSWERED, N, ""),
        ("s429n3", ANSWERED, N, ""),
        ("s429n1-ms5", ANSWERED, N, ""),
        ("s429n1-delay5", ANSWERED, N, ""),
        ("s429n1-date", ANSWERED, N, ""),
        ("s503n2-ra0", ANSWERED, N, ""),
        ("s500n2", ANSWERED, N, ""),
        ("s408n2", ANSWERED, N, ""),
        ("s529n2", ANSWERED, N, ""),
        ("resetn2", ANSWERED, N, ""),
        ("cutn2", ANSWERED, 3 * N, ""),
        ("htmln1", ANSWERED, 2 * N, ""),
        ("text", ANSWERED, N, ""),
        ("faultn2", ANSWERED, N, ""),
        ("fault429n2", ANSWERED, N, ""),
        ("fault", MISSING, 0, "HTTP 200, but not the documented shape: Object missing required"),
        ("failed502n2-nousage", ANSWERED, 3 * N, ""),
        ("failed502", MISSING, 3 * N, "HTTP 200, but an error (code 502) in place of an ans"),
        ("failed-nousage", MISSING, 6 * N, "HTTP 200, but an error (code 500) in place of an ans"),
        ("surrogate", ANSWERED, N, ""),
        ("nousage", ANSWERED, N, ""),
        ("prose", ANSWERED, N, ""),
        ("blind", ANSWERED, N, ""),
        ("lat20", ANSWERED, N, ""),
        ("long", {"cut": N}, N, ""),
        ("filter", REFUSED, N, ""),
        ("policy", REFUSED, 0, ""),
        ("s429", MISSING, 0, "HTTP 429"),
        ("s500", MISSING, 0, "HTTP 500"),
        ("reset", MISSING, 0, "no whole reply: "),
        ("cut", MISSING, 3 * N, "a reply that is not JSON (application/json): {"),
        ("html", MISSING, 3 * N, "a reply that is not JSON (text/html): <html>Sign in"),
        ("s400", MISSING, 0, "HTTP 400"),
        ("empty", MISSING, N, "not the documented shape: Expected `array` of length >= 1"),
        ("all-s500", MISSING, 0, "the first message, which checks the order of pictures: HTTP 500"),
        ("s422-half", {"complete": 5, "missing": 7}, 5, "HTTP 422"),
        ("html-half", {"complete": 5, "missing": 7}, 26, "a reply that is not JSON"),
    ],
)
def test_every_fault_ends_well(  # noqa: PLR0917 - a row of the table
    server: Server, tmp_path: Path, faults: str, expected: dict[str, int], n_sold: int, reason: str
) -> None:
    answers = asked_at(server, faults, tmp_path)
    assert outcomes(answers) == expected
    assert sum(n for question, n in server.sold.items() if question != "canary") == n_sold
    reasons = [answer.error for answer in answers.values() if answer.error]
    assert all(found.startswith(reason) for found in reasons), reasons[0]
    complete = {key: a.text for key, a in answers.items() if a.stop == "complete"}
    if faults not in {"prose", "surrogate"}:
        assert complete == {key: answer_to(key[0]) for key in complete}


@pytest.mark.parametrize(
    ("faults", "reason"),
    [
        ("s401", "HTTP 401"),
        ("s402", "HTTP 402"),
        ("s403", "HTTP 403"),
        ("s404", "HTTP 404"),
        ("fault402", "HTTP 200, but "),
        ("failed402", "HTTP 200, but an error (code 402)"),
        ("quota-s429", "HTTP 429"),
        ("s429-ra3600", "(asks to wait 3600 s: ask again later)"),
        (f"s429-ra{10**30}", "(asks to wait 1e+30 s: ask again later)"),
        ("moved", "redirects are not followed, so set `base_url`"),
        ("other", "asked 'seer-2', but 'seer-mini' answered. If this is the same model, add it"),
        ("drift", "'seer-2' meant 'seer-2' and now means 'seer-2026-09-09'"),
    ],
)
def test_what_cannot_work_stops_the_run_at_once(
    server: Server, tmp_path: Path, faults: str, reason: str
) -> None:
    n = server.n
    serves = ("seer-2*",) if faults == "drift" else ()
    answers = asked_at(server, faults, tmp_path, n=60, serves=serves)
    assert outcomes(answers) == {"missing": 60}
    assert all(reason in (answer.error or "") for answer in answers.values())
    assert server.n - n <= 1 + 8  # the canary, and what was in flight


@pytest.mark.parametrize("faults", ["s429", "s529", "all-s429", "s503-ra0"])
def test_refusals_for_the_rate_without_end_are_told_and_stop_the_run(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faults: str
) -> None:
    """Faults N17: up to hours of silence."""
    monkeypatch.setattr(client, "MOST_REFUSALS", 10**6)
    monkeypatch.setattr(client, "LONGEST_PAUSE_S", 0.3)
    monkeypatch.setattr(client, "TOLD_AFTER_S", 0.1)
    told: list[Asking] = []
    found = asked(model(server.url(faults)), messages(60), tmp_path, on_progress=told.append)
    assert outcomes(found) == {"missing": 60}
    assert all(
        "(and nothing else for 0 s: ask again later)" in str(a.error) for a in found.values()
    )
    notes = [progress.note for progress in told if progress.note]
    (note,) = [note for note in notes if "asked too often" in note]
    assert f"HTTP {'503' if '503' in faults else faults[-3:]}" in note


@pytest.mark.parametrize(
    ("status", "variable", "said"),
    [
        ("s401", KEY_VARIABLE, f"the environment variable {KEY_VARIABLE} is not set"),
        ("s403", KEY_VARIABLE, f"the environment variable {KEY_VARIABLE} is not set"),
        ("s401", "", "name its environment variable in `key` of seer in models.yaml"),
    ],
)
def test_a_server_that_wants_a_key_that_is_not_set_or_named(  # noqa: PLR0917 - a row of the table
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: str,
    variable: str,
    said: str,
) -> None:
    """Researcher F13: no word of the variable."""
    monkeypatch.delenv(KEY_VARIABLE)
    given = msgspec.structs.replace(model(server.url(status)), key_variable=variable)
    answers = asked(given, messages(2), tmp_path)
    assert all(f"no key was sent: {said}" in str(answer.error) for answer in answers.values())


def test_an_error_in_a_choice_is_no_reply_that_was_paid_for_in_vain(
    server: Server, tmp_path: Path
) -> None:
    """Public reports K6: after two of them the question was not asked again."""
    for _ in range(3):
        assert outcomes(asked_at(server, "failed502", tmp_path, n=1)) == {"missing": 1}
    assert outcomes(asked_at(server, "", tmp_path, n=1)) == ANSWERED_ONE


def test_an_entry_says_what_a_reason_to_stop_means(server: Server, tmp_path: Path) -> None:
    (answer,) = asked_at(server, "filter", tmp_path, n=1, stops={"content_filter": "cut"}).values()
    assert (answer.text, answer.stop) == ("", "cut")


def test_refusals_between_answers_are_no_end(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may refuse most of what is asked for as long as it answers something."""
    ticks = itertools.count()
    monkeypatch.setattr(client, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    monkeypatch.setattr(client, "LONGEST_PAUSE_S", 6)
    found = asked_at(server, "s429n4", tmp_path, n=10, in_flight=1)
    assert outcomes(found) == {"complete": 10}
    assert next(ticks) == 4 * 10


class Working:
    """In place of a connection: q0 is answered after q1 was refused twice, 1,000 s apart."""

    now = 0.0

    def __init__(self, *_: object) -> None:
        self.n_refused = 0
        self.has_refused = asyncio.Event()

    async def __aenter__(self) -> "Working":
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def post(self, body: list[bytes]) -> posting.Response:
        if b"QID=q0" in b"".join(body):
            await asyncio.wait_for(self.has_refused.wait(), 5)
        elif b"QID=q1" in b"".join(body) and self.n_refused < 2:
            Working.now += 1000.0 * self.n_refused
            self.n_refused += 1
            return posting.Response(429, "HTTP 429")
        self.has_refused.set()
        choice = {"finish_reason": "stop", "message": {"content": ", ".join(NUMBERS)}}
        return posting.Response(200, reply={"model": "seer-2", "choices": [choice]})


def test_time_in_which_an_answer_is_on_its_way_is_no_refusal(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal, an answer that takes a quarter of an hour, another refusal: the run stopped."""
    monkeypatch.setattr(client, "Poster", Working)
    monkeypatch.setattr(client, "time", SimpleNamespace(monotonic=lambda: Working.now))
    found = asked_at(server, "", tmp_path, n=2, price=Price(0.0, 0.0))
    assert outcomes(found) == {"complete": 2}
    assert Working.now == 1000.0


@pytest.mark.parametrize(("faults", "n_attempts"), [("s400", 1), ("empty", 1), ("s500", 6)])
def test_a_run_without_any_answer_stops_early(
    server: Server, tmp_path: Path, faults: str, n_attempts: int
) -> None:
    n = server.n
    answers = asked_at(server, faults, tmp_path, n=100)
    assert outcomes(answers) == {"missing": 100}
    assert (server.n - n) <= 1 + (16 + 8) * n_attempts
    stopped = Counter(a.error for a in answers.values() if a.attempts == 0)
    assert len(stopped) == 1
    assert "questions in a row got no answer" in str(stopped)


def test_requests_at_fault_do_not_stop_those_that_are_not(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "FAILED_IN_A_ROW", 12)
    answers = asked_at(server, "s400-half", tmp_path, n=60)
    assert {a.attempts for a in answers.values()} == {1}
    assert 20 < outcomes(answers)["missing"] < 40


def test_a_reply_of_many_megabytes_is_read_no_further(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting, "MOST_BYTES", 2 << 20)
    answers = asked_at(server, "long", tmp_path, n=3)
    assert {answer.error for answer in answers.values()} == {"a reply of more than 2 MiB"}
    assert all(path.stat().st_size < 10_000 for path in tmp_path.rglob("*.jsonl"))


def test_a_long_answer_is_kept_in_part_and_without_the_reply(
    server: Server, tmp_path: Path
) -> None:
    answers = asked_at(server, "long", tmp_path, n=2)
    assert {len(answer.text or "") for answer in answers.values()} == {1_000_000}
    assert all(path.stat().st_size < 2_100_000 for path in tmp_path.rglob("*.jsonl"))


def test_all_wait_as_long_as_the_provider_asks(server: Server, tmp_path: Path) -> None:
    free = Price(0.0, 0.0)  # all at once: what costs money begins one by one
    begun = time.monotonic()
    answers = asked_at(server, "s429n1-delay300", tmp_path, n=8, price=free)
    assert outcomes(answers) == {"complete": 8}
    assert 0.3 <= time.monotonic() - begun < 3


def test_a_limit_of_the_rate_is_lived_with(server: Server, tmp_path: Path) -> None:
    # The server lets as many through at once as in a second: fewer than are asked.
    answers = asked_at(server, "rps20-ms20", tmp_path, n=30, in_flight=64)
    assert outcomes(answers) == {"complete": 30}
    assert server.counts()["twice"] == 0
    assert server.statuses[429] > 0


@pytest.mark.slow
@pytest.mark.parametrize("said", ["ra0", "date"])
def test_a_limit_without_a_time_to_wait_is_lived_with(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setattr(client, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(client, "LONGEST_WAIT_S", 0.05)
    answers = asked_at(server, f"rps20-{said}", tmp_path, n=30, in_flight=64)
    assert outcomes(answers) == {"complete": 30}
    assert server.statuses[429] > 0


def test_a_reply_that_counts_no_tokens_has_no_price(server: Server, tmp_path: Path) -> None:
    first = asked_at(server, "nousage", tmp_path, n=2)
    for answer in first.values():
        assert (answer.usd, answer.unsure, answer.tokens_in) == (None, 1, None)
        assert answer.usd_unsure > 0
    assert asked_at(server, "", tmp_path, n=2) == first
    unsure = sum(answer.usd_unsure for answer in first.values())
    canary = sum(a.usd or 0.0 for a in read_answers(tmp_path).values() if a.purpose == "canary")
    assert Budget(tmp_path, 10.0).committed_usd() == pytest.approx(unsure + canary)


@pytest.mark.parametrize("faults", ["empty", "other", "s400"])
def test_a_missing_answer_has_no_price(server: Server, tmp_path: Path, faults: str) -> None:
    for _ in range(3):
        answers = asked_at(server, faults, tmp_path, n=2).values()
        assert {(a.usd, a.stop) for a in answers} == {(None, None)}


def test_an_address_is_quoted_without_what_may_be_secret(server: Server, tmp_path: Path) -> None:
    bases = (server.url("all-s404"), "http://127.0.0.1:9/v1", "http://a..b/v1")
    # Google's format has a header of its own for the key, so that a user can be in the address.
    for n, (base, channel) in enumerate(itertools.product(bases, ("openai_chat", "google"))):
        url = base.replace("http://", "http://me:p4ssw0rd@") + "/?code=s3cret"
        answers = asked(model(url, channel), messages(1), tmp_path / str(n))
        error = str(answers["q0", 0].error)
        assert f"{base}/" in error
        assert not [word for word in ("me:", "p4ssw0rd", "s3cret") if word in error]


def test_nobody_listening_is_no_charge(server: Server, tmp_path: Path) -> None:
    answers = asked(model("http://127.0.0.1:9/v1"), messages(3), tmp_path)
    assert all("cannot connect to" in (a.error or "") for a in answers.values())
    assert Budget(tmp_path, 10.0).committed_usd() == 0


def test_a_slow_reply_may_have_been_charged(server: Server, tmp_path: Path) -> None:
    answers = asked_at(server, "", tmp_path, n=2)  # the canary is known from here on
    fast = sum(answer.usd or 0.0 for answer in answers.values())
    late = model(server.url("lat500"), timeout_s=0.02)
    given = asked(late, messages(3)[2:], tmp_path)["q2", 0]
    assert given.error == "no whole reply within 0.02 s"
    assert given.unsure == given.attempts == 3
    assert given.usd_unsure > 0
    canary = [a.usd for a in read_answers(tmp_path).values() if a.purpose == "canary"]
    spent = Budget(tmp_path, 10.0).committed_usd()
    assert spent == pytest.approx(fast + sum(filter(None, canary)) + given.usd_unsure)


def test_the_key_is_sent_in_the_header_of_each_format(server: Server, tmp_path: Path) -> None:
    names = {
        "openai_chat": "authorization",
        "openai_responses": "authorization",
        "anthropic": "x-api-key",
        "google": "x-goog-api-key",
    }
    for channel, name in names.items():
        answers = asked(model(server.url(), channel), messages(2), tmp_path / channel)
        assert outcomes(answers) == {"complete": 2}
        assert {a.text for a in answers.values()} == {answer_to("q0"), answer_to("q1")}
        assert {a.usd for a in answers.values()} == {(900 * 1.0 + 9 * 2.0) / 1e6}
        assert [header for header, value in server.headers.items() if KEY in value] == [name]


def test_too_few_open_files_are_an_error_and_not_the_end_of_the_process(
    server: Server, tmp_path: Path
) -> None:
    """uvloop aborted, which a campaign of faults found."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    held = list[int]()
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        with suppress(OSError):
            while True:
                held.append(os.open(os.devnull, os.O_RDONLY))
        for descriptor in held[-12:]:  # enough for the ledger
            os.close(descriptor)
        del held[-12:]
        with pytest.raises(PredictionError, match=r"may open no more files .*ulimit -n"):
            asked_at(server, "", tmp_path)
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert not server.sold
    assert outcomes(asked_at(server, "", tmp_path))["missing"] == 0
