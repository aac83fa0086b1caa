"""Places for our files: a folder, or an object store reached through fsspec.

The lake and the image store need only these operations: read, publish a whole file, list, delete.
Names are relative to the place, with ``/`` between their parts.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, NamedTuple, Protocol


class Entry(NamedTuple):
    """A file as a listing shows it.

    ``mark`` changes with the content: the inode of a file (files are replaced by renaming), or a
    hash of an object's metadata in an object store, such as its entity tag.
    """

    name: str
    size: int
    mtime_ns: int
    mark: int


class Place(Protocol):
    """Files below one root.

    Errors: ``FileNotFoundError`` and other kinds of ``OSError`` of methods that read a file;
    :class:`LakeError` if the place cannot be read or listed at all.
    """

    @property
    def address(self) -> str:
        """Folder or URL, as messages name it."""
        ...

    def where(self, name: str) -> str:
        """Path or URL of one file, as messages name it."""
        ...

    def read(self, name: str) -> bytes:
        """The whole file."""
        ...

    def tail(self, name: str, n_bytes: int) -> bytes:
        """The last ``n_bytes``, or the whole file if it is shorter."""
        ...

    def tails(self, entries: Sequence[Entry], n_bytes: int) -> Iterator[bytes | OSError]:
        """:meth:`tail` of each, in order; a file that cannot be read gives its error."""
        ...

    def open(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """A file for random access, which does not change until it is closed."""
        ...

    def publishing(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """Give a file to write to; on leaving without error it appears as a whole under ``name``.

        On an error the earlier file stays. Errors: :class:`OutputError`.
        """
        ...

    def put(self, name: str, content: bytes) -> Entry | None:
        """Publish a whole file; returns its entry in a listing, None if that is unknown.

        Errors: :class:`OutputError`.
        """
        ...

    def put_file(self, path: Path, name: str) -> None:
        """Publish a copy of the file ``path`` as ``name``; it need not fit into memory.

        Errors: as of :meth:`publishing`.
        """
        ...

    def files(self, folder: str) -> Iterator[Entry]:
        """Files below ``folder`` at any depth; files of the same folder are sorted by name.

        Temporary files are left out. The result is empty if there is no such folder.
        """
        ...

    def names(self, folder: str) -> Iterator[str]:
        """Names of the entries of ``folder`` itself, in any order; faster than :meth:`files`."""
        ...

    def entry(self, name: str) -> Entry | None:
        """The file of that name; None if there is none."""
        ...

    def is_below(self, name: str) -> bool:
        """Whether a file really is below the root: no folder of its path is a link out of the
        root.
        """
        ...

    def delete(self, name: str) -> None:
        """Remove a file. Errors: ``FileNotFoundError`` if it does not exist."""
        ...

    def temporary_files(self) -> Iterator[Entry]:
        """Temporary files of running writers, and leftovers of killed ones."""
        ...

    def touch(self, name: str) -> None:
        """Set its time to now. Errors: ``FileNotFoundError`` if it does not exist."""
        ...

    def delete_if_older(self, name: str, mtime_ns: int) -> bool:
        """Remove a file unless it was written or touched at ``mtime_ns`` or later; returns whether
        it was removed.

        If a process touches the file while it is being removed, either the file stays or that
        process gets ``FileNotFoundError``.
        """
        ...

    def set_aside(self, entry: Entry, name: str) -> bool:
        """Rename a file to ``name`` and set its time to now; returns whether it was renamed.

        Nothing is renamed if the file is no longer ``entry``, because it was replaced or removed.
        Errors: ``OSError`` or :class:`LakeError` if renaming is not allowed.
        """
        ...
