"""Files below a folder of this machine, or below a mounted one."""

import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from operator import attrgetter
from pathlib import Path
from typing import IO, NamedTuple

from enact_assets.engine.errors import LakeError
from enact_assets.engine.system.atomic import is_temporary_name, replacing, temporary_name
from enact_assets.engine.system.places import Entry

_ONLY_A_WAY = getattr(os, "O_PATH", os.O_RDONLY)
"""Flag to open a folder for reaching its files, even without the right to list it."""


class Folder(NamedTuple):
    """State of a folder that changes with the names in it: time of change, and inode.

    ``changed_ns`` is the inode's time of change, which no program can set.
    """

    changed_ns: int
    mark: int


class Listed(NamedTuple):
    """Content of one folder, in the order of names; temporary files are left out.

    ``has_others`` says that an entry is neither a folder nor a readable file, such as a broken
    link. Such an entry may become a file without a change of the folder.
    """

    files: list[Entry]
    folders: list[str]
    has_others: bool


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
        """:meth:`tail` of each, in order; a file that cannot be read gives its error."""
        prefix = os.path.join(self.root, "")  # noqa: PTH118 - half a million times, as text
        for entry in entries:
            try:
                yield _tail(prefix + entry.name, n_bytes)
            except OSError as error:
                yield error

    def open(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """A file for random access; a reader keeps the old file when it is replaced."""
        return (self.root / name).open("rb")

    @contextmanager
    def publishing(self, name: str) -> Iterator[IO[bytes]]:
        """Give a temporary file to write to, which is flushed to disk and renamed at the end."""
        with replacing(self.root / name) as temporary, temporary.open("wb") as file:
            yield file

    def put(self, name: str, content: bytes) -> Entry:
        """Publish a whole file; returns its entry in a listing."""
        with replacing(self.root / name) as temporary:
            temporary.write_bytes(content)
            of = temporary.stat()  # after renaming, another process may replace it
        return Entry(name, of.st_size, of.st_mtime_ns, of.st_ino)

    def put_file(self, path: Path, name: str) -> None:
        """Publish a copy of the file ``path``."""
        with replacing(self.root / name) as temporary:
            shutil.copyfile(path, temporary)

    def files(self, folder: str) -> Iterator[Entry]:
        """Files below ``folder`` at any depth; files of the same folder are sorted by name."""
        return _files(str(self.root / folder), f"{folder}/" if folder else "")

    def folder(self, name: str) -> Folder | None:
        """State of a folder; None if there is no such folder.

        Errors: :class:`LakeError` if the system refuses to read it.
        """
        try:
            of = os.stat(self.where(name))  # noqa: PTH116 - two hundred thousand times, as text
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _not_listed(self.where(name), error) from error
        return Folder(of.st_ctime_ns, of.st_ino) if stat.S_ISDIR(of.st_mode) else None

    def listed(self, folder: str) -> Listed:
        """Content of ``folder`` itself; empty if there is no such folder."""
        return _listed(str(self.root / folder), f"{folder}/" if folder else "")

    def changed(self, files: Iterable[tuple[str, int, int, int]]) -> Iterator[tuple[int, bool]]:
        """Index of each of ``files`` that differs from its description, and whether it exists.

        It takes half the time of :meth:`files` if names are known, as nothing is listed, sorted or
        stored.
        """
        look = os.stat
        try:
            root = os.open(self.root, _ONLY_A_WAY)
        except (FileNotFoundError, NotADirectoryError):
            yield from ((number, False) for number, _ in enumerate(files))
            return
        except OSError as error:
            raise _not_listed(str(self.root), error) from error
        try:
            for number, (name, size, mtime_ns, mark) in enumerate(files):
                try:
                    of = look(name, dir_fd=root)
                except OSError:
                    yield number, False
                else:
                    if (of.st_mtime_ns, of.st_size, of.st_ino) != (mtime_ns, size, mark):
                        yield number, True
        finally:
            os.close(root)

    def names(self, folder: str) -> Iterator[str]:
        """Names of the entries of ``folder`` itself, in any order; faster than :meth:`files`."""
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
        """Whether a file really is below the root: no folder of its path is a link out of the
        root.
        """
        return (self.root / name).parent.resolve().is_relative_to(self.root.resolve())

    def delete(self, name: str) -> None:
        """Remove a file. Errors: ``FileNotFoundError`` if it does not exist."""
        (self.root / name).unlink()

    def temporary_files(self) -> Iterator[Entry]:
        """Temporary files of running writers, and leftovers of killed ones."""
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
        """Remove a file unless it was written or touched at ``mtime_ns`` or later; returns whether
        it was removed.

        It is renamed first, so that no other process can touch it any more and its time is final.
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
            return True  # a writer has already swept it as an old leftover
        return True

    def set_aside(self, entry: Entry, name: str) -> bool:
        """Rename a file if it is still ``entry``, and set its time to now."""
        if self.entry(entry.name) != entry:
            return False
        path, aside = self.root / entry.name, self.root / name
        try:
            path.rename(aside)
        except FileNotFoundError:
            return False
        # Compared after renaming, when no other process can replace the file any more.
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
    """Each plan lists half a million files, so this uses strings and tuples, not ``Path``."""
    for item in _sorted(folder):
        name = item.name
        if name[0] == "." and is_temporary_name(name):
            continue
        if item.is_dir():
            yield from _files(item.path, f"{prefix}{name}/")
        elif (entry := _entry(item, prefix)) is not None:
            yield entry


def _listed(folder: str, prefix: str) -> Listed:
    found = Listed([], [], has_others=False)
    for item in _sorted(folder):
        name = item.name
        if name[0] == "." and is_temporary_name(name):
            continue
        if item.is_dir():
            found.folders.append(name)
        elif (entry := _entry(item, prefix)) is not None:
            found.files.append(entry)
        else:
            found = found._replace(has_others=True)
    return found


def _sorted(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as scanned:
            return sorted(scanned, key=_NAME)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _not_listed(folder, error) from error


def _not_listed(folder: str, error: OSError) -> LakeError:
    return LakeError(f"{folder}: cannot be listed ({error.strerror})")


def _entry(item: os.DirEntry[str], prefix: str) -> Entry | None:
    """Entry of a file; None if it was removed meanwhile, is a broken link, or is not a regular
    file.
    """
    try:
        of = item.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(of.st_mode):
        return None
    return Entry(prefix + item.name, of.st_size, of.st_mtime_ns, of.st_ino)


def _tail(path: str, n_bytes: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        size = os.fstat(descriptor).st_size
        n_read = min(n_bytes, size)
        return os.pread(descriptor, n_read, size - n_read)
    finally:
        os.close(descriptor)
