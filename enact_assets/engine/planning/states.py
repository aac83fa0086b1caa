"""States: version and provenance of every existing partition, read from the lake in one go."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, MutableMapping
from dataclasses import dataclass, field

from enact_assets.engine.graph import Follow, Names
from enact_assets.engine.grids import Partition
from enact_assets.engine.provenance import InputVersion, Provenance, combined
from enact_assets.engine.tables import no_rows_sha


@dataclass(frozen=True, slots=True)
class State:
    """A partition that exists.

    ``problem`` says why the partition must be made again; the version is empty if its rows cannot
    be read.
    """

    version: str
    made: Provenance | Callable[[], Provenance | None] | None = None
    problem: str | None = None
    changed_ns: int = 0
    """Time of writing, by the clock of the writer. It is shown to people and decides nothing."""

    @property
    def provenance(self) -> Provenance | None:
        """Its provenance; None if the file has none. If ``made`` is a function, it is called each
        time.
        """
        return self.made() if callable(self.made) else self.made


@dataclass
class States:
    """Asset -> partition -> :class:`State`, for partitions that are current.

    Groups of partitions and their combined versions are cached until a member changes. A partition
    without rows adds nothing to a step that reads all partitions, so it is left out of such groups.
    """

    of: Mapping[str, MutableMapping[Partition, State]]
    _groups: dict[tuple[str, tuple[str, ...]], "_Groups"] = field(default_factory=dict)
    _revisions: Counter[str] = field(default_factory=Counter)

    def revision(self, asset: str) -> int:
        """How often a state of ``asset`` was set."""
        return self._revisions[asset]

    def get(self, asset: str, partition: Partition) -> State | None:
        """State of one partition; None if it does not exist."""
        return self.of[asset].get(partition)

    def set(self, asset: str, partition: Partition, state: State | None) -> None:
        """Set the state of a partition; None if it no longer exists."""
        self._revisions[asset] += 1
        if state is None:
            self.of[asset].pop(partition, None)
        else:
            self.of[asset][partition] = state
        for (name, _), groups in self._groups.items():
            if name == asset:
                groups.set(partition, state.version if state else "")

    def input_version(self, follow: Follow, partition: Partition) -> InputVersion | None:
        """Combined version of an input; None if a required partition does not exist, or if the
        input's condition does not hold.
        """
        groups = follow.groups(partition)
        if not groups:
            return None
        if not follow.is_rolled_up and len(groups) == 1:
            state = self.of[follow.asset].get(groups[0])
            return InputVersion(state.version, 1) if state and state.version else None
        by_group = self.grouped(follow)
        if len(groups) == 1:
            return by_group.version(groups[0])
        members: dict[str, str] = {}
        for group in groups:
            found = by_group.members(group)
            if not found and not follow.is_rolled_up:
                return None
            members.update(found)
        return combined(members)

    def members(self, follow: Follow, partition: Partition) -> list[Partition]:
        """Existing partitions of an input that ``partition`` reads, sorted."""
        by_group = self.grouped(follow)
        keys = {k for group in follow.groups(partition) for k in by_group.members(group)}
        return sorted(map(Partition.of_key, keys))

    def grouped(self, follow: Follow) -> "_Groups":
        """The partitions of an input, grouped by their names in the bound dimensions."""
        key = (follow.asset, follow.bound)
        if key not in self._groups:
            nothing = {"", no_rows_sha(follow.asset) if follow.is_rolled_up else ""}
            of = self.of[follow.asset].items()
            versions = {p: s.version for p, s in of if s.version not in nothing}
            self._groups[key] = _Groups(follow, versions)
        return self._groups[key]


class _Groups:
    """Partitions of one asset by their names in some dimensions, with combined versions."""

    def __init__(self, follow: Follow, versions: Mapping[Partition, str]) -> None:
        self._at = follow.bound_positions
        self._nothing = no_rows_sha(follow.asset) if follow.is_rolled_up else ""
        self._members: dict[tuple[str, ...], dict[str, str]] = {}
        self._combined: dict[tuple[str, ...], InputVersion] = {}
        for partition, version in versions.items():
            group = tuple([partition[i] for i in self._at])
            self._members.setdefault(group, {})["|".join(partition)] = version

    def members(self, group: Partition) -> Mapping[str, str]:
        """Partition key -> version."""
        return self._members.get(group, {})

    def version(self, group: Partition) -> InputVersion:
        if group not in self._combined:
            self._combined[group] = combined(self.members(group))
        return self._combined[group]

    def set(self, partition: Partition, version: str) -> None:
        group = tuple([partition[i] for i in self._at])
        self._combined.pop(group, None)
        members = self._members.setdefault(group, {})
        if version in {"", self._nothing}:
            members.pop("|".join(partition), None)
        else:
            members["|".join(partition)] = version


def with_settings_and_files(
    names: Names,
    root_version: Callable[[str, Partition], str],
    external_version: Callable[[str, Partition], str | None],
    external: Collection[str] | None = None,
) -> dict[str, MutableMapping[Partition, State]]:
    """Current states of config roots and of ``external`` inputs (None: of all). Inputs without a
    version are left out.
    """
    of: dict[str, MutableMapping[Partition, State]] = {}
    for root in names.graph.roots:
        of[root] = {p: State(root_version(root, p)) for p in names.partitions(root)}
    for asset in names.graph.external if external is None else external:
        versions = ((p, external_version(asset, p)) for p in names.partitions(asset))
        of[asset] = {p: State(version) for p, version in versions if version is not None}
    return of
