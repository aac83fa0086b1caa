"""Reads every byte of the lake and of the pictures, and sets aside the files that this or a step
found damaged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from enact_assets.engine.errors import DamagedFile, DamagedFileError, LakeError
from enact_assets.engine.lake.file_errors import VERIFY
from enact_assets.engine.lake.file_verification import Fault, Refused, Verified, verify_files
from enact_assets.engine.lake.image_store import ImageStore, checked_png, not_read
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.lake.parquet_files import SEAL_BYTES
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.engine.system.many_files import File, Work, Workers
from enact_assets.engine.system.places import Place
from enact_assets.engine.tables import TABLES

PAID = frozenset({"predictions"})
"""Tables whose rows may have cost money: a damaged file of theirs is never removed."""
ANSWERS = "Its answers may have cost money, so `enact-assets gc` keeps it. Delete it by hand."
MAX_NAMED = 5
PICTURES = "pictures"
AT_ONCE = 100
"""Number of pictures requested together from an object store."""


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


@dataclass(frozen=True)
class Damage:
    """A damaged file: what is wrong with it, where it is now, or why it could not be set aside."""

    file: DamagedFile
    aside: str | None = None
    refusal: str | None = None


@dataclass
class Inspection:
    """Result of an inspection: what was read, and what is wrong.

    ``misfits`` are messages about intact files that are not the partitions they are named after,
    ``unreadable`` messages about files that the system refuses to read.
    """

    n_files: int = 0
    n_pictures: int = 0
    n_bytes: int = 0
    damaged: list[Damage] = field(default_factory=list)
    misfits: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether all files could be read and none was damaged."""
        return not self.damaged and not self.unreadable


def inspect(lake: Lake, images: ImageStore, on_progress: OnProgress = unheard) -> Inspection:
    """Compare every file of ``lake`` with its seal and every picture with its hash.

    Damaged files are set aside. Other processes may write meanwhile; a file that was replaced or
    removed since it was listed does not count as damaged. Errors: :class:`LakeError` if files
    cannot be listed, or a server does not answer.
    """
    listed = {name: sorted(lake.entries(name)) for name in TABLES}
    pictures = [((sha,), entry) for sha, entry in images.entries()]
    sizes = [entry.size for _, entry in chain(*listed.values(), pictures)]
    found = Inspection(len(sizes) - len(pictures), len(pictures), sum(sizes))
    n_done = 0

    def look(
        place: Place, work: Work[Verified | Refused], name: str, files: Sequence[File]
    ) -> Iterator[Refused]:
        nonlocal n_done

        def count(n_more: int) -> None:
            nonlocal n_done
            n_done += n_more
            on_progress(Progress(n_done, len(sizes), "files", name))

        with Workers(place, len(files)) as workers:
            results = workers.run(work, name, files, count)
            yield from (result for result in results if isinstance(result, Refused))

    for name, files in listed.items():
        for refused in look(lake.place, verify_files, name, files):
            _note(found, refused, lake, images)
    for refused in look(images.place, verify_pictures, PICTURES, pictures):
        _note(found, refused, lake, images)
    return found


def verify_pictures(place: Place, _: str, files: Sequence[File]) -> list[Verified | Refused]:
    """Verify each picture, in order; the result says why one cannot be used. The values of a file
    are its hash.
    """
    found: list[Verified | Refused] = []
    for first in range(0, len(files), AT_ONCE):
        some = files[first : first + AT_ONCE]
        contents = place.tails([entry for _, entry in some], SEAL_BYTES)
        for ((sha,), entry), content in zip(some, contents, strict=True):
            found.append(_verified_picture(sha, place.where(entry.name), content))
    return found


def _verified_picture(sha: str, where: str, content: bytes | OSError) -> Verified | Refused:
    if isinstance(content, OSError):
        is_gone = isinstance(content, FileNotFoundError)
        reason = str(not_read(content, where))
        return Refused(Fault.GONE if is_gone else Fault.UNREADABLE, DamagedFile(reason))
    try:
        checked_png(content, sha, where)
    except DamagedFileError as error:
        return Refused(Fault.DAMAGED, error.files[0])
    return Verified(sha, 0, {})


def _note(found: Inspection, refused: Refused, lake: Lake, images: ImageStore) -> None:
    if refused.fault is Fault.DAMAGED:
        try:
            aside = set_file_aside(refused.file, lake, images)
        except LakeError as error:
            found.damaged.append(Damage(refused.file, refusal=str(error)))
        else:
            if aside is not None:  # None: it was replaced meanwhile
                found.damaged.append(Damage(refused.file, aside))
    elif refused.fault is Fault.MISFIT:
        found.misfits.append(refused.file.reason)
    elif refused.fault is Fault.UNREADABLE:
        found.unreadable.append(refused.file.reason)
