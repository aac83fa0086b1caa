"""Messages about failures of disks, databases and memory, as opposed to errors of the code."""

import errno
import sqlite3
import sys
from collections.abc import Iterator

FULL = "database or disk is full"
DAMAGED = ("malformed", "not a database")
_ADVICE = {
    errno.ENOSPC: "Free some space and run again.",
    errno.EDQUOT: "Free some of your quota and run again.",
    errno.EROFS: "Mount the disk for writing, or give another --data folder.",
    errno.EIO: "The disk does not answer. Check the system log.",
}
CHECK = "Check that its disk has space and is writable."
MOVE_AWAY = (
    "The file is damaged: move the folder `dagster` of the data root away. No partition is made "
    "again; only the history of runs is lost."
)
MORE_MEMORY = (
    "Raise its limit (`ulimit -v`, a container's), or let less run at a time (`--workers 1`)."
)
KEPT = "What was finished is kept."


def storage_message(error: BaseException) -> str | None:
    """Message about an ``error`` of a disk, of memory or of Dagster's database; None for other
    errors.

    Other errors are bugs, and their traceback is needed.
    """
    for cause in _chain(error):
        if isinstance(cause, MemoryError):
            return f"The system gave this process no more memory. {KEPT} {MORE_MEMORY}"
        if _is_of_a_database(cause):
            reason = " ".join(str(getattr(cause, "orig", None) or cause).split())
            advice = _ADVICE[errno.ENOSPC] if FULL in reason else CHECK
            if any(word in reason for word in DAMAGED):
                advice = MOVE_AWAY
            return f"Dagster's database cannot be used ({reason:.300}). {KEPT} {advice}"
        if isinstance(cause, OSError) and cause.errno in _ADVICE:
            place = f"{cause.filename}: " if cause.filename else ""
            return f"{place}{cause.strerror}. {KEPT} {_ADVICE[cause.errno]}"
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and its causes, in the order of a traceback."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)


def _is_of_a_database(error: BaseException) -> bool:
    alchemy = sys.modules.get("sqlalchemy.exc")
    of_alchemy = alchemy is not None and isinstance(error, alchemy.DBAPIError)
    return of_alchemy or isinstance(error, sqlite3.DatabaseError)
