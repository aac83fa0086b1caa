"""The files of one table: files with a valid catalogue entry, and files that must be read."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from enact_assets.engine.fingerprints import version_number
from enact_assets.engine.lake.catalogue import Catalogue
from enact_assets.engine.lake.catalogue_rows import CataloguedFiles, numbers, texts
from enact_assets.engine.lake.file_records import NO_HEADS, FileRecord, Heads
from enact_assets.engine.lake.folder_looks import Seen
from enact_assets.engine.lake.lake import SUFFIX, file_name, values_of
from enact_assets.engine.lake.record_reader import read_records
from enact_assets.engine.lake.set_aside import aside_problem, name_before
from enact_assets.engine.lake.settling import settled_before
from enact_assets.engine.provenance import Provenance
from enact_assets.engine.system.many_files import File, Workers
from enact_assets.engine.system.places import Entry, Place
from enact_assets.engine.tables import Table

FEW = 50
"""From the 50th request on, the provenance of all files of a table is read in one query."""


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
