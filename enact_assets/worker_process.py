"""How a process that works for another one begins and ends."""

import multiprocessing
import os
import signal
import threading


def begin_worker() -> None:
    """Set up a worker process: Ctrl-C is the parent's to handle, and it ends with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
