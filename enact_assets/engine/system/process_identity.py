"""Identifies a process across machines, restarts and reused numbers, and checks whether it ended.

A process number alone is not unique: it is reused, counts from 1 in every container, and exists on
other machines, too. No clock is used.
"""

import os
import socket
from dataclasses import dataclass
from pathlib import Path

import psutil

_PROC = Path("/proc")


@dataclass(frozen=True)
class ProcessIdentity:
    """A process on a machine.

    ``boot`` identifies the start of the machine, ``namespace`` the container on it, ``started``
    (ticks since boot) distinguishes processes with the same number. Each is empty if it is unknown.
    """

    host: str
    pid: int
    boot: str = ""
    namespace: str = ""
    started: str = ""

    @classmethod
    def here(cls) -> "ProcessIdentity":
        """The current process."""
        return cls(
            socket.gethostname(), os.getpid(), boot_id(), _namespace(), _started(os.getpid())
        )

    @classmethod
    def decoded(cls, text: str) -> "ProcessIdentity | None":
        """Inverse of :meth:`encoded`; None for any other text."""
        parts = text.split(" ")
        if len(parts) != 5 or not parts[1].isdecimal():
            return None
        host, pid, boot, namespace, started = ("" if p == "-" else p for p in parts)
        return cls(host, int(pid), boot, namespace, started)

    def encoded(self) -> str:
        """The identity as one line."""
        parts = (self.host, str(self.pid), self.boot, self.namespace, self.started)
        return " ".join(p or "-" for p in parts)

    def is_gone(self) -> bool | None:
        """Whether the process has ended; None if that cannot be known from here."""
        here = ProcessIdentity.here()
        if self.boot != here.boot:
            # The same machine, restarted; or another machine.
            return True if self.host == here.host and self.boot and here.boot else None
        if self.host != here.host and not self.boot:
            return None
        if self.namespace != here.namespace:
            return None
        if not self.boot:
            return _is_alive(self.pid) is False
        started = _started(self.pid)
        if not started and _is_alive(self.pid) is None:
            return None  # /proc may hide processes of other users
        return started != self.started

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"


def boot_id() -> str:
    """Identifies one start of one machine; the same in all its containers; empty if unknown."""
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _namespace() -> str:
    try:
        return str((_PROC / "self/ns/pid").readlink()).strip("pid:[]")
    except OSError:
        return ""


def _started(pid: int) -> str:
    """Start of the process in ticks since boot; empty if it does not exist or is a zombie."""
    try:
        process = psutil.Process(pid)
        if process.status() in {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD}:
            return ""
        # Ticks are used because a time of day would change whenever the clock is set.
        since_boot_s = process.create_time() - psutil.boot_time()
    except (psutil.Error, OSError):
        return ""
    return str(round(since_boot_s * os.sysconf("SC_CLK_TCK")))


def _is_alive(pid: int) -> bool | None:
    """Whether the process is alive; None if it belongs, or its number now belongs, to another
    user.
    """
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return None
    return True
