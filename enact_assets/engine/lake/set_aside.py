"""Setting a damaged file aside: it is renamed in its folder, and its partition is made again.

The renamed file is neither a partition nor a picture, so
the next plan finds that something is missing. The file stays until `enact-assets gc` removes it.
Renaming is atomic, needs no record that processes share, and leaves the bytes for a closer look.
"""

from enact_assets.engine.errors import LakeError
from enact_assets.engine.system.places import Entry, Place

MARK = ".damaged-"


def aside_name(entry: Entry) -> str:
    """What a file is called when it is set aside: another file of the same name differs."""
    return f"{entry.name}{MARK}{entry.mark:x}"


def name_before(name: str) -> str | None:
    """What the file ``name`` was called before it was set aside; None if it was not."""
    before, found, _ = name.rpartition(MARK)
    return before if found else None


def aside_problem(name: str) -> str:
    """Why a partition must be made again whose file is called ``name`` now."""
    return f"its file was damaged, and set aside as {name}"


def set_aside(place: Place, entry: Entry) -> str | None:
    """Rename a damaged file unless another one has replaced it; returns where it is now.

    None if another file is there. Several processes may set the same file aside at once. Errors:
    :class:`LakeError` if the file cannot be renamed, as on a disk that is read-only.
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
    """Name of a file that was set aside and that was called ``name``; None if there is none."""
    folder, _, short = name.rpartition("/")
    found = [n for n in place.names(folder) if name_before(n) == short]
    return f"{folder}/{min(found)}".lstrip("/") if found else None
