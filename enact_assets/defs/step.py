"""Steps as Dagster assets: what is the same for all of them, from the contracts.

A body reads the lake, calls one table function and lands its rows. Inputs, partitions, code
versions, provenance and automation are added here.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import dagster as dg

from enact_assets.contracts.lineage import STEP_NAMED
from enact_assets.defs.automation import on_changed_data
from enact_assets.defs.making import making
from enact_assets.defs.partitions import Partitions
from enact_assets.defs.pools import POOL_OF
from enact_assets.defs.resources import DataResource
from enact_assets.defs.tables import asset_spec

Landed = dg.MaterializeResult[Any]
Body = Callable[[dg.AssetExecutionContext, DataResource], "Landed | Iterator[Landed]"]


def step(
    p: Partitions,
    name: str,
    *,
    group: str,
    about: str | Mapping[str, str],
    kinds: Collection[str] = ("polars", "parquet"),
) -> Callable[[Body], dg.AssetsDefinition]:
    """Decorator: the body of step ``name`` becomes a Dagster multi-asset.

    ``about`` says what the rows are, for each asset if the step lands several.
    """
    spec = STEP_NAMED[name]
    partitions_def = p.of(spec.assets[0])
    specs = [
        asset_spec(
            asset,
            group=group,
            deps=p.deps(spec),
            partitions_def=partitions_def,
            kinds=kinds,
            about=about if isinstance(about, str) else about[asset],
            automation_condition=on_changed_data(),
        )
        for asset in spec.assets
    ]

    def decorate(body: Body) -> dg.AssetsDefinition:
        @dg.multi_asset(
            name=name,
            specs=specs,
            partitions_def=partitions_def,
            pool=POOL_OF.get(name),
            description=body.__doc__,
        )
        def run(context: dg.AssetExecutionContext, data: DataResource) -> Iterator[Landed]:
            with making(context, data, name):
                result = body(context, data)
                if isinstance(result, dg.MaterializeResult):
                    yield result
                else:
                    yield from result

        return run

    return decorate
