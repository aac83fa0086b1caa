"""Opens standard input, output and error if the parent process closed them."""

import os
import sys

_MODES = ("r", "w", "w")


def open_closed_streams() -> None:
    """Open ``os.devnull`` for each of the three streams that is closed.

    Otherwise the next opened file gets the stream's number, and everything that a library prints
    goes into that file. Call this before any other file is opened.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            # This gets the lowest free number, as all lower numbers are in use.
            opened = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(opened, True)  # noqa: FBT003 - it takes no name
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, _MODES[number], closefd=False))  # noqa: SIM115
