"""The command ``catalogue``: compares the catalogue with the files of the lake, or rebuilds it."""

import argparse
import time

from rich.console import Console

from enact_assets.commands.graph_options import REBUILD
from enact_assets.commands.terminal import plain, shown_progress
from enact_assets.engine.errors import OutputError
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.lake.lake_index import LakeIndex
from enact_assets.engine.progress import Progress
from enact_assets.pipeline.driver.terminal import duration
from enact_assets.pipeline.runs.instance import check_root
from enact_assets.settings.paths import DataRoot

SHOWN = 20
"""Most files that are named."""


def run_catalogue(arguments: argparse.Namespace, console: Console) -> int:
    """``catalogue``; returns the exit code."""
    check_root(arguments.data)
    root = DataRoot(arguments.data)
    index = LakeIndex(Lake(root.lake), root.catalogue)
    began = time.monotonic()
    with shown_progress(console, "catalogue") as on_progress:

        def heard(share: float) -> None:
            on_progress(Progress(int(100 * share), 100, text=arguments.action))

        if arguments.action == REBUILD:
            try:
                index.catalogue.remove()
            except OSError as error:
                raise OutputError(
                    f"{root.catalogue}: cannot be removed ({error.strerror}). Remove it by hand."
                ) from error
            n_files = sum(len(of.new) for of in index.files(on_progress=heard).values())
        else:
            found = index.check(heard)
    seconds = duration(time.monotonic() - began)
    if arguments.action == REBUILD:
        console.print(plain(f"{root.catalogue}: made anew from {n_files:,} files in {seconds}."))
        return 0
    for path in found.differing[:SHOWN]:
        console.print(plain(f"the catalogue says something else than this file: {path}", "red"))
    if len(found.differing) > SHOWN:
        console.print(f"and {len(found.differing) - SHOWN} more")
    console.print(
        plain(
            f"{root.catalogue}: knows {found.n_known:,} of {found.n_files:,} files, and "
            f"{found.n_gone:,} that are gone; {len(found.differing):,} differ ({seconds})."
        )
    )
    if found.differing:
        console.print(f"Make it anew: enact-assets catalogue {REBUILD}{root.option}")
    elif found.n_known < found.n_files or found.n_gone:
        console.print("The next `enact-assets plan` reads what it does not know.")
    return 1 if found.differing else 0
