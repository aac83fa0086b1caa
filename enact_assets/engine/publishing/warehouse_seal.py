"""The seal of the published DuckDB file: the SHA-256 of its bytes, kept in a file beside it.

DuckDB clients of 1.2 to 1.4 can write into a published file, and the next publication keeps
relations of it. So the file is compared with its seal before anything is kept, by every plan and by
``verify``. The hash is in another file because a file cannot contain its own hash. The file is not
hashed again while its inode, size and times are the same. A copy of a data root has other inodes
and stays valid.
"""

import hashlib
import os
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import msgspec

from enact_assets.engine.errors import OutputError
from enact_assets.engine.lake.settling import NOT_SETTLED_NS
from enact_assets.engine.system.atomic import replacing

SEAL = ".seal"
LOG = ".wal"
LOGS = (LOG, ".wal.checkpoint", ".wal.recovery")
"""Files that DuckDB may leave beside a database: its log, and others if it is killed while writing
it.
"""

_State = tuple[int, int, int, int]
"""Inode, size, times of change of content and of inode; no program can set the last."""


class _Seal(msgspec.Struct, frozen=True):
    """Hashes of the file: that of the last publication, and that of the one before, which is needed
    until the file is swapped. ``state`` is the state of the file with the first hash.
    """

    shas: tuple[str, ...]
    state: _State | None = None


def seal(warehouse: Path, built: Path) -> str:
    """Before ``built`` becomes ``warehouse``: note its hash, together with the hash of the current
    file.

    Returns the hash, for :func:`settle`. Errors: ``OSError``; :class:`OutputError` if the seal
    cannot be written.
    """
    sha = _sha_of(built)
    _write(warehouse, _Seal((sha, *_shas_there(warehouse))))
    return sha


def _shas_there(warehouse: Path) -> tuple[str, ...]:
    """Hash of the current file if there is one and it is as published.

    A file whose state is that of its seal is not read again: its hash is in the seal.
    """
    if why_altered(warehouse) or not warehouse.exists():
        return ()
    kept = _read(warehouse)
    if kept is not None and len(kept.shas) == 1 and kept.state == _state_of(warehouse):
        return kept.shas
    return (_sha_of(warehouse),)


def settle(warehouse: Path, sha: str, built: os.stat_result) -> None:
    """After the swap: note the file's state, unless the file was written to since it was ``built``.

    Without that note the file is read each time it is compared.
    """
    with suppress(OSError, OutputError):
        now = _state_of(warehouse)
        if now[:3] == (built.st_ino, built.st_size, built.st_mtime_ns):
            _write(warehouse, _Seal((sha,), now))


def why_altered(warehouse: Path, *, is_read: bool = False) -> str | None:
    """Why the file differs from the published one; None if it does not, or if there is no file.

    ``is_read``: read all its bytes, even if its state is unchanged.
    """
    try:
        return _why_altered(warehouse, is_read=is_read)
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"it cannot be compared with its seal ({error.strerror})"


def _why_altered(warehouse: Path, *, is_read: bool) -> str | None:
    now = _state_of(warehouse)
    for log in LOGS:
        left = Path(f"{warehouse}{log}")
        if left.is_file() and left.stat().st_size:
            return f"another program wrote to it: {left.name} holds its changes"
    kept = _read(warehouse)
    if kept is None:
        return f"its seal {warehouse.name}{SEAL} is missing or cannot be read"
    if not is_read and kept.state == now:
        return None
    sha = _sha_of(warehouse) if is_read else _sha_of_state(warehouse, now)
    if sha not in kept.shas:
        return "another program changed it after it was published"
    if kept.shas == (sha,) and kept.state != now:
        _renew(warehouse, kept, now)
    return None


def _renew(warehouse: Path, kept: _Seal, now: _State) -> None:
    """Note the file's state after ``chmod``, a link or a copy, so that it need not be read again.

    Nothing is noted if the file was written or published in between, or may still be within the
    same tick of the clock.
    """
    if time.time_ns() - max(now[2:]) < NOT_SETTLED_NS:
        return
    with suppress(OSError, OutputError):
        if _state_of(warehouse) == now and _read(warehouse) == kept:
            _write(warehouse, _Seal(kept.shas, now))


def _read(warehouse: Path) -> _Seal | None:
    try:
        return msgspec.json.decode(_path(warehouse).read_bytes(), type=_Seal)
    except (OSError, msgspec.MsgspecError):
        return None


def _write(warehouse: Path, kept: _Seal) -> None:
    with replacing(_path(warehouse)) as temporary:
        temporary.write_bytes(msgspec.json.encode(kept))


def _path(warehouse: Path) -> Path:
    return Path(f"{warehouse}{SEAL}")


def _state_of(path: Path) -> _State:
    of = path.stat()
    return of.st_ino, of.st_size, of.st_mtime_ns, of.st_ctime_ns


@lru_cache(maxsize=4)
def _sha_of_state(path: Path, _: _State) -> str:
    """Computed once per process for each state, as the hash of a copied data root cannot be
    noted.
    """
    return _sha_of(path)


def _sha_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
