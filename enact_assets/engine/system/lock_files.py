"""Opens lock files. Links are refused, as their targets must not be changed."""

import os
from pathlib import Path
from typing import IO


def open_lock(path: Path) -> IO[str]:
    """Open ``path`` for locking; it is created if it does not exist, otherwise unchanged.

    Errors: ``OSError`` if it cannot be created or written, or is a link.
    """

    def own(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)

    return open(path, "a", encoding="utf-8", opener=own)
