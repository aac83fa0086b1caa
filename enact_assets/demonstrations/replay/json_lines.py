"""Lines of the members of a JSON text, so that a message can name them."""

import json
import re
from typing import Any

from enact_assets.engine.given_text import nfc

_SPACE = re.compile(r"[ \t\n\r]*")
_CONSTANTS = re.compile(r'"(?:[^"\\]|\\.)*"|(NaN|-?Infinity)', re.DOTALL)
"""Texts, and in group 1 what Python's reader takes for a number, but JSON does not have."""
_decoder = json.JSONDecoder()


class _NoNumberError(ValueError):
    """``NaN`` or ``Infinity``."""


def parse_json(text: str) -> Any:
    """The value of ``text``, its texts in Unicode form NFC.

    Errors: ``ValueError`` with the reason. Duplicate keys in one object and too deep nesting are
    such reasons too.
    """
    try:
        found = json.loads(text, parse_constant=_refuse, object_pairs_hook=_once)
        if text.isascii() and "\\u" not in text:
            return found
        # Written anew no character is escaped, and none of JSON's own belongs to another form.
        plain = nfc(json.dumps(found, ensure_ascii=False))
        return json.loads(plain, object_pairs_hook=_once)
    except _NoNumberError as error:
        at = next(m.start(1) for m in _CONSTANTS.finditer(text) if m[1])
        raise json.JSONDecodeError(str(error), text, at) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def member_lines(text: str) -> dict[str, list[int]]:
    """Key of the object in ``text`` -> line of its value; for a list, the line of each entry.

    ``text`` is a valid JSON object; lines count from 1.
    """
    lines: dict[str, list[int]] = {}
    at = _skip(text, _skip(text, 0) + 1)
    while text[at] != "}":
        key, at = _decoder.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)  # the colon
        if text[at] == "[":
            lines[key], at = _entry_lines(text, at)
        else:
            lines[key] = [_line(text, at)]
            _, at = _decoder.raw_decode(text, at)
        at = _after_comma(text, at)
    return lines


def _entry_lines(text: str, at: int) -> tuple[list[int], int]:
    found = []
    begun, line = at, _line(text, at)
    at = _skip(text, at + 1)
    while text[at] != "]":
        line, begun = line + text.count("\n", begun, at), at
        found.append(line)
        _, at = _decoder.raw_decode(text, at)
        at = _after_comma(text, at)
    return found, at + 1


def _after_comma(text: str, at: int) -> int:
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"{twice[:60]!r} is a duplicate key in one object")
    return found


def _refuse(constant: str) -> Any:
    raise _NoNumberError(f"{constant} is not a JSON number")
