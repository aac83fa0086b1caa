"""Raw HDF5 files -> one folder with ``omnigibson.json`` per demonstration in them.

What is in a file is asked of OmniGibson's interpreter, which can read HDF5; no GPU is needed.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from enact_assets.demonstrations.recordings.folders import DEMONSTRATION_FILE, Recordings
from enact_assets.demonstrations.replay.omnigibson import RawDemonstration, write_demonstration
from enact_assets.demonstrations.replay.omnigibson_runs import PLAYER, interpreter, player_variables
from enact_assets.engine.errors import LakeError, PlaybackError, RecordingError

RAW_SUFFIXES = (".hdf5", ".h5")


class _Listed(msgspec.Struct):
    """What the player says of a file: fields of :class:`RawDemonstration` but ``file``, and
    ``episode`` and ``reason``.
    """

    demonstrations: list[dict[str, Any]]
    unusable: list[dict[str, Any]]


@dataclass(frozen=True)
class Listing:
    """What a file holds: demonstrations, and why which episodes are none that can be played."""

    demonstrations: list[RawDemonstration]
    reasons: list[str]


def list_demonstrations(path: Path) -> Listing:
    """The demonstrations in ``path``. Errors: :class:`PlaybackError`, also for a file with none
    that can be played.
    """
    command = [interpreter(), str(PLAYER), "--list", str(path)]
    try:
        found = subprocess.run(  # noqa: S603 - the user's interpreter, our own script
            command, env=player_variables(), capture_output=True, text=True, check=False
        )
        listed = msgspec.json.decode(found.stdout, type=_Listed)
        usable = [{"file": str(path.absolute()), **each} for each in listed.demonstrations]
        demonstrations = msgspec.convert(usable, list[RawDemonstration])
    except OSError as error:
        raise PlaybackError(f"{command[0]}: cannot be started ({error.strerror})") from error
    except msgspec.DecodeError:
        said = found.stderr.strip()[-500:] or f"nothing, exit code {found.returncode}"
        raise PlaybackError(said if str(path) in said else f"{path}: {said}") from None
    reasons = [each["reason"] for each in listed.unusable]
    if not demonstrations:
        if reasons:
            raise PlaybackError(
                f"{path}: none of its {len(reasons)} demonstrations can be played, first: "
                f"{reasons[0]}"
            )
        raise PlaybackError(f"{path}: contains no demonstration (expected groups data/demo_N)")
    return Listing(demonstrations, reasons)


def import_demonstrations(path: Path, recordings: Recordings) -> tuple[list[str], list[str]]:
    """Take in every demonstration of ``path`` that can be played, as ``<file>.demo_N``: the names,
    and why which episodes were left out.

    The file stays where it is. Errors: :class:`PlaybackError`; :class:`RecordingError` if one of
    that name is there, so that edits of its ``omnigibson.json`` are not lost. Then nothing is
    taken in. :class:`OutputError` if one cannot be written; those before it are.
    """
    listing = list_demonstrations(path)
    found = {f"{path.stem}.demo_{each.episode}": each for each in listing.demonstrations}
    try:
        folders = [recordings.folder(name) for name in found]
    except LakeError as error:
        raise RecordingError(str(error)) from None
    there = [folder for folder in folders if folder.exists()]
    if there:
        raise RecordingError(
            f"{path}: {len(there)} of its {len(found)} demonstrations already exist, the first: "
            f"{there[0]}. Remove them to import the file again."
        )
    for name, about in found.items():
        with recordings.taking_in(name, path) as folder:
            folder.mkdir()
            write_demonstration(folder / DEMONSTRATION_FILE, about)
    return list(found), listing.reasons
