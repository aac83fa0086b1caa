"""Setting a damaged file aside: it is renamed in its folder, and its partition is made again.

The renamed file is neither a partition nor a picture, so the next plan finds the partition missing.
The file stays until `enact-assets gc` removes it. Renaming is atomic, needs no record shared by
processes, and keeps the bytes for inspection.
"""

from enact_assets.engine.errors import LakeError
from enact_assets.engine.system.places import Entry, Place

MARK = ".damaged-"


def aside_name(entry: Entry) -> str:
    """Name of a file after it is set aside; files that had the same name get different names."""
    return f"{entry.name}{MARK}{entry.mark:x}"


def name_before(name: str) -> str | None:
    """Name of the file ``name`` before it was set aside; None if it was not set aside."""
    before, found, _ = name.rpartition(MARK)
    return before if found else None


def aside_problem(name: str) -> str:
    """Why a partition must be made again, if its file was renamed to ``name``."""
    return f"its file was damaged, and set aside as {name}"


def set_aside(place: Place, entry: Entry) -> str | None:
    """Rename a damaged file unless another file has replaced it; returns the new path or URL.

    None if another file has replaced it. Several processes may set the same file aside at the same
    time. Errors: :class:`LakeError` if the file cannot be renamed, as on a disk that is read-only.
    """
    name = aside_name(entry)
    try:
        is_done = place.set_aside(entry, name) or place.entry(name) is not None
    except OSError as error:
        raise LakeError(
            f"{place.where(entry.name)}: is damaged and cannot be set aside "
            f"({error.strerror or error}). Let this user write to its folder and run again."
        ) from error
    return place.where(name) if is_done else None


def where_aside(place: Place, name: str) -> str | None:
    """Name of a file that was called ``name`` before it was set aside; None if there is no such
    file.
    """
    folder, _, short = name.rpartition("/")
    found = [n for n in place.names(folder) if name_before(n) == short]
    return f"{folder}/{min(found)}".lstrip("/") if found else None
