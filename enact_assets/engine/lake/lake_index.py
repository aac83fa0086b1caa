"""Records of every file of the lake, without opening files that did not change.

Each file carries its content hash and its provenance in its footer. To ask half a million of them
takes half a minute; a cache remembers the answers by name, size, time of change and inode, as
git's index does, so that a scan has to list the files only. The cache decides nothing: without it,
or with a damaged one, the answers are the same and take longer.
"""

import time
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from enact_assets.engine.lake.file_records import FileRecord
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.index_cache import IndexCache
from enact_assets.engine.lake.lake import SUFFIX, Lake, values_of
from enact_assets.engine.lake.record_reader import read_records
from enact_assets.engine.lake.set_aside import aside_problem, name_before
from enact_assets.engine.tables import TABLES, Table, table
from enact_assets.system.collector import without_collector
from enact_assets.system.many_files import File, Workers
from enact_assets.system.places import Entry

Scan = dict[str, dict[tuple[str, ...], FileRecord]]
"""Table -> values of a partition in the order of its contract -> what its file says."""

NOT_SETTLED_NS = 2_000_000_000
"""A file may be written again within one tick of its file system's clock, which at worst takes two
seconds, and look the same: what was seen that soon is not believed later."""
GREATEST_SKEW_NS = 3_600_000_000_000
"""How far the clock of a file server may be behind this machine's."""
LISTING_SHARE = 0.3
REMEMBER_FROM = 1 / 50
"""What a cache is written for: this share of its files read again. Below that, reading them once
more takes less time than writing the whole table's cache."""

PENDING = FileRecord(None, None, "not read yet", 0, 0)

_Key = TypeVar("_Key", bound=Hashable)


class LakeIndex:
    """Scans of ``lake``, remembered in the folder ``cache`` of this machine.

    Any number of processes may scan at the same time. The cache is never waited for; what one of
    them writes, another may replace, and nothing but time is lost.
    """

    def __init__(self, lake: Lake, cache: Path) -> None:
        self._lake = lake
        self._cache = IndexCache(cache, lake.place.address)

    def scan(
        self,
        tables: Collection[str] | None = None,
        on_progress: Callable[[float], None] | None = None,
    ) -> Scan:
        """What the files of ``tables`` (None: of all) say; tables not asked for are empty.

        A file that is damaged, or not the partition its name says, has a ``problem`` in words, and
        so has a partition whose file was set aside. One that vanishes meanwhile is left out.
        ``on_progress`` is given the share done, 0 to 1.
        """
        with without_collector():
            return self._scan(tables, on_progress or (lambda _: None))

    def _scan(self, tables: Collection[str] | None, on_progress: Callable[[float], None]) -> Scan:
        wanted = [name for name in TABLES if tables is None or name in tables]
        listings = []
        for n_done, name in enumerate(wanted, start=1):
            listings.append(_Listing(table(name), self._lake, self._cache))
            on_progress(LISTING_SHARE * n_done / len(wanted))
        n_new = sum(len(listing.new) for listing in listings)
        n_read = 0

        def read(n_more: int) -> None:
            nonlocal n_read
            n_read += n_more
            on_progress(LISTING_SHARE + (1 - LISTING_SHARE) * n_read / n_new)

        found: Scan = {name: {} for name in TABLES}
        with Workers(self._lake.place, n_new) as workers:
            for listing in listings:
                listing.read(workers, read)
                listing.remember(self._cache)
                found[listing.contract.table_name()] = listing.found
                for values, record in listing.aside.items():
                    listing.found.setdefault(values, record)
        on_progress(1.0)
        return found

    def missing_images(
        self, records: Mapping[_Key, FileRecord], images: ImageStore
    ) -> dict[_Key, int]:
        """How many pictures that a partition names are not stored, for those that lack some.

        ``records`` are partitions of ``frame_images``. The store is listed once. Pictures are told
        apart by the first 64 bits of their hash: that one of a million absent ones is taken for
        another that is there happens by chance once in ten million such lakes.
        """
        named = {key: r.images for key, r in records.items() if r.images is not None}
        if not named:
            return {}
        stored = images.stored_heads()
        counts = np.array([len(of) for of in named.values()])
        # Whatever is between two partitions belongs to the one before: those without pictures go.
        keys = [key for key, n in zip(named, counts, strict=True) if n]
        if not keys:
            return {}
        is_gone = ~np.isin(np.concatenate(list(named.values())), stored)
        starts = np.concatenate([[0], np.cumsum(counts[counts > 0])[:-1]])
        n_gone = np.add.reduceat(is_gone.astype(np.int64), starts)
        return {key: int(n) for key, n in zip(keys, n_gone, strict=True) if n}


def settled_before(listed_ns: int, entries: Sequence[Entry]) -> int:
    """Files that changed before this time are what they look like, of ``entries`` listed then."""
    settled = listed_ns - NOT_SETTLED_NS
    newest = max((entry.mtime_ns for entry in entries), default=0)
    if newest > settled - GREATEST_SKEW_NS:
        # Perhaps written this moment, by a file server whose clock is behind.
        settled = min(settled, newest - NOT_SETTLED_NS)
    return settled


class _Listing:
    """The files of one table: those that are known, and those that must be read."""

    def __init__(self, contract: type[Table], lake: Lake, cache: IndexCache) -> None:
        self.contract = contract
        self.found: dict[tuple[str, ...], FileRecord] = {}
        self.aside: dict[tuple[str, ...], FileRecord] = {}
        self.new: list[File] = []
        self._entries: list[Entry] = []
        self._listed_ns = time.time_ns()
        known = cache.read(contract)
        self._n_known = len(known)
        n_before, n_after = len(contract.table_name()) + 1, len(SUFFIX)
        dimensions = contract.by
        for entry in lake.files(contract.table_name()):
            record = known.get(entry)
            if record is not None:
                # The file of a table without partitions has no values in its name.
                values = tuple(entry.name[n_before:-n_after].split("/")) if dimensions else ()
            else:
                named = values_of(contract, entry.name)
                if named is None:
                    self._look_aside(entry)
                    continue
                values, record = named, PENDING  # keeps its place among the others
                self.new.append((values, entry))
            self.found[values] = record
            self._entries.append(entry)

    def _look_aside(self, entry: Entry) -> None:
        before = name_before(entry.name)
        values = None if before is None else values_of(self.contract, before)
        if values is not None:
            problem = aside_problem(entry.name)
            self.aside[values] = FileRecord(None, None, problem, entry.size, entry.mtime_ns)

    def read(self, workers: Workers, on_progress: Callable[[int], None]) -> None:
        """Read what is new."""
        is_any_gone = False
        records = workers.run(read_records, self.contract.table_name(), self.new, on_progress)
        for (values, _), record in zip(self.new, records, strict=True):
            if record is not None:
                self.found[values] = record
            else:
                is_any_gone = True
        if is_any_gone:
            kept = zip(self.found.items(), self._entries, strict=True)
            left = [(item, entry) for item, entry in kept if item[1] is not PENDING]
            self.found = dict([item for item, _ in left])
            self._entries = [entry for _, entry in left]

    def remember(self, cache: IndexCache) -> None:
        """Write the cache of this table if that saves more time than it takes."""
        n_gone = self._n_known + len(self.new) - len(self._entries)
        if len(self.new) + n_gone <= REMEMBER_FROM * len(self._entries):
            return
        settled = settled_before(self._listed_ns, self._entries)
        kept = [
            (entry, record)
            for entry, record in zip(self._entries, self.found.values(), strict=True)
            if entry.mtime_ns < settled
        ]
        new = {entry for _, entry in self.new}
        n_more = sum(entry in new for entry, _ in kept)
        if n_more + n_gone > REMEMBER_FROM * len(self._entries):
            cache.write(self.contract, kept)
