"""The commands ``verify`` and ``catalogue``: every byte of lake, pictures and ledger against
checksums, and the catalogue against the files of the lake.
"""

import argparse
import time
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from enact_assets.answers.models.ledger_inspection import LedgerInspection, inspect_ledger
from enact_assets.commands.gc import shown_bytes
from enact_assets.commands.graph_options import REBUILD
from enact_assets.commands.terminal import plain, shown_progress
from enact_assets.engine.errors import OutputError
from enact_assets.engine.lake.damage import ANSWERS, PAID, Inspection, inspect
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.lake.lake_index import LakeIndex
from enact_assets.engine.progress import Progress
from enact_assets.engine.publishing.warehouse_seal import why_altered
from enact_assets.pipeline.driver.terminal import duration
from enact_assets.pipeline.runs.instance import check_root
from enact_assets.settings.paths import DataRoot

SHOWN = 20
"""Most files of each kind that are named."""


def run_verify(arguments: argparse.Namespace, console: Console) -> int:
    """``verify``; returns the exit code."""
    check_root(arguments.data)
    root = DataRoot(arguments.data)
    began = time.monotonic()
    with shown_progress(console, "verify") as on_progress:
        found = inspect(Lake(root.lake), ImageStore(root.images), on_progress)
    print_inspection(console, found, time.monotonic() - began)
    ledger = inspect_ledger(root.ledger)
    print_ledger(console, ledger)
    why = why_altered(root.warehouse, is_read=True)
    if why is not None:
        message = f"{root.warehouse}: {why}. `enact-assets materialize` publishes it from nothing."
        console.print(plain(message, "red"))
    elif root.warehouse.exists():
        console.print(plain(f"{root.warehouse}: as it was published."))
    return 0 if found.is_whole and not ledger.damaged and why is None else 1


def print_inspection(console: Console, found: Inspection, seconds: float) -> None:
    """Print how much was read, then each file with a problem."""
    for damage in found.damaged[:SHOWN]:
        console.print(plain(f"damaged: {damage.file.reason}", "red"))
        if damage.aside is not None:
            console.print(plain(f"  renamed to {damage.aside}"))
        if damage.refusal is not None:
            console.print(plain(f"  {damage.refusal}", "red"))
        if damage.file.table in PAID:
            console.print(plain(f"  {ANSWERS}", "yellow"))
    _more(console, found.damaged)
    for message in found.unreadable[:SHOWN]:
        console.print(plain(f"not checked: {message}", "red"))
    _more(console, found.unreadable)
    for message in found.misfits[:SHOWN]:
        console.print(plain(f"whole, but no file of its table now: {message}", "yellow"))
    _more(console, found.misfits)
    n_bad = len(found.damaged)
    console.print(
        f"{found.n_files:,} files of the lake and {found.n_pictures:,} pictures, "
        f"{shown_bytes(found.n_bytes)}, read in {duration(seconds)}: "
        + (f"{n_bad:,} damaged" if n_bad else "none damaged")
        + (f", {len(found.unreadable):,} could not be read." if found.unreadable else ".")
    )
    if any(damage.aside is not None for damage in found.damaged) or found.misfits:
        console.print("`enact-assets materialize` makes their partitions again.")


def print_ledger(console: Console, found: LedgerInspection) -> None:
    """Print each damaged line and picture of the ledger, then how much was read, if any."""
    for message in found.damaged[:SHOWN]:
        console.print(plain(message, "red"))
    _more(console, found.damaged)
    if found.n_lines or found.n_pictures:
        unchecked = f" ({found.n_unchecked:,} without a checksum)" if found.n_unchecked else ""
        pictures = f" and {found.n_pictures:,} pictures" if found.n_pictures else ""
        console.print(
            f"{found.n_lines:,} answers{unchecked}{pictures} of the ledger: "
            f"{f'{len(found.damaged):,} damaged' if found.damaged else 'none damaged'}."
        )


def _more(console: Console, found: Sequence[object]) -> None:
    if len(found) > SHOWN:
        console.print(Text(f"and {len(found) - SHOWN} more", "dim"))


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
