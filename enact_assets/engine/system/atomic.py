"""Writes files that appear as a whole or not at all, even if the writer is killed.

A file is written under a temporary name in its own folder, flushed to disk and renamed. Readers
that have the old file open keep it. Temporary names start with a dot and end in ``.tmp``, unlike
all our other file names, so leftovers of a killed run are never mistaken for data.
"""

import errno
import os
import shutil
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from enact_assets.engine.errors import OutputError

TEMPORARY_SUFFIX = ".tmp"
LEFTOVER_AGE_S = 24 * 3600.0
"""A temporary file older than this was left by a killed run; a younger one may still be in use."""
FLUSHED_AT_ONCE = 8

_ADVICE = {
    errno.ENOSPC: "Free some space on its disk and run again.",
    errno.EDQUOT: "Free some of your quota on its disk and run again.",
    errno.EROFS: "Its disk is mounted read-only: mount it for writing, or use another folder.",
    errno.EACCES: "Allow this user to write to the folder, or use another one.",
    errno.EPERM: "Allow this user to write to the folder, or use another one.",
}


def temporary_name(path: Path) -> Path:
    """A name beside ``path`` that no other writer uses."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}{TEMPORARY_SUFFIX}")


def is_temporary(path: Path) -> bool:
    """Whether ``path`` is a temporary file of a writer, alive or killed."""
    return is_temporary_name(path.name)


def is_temporary_name(name: str) -> bool:
    """As :func:`is_temporary`, for a file name; ``.a.tmp.wal`` belongs to ``.a.tmp``."""
    return name.startswith(".") and TEMPORARY_SUFFIX in Path(name).suffixes


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path to write to; on leaving without error it becomes ``path``.

    Creates the folder and sweeps leftovers from it. On an error the temporary file is removed and
    the earlier file at ``path`` stays. Errors: :class:`OutputError` if the file or its folder
    cannot be written; an ``OSError`` about another file is raised unchanged.
    """
    temporary = temporary_name(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        sweep_leftovers(path.parent)
        yield temporary
        flush_to_disk(temporary)
        temporary.replace(path)
        flush_to_disk(path.parent)
    except OSError as error:
        if not _is_about(error, path):
            raise
        raise cannot_write(path, error) from error
    finally:
        _remove(temporary)


def cannot_write(path: Path, error: OSError) -> OutputError:
    """The error that says why ``path`` could not be written, and what to do about it."""
    reason = error.strerror or str(error) or type(error).__name__
    advice = _ADVICE.get(error.errno or 0, "")
    return OutputError(
        f"{path}: cannot be written ({reason}). The earlier file is unchanged. {advice}"
    )


def flush_to_disk(path: Path) -> None:
    """Wait until a file, or the entries of a folder, have reached the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make a folder and its missing parents, and wait until their names have reached the disk.

    Flushing a file and its folder does not flush the name of a new folder. Tables of the lake do
    not need this: if a power cut loses them, they are made again.
    """
    missing = []
    for place in (folder, *folder.parents):
        if place.exists():
            break
        missing.append(place)
    folder.mkdir(parents=True, exist_ok=True)
    for place in reversed(missing):
        flush_to_disk(place.parent)


def flush_tree(folder: Path) -> None:
    """Wait until ``folder`` and all files and folders below it have reached the disk."""
    for place, _, names in os.walk(folder, topdown=False):
        paths = [path for path in (Path(place, name) for name in names) if path.is_file()]
        # In parallel, as one commit of the file system's journal may cover several files.
        with ThreadPoolExecutor(FLUSHED_AT_ONCE) as pool:
            list(pool.map(flush_to_disk, paths))
        flush_to_disk(Path(place))


def sweep_leftovers(folder: Path, older_than_s: float = LEFTOVER_AGE_S) -> list[Path]:
    """Remove old temporary files of killed writers from ``folder``, and return their paths."""
    now = time.time()
    swept = []
    # Names, not paths, for speed: each write sweeps its folder, which may have ten thousand files.
    names = [name for name in os.listdir(folder) if is_temporary_name(name)]  # noqa: PTH208
    for path in sorted(folder / name for name in names):
        try:
            # For a link the link's own age counts, not that of its target.
            if now - path.lstat().st_mtime < older_than_s:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        except OSError:
            continue  # another writer removed it first, or this user may not remove it
        swept.append(path)
    return swept


def _is_about(error: OSError, path: Path) -> bool:
    """Whether ``error`` names ``path``, its temporary name or a folder above, or names nothing."""
    if error.filename is None:
        return True
    named = Path(os.fsdecode(error.filename))
    return named.parent == path.parent or named in path.parents


def _remove(temporary: Path) -> None:
    """Remove a file that was not renamed. An error here must not hide the earlier error."""
    try:
        temporary.unlink(missing_ok=True)
    except OSError:
        return  # a later write sweeps it
