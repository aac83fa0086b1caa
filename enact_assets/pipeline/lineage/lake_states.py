"""States of a data root, read from its lake: of all tables, of one table, or of single
partitions.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from enact_assets.engine.errors import DamagedFileError, MissingPartitionError, UnreadableFileError
from enact_assets.engine.graph import Follow, Names
from enact_assets.engine.grids import Grid, Partition
from enact_assets.engine.lake.catalogue import texts
from enact_assets.engine.lake.file_metadata import NO_HEADS
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.lake.lake_index import LakeIndex, missing_images
from enact_assets.engine.lake.listed_files import TableFiles
from enact_assets.engine.lake.set_aside import aside_problem
from enact_assets.engine.planning.state_columns import (
    StateColumns,
    StatesInColumns,
    set_in_columns,
)
from enact_assets.engine.planning.states import State, States, with_settings_and_files
from enact_assets.engine.publishing.warehouse_seal import why_altered
from enact_assets.engine.system.collector import without_collector
from enact_assets.pipeline.lineage.graph import (
    EXTERNAL,
    GIVEN,
    LANDED_OF,
    ROOTS,
    WAREHOUSE,
    WHOLE,
    dimensions,
)
from enact_assets.pipeline.lineage.versions import NOTHING, Arrived, root_version
from enact_assets.results.published import published_provenance
from enact_assets.results.report_files import report_provenance
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import Registry

Landed = Callable[[str, Partition], State | None]


class FileStates(StatesInColumns):
    """States of the existing partitions of ``grid``, also in columns.

    Provenance is read on request, as a fingerprint is enough for nearly all partitions. ``n_gone``
    maps keys of partitions -> number of their missing pictures. States can be set.
    """

    def __init__(self, grid: Grid, files: TableFiles, n_gone: Mapping[str, int]) -> None:
        self._grid, self._files, self._n_gone = grid, files, n_gone
        self._set: dict[Partition, State] = {}
        at = np.array([grid.positions.get(key, -1) for key in files.found.partition], np.int64)
        self._number = np.full(grid.size, -1, np.int64)
        self._number[at[at >= 0]] = np.flatnonzero(at >= 0)
        self._columns = self._in_columns()

    @property
    def columns(self) -> StateColumns:
        """The states as arrays."""
        return self._columns

    def _in_columns(self) -> StateColumns:
        found, number = self._files.found, self._number
        is_there = number >= 0
        number = number[is_there]
        version = texts([""] * self._grid.size)
        version[is_there] = found.version[number]
        code, made_of, versions = np.zeros((3, self._grid.size), np.uint64)
        code[is_there], made_of[is_there] = found.code[number], found.made_of[number]
        versions[is_there] = found.number[number]
        is_made = code != 0
        is_made[is_there] &= np.array([of is None for of in found.problem[number]], np.bool_)
        gone = [self._grid.positions.get(key) for key in self._n_gone]
        is_made[[position for position in gone if position is not None]] = False
        return StateColumns(is_there, is_made, versions, code, made_of, version)

    def __getitem__(self, partition: Partition) -> State:
        if partition in self._set:
            return self._set[partition]
        position = self._grid.position(partition)
        number = -1 if position is None else self._number[position]
        if number < 0:
            raise KeyError(partition)
        found, key = self._files.found, partition.key
        problem = found.problem[number]
        if problem is None and key in self._n_gone:
            problem = f"{self._n_gone[key]} of its pictures are gone"
        made, changed_ns = partial(self._files.provenance, int(number)), found.mtime_ns[number]
        return State(found.version[number], made, problem, int(changed_ns))

    def __setitem__(self, partition: Partition, state: State) -> None:
        self._set[partition] = state
        self._note(partition, state)

    def __delitem__(self, partition: Partition) -> None:
        if partition not in self:
            raise KeyError(partition)
        self._set.pop(partition, None)
        self._note(partition, None)

    def __iter__(self) -> Iterator[Partition]:
        return map(self._grid.partition, np.flatnonzero(self.columns.is_there).tolist())

    def __len__(self) -> int:
        return int(self.columns.is_there.sum())

    def _note(self, partition: Partition, state: State | None) -> None:
        position = self._grid.position(partition)
        if position is None:
            raise KeyError(partition)
        self._number[position] = -1
        set_in_columns(self.columns, position, state)


@dataclass(frozen=True)
class LakeStates:
    """The ``StateSource`` of a data root, under the settings in force."""

    root: DataRoot
    lake: Lake
    images: ImageStore
    arrived: Arrived
    registry: Registry

    @property
    def index(self) -> LakeIndex:
        """Index of the files of the lake, with its catalogue."""
        return LakeIndex(self.lake, self.root.catalogue)

    def external_version(
        self, asset: str, partition: Partition, landed: Landed | None = None
    ) -> str | None:
        """Version of one external input; None if there is no such input.

        ``landed`` returns the state of a partition of a table, if the caller knows it already.
        """
        if asset in LANDED_OF:
            return self._recorded_pictures(partition, landed or self.landed)
        if asset in GIVEN:
            demonstration, gating = partition
            return self.arrived.given(asset, demonstration, self.registry.gating(gating))
        if asset == "image_model":
            editing = self.registry.variant(partition[0]).editing
            return NOTHING if editing is None else self.arrived.image_model(editing)
        if asset == "occlusion_model":
            return self.arrived.occlusion_model(self.registry.world.filters.occlusion_model)
        return self.arrived.version(asset, partition)

    def current(
        self,
        names: Names,
        on_progress: Callable[[float], None] = lambda _share: None,
        assets: Collection[str] | None = None,
    ) -> States:
        """State of every current partition of ``assets`` and external inputs (None: of all);
        ``on_progress`` gets the share done. Files of removed names are skipped.
        """
        of: dict[str, MutableMapping[Partition, State]] = {}
        with without_collector():
            found = self.index.files(assets, on_progress)
            pictures = {name: files.pictures() for name, files in found.items()}
            stored = self.images.stored_heads() if any(pictures.values()) else NO_HEADS
            for table, files in found.items():
                n_gone = missing_images(pictures[table], stored)
                of[table] = FileStates(names.grid(table), files, n_gone)
        for whole in sorted(WHOLE if assets is None else WHOLE & set(assets)):
            state = self._whole(whole)
            of[whole] = {} if state is None else {Partition(): state}

        def landed(table: str, partition: Partition) -> State | None:
            return of[table].get(partition)

        external = [name for name in EXTERNAL if assets is None or name in assets]
        known = self._of_recordings(names, external, landed, on_progress)
        of |= with_settings_and_files(
            names,
            lambda root, partition: root_version(self.registry, root, partition),
            lambda asset, p: (
                known[asset, p] if (asset, p) in known else self.external_version(asset, p, landed)
            ),
            external,
        )
        self.arrived.contents.keep()
        return States(of)

    def landed(self, asset: str, partition: Partition) -> State | None:
        """State of one partition of a table, a whole or an external input; None if it does not
        exist.
        """
        if asset in EXTERNAL:
            version = self.external_version(asset, partition)
            self.arrived.contents.keep()
            return None if version is None else State(version)
        if asset in WHOLE:
            return self._whole(asset)
        where = partition.as_dict(dimensions(asset))
        try:
            metadata = self.lake.metadata(asset, where)
        except MissingPartitionError:
            aside = self.lake.where_aside(asset, where)
            return None if aside is None else State("", None, aside_problem(aside))
        except (DamagedFileError, UnreadableFileError) as error:
            return State("", None, str(error))
        return State(metadata.content_sha, metadata.provenance)

    def members(
        self, names: Names, follow: Follow, groups: tuple[Partition, ...]
    ) -> dict[Partition, State]:
        """States of the partitions of one input in ``groups``."""
        asset, of = follow.asset, dict[Partition, State]()
        if asset not in ROOTS and asset not in EXTERNAL and follow.is_rolled_up:
            at, wanted = follow.bound_positions, set(groups)
            (files,) = self.index.files([asset]).values()
            there = FileStates(names.grid(asset), files, {})
            return {p: there[p] for p in there if tuple([p[i] for i in at]) in wanted}
        for group in groups:
            if asset in ROOTS:
                of[group] = State(root_version(self.registry, asset, group))
            elif (state := self.landed(asset, group)) is not None:
                of[group] = state
        return of

    def _of_recordings(
        self,
        names: Names,
        external: Collection[str],
        landed: Landed,
        on_progress: Callable[[float], None],
    ) -> dict[tuple[str, Partition], str | None]:
        """Versions of recordings whose files need not be read. Files of the other recordings are
        read in threads, so that their versions are known afterwards.
        """
        contents, found = self.arrived.contents, dict[tuple[str, Partition], str | None]()
        contents.recall_all()
        with contents.gathering():
            for asset in sorted({"recording", *LANDED_OF} & set(external)):
                for partition in names.partitions(asset):
                    before = contents.n_wanted
                    version = self.external_version(asset, partition, landed)
                    if contents.n_wanted == before:
                        found[asset, partition] = version
        if contents.n_wanted:
            contents.read_wanted(on_progress)
        return found

    def _recorded_pictures(self, partition: Partition, landed: Landed) -> str | None:
        table = LANDED_OF["recorded_pictures"]

        def version() -> str | None:
            state = landed(table, partition)
            return None if state is None else state.version

        def frame_ids() -> list[int]:
            where = partition.as_dict(dimensions(table))
            return self.lake.read(table, where).get_column("frame_id").unique().sort().to_list()

        return self.arrived.recorded_pictures(partition, version, frame_ids)

    def _whole(self, asset: str) -> State | None:
        problem = None
        if asset == WAREHOUSE:
            problem = why_altered(self.root.warehouse)
            version, provenance = published_provenance(self.root.warehouse)
        else:
            version, provenance = report_provenance(self.root.report)
        return None if version is None else State(version, provenance, problem)
