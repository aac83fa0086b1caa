"""Sets aside the files that a step or `enact-assets verify` found damaged."""

from enact_assets.engine.errors import DamagedFile, DamagedFileError, LakeError
from enact_assets.engine.lake.file_errors import VERIFY
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake

PAID = frozenset({"predictions"})
"""Tables whose rows may have cost money: a damaged file of theirs is never removed."""
ANSWERS = "Its answers may have cost money, so `enact-assets gc` keeps it. Delete it by hand."
MAX_NAMED = 5


def set_file_aside(file: DamagedFile, lake: Lake, images: ImageStore) -> str | None:
    """Set a file aside if it is damaged; returns its new path or URL, None if it is not damaged.

    Errors: :class:`LakeError` if it is damaged and cannot be renamed.
    """
    if file.picture:
        return images.set_aside(file.picture)
    return lake.set_aside(file.table, file.partition)


def heal(error: DamagedFileError, lake: Lake, images: ImageStore) -> DamagedFileError:
    """Set the damaged files of ``error`` aside; returns an error that lists their new paths.

    Files that are intact but unusable are not renamed, nor are files that cannot be renamed.
    """
    aside, refused = [], []
    for file in error.files:
        try:
            where = set_file_aside(file, lake, images)
        except LakeError as why:
            refused.append(str(why))
            continue
        if where is not None:
            aside.append(f"{where}{f' ({ANSWERS})' if file.table in PAID else ''}")
    if not aside and not refused:
        return error
    lines = [str(error).removesuffix(VERIFY).rstrip()]
    if aside:
        n = "1 damaged file was" if len(aside) == 1 else f"{len(aside)} damaged files were"
        again = "its partition" if len(aside) == 1 else "their partitions"
        lines.append(
            f"{n} set aside; the next `enact-assets materialize` makes {again} again. Set aside:"
        )
        lines += [*aside[:MAX_NAMED], *_more(aside)]
    lines += [*refused[:MAX_NAMED], *_more(refused)]
    return DamagedFileError("\n".join(lines), error.files)


def _more(lines: list[str]) -> list[str]:
    return [f"and {len(lines) - MAX_NAMED} more"] if len(lines) > MAX_NAMED else []
