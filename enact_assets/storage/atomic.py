"""Files that appear whole or not at all, also when the writer is killed half way.

A file is written under a temporary name in its own folder, flushed to disk and renamed. Readers
that hold the old file open keep it. Temporary names start with a dot and end in ``.tmp``, which no
name of ours does, so that what a killed run leaves behind is never mistaken for data.
"""

import os
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TEMPORARY_SUFFIX = ".tmp"
LEFTOVER_AGE_S = 24 * 3600.0
"""A temporary file older than this belongs to a killed run; a younger one may still be written."""


def temporary_name(path: Path) -> Path:
    """A name beside ``path`` that no other writer uses."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}{TEMPORARY_SUFFIX}")


def is_temporary(path: Path) -> bool:
    """Whether ``path`` is a temporary file of a writer, alive or killed."""
    return path.name.startswith(".") and TEMPORARY_SUFFIX in path.suffixes


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path to write to; on leaving without error it becomes ``path``.

    Creates the folder and sweeps leftovers from it. On an error the temporary file is removed and
    what stood at ``path`` before stays.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep_leftovers(path.parent)
    temporary = temporary_name(path)
    try:
        yield temporary
        flush_to_disk(temporary)
        temporary.replace(path)
        flush_to_disk(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def flush_to_disk(path: Path) -> None:
    """Wait until a file, or the entries of a folder, have reached the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sweep_leftovers(folder: Path, older_than_s: float = LEFTOVER_AGE_S) -> list[Path]:
    """Remove what killed writers left in ``folder`` and return it; the young stays."""
    now = time.time()
    swept = []
    for path in sorted(folder.iterdir()):
        if not is_temporary(path):
            continue
        try:
            # Of a link the link itself counts, not what it leads to.
            if now - path.lstat().st_mtime < older_than_s:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        except FileNotFoundError:
            continue  # another writer swept it first
        swept.append(path)
    return swept
