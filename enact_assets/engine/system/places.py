"""Where our files are: a folder, or an object store reached through fsspec.

The lake and the image store need only this: read, publish whole, list, delete. Names are
relative to the place, with ``/`` between their parts.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, NamedTuple, Protocol


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
