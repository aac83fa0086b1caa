"""The command ``check-omnigibson``: a report on an OmniGibson installation that plays a file."""

import argparse
from pathlib import Path

from rich.console import Console

from enact_assets.commands.reading import AddCommand
from enact_assets.contracts.errors import PlaybackError
from enact_assets.official.commands import plain, positive

FOLDER = "omnigibson_check"


def add_check_omnigibson_command(command: AddCommand) -> None:
    """Add ``check-omnigibson``; ``command(name, run, about)`` makes a parser of one."""
    about = (
        "Play some frames of a raw demonstration in OmniGibson and write a report: what is "
        "installed, whether pictures and boxes belong together, how fast it is."
    )
    sub = command("check-omnigibson", _check, about)
    sub.add_argument("file", type=Path, metavar="FILE.hdf5", help="a file of raw demonstrations")
    about = "N of demo_N (default: the longest)"
    sub.add_argument("--episode", type=int, metavar="N", help=about)
    about = "frames to play, from the first on (default: 200)"
    sub.add_argument("--frames", type=positive, default=200, metavar="N", help=about)
    about = "how many of them to look at (default: 8)"
    sub.add_argument("--looks", type=positive, default=8, metavar="N", help=about)
    about = "enact or all (default: what `import` would write)"
    sub.add_argument("--rules", choices=("enact", "all"), help=about)
    about = f"folder of the report (default: ./{FOLDER})"
    sub.add_argument("--to", type=Path, default=Path(FOLDER), metavar="FOLDER", help=about)


def _check(arguments: argparse.Namespace, console: Console) -> int:
    from enact_assets.frames.omnigibson_source import PLAYED_FOLDER
    from enact_assets.replay.omnigibson_runs import check_installation

    if not arguments.file.is_file():
        raise PlaybackError(f"{arguments.file}: no such file")
    options = [f"--frames={arguments.frames}", f"--looks={arguments.looks}"]
    options += [] if arguments.episode is None else [f"--episode={arguments.episode}"]
    options += [] if arguments.rules is None else [f"--rules={arguments.rules}"]
    code, refusal = check_installation(
        arguments.file,
        arguments.to,
        options,
        arguments.data / PLAYED_FOLDER,
        lambda text: console.print(plain(text)),
    )
    report = arguments.to / "report.html"
    if code == 0:
        console.print(plain(f"{report}: open it in a browser, and go through its last section."))
        return 0
    console.print(plain(refusal, "red"))
    if report.is_file():
        console.print(plain(f"{report} has what was found until then."))
    return 1
