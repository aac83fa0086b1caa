"""Wordings of one order, what was meant, and what each reading makes of them (public K5)."""

import json
from pathlib import Path
from typing import Any

WORDINGS: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("answers_wordings.json").read_text(encoding="utf-8")
)
"""``name``, ``n`` (steps), ``text``, ``meant``, ``strict`` and ``release`` (labels or null)."""
