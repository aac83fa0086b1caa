"""Tables as classes: grain, key, partition dimensions, and columns with type, unit and meaning.

One name, many places: the class ``SceneGraphs`` is the asset, the folder of the lake and the DuckDB
relation ``scene_graphs``. Classes need no registration: modules of this package whose names end in
``_tables`` are imported when the first table is requested by name.
"""

import importlib
import pkgutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, NamedTuple, TypeVar

import polars as pl

from enact_assets.engine.errors import TableContractError, UnknownNameError
from enact_assets.engine.ids import table_sha

# dataframely does without SQLAlchemy where there is none, and imports 0.3 CPU s of it where there
# is, for conversions that nothing here uses. It stays hidden unless it is imported already.
_IS_HIDDEN = sys.modules.setdefault("sqlalchemy", None) is None  # type: ignore[arg-type]
try:
    import dataframely as dy
finally:
    if _IS_HIDDEN:
        del sys.modules["sqlalchemy"]

Of = dy.DataFrame
"""``Of[SceneGraphs]``: rows of that table. At run time a plain polars data frame."""

MODULES = ("_tables", ".tables")
"""Endings of the names of modules that define tables."""
PACKAGE = __name__.partition(".")[0]

T = TypeVar("T", bound="Table")


class Reference(NamedTuple):
    """Ids in ``column`` are ids of rows of table ``of``, found by the partition.

    ``also_in`` are tables that repeat these rows together with the names of that partition.
    ``current_in`` is a table that lists the current ids, in the partition of the same names: of a
    stale partition, rows with other ids are not published.
    """

    column: str
    of: str
    current_in: str
    also_in: tuple[str, ...] = ()


class Table(dy.Schema):
    """One table. The docstring says its grain ("One row per ..."), then what is unexpected about
    its rows.

    ``by`` are its partition dimensions. ``keys`` replaces the default key, the columns with
    ``key=True`` in their order: needed if a column of the key may be null or rows are sorted in
    another order. ``is_in_lake`` says whether its rows are files of the lake, ``is_published``
    whether they are copied to the warehouse. ``image_column`` is the column with the hash of each
    row's stored picture, if rows have one. ``refers_to`` declares the rows of another table that
    its rows are about, if only ids say so.
    """

    by: ClassVar[tuple[str, ...]] = ()
    keys: ClassVar[tuple[str, ...]] = ()
    is_in_lake: ClassVar[bool] = True
    is_published: ClassVar[bool] = True
    image_column: ClassVar[str | None] = None
    refers_to: ClassVar["Reference | None"] = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not cls.columns():
            return
        name = cls.table_name()
        twin = _DEFINED.get(name)
        if twin is not None and (twin.__module__, twin.__qualname__) != (
            cls.__module__,
            cls.__qualname__,
        ):
            raise TableContractError(
                f"two tables are called {name}: {twin.__module__} has the other"
            )
        named = (*cls.by, *cls.key(), *([cls.image_column] if cls.image_column else []))
        lost = [c for c in named if c not in cls.columns()]
        if lost or not cls.key():
            raise TableContractError(
                f"{name}: its key, partition or pictures have no column {lost or 'at all'}"
            )
        _DEFINED[name] = cls

    @classmethod
    def table_name(cls) -> str:
        """Name of the class in snake_case."""
        return _snake_case(cls.__name__)

    @classmethod
    def grain(cls) -> str:
        """What one row is: the first paragraph of the docstring."""
        return " ".join((cls.__doc__ or "").partition("\n\n")[0].split()).rstrip(".")

    @classmethod
    def remark(cls) -> str:
        """What is unexpected about its rows: the rest of the docstring; may be empty."""
        return " ".join((cls.__doc__ or "").partition("\n\n")[2].split())

    @classmethod
    def key(cls) -> tuple[str, ...]:
        """Columns that identify a row, in the order by which rows are sorted."""
        return cls.keys or tuple(cls.primary_key())

    @classmethod
    def schema(cls) -> Mapping[str, pl.DataType]:
        """Polars types in column order."""
        return _schema(cls)

    @classmethod
    def empty(cls: type[T]) -> Of[T]:
        """The table without rows."""
        return cls.of(pl.DataFrame(schema=dict(cls.schema())))

    @classmethod
    def concat(cls: type[T], parts: Sequence[pl.DataFrame]) -> Of[T]:
        """Rows of all ``parts``, in their order; an empty table if there are no parts."""
        return cls.of(pl.concat([cls.empty(), *parts]))

    @classmethod
    def of(cls: type[T], rows: pl.DataFrame) -> Of[T]:
        """``rows`` typed as rows of this table, for type checkers. Nothing is checked."""
        return rows  # type: ignore[return-value]

    @classmethod
    def build(cls: type[T], rows: Sequence[Mapping[str, Any]]) -> Of[T]:
        """Rows as dictionaries -> a table in key order; absent values are null.

        Errors: as :meth:`arranged`, also for a value of another type than its column's.
        """
        nested = [name for name, dtype in cls.schema().items() if dtype.is_nested()]
        flat = {name: dtype for name, dtype in cls.schema().items() if name not in nested}
        lists = [cls._lists(name, [row.get(name) for row in rows]) for name in nested]
        return cls.arranged(pl.DataFrame(rows, schema=flat, orient="row").with_columns(lists))

    @classmethod
    def arranged(cls: type[T], rows: pl.DataFrame, partition: str = "") -> Of[T]:
        """``rows`` in column and key order. Rules are not checked here, but once, when the engine
        takes the rows.

        Errors: :class:`TableContractError` for columns other than those of this table.
        """
        cls._check_columns(rows, cls._where(partition))
        return cls.of(_in_order(rows.select(list(cls.schema())), cls.key()))

    @classmethod
    def check(cls: type[T], rows: pl.DataFrame, partition: str = "") -> Of[T]:
        """``rows`` in column and key order, after checking every rule of this table.

        Errors: :class:`TableContractError` names the table, the partition, what is wrong, how many
        rows it concerns and the first of them.
        """
        rows = cls.arranged(rows, partition)
        if not cls.is_valid(rows):
            raise TableContractError(f"{cls._where(partition)}: {cls._first_failure(rows)}")
        return cls.of(rows)

    @classmethod
    def _where(cls, partition: str) -> str:
        return cls.table_name() + (f" partition {partition!r}" if partition else "")

    @dy.rule()
    def is_unique(cls) -> pl.Expr:  # noqa: N805 - dataframely calls it with the class
        """Checks a key whose columns may be null; dataframely checks a primary key only."""
        return pl.struct(cls.keys).is_unique() if cls.keys else pl.lit(value=True)

    @classmethod
    def _check_columns(cls, rows: pl.DataFrame, where: str) -> None:
        expected = cls.schema()
        missing = [c for c in expected if c not in rows.columns]
        extra = [c for c in rows.columns if c not in expected]
        if missing or extra:
            raise TableContractError(
                f"{where}: columns differ from those of {cls.__module__}.{cls.__name__} "
                f"(missing: {missing or 'none'}, unexpected: {extra or 'none'})"
            )
        for name, dtype in expected.items():
            if rows.schema[name] != dtype:
                raise TableContractError(
                    f"{where}: column {name!r} has type {rows.schema[name]}, expected {dtype}"
                )

    @classmethod
    def _first_failure(cls, rows: pl.DataFrame) -> str:
        failure = cls.filter(rows).failure
        rule, n = next(iter(failure.counts().items()))
        column, _, what = rule.rpartition("|")
        invalid = pl.col(rule) == "invalid"
        first = failure.details().filter(invalid).row(0, named=True)
        named = [*cls.key(), *([column] if column else [])]
        shown = {name: first[name] for name in dict.fromkeys(named)}
        said = f"{n} of {rows.height} rows"
        if what in {"primary_key", "is_unique"}:
            return f"{said} share their key {cls.key()}, first {shown}"
        if what == "nullability":
            return f"{said} have no {column!r}, first {shown}"
        return f"{said} break rule {rule!r}, first {shown}"

    @classmethod
    def _lists(cls, name: str, values: list[Any]) -> pl.Series:
        """A list column, by way of Arrow: polars takes ten times as long with Python lists."""
        import pyarrow as pa

        dtype = cls.schema()[name]
        kind = pl.Series(name, [], dtype=dtype).to_arrow().type
        try:
            if any(isinstance(value, str) for value in values):
                raise TypeError("a text is not a list")  # Arrow would split it into letters
            return pl.Series(name, pa.array(values, kind), dtype=dtype)
        except (pa.ArrowException, TypeError) as error:
            raise TableContractError(
                f"{cls.table_name()}: column {name!r} of {len(values)} rows does not hold {dtype} "
                f"throughout ({error})"
            ) from error


_DEFINED: dict[str, type[Table]] = {}


class _Tables(Mapping[str, type[Table]]):
    """Name -> table, for all tables with files in the lake, sorted by name."""

    def __getitem__(self, name: str) -> type[Table]:
        return _found()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_found())

    def __len__(self) -> int:
        return len(_found())


TABLES: Mapping[str, type[Table]] = _Tables()


def table(name: str) -> type[Table]:
    """The table called ``name``. Errors: :class:`UnknownNameError`."""
    try:
        return TABLES[name]
    except KeyError:
        raise UnknownNameError.of("table", name, TABLES) from None


@cache
def dimensions() -> frozenset[str]:
    """Every dimension by which tables are partitioned."""
    return frozenset(dimension for found in TABLES.values() for dimension in found.by)


def unit_of(column: dy.Column) -> str | None:
    """Unit of its values; None for names, plain numbers and truth values."""
    unit = (column.metadata or {}).get("unit")
    return None if unit is None else str(unit)


def text(meaning: str, *, key: bool = False, null: bool = False) -> dy.String:
    """Column of texts."""
    return dy.String(description=meaning, primary_key=key, nullable=null)


def integer(
    meaning: str, unit: str | None = None, *, key: bool = False, null: bool = False
) -> dy.Int64:
    """Column of whole numbers."""
    return dy.Int64(description=meaning, metadata={"unit": unit}, primary_key=key, nullable=null)


def number(
    meaning: str, unit: str | None = None, *, key: bool = False, null: bool = False
) -> dy.Float64:
    """Column of finite floating-point numbers."""
    return dy.Float64(description=meaning, metadata={"unit": unit}, primary_key=key, nullable=null)


def truth(meaning: str, *, null: bool = False) -> dy.Bool:
    """Column of true and false."""
    return dy.Bool(description=meaning, nullable=null)


def texts(meaning: str, *, null: bool = False) -> dy.List:
    """Column of lists of texts."""
    return dy.List(dy.String(), description=meaning, nullable=null)


def text_lists(meaning: str, *, null: bool = False) -> dy.List:
    """Column of lists of lists of texts."""
    return dy.List(dy.List(dy.String()), description=meaning, nullable=null)


def integers(meaning: str, unit: str | None = None, *, null: bool = False) -> dy.List:
    """Column of lists of whole numbers."""
    return dy.List(dy.Int64(), description=meaning, metadata={"unit": unit}, nullable=null)


def numbers(meaning: str, unit: str | None = None, *, null: bool = False) -> dy.List:
    """Column of lists of finite 32-bit floating-point numbers."""
    return dy.List(dy.Float32(), description=meaning, metadata={"unit": unit}, nullable=null)


@cache
def _schema(table_class: type[Table]) -> Mapping[str, pl.DataType]:
    return {name: column.dtype for name, column in table_class.columns().items()}


@cache
def _found() -> dict[str, type[Table]]:
    package = importlib.import_module(PACKAGE)
    for module in pkgutil.walk_packages(package.__path__, f"{PACKAGE}."):
        if module.name.endswith(MODULES):
            importlib.import_module(module.name)
    return {
        name: _DEFINED[name]
        for name in sorted(_DEFINED)
        if _DEFINED[name].is_in_lake and _DEFINED[name].__module__.startswith(f"{PACKAGE}.")
    }


def _in_order(rows: pl.DataFrame, key: Sequence[str]) -> pl.DataFrame:
    """``rows`` sorted by ``key``, nulls first. Rows in order are not sorted, as that would copy all
    nested lists.
    """
    keys = rows.select(pl.struct(key)).to_series()
    if keys.is_sorted(nulls_last=False):
        return rows
    return rows.sort(list(key), nulls_last=False, maintain_order=True)


def _snake_case(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def no_rows_sha(name: str) -> str:
    """Content hash of the table called ``name`` without rows; empty if there is no such table."""
    table = TABLES.get(name)
    return "" if table is None else _no_rows_sha(table)


@cache
def _no_rows_sha(table: type[Table]) -> str:
    return table_sha(table.empty(), table.key())
