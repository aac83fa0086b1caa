"""Files that people give: regular ones only, and no longer than what they are for.

A named pipe makes its reader wait for ever, a link to /dev/zero has no end, and a text of gigabytes
takes all memory. Links to regular files are followed: recordings are imported as links.
"""

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

MOST_BYTES = 2**28
"""Of a file that is read as a whole; those that are larger are read in parts."""
_PART_BYTES = 2**16
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
    stat.S_IFDIR: "a folder",
}


def open_given(path: Path) -> BufferedReader:
    """``path`` for reading.

    Errors: ``OSError`` as of ``open``, also for what is no regular file.
    """
    # Without O_NONBLOCK opening a pipe waits for a writer.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        check_regular(os.fstat(descriptor), path)
        return open(descriptor, "rb")  # noqa: PTH123 - a descriptor
    except BaseException:
        os.close(descriptor)
        raise


def check_regular(found: os.stat_result, path: Path) -> None:
    """Errors: ``OSError`` unless ``found`` is of a regular file."""
    kind = stat.S_IFMT(found.st_mode)
    if kind != stat.S_IFREG:
        text = f"is {_KINDS.get(kind, 'something else')}, not a regular file"
        number = errno.EISDIR if kind == stat.S_IFDIR else errno.EINVAL
        raise OSError(number, text, str(path))


def read_given(path: Path, most: int = MOST_BYTES) -> bytes:
    """All bytes of ``path``.

    Errors: ``OSError`` as of :func:`open_given`, and if there are more than ``most``.
    """
    with open_given(path) as file:
        # Reading takes as much memory as it is allowed to read, however small the file is.
        expected = os.fstat(file.fileno()).st_size
        found = file.read(min(expected, most) + 1)
        # It grew, or is one of those of /proc, whose size is 0.
        while expected < len(found) <= most:
            more = file.read(min(len(found) + _PART_BYTES, most + 1 - len(found)))
            if not more:
                break
            found += more
    if len(found) > most:
        text = f"has more than {most / 1e6:,.0f} MB, the most that is read of such a file"
        raise OSError(errno.EFBIG, text, str(path))
    return found
