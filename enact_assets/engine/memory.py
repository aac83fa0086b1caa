"""Calls steps one after the other on rows in memory, without a lake and without Dagster."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import polars as pl

from enact_assets.engine.errors import MissingPartitionError
from enact_assets.engine.graph import Graph, Names
from enact_assets.engine.ids import sha256_bytes
from enact_assets.engine.loading import StepContext, call
from enact_assets.engine.parameters import CONDITIONS, DETERMINES, SETTINGS
from enact_assets.engine.steps import STEPS, Step
from enact_assets.engine.tables import Table

Entries = Mapping[tuple[type, str | None], Any]


@dataclass(frozen=True)
class Made:
    """Given and made rows by table, and the summary of each step."""

    tables: Mapping[str, pl.DataFrame]
    summaries: Mapping[str, Mapping[str, Any]]


def run_in_memory(
    steps: Sequence[Callable[..., Any]],
    tables: Mapping[type[Table], pl.DataFrame],
    names: Mapping[str, str],
    settings: Sequence[Any],
    running: Callable[[str], AbstractContextManager[object]] = nullcontext,
) -> Made:
    """Call declared ``steps`` in the given order, on ``tables`` and on the tables of earlier steps.

    Each table has one partition, that of ``names`` (dimension -> name). ``settings`` are the
    entries that the steps ask for. ``running`` is entered with the name of each step. Rows are
    returned as the steps made them, without another validation.

    Errors: those of the steps; :class:`MissingPartitionError` for a table that is neither given
    nor made by an earlier step; ``KeyError`` for settings that are not given.
    """
    declared = [STEPS[function.__name__] for function in steps]
    entries = {
        (type(entry), entry.name if SETTINGS[type(entry)].dimension else None): entry
        for entry in settings
    }
    known = _names(declared, names, entries)
    memory = _Memory(known, {table.table_name(): rows for table, rows in tables.items()})
    context = StepContext(memory, known, lambda kind, name: entries[kind, name])
    summaries: dict[str, Mapping[str, Any]] = {}
    for step in declared:
        with running(step.name):
            for table, rows, summary in call(step, {d: names[d] for d in step.by}, context):
                memory.rows[table.table_name()] = rows
                summaries.setdefault(step.name, summary)
    return Made(memory.rows, summaries)


@dataclass(frozen=True)
class _Memory:
    """A store with one partition of each table."""

    names: Names
    rows: dict[str, pl.DataFrame]

    def read(self, table_name: str, partition: Mapping[str, str], /) -> pl.DataFrame:
        is_named = all(self.names.of.get(d) == (name,) for d, name in partition.items())
        if table_name not in self.rows or not is_named:
            raise MissingPartitionError(
                f"{table_name} {'|'.join(partition.values())}: not in memory, which has "
                f"{', '.join(sorted(self.rows)) or 'no table'}. Give its rows, or run the step "
                "that makes it first."
            )
        return self.rows[table_name]

    def content_sha(self, table_name: str, partition: Mapping[str, str], /) -> str:
        return sha256_bytes(self.read(table_name, partition).write_ipc(None).getvalue())

    def partitions(self, table_name: str, /) -> list[dict[str, str]]:
        by = self.names.graph.dimensions[table_name]
        found = self.names.partitions(table_name) if table_name in self.rows else []
        return [dict(zip(by, partition, strict=True)) for partition in found]


def _names(steps: Sequence[Step], names: Mapping[str, str], entries: Entries) -> Names:
    """One name in each dimension, and the names and conditions that its settings decide."""
    tables = {table for step in steps for table in (*step.outputs, *(r.table for r in step.reads))}
    dimensions = {table.table_name(): table.by for table in tables}
    roots = {s.root: (s.dimension,) if s.dimension else () for s in SETTINGS.values()}
    names = _with_determined(names, entries)
    about = {condition: dimension for condition, (dimension, _) in CONDITIONS.items()}
    holding = {
        condition: frozenset(
            str(name)
            for (kind, name), entry in entries.items()
            if SETTINGS[kind].dimension == dimension and holds(entry)
        )
        for condition, (dimension, holds) in CONDITIONS.items()
    }
    return Names(
        Graph((), dimensions | roots, determines=DETERMINES, conditions=about),
        {dimension: (name,) for dimension, name in names.items()},
        {d: {names[d]: names[o]} for d, o in DETERMINES.items() if d in names and o in names},
        holding,
    )


def _with_determined(names: Mapping[str, str], entries: Entries) -> dict[str, str]:
    """``names``, and the names that settings decide from them."""
    found = dict(names)
    for dimension, other in DETERMINES.items():
        kinds = [kind for kind, setting in SETTINGS.items() if setting.dimension == dimension]
        entry = entries.get((kinds[0], found.get(dimension))) if kinds else None
        if entry is not None:
            found.setdefault(other, getattr(entry, other))
    return found
