"""Computes what claims found, and resolves the names that they give."""

import dataclasses
from collections.abc import Mapping, Set
from functools import cache, reduce
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import duckdb
import msgspec
import numpy as np
import polars as pl

from enact_assets.engine.errors import EvaluationError
from enact_assets.engine.package_files import file_bytes
from enact_assets.engine.publishing.sql_files import read_sql_files, sql_folder
from enact_assets.engine.tables import PACKAGE, TABLES
from enact_assets.questions.asked.variant_settings import variant_settings
from enact_assets.results.faithfulness.claims import Claim
from enact_assets.results.paper.results import published_table
from enact_assets.results.published import Ask
from enact_assets.settings.registry import DEFAULT_REGISTRY, load_registry

REGISTRY = "registry: "
"""Before a setting of the shipped registry."""


def value_of(claim: Claim, ask: Ask) -> Any:
    """What the query or the function of ``claim`` gives now; ``ask`` queries the relations.

    One cell is a value, one row or one column a list, more a list of rows. Numbers are rounded to
    ``digits``. Errors: :class:`EvaluationError` for a claim without a computation, and those of
    the query or function.
    """
    if claim.query is not None:
        found: Any = _of_rows(ask(claim.query))
    elif claim.function is not None:
        named = resolve(claim.function)
        found = named(*claim.arguments) if callable(named) else named
    else:
        raise EvaluationError(f"claim at {claim.place}: nothing to compute ({claim.method})")
    return _plain(found, claim.digits)


def _of_rows(rows: pl.DataFrame) -> Any:
    if rows.width == 1:
        values = rows.to_series().to_list()
        return values[0] if len(values) == 1 else values
    found = [list(row) for row in rows.rows()]
    return found[0] if len(found) == 1 else found


def _plain(value: Any, digits: int | None) -> Any:
    """``value`` as JSON has it; numbers rounded."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, bool | None | str | int):
        return value
    if isinstance(value, float):
        return value if digits is None else round(value, digits)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(of, digits) for key, of in value.items()}
    if isinstance(value, Set):
        value = sorted(value)
    return [_plain(of, digits) for of in value]


def resolve(name: str) -> Any:
    """What a claim calls ``name``: a setting of the shipped registry (``registry: a.b``), a
    relation (a name alone), or something of the package (a dotted name).

    Errors: ``KeyError``, ``AttributeError`` or ``ModuleNotFoundError`` for a name of nothing.
    """
    if name.startswith(REGISTRY):
        return _setting(name.removeprefix(REGISTRY).split("."))
    if "." not in name:
        if name not in relation_names():
            raise KeyError(f"no relation is called {name}")
        return name
    parts = [PACKAGE, *name.removeprefix(f"{PACKAGE}.").split(".")]
    n = next(n for n in range(len(parts), 0, -1) if _is_module(".".join(parts[:n])))
    return reduce(_part_of, parts[n:], import_module(".".join(parts[:n])))


def relation_names() -> frozenset[str]:
    """Every relation of the warehouse: tables of the lake and marts."""
    marts = {file.name for file in read_sql_files(sql_folder()) if file.stage == "marts"}
    return frozenset({*TABLES, *marts})


@cache
def _registry_entries() -> Mapping[str, Any]:
    entries: Mapping[str, Any] = msgspec.yaml.decode(file_bytes(DEFAULT_REGISTRY))
    return entries


def _setting(keys: list[str]) -> Any:
    found = reduce(lambda entries, key: entries[key], keys, _registry_entries())
    return dict(found) if isinstance(found, Mapping) else found


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _part_of(owner: Any, name: str) -> Any:
    fields = (
        {field.name: field for field in dataclasses.fields(owner)} if _has_fields(owner) else {}
    )
    if isinstance(owner, type) and name in fields:
        default = fields[name].default
        return fields[name] if default is dataclasses.MISSING else default
    return getattr(owner, name)


def _has_fields(owner: Any) -> bool:
    return dataclasses.is_dataclass(owner)


class ShippedRelations:
    """The relations that every warehouse has before anything is made: published tables, and
    settings of the shipped variants. Queries read no files.
    """

    def __init__(self) -> None:
        self._connection = duckdb.connect(config={"threads": 1, "enable_external_access": False})
        published = (name for name in TABLES if name.startswith("published_"))
        for name in published:
            self._connection.register(name, published_table(TABLES[name]))
        registry = load_registry(DEFAULT_REGISTRY)
        settings = [
            variant_settings(variant, registry.gating(variant.gating))
            for variant in registry.variants.values()
        ]
        self._connection.register("variant_settings", pl.concat(settings))

    def __call__(self, sql: str, values: Mapping[str, object] | None = None, /) -> pl.DataFrame:
        """Rows of one statement."""
        rows: pl.DataFrame = self._connection.sql(sql, params=dict(values or {}) or None).pl()
        return rows
