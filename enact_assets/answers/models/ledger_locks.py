"""Locks between processes that share a ledger. The system releases them when a process dies."""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from enact_assets.engine.errors import OutputError, PredictionError

SHORT_POLL_S, LONG_POLL_S = 0.01, 0.2
"""How often to try again: for a lock that is held for a moment, or for a whole run."""
_NO_LOCKS_HERE = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS}


@contextmanager
def locked(path: Path, on_wait: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the lock file ``path``; ``on_wait`` is called if another process holds it, and then it
    is a lock that is held for long.

    Errors: :class:`PredictionError` if the file system has no locks, :class:`OutputError` if the
    file cannot be written.
    """
    # With `preserve_lock_file` it raises an error where the file system has no locks.
    lock = FileLock(path, preserve_lock_file=True, thread_local=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if on_wait is not None:
                on_wait()
            lock.acquire(poll_interval=LONG_POLL_S if on_wait is not None else SHORT_POLL_S)
    except OSError as error:
        if error.errno in _NO_LOCKS_HERE:
            raise PredictionError(
                f"{path}: this file system has no locks ({error.strerror}), so two processes could "
                "buy the same answers. Use a data root on another file system."
            ) from error
        raise OutputError(
            f"{path}: cannot be written ({error.strerror}). Make the folder writable."
        ) from error
    try:
        yield
    finally:
        lock.release()
