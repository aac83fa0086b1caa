"""Servers that cut prompts are noticed, and others are not suspected: public K3."""

import io
from pathlib import Path

import pytest
from answers.models.small_questions import asked, messages, model
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.canary import (
    NUMBERS,
    Verdict,
    canary_message,
    canary_messages,
    canary_reader,
    drawn,
    verdict,
)
from enact_assets.answers.models.messages import PICTURE_PX, Message, Picture, Text
from enact_assets.answers.models.prompt_lengths import why_cut
from enact_assets.answers.models.session import Asking
from enact_assets.settings.profile import PAPER

from reference.misbehaving_server import Server

IN_ORDER = ", ".join(NUMBERS)


def test_it_is_as_long_as_the_longest_question_public_k3() -> None:
    """One of four pictures fitted into a context that questions of five to ten did not."""
    assert canary_message().n_pictures == max(PAPER.lengths) == 10
    assert [message.n_pictures for message in canary_messages()] == [4, 10]
    assert [message.n_pictures for message in canary_messages(3)] == [3]


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        (IN_ORDER, None, "kept"),
        ("\n".join(f"[Picture {k}] {n}" for k, n in enumerate(NUMBERS, 1)), None, "kept"),
        (f"<think>First 318? No.</think> {IN_ORDER}.", None, "kept"),
        (", ".join(reversed(NUMBERS)), None, "changed"),
        (", ".join((*NUMBERS[2:], *NUMBERS[:2])), None, "changed"),
        (", ".join(NUMBERS[:-1]), None, "unreadable"),
        (", ".join(NUMBERS[4:]), None, "unreadable"),
        (IN_ORDER.replace("318", "818"), None, "unreadable"),
        ("4071859623180", None, "unreadable"),
        ("I see ten calculators.", None, "unreadable"),
        ("", None, "unreadable"),
        ("407, 185", 2, "kept"),
        ("185, 407", 2, "changed"),
    ],
)
def test_what_an_answer_says_about_the_order(
    text: str, most: int | None, expected: Verdict
) -> None:
    assert verdict(text, most) == expected


def test_numbers_stand_in_no_order() -> None:
    assert list(NUMBERS) not in (sorted(NUMBERS), sorted(NUMBERS, reverse=True))


def test_pictures_are_read_under_their_hashes_beside_those_of_questions() -> None:
    read = canary_reader(lambda sha: f"other {sha}".encode())
    shas = [part.sha for part in canary_message().parts if isinstance(part, Picture)]
    assert [read(sha) for sha in shas] == [drawn(number) for number in NUMBERS]
    assert read("x") == b"other x"


def test_each_digit_is_drawn_otherwise() -> None:
    digits = [drawn(digit * 3) for digit in "0123456789"]
    assert len(set(digits)) == 10
    with Image.open(io.BytesIO(digits[8])) as picture:
        assert picture.size == (PICTURE_PX, PICTURE_PX)
        dark = [sum(Image.open(io.BytesIO(d)).convert("L").histogram()[:128]) for d in digits]
    assert max(dark) == dark[8]
    assert min(dark) == dark[1]


CUT = "the server probably cut them"


def notes_of(server: Server, faults: str, folder: Path) -> list[str]:
    """What a person is told while questions of 3 to 10 pictures are asked."""
    told: list[Asking] = []
    of = [m for n in range(3, 11) for m in messages(n, n)[n - 2 :]]
    asked(model(server.url(faults)), of, folder, on_progress=told.append)
    return [progress.note for progress in told if progress.note]


def test_a_prompt_cut_by_the_server_is_said_public_k3(server: Server, tmp_path: Path) -> None:
    """12 of 16 questions had 2,048 tokens, and the model a row like any other; and said again by
    a run that finds all answers in the ledger.
    """
    for _ in range(2):
        [note] = notes_of(server, "ctx2048", tmp_path)
        assert "of 4 to 10 pictures have the same number of input tokens (2,048)" in note
        assert CUT in note
    assert notes_of(server, "ctx4096", tmp_path / "whole") == []


def test_an_answer_to_the_first_message_of_before_still_says_which_model_it_was(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A model that cannot be asked any more keeps its answers, though the first message is longer
    now; one that can is shown it.
    """
    given = model(server.url("alias"), serves=("seer-*",))
    with monkeypatch.context() as before:
        for module in ("session", "survey", "canary"):
            place = f"enact_assets.answers.models.{module}"
            before.setattr(f"{place}.canary_messages", lambda m=None: (canary_message(4),))
        before.setattr(
            "enact_assets.answers.models.session.canary_message", lambda m=None: canary_message(4)
        )
        bought = asked(given, messages(3), tmp_path)
    server.sold.clear()
    assert asked(given, messages(3), tmp_path, max_usd=None) == bought
    assert not server.sold
    assert asked(given, messages(4), tmp_path)["q3", 0].text
    assert server.sold == {"canary": 1, "q3": 1}


def answers(
    questions: list[tuple[int, int]], of_picture: int, of_character: float, context: int
) -> list[tuple[Message, Answer]]:
    """Of so many pictures and characters, at a server that keeps ``context`` tokens."""
    found = []
    for k, (n, length) in enumerate(questions):
        shown = (*(Picture(str(place)) for place in range(n)), Text("x" * length))
        tokens = min(context, 9 + round(of_picture * n + of_character * length))
        message = Message(f"q{k}", shown)
        found.append((message, Answer(f"{k}", f"q{k}", "seer", text="", tokens_in=tokens)))
    return found


questions = st.lists(
    st.tuples(st.integers(3, 10), st.integers(1500, 2500)), min_size=1, max_size=30
)


@given(questions, st.integers(81, 1200), st.floats(0.2, 0.3))
def test_a_server_that_cuts_nothing_is_not_suspected(
    asked: list[tuple[int, int]], of_picture: int, of_character: float
) -> None:
    """Whatever a picture is to it, and however its tokens are cut."""
    found = answers(asked, of_picture, of_character, 1 << 40)
    by_tokens = {a.tokens_in: m.n_pictures for m, a in found}
    if all(by_tokens[a.tokens_in] == m.n_pictures for m, a in found):
        assert why_cut(found) is None


@given(questions, st.integers(81, 1200), st.integers(500, 1000))
def test_a_server_that_cuts_questions_of_different_lengths_is_noticed(
    asked: list[tuple[int, int]], of_picture: int, context: int
) -> None:
    """Its context holds less than the shortest of them."""
    found = answers([(3, 2000), *asked, (10, 2000)], of_picture, 0.25, min(context, 600))
    assert CUT in (why_cut(found) or "")


def test_a_server_that_cuts_a_little_less_each_time_is_noticed() -> None:
    """It drops whole pictures, so that what is left differs."""
    found = answers([(3, 2000), (10, 2000)], 300, 0.25, 1 << 40)
    left = [
        (m, Answer("s", "q", "seer", text="", tokens_in=1400 + k)) for k, (m, _) in enumerate(found)
    ]
    assert "questions of 10 pictures have hardly more input tokens than those of 3" in (
        why_cut(left) or ""
    )


def test_without_counts_nothing_is_said() -> None:
    found = answers([(3, 2000), (10, 2000)], 300, 0.25, 1 << 40)
    assert why_cut((m, Answer("s", "q", "seer", text="")) for m, _ in found) is None
    assert why_cut([]) is None
