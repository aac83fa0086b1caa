"""How a process that works for another one begins and ends."""

import multiprocessing
import os
import signal
import threading


def begin_worker() -> None:
    """Set up a worker process: Ctrl-C is the parent's to handle, and it ends with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def begin_stoppable_worker() -> None:
    """As :func:`begin_worker`, but SIGTERM raises KeyboardInterrupt, so that work is cleaned up.

    Ctrl-C in a terminal goes to every process of a group: this one gets a group of its own, or it
    would be stopped twice. Dagster gives both signals one handler, hence the same here.
    """
    os.setpgid(0, 0)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
