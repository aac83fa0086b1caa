"""Where our files are: a folder, or an object store reached through fsspec.

The lake and the image store need only this: read, publish whole, list, delete. Names are
relative to the place, with ``/`` between their parts.
"""

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from operator import attrgetter
from pathlib import Path
from typing import IO, NamedTuple, Protocol

from enact_assets.contracts.errors import LakeError
from enact_assets.system.atomic import is_temporary_name, replacing, temporary_name


class Entry(NamedTuple):
    """A file as a listing shows it.

    ``mark`` changes with the content: the inode of a file that is replaced by renaming, or a hash
    of what an object store says about an object, such as its entity tag.
    """

    name: str
    size: int
    mtime_ns: int
    mark: int


class Place(Protocol):
    """Files below one root.

    Errors: ``FileNotFoundError``, and others that are an ``OSError``, of methods that read a file;
    :class:`LakeError` where nothing can be read or listed at all.
    """

    @property
    def address(self) -> str:
        """Folder or URL, as messages name it."""
        ...

    def where(self, name: str) -> str:
        """How messages name one file."""
        ...

    def read(self, name: str) -> bytes:
        """The whole file."""
        ...

    def tail(self, name: str, n_bytes: int) -> bytes:
        """The last ``n_bytes``, or the whole file if it is shorter."""
        ...

    def tails(self, entries: Sequence[Entry], n_bytes: int) -> Iterator[bytes | OSError]:
        """:meth:`tail` of each, in their order; what cannot be read is given as its error."""
        ...

    def open(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """A file to read at random places, unchanging until it is closed."""
        ...

    def publishing(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """Give a file to write to; on leaving without error it appears at once, under ``name``.

        On an error what was there before stays. Errors: :class:`OutputError`.
        """
        ...

    def put(self, name: str, content: bytes) -> Entry | None:
        """Publish a whole file; returns what a listing shows of it, None if that is unknown.

        Errors: :class:`OutputError`.
        """
        ...

    def put_file(self, path: Path, name: str) -> None:
        """A copy of the file ``path`` appears at once, under ``name``; it need not fit into memory.

        Errors: as of :meth:`publishing`.
        """
        ...

    def files(self, folder: str) -> Iterator[Entry]:
        """Files below ``folder`` at any depth, those of one folder in the order of their names.

        Temporary ones are left out. No such folder gives none.
        """
        ...

    def names(self, folder: str) -> Iterator[str]:
        """Names of what stands in ``folder`` itself, in any order: faster than :meth:`files`."""
        ...

    def entry(self, name: str) -> Entry | None:
        """The file of that name; None if there is none."""
        ...

    def is_below(self, name: str) -> bool:
        """Whether a file really is below the root: no folder on its way is a link out of it."""
        ...

    def delete(self, name: str) -> None:
        """Remove a file. Errors: ``FileNotFoundError`` if it does not exist."""
        ...

    def temporary_files(self) -> Iterator[Entry]:
        """What writers, alive or killed, are writing to or have left behind."""
        ...

    def touch(self, name: str) -> None:
        """Set its time to now. Errors: ``FileNotFoundError`` if it does not exist."""
        ...

    def delete_if_older(self, name: str, mtime_ns: int) -> bool:
        """Remove a file unless it was written or touched at ``mtime_ns`` or later; whether it went.

        One that is touched while it is being removed either stays, or whoever touches it is told
        that it is gone.
        """
        ...

    def set_aside(self, entry: Entry, name: str) -> bool:
        """Rename a file to ``name`` and give it the present as its time; whether it was renamed.

        It stays if it is not ``entry`` any more, because it was replaced or removed. Errors:
        ``OSError`` or :class:`LakeError` if nothing may be renamed there.
        """
        ...


class LocalPlace:
    """A folder of this machine, or one that is mounted on it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def address(self) -> str:
        """The folder."""
        return str(self.root)

    def where(self, name: str) -> str:
        """The path of one file."""
        return f"{self.root}/{name}"

    def read(self, name: str) -> bytes:
        """The whole file."""
        return (self.root / name).read_bytes()

    def tail(self, name: str, n_bytes: int) -> bytes:
        """The last ``n_bytes``, or the whole file if it is shorter."""
        return _tail(self.where(name), n_bytes)

    def tails(self, entries: Sequence[Entry], n_bytes: int) -> Iterator[bytes | OSError]:
        """:meth:`tail` of each, in their order; what cannot be read is given as its error."""
        prefix = os.path.join(self.root, "")  # noqa: PTH118 - half a million times, as text
        for entry in entries:
            try:
                yield _tail(prefix + entry.name, n_bytes)
            except OSError as error:
                yield error

    def open(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """A file to read at random places: a reader keeps it when it is replaced."""
        return (self.root / name).open("rb")

    @contextmanager
    def publishing(self, name: str) -> Iterator[IO[bytes]]:
        """Give a temporary file to write to, which is flushed to disk and renamed at the end."""
        with replacing(self.root / name) as temporary, temporary.open("wb") as file:
            yield file

    def put(self, name: str, content: bytes) -> Entry:
        """Publish a whole file; returns what a listing shows of it."""
        with replacing(self.root / name) as temporary:
            temporary.write_bytes(content)
            of = temporary.stat()  # renamed it may be replaced at once
        return Entry(name, of.st_size, of.st_mtime_ns, of.st_ino)

    def put_file(self, path: Path, name: str) -> None:
        """A copy of the file ``path``, flushed to disk and renamed."""
        with replacing(self.root / name) as temporary:
            shutil.copyfile(path, temporary)

    def files(self, folder: str) -> Iterator[Entry]:
        """Files below ``folder`` at any depth, those of one folder in the order of their names."""
        return _files(str(self.root / folder), f"{folder}/" if folder else "")

    def names(self, folder: str) -> Iterator[str]:
        """Names of what stands in ``folder`` itself, in any order: faster than :meth:`files`."""
        try:
            yield from os.listdir(self.root / folder)  # noqa: PTH208 - millions of pictures
        except (FileNotFoundError, NotADirectoryError):
            return

    def entry(self, name: str) -> Entry | None:
        """The file of that name; None if there is none."""
        try:
            found = (self.root / name).stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        if not stat.S_ISREG(found.st_mode):
            return None
        return Entry(name, found.st_size, found.st_mtime_ns, found.st_ino)

    def is_below(self, name: str) -> bool:
        """Whether a file really is below the root: no folder on its way is a link out of it."""
        return (self.root / name).parent.resolve().is_relative_to(self.root.resolve())

    def delete(self, name: str) -> None:
        """Remove a file. Errors: ``FileNotFoundError`` if it does not exist."""
        (self.root / name).unlink()

    def temporary_files(self) -> Iterator[Entry]:
        """What writers, alive or killed, are writing to or have left behind."""
        for folder, _, names in os.walk(self.root):
            for name in sorted(filter(is_temporary_name, names)):
                path = Path(folder, name)
                try:
                    of = path.lstat()
                except FileNotFoundError:
                    continue
                inside = path.relative_to(self.root).as_posix()
                yield Entry(inside, of.st_size, of.st_mtime_ns, of.st_ino)

    def touch(self, name: str) -> None:
        """Set its time to now. Errors: ``FileNotFoundError`` if it does not exist."""
        os.utime(self.root / name)

    def delete_if_older(self, name: str, mtime_ns: int) -> bool:
        """Remove a file unless it was written or touched at ``mtime_ns`` or later; whether it went.

        It is taken aside first: then no process can touch it any more, and its time is final.
        """
        path = self.root / name
        aside = temporary_name(path)
        try:
            path.rename(aside)
        except FileNotFoundError:
            return False
        try:
            if aside.lstat().st_mtime_ns >= mtime_ns:
                aside.replace(path)
                return False
            aside.unlink()
        except FileNotFoundError:
            return True  # as old as it is, a writer took it for what a killed one left
        return True

    def set_aside(self, entry: Entry, name: str) -> bool:
        """Rename a file that is still ``entry``, and give it the present as its time."""
        if self.entry(entry.name) != entry:
            return False
        path, aside = self.root / entry.name, self.root / name
        try:
            path.rename(aside)
        except FileNotFoundError:
            return False
        # Compared after renaming, because no other process can replace the file any more.
        if self.entry(name) == entry._replace(name=name):
            with suppress(PermissionError):
                os.utime(aside)
            return True
        try:
            path.hardlink_to(aside)
        except FileExistsError:
            aside.unlink()  # a newer file has arrived
        except OSError:
            aside.replace(path)  # the file system has no links
        else:
            aside.unlink()
        return False


_NAME = attrgetter("name")


def _files(folder: str, prefix: str) -> Iterator[Entry]:
    """Half a million files are listed at each plan: text and tuples, no ``Path``."""
    try:
        with os.scandir(folder) as scanned:
            found = sorted(scanned, key=_NAME)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise LakeError(f"{folder}: cannot be listed ({error.strerror})") from error
    for item in found:
        name = item.name
        if name[0] == "." and is_temporary_name(name):
            continue
        if item.is_dir():
            yield from _files(item.path, f"{prefix}{name}/")
            continue
        try:
            of = item.stat()
        except FileNotFoundError:
            continue  # replaced or removed since, or a link to nowhere
        if stat.S_ISREG(of.st_mode):
            yield Entry(prefix + name, of.st_size, of.st_mtime_ns, of.st_ino)


def _tail(path: str, n_bytes: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        size = os.fstat(descriptor).st_size
        n_read = min(n_bytes, size)
        return os.pread(descriptor, n_read, size - n_read)
    finally:
        os.close(descriptor)
