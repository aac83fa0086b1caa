"""Files that exist to be locked; what they lead to, if they are links, is not ours to change."""

import os
from pathlib import Path
from typing import IO


def open_lock(path: Path) -> IO[str]:
    """``path`` for locking; made if it does not exist, otherwise unchanged.

    Errors: ``OSError`` if it cannot be made or written, or is a link.
    """

    def own(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)

    return open(path, "a", encoding="utf-8", opener=own)
