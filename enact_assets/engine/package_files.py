"""Data files of the package, such as prompts. Each is read once per process.

They are hashed as code when a run starts and used hours later. Editing one meanwhile, or checking
out another branch, must not change what runs under the earlier version.
"""

from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]


def file_bytes(path: Path) -> bytes:
    """Content of a file; a file of the package has the content of its first reading.

    Errors: ``OSError``.
    """
    return _as_first_read(path) if path.is_relative_to(PACKAGE) else path.read_bytes()


_as_first_read = cache(Path.read_bytes)
