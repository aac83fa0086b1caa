"""Reads files that people give: regular files only, up to a maximum size.

A named pipe makes its reader wait forever, a link to /dev/zero never ends, and a text of gigabytes
takes all memory. Links to regular files are followed: recordings are imported as links.
"""

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

MOST_BYTES = 2**28
"""Maximum size of a file that is read as a whole; larger files are read in parts."""
_PART_BYTES = 2**16
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
    stat.S_IFDIR: "a folder",
}


def open_given(path: Path) -> BufferedReader:
    """Open ``path`` for reading.

    Errors: ``OSError`` as of ``open``, also if ``path`` is not a regular file.
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
    """Errors: ``OSError`` unless ``found`` describes a regular file."""
    kind = stat.S_IFMT(found.st_mode)
    if kind != stat.S_IFREG:
        text = f"is {_KINDS.get(kind, 'something else')}, not a regular file"
        number = errno.EISDIR if kind == stat.S_IFDIR else errno.EINVAL
        raise OSError(number, text, str(path))


def read_given(path: Path, most: int = MOST_BYTES) -> bytes:
    """All bytes of ``path``.

    Errors: ``OSError`` as of :func:`open_given`, and if the file has more than ``most`` bytes.
    """
    with open_given(path) as file:
        # read(n) allocates n bytes, however small the file is.
        expected = os.fstat(file.fileno()).st_size
        found = file.read(min(expected, most) + 1)
        # The file grew, or is a file of /proc, whose size is always 0.
        while expected < len(found) <= most:
            more = file.read(min(len(found) + _PART_BYTES, most + 1 - len(found)))
            if not more:
                break
            found += more
    if len(found) > most:
        text = f"has more than {most / 1e6:,.0f} MB, the most that is read of such a file"
        raise OSError(errno.EFBIG, text, str(path))
    return found
