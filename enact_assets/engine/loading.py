"""Loads the arguments of steps as declared, and calls the steps. No Dagster."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import polars as pl

from enact_assets.engine.errors import EnactError, UndeclaredReadError
from enact_assets.engine.graph import Follow, Input, Names
from enact_assets.engine.grids import Partition
from enact_assets.engine.parameters import (
    HANDLES,
    SETTINGS,
    Each,
    Later,
    Param,
    Read,
    Rule,
    Versions,
)
from enact_assets.engine.steps import Step
from enact_assets.engine.system.contexts import holding
from enact_assets.engine.tables import Table


class Store(Protocol):
    """Stores and returns rows of partitions."""

    def read(self, table_name: str, partition: Mapping[str, str], /) -> pl.DataFrame:
        """Rows of one partition."""
        ...

    def content_sha(self, table_name: str, partition: Mapping[str, str], /) -> str:
        """Hash of its rows."""
        ...

    def partitions(self, table_name: str, /) -> Sequence[Mapping[str, str]]:
        """Existing partitions, sorted."""
        ...


@dataclass(frozen=True)
class StepContext:
    """The context in which steps run: where rows and settings come from.

    ``setting`` returns the entry of a settings type by its name in the type's dimension (None if
    the type has no dimension). ``tools`` are passed to the functions that make handles. ``bundles``
    caches the bundles loaded so far: the same rows and settings give the same object, with
    everything it has computed.
    """

    store: Store
    names: Names
    setting: Callable[[type, str | None], Any]
    tools: Any = None
    bundles: dict[tuple[Any, ...], Any] = field(default_factory=dict)


_running: ContextVar[Step | None] = ContextVar("engine_step", default=None)


def check_declared(table_name: str) -> None:
    """Check that the running step declares what it reads; a store calls this before it reads.

    Errors: :class:`UndeclaredReadError` while the body of a step runs. The inputs of a step are its
    parameters; if it read another table, changes of that table would go unnoticed.
    """
    step = _running.get()
    if step is None:
        return
    declared = ", ".join(sorted({read.table.table_name() for read in step.reads})) or "none"
    name = table_name.title().replace("_", "")
    raise UndeclaredReadError(
        f"the body of step {step.name!r} ({step.function.__module__}) reads {table_name!r} itself. "
        f"Inputs of a step are its parameters (declared: {declared}): add one of type Of[{name}], "
        f"All[{name}] or Later[{name}]."
    )


def call(
    step: Step, partition: Mapping[str, str], context: StepContext
) -> Iterator[tuple[type[Table], pl.DataFrame, Mapping[str, Any]]]:
    """Load the arguments of ``step`` and call it; yields each table that it makes, rows and
    summary.

    ``partition`` maps dimension -> name. Rows are checked here, and only here. The summary
    describes the whole step and comes with its first table.
    Errors: those of loading and of the step; :class:`TableContractError` for rows that break the
    contract of their table; :class:`UndeclaredReadError` for a body that reads a table it does not
    declare.
    """
    arguments = load_arguments(step, partition, context)
    with holding(_running, step):
        made = step.function(**arguments)
    text = ", ".join(f"{dimension}={name}" for dimension, name in partition.items())
    parts = [
        table.check(part, text)
        for table, part in zip(
            step.outputs, made if isinstance(made, tuple) else (made,), strict=True
        )
    ]
    rows = {t.table_name(): part for t, part in zip(step.outputs, parts, strict=True)}
    summary = _summary(step, partition, context, {**arguments, **rows})
    for table, part in zip(step.outputs, parts, strict=True):
        yield table, part, summary
        summary = {}


def load_arguments(
    step: Step, partition: Mapping[str, str], context: StepContext
) -> dict[str, Any]:
    """Arguments of ``step`` by name.

    Errors: :class:`MissingPartitionError` and others of the store.
    """
    return _load(step.params, partition, context)


def _load(
    params: Sequence[Param], partition: Mapping[str, str], context: StepContext
) -> dict[str, Any]:
    loader = _Loader(dict(partition), context)
    loaded: dict[str, Any] = {}
    # Handles are made last, from the arguments loaded before.
    for param in sorted(params, key=lambda p: p.kind == "handle"):
        loaded[param.name] = loader.argument(param, loaded)
    return {param.name: loaded[param.name] for param in params}


def _summary(
    step: Step, partition: Mapping[str, str], context: StepContext, known: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The summary that is shown with the tables of ``step``; empty if it needs tools and there are
    none.
    """
    if step.summary is None or (step.shown and context.tools is None):
        return {}
    try:
        shown = _load(step.shown, partition, context)
    except EnactError as error:  # a summary is only shown, so it must not fail the step
        return {"no summary": str(error)}
    wanted = inspect.signature(step.summary).parameters
    given = {**known, **shown}
    return step.summary(**{name: given[name] for name in wanted})


class _Loader:
    def __init__(self, partition: dict[str, str], context: StepContext) -> None:
        self._partition, self._context = partition, context
        self._made = Partition(partition.values())

    def argument(  # noqa: PLR0911 - one for each kind of parameter
        self, param: Param, loaded: Mapping[str, Any]
    ) -> Any:
        match param.kind:
            case "name":
                return self._partition[param.of]
            case "settings":
                return self._setting(param.of, param.rule)
            case "handle":
                if not self._is_read(param):
                    return None
                return HANDLES[param.of].provider(self._context.tools, self._partition, loaded)
            case "bundle":
                return self._bundle(param)
            case "each":
                return Each(self._each(param))
            case "versions":
                return self._versions(param)
            case "later":
                return Later(lambda: self._undisturbed(param.reads[0]))
        return self._rows(param.reads[0])

    def _follow(self, read: Read) -> Follow:
        return Follow(tuple(self._partition), read.input, self._context.names)

    def _partitions(self, read: Read) -> list[dict[str, str]] | None:
        """Partitions of an input for the step's partition; None if its condition does not hold."""
        follow, by = self._follow(read), read.table.by
        groups = follow.groups(self._made)
        if not groups:
            return None
        if not follow.is_rolled_up:
            return [group.as_dict(by) for group in groups]
        names = self._context.names
        there = self._context.store.partitions(read.table.table_name())
        bound = [group.as_dict(follow.bound).items() for group in groups]
        return [
            dict(found)
            for found in there
            if any(group <= found.items() for group in bound)
            and names.has(read.table.table_name(), Partition(found[d] for d in by))
        ]

    def _is_read(self, param: Param) -> bool:
        """Whether the condition of a handle holds."""
        if param.rule.when is None:
            return True
        names = self._context.names
        dimension = names.graph.conditions[param.rule.when]
        name = self._partition.get(dimension)
        if name is None:
            by = next(d for d in self._partition if dimension in names.graph.determined_by(d))
            name = names.decided(dimension, by)[self._partition[by]]
        return name in names.holds.get(param.rule.when, ())

    def _rows(self, read: Read) -> pl.DataFrame | None:
        found, name = self._partitions(read), read.table.table_name()
        if found is None:
            return None
        rows = [self._context.store.read(name, partition) for partition in found]
        if not read.rule.is_many:
            return rows[0]
        return pl.concat([read.table.empty(), *rows])

    def _undisturbed(self, read: Read) -> Any:
        with holding(_running, None):
            return self._rows(read)

    def _versions(self, param: Param) -> Versions[Any]:
        (read,) = param.reads
        store, name = self._context.store, read.table.table_name()
        found = self._partitions(read) or []
        return Versions({p[param.over]: store.content_sha(name, p) for p in found})

    def _setting(self, kind: type, rule: Rule) -> Any:
        setting = SETTINGS[kind]
        if setting.dimension is None:
            return self._context.setting(kind, None)
        given = Input(setting.root, fixed=rule.fixed)
        (group,) = Follow(tuple(self._partition), given, self._context.names).groups(self._made)
        return self._context.setting(kind, group[0])

    def _bundle(self, param: Param) -> Any:
        fields = {read.field: self._rows(read) for read in param.reads}
        if any(rows is None for rows in fields.values()):
            return None
        parts = fields | {field: self._setting(kind, param.rule) for field, kind in param.settings}
        # A bundle keeps its parts alive, so ids of objects stay unique.
        key = (param.of, *map(id, parts.values()))
        if key not in self._context.bundles:
            self._context.bundles[key] = param.of(**parts)
        return self._context.bundles[key]

    def _each(self, param: Param) -> Callable[[str], Any]:
        one = Param(
            param.name,
            "bundle",
            param.of,
            param.rule,
            tuple(Read(r.field, r.table, replace(r.rule, is_many=False)) for r in param.reads),
            param.settings,
        )

        def load(name: str) -> Any:
            # The bundle is loaded for this partition, extended by one name.
            with holding(_running, None):
                return _Loader({**self._partition, param.over: name}, self._context)._bundle(one)

        return load
