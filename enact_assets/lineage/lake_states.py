"""States of a data root, read from its lake: all at once, or of single partitions."""

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass

from enact_assets.contracts.errors import (
    DamagedFileError,
    MissingPartitionError,
    UnreadableFileError,
)
from enact_assets.contracts.registry import Registry
from enact_assets.data_root.paths import DataRoot
from enact_assets.data_root.published import published_provenance
from enact_assets.data_root.report_files import report_provenance
from enact_assets.engine.graph import Follow, Names, Partition
from enact_assets.engine.lake.file_records import NO_HEADS
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.lake.lake_index import LakeIndex, missing_images
from enact_assets.engine.lake.set_aside import aside_problem
from enact_assets.engine.planning.states import State, States, with_settings_and_files
from enact_assets.engine.publishing.warehouse_seal import why_altered
from enact_assets.lineage.file_states import FileStates
from enact_assets.lineage.pipeline import (
    EXTERNAL,
    GIVEN,
    LANDED_OF,
    ROOTS,
    WAREHOUSE,
    WHOLE,
    dimensions,
)
from enact_assets.lineage.versions import NOTHING, Arrived, root_version
from enact_assets.system.collector import without_collector

Landed = Callable[[str, Partition], State | None]


@dataclass(frozen=True)
class LakeStates:
    """What there is in a data root, under the settings in force: a ``StateSource``."""

    root: DataRoot
    lake: Lake
    images: ImageStore
    arrived: Arrived
    registry: Registry

    @property
    def index(self) -> LakeIndex:
        """What the files of the lake say about themselves, catalogued."""
        return LakeIndex(self.lake, self.root.catalogue)

    def external_version(
        self, asset: str, partition: Partition, landed: Landed | None = None
    ) -> str | None:
        """Version of one external input; None if there is no such input.

        ``landed`` gives the state of a partition of a table, if it is known already.
        """
        if asset in LANDED_OF:
            return self._recorded_pictures(partition, landed or self.landed)
        if asset in GIVEN:
            demonstration, gating = partition
            return self.arrived.given(asset, demonstration, self.registry.gating(gating))
        if asset == "image_model":
            editing = self.registry.variant(partition[0]).editing
            return NOTHING if editing is None else self.arrived.image_model(editing)
        return self.arrived.version(asset, partition)

    def current(
        self, names: Names, on_progress: Callable[[float], None] = lambda _share: None
    ) -> States:
        """State of every current partition of every asset; ``on_progress`` gets the share
        done. Files of names that left are skipped.
        """
        of: dict[str, MutableMapping[Partition, State]] = {}
        with without_collector():
            found = self.index.files(on_progress=on_progress)
            pictures = {name: files.pictures() for name, files in found.items()}
            stored = self.images.stored_heads() if any(pictures.values()) else NO_HEADS
            for table, files in found.items():
                n_gone = missing_images(pictures[table], stored)
                of[table] = FileStates(names.grid(table), files, n_gone)
        for whole in sorted(WHOLE):
            state = self._whole(whole)
            of[whole] = {} if state is None else {(): state}

        def landed(table: str, partition: Partition) -> State | None:
            return of[table].get(partition)

        known = self._of_recordings(names, landed, on_progress)
        of |= with_settings_and_files(
            names,
            lambda root, partition: root_version(self.registry, root, partition),
            lambda asset, p: (
                known[asset, p] if (asset, p) in known else self.external_version(asset, p, landed)
            ),
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
        where = dict(zip(dimensions(asset), partition, strict=True))
        try:
            metadata = self.lake.metadata(asset, where)
        except MissingPartitionError:
            aside = self.lake.where_aside(asset, where)
            return None if aside is None else State("", None, aside_problem(aside))
        except (DamagedFileError, UnreadableFileError) as error:
            return State("", None, str(error))
        return State(metadata.content_sha, metadata.provenance)

    def members(self, names: Names, follow: Follow, partition: Partition) -> dict[Partition, State]:
        """States of the partitions of one input that belong to ``partition``."""
        asset, groups = follow.asset, follow.groups(partition)
        if asset in ROOTS or asset in EXTERNAL:
            if asset in ROOTS:
                of = {g: State(root_version(self.registry, asset, g)) for g in groups}
            else:
                versions = {g: self.external_version(asset, g) for g in groups}
                of = {g: State(version) for g, version in versions.items() if version is not None}
                self.arrived.contents.keep()
            return of
        if not follow.is_rolled_up:
            states = {group: self.landed(asset, group) for group in groups}
            return {group: state for group, state in states.items() if state is not None}
        at, wanted = follow.bound_positions, set(groups)
        (files,) = self.index.files([asset]).values()
        there = FileStates(names.grid(asset), files, {})
        return {p: there[p] for p in there if tuple([p[i] for i in at]) in wanted}

    def _of_recordings(
        self, names: Names, landed: Landed, on_progress: Callable[[float], None]
    ) -> dict[tuple[str, Partition], str | None]:
        """Versions of recordings of which no file must be read; files of the others are read, in
        threads, so that their versions can be asked for.
        """
        contents, found = self.arrived.contents, dict[tuple[str, Partition], str | None]()
        contents.recall_all()
        with contents.gathering():
            for asset in ("recording", *LANDED_OF):
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
            where = dict(zip(dimensions(table), partition, strict=True))
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
