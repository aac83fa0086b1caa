"""Kinds of parameters of steps, and registration of settings and handles."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, NamedTuple, TypeVar, get_type_hints

import polars as pl

from enact_assets.engine.graph import Input
from enact_assets.engine.tables import Of, Table

S = TypeVar("S", bound=Table)
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Rule:
    """How the partitions of an input follow from the step's partition, where not by name.

    ``fixed``: dimension -> the one name that is read. ``when``: the name of a condition; where it
    does not hold, the argument is None. ``is_vouched``: rows of another input carry a hash of this
    one, so its changes alone make nothing stale; say in the step's docstring which input.
    """

    is_many: bool = False
    fixed: tuple[tuple[str, str], ...] = ()
    when: str | None = None
    is_vouched: bool = False


class Name(NamedTuple):
    """``Annotated[str, Name("model")]``: the name of the partition in one dimension."""

    dimension: str


All = Annotated[Of[S], Rule(is_many=True)]
"""``All[Qa]``: rows of all partitions with current names, in the order of the partitions."""


class Versions(dict[str, str], Generic[S]):
    """Name -> content hash of the partition, in the one dimension that the step lacks."""


class Later(Generic[S]):
    """A partition that is loaded when the object is called; it returns the same rows each time."""

    def __init__(self, load: Callable[[], pl.DataFrame]) -> None:
        self._load = load

    def __call__(self) -> pl.DataFrame:
        """The rows. Errors: as those of loading an ``Of[T]``."""
        return self._load()


class Each(Generic[T]):
    """A bundle for each name of the dimension that the step lacks, loaded on request."""

    def __init__(self, load: Callable[[str], T]) -> None:
        self._load = load
        self._held: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._held:
            self._held[name] = self._load(name)
        return self._held[name]


@dataclass(frozen=True)
class Read:
    """One table that a parameter reads; ``field`` is its field in a bundle, else empty."""

    field: str
    table: type[Table]
    rule: Rule

    @property
    def input(self) -> Input:
        """The table as an input of the graph."""
        return Input(self.table.table_name(), fixed=self.rule.fixed, when=self.rule.when)


@dataclass(frozen=True)
class Param:
    """One parameter. ``kind``: table, later, versions, bundle, each, settings, handle or name.

    ``of`` is the annotated type, or the dimension of a name.
    """

    name: str
    kind: str
    of: Any
    rule: Rule
    reads: tuple[Read, ...] = ()
    settings: tuple[tuple[str, type], ...] = ()
    """Fields of a bundle that are settings."""
    over: str = ""
    """The dimension, which the step lacks, whose names index ``Each`` and ``Versions``."""


@dataclass(frozen=True)
class Setting:
    """Where a settings type comes from: config root ``root``, partitioned by ``dimension``."""

    kind: type
    root: str
    dimension: str | None


@dataclass(frozen=True)
class Handle:
    """The function that makes a handle, and the external inputs that the handle reads."""

    provider: Callable[..., Any]
    reads: tuple[str, ...]


SETTINGS: dict[type, Setting] = {}
HANDLES: dict[type, Handle] = {}
DETERMINES: dict[str, str] = {}
"""Dimension -> the dimension that its names decide."""
CONDITIONS: dict[str, tuple[str, Callable[[Any], bool]]] = {}
"""Condition of a rule -> the dimension whose settings decide it, and a test of such settings."""


def settings(kind: type, root: str, dimension: str | None = None) -> None:
    """Register a settings type: an argument of it is the entry of ``root`` in ``dimension``."""
    SETTINGS[kind] = Setting(kind, root, dimension)


def provides(*, reads: tuple[str, ...] = ()) -> Callable[[F], F]:
    """Decorator: the function makes handles of its return type.

    It is called with the tools of the run, the step's partition (dimension -> name) and the
    arguments loaded so far. ``reads`` are the external inputs that the handle opens.
    """

    def register(provider: F) -> F:
        HANDLES[get_type_hints(provider)["return"]] = Handle(provider, reads)
        return provider

    return register
