"""Command line: materialize the graph, read the results, open the UI."""

import argparse
import atexit
import io
import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn, TextIO

from rich.console import Console

from enact_assets import __version__
from enact_assets.commands.annotating import add_annotate_command
from enact_assets.commands.batching import add_batch_command
from enact_assets.commands.browsing import add_browse_command
from enact_assets.commands.cataloguing import add_catalogue_command
from enact_assets.commands.checking_omnigibson import add_check_omnigibson_command
from enact_assets.commands.downloading import add_download_command
from enact_assets.commands.exchanging import add_exchange_commands
from enact_assets.commands.failing import storage_message
from enact_assets.commands.gc import add_gc_command
from enact_assets.commands.model_listing import add_models_command
from enact_assets.commands.reading import add_reading_commands
from enact_assets.commands.showing import add_show_command
from enact_assets.commands.trying import add_ask_command
from enact_assets.commands.validating import add_validate_command, explain
from enact_assets.commands.verifying import add_verify_command
from enact_assets.commands.walking import add_walk_commands
from enact_assets.commands.world_command import add_world_command
from enact_assets.contracts.errors import EnactError
from enact_assets.data_root.paths import DataRoot, root_from_environment
from enact_assets.driver.interrupts import STOPPING, telling_at_once
from enact_assets.official.commands import (
    TextConsole,
    add_bulk_command,
    add_official_commands,
    plain,
)
from enact_assets.system.streams import open_closed_streams

WIDTH = 110
"""Columns of output that goes to a file or a pipe."""
GRPC_TIMEOUT_S = "600"
"""Time limit of sensors and schedules, in seconds."""


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
    arguments = _parser().parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        # A file name need not be text; a message that names it must not fail.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    console = _console(sys.stdout)
    errors = _console(sys.stderr)
    # A terminated run ends as an interrupted one does: what is done is kept. What a shell's script
    # does not wait for begins with SIGINT ignored; Dagster would heed it now and then.
    for number in STOPPING:
        signal.signal(number, signal.default_int_handler)

    def say_stopping() -> None:
        errors.print("\nStopping: this can take some seconds.")

    try:
        with telling_at_once(say_stopping):
            if "data" in arguments:
                DataRoot(arguments.data)  # before anything is read or written below it
            return int(arguments.run(arguments, console))
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="enact-assets",
        description="ENACT as a Dagster asset pipeline: demonstrations to leaderboard.",
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def plain_command(name: str, run: object, about: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=about, description=about)
        sub.set_defaults(run=run)
        return sub

    def command(name: str, run: object, about: str) -> argparse.ArgumentParser:
        sub = plain_command(name, run, about)
        sub.add_argument(
            "--data",
            type=Path,
            default=root_from_environment(),
            metavar="DIR",
            help="data root: lake, pictures, DuckDB file, Dagster runs (default: ENACT_HOME or "
            "./data)",
        )
        return sub

    add_walk_commands(command)
    sub = command("import", _import, "Take in recordings, annotated videos and question files.")
    sub.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="PATH",
        help="a folder with scene_graph_0.json[.gz] or with an annotation and its video, a folder "
        "of such folders, a .zip of them, a .jsonl question file, a .zip of such files and their "
        "pictures, or a .hdf5 file of raw BEHAVIOR demonstrations",
    )
    sub.add_argument(
        "--pictures",
        type=Path,
        metavar="DIR|ZIP",
        help="where the pictures of question files are (default: beside each file, or in its zip)",
    )
    sub.add_argument("--copy", action="store_true", help="copy recordings, do not link to them")
    about = "import nothing; check the paths as `enact-assets validate` does"
    sub.add_argument("--check", action="store_true", help=about)
    add_validate_command(plain_command)
    add_download_command(plain_command)
    add_exchange_commands(command)
    about = "Leave out a demonstration, model or question file that was added."
    sub = command("forget", _forget, about)
    sub.add_argument("dimension", choices=("demonstration", "model", "question_file"))
    sub.add_argument("name", help="its files stay in the lake, but nothing reads them again")
    add_world_command(command)
    add_models_command(command)
    add_ask_command(command)
    add_batch_command(command)
    add_reading_commands(command)
    add_show_command(command)
    add_browse_command(command)
    add_annotate_command(command)
    add_gc_command(command)
    add_verify_command(command)
    add_catalogue_command(command)
    sub = command("ui", _ui, "Open the Dagster UI on the data root.")
    sub.add_argument("--port", type=int, default=3000, help="port to listen on (default: 3000)")
    about = "turn on automatic runs: automation, changed sources, nightly"
    sub.add_argument("--automate", action="store_true", help=about)
    add_official_commands(plain_command)
    add_bulk_command(plain_command)
    add_check_omnigibson_command(command)
    return parser


def _import(arguments: argparse.Namespace, console: Console) -> int:
    from enact_assets.official.commands import print_summary, shown_progress
    from enact_assets.official.importing import import_paths

    if arguments.check:
        return max([explain(path, console) for path in arguments.paths])
    root = DataRoot(arguments.data)
    with shown_progress(console, "import") as on_progress:
        summary = import_paths(
            arguments.paths,
            root,
            is_copy=arguments.copy,
            pictures=arguments.pictures,
            told=on_progress,
        )
    return print_summary(console, summary, "imported", root.root)


def _forget(arguments: argparse.Namespace, console: Console) -> int:
    from enact_assets.driver.materialize import Driver
    from enact_assets.runs.arrivals import places_of
    from enact_assets.runs.instance import check_root

    dimension = arguments.dimension
    check_root(arguments.data)
    driver = Driver(arguments.data)
    name = driver.forget(dimension, arguments.name)
    console.print(
        f"{dimension} {name} is forgotten. It stays in the DuckDB file until you run "
        "`enact-assets materialize`."
    )
    for place in places_of(driver.data, driver.registry, dimension, name):
        message = f"The name is still in {place}: remove it there, or it is added again."
        console.print(message, style="yellow", markup=False)
    return 0


def _ui(arguments: argparse.Namespace, console: Console) -> NoReturn:
    from enact_assets.runs.code_location import write_workspace
    from enact_assets.runs.instance import open_instance
    from enact_assets.runs.ui_server import SERVICES

    if find_spec("dagster_webserver") is None:
        raise EnactError("dagster-webserver is not installed. Install it: pip install '.[ui]'")
    open_instance(arguments.data).dispose()
    home = (arguments.data / "dagster").resolve()
    os.environ["DAGSTER_HOME"] = str(home)
    os.environ["ENACT_HOME"] = str(arguments.data.resolve())
    if arguments.automate:
        os.environ["ENACT_AUTOMATE"] = "1"
    for kind in ("SENSOR", "SCHEDULE"):
        # A look at half a million files takes longer than the minute that Dagster waits for it.
        os.environ.setdefault(f"DAGSTER_{kind}_GRPC_TIMEOUT_SECONDS", GRPC_TIMEOUT_S)
    console.print(
        f"Starting the Dagster UI, which takes up to a minute. Then it is on http://localhost:"
        f"{arguments.port}; Ctrl-C stops it. Dagster's own warnings below (`dev_command`, "
        "dagster.yaml in the current folder, `No cursor`) are harmless."
    )
    workspace = str(write_workspace(home))
    command = [sys.executable, "-m", SERVICES, "-w", workspace, "-p", str(arguments.port)]
    os.execv(sys.executable, command)  # noqa: S606 - our own interpreter, fixed arguments


if __name__ == "__main__":
    run()
