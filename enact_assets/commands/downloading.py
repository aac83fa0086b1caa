"""The command ``download``: published data, with its size and licence before it is fetched."""

import argparse
import sys
from pathlib import Path

from rich.console import Console

from enact_assets.contracts.errors import DownloadError, SettingsError
from enact_assets.official.commands import AddCommand, plain, shown_progress
from enact_assets.official.published_data import (
    BROWSER_FILES,
    DATA,
    ENACT,
    PublishedData,
    folder_of_task,
)

DEFAULT_FOLDER = Path("data/downloads")


def add_download_command(command: AddCommand) -> None:
    """Add ``download``; ``command(name, run, about)`` makes a parser of one."""
    about = "Fetch published data: the questions of ENACT, raw demonstrations of BEHAVIOR."
    sub = command("download", _download, about)
    sub.add_argument("dataset", choices=sorted(DATA), help="what to fetch")
    sub.add_argument(
        "--task",
        metavar="NAME",
        help="only this task of behavior-rawdata: bringing_water, or task-0017",
    )
    sub.add_argument(
        "--to",
        type=Path,
        metavar="DIR",
        help=f"folder to write to (default: {DEFAULT_FOLDER}/DATASET)",
    )
    sub.add_argument(
        "--yes", action="store_true", help="fetch without asking; needed without a terminal"
    )


def _download(arguments: argparse.Namespace, console: Console) -> int:
    data = DATA[arguments.dataset]
    folder = None if arguments.task is None else folder_of_task(data, arguments.task)
    try:
        return _fetch(data, folder, arguments.to or DEFAULT_FOLDER / data.name, console, arguments)
    finally:
        if data.name == ENACT:
            _show_browser_files(console)


def _fetch(
    data: PublishedData,
    folder: str | None,
    to: Path,
    console: Console,
    arguments: argparse.Namespace,
) -> int:
    from enact_assets.official.hub_files import fetch, free_bytes, look_up, page_of

    offer = look_up(data.repository, data.suffix, folder)
    missing, left, free = offer.missing(to), offer.n_bytes_left(to), free_bytes(to)
    size = sum(file.size for file in offer.files)
    console.print(plain(f"{data.repository}: {data.about}"))
    console.print(
        plain(
            f"{len(offer.files)} files, {_gigabytes(size)}, licence "
            f"{offer.licence or 'not stated'} ({page_of(data.repository)})"
        )
    )
    if missing:
        console.print(
            plain(
                f"{_gigabytes(left)} are still to come to {to}, {_gigabytes(free)} are free there"
            )
        )
        if left > free:
            raise DownloadError(
                f"{to}: {_gigabytes(left)} are to come and {_gigabytes(free)} are free. Name a "
                "folder on another disk with --to, or fewer files with --task"
            )
        if not arguments.yes and not _is_agreed():
            console.print("Nothing was downloaded.")
            return 1
        with shown_progress(console, "download") as on_progress:
            fetch(offer, to, on_progress)
    console.print(plain(f"{len(offer.files)} files are in {to}. Import them:"))
    for command in _import_commands(data, folder, to):
        console.print(plain(f"  {command}"))
    return 0


def _is_agreed() -> bool:
    if not sys.stdin.isatty():
        raise SettingsError("there is no terminal to ask on. Add --yes if you want these files")
    return input("Download? [y/N] ").strip().lower() in {"y", "yes"}


def _import_commands(data: PublishedData, folder: str | None, to: Path) -> list[str]:
    if data.name == ENACT:
        return [f"enact-assets import {to / data.suffix}"]
    return [f"enact-assets import {to / (folder or 'task-*')}/*{data.suffix}"]


def _show_browser_files(console: Console) -> None:
    console.print(
        "\nMore of ENACT is on Google Drive, which wants a browser (sizes are not stated):"
    )
    for file in BROWSER_FILES:
        console.print(plain(f"{file.file}: {file.about}\n  {file.link}"))
        for command in file.commands:
            console.print(plain(f"  {command}"))


def _gigabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e8 else f"{n_bytes / 1e6:.1f} MB"
