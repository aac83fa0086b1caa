"""Object stores and other file systems of fsspec, as places for our files."""

import errno
import io
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, cast

import fsspec

from enact_assets.engine.errors import LakeError, OutputError
from enact_assets.engine.system.atomic import TEMPORARY_SUFFIX, is_temporary_name
from enact_assets.engine.system.places import Entry

ONE_PUT = frozenset({"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "oss", "oci", "memory"})
"""Protocols whose objects appear as a whole when they are put; for others we write a temporary file
and rename it.
"""
BATCH = 1000
"""Objects requested together: enough parallel requests, and limited memory."""
_TAGS = ("ETag", "etag", "generation", "md5Hash")
"""Metadata that identify an object's content; without any of them, its time is used."""
_TIMES = ("mtime", "LastModified", "last_modified", "updated", "created", "timeModified")


class RemotePlace:
    """Files below ``root`` of a file system; options such as endpoints come from fsspec's settings.

    For S3 these are ``FSSPEC_S3_ENDPOINT_URL``, ``AWS_ACCESS_KEY_ID`` and similar variables. Errors
    of all methods that read, list or remove: :class:`LakeError` if the file system does not answer.
    """

    def __init__(self, file_system: fsspec.AbstractFileSystem, root: str, address: str) -> None:
        self.address = address.rstrip("/")
        self._system = file_system
        self._root = root.rstrip("/")
        protocols = file_system.protocol
        names = {protocols} if isinstance(protocols, str) else set(protocols)
        self._is_put_whole = bool(names & ONE_PUT)

    @classmethod
    def at(cls, url: str) -> "RemotePlace":
        """The place of a URL. Errors: :class:`LakeError` if its protocol cannot be used."""
        try:
            # Listings are not cached, as other processes write, too.
            system, root = fsspec.url_to_fs(url, use_listings_cache=False)
        except (ImportError, ValueError) as error:
            raise LakeError(f"{url}: cannot be reached through fsspec ({error})") from error
        return cls(system, root, url)

    def where(self, name: str) -> str:
        """The URL of one file."""
        return f"{self.address}/{name}"

    def read(self, name: str) -> bytes:
        """The whole file."""
        with self._reaching(name):
            return cast(bytes, self._system.cat_file(self._path(name)))

    def tail(self, name: str, n_bytes: int) -> bytes:
        """The last ``n_bytes``, or the whole file if it is shorter."""
        with self._reaching(name):
            size = self._system.size(self._path(name))
            start = max(0, (size or 0) - n_bytes)
            return cast(bytes, self._system.cat_file(self._path(name), start=start))

    def tails(self, entries: Sequence[Entry], n_bytes: int) -> Iterator[bytes | OSError]:
        """:meth:`tail` of each, in their order, many at a time."""
        for first in range(0, len(entries), BATCH):
            some = entries[first : first + BATCH]
            paths = [self._path(entry.name) for entry in some]
            starts = [max(0, entry.size - n_bytes) for entry in some]
            ends = [entry.size for entry in some]
            with self._reaching(some[0].name):
                found = self._system.cat_ranges(paths, starts, ends, on_error="return")
            for entry, content in zip(some, found, strict=True):
                if isinstance(content, FileNotFoundError):
                    yield content
                    continue
                with self._reaching(entry.name):
                    if isinstance(content, Exception):
                        raise content
                yield bytes(content)

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """The file in memory: it takes one request, and the content cannot change while it is
        read.
        """
        yield io.BytesIO(self.read(name))

    @contextmanager
    def publishing(self, name: str) -> Iterator[IO[bytes]]:
        """Give a buffer to write to, which becomes one object at the end."""
        buffer = io.BytesIO()
        yield buffer
        with self._writing(name):
            self._publish(name, lambda path: self._system.pipe_file(path, buffer.getvalue()))

    def put_file(self, path: Path, name: str) -> None:
        """A copy of the file ``path``; a large one is sent in parts, which become one object."""
        with self._writing(name):
            self._publish(name, lambda to: self._system.put_file(str(path), to))

    def put(self, name: str, content: bytes) -> None:
        """Publish a whole file. Its entry is unknown until the next listing."""
        with self.publishing(name) as file:
            file.write(content)

    def files(self, folder: str) -> Iterator[Entry]:
        """Files below ``folder`` at any depth, in the order of their names."""
        found = self._find(folder)
        for path, information in sorted(found.items()):
            name = path.removeprefix(f"{self._root}/")
            is_ours = path != name and not any(map(is_temporary_name, name.split("/")))
            if is_ours and information.get("type") == "file":
                yield self._entry(name, information)

    def names(self, folder: str) -> Iterator[str]:
        """Names of the entries of ``folder`` itself, in any order."""
        try:
            with self._reaching(folder):
                found = self._system.ls(self._path(folder), detail=False)
        except (FileNotFoundError, NotADirectoryError):
            return
        yield from (path.rstrip("/").rpartition("/")[2] for path in found)

    def entry(self, name: str) -> Entry | None:
        """The file of that name; None if there is none."""
        try:
            with self._reaching(name):
                information = self._system.info(self._path(name))
        except (FileNotFoundError, NotADirectoryError):
            return None
        return self._entry(name, information) if information.get("type") == "file" else None

    def is_below(self, name: str) -> bool:  # noqa: ARG002 - an object store has no links
        """Whether a file really is below the root."""
        return True

    def delete(self, name: str) -> None:
        """Remove a file. Errors: ``FileNotFoundError`` if it does not exist."""
        if self.entry(name) is None:  # an object store does not report a missing object
            raise FileNotFoundError(errno.ENOENT, "no such file", self.where(name))
        with self._reaching(name):
            self._system.rm_file(self._path(name))

    def temporary_files(self) -> Iterator[Entry]:
        """Temporary files of running writers, and leftovers of killed ones."""
        found = self._find("")
        for path, information in sorted(found.items()):
            name = path.removeprefix(f"{self._root}/")
            if is_temporary_name(name.rpartition("/")[2]) and information.get("type") == "file":
                yield self._entry(name, information)

    def touch(self, name: str) -> None:
        """Write the file once more, as that is the only way to renew an object's time."""
        content = self.read(name)
        with self._reaching(name):
            self._publish(name, lambda path: self._system.pipe_file(path, content))

    def delete_if_older(self, name: str, mtime_ns: int) -> bool:
        """Remove a file unless it was written or touched at ``mtime_ns`` or later; returns whether
        it was removed.

        Checking and removing are two requests: a touch in between is lost.
        """
        found = self.entry(name)
        if found is None or found.mtime_ns >= mtime_ns:
            return False
        with self._reaching(name):
            self._system.rm_file(self._path(name))
        return True

    def set_aside(self, entry: Entry, name: str) -> bool:
        """Copy a file if it is still ``entry``, and remove it.

        Checking and removing are two requests: a file that replaces it in between is removed, too.
        """
        if self.entry(entry.name) != entry:
            return False
        try:
            with self._reaching(entry.name):
                self._system.cp_file(self._path(entry.name), self._path(name))
        except FileNotFoundError:
            return False
        is_still_there = self.entry(entry.name) == entry
        with self._reaching(entry.name):
            self._system.rm_file(self._path(entry.name if is_still_there else name))
        return is_still_there

    def _find(self, folder: str) -> dict[str, dict[str, Any]]:
        try:
            with self._reaching(folder):
                found = self._system.find(self._path(folder), detail=True)
        except FileNotFoundError as error:
            # The bucket is missing: a missing folder in it would be empty, which is not an error.
            raise LakeError(f"{self.where(folder)}: cannot be listed ({_told(error)})") from error
        return cast(dict[str, dict[str, Any]], found)

    @contextmanager
    def _reaching(self, name: str) -> Iterator[None]:
        """Pass on errors of missing files; raise other errors as :class:`LakeError`."""
        try:
            yield
        except (FileNotFoundError, NotADirectoryError):
            raise
        except Exception as error:
            raise LakeError(
                f"{self.where(name)}: cannot be reached ({_told(error)}). Nothing was changed. "
                "Check network, address and access, and run again."
            ) from error

    @contextmanager
    def _writing(self, name: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise OutputError(
                f"{self.where(name)}: cannot be written ({_told(error)}). The earlier file is "
                "unchanged. Check network, access and space, and run again."
            ) from error

    def _entry(self, name: str, information: Mapping[str, Any]) -> Entry:
        if all(information.get(key) is None for key in _TIMES):
            raise LakeError(
                f"{self.where(name)}: this file system gives no times of files, so new files "
                "could be taken for old ones. Set ENACT_LAKE to one of these instead: "
                f"{', '.join(sorted(ONE_PUT - {'memory'}))}, or a folder."
            )
        return _entry(name, information)

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}".rstrip("/")

    def _publish(self, name: str, write: Callable[[str], object]) -> None:
        """Call ``write`` with a path so that the file appears as a whole under ``name``."""
        path = self._path(name)
        if self._is_put_whole:
            write(path)
            return
        folder, _, last = path.rpartition("/")
        temporary = f"{folder}/.{last}.{uuid.uuid4().hex[:12]}{TEMPORARY_SUFFIX}"
        self._system.makedirs(folder, exist_ok=True)
        try:
            write(temporary)
            self._system.mv(temporary, path)
        except BaseException:
            if self._system.exists(temporary):
                self._system.rm_file(temporary)
            raise


def _entry(name: str, information: Mapping[str, Any]) -> Entry:
    size = int(information["size"])
    time = next(information[key] for key in _TIMES if information.get(key) is not None)
    seconds = time.timestamp() if isinstance(time, datetime) else float(time)
    tags = [str(information[key]) for key in _TAGS if information.get(key)]
    identity = repr((size, tags or seconds))
    mark = int.from_bytes(blake2b(identity.encode(), digest_size=8).digest(), "big") >> 1
    return Entry(name, size, int(seconds * 1e9), mark)


def _told(error: Exception) -> str:
    """Message of an error; client libraries have errors of their own, some without a message."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
