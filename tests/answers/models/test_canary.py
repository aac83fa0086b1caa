import io

import pytest
from PIL import Image

from enact_assets.answers.models.canary import (
    NUMBERS,
    Verdict,
    canary_message,
    canary_messages,
    canary_reader,
    drawn,
    verdict,
)
from enact_assets.answers.models.messages import PICTURE_PX, Picture
from enact_assets.settings.profile import PAPER

IN_ORDER = ", ".join(NUMBERS)


def test_it_is_as_long_as_the_longest_question_public_k3() -> None:
    """One of four pictures fitted into a context that questions of five to ten did not."""
    assert canary_message().n_pictures == max(PAPER.lengths) == 10
    assert [message.n_pictures for message in canary_messages()] == [4, 10]
    assert [message.n_pictures for message in canary_messages(3)] == [3]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (IN_ORDER, "kept"),
        ("\n".join(f"[Picture {k}] {n}" for k, n in enumerate(NUMBERS, 1)), "kept"),
        (f"<think>First 318? No.</think> {IN_ORDER}.", "kept"),
        (", ".join(reversed(NUMBERS)), "changed"),
        (", ".join((*NUMBERS[2:], *NUMBERS[:2])), "changed"),
        (", ".join(NUMBERS[:-1]), "unreadable"),
        (", ".join(NUMBERS[4:]), "unreadable"),
        (IN_ORDER.replace("318", "818"), "unreadable"),
        ("4071859623180", "unreadable"),
        ("I see ten calculators.", "unreadable"),
        ("", "unreadable"),
    ],
)
def test_what_an_answer_says_about_the_order(text: str, expected: Verdict) -> None:
    assert verdict(text) == expected


def test_a_model_that_takes_few_pictures_is_shown_few() -> None:
    assert canary_message(2).n_pictures == 2
    assert verdict("407, 185", 2) == "kept"
    assert verdict("185, 407", 2) == "changed"


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
