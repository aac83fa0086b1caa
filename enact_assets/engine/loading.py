"""Loads the arguments of steps as declared, and calls the steps. No Dagster."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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
from enact_assets.engine.tables import Table


class Store(Protocol):
    """Where rows are kept."""

    def read(self, table_name: str, partition: Mapping[str, str], /) -> pl.DataFrame:
        """Rows of one partition."""
        ...

    def content_sha(self, table_name: str, partition: Mapping[str, str], /) -> str:
        """Hash of its rows."""
        ...

    def partitions(self, table_name: str, /) -> Sequence[Mapping[str, str]]:
        """Partitions that are there, sorted."""
        ...


@dataclass(frozen=True)
class World:
    """What steps are run with.

    ``setting`` gives the entry of a settings type, by its name in the type's dimension (None if it
    has none). ``tools`` are handed to whatever makes handles. ``bundles`` are those loaded so far:
    the same rows and settings are the same bundle, with whatever it has computed.
    """

    store: Store
    names: Names
    setting: Callable[[type, str | None], Any]
    tools: Any = None
    bundles: dict[tuple[Any, ...], Any] = field(default_factory=dict)


_running: ContextVar[Step | None] = ContextVar("engine_step", default=None)


@contextmanager
def _as_running(step: Step | None) -> Iterator[None]:
    token = _running.set(step)
    try:
        yield
    finally:
        _running.reset(token)


def check_declared(table_name: str) -> None:
    """A store asks this before it reads.

    Errors: :class:`UndeclaredReadError` while the body of a step runs: its inputs are its
    parameters, and what it reads besides would go unnoticed when it changes.
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
    step: Step, partition: Mapping[str, str], world: World
) -> Iterator[tuple[type[Table], pl.DataFrame, Mapping[str, Any]]]:
    """Load the arguments of ``step`` and call it: each table that it makes, rows and summary.

    ``partition`` maps dimension -> name. Rows are checked here, and only here; the summary is that
    of the whole step and comes with its first table.
    Errors: those of loading and of the step; :class:`TableContractError` for rows that are none of
    the table; :class:`UndeclaredReadError` for a body that reads
    what it does not declare.
    """
    arguments = load_arguments(step, partition, world)
    with _as_running(step):
        made = step.function(**arguments)
    text = ", ".join(f"{dimension}={name}" for dimension, name in partition.items())
    parts = [
        table.check(part, text)
        for table, part in zip(
            step.outputs, made if isinstance(made, tuple) else (made,), strict=True
        )
    ]
    rows = {t.table_name(): part for t, part in zip(step.outputs, parts, strict=True)}
    summary = _summary(step, partition, world, {**arguments, **rows})
    for table, part in zip(step.outputs, parts, strict=True):
        yield table, part, summary
        summary = {}


def load_arguments(step: Step, partition: Mapping[str, str], world: World) -> dict[str, Any]:
    """Arguments of ``step`` by name.

    Errors: :class:`MissingPartitionError` and others of the store.
    """
    return _load(step.params, partition, world)


def _load(params: Sequence[Param], partition: Mapping[str, str], world: World) -> dict[str, Any]:
    loader = _Loader(dict(partition), world)
    loaded: dict[str, Any] = {}
    # Handles are made from what was loaded.
    for param in sorted(params, key=lambda p: p.kind == "handle"):
        loaded[param.name] = loader.argument(param, loaded)
    return {param.name: loaded[param.name] for param in params}


def _summary(
    step: Step, partition: Mapping[str, str], world: World, known: Mapping[str, Any]
) -> Mapping[str, Any]:
    """What is shown of what ``step`` made; nothing where the summary needs tools and has none."""
    if step.summary is None or (step.shown and world.tools is None):
        return {}
    try:
        shown = _load(step.shown, partition, world)
    except EnactError as error:  # what is only shown must not fail what was made
        return {"no summary": str(error)}
    wanted = inspect.signature(step.summary).parameters
    given = {**known, **shown}
    return step.summary(**{name: given[name] for name in wanted})


class _Loader:
    def __init__(self, partition: dict[str, str], world: World) -> None:
        self._partition, self._world = partition, world
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
                return HANDLES[param.of].provider(self._world.tools, self._partition, loaded)
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
        return Follow(tuple(self._partition), read.input, self._world.names)

    def _partitions(self, read: Read) -> list[dict[str, str]] | None:
        """Partitions of an input that belong to what is made; None if it is not an input."""
        follow, by = self._follow(read), read.table.by
        groups = follow.groups(self._made)
        if not groups:
            return None
        if not follow.is_rolled_up:
            return [group.as_dict(by) for group in groups]
        names = self._world.names
        there = self._world.store.partitions(read.table.table_name())
        bound = [group.as_dict(follow.bound).items() for group in groups]
        return [
            dict(found)
            for found in there
            if any(group <= found.items() for group in bound)
            and names.has(read.table.table_name(), Partition(found[d] for d in by))
        ]

    def _is_read(self, param: Param) -> bool:
        """Whether the condition holds under which a handle is given."""
        if param.rule.when is None:
            return True
        names = self._world.names
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
        rows = [self._world.store.read(name, partition) for partition in found]
        if not read.rule.is_many:
            return rows[0]
        return pl.concat([read.table.empty(), *rows])

    def _undisturbed(self, read: Read) -> Any:
        with _as_running(None):
            return self._rows(read)

    def _versions(self, param: Param) -> Versions[Any]:
        (read,) = param.reads
        store, name = self._world.store, read.table.table_name()
        found = self._partitions(read) or []
        return Versions({p[param.over]: store.content_sha(name, p) for p in found})

    def _setting(self, kind: type, rule: Rule) -> Any:
        setting = SETTINGS[kind]
        if setting.dimension is None:
            return self._world.setting(kind, None)
        given = Input(setting.root, fixed=rule.fixed)
        (group,) = Follow(tuple(self._partition), given, self._world.names).groups(self._made)
        return self._world.setting(kind, group[0])

    def _bundle(self, param: Param) -> Any:
        fields = {read.field: self._rows(read) for read in param.reads}
        if any(rows is None for rows in fields.values()):
            return None
        parts = fields | {field: self._setting(kind, param.rule) for field, kind in param.settings}
        # A bundle keeps its parts, so no other object has their ids.
        key = (param.of, *map(id, parts.values()))
        if key not in self._world.bundles:
            self._world.bundles[key] = param.of(**parts)
        return self._world.bundles[key]

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
            # The bundle belongs to this partition with one name more.
            with _as_running(None):
                return _Loader({**self._partition, param.over: name}, self._world)._bundle(one)

        return load
