"""Names of every dimension that exist now, and the rows that belong to them."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

import dagster as dg
import polars as pl

from enact_assets.contracts.lineage import dimensions
from enact_assets.contracts.registry import Registry, load_registry
from enact_assets.defs.resources import DataResource
from enact_assets.lineage.follow import Names


def current_names(
    instance: dg.DagsterInstance,
    registry: Registry,
    added: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> Names:
    """The registry's gatings and variants, what has become a dynamic partition, and ``added``."""

    def of(dimension: str) -> set[str]:
        return {*instance.get_dynamic_partitions(dimension), *added.get(dimension, ())}

    return Names.now(registry, of("demonstration"), of("model"), of("question_file"))


def current_rows(
    instance: dg.DagsterInstance, data: DataResource, table: str, **fixed: str
) -> pl.DataFrame:
    """Rows of all partitions of ``table`` that match ``fixed`` and whose names are current.

    What lineage says a step was made from is just that: a name that left has no say in new rows,
    and its files, damaged or of an older contract, are in nobody's way. Errors: as
    :meth:`Lake.read_all`.
    """
    names = current_names(instance, load_registry())
    among = {d: names.of[d] for d in dimensions(table) if d not in fixed}
    return data.lake.read_all(table, among=among, **fixed)
