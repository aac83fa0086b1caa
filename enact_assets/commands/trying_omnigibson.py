"""The command ``omnigibson try``: plays a demonstration on the owner's machine, and bundles it."""

import argparse

from rich.console import Console

from enact_assets.commands.terminal import plain
from enact_assets.demonstrations.pictures.omnigibson_source import PLAYED_FOLDER
from enact_assets.demonstrations.replay.omnigibson_player.request import REPORT_FILE
from enact_assets.demonstrations.replay.omnigibson_runs import try_installation, zip_of
from enact_assets.engine.errors import PlaybackError

WHAT_TO_DO = (
    "It has versions, facts, pictures, messages and the report. Go through the last section of "
    "{report}, then attach the zip to an issue of this project, with what you saw: it becomes a "
    "test. Its log names folders of your machine: read it before."
)


def run_omnigibson(arguments: argparse.Namespace, console: Console) -> int:
    """``omnigibson try``; returns the exit code."""
    if not arguments.file.is_file():
        raise PlaybackError(f"{arguments.file}: no such file")
    options = [f"--pictures={arguments.pictures}"]
    for name in ("frames", "episode", "rules"):
        given = getattr(arguments, name)
        options += [] if given is None else [f"--{name}={given}"]
    code, said = try_installation(
        arguments.file,
        arguments.out,
        options,
        arguments.data / PLAYED_FOLDER,
        say=lambda text: console.print(plain(text)),
        on_progress=lambda progress: console.print(plain(progress.count)),
    )
    if code:
        console.print(plain(said, "red"))
    report = arguments.out / REPORT_FILE
    if not report.is_file():
        return 1
    until = " as far as it got" if code else ""
    console.print(plain(f"{zip_of(arguments.out)}: the trial{until}."))
    console.print(plain(WHAT_TO_DO.format(report=report)))
    return 1 if code else 0
