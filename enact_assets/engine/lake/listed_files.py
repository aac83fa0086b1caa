"""The files of one table: files with a valid catalogue entry, and files that must be read.

Not every folder is listed. Adding, renaming or removing a file changes its folder's time of change,
which no program can set. A folder that did not change since it was listed holds the same names.
Each of its files is still checked by name, since overwriting a file in place does not change the
folder.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.fingerprints import Numbers, version_number
from enact_assets.engine.lake.catalogue import Catalogue, CataloguedFiles, Look, numbers, texts
from enact_assets.engine.lake.file_metadata import NO_HEADS, FileRecord, Heads
from enact_assets.engine.lake.lake import SUFFIX, file_name, values_of
from enact_assets.engine.lake.parquet_files import read_records
from enact_assets.engine.lake.set_aside import aside_problem, name_before
from enact_assets.engine.lake.settling import settled_before
from enact_assets.engine.provenance import Provenance
from enact_assets.engine.system.local_places import Folder, LocalPlace
from enact_assets.engine.system.many_files import File, Workers
from enact_assets.engine.system.places import Entry, Place
from enact_assets.engine.tables import Table

FEW = 50
"""From the 50th request on, the provenance of all files of a table is read in one query."""
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


class TableFiles:
    """The current files of a table, and their metadata: ``found`` has one entry for each.

    Partitions whose file was set aside are included, as files with a problem.
    """

    def __init__(
        self,
        contract: type[Table],
        place: Place,
        known: CataloguedFiles,
        seen: Seen,
        catalogue: Catalogue,
    ) -> None:
        self.contract, self.seen = contract, seen
        self._place, self._catalogue = place, catalogue
        self._n_asked = 0
        self._said: Mapping[str, str | None] = {}
        self._listed_ns = time.time_ns()
        self._read: dict[str, FileRecord] = {}
        self.new: list[File] = []
        self._aside: dict[str, FileRecord] = {}
        for entry in seen.others:
            values = values_of(contract, entry.name)
            if values is not None:
                self.new.append((values, entry))
            elif (before := name_before(entry.name)) is not None:
                self._look_aside(before, entry)
        self.found = known if seen.is_same.all() else known.at(np.flatnonzero(seen.is_same))
        new = {"|".join(values) for values, _ in self.new}
        others = map(known.partition.__getitem__, np.flatnonzero(~seen.is_same).tolist())
        self.gone = [key for key in others if key not in new]

    def _look_aside(self, before: str, entry: Entry) -> None:
        values = values_of(self.contract, before)
        if values is not None:
            problem = aside_problem(entry.name)
            record = FileRecord(None, None, problem, entry.size, entry.mtime_ns)
            self._aside["|".join(values)] = record

    def read(self, workers: Workers, on_progress: Callable[[int], None]) -> None:
        """Read the new files, and add them to the catalogue."""
        records = workers.run(read_records, self.contract.table_name(), self.new, on_progress)
        pairs = list(zip(self.new, records, strict=True))
        read = [("|".join(v), entry, record) for (v, entry), record in pairs if record is not None]
        self._read = {key: record for key, _, record in read}
        there = self._read.keys() | set(self.found.partition) if self._aside else ()
        self._read |= {key: of for key, of in self._aside.items() if key not in there}
        if self._read:
            self.found = _joined(self.found, self._read)
        # A file that changed very recently may change again without a new time of change.
        settled = settled_before(self._listed_ns, [self.seen.newest_ns])
        self._catalogue.note(self.contract, [of for of in read if of[1].mtime_ns < settled])
        self._catalogue.forget(self.contract, self.gone)

    def differing(self, entries: Sequence[Entry]) -> list[Entry]:
        """Files whose catalogue entry differs from their footer; every footer is read.

        ``entries`` are the files as listed. To be called before :meth:`read`.
        """
        of = dict(zip(self._keys(entries), entries, strict=True))
        known = [(self._values(k), of[key]) for k, key in enumerate(self.found.partition)]
        records = [
            record or FileRecord(None, None, "gone", 0, 0)
            for record in read_records(self._place, self.contract.table_name(), known)
        ]
        is_other = np.zeros(len(known), np.bool_)
        for found, said in zip(self.found[4:], _said(records)[3:], strict=True):
            is_other |= found != said
        made_from, pictures = self._catalogue.provenances(self.contract), self.pictures()
        for k, record in enumerate(records):
            key = self.found.partition[k]
            is_other[k] |= made_from.get(key) != record.made_from
            if record.images is not None:
                is_other[k] |= not np.array_equal(pictures.get(key, NO_HEADS), record.images)
        return [known[k][1] for k in np.flatnonzero(is_other).tolist()]

    def _keys(self, entries: Iterable[Entry]) -> list[str]:
        """Keys of the partitions of these files; empty for a table without dimensions."""
        first, last = len(self.contract.table_name()) + 1, -len(SUFFIX)
        if not self.contract.by:
            return ["" for _ in entries]
        return [entry.name[first:last].replace("/", "|") for entry in entries]

    def provenance(self, number: int) -> Provenance | None:
        """Provenance of a file, by its index in ``found``; None if the file has none."""
        partition = self.found.partition[number]
        if partition in self._read:
            return self._read[partition].provenance
        self._n_asked += 1
        if self._n_asked == FEW:
            self._said = self._catalogue.provenances(self.contract)
        text = self._said.get(partition) or self._catalogue.made_from(self.contract, partition)
        return self._decoded(number, text)

    def _decoded(self, number: int, text: str | None) -> Provenance | None:
        """Provenance from the catalogue, else from the footer: the row may be damaged or
        removed.
        """
        code, made_of = int(self.found.code[number]), int(self.found.made_of[number])
        made = None if text is None else Provenance.decoded(text)
        if made is None and not code:
            return None
        if made is not None and (version_number(made.code_version), made.inputs_number) == (
            code,
            made_of,
        ):
            return made
        values = self._values(number)
        name = file_name(self.contract, dict(zip(self.contract.by, values, strict=True)))
        entry = self._place.entry(name)
        if entry is None:
            return made
        (record,) = read_records(self._place, self.contract.table_name(), [(values, entry)])
        return None if record is None else record.provenance

    def _values(self, number: int) -> tuple[str, ...]:
        key = self.found.partition[number]
        return tuple(key.split("|")) if key else ()

    def records(self) -> Iterator[tuple[tuple[str, ...], FileRecord]]:
        """Values of each partition, and the record of its file, sorted."""
        self._said, pictures = self._catalogue.provenances(self.contract), self.pictures()
        found = self.found
        for number in sorted(range(len(found.partition)), key=found.partition.__getitem__):
            key = found.partition[number]
            record = self._read.get(key)
            if record is None:
                made = self._decoded(number, self._said.get(key))
                record = FileRecord(
                    found.version[number] or None,
                    None if made is None else made.encoded(),
                    found.problem[number],
                    int(found.size[number]),
                    int(found.mtime_ns.view(np.int64)[number]),
                    pictures.get(key),
                )
            yield self._values(number), record

    def pictures(self) -> Mapping[str, Heads]:
        """Partition's key -> the pictures that its file names; empty for tables without
        pictures.
        """
        if self.contract.image_column is None:
            return {}
        there = set(self.found.partition)
        known = self._catalogue.pictures(self.contract)
        found = {key: of for key, of in known.items() if key in there}
        return found | {k: r.images for k, r in self._read.items() if r.images is not None}


def _said(records: Sequence[FileRecord]) -> list[Any]:
    """Columns of :class:`CataloguedFiles`, without partition and the columns of a listing."""
    made = [record.provenance for record in records]
    return [
        numbers([record.size for record in records]),
        numbers([record.mtime_ns for record in records]),
        numbers([0] * len(records)),
        texts([record.content_sha or "" for record in records]),
        numbers([0 if of is None else version_number(of.code_version) for of in made]),
        numbers([0 if of is None else of.inputs_number for of in made]),
        texts([record.problem for record in records]),
        numbers([version_number(record.content_sha or "") for record in records]),
    ]


def _joined(found: CataloguedFiles, read: Mapping[str, FileRecord]) -> CataloguedFiles:
    more = _said(list(read.values()))
    columns: list[Any] = [np.concatenate(pair) for pair in zip(found[1:], more, strict=True)]
    return CataloguedFiles([*found.partition, *read], *columns)
