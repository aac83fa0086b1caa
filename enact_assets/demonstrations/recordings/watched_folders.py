"""Folders in which recorded replays appear: each complete one becomes a recording of the data root.

Other programs write there meanwhile. A recording is complete when two successive checks give the
same result: names, sizes and times of its files, and its number of pictures.
"""

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from enact_assets.demonstrations.recordings.folders import Recordings, recorded_file
from enact_assets.engine.errors import EnactError
from enact_assets.engine.ids import ID_CHARACTERS, content_sha

WATCH_VARIABLE = "ENACT_WATCH"


def watched_folders() -> list[Path]:
    """The folders that ``ENACT_WATCH`` names, separated as in ``PATH``."""
    return [Path(p) for p in os.environ.get(WATCH_VARIABLE, "").split(os.pathsep) if p]


@dataclass
class Look:
    """Result of one check of the watched folders.

    ``growing`` maps folders that wait for the next check -> their current state. ``added`` are
    demonstrations whose recordings were linked. ``problems`` are messages, each about one folder.
    """

    growing: dict[str, str] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def look_at(
    folders: Collection[Path],
    recordings: Recordings,
    before: Mapping[str, str],
    forgotten: Collection[str] = (),
) -> Look:
    """Link every recording below ``folders`` that looks as it did ``before`` (``Look.growing``).

    Demonstrations that were ``forgotten`` are left alone: `enact-assets import` takes them again.

    Foreign files raise no error: a folder that cannot be used is a problem, and the others are
    processed.
    """
    look = Look()
    for watched in folders:
        try:
            found = sorted(p for p in watched.iterdir() if not p.name.startswith("."))
        except OSError as error:
            look.problems.append(
                f"{watched}: cannot be watched ({error.strerror}). Create the folder, or remove "
                f"it from {WATCH_VARIABLE}."
            )
            continue
        for folder in found:
            if folder.name in forgotten:
                continue
            try:
                _take_in(folder, recordings, before, look)
            except OSError as error:
                look.problems.append(f"{folder}: cannot be read ({error.strerror})")
            except EnactError as error:
                look.problems.append(str(error))
    return look


def _take_in(folder: Path, recordings: Recordings, before: Mapping[str, str], look: Look) -> None:
    if not folder.is_dir() or recorded_file(folder) is None:
        return
    place = recordings.folder(folder.name)
    if place.exists():
        if not place.samefile(folder):
            look.problems.append(
                f"{folder}: ignored, because {folder.name} is already {place.resolve()}. Rename "
                f"one of the two, or `enact-assets forget demonstration {folder.name}` first."
            )
        return
    now = content_sha(sorted(_marks(folder)))[:ID_CHARACTERS]
    if before.get(str(folder)) == now:
        look.added.append(recordings.add(folder))
    else:
        look.growing[str(folder)] = now


def _marks(folder: Path) -> Iterator[list[object]]:
    """Name, size and time of all files of a recording; of folders of pictures only their sum."""
    for path in folder.iterdir():
        found = path.stat()
        if path.is_dir():
            with os.scandir(path) as pictures:
                sizes = [picture.stat().st_size for picture in pictures]
            yield [path.name, len(sizes), sum(sizes)]
        else:
            yield [path.name, found.st_size, found.st_mtime_ns]
