"""The command ``import``: recordings, annotated videos and question files."""

import argparse

from rich.console import Console

from enact_assets.commands.outcomes import print_summary
from enact_assets.commands.release.importing import import_paths
from enact_assets.commands.terminal import shown_progress
from enact_assets.commands.validating import explain
from enact_assets.settings.paths import DataRoot


def run_import(arguments: argparse.Namespace, console: Console) -> int:
    """``import``; returns the exit code."""
    if arguments.check:
        return max([explain(path, console) for path in arguments.paths])
    root = DataRoot(arguments.data)
    with shown_progress(console, "import") as on_progress:
        summary = import_paths(
            arguments.paths,
            root,
            is_copy=arguments.copy,
            pictures=arguments.pictures,
            on_progress=on_progress,
        )
    return print_summary(console, summary, "imported", root.root, shows_all=arguments.all)
