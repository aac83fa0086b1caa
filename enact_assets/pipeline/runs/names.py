"""Current names of every dimension, and the rows that belong to them."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

import dagster as dg

from enact_assets.engine.graph import Names
from enact_assets.pipeline.lineage.graph import names_now
from enact_assets.settings.registry import Registry


def current_names(
    instance: dg.DagsterInstance,
    registry: Registry,
    added: Mapping[str, Collection[str]] = MappingProxyType({}),
    left_out: Collection[str] = (),
) -> Names:
    """The registry's gatings and variants, what has become a dynamic partition, and ``added``;
    without the demonstrations ``left_out``.
    """

    def of(dimension: str) -> set[str]:
        return {*instance.get_dynamic_partitions(dimension), *added.get(dimension, ())}

    demonstrations = of("demonstration").difference(left_out)
    files, sources = of("question_file"), of("world_source")
    return names_now(registry, demonstrations, of("model"), files, world_sources=sources)
