"""Metadata of every file of the lake, without opening files that did not change.

Each file carries its content hash and its provenance in its footer. To read half a million footers
takes a minute. The catalogue (engine/lake/catalogue.py) caches them, so a scan only has to list the
files. Files that were damaged, deleted or copied in are noticed.
"""

import time
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from enact_assets.engine.lake.catalogue import Catalogue
from enact_assets.engine.lake.file_metadata import FileRecord, Heads
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.lake.listed_files import (
    TableFiles,
    looks_to_note,
    seen_in_folders,
    seen_in_listing,
)
from enact_assets.engine.system.collector import without_collector
from enact_assets.engine.system.local_places import LocalPlace
from enact_assets.engine.system.many_files import Workers
from enact_assets.engine.system.places import Entry
from enact_assets.engine.tables import TABLES, table

Scan = dict[str, dict[tuple[str, ...], FileRecord]]
"""Table -> values of a partition in the order of its contract -> record of its file."""

LISTING_SHARE = 0.3

_Key = TypeVar("_Key", bound=Hashable)


class LakeIndex:
    """Scans of ``lake``, with the SQLite file ``catalogue`` of this machine.

    Any number of processes may scan at the same time. None of them waits long for the catalogue. If
    one process replaces the rows of another, only time is lost.
    """

    def __init__(self, lake: Lake, catalogue: Path) -> None:
        self._lake = lake
        self.catalogue = Catalogue(catalogue, lake.place.address)

    def scan(self, tables: Collection[str] | None = None) -> Scan:
        """Records of the files of ``tables`` (None: of all tables); other tables are empty.

        The record of a damaged file, of a file that is not the partition it is named after, and of
        a partition whose file was set aside has a ``problem``. A file that vanishes meanwhile is
        left out.
        """
        with without_collector():
            found = self.files(tables)
            return {name: dict(found[name].records()) if name in found else {} for name in TABLES}

    def files(
        self,
        tables: Collection[str] | None = None,
        on_progress: Callable[[float], None] | None = None,
    ) -> dict[str, TableFiles]:
        """As :meth:`scan`, in columns, for uses that compare all files.

        ``on_progress`` is given the share done, 0 to 1.
        """
        report_share = on_progress or (lambda _share: None)
        wanted = [name for name in TABLES if tables is None or name in tables]
        found: dict[str, TableFiles] = {}
        now_ns = time.time_ns()
        with self.catalogue.held():
            for name, files in self._looked_at(wanted):
                found[name] = files
                report_share(LISTING_SHARE * len(found) / len(wanted))
        n_new = sum(len(files.new) for files in found.values())
        n_read = 0

        def read(n_more: int) -> None:
            nonlocal n_read
            n_read += n_more
            report_share(LISTING_SHARE + (1 - LISTING_SHARE) * n_read / n_new)

        with Workers(self._lake.place, n_new) as workers:
            for files in found.values():
                files.read(workers, read)
        noted = looks_to_note({name: files.seen for name, files in found.items()}, now_ns)
        for name, looks in noted.items():
            self.catalogue.note_looks(table(name), looks)
        report_share(1.0)
        return found

    def _looked_at(self, wanted: Sequence[str]) -> Iterator[tuple[str, TableFiles]]:
        place, catalogue = self._lake.place, self.catalogue
        if not isinstance(place, LocalPlace):
            for name, entries in self._lake.listings(wanted):
                yield name, self._listed(name, list(entries))
            return
        for name in wanted:
            contract = table(name)
            if not contract.by:
                yield name, self._listed(name, list(self._lake.files(name)))
                continue
            known = catalogue.files(contract)
            seen = seen_in_folders(contract, place, known, catalogue.looks(contract))
            yield name, TableFiles(contract, place, known, seen, catalogue)

    def _listed(self, name: str, entries: Sequence[Entry]) -> TableFiles:
        known = self.catalogue.files(table(name))
        seen = seen_in_listing(table(name), entries, known)
        return TableFiles(table(name), self._lake.place, known, seen, self.catalogue)

    def check(self, on_progress: Callable[[float], None] = lambda _share: None) -> "Checked":
        """Compare every catalogued file with its footer; nothing is changed."""
        n_files = n_known = n_gone = 0
        differing: list[str] = []
        for n_done, (name, listed) in enumerate(self._lake.listings(list(TABLES)), start=1):
            entries = list(listed)
            files = self._listed(name, entries)
            others = files.differing(entries)
            differing += [self._lake.place.where(entry.name) for entry in others]
            n_known += len(files.found.partition)
            n_files += len(files.found.partition) + len(files.new)
            n_gone += len(files.gone)
            on_progress(n_done / len(TABLES))
        return Checked(n_files, n_known, n_gone, tuple(differing))


class Checked(NamedTuple):
    """Number of files, number of files whose catalogue entry matches the listing, number of
    catalogued files that are gone, and paths of files whose entry differs from their footer.
    """

    n_files: int
    n_known: int
    n_gone: int
    differing: tuple[str, ...]


def missing_images(named: Mapping[_Key, Heads], stored: Heads) -> dict[_Key, int]:
    """How many pictures that a partition names are not ``stored``, for those that lack some.

    Pictures are identified by the first 64 bits of their hash. That one of a million missing
    pictures is mistaken for a stored one happens in one of ten million such lakes.
    """
    counts = np.array([len(of) for of in named.values()])
    # reduceat adds up from one start to the next, so partitions without pictures are left out.
    keys = [key for key, n in zip(named, counts, strict=True) if n]
    if not keys:
        return {}
    is_gone = ~np.isin(np.concatenate(list(named.values())), stored)
    starts = np.concatenate([[0], np.cumsum(counts[counts > 0])[:-1]])
    n_gone = np.add.reduceat(is_gone.astype(np.int64), starts)
    return {key: int(n) for key, n in zip(keys, n_gone, strict=True) if n}
