"""Standard input, output and error: open, whatever started the process."""

import os
import sys

_MODES = ("r", "w", "w")


def open_closed_streams() -> None:
    """Give each closed one of the three ``os.devnull``.

    Otherwise the next file that is opened gets its number, and what a library then prints is
    written into that file. Call it before anything else opens files.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number: those below are open.
            opened = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(opened, True)  # noqa: FBT003 - it takes no name
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, _MODES[number], closefd=False))  # noqa: SIM115
