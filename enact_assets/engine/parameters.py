"""Kinds of parameters of steps, and registration of settings and handles."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, NamedTuple, TypeVar, get_type_hints

import dataframely as dy
import polars as pl

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
    over: str = ""
    """The dimension whose names ``Each`` and ``Versions`` have, which the step lacks."""


@dataclass(frozen=True)
class Setting:
    """Where a settings type comes from: config root ``root``, partitioned by ``dimension``."""

    kind: type
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


def settings(kind: type, root: str, dimension: str | None = None) -> None:
    """Register a settings type: an argument of it is the entry of ``root`` in ``dimension``."""
    SETTINGS[kind] = Setting(kind, root, dimension)


def provides(*, reads: tuple[str, ...] = ()) -> Callable[[F], F]:
    """Decorator: the function makes handles of the type that it is annotated to return.

    It is called with the tools of the run, the partition that is made (dimension -> name) and the
    arguments loaded so far. ``reads`` are the external inputs that the handle opens.
    """

    def register(provider: F) -> F:
        HANDLES[get_type_hints(provider)["return"]] = Handle(provider, reads)
        return provider

    return register
