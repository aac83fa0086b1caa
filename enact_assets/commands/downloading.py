"""The command ``download``: fetches published data, after showing size and licence and asking."""

import argparse
import sys
from pathlib import Path

from rich.console import Console

from enact_assets.commands.file_options import DEFAULT_FOLDER
from enact_assets.commands.release.hub_files import fetch, free_bytes, look_up, page_of
from enact_assets.commands.release.published_data import (
    BROWSER_FILES,
    CHALLENGE,
    DATA,
    ENACT,
    PublishedData,
    folder_of_task,
)
from enact_assets.commands.terminal import TextConsole, plain, shown_progress
from enact_assets.engine.errors import DownloadError, EnactError, SettingsError
from enact_assets.engine.plurals import counted


def run_download(arguments: argparse.Namespace, console: Console) -> int:
    """``download``; returns the exit code."""
    data = DATA[arguments.dataset]
    folder = None if arguments.task is None else folder_of_task(data, arguments.task)
    to = arguments.to or DEFAULT_FOLDER / data.name
    try:
        code = _fetch(data, folder, to, console, is_agreed=arguments.yes)
    except EnactError as error:
        if data.name != ENACT:
            raise
        # The links lead to another server, and may work if the hub does not.
        TextConsole(stderr=True).print(plain(f"enact-assets: {error}", "red"))
        code = 2
    _show_browser_files(data, console)
    return code


def _fetch(
    data: PublishedData, folder: str | None, to: Path, console: Console, *, is_agreed: bool
) -> int:
    offer = look_up(data.repository, data.suffix, folder)
    missing, left, free = offer.missing(to), offer.n_bytes_left(to), free_bytes(to)
    size = sum(file.size for file in offer.files)
    console.print(plain(f"{data.repository}: {data.about}"))
    console.print(
        plain(
            f"{counted(len(offer.files), 'file')}, {_gigabytes(size)}, licence "
            f"{offer.licence or 'not stated'} ({page_of(data.repository)})"
        )
    )
    if missing:
        console.print(
            plain(f"{_gigabytes(left)} to download to {to}, {_gigabytes(free)} free there")
        )
        if left > free:
            raise DownloadError(
                f"{to}: {_gigabytes(left)} do not fit into {_gigabytes(free)} of free space. Name "
                "a folder on another disk with --to, or fewer files with --task"
            )
        if not is_agreed and not _agrees():
            console.print("Nothing was downloaded.")
            return 1
        with shown_progress(console, "download") as on_progress:
            fetch(offer, to, on_progress)
    console.print(plain(f"{counted(len(offer.files), 'file')} in {to}. To import:"))
    for command in _import_commands(data, folder, to):
        console.print(plain(f"  {command}"))
    return 0


def _agrees() -> bool:
    if not sys.stdin.isatty():
        raise SettingsError("there is no terminal to ask on. Add --yes to download")
    return input("Download? [y/N] ").strip().lower() in {"y", "yes"}


def _import_commands(data: PublishedData, folder: str | None, to: Path) -> list[str]:
    if data.name == ENACT:
        return [f"enact-assets import {to / data.suffix}"]
    if data.name == CHALLENGE:
        return _import_commands_of(to)
    return [f"enact-assets import {to / (folder or 'task-*')}/*{data.suffix}"]


def _import_commands_of(folder: Path) -> list[str]:
    """One command for each question file or zip below ``folder``, whatever its name in the data set
    is.
    """
    found = sorted(p for p in folder.rglob("*") if p.suffix in {".jsonl", ".zip"} and p.is_file())
    if not found:
        return [f"# no .jsonl and no .zip in it: look at {folder}"]
    return [f"enact-assets import {path}" for path in found]


def _show_browser_files(data: PublishedData, console: Console) -> None:
    if data.name != ENACT:
        return
    console.print(
        "\nMore of ENACT is on Google Drive: download it in a browser (sizes are not published)."
    )
    for file in BROWSER_FILES:
        console.print(plain(f"{file.file}: {file.about}\n  {file.link}"))
        for command in file.commands:
            console.print(plain(f"  {command}"))


def _gigabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e8 else f"{n_bytes / 1e6:.1f} MB"
