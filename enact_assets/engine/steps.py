"""Steps, declared once: typed parameters are the inputs, the return annotation the outputs.

::

    @step(group="trajectories")
    def path_counts(
        frames: Of[SegmentedFrames], graph: Of[TransitionGraph], gating: Gating
    ) -> Of[PathCounts]:
        ...

A step is a plain function on data frames, which tests and notebooks can call. Loading its
arguments, its partitions, its lineage, its code version and its Dagster asset all follow from the
declaration.

A parameter is one of:

- ``Of[T]``: the one partition of table ``T`` that belongs to the step's partition; ``All[T]``: rows
  of all its partitions in the dimensions that the step lacks; ``Later[T]``: ``Of[T]``, loaded when
  it is called; ``Versions[T]``: content hash by partition name, without reading rows;
- a bundle, a dataclass whose fields are such tables and settings: inputs that are read together;
  ``Each[Bundle]``: one for each name of the dimension that the step lacks, loaded on request;
- a type registered by :func:`~enact_assets.engine.parameters.settings`: the entry of the settings
  file for the step's partition;
- a type returned by a function decorated with :func:`provides`: a narrow handle to something that
  is not a table;
- ``Annotated[str, Name("model")]``: the name in that dimension.

``Annotated[..., Rule(...)]`` declares how an input's partitions follow where not by name: see
:class:`Rule`.

A summary may have parameters that the step lacks, annotated like those of a step. They are loaded
for the summary alone, after the step, and are not inputs, so their changes make nothing stale.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass, replace
from functools import cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from enact_assets.engine.errors import DeclarationError
from enact_assets.engine.parameters import (
    DETERMINES,
    HANDLES,
    SETTINGS,
    Each,
    Later,
    Name,
    Param,
    Read,
    Rule,
    Versions,
)
from enact_assets.engine.tables import Table

F = TypeVar("F", bound=Callable[..., Any])

STEPS: dict[str, "Step"] = {}


@dataclass(frozen=True)
class Step:
    """A declared step.

    Steps with the same ``job`` are made together.
    ``version`` replaces the version of its code where making its rows again costs hours or money.
    ``summary`` is called with the arguments and made tables that its parameters name, and with its
    own inputs (:attr:`shown`). Its result is shown to people and is not part of the version.
    Partitions are made only of names for which the conditions ``when`` hold.
    """

    function: Callable[..., Any]
    group: str
    job: str
    pool: str | None
    version: str | None
    summary: Callable[..., Mapping[str, Any]] | None
    kinds: tuple[str, ...]
    when: tuple[str, ...] = ()

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
        where = f"step {self.name!r}: what it returns"
        tables = tuple(table_of(part, where) for part in parts)
        for other in tables:
            if other.by != tables[0].by:
                raise DeclarationError(
                    f"{where}: {other.__name__} has partitions by {other.by}, "
                    f"{tables[0].__name__} by {tables[0].by}. One step makes both at once."
                )
        return tables

    @cached_property
    def params(self) -> tuple[Param, ...]:
        """Its parameters in their order."""
        names = inspect.signature(self.function).parameters
        annotations = _Annotations(self.name, self.by)
        return tuple(annotations.param(name, self._hints.get(name)) for name in names)

    @cached_property
    def shown(self) -> tuple[Param, ...]:
        """Parameters of the summary that are neither arguments of the step nor tables it makes."""
        if self.summary is None:
            return ()
        known = {p.name for p in self.params} | {t.table_name() for t in self.outputs}
        names = [n for n in inspect.signature(self.summary).parameters if n not in known]
        hints = get_type_hints(self.summary, include_extras=True) if names else {}
        annotations = _Annotations(self.name, self.by)
        return tuple(annotations.param(name, hints.get(name)) for name in names)

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self.function, include_extras=True)


def step(
    *,
    group: str,
    job: str | None = None,
    pool: str | None = None,
    version: str | None = None,
    summary: Callable[..., Mapping[str, Any]] | None = None,
    kinds: tuple[str, ...] = ("polars", "parquet"),
    when: str | tuple[str, ...] = (),
) -> Callable[[F], F]:
    """Decorator: declare a function as a step. The function itself is returned unchanged.

    Errors: :class:`DeclarationError` names the parameter and what is wrong with its declaration.
    """

    def declare(function: F) -> F:
        job_name = job or f"make_{function.__name__}"
        conditions = (when,) if isinstance(when, str) else when
        declared = Step(function, group, job_name, pool, version, summary, kinds, conditions)
        _ = declared.outputs, declared.params, declared.shown  # wrong declarations are found here
        twin = STEPS.get(declared.name)
        if twin is not None and twin.function.__module__ != function.__module__:
            raise DeclarationError(
                f"two steps are called {declared.name!r}: {twin.function.__module__} has the other"
            )
        STEPS[declared.name] = declared
        return function

    return declare


@dataclass(frozen=True)
class _Annotations:
    """Reads the parameters of one step, which has partitions ``by``, from their annotations."""

    step: str
    by: tuple[str, ...]

    def param(self, name: str, hint: Any) -> Param:  # noqa: PLR0911 - one for each kind
        """The parameter ``name`` with annotation ``hint``, None without one.

        Errors: :class:`DeclarationError` names the parameter and what is wrong with it.
        """
        where = f"step {self.step!r}, parameter {name!r}"
        if hint is None:
            raise DeclarationError(f"{where}: it needs an annotation that names an input: Of[Qa]")
        kind, rule, named = _unwrapped(hint, where)
        if named is not None:
            return self._name(name, named.dimension, where)
        if kind in SETTINGS:
            self._check_setting(kind, self._known(rule), rule, where)
            return Param(name, "settings", kind, rule)
        if kind in HANDLES:
            return Param(name, "handle", kind, rule)
        if is_dataclass(kind):
            return self._bundle(name, "bundle", kind, rule, where)
        if get_origin(kind) is Each:
            (bundle,) = get_args(kind)
            if not is_dataclass(bundle):
                raise DeclarationError(
                    f"{where}: Each takes a dataclass of tables, not {bundle.__name__}"
                )
            return self._bundle(name, "each", bundle, rule, where)
        if get_origin(kind) is Versions:
            return self._versions(name, kind, replace(rule, is_many=True), where)
        word = "later" if get_origin(kind) is Later else "table"
        return Param(name, word, kind, rule, (self._read("", kind, rule, where),))

    def _name(self, name: str, dimension: str, where: str) -> Param:
        if dimension not in self.by:
            raise DeclarationError(
                f"{where}: {self.step} has no dimension {dimension!r}: {self.by}"
            )
        return Param(name, "name", dimension, Rule())

    def _versions(self, name: str, kind: Any, rule: Rule, where: str) -> Param:
        read = self._read("", kind, rule, where)
        over = self._over({*read.table.by} - self._known(rule), where)
        return Param(name, "versions", kind, rule, (read,), over=over)

    def _bundle(self, name: str, word: str, bundle: Any, rule: Rule, where: str) -> Param:
        hints = {
            f: _unwrapped(h, where)[0]
            for f, h in get_type_hints(bundle, include_extras=True).items()
        }
        settings = tuple((f, h) for f, h in hints.items() if h in SETTINGS)
        tables = {f: h for f, h in hints.items() if h not in SETTINGS}
        known, over = self._known(rule), ""
        if word == "each":
            rule = replace(rule, is_many=True)
            lacking = {d for h in tables.values() for d in table_of(h, where).by} - known
            if not lacking:
                raise DeclarationError(
                    f"{where}: exactly one {bundle.__name__} belongs to each partition. "
                    f"Did you mean {bundle.__name__}?"
                )
            # The name by which a bundle is requested may determine the name in another dimension.
            over = self._over(lacking - set(_determined(tuple(lacking))), where)
            known |= {over, *_determined((over,))}
        for field, kind in settings:
            self._check_setting(kind, known, rule, f"{where}.{field}")
        reads = tuple(self._read(f, h, rule, f"{where}.{f}", word) for f, h in tables.items())
        return Param(name, word, bundle, rule, reads, settings, over)

    def _known(self, rule: Rule) -> set[str]:
        """Dimensions in which exactly one name is read."""
        return {*self.by, *_determined(self.by), *dict(rule.fixed)}

    def _over(self, lacking: set[str], where: str) -> str:
        if len(lacking) > 1:
            raise DeclarationError(
                f"{where}: {self.step} has no partition for each {' and '.join(sorted(lacking))}; "
                "Each and Versions have the names of one dimension"
            )
        return lacking.pop()

    def _check_setting(self, kind: type, known: set[str], rule: Rule, where: str) -> None:
        dimension = SETTINGS[kind].dimension
        _check_fixed(rule, () if dimension is None else (dimension,), kind.__name__, where)
        if dimension is not None and dimension not in known:
            raise DeclarationError(
                f"{where}: there is one {kind.__name__} for each {dimension}, and {self.step} has "
                f"no dimension {dimension!r}: {self.by}"
            )

    def _read(self, field: str, hint: Any, rule: Rule, where: str, word: str = "") -> Read:
        found = table_of(hint, where)
        name = found.__name__
        _check_fixed(rule, found.by, name, where)
        free = [d for d in found.by if d not in self._known(rule)]
        if free and not rule.is_many:
            raise DeclarationError(
                f"{where}: {name} has a partition for each {free[0]}, {self.step} has not. "
                f"Did you mean All[{name}]?"
            )
        if rule.is_many and not free and word != "each":
            raise DeclarationError(
                f"{where}: exactly one partition of {name} belongs to each that is made. "
                f"Did you mean Of[{name}]?"
            )
        return Read(field, found, rule)


def _unwrapped(hint: Any, where: str) -> tuple[Any, Rule, Name | None]:
    """The type that is annotated, its rules as one, and the dimension that it names.

    Annotations nest, as in ``Annotated[All[Qa], Rule(fixed=...)] | None``.
    """
    hint = _without_none(hint, where)
    extra: list[Any] = []
    if get_origin(hint) is Annotated:
        hint, *extra = get_args(hint)
    rules = [e for e in extra if isinstance(e, Rule)]
    rule = Rule(
        any(r.is_many for r in rules),
        tuple(fixed for r in rules for fixed in r.fixed),
        next((r.when for r in rules if r.when is not None), None),
        any(r.is_vouched for r in rules),
    )
    named = next((e for e in extra if isinstance(e, Name)), None)
    return _without_none(hint, where), rule, named


def _without_none(kind: Any, where: str) -> Any:
    if get_origin(kind) in {Union, UnionType}:
        kinds = [a for a in get_args(kind) if a is not NoneType]
        if len(kinds) > 1:
            raise DeclarationError(f"{where}: a parameter has one type, or one type and None")
        return kinds[0]
    return kind


def _determined(dimensions: tuple[str, ...]) -> tuple[str, ...]:
    found = tuple(DETERMINES[d] for d in dimensions if d in DETERMINES)
    return (*found, *_determined(found)) if found else ()


def _check_fixed(rule: Rule, dimensions: tuple[str, ...], name: str, where: str) -> None:
    for dimension, fixed in rule.fixed:
        if dimension not in dimensions:
            raise DeclarationError(
                f"{where}: {name} has no dimension {dimension!r}, whose name {fixed!r} is fixed"
            )


def table_of(hint: Any, where: str) -> type[Table]:
    """The table of ``Of[T]`` and its like. Errors: :class:`DeclarationError` names ``where``."""
    args = get_args(hint)
    if len(args) == 1 and isinstance(args[0], type) and issubclass(args[0], Table):
        return args[0]
    raise DeclarationError(
        f"{where}: {hint!r} is neither Of[a table], All, Later, Versions, Each or a bundle, nor "
        "settings, a handle or a partition's name"
    )
