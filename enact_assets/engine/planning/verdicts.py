"""Verdicts on all partitions: one frame with a status for each; all lists are filters of it.

A partition is *missing* if nothing of it exists. It is *stale* if it cannot be used, if it was made
by other code, or if the version of one of its inputs changed. Partitions downstream of it *may
become stale*: if it is made again with the same content, they stay fresh.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.engine.graph import StepSpec
from enact_assets.engine.grids import Grid, Partition
from enact_assets.engine.ids import ID_CHARACTERS, content_sha
from enact_assets.engine.planning.lineage import NEVER, Cause, Lineage
from enact_assets.engine.planning.marks import Marks

FRESH, STALE, MISSING, FOLLOWS = "fresh", "stale", "missing", "may become stale"
RUNNING, HELD, WAITS, BLOCKED = "being made", "held", "waits", "blocked"
TO_MAKE = (STALE, MISSING)
STATUSES = (FRESH, STALE, MISSING, FOLLOWS, RUNNING, HELD, WAITS, BLOCKED)
_TEXTS = pl.List(pl.String)
SCHEMA = pl.Schema(
    {
        "step": pl.String(),
        "partition": pl.String(),
        "status": pl.Enum(STATUSES),
        "why": _TEXTS,
        "changed": _TEXTS,
        "upstream": _TEXTS,
        "is_asked_for": pl.Boolean(),
    }
)
"""``partition`` is the key, null for a step without partitions. ``why`` has every reason to make
the partition, ``changed`` the input that each reason is about (null: no input), ``upstream`` the
inputs with a partition that it reads and that is to be made or is being made."""


class Verdict(NamedTuple):
    """One row of the frame, for a partition that is not fresh."""

    step: str
    partition: Partition
    status: str
    causes: tuple[Cause, ...] = ()
    upstream: tuple[str, ...] = ()
    is_asked_for: bool = True

    @property
    def key(self) -> str | None:
        """The partition's key in Dagster."""
        return self.partition.key or None

    @property
    def why(self) -> str:
        """All reasons in one line."""
        return "; ".join(str(cause) for cause in self.causes)


@dataclass(frozen=True)
class Verdicts:
    """``frame`` has the columns of ``SCHEMA`` and a row for every partition that was judged, in the
    order in which they would be made.
    """

    frame: pl.DataFrame

    @classmethod
    def of(cls, rows: Collection[Verdict]) -> "Verdicts":
        """A frame of ``rows``."""
        return cls(_frame(rows))

    def rows(self, *statuses: str) -> tuple[Verdict, ...]:
        """Verdicts with one of these statuses, in order."""
        found = self.frame.filter(pl.col("status").is_in(statuses))
        return tuple(
            Verdict(
                step,
                Partition.of_key(key),
                status,
                tuple(map(Cause, why, changed)),
                tuple(upstream),
                is_asked_for,
            )
            for step, key, status, why, changed, upstream, is_asked_for in found.iter_rows()
        )

    @cached_property
    def not_fresh(self) -> tuple[Verdict, ...]:
        """Verdicts with any status other than fresh, in order."""
        return self.rows(*(status for status in STATUSES if status != FRESH))

    @cached_property
    def stale(self) -> tuple[Verdict, ...]:
        """Partitions to make: stale or missing."""
        return self.rows(*TO_MAKE)

    @cached_property
    def left(self) -> tuple[Verdict, ...]:
        """Stale partitions that are not made now: they are held, or an input of theirs is."""
        return tuple(row for row in self.rows(HELD, BLOCKED) if row.causes)

    @cached_property
    def may_follow(self) -> dict[str, tuple[Partition, ...]]:
        """Step -> partitions that become stale if an input is made again with another result."""
        found: dict[str, list[Partition]] = {}
        of = self.frame.filter(status=FOLLOWS).select("step", "partition")
        for step, key in of.iter_rows():
            found.setdefault(step, []).append(Partition.of_key(key))
        return {step: tuple(partitions) for step, partitions in found.items()}

    @property
    def n_fresh(self) -> int:
        """How many are fresh."""
        return self.frame.filter(status=FRESH).height

    @property
    def n_following(self) -> int:
        """How many may become stale."""
        return self.frame.filter(status=FOLLOWS).height

    def updated(self, row: Verdict) -> "Verdicts":
        """The same verdicts, with one replaced by ``row``."""
        is_it = (pl.col("step") == row.step) & pl.col("partition").eq_missing(row.key)
        (at,) = self.frame.select(is_it.arg_true()).to_series()
        return Verdicts(pl.concat([self.frame[:at], _frame([row]), self.frame[at + 1 :]]))

    def asked_for(self, is_asked_for: Callable[[str, Partition], bool]) -> "Verdicts":
        """The same verdicts, with a flag that separates requested partitions from those made for
        them. All fresh partitions count as requested.
        """
        is_fresh = self.frame["status"] == FRESH
        flags = is_fresh.to_numpy(writable=True)
        of = self.frame.filter(~is_fresh).select("step", "partition").iter_rows()
        flags[~flags] = [is_asked_for(step, Partition.of_key(key)) for step, key in of]
        return Verdicts(self.frame.with_columns(is_asked_for=flags))


Hold = Callable[[StepSpec, Verdict], str | None]
"""Decides whether a partition that is to be made is held back now. With ``HELD`` it blocks
partitions downstream of it, like a failed one; with ``WAITS`` they wait, as if it were being
made."""


class Judge:
    """Judges steps one by one; earlier steps must be judged first. :func:`judge` judges all steps.

    ``is_chosen`` says which partitions may be made (None: all); all others count as fresh.
    ``running`` partitions are being made. With ``only_there`` missing partitions do not affect
    partitions downstream of them.
    """

    def __init__(
        self,
        lineage: Lineage,
        *,
        is_chosen: Callable[[StepSpec, Partition], bool] | None = None,
        running: Marks | None = None,
        only_there: bool = False,
    ) -> None:
        self._lineage = lineage
        self._is_chosen = is_chosen
        self._running = running or Marks()
        self._only_there = only_there
        self._open, self._failed = Marks(), Marks()

    def judge(self, step: StepSpec, hold: Hold = lambda _step, _row: None) -> pl.DataFrame:
        """Rows of the frame of ``step``."""
        lineage, grid = self._lineage, self._lineage.names.grid(step.assets[0])
        chosen = np.ones(grid.size, np.bool_)
        if self._is_chosen is not None:
            chosen[:] = [self._is_chosen(step, p) for p in lineage.partitions(step)]
        upstream = _Upstream(lineage, step, self._open)
        suspects = lineage.may_be_stale(step)
        running = map(grid.position, self._running.of.get(step.assets[0], ()))
        busy = {position for position in running if position is not None}
        one_by_one = suspects | lineage.touched(step, self._failed)
        one_by_one[list(busy)] = True
        status = np.where(upstream.any, FOLLOWS, FRESH).astype(object)
        rows: dict[int, Verdict] = {}
        for position in np.flatnonzero(one_by_one & chosen).tolist():
            partition = grid.partition(position)
            row = Verdict(step.name, partition, RUNNING, upstream=upstream.at(position))
            if position not in busy:
                row = self._verdict(step, row, hold, is_suspect=bool(suspects[position]))
            rows[position], status[position] = row, row.status
        status[~chosen] = FRESH
        self._mark(step, grid, status)
        keys = pl.Series(grid.keys if grid.shape else [None], dtype=pl.String)
        found = _rows_of(step.name, keys, status, rows)
        found = found.with_columns(upstream=upstream.lists(), is_asked_for=True)
        return found if self._is_chosen is None else found.filter(chosen)

    def _verdict(self, step: StepSpec, row: Verdict, hold: Hold, *, is_suspect: bool) -> Verdict:
        causes = self._lineage.causes(step, row.partition) if is_suspect else ()
        # The result of an input that is made again is not known yet, so it is not a cause.
        causes = tuple(cause for cause in causes if cause.asset not in row.upstream)
        status = FOLLOWS if row.upstream else FRESH
        if causes:
            status = MISSING if causes == (Cause(NEVER),) else STALE
        row = row._replace(status=status, causes=causes)
        if self._lineage.is_blocked(step, row.partition, self._failed):
            return row._replace(status=BLOCKED)
        return row._replace(status=(causes and hold(step, row)) or status)

    def _mark(self, step: StepSpec, grid: Grid, status: NDArray[np.object_]) -> None:
        if step.name in self._lineage.graph.roots:
            return  # their versions are known before they are materialized
        opens = {STALE, FOLLOWS, RUNNING, WAITS} | (set() if self._only_there else {MISSING})
        of = [(k, status[k]) for k in np.flatnonzero(status != FRESH).tolist()]
        self._open.add(step.assets, *(grid.partition(k) for k, found in of if found in opens))
        failed = (grid.partition(k) for k, found in of if found in {HELD, BLOCKED})
        self._failed.add(step.assets, *failed)


class _Upstream:
    """The open inputs of each partition of a step, inputs that are to be made or are being made: a
    bit for each in ``code``, shape (n_partitions,).
    """

    def __init__(self, lineage: Lineage, step: StepSpec, marked: Marks) -> None:
        touched = lineage.touched_by(step, marked)
        self._assets = [asset for asset, _ in touched]
        self.code = np.zeros(lineage.names.grid(step.assets[0]).size, np.int64)
        for k, (_, found) in enumerate(touched):
            self.code |= found.astype(np.int64) << k
        self.any = self.code != 0

    def at(self, position: int) -> tuple[str, ...]:
        """The open inputs of one partition."""
        return self._named(int(self.code[position]))

    def lists(self) -> pl.Series:
        """The open inputs of every partition, as lists."""
        codes, at = np.unique(self.code, return_inverse=True)
        lists = [list(self._named(code)) for code in codes.tolist()]
        return pl.Series(lists, dtype=_TEXTS).gather(at)

    def _named(self, code: int) -> tuple[str, ...]:
        return tuple(asset for k, asset in enumerate(self._assets) if code >> k & 1)


def judge(
    lineage: Lineage,
    is_chosen: Callable[[StepSpec, Partition], bool] | None = None,
    *,
    only_there: bool = False,
    hold: Hold = lambda _step, _row: None,
) -> Verdicts:
    """Judge every chosen partition of the steps of ``lineage`` with :class:`Judge`."""
    of = Judge(lineage, is_chosen=is_chosen, only_there=only_there)
    return Verdicts(pl.concat([_frame(()), *(of.judge(step, hold) for step in lineage.steps)]))


Attempts = Mapping[Partition, str]
"""Partition that was tried -> :func:`attempt` at that time."""


class Due(NamedTuple):
    """Partitions of one step that may be made now, with the reasons, and attempts to remember."""

    causes: dict[Partition, tuple[Cause, ...]]
    attempts: dict[Partition, str]
    """Attempts for partitions that are due, and for tried partitions that are still stale."""


class DueSteps:
    """Finds due partitions of a lineage, step by step in its order: partitions to make right now.

    The driver makes all stale partitions in one go; here the lake is judged again each time, while
    other runs make partitions. A partition waits while one of its inputs is stale, may become stale
    or is being made. A failed partition blocks only partitions downstream of it.

    ``running`` are partitions that are being made or queued. A partition that is ``withheld`` is
    never due, and while it is stale it blocks partitions downstream of it.
    """

    def __init__(
        self,
        lineage: Lineage,
        running: Marks,
        withheld: Callable[[StepSpec, Partition], bool] = lambda _step, _partition: False,
    ) -> None:
        self._lineage, self._withheld = lineage, withheld
        self._judge = Judge(lineage, running=running)

    def next(self, step: StepSpec, tried: Attempts, limit: int) -> Due:
        """Up to ``limit`` partitions of ``step``. Call this for all earlier steps first.

        Changed recordings and question files wait for a request that says they are complete: a
        partition that imports files is not due if only the files changed, and partitions downstream
        of it wait. Nothing waits for settings, as their versions are known before they are
        materialized.
        """
        if step.name in self._lineage.graph.roots:
            return Due({}, {})
        attempts: dict[Partition, str] = {}
        external = self._lineage.graph.external
        imports = all(given.asset in external for given in step.inputs)

        def hold(_step: StepSpec, row: Verdict) -> str | None:
            if row.upstream:
                return None
            if imports and all(cause.asset in external for cause in row.causes):
                return WAITS
            if self._withheld(step, row.partition):
                return HELD
            attempts[row.partition] = now = attempt(self._lineage, step, row)
            return HELD if tried.get(row.partition) == now else None

        rows = Verdicts(self._judge.judge(step, hold)).not_fresh
        due = [row for row in rows if row.status in TO_MAKE and not row.upstream]
        for row in due[limit:]:
            del attempts[row.partition]
        attempts |= {
            row.partition: tried[row.partition]
            for row in rows
            if row.status == RUNNING and row.partition in tried
        }
        return Due({row.partition: row.causes for row in due[:limit]}, attempts)


def attempt(lineage: Lineage, step: StepSpec, row: Verdict) -> str:
    """Identifies an attempt by its inputs and reasons; repeating it would give the same result."""
    now = lineage.inputs(step, row.partition)
    inputs = {asset: [version, n] for asset, (version, n) in now.items()}
    return content_sha([inputs, [cause.text for cause in row.causes]])[:ID_CHARACTERS]


def _rows_of(
    step: str, keys: pl.Series, status: NDArray[np.object_], rows: Mapping[int, Verdict]
) -> pl.DataFrame:
    """One row per partition, including fresh ones; reasons come from ``rows``, by position."""
    of = [*rows.values()]
    at = np.zeros(len(keys), np.int64)
    at[list(rows)] = np.arange(1, len(of) + 1)
    why = [[cause.text for cause in row.causes] for row in of]
    changed = [[cause.asset for cause in row.causes] for row in of]
    return pl.DataFrame({"partition": keys}).select(
        pl.lit(step).alias("step"),
        "partition",
        pl.Series("status", status, SCHEMA["status"]),
        why=pl.Series([[], *why], dtype=_TEXTS).gather(at),
        changed=pl.Series([[], *changed], dtype=_TEXTS).gather(at),
    )


def _frame(rows: Collection[Verdict]) -> pl.DataFrame:
    return pl.DataFrame(list(map(_cells, rows)), schema=SCHEMA, orient="row")


def _cells(row: Verdict) -> tuple[object, ...]:
    why, changed = [c.text for c in row.causes], [c.asset for c in row.causes]
    return row.step, row.key, row.status, why, changed, list(row.upstream), row.is_asked_for
