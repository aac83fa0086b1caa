"""The first message to a model: pictures of numbers, to see whether it is shown them in order.

Between us and a model are templates, gateways and servers that may move pictures. A model that
reads all numbers but in another order was shown a different question.
"""

import io
import re
from functools import lru_cache
from typing import Literal

from enact_assets.answers.models.messages import PICTURE_PX, Message, Picture, PictureReader, Text
from enact_assets.engine.ids import content_sha
from enact_assets.questions.asked.thinking import without_thinking

QUESTION_ID = "canary"
NUMBERS = ("407", "185", "962", "318", "629", "274", "853", "146", "790", "531")
"""As many as the longest question has pictures, in no order that a model could have put them into.
A server that drops the beginning of a long prompt drops some of these, too.
"""
FEWER = 4
"""Number of pictures in the earlier form: its answers still show which model an alias meant."""
Verdict = Literal["kept", "changed", "unreadable"]

_ASKED = (
    "Each picture shows a number of three digits. Write the numbers in the order in which the "
    "pictures were shown to you, separated by commas, and nothing else."
)
_ASKED_IN_WORDS = "Answer with the word ready, and nothing else."
_NUMBER = re.compile(r"(?<!\d)\d{3}(?!\d)")
# Lit segments: top, upper left, upper right, middle, lower left, lower right, bottom.
_SEGMENTS = {
    "0": "1110111", "1": "0010010", "2": "1011101", "3": "1011011", "4": "0111010",
    "5": "1101011", "6": "1101111", "7": "1010010", "8": "1111111", "9": "1111011",
}  # fmt: skip
_THICK, _WIDE, _HIGH = 20, 110, 240
_GAP, _LEFT, _TOP = 35, 56, 136


def canary_messages(max_images: int | None = None) -> tuple[Message, ...]:
    """The earlier form of the message, if it was different, and the current one."""
    few = FEWER if max_images is None else min(max_images, FEWER)
    return tuple(dict.fromkeys((canary_message(few), canary_message(max_images))))


def canary_message(max_images: int | None = None) -> Message:
    """Pictures of numbers, each after its label, and what is asked about them; words alone for a
    model that takes no pictures.
    """
    if max_images == 0:
        return Message(QUESTION_ID, (Text(_ASKED_IN_WORDS),))
    parts: list[Text | Picture] = []
    for place, sha in enumerate(list(_pictures())[:max_images], start=1):
        parts += [Text(f"[Picture {place}]"), Picture(sha)]
    return Message(QUESTION_ID, (*parts, Text(_ASKED)))


def canary_reader(read_picture: PictureReader) -> PictureReader:
    """Reads pictures of the canary too."""
    return lambda sha: drawn(_pictures()[sha]) if sha in _pictures() else read_picture(sha)


def verdict(text: str, max_images: int | None = None) -> Verdict:
    """What an answer shows about the order of pictures."""
    if max_images == 0:
        return "kept"
    shown = list(NUMBERS[:max_images])
    found = _NUMBER.findall(without_thinking(text) or "")[-len(shown) :]
    if found == shown:
        return "kept"
    return "changed" if sorted(found) == sorted(shown) else "unreadable"


@lru_cache
def drawn(number: str) -> bytes:
    """A picture of a number as a PNG file, in the segments of a pocket calculator."""
    from PIL import Image, ImageDraw

    picture = Image.new("RGB", (PICTURE_PX, PICTURE_PX), "white")
    pen = ImageDraw.Draw(picture)
    for place, digit in enumerate(number):
        x = _LEFT + place * (_WIDE + _GAP)
        y, middle, right, bottom = _TOP, _TOP + _HIGH // 2, x + _WIDE, _TOP + _HIGH
        bars = (
            (x, y, right, y + _THICK),
            (x, y, x + _THICK, middle),
            (right - _THICK, y, right, middle),
            (x, middle - _THICK // 2, right, middle + _THICK // 2),
            (x, middle, x + _THICK, bottom),
            (right - _THICK, middle, right, bottom),
            (x, bottom - _THICK, right, bottom),
        )
        for bar, is_lit in zip(bars, _SEGMENTS[digit], strict=True):
            if is_lit == "1":
                pen.rectangle(bar, "black")
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


@lru_cache
def _pictures() -> dict[str, str]:
    """Numbers by the hash of how they are drawn. Files differ between versions of libraries; then
    the canary would be asked again.
    """
    return {content_sha(["canary", 1, number]): number for number in NUMBERS}
