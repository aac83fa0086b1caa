"""Handles Ctrl-C while Dagster writes: Dagster postpones the signal and may lose it."""

import os
import select
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from enact_assets.engine.system.worker_process import STOPPING


class _Arrivals:
    """Records signals that arrive at the process, independently of their handlers."""

    def __init__(self) -> None:
        self.reading, self._writing = os.pipe()
        os.set_blocking(self.reading, False)
        os.set_blocking(self._writing, False)
        self._before = signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        self._lock = threading.Lock()
        self._n = 0

    def n_stopping(self) -> int:
        """How many of :data:`STOPPING` arrived so far."""
        with self._lock:
            try:
                arrived = os.read(self.reading, 4096)
            except BlockingIOError:
                arrived = b""
            self._n += sum(number in STOPPING for number in arrived)
            return self._n

    def wake(self) -> None:
        """Wake the reader by a byte that is not a signal."""
        os.write(self._writing, b"\0")

    def close(self) -> None:
        signal.set_wakeup_fd(self._before)
        os.close(self.reading)
        os.close(self._writing)


_recording: list[_Arrivals] = []
"""The current recorder of signals; at most one, as the system writes signals to one file
descriptor.
"""


@contextmanager
def calling_on_signal(call: Callable[[], None]) -> Iterator[None]:
    """Call ``call`` in a thread as soon as the first SIGINT or SIGTERM arrives within the block.

    A signal handler would be called only when the main thread is ready, and not at all while
    Dagster has replaced it. Within another such block, or outside of the main thread, this does
    nothing.
    """
    if threading.current_thread() is not threading.main_thread() or _recording:
        yield
        return
    arrivals = _Arrivals()
    is_over = threading.Event()

    def listen() -> None:
        while not is_over.is_set():
            select.select([arrivals.reading], [], [])
            if arrivals.n_stopping():
                call()
                return

    _recording.append(arrivals)
    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        yield
    finally:
        is_over.set()
        arrivals.wake()
        listener.join()
        _recording.remove(arrivals)
        arrivals.close()


@contextmanager
def no_interrupt_is_lost() -> Iterator[None]:
    """Raise KeyboardInterrupt on leaving if SIGINT or SIGTERM arrived within the block unhandled.

    Dagster replaces both handlers while a run is in progress, and drops signals between the end of
    a step and the end of its run. For a short step that is most of the time.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    outer = _recording[0] if _recording else None
    arrivals = outer or _Arrivals()
    before = arrivals.n_stopping()
    try:
        yield
        if arrivals.n_stopping() > before:
            raise KeyboardInterrupt
    finally:
        if outer is None:
            arrivals.close()
