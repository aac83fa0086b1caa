"""Files of data sets on the Hugging Face hub: look them up, download them, resume after a stop.

``huggingface_hub`` lists the files, sends the token and reads the bytes. Its own downloads start
again from nothing in the next run, which for one file of 17 GB is too much to lose. So a file is
``<file>.<version>.incomplete`` until its size and the hub's hash of it are right. Beside a whole
file, ``.<file>.checked`` says which version it was found to be, so that it is not read each time.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from enact_assets.commands.release.layout import output_file
from enact_assets.engine.errors import DownloadError
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.engine.system.atomic import cannot_write, flush_to_disk, make_folder

INCOMPLETE, CHECKED = ".incomplete", ".checked"
INSTALL = "Install the extra: pip install 'enact_assets[download]'"
CHUNK = 1 << 20
AGAIN = "Run the same command again"
RESUMES = f"{AGAIN}: the download resumes"


@dataclass(frozen=True)
class HubFile:
    """One file: its path in the data set, its size in bytes, its SHA-256 if the hub says.

    ``identity`` is the hub's hash of this version: Git's of the file if there is no SHA-256.
    """

    path: str
    size: int
    identity: str
    sha256: str | None


@dataclass(frozen=True)
class Offer:
    """Files of a data set at one revision, and the licence that its page states, if any."""

    repository: str
    revision: str
    licence: str | None
    files: tuple[HubFile, ...]

    def missing(self, to: Path) -> list[HubFile]:
        """Those that are not complete below ``to``, or are of another version.

        Errors: :class:`OutputError`, :class:`DownloadError` if one cannot be read.
        """
        return [file for file in self.files if not _is_there(file, _place(to, file))]

    def n_bytes_left(self, to: Path) -> int:
        """How many bytes are missing. Errors: as :meth:`missing`."""
        left = 0
        for file in self.missing(to):
            part = _incomplete(_place(to, file), file)
            left += file.size - (part.stat().st_size if part.is_file() else 0)
        return max(left, 0)


def look_up(repository: str, suffix: str, folder: str | None = None) -> Offer:
    """Files of a data set that end in ``suffix`` (all, if it is empty), only those below ``folder``
    if it is given.

    Errors: :class:`DownloadError` if ``huggingface_hub`` is not installed, the hub cannot be
    reached or refuses, or no file is found.
    """
    wanted = suffix or "all its files"
    if suffix.startswith("."):
        wanted = f"{folder or 'task-*'}/*{suffix}"
    with _talking(repository, wanted, AGAIN):
        from huggingface_hub import HfApi
        from huggingface_hub.hf_api import RepoFile

        api = HfApi(endpoint=_endpoint())
        info = api.dataset_info(repository)
        tree = api.list_repo_tree(
            repository, folder, recursive=True, revision=info.sha, repo_type="dataset"
        )
        files = tuple(
            HubFile(entry.path, entry.size, entry.blob_id, entry.lfs.sha256 if entry.lfs else None)
            for entry in tree
            if isinstance(entry, RepoFile) and entry.path.endswith(suffix)
        )
        licence = info.card_data.get("license") if info.card_data else None
    if not files:
        where = f"{folder} of {repository}" if folder else repository
        raise DownloadError(f"{where}: no file {suffix} found. Look at {page_of(repository)}")
    if isinstance(licence, list):
        licence = ", ".join(map(str, licence))
    return Offer(repository, str(info.sha), licence, files)


def fetch(offer: Offer, to: Path, on_progress: OnProgress = unheard) -> int:
    """Download what is missing below ``to``; returns how many files that were.

    Errors: :class:`DownloadError`, :class:`OutputError`. What was downloaded stays.
    """
    missing = offer.missing(to)
    total = sum(file.size for file in missing)
    before = 0
    for file in missing:
        place = _place(to, file)
        part = _incomplete(place, file)
        try:
            make_folder(place.parent)
            with part.open("ab") as output:
                _take(output, part)
                hears = partial(_tell, on_progress, file.path, before, total)
                _fetch(offer, file, _Reporting(output, hears))
            on_progress(Progress(before + file.size, total, text=f"checking {file.path}"))
            _check(file, part)
            flush_to_disk(part)
            part.replace(place)
            flush_to_disk(place.parent)
            _note(file, place)
        except OSError as error:
            raise cannot_write(place, error) from error
        before += file.size
    return len(missing)


def _tell(on_progress: OnProgress, path: str, before: int, total: int, n: int) -> None:
    on_progress(Progress(before + n, total, text=path))


def free_bytes(to: Path) -> int:
    """Free space on the disk that ``to`` is on, or will be. Errors: :class:`OutputError`."""
    try:
        there = next(p for p in (to.absolute(), *to.absolute().parents) if p.exists())
        return shutil.disk_usage(there).free
    except OSError as error:
        raise cannot_write(to, error) from error


def page_of(repository: str) -> str:
    """Address of a data set's page."""
    return f"{_endpoint() or 'https://huggingface.co'}/datasets/{repository}"


def _endpoint() -> str | None:
    return os.environ.get("HF_ENDPOINT")


def _place(to: Path, file: HubFile) -> Path:
    return output_file(to, *PurePosixPath(file.path).parts)


def _incomplete(place: Path, file: HubFile) -> Path:
    return place.with_name(f"{place.name}.{file.identity[:12]}{INCOMPLETE}")


def _is_there(file: HubFile, place: Path) -> bool:
    if not place.is_file() or place.stat().st_size != file.size:
        return False
    try:
        note = _checked(place)
        if note.is_file() and note.read_bytes() == _version(file, place):
            return True
        if _hash(file, place) != (file.sha256 or file.identity):
            return False
    except OSError as error:
        raise DownloadError(f"{place}: cannot be read ({error.strerror})") from error
    _note(file, place)
    return True


def _note(file: HubFile, place: Path) -> None:
    """Note that a whole file was found to be the hub's; in a folder for reading, it is not."""
    with suppress(OSError):
        _checked(place).write_bytes(_version(file, place))


def _checked(place: Path) -> Path:
    return place.with_name(f".{place.name}{CHECKED}")


def _version(file: HubFile, place: Path) -> bytes:
    """Version of a file, as long as it is not written to."""
    return f"{file.identity} {place.stat().st_mtime_ns}".encode()


def _hash(file: HubFile, path: Path) -> str:
    """Hash of the file at ``path``, in hex: of the kind that the hub has of ``file``."""
    if file.sha256:
        found = hashlib.sha256()
    else:
        found = hashlib.sha1(b"blob %d\0" % file.size, usedforsecurity=False)
    with path.open("rb") as content:
        while chunk := content.read(CHUNK):
            found.update(chunk)
    return found.hexdigest()


def _take(output: BinaryIO, part: Path) -> None:
    """Lock a part. Errors: :class:`DownloadError` if another process is writing to it."""
    try:
        fcntl.flock(output, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise DownloadError(f"{part}: another process is downloading this file") from None


def _fetch(offer: Offer, file: HubFile, output: "_Reporting") -> None:
    """Append the missing bytes of ``file``."""
    if output.tell() > file.size:
        output.seek(0)
        output.truncate()
    if output.tell() == file.size:
        return
    with _talking(offer.repository, file.path, RESUMES):
        from huggingface_hub import hf_hub_url
        from huggingface_hub.file_download import http_get
        from huggingface_hub.utils import build_hf_headers, disable_progress_bars

        disable_progress_bars("huggingface_hub.http_get")
        url = hf_hub_url(
            offer.repository, file.path, repo_type="dataset", revision=offer.revision,
            endpoint=_endpoint(),
        )  # fmt: skip
        http_get(
            url,
            output,
            resume_size=output.tell(),
            headers=build_hf_headers(),
            expected_size=file.size,
        )


def _check(file: HubFile, part: Path) -> None:
    """Errors: :class:`DownloadError` if a complete part differs from the hub's file."""
    found = _hash(file, part)
    if part.stat().st_size != file.size or found != (file.sha256 or file.identity):
        part.unlink()
        raise DownloadError(
            f"{file.path}: the download is damaged ({part.name}: hash {found[:12]}) "
            "and was removed. Run the same command again"
        )


class _Reporting:
    """An open file that reports its size after each write."""

    def __init__(self, output: BinaryIO, on_size: Callable[[int], None]) -> None:
        self._output = output
        self._on_size = on_size
        self.seek, self.truncate, self.tell = output.seek, output.truncate, output.tell

    def write(self, content: bytes) -> int:
        """Append."""
        n = self._output.write(content)
        self._on_size(self._output.tell())
        return n


@contextmanager
def _talking(repository: str, wanted: str, again: str) -> Iterator[None]:
    """Errors of ``huggingface_hub`` become ours, which name the file and say what to do."""
    try:
        from huggingface_hub import errors
    except ImportError:
        raise DownloadError(f"huggingface_hub is not installed. {INSTALL}") from None
    page = page_of(repository)
    try:
        yield
    except errors.OfflineModeIsEnabled:
        raise DownloadError(
            f"HF_HUB_OFFLINE is set, so nothing was downloaded. Unset it, or download {wanted} "
            f"from {page} on another machine, copy it here and import it"
        ) from None
    except errors.GatedRepoError:
        raise DownloadError(
            f"{repository} is gated: its authors ask you to accept conditions. Accept them on "
            f"{page}, then log in with `hf auth login`, or set HF_TOKEN"
        ) from None
    except errors.RepositoryNotFoundError:
        raise DownloadError(
            f"{repository}: the hub has no such data set, or you may not read it. Look at {page}. "
            "If it is private, log in with `hf auth login`, or set HF_TOKEN"
        ) from None
    except (errors.EntryNotFoundError, errors.RevisionNotFoundError):
        raise DownloadError(
            f"{repository}: a file or folder of the data set is missing. Look at {page}"
        ) from None
    except errors.HfHubHTTPError as error:
        raise DownloadError(
            f"{repository}: the hub refused a request ({error}). {again}"
        ) from error
    except errors.HTTPError as error:  # of the library that it talks with
        raise DownloadError(
            f"{page} cannot be reached, or the connection broke ({error}). If you are offline, "
            f"download {wanted} on another machine, copy it here and import it. {again}"
        ) from error
    except OSError as error:
        if error.errno is not None:
            raise  # of the disk
        raise DownloadError(f"{repository}: a file ended early. {again}") from error
