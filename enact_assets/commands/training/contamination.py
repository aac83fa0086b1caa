"""``contamination``: which questions and pictures of a test a training set holds."""

import argparse
import csv
import json
from pathlib import Path
from typing import Any

from rich.console import Console

from enact_assets.commands.terminal import plain, shown_progress
from enact_assets.commands.training.copies import (
    BY_ID,
    BY_PICTURE,
    BY_TEXT,
    Copies,
    Copy,
    TestHeld,
    find_copies,
)
from enact_assets.demonstrations.pictures.fingerprints import LEAST_PX, NEAR_BITS
from enact_assets.engine.plurals import counted
from enact_assets.engine.system.atomic import replacing
from enact_assets.settings.paths import DataRoot

SHOWN = 10
WAYS = {
    BY_ID: ("question", "by id"),
    BY_TEXT: ("question", "by all its actions, word for word"),
    BY_PICTURE: ("picture", f"by a perceptual hash of 255 bits, {NEAR_BITS} or fewer other"),
}


def run_contamination(arguments: argparse.Namespace, console: Console) -> int:
    """``contamination PATH``; returns the exit code: 1 if anything was found, or not read."""
    held = TestHeld(DataRoot(arguments.data))
    n_alarms, n_told = held.false_alarms()
    with shown_progress(console, "contamination") as on_progress:
        copies = find_copies(held, arguments.path, on_progress)
    if arguments.output is not None:
        _write(copies, arguments.output)
    if arguments.json:
        said: dict[str, Any] = {how: copies.of(how) for how in WAYS}
        said |= {"n_rows": copies.n_rows, "n_pictures": copies.n_pictures}
        said |= {"n_pictures_not_compared": copies.n_small, "n_test_pictures": len(held.pictures)}
        said |= {"n_pictures_unreadable": copies.n_unreadable, "not_read": copies.not_read}
        said |= {"n_test_pictures_not_compared": held.n_small, "n_false_alarms": n_alarms}
        print(json.dumps(said))
    else:
        console.print(
            plain(
                f"{arguments.path}: {copies.n_rows:,} rows and other texts, "
                f"{counted(copies.n_pictures, 'picture')}. Tests of {arguments.data}: "
                f"{counted(held.n_questions, 'question')}, {counted(n_told, 'picture')}."
            )
        )
        for how in WAYS:
            _print(console, copies, how)
        _print_limits(console, held, copies, n_alarms)
        _print_not_read(console, copies)
    return 1 if copies.found or copies.not_read else 0


def _print(console: Console, copies: Copies, how: str) -> None:
    """What was found in one way, with the first ones."""
    noun, by = WAYS[how]
    found = copies.of(how)
    style = "red" if found else ""
    console.print(plain(f"{counted(len(found), noun)} of the test found {by}.", style))
    first = {copy.test: copy for copy in reversed(copies.found) if copy.how == how}
    for name in found[:SHOWN]:
        console.print(plain(f"  {name}{_of(first[name])}: {first[name].where}"))
    if len(found) > SHOWN:
        console.print(plain(f"  and {len(found) - SHOWN:,} more: --output FILE.csv lists all"))


def _of(copy: Copy) -> str:
    return "" if copy.how == BY_PICTURE else f" ({copy.demonstration})"


def _print_limits(console: Console, held: TestHeld, copies: Copies, n_alarms: int) -> None:
    """How far what was said can be relied on."""
    told = len(held.pictures)
    console.print(
        plain(
            f"False alarms: {n_alarms} of {counted(told, 'picture')} of the test are as near to "
            "one of another demonstration. Pictures that were cropped, turned or painted over are "
            "not found, nor are questions in other words."
        )
    )
    if small := copies.n_small + held.n_small:
        console.print(
            plain(
                f"{counted(small, 'picture')} were compared byte by byte alone, and copies "
                f"of another size are not found: below "
                f"{LEAST_PX} px ({held.n_small} of the test, {copies.n_small} of the set).",
                "yellow",
            )
        )


def _print_not_read(console: Console, copies: Copies) -> None:
    """What was not looked at."""
    if copies.not_read:
        console.print(
            plain(
                f"{counted(len(copies.not_read), 'file')} of another form not read, first "
                f"{copies.not_read[0]}: nothing is known of them.",
                "red",
            )
        )
    if copies.n_unreadable:
        console.print(plain(f"{counted(copies.n_unreadable, 'picture')} cannot be read.", "yellow"))


def _write(copies: Copies, path: Path) -> None:
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(Copy._fields)
        rows.writerows(copies.found)
