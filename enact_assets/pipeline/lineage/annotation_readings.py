"""Annotations that were read otherwise before: their recordings have another version than then.

The code that replays is reached by every simulation, which no reading of an annotation concerns, so
its version stays (``former_versions.py``). What is read otherwise today counts here instead: names
that are not in Unicode form NFC, and things numbered by ``:`` in events.
"""

import json
import re
from pathlib import Path

from enact_assets.engine.errors import GivenTextError
from enact_assets.engine.given_files import read_given
from enact_assets.engine.given_text import nfc, text_of

READ_ANEW = "names in NFC, numbered by ':'"
_NUMBERED = re.compile(r':\d+\s*"')


def reading_of(annotation: Path) -> str:
    """:data:`READ_ANEW` if ``annotation`` was read otherwise before, else nothing.

    Errors: ``OSError``.
    """
    try:
        text = text_of(read_given(annotation))
    except GivenTextError:
        return ""  # it was refused before as well
    is_events = annotation.suffix == ".jsonl"
    texts = [text]
    if "\\u" in text:
        texts += map(_unescaped, text.split("\n") if is_events else [text])
    is_numbered = is_events and any(map(_NUMBERED.search, texts))
    return READ_ANEW if is_numbered or any(nfc(t) != t for t in texts) else ""


def _unescaped(text: str) -> str:
    try:
        return json.dumps(json.loads(text), ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""
