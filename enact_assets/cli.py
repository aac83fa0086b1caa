"""Command line: materialize the graph, read the results, open the UI."""

import atexit
import io
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn, TextIO

from rich.console import Console

from enact_assets.commands.failing import storage_message
from enact_assets.commands.table import parser, run_of
from enact_assets.commands.terminal import TextConsole, plain
from enact_assets.engine.errors import EnactError
from enact_assets.engine.system.collector import without_collector
from enact_assets.engine.system.streams import open_closed_streams
from enact_assets.engine.system.worker_process import heed_stopping
from enact_assets.pipeline.driver.interrupts import calling_on_signal
from enact_assets.settings.household import use_household_of
from enact_assets.settings.paths import DataRoot

WIDTH = 110
"""Columns of output that goes to a file or a pipe."""


def run() -> NoReturn:
    """Entry point of the program: :func:`main`, and a quick exit.

    Python takes half a second to free every object of the libraries that a command loads. When all
    else that happens at an exit is done, the process ends without that.
    """
    open_closed_streams()
    code = main()
    # As Python does at an exit: wait for threads, call what libraries registered, write output.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    with suppress(OSError, ValueError):  # such as a closed pipe: Python's own exit reports it
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns an exit code: docs/commands.md says what each means."""
    arguments = parser().parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        # A file name need not be text; a message that names it must not fail.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    console = _console(sys.stdout)
    errors = _console(sys.stderr)
    # A terminated run ends as an interrupted one does: what is done is kept. What a shell's script
    # does not wait for begins with SIGINT ignored; Dagster would heed it now and then.
    heed_stopping()

    def say_stopping() -> None:
        errors.print("\nStopping: this can take some seconds.")

    try:
        with calling_on_signal(say_stopping):
            if "data" in arguments:
                root = DataRoot(arguments.data)  # before anything is read or written below it
                use_household_of(root.root)
            with without_collector():
                run = run_of(arguments.command)
            return run(arguments, console)
    except EnactError as error:
        errors.print(plain(f"enact-assets: {error}", "red"))
        return 2
    except Exception as error:
        message = storage_message(error)
        if message is None:
            raise
        errors.print(plain(f"enact-assets: {message}", "red"))
        return 2
    except KeyboardInterrupt as stopped:
        done = str(stopped) or "Stopped. What was finished is kept; run the same command again."
        errors.print(f"\n{done}")
        return 130


def _console(stream: TextIO) -> Console:
    is_terminal = stream.isatty()
    width = None if is_terminal else WIDTH
    return TextConsole(stderr=stream is sys.stderr, soft_wrap=not is_terminal, width=width)


if __name__ == "__main__":
    run()
