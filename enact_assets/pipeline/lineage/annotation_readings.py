"""Finds annotations that earlier code read differently: their recordings get a new version.

Every simulation reaches the code that replays, but reading annotations does not affect simulations,
so that code keeps its version (``former_versions.py``). Instead, the recordings whose annotations
are now read differently get a new version here: those with names that are not in Unicode form NFC,
or with things numbered by ``:`` in events.
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
    """:data:`READ_ANEW` if earlier code read ``annotation`` differently, else an empty text.

    Errors: ``OSError``.
    """
    try:
        text = text_of(read_given(annotation))
    except GivenTextError:
        return ""  # earlier code refused it, too
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
