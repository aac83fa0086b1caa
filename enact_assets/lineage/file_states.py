"""States of a table's partitions, as its files say."""

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from enact_assets.engine.graph import Partition, partition_key
from enact_assets.engine.grids import Grid
from enact_assets.engine.lake.catalogue_rows import texts
from enact_assets.engine.lake.listed_files import TableFiles
from enact_assets.engine.planning.state_columns import (
    StateColumns,
    StatesInColumns,
    set_in_columns,
)
from enact_assets.engine.planning.states import State


class FileStates(StatesInColumns):
    """States of the partitions of ``grid`` that are there, also in columns.

    Provenance is looked up when it is asked for: of nearly all partitions a fingerprint is enough.
    ``n_gone`` maps keys of partitions to how many of their pictures are gone. States can be set.
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
        found, key = self._files.found, partition_key(partition) or ""
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
