"""Hashes of files that others wrote: each is read once, and again when it may have changed."""

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
    """Files to be read, of so many bytes, for what is known by ``name`` with ``mark``."""

    name: str
    mark: str
    paths: Sequence[str]
    n_bytes: int


class KnownContents:
    """What was found out before, by a name and a mark of the state that it was found out of.

    It is kept in the ``catalogue`` if there is one, which may be lost: then files are read again.
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
        """Read all at once what is kept, for a look at every demonstration."""
        if self._catalogue is not None and not self._is_all:
            self._known |= {known.name: known for known in self._catalogue.known()}
            self._is_all = True

    def keep(self) -> None:
        """Keep what was found out since."""
        if self._catalogue is not None and self._new:
            self._catalogue.note_known(self._new)
        self._new.clear()
        self._read.clear()

    @property
    def n_wanted(self) -> int:
        """How often :meth:`sha` was asked for files to be read while gathering."""
        return len(self._wanted)

    @contextmanager
    def gathering(self) -> Iterator[None]:
        """Within, :meth:`sha` reads no settled files: it notes them for :meth:`read_wanted`, and
        gives nothing for them.
        """
        self._is_gathering = True
        try:
            yield
        finally:
            self._is_gathering = False

    def read_wanted(self, on_progress: Callable[[float], None]) -> None:
        """Read in threads all that was gathered; ``on_progress`` gets the share of bytes done."""
        n_bytes, n_read = sum(of.n_bytes for of in self._wanted), 0
        with ThreadPoolExecutor(min(MOST_THREADS, os.cpu_count() or 1)) as pool:
            reading = {pool.submit(_sha, of.paths): of for of in self._wanted}
            for done in as_completed(reading):
                of = reading[done]
                with suppress(OSError):  # whoever asks for it reads it again, and gets the error
                    self._read[of.name, of.mark] = done.result()
                n_read += of.n_bytes
                on_progress(n_read / max(1, n_bytes))
        self._wanted.clear()

    def found(self, name: str, mark: str, find: Callable[[], str]) -> str:
        """What ``find`` gives, which is called if ``name`` is not known with this ``mark``."""
        known = self._known.get(name)
        if known is None and not self._is_all and self._catalogue is not None:
            known = next(iter(self._catalogue.known(name)), None)
        if known is None or known.mark != mark:
            known = Known(name, mark, find())
            self._new.append(known)
        self._known[name] = known
        return known.found

    def sha(self, name: str, paths: Sequence[str]) -> str:
        """Hash of the contents of files; one that is not there, or no file, counts as such.

        They are read if one has another size, time of change or inode than when they were read.
        That includes when anything at all of the file was changed (``ctime``), which nobody can
        set: a file may be written again with as many bytes and be given its earlier time.
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
            return _sha(paths)  # written again within one tick of the clock, it would look the same
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
