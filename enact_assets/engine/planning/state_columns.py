"""States of all partitions of an asset as arrays, to be compared at once."""

from abc import abstractmethod
from collections.abc import MutableMapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.fingerprints import Numbers, version_number, version_numbers
from enact_assets.contracts.ids import sha256_bytes
from enact_assets.contracts.provenance import Provenance, combined
from enact_assets.engine.graph import Partition
from enact_assets.engine.grids import Grid
from enact_assets.engine.planning.gathering import Gathered
from enact_assets.engine.planning.states import State
from enact_assets.engine.tables import no_rows_sha

NO_MEMBERS = version_number(combined({}).version)
"""Number of the version of an input of which no partition is there."""


class StateColumns(NamedTuple):
    """One entry per partition that the asset should have, in their order: shape (n_partitions,).

    ``is_made`` is false where none is there, it has a problem, or it does not say what it was made
    from. ``version`` (0: none), ``code`` and ``made_of`` are numbers of its version, of the code
    and of the inputs that made it (contracts/fingerprints.py); ``texts`` are its versions.
    """

    is_there: NDArray[np.bool_]
    is_made: NDArray[np.bool_]
    version: Numbers
    code: Numbers
    made_of: Numbers
    texts: NDArray[np.object_]


class StatesInColumns(MutableMapping[Partition, State]):
    """States that are kept as arrays; what is set in the mapping is set there, too."""

    @property
    @abstractmethod
    def columns(self) -> StateColumns:
        """The arrays."""


def columns_of(states: MutableMapping[Partition, State], grid: Grid) -> StateColumns:
    """States of the partitions of ``grid`` as arrays."""
    if isinstance(states, StatesInColumns):
        return states.columns
    found = list(map(states.get, map(grid.partition, range(grid.size))))
    made = [None if s is None or s.problem is not None else s.provenance for s in found]
    texts = ["" if state is None else state.version for state in found]
    return StateColumns(
        np.array([state is not None for state in found], np.bool_),
        np.array([of is not None for of in made], np.bool_),
        version_numbers(texts),
        version_numbers(["" if of is None else of.code_version for of in made]),
        np.array([0 if of is None else of.inputs_number for of in made], np.uint64),
        np.array(texts, np.object_),
    )


class Groups(NamedTuple):
    """Version number of each group of an input's partitions, and how many it has."""

    version: Numbers
    n_partitions: Numbers


def grouped_versions(asset: str, columns: StateColumns, grid: Grid, gathered: Gathered) -> Groups:
    """As ``combined`` of each group: arrays with one axis for each bound dimension."""
    nothing = {"", no_rows_sha(asset)}
    shape = gathered.group_shape
    n_groups = int(np.prod(shape, dtype=np.int64))
    version = np.full(n_groups, NO_MEMBERS, np.uint64)
    n_partitions = np.zeros(n_groups, np.uint64)
    keys, texts, groups = grid.keys, columns.texts.tolist(), gathered.groups.tolist()
    lines: dict[int, list[str]] = {}
    for k in grid.by_key:
        if texts[k] not in nothing:
            lines.setdefault(groups[k], []).append(f"{keys[k]}\t{texts[k]}\n")
    for group, found in lines.items():
        version[group] = version_number(sha256_bytes("".join(found).encode()))
        n_partitions[group] = len(found)
    return Groups(version.reshape(shape), n_partitions.reshape(shape))


def set_in_columns(columns: StateColumns, position: int, state: State | None) -> None:
    """Note that the partition at ``position`` was made, or is gone."""
    made: Provenance | None = None
    if state is not None and state.problem is None:
        made = state.provenance
    columns.is_there[position] = state is not None
    columns.is_made[position] = made is not None
    columns.version[position] = version_number(state.version) if state is not None else 0
    columns.code[position] = version_number(made.code_version) if made is not None else 0
    columns.made_of[position] = made.inputs_number if made is not None else 0
    columns.texts[position] = state.version if state is not None else ""
