"""Data files of the package, such as prompts: each is read once in a process.

They are hashed as code when a run starts, and used hours later. Whoever edits one meanwhile, or
checks out another branch, must not change what runs under the version of before.
"""

from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]


def file_bytes(path: Path) -> bytes:
    """Content of a file; of one of the package what it was when it was first read.

    Errors: ``OSError``.
    """
    return _as_first_read(path) if path.is_relative_to(PACKAGE) else path.read_bytes()


_as_first_read = cache(Path.read_bytes)
