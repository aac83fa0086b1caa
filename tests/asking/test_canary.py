import io

import pytest
from PIL import Image

from enact_assets.asking.canary import (
    NUMBERS,
    Verdict,
    canary_message,
    canary_reader,
    drawn,
    verdict,
)
from enact_assets.asking.messages import PICTURE_PX, Picture


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("407, 185, 962, 318", "kept"),
        ("[Picture 1] 407\n[Picture 2] 185\n[Picture 3] 962\n[Picture 4] 318", "kept"),
        ("<think>First 318? No.</think> 407 185 962 318.", "kept"),
        ("318, 962, 185, 407", "changed"),
        ("185, 318, 407, 962", "changed"),
        ("407, 185, 962", "unreadable"),
        ("407, 185, 962, 818", "unreadable"),
        ("4071859623180", "unreadable"),
        ("I see four calculators.", "unreadable"),
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
