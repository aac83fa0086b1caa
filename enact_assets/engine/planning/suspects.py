"""Finds partitions that may be stale, for all partitions of a step in one operation.

Most of half a million partitions are fresh: the fingerprint of their recorded inputs equals that of
the current inputs. Versions are compared one by one only for the others.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.fingerprints import Numbers, input_number, inputs_number, version_number
from enact_assets.engine.graph import Follow, Follows, Names, StepSpec
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.state_columns import (
    NO_MEMBERS,
    Gathered,
    Groups,
    StateColumns,
    columns_of,
    grouped_versions,
)
from enact_assets.engine.planning.states import States


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
