"""States of all partitions of an asset as arrays, so that they are compared in one operation.

States of inputs are gathered for all partitions of a step. Most of half a million partitions are
fresh: the fingerprint of their recorded inputs equals that of the current inputs. Versions are
compared one by one only for the others.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, MutableMapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.fingerprints import (
    Numbers,
    input_number,
    inputs_number,
    version_number,
    version_numbers,
)
from enact_assets.engine.graph import Follow, Follows, NameOf, Names, StepSpec
from enact_assets.engine.grids import Grid, Partition
from enact_assets.engine.ids import sha256_bytes
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.states import State, States
from enact_assets.engine.provenance import Provenance, combined
from enact_assets.engine.tables import no_rows_sha

NO_MEMBERS = version_number(combined({}).version)
"""Number of the version of an input without existing partitions."""

Array = NDArray[Any]


class Gathered:
    """Which group of an input each partition of a step reads.

    ``ours`` is the grid of the step, ``theirs`` that of the input. Groups have the bound dimensions
    of the input, in the input's order.
    """

    def __init__(self, follow: Follow, ours: Grid, theirs: Grid) -> None:
        self._ours = ours
        self._at = follow.bound_positions
        self._open = tuple(i for i in range(len(theirs.shape)) if i not in self._at)
        self._theirs = theirs
        self._own = self._index(follow.own)
        self._base = None if follow.base is None else self._index(follow.base)
        self._when = np.ones((), np.bool_) if follow.when is None else self._holds(*follow.when)

    def of(self, values: Array, absent: int = 0) -> Array:
        """The value of the group that each partition of the step reads by name.

        ``values`` has one value for each group; ``absent`` is the value for a group whose name does
        not exist. Where the input's condition does not hold, the result is 0. Call this only if
        :attr:`is_one_group`.
        """
        return self._where(self._own, values, absent).ravel()

    @property
    def is_one_group(self) -> bool:
        """Whether a partition reads at most one group of the input."""
        return self._base is None

    def any(self, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether each partition of the step reads a marked partition of the input."""
        groups = np.asarray(marked.reshape(self._theirs.shape).any(axis=self._open))
        found = self._where(self._own, groups, absent=False)
        if self._base is not None:
            found = found | self._where(self._base, groups, absent=False)
        return found.ravel()

    @property
    def groups(self) -> NDArray[np.int64]:
        """Number of the group of each partition of the input."""
        shape = self.group_shape
        numbers = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
        return np.broadcast_to(np.expand_dims(numbers, self._open), self._theirs.shape).ravel()

    @property
    def group_shape(self) -> tuple[int, ...]:
        """How many names each bound dimension has."""
        return tuple(self._theirs.shape[i] for i in self._at)

    def _where(self, codes: Sequence[NDArray[np.int64]], values: Array, absent: int) -> Array:
        is_there, found = np.ones((), np.bool_), np.asarray(absent, values.dtype)
        for code in codes:
            is_there = is_there & (code >= 0)
        if values.size:
            taken = values[tuple(np.maximum(code, 0) for code in codes)]
            found = np.where(is_there, taken, found)
        found = np.where(self._when, found, np.zeros((), values.dtype))
        return np.broadcast_to(found, self._ours.shape)

    def _index(self, parts: Sequence[NameOf]) -> list[NDArray[np.int64]]:
        return [self._codes(p, self._theirs.codes[i]) for p, i in zip(parts, self._at, strict=True)]

    def _codes(self, part: NameOf, codes: Any) -> NDArray[np.int64]:
        """Code of the name in one bound dimension, along the axis that decides it; -1 if there is
        none.
        """
        if part.position < 0:
            return np.array(codes.get(part.fixed, -1))
        names = self._ours.names[part.position]
        decided = names if part.determined is None else [part.determined[name] for name in names]
        return self._along(part.position, np.array([codes.get(n, -1) for n in decided], np.int64))

    def _holds(self, part: NameOf, holds: Any) -> NDArray[np.bool_]:
        names = self._ours.names[part.position]
        decided = names if part.determined is None else [part.determined[name] for name in names]
        return self._along(part.position, np.array([n in holds for n in decided], np.bool_))

    def _along(self, axis: int, values: Array) -> Array:
        shape = [1] * len(self._ours.shape)
        shape[axis] = -1
        return values.reshape(shape)


class StateColumns(NamedTuple):
    """One entry per partition that the asset should have, in their order: shape (n_partitions,).

    ``is_made`` is false where the partition does not exist, has a problem or has no provenance.
    ``version`` (0: no version), ``code`` and ``made_of`` are the fingerprints of its version, its
    code and its inputs (engine/fingerprints.py); ``texts`` are its versions.
    """

    is_there: NDArray[np.bool_]
    is_made: NDArray[np.bool_]
    version: Numbers
    code: Numbers
    made_of: Numbers
    texts: NDArray[np.object_]


class StatesInColumns(MutableMapping[Partition, State]):
    """States that are kept as arrays; setting a state in the mapping also sets it in the arrays."""

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
    """Version number and number of partitions of each group of an input."""

    version: Numbers
    n_partitions: Numbers


def grouped_versions(asset: str, columns: StateColumns, grid: Grid, gathered: Gathered) -> Groups:
    """``combined`` of each group, as arrays with one axis for each bound dimension."""
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
    """Set the state of the partition at ``position``; None if it no longer exists."""
    made: Provenance | None = None
    if state is not None and state.problem is None:
        made = state.provenance
    columns.is_there[position] = state is not None
    columns.is_made[position] = made is not None
    columns.version[position] = version_number(state.version) if state is not None else 0
    columns.code[position] = version_number(made.code_version) if made is not None else 0
    columns.made_of[position] = made.inputs_number if made is not None else 0
    columns.texts[position] = state.version if state is not None else ""


class Suspects:
    """Finds partitions of steps that may be stale, or that read a marked partition.

    Answers are cached until a state they depend on is set.
    """

    def __init__(
        self, names: Names, states: States, follows: Follows, code_version: Callable[[str], str]
    ) -> None:
        self._names, self._states, self._follows = names, states, follows
        self._code_version = code_version
        self._gathered: dict[tuple[str, int], Gathered] = {}
        self._groups: dict[tuple[str, tuple[str, ...]], tuple[int, Groups]] = {}
        self._columns: dict[str, tuple[int, StateColumns]] = {}
        self._found: dict[str, tuple[object, NDArray[np.bool_]]] = {}

    def columns(self, asset: str) -> StateColumns:
        """States of all partitions of ``asset``."""
        revision = self._states.revision(asset)
        if asset not in self._columns or self._columns[asset][0] != revision:
            columns = columns_of(self._states.of[asset], self._names.grid(asset))
            self._columns[asset] = revision, columns
        return self._columns[asset][1]

    def of(self, step: StepSpec) -> NDArray[np.bool_]:
        """Whether a partition of ``step`` may be stale: shape (n_partitions,), in their order.

        All others were made by the current code from the current inputs. Do not modify the array.
        """
        codes = tuple(map(self._code_version, step.assets))
        assets = (*step.assets, *(follow.asset for follow in self._follows.of(step.name)))
        seen = (codes, tuple(map(self._states.revision, assets)))
        if step.name not in self._found or self._found[step.name][0] != seen:
            self._found[step.name] = seen, self._compare(step, codes)
        return self._found[step.name][1]

    def touched(self, step: StepSpec, marked: Marks) -> NDArray[np.bool_]:
        """Whether a marked partition is an input of each partition of ``step``."""
        found = np.zeros(self._names.grid(step.assets[0]).size, np.bool_)
        for _, touched in self.touched_by(step, marked):
            found |= touched
        return found

    def touched_by(self, step: StepSpec, marked: Marks) -> list[tuple[str, NDArray[np.bool_]]]:
        """:meth:`touched` for each input that touches a partition, in order of declaration."""
        found = []
        for k, follow in enumerate(self._follows.of(step.name)):
            grid = marked.grid(follow.asset, self._names)
            if grid is not None:
                touched = self._gather(step, k, follow).any(grid)
                if touched.any():
                    found.append((follow.asset, touched))
        return found

    def _compare(self, step: StepSpec, codes: tuple[str, ...]) -> NDArray[np.bool_]:
        grid = self._names.grid(step.assets[0])
        expected = np.zeros(grid.size, np.uint64)
        for k, follow in enumerate(self._follows.of(step.name)):
            expected += self._input_numbers(step, k, follow)
        found = np.zeros(grid.size, np.bool_)
        for asset, code in zip(step.assets, codes, strict=True):
            columns = self.columns(asset)
            found |= ~columns.is_made | (columns.code != version_number(code))
            found |= columns.made_of != expected
        return found

    def _input_numbers(self, step: StepSpec, k: int, follow: Follow) -> Numbers:
        """Summand of an input in the fingerprint of all inputs; 0 where it is not read or is
        missing.
        """
        gathered = self._gather(step, k, follow)
        if not gathered.is_one_group:
            return self._one_by_one(step, follow)
        if follow.is_rolled_up:
            groups = self._grouped(follow, gathered)
            version = gathered.of(groups.version, NO_MEMBERS)
            n_partitions = gathered.of(groups.n_partitions)
        else:
            theirs = self._names.grid(follow.asset)
            version = gathered.of(self.columns(follow.asset).version.reshape(theirs.shape))
            n_partitions = np.ones((), np.uint64)
        return np.where(version != 0, input_number(follow.asset, version, n_partitions), 0)

    def _one_by_one(self, step: StepSpec, follow: Follow) -> Numbers:
        found = []
        for partition in self._names.partitions(step.assets[0]):
            now = self._states.input_version(follow, partition)
            found.append(0 if now is None else inputs_number([(follow.asset, *now)]))
        return np.array(found, np.uint64)

    def _gather(self, step: StepSpec, k: int, follow: Follow) -> Gathered:
        if (step.name, k) not in self._gathered:
            ours, theirs = self._names.grid(step.assets[0]), self._names.grid(follow.asset)
            self._gathered[step.name, k] = Gathered(follow, ours, theirs)
        return self._gathered[step.name, k]

    def _grouped(self, follow: Follow, gathered: Gathered) -> Groups:
        key, revision = (follow.asset, follow.bound), self._states.revision(follow.asset)
        if key not in self._groups or self._groups[key][0] != revision:
            columns, grid = self.columns(follow.asset), self._names.grid(follow.asset)
            self._groups[key] = revision, grouped_versions(follow.asset, columns, grid, gathered)
        return self._groups[key][1]
