"""Identity of a process across machines, restarts and reused numbers, and whether it is gone.

A process number alone says little: it is given out again, it starts over in every container, and
another machine has one too. No clock is asked.
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

    ``boot`` tells apart starts of the machine, ``namespace`` containers on it, ``started`` (ticks
    since boot) processes that had the same number; empty where the system does not say.
    """

    host: str
    pid: int
    boot: str = ""
    namespace: str = ""
    started: str = ""

    @classmethod
    def here(cls) -> "ProcessIdentity":
        """The process that asks."""
        return cls(
            socket.gethostname(), os.getpid(), boot_id(), _namespace(), _started(os.getpid())
        )

    @classmethod
    def decoded(cls, text: str) -> "ProcessIdentity | None":
        """What :meth:`encoded` wrote; None for any other text."""
        parts = text.split(" ")
        if len(parts) != 5 or not parts[1].isdecimal():
            return None
        host, pid, boot, namespace, started = ("" if p == "-" else p for p in parts)
        return cls(host, int(pid), boot, namespace, started)

    def encoded(self) -> str:
        """As one line."""
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
            return None  # /proc may hide what is not ours
        return started != self.started

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"


def boot_id() -> str:
    """Names one start of one machine, the same in all its containers; empty if unknown."""
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
    """When the process began, in ticks since boot; empty if there is none, or only its remains."""
    try:
        process = psutil.Process(pid)
        if process.status() in {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD}:
            return ""
        # As a time of day it would change whenever the clock is set.
        since_boot_s = process.create_time() - psutil.boot_time()
    except (psutil.Error, OSError):
        return ""
    return str(round(since_boot_s * os.sysconf("SC_CLK_TCK")))


def _is_alive(pid: int) -> bool | None:
    """None if it is another user's, or its number was given to one."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return None
    return True
