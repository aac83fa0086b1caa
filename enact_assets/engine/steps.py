"""Steps, declared once: typed parameters are the inputs, the return annotation is what is made.

    @step(group="trajectories")
    def path_counts(
        frames: Of[SegmentedFrames], graph: Of[TransitionGraph], gating: Gating
    ) -> Of[PathCounts]:
        ...

A step is a plain function on data frames, which tests and notebooks call. What loads its arguments,
its partitions, its lineage, its code version and its Dagster asset all follow from the declaration.

A parameter is one of:

- ``Of[T]``: the one partition of table ``T`` that belongs to the partition that is made;
  ``All[T]``: rows of every partition, in dimensions that the step lacks; ``Later[T]``: ``Of[T]``,
  loaded when it is called; ``Versions[T]``: content hash by partition name, no row is read;
- a bundle, a dataclass whose fields are such tables and settings: inputs that come together;
  ``Each[Bundle]``: one for each name of the dimension that the step lacks, loaded when asked for;
- a type registered by :func:`settings`: the entry of the settings file that belongs to it;
- a type that a function decorated with :func:`provides` makes: a narrow handle to what is no table;
- ``Annotated[str, Name("model")]``: the name in that dimension.

``Annotated[..., Rule(...)]`` says what is not plain: see :class:`Rule`.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass, replace
from functools import cached_property
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Generic,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import dataframely as dy
import polars as pl

from enact_assets.contracts.errors import DeclarationError
from enact_assets.engine.graph import Input
from enact_assets.engine.tables import Table

S = TypeVar("S", bound=Table)
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Rule:
    """How the partitions of an input follow from the one that is made, where not by name.

    ``fixed``: dimensions with the one name that is read. ``when``: the name of a condition, without
    which the argument is None. ``is_vouched``: rows of another input carry a hash of it, so it
    makes nothing stale by itself; say in the docstring which.
    """

    is_many: bool = False
    fixed: tuple[tuple[str, str], ...] = ()
    when: str | None = None
    is_vouched: bool = False


class Name(NamedTuple):
    """``Annotated[str, Name("model")]``: the name of the partition in one dimension."""

    dimension: str


All = Annotated[dy.DataFrame[S], Rule(is_many=True)]
"""``All[Qa]``: rows of all partitions of current names, in the order of the partitions."""


class Versions(dict[str, str], Generic[S]):
    """Name -> content hash of the partition, in the one dimension that the step lacks."""


class Later(Generic[S]):
    """A partition that is loaded when it is called for; the same rows each time."""

    def __init__(self, load: Callable[[], pl.DataFrame]) -> None:
        self._load = load

    def __call__(self) -> pl.DataFrame:
        """The rows. Errors: as those of loading an ``Of[T]``."""
        return self._load()


class Each(Generic[T]):
    """A bundle per name of the dimension that the step lacks, loaded when it is asked for."""

    def __init__(self, load: Callable[[str], T]) -> None:
        self._load = load
        self._held: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._held:
            self._held[name] = self._load(name)
        return self._held[name]


@dataclass(frozen=True)
class Read:
    """One table that a parameter reads; ``field`` is its field of a bundle, else empty."""

    field: str
    table: type[Table]
    rule: Rule

    @property
    def input(self) -> Input:
        """As the graph has it."""
        return Input(self.table.table_name(), fixed=self.rule.fixed, when=self.rule.when)


@dataclass(frozen=True)
class Param:
    """One parameter. ``kind``: table, later, versions, bundle, each, settings, handle or name.

    ``of`` is the type that is annotated, or the dimension of a name.
    """

    name: str
    kind: str
    of: Any
    rule: Rule
    reads: tuple[Read, ...] = ()
    settings: tuple[tuple[str, type], ...] = ()
    """Fields of a bundle that are settings."""


@dataclass(frozen=True)
class Setting:
    """Where a settings type comes from: config root ``root``, partitioned by ``dimension``."""

    root: str
    dimension: str | None


@dataclass(frozen=True)
class Handle:
    """What makes a handle, and the external inputs that it reads."""

    provider: Callable[..., Any]
    reads: tuple[str, ...]


SETTINGS: dict[type, Setting] = {}
HANDLES: dict[type, Handle] = {}
DETERMINES: dict[str, str] = {}
"""Dimension -> one that it decides."""
CONDITIONS: dict[str, tuple[str, Callable[[Any], bool]]] = {}
"""Condition of a rule -> the dimension whose settings decide it, and for which of them it holds."""
STEPS: dict[str, "Step"] = {}


@dataclass(frozen=True)
class Step:
    """A declared step.

    ``job`` makes its partitions together with those of the other steps that name it.
    ``version`` replaces the version of its code where making its rows again costs hours or money.
    ``summary`` is called with those of the arguments, and of the tables made, that its parameters
    name; what it returns is shown to people and takes no part in the version.
    """

    function: Callable[..., Any]
    group: str
    job: str
    pool: str | None
    version: str | None
    summary: Callable[..., Mapping[str, Any]] | None
    kinds: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the function."""
        return self.function.__name__

    @property
    def by(self) -> tuple[str, ...]:
        """Dimensions of its partitions."""
        return self.outputs[0].by

    @property
    def reads(self) -> Iterator[Read]:
        """All tables that it reads."""
        return (read for param in self.params for read in param.reads)

    @cached_property
    def outputs(self) -> tuple[type[Table], ...]:
        """Tables that it makes."""
        made = self._hints.get("return")
        parts = get_args(made) if get_origin(made) is tuple else (made,)
        return tuple(_table(part, f"{self.name}: what it returns") for part in parts)

    @cached_property
    def params(self) -> tuple[Param, ...]:
        """Its parameters in their order."""
        return tuple(self._param(name) for name in inspect.signature(self.function).parameters)

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self.function, include_extras=True)

    def _param(self, name: str) -> Param:  # noqa: PLR0911 - one for each kind
        where, rule = f"step {self.name!r}, parameter {name!r}", Rule()
        if name not in self._hints:
            raise DeclarationError(f"{where}: it needs an annotation that names an input: Of[Qa]")
        kind = _without_none(self._hints[name])
        if get_origin(kind) is Annotated:
            kind, extra = get_args(kind)
            if isinstance(extra, Name):
                return self._name(name, extra.dimension, where)
            rule, kind = extra, _without_none(kind)
        if kind in SETTINGS:
            return Param(name, "settings", kind, rule)
        if kind in HANDLES:
            return Param(name, "handle", kind, rule)
        if is_dataclass(kind):
            return self._bundle(name, "bundle", kind, rule, where)
        if get_origin(kind) is Each:
            rule = replace(rule, is_many=True)
            return self._bundle(name, "each", get_args(kind)[0], rule, where)
        if get_origin(kind) is Versions:
            rule = replace(rule, is_many=True)
            return Param(name, "versions", kind, rule, (self._read("", kind, rule, where),))
        word = "later" if get_origin(kind) is Later else "table"
        return Param(name, word, kind, rule, (self._read("", kind, rule, where),))

    def _name(self, name: str, dimension: str, where: str) -> Param:
        if dimension not in self.by:
            raise DeclarationError(
                f"{where}: {self.name} has no dimension {dimension!r}: {self.by}"
            )
        return Param(name, "name", dimension, Rule())

    def _bundle(self, name: str, word: str, bundle: Any, rule: Rule, where: str) -> Param:
        hints = {
            f: _without_none(h) for f, h in get_type_hints(bundle, include_extras=True).items()
        }
        settings = tuple((f, h) for f, h in hints.items() if h in SETTINGS)
        tables = {f: h for f, h in hints.items() if h not in SETTINGS}
        lacking = {d for h in tables.values() for d in _table(h, where).by if d not in self.by}
        if word == "each" and not lacking - {DETERMINES.get(d) for d in self.by}:
            raise DeclarationError(
                f"{where}: exactly one {bundle.__name__} belongs to each partition"
            )
        reads = tuple(self._read(f, h, rule, f"{where}.{f}", word) for f, h in tables.items())
        return Param(name, word, bundle, rule, reads, settings)

    def _read(self, field: str, hint: Any, rule: Rule, where: str, word: str = "") -> Read:
        found = _table(hint, where)
        known = {*self.by, *(DETERMINES[d] for d in self.by if d in DETERMINES), *dict(rule.fixed)}
        free = [d for d in found.by if d not in known]
        name = found.__name__
        if free and not rule.is_many:
            raise DeclarationError(
                f"{where}: {name} has a partition for each {free[0]}, {self.name} has not. "
                f"Did you mean All[{name}]?"
            )
        if rule.is_many and not free and word != "each":
            raise DeclarationError(
                f"{where}: exactly one partition of {name} belongs to each that is made. "
                f"Did you mean Of[{name}]?"
            )
        return Read(field, found, rule)


def step(
    *,
    group: str,
    job: str | None = None,
    pool: str | None = None,
    version: str | None = None,
    summary: Callable[..., Mapping[str, Any]] | None = None,
    kinds: tuple[str, ...] = ("polars", "parquet"),
) -> Callable[[F], F]:
    """Decorator: declare a function as a step. It stays the function it is.

    Errors: :class:`DeclarationError` says which parameter declares what cannot be, and why.
    """

    def declare(function: F) -> F:
        job_name = job or f"make_{function.__name__}"
        declared = Step(function, group, job_name, pool, version, summary, kinds)
        _ = declared.outputs, declared.params  # wrong declarations are found here
        STEPS[declared.name] = declared
        return function

    return declare


def settings(kind: type, root: str, dimension: str | None = None) -> None:
    """Register a settings type: an argument of it is the entry of ``root`` in ``dimension``."""
    SETTINGS[kind] = Setting(root, dimension)


def provides(*, reads: tuple[str, ...] = ()) -> Callable[[F], F]:
    """Decorator: the function makes handles of the type that it is annotated to return.

    It is called with the tools of the run, the partition that is made (dimension -> name) and the
    arguments loaded so far. ``reads`` are the external inputs that the handle opens.
    """

    def register(provider: F) -> F:
        HANDLES[get_type_hints(provider)["return"]] = Handle(provider, reads)
        return provider

    return register


def _without_none(kind: Any) -> Any:
    if get_origin(kind) in {Union, UnionType}:
        (kind,) = (a for a in get_args(kind) if a is not NoneType)
    return kind


def _table(hint: Any, where: str) -> type[Table]:
    args = get_args(hint)
    if len(args) == 1 and isinstance(args[0], type) and issubclass(args[0], Table):
        return args[0]
    raise DeclarationError(
        f"{where}: {hint!r} is neither Of[a table], All, Later, Versions, Each or a bundle, nor "
        "settings, a handle or a partition's name"
    )
