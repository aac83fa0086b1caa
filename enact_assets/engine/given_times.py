"""Reads times in videos that people give: seconds, milliseconds, clock time or frame number."""

import re

WANTED = "seconds from 0, such as 83.5, 83500 ms or 1:23.5 (below 60 after a colon)"
WANTED_RATE = "a number above 0 (frames per second), such as 29.97"
WANTED_FRAME = "a whole number from 0"
_MAX_CHARACTERS = 30
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d+(?:\.\d*)?)", re.ASCII)
_SECONDS = re.compile(r"(?ai)(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d\d?)? ?(ms|msec|s|sec)?")
_FRAME = re.compile(r"\d{1,9}", re.ASCII)
# One to three digits and three more can be a whole number: 1,250 s is 1250 s or 1.25 s.
_THOUSANDS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}(?!\d)", re.ASCII)


def wanted(text: str) -> str:
    """:data:`WANTED`, and why ``text`` is not that where its mark may part thousands."""
    found = _THOUSANDS.match(text)
    if found is None:
        return WANTED
    whole, part = re.split("[.,]", found[0])
    either = f"{whole}{part} or {whole}.{part}"
    return f"{WANTED}; it could be {either}: write {either}0"


def seconds_of(text: str, *, decimal_comma: bool = False) -> float | None:
    """Seconds from 0 that ``text`` means; None if it is not a time or is ambiguous.

    ``62.5``, ``62.5 s``, ``62500 ms``, ``1:02.5`` and ``00:01:02.5``, each also with a decimal
    comma. A mark that may separate thousands makes a text ambiguous: a comma without
    ``decimal_comma``, a point with it. Hours may exceed 24, and minutes without hours may exceed
    60.
    """
    if len(text) > _MAX_CHARACTERS or text.count(",") > 1 or ("," in text and "." in text):
        return None
    mark = "." if decimal_comma else ","
    if ":" not in text and mark in text and _THOUSANDS.match(text):
        return None
    plain = text.replace(",", ".")
    if clock := _CLOCK.fullmatch(plain):
        hours, minutes, seconds = (float(part or 0) for part in clock.groups())
        # 60 or more after a colon.
        if seconds >= 60 or (clock[1] and minutes >= 60):
            return None
        return 3600 * hours + 60 * minutes + seconds
    if found := _SECONDS.fullmatch(plain):
        number = float(found[1] + (found[2] or ""))
        return number / 1000 if (found[3] or "").lower().startswith("m") else number
    return None


def rate_of(text: str, *, decimal_comma: bool = False) -> float | None:
    """Frames per second; None unless ``text`` is a number above 0."""
    is_number = not set(text.lower()) & set(":ms")
    return (seconds_of(text, decimal_comma=decimal_comma) if is_number else None) or None


def frame_of(text: str) -> int | None:
    """The frame number, from 0, that ``text`` means; None if it is not a frame number."""
    return int(text) if _FRAME.fullmatch(text) else None
