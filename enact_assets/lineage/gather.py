"""Reads what there is: of a whole data root at once, or only what one partition is made from."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from enact_assets.contracts.errors import (
    DamagedFileError,
    MissingPartitionError,
    UnreadableFileError,
)
from enact_assets.contracts.provenance import InputVersion
from enact_assets.contracts.registry import Registry
from enact_assets.engine.graph import Follow, Follows, Names, Partition
from enact_assets.engine.tables import TABLES
from enact_assets.lineage.pipeline import (
    EXTERNAL,
    ROOTS,
    STEP_NAMED,
    STEPS,
    WAREHOUSE,
    WHOLE,
    dimensions,
)
from enact_assets.lineage.plan import Cause, CodeVersion, Lineage
from enact_assets.lineage.states import State, States, with_settings_and_files
from enact_assets.lineage.versions import Arrived, root_version
from enact_assets.storage.file_records import FileRecord
from enact_assets.storage.images import ImageStore
from enact_assets.storage.lake import Lake
from enact_assets.storage.lake_index import LakeIndex
from enact_assets.storage.paths import DataRoot
from enact_assets.storage.published import published_provenance
from enact_assets.storage.report_files import report_provenance
from enact_assets.storage.set_aside import aside_problem


@dataclass(frozen=True)
class Inventory:
    """What lineage is read from: the data root's parts, and the settings that are in force."""

    root: DataRoot
    lake: Lake
    images: ImageStore
    arrived: Arrived
    registry: Registry

    @property
    def index(self) -> LakeIndex:
        """What the files of the lake say about themselves, remembered between scans."""
        return LakeIndex(self.lake, self.root.lake_index)


def gather(
    inventory: Inventory, names: Names, on_progress: Callable[[float], None] = lambda _share: None
) -> States:
    """State of every current partition of every asset; ``on_progress`` is given the share done.

    Files of names that left, or of nobody, are no states.
    """
    of = with_settings_and_files(
        names,
        lambda root, partition: root_version(inventory.registry, root, partition),
        inventory.arrived.version,
    )
    scanned = inventory.index.scan(on_progress=on_progress)
    gone = inventory.index.missing_images(scanned["frame_images"], inventory.images)
    for table in TABLES:
        of[table] = {
            partition: _state(record, gone.get(partition, 0) if table == "frame_images" else 0)
            for partition, record in scanned[table].items()
            if names.has(table, partition)
        }
    for whole in sorted(WHOLE):
        state = _whole(inventory, whole)
        of[whole] = {} if state is None else {(): state}
    return States(of)


def landed_states(inventory: Inventory, step: str, partition: Partition) -> dict[str, State | None]:
    """State of what ``step`` has just landed: asset -> state, None if it is not there."""
    return {asset: _landed(inventory, asset, partition) for asset in STEP_NAMED[step].assets}


def inputs_now(
    inventory: Inventory,
    names: Names,
    step: str,
    partition: Partition,
    only: Collection[str] | None = None,
) -> dict[str, InputVersion]:
    """Version of each input of one partition, or of those in ``only``, from the files as they are.

    Read before a step reads its inputs, and again when it lands: what changed in between, nobody
    knows which of both it was made from. An input that is not there is left out.
    """
    follows = Follows(names, STEPS).of(step)
    found = {}
    for follow in follows:
        if only is not None and follow.asset not in only:
            continue
        states = States({follow.asset: _members(inventory, names, follow, partition)})
        version = states.input_version(follow, partition)
        if version is not None:
            found[follow.asset] = version
    return found


def causes_now(
    inventory: Inventory, names: Names, code_version: CodeVersion, step: str, partition: Partition
) -> tuple[Cause, ...]:
    """Why one partition is stale, as a plan would say; reads what it is made from, no more."""
    spec = STEP_NAMED[step]
    follows = Follows(names, STEPS).of(step)
    of = {f.asset: _members(inventory, names, f, partition) for f in follows}
    for asset, state in landed_states(inventory, step, partition).items():
        of[asset] = {} if state is None else {partition: state}
    return Lineage(names, States(of), code_version, {}, [spec]).causes(spec, partition)


def _members(
    inventory: Inventory, names: Names, follow: Follow, partition: Partition
) -> dict[Partition, State]:
    asset, groups = follow.asset, follow.groups(partition)
    if asset in ROOTS or asset in EXTERNAL:
        if asset in ROOTS:
            of = {g: State(root_version(inventory.registry, asset, g)) for g in groups}
        else:
            of = {g: State(inventory.arrived.version(asset, g)) for g in groups}
        return of
    if not follow.is_rolled_up:
        states = {group: _landed(inventory, asset, group) for group in groups}
        return {group: state for group, state in states.items() if state is not None}
    at, wanted = follow.bound_positions, set(groups)
    return {
        p: _state(record, 0)
        for p, record in inventory.index.scan([asset])[asset].items()
        if tuple([p[i] for i in at]) in wanted and names.has(asset, p)
    }


def _landed(inventory: Inventory, asset: str, partition: Partition) -> State | None:
    if asset in WHOLE:
        return _whole(inventory, asset)
    where = dict(zip(dimensions(asset), partition, strict=True))
    try:
        metadata = inventory.lake.metadata(asset, where)
    except MissingPartitionError:
        aside = inventory.lake.where_aside(asset, where)
        return None if aside is None else State("", None, aside_problem(aside))
    except (DamagedFileError, UnreadableFileError) as error:
        return State("", None, str(error))
    return State(metadata.content_sha, metadata.provenance)


def _whole(inventory: Inventory, asset: str) -> State | None:
    root = inventory.root
    if asset == WAREHOUSE:
        version, provenance = published_provenance(root.warehouse)
    else:
        version, provenance = report_provenance(root.report)
    return None if version is None else State(version, provenance)


def _state(record: FileRecord, n_pictures_gone: int) -> State:
    problem = record.problem
    if problem is None and n_pictures_gone:
        problem = f"{n_pictures_gone} of its pictures are gone"
    return State(record.content_sha or "", record.provenance, problem, record.mtime_ns)
