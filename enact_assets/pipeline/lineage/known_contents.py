"""Hashes of external files: each file is read once, and again when it may have changed."""

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from enact_assets.engine.ids import content_sha, sha256_bytes
from enact_assets.engine.lake.catalogue import Catalogue, Known
from enact_assets.engine.lake.settling import NOT_SETTLED_NS

MOST_THREADS = 8


class _Wanted(NamedTuple):
    """Files to read, and their bytes, for the result with this ``name`` and ``mark``."""

    name: str
    mark: str
    paths: Sequence[str]
    n_bytes: int


class KnownContents:
    """Cached results of reading files, by a name and a mark of the files' state.

    They are kept in the ``catalogue`` if there is one. If the catalogue is lost, files are read
    again.
    """

    def __init__(self, catalogue: Catalogue | None = None) -> None:
        self._catalogue = catalogue
        self._known: dict[str, Known] = {}
        self._is_all = catalogue is None
        self._new: list[Known] = []
        self._wanted: list[_Wanted] = []
        self._is_gathering = False
        self._read: dict[tuple[str, str], str] = {}

    def recall_all(self) -> None:
        """Load all cached results in one query, for uses that need every demonstration."""
        if self._catalogue is not None and not self._is_all:
            self._known |= {known.name: known for known in self._catalogue.known()}
            self._is_all = True

    def keep(self) -> None:
        """Save new results."""
        if self._catalogue is not None and self._new:
            self._catalogue.note_known(self._new)
        self._new.clear()
        self._read.clear()

    @property
    def n_wanted(self) -> int:
        """How many times :meth:`sha` noted files to read while gathering."""
        return len(self._wanted)

    @contextmanager
    def gathering(self) -> Iterator[None]:
        """Within the block, :meth:`sha` does not read settled files: it notes them for
        :meth:`read_wanted`, and returns an empty text.
        """
        self._is_gathering = True
        try:
            yield
        finally:
            self._is_gathering = False

    def read_wanted(self, on_progress: Callable[[float], None]) -> None:
        """Read all gathered files in threads; ``on_progress`` gets the share of bytes done."""
        n_bytes, n_read = sum(of.n_bytes for of in self._wanted), 0
        with ThreadPoolExecutor(min(MOST_THREADS, os.cpu_count() or 1)) as pool:
            reading = {pool.submit(_sha, of.paths): of for of in self._wanted}
            for done in as_completed(reading):
                of = reading[done]
                with suppress(OSError):  # a later call of sha() reads it again and raises the error
                    self._read[of.name, of.mark] = done.result()
                n_read += of.n_bytes
                on_progress(n_read / max(1, n_bytes))
        self._wanted.clear()

    def found(self, name: str, mark: str, find: Callable[[], str]) -> str:
        """The cached result for ``name`` and ``mark``; ``find`` is called if there is none."""
        known = self._known.get(name)
        if known is None and not self._is_all and self._catalogue is not None:
            known = next(iter(self._catalogue.known(name)), None)
        if known is None or known.mark != mark:
            known = Known(name, mark, find())
            self._new.append(known)
        self._known[name] = known
        return known.found

    def sha(self, name: str, paths: Sequence[str]) -> str:
        """Hash of the contents of files. A missing file, or an entry that is not a file, is hashed
        as such.

        Files are read again if the size, a time of change or the inode of one of them changed. The
        times include ``ctime``, which no program can set: a file may be written again with the same
        number of bytes and its earlier modification time.
        Errors: ``OSError``.
        """
        marks: list[tuple[int, ...]] = []
        newest = n_bytes = 0
        for path in paths:
            of = _about(path)
            if of is None:
                marks.append(())
                continue
            marks.append((of.st_ino, of.st_size, of.st_mtime_ns, of.st_ctime_ns))
            newest = max(newest, of.st_ctime_ns)
            n_bytes += of.st_size
        mark = sha256_bytes(repr(marks).encode())
        if time.time_ns() - newest < NOT_SETTLED_NS:
            return _sha(paths)  # a change within the same tick of the clock would not be visible
        if self._is_gathering and not self._is_known(name, mark):
            self._wanted.append(_Wanted(name, mark, paths, n_bytes))
            return ""
        return self.found(name, mark, lambda: self._read.get((name, mark)) or _sha(paths))

    def _is_known(self, name: str, mark: str) -> bool:
        known = self._known.get(name)
        return known is not None and known.mark == mark


def _sha(paths: Sequence[str]) -> str:
    return content_sha([_sha_of(path) for path in paths])


def _about(path: str) -> os.stat_result | None:
    try:
        about = os.stat(path)  # noqa: PTH116 - of 200,000 pictures in a plan
    except FileNotFoundError:
        return None
    return about if stat.S_ISREG(about.st_mode) else None


def _sha_of(path: str) -> str | None:
    if _about(path) is None:
        return None
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
