"""Finds the files of a table that changed since they were catalogued, without listing every folder.

Adding, renaming or removing a file changes its folder's time of change, which no program can set. A
folder that did not change since it was listed holds the same names. Each of its files is still
checked by name, since overwriting a file in place does not change the folder.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.fingerprints import Numbers
from enact_assets.engine.lake.catalogue import Look
from enact_assets.engine.lake.catalogue_rows import CataloguedFiles, numbers
from enact_assets.engine.lake.lake import SUFFIX, values_of
from enact_assets.engine.lake.settling import settled_before
from enact_assets.engine.system.local_places import Folder, LocalPlace
from enact_assets.engine.system.places import Entry
from enact_assets.engine.tables import Table

UNKNOWN_NS = 0
"""Time of change that means: list the folder the next time."""


class Seen(NamedTuple):
    """The current files of a table; ``is_same`` marks catalogued files that did not change.

    ``others`` are all other files, ``newest_ns`` is the latest time of change of all, ``looks`` are
    the current states of all folders of the table, ``former`` the states noted before.
    """

    is_same: NDArray[np.bool_]
    others: list[Entry]
    newest_ns: int
    looks: Sequence[Look] = ()
    former: Sequence[Look] = ()


def seen_in_listing(
    contract: type[Table], entries: Sequence[Entry], known: CataloguedFiles
) -> Seen:
    """Compare a listing of all files of a table with the catalogue."""
    number_of = {name: k for k, name in enumerate(_names(contract, known))}
    is_same, others = _compared(entries, number_of, known)
    return Seen(is_same, others, max((entry.mtime_ns for entry in entries), default=0))


def seen_in_folders(
    contract: type[Table],
    place: LocalPlace,
    known: CataloguedFiles,
    looks: Sequence[Look],
) -> Seen:
    """Check every catalogued file, and list the folders that changed since ``looks``.

    Errors: :class:`LakeError` if a folder cannot be listed.
    """
    visitor = _FolderVisitor(contract, place, _names(contract, known), looks)
    visitor.visit(contract.table_name())
    unlisted = np.array(visitor.unlisted, np.int64)
    changed = list(place.changed(_entries(visitor, known.at(unlisted))))
    # A file that vanished: a broken link, or a file that is being removed right now.
    lost = {_folder(visitor.names[visitor.unlisted[k]]) for k, is_there in changed if not is_there}
    for folder in sorted(lost):
        visitor.relist(folder)
    is_same, others = _compared(visitor.entries, visitor.number_of_listed(), known)
    is_unlisted = np.ones(len(unlisted), np.bool_)
    if lost:
        is_unlisted[:] = [_folder(visitor.names[k]) not in lost for k in visitor.unlisted]
    is_same[unlisted[is_unlisted]] = True
    for k, is_there in changed:
        number = visitor.unlisted[k]
        if is_there and is_unlisted[k]:
            is_same[number] = False
            entry = place.entry(visitor.names[number])
            others += [] if entry is None else [entry]
    times = [int(known.mtime_ns[is_same].view(np.int64).max(initial=0))]
    newest_ns = max(times + [entry.mtime_ns for entry in others])
    return Seen(is_same, others, newest_ns, list(visitor.found.values()), looks)


def looks_to_note(all_seen: Mapping[str, Seen], now_ns: int) -> dict[str, list[Look]]:
    """Table -> states of its folders to note, for tables where they changed.

    ``now_ns`` is the time before the first folder was read. A folder that may still change without
    a new time of change is marked to be listed the next time. The times of all folders of all
    tables show how far the clock of the file system has advanced.
    """
    times = (look.changed_ns for seen in all_seen.values() for look in seen.looks)
    settled = settled_before(now_ns, times)
    found: dict[str, list[Look]] = {}
    for name, seen in all_seen.items():
        if seen.looks == seen.former:
            continue
        former = set(seen.former)
        found[name] = [
            look
            if look.changed_ns < settled or look in former
            else look._replace(changed_ns=UNKNOWN_NS)
            for look in seen.looks
        ]
        if found[name] == seen.former:
            del found[name]
    return found


class _FolderVisitor:
    """Visits the folders of a table and lists those that changed."""

    def __init__(
        self, contract: type[Table], place: LocalPlace, names: list[str], looks: Iterable[Look]
    ) -> None:
        self._contract, self._place, self.names = contract, place, names
        self._was = {look.folder: look for look in looks}
        self._within: dict[str, list[str]] = {}
        for folder in self._was:
            self._within.setdefault(_folder(folder), []).append(folder)
        self._rows: dict[str, list[int]] = {}
        for k, name in enumerate(names):
            self._rows.setdefault(_folder(name), []).append(k)
        self.found: dict[str, Look] = {}
        self._listed: list[str] = []
        self.unlisted: list[int] = []
        self.entries: list[Entry] = []

    def visit(self, folder: str) -> None:
        """Visit ``folder`` and the folders below it."""
        now, was = self._place.folder(folder), self._was.get(folder)
        rows = self._rows.get(folder, ())
        if now is None:
            self.found[folder] = Look(folder, UNKNOWN_NS, 0, 0)
        elif was is not None and was[1:] == (*now, len(rows)):
            self.found[folder] = was
            self.unlisted += rows
            for child in self._within.get(folder, ()):
                self.visit(child)
        else:
            for child in self._list(folder, now):
                self.visit(f"{folder}/{child}")

    def relist(self, folder: str) -> None:
        """List the files of ``folder`` after one of its files was not found."""
        self._list(folder, Folder(UNKNOWN_NS, 0))

    def _list(self, folder: str, now: Folder) -> list[str]:
        files, folders, has_others = self._place.listed(folder)
        # The catalogue has no damaged files that were set aside, and no foreign files.
        is_known = all(values_of(self._contract, entry.name) is not None for entry in files)
        changed_ns = now.changed_ns if is_known and not has_others else UNKNOWN_NS
        self.found[folder] = Look(folder, changed_ns, now.mark, len(files))
        self._listed.append(folder)
        self.entries += files
        return folders

    def number_of_listed(self) -> dict[str, int]:
        """Name of each catalogued file in the listed folders -> its number."""
        return {self.names[k]: k for folder in self._listed for k in self._rows.get(folder, ())}


def _compared(
    entries: Sequence[Entry], number_of: Mapping[str, int], known: CataloguedFiles
) -> tuple[NDArray[np.bool_], list[Entry]]:
    """Which catalogued files are unchanged in ``entries``, and all other entries."""
    is_same = np.zeros(len(known.partition), np.bool_)
    number = np.array([number_of.get(entry.name, -1) for entry in entries], np.int64)
    is_ours = number >= 0
    _, *stat = zip(*entries, strict=True) if entries else ((), (), (), ())
    for now, was in zip(stat, known[1:4], strict=True):
        was_then: Numbers = np.append(was, np.uint64(0))  # for files that are not in the catalogue
        is_ours &= numbers(now) == was_then[number]
    is_same[number[is_ours]] = True
    return is_same, [entries[k] for k in np.flatnonzero(~is_ours).tolist()]


def _entries(
    visitor: _FolderVisitor, known: CataloguedFiles
) -> Iterator[tuple[str, int, int, int]]:
    """Catalogued files as a listing would show them."""
    names = map(visitor.names.__getitem__, visitor.unlisted)
    mtime_ns = known.mtime_ns.view(np.int64)
    return zip(names, known.size.tolist(), mtime_ns.tolist(), known.mark.tolist(), strict=True)


def _names(contract: type[Table], known: CataloguedFiles) -> list[str]:
    """Names of the catalogued files."""
    table = contract.table_name()
    if not contract.by:
        return [table + SUFFIX for _ in known.partition]
    return [f"{table}/{key.replace('|', '/')}{SUFFIX}" for key in known.partition]


def _folder(name: str) -> str:
    return name.rpartition("/")[0]
