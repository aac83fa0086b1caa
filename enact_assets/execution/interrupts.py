"""Ctrl-C while Dagster writes: it postpones the signal, and may forget it."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

STOPPING = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def no_interrupt_is_lost() -> Iterator[None]:
    """Raise KeyboardInterrupt on leaving if SIGINT or SIGTERM arrived within and nobody acted.

    Dagster replaces both handlers while a run is in progress, and drops what arrives between the
    end of a step and the end of its run; of a short step that is most of the time.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        yield
        try:
            arrived = os.read(reading, 4096)
        except BlockingIOError:
            arrived = b""
        if not set(arrived).isdisjoint(STOPPING):
            raise KeyboardInterrupt
    finally:
        signal.set_wakeup_fd(before)
        os.close(reading)
        os.close(writing)
