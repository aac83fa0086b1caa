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
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from enact_assets.engine.annotations import params_of, table_of
from enact_assets.engine.errors import DeclarationError
from enact_assets.engine.parameters import Param, Read
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
        return params_of(self.name, self.by, {name: self._hints.get(name) for name in names})

    @cached_property
    def shown(self) -> tuple[Param, ...]:
        """Parameters of the summary that are neither arguments of the step nor tables it makes."""
        if self.summary is None:
            return ()
        known = {p.name for p in self.params} | {t.table_name() for t in self.outputs}
        names = [n for n in inspect.signature(self.summary).parameters if n not in known]
        hints = get_type_hints(self.summary, include_extras=True) if names else {}
        return params_of(self.name, self.by, {name: hints.get(name) for name in names})

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
