"""The command ``check-omnigibson``: a report on an OmniGibson installation that plays a file."""

import argparse

from rich.console import Console

from enact_assets.commands.terminal import plain
from enact_assets.demonstrations.pictures.omnigibson_source import PLAYED_FOLDER
from enact_assets.demonstrations.replay.omnigibson_runs import check_installation
from enact_assets.engine.errors import PlaybackError


def run_check_omnigibson(arguments: argparse.Namespace, console: Console) -> int:
    """``check-omnigibson``; returns the exit code."""
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
