"""Warehouse: one DuckDB file with every table and mart, checked, then swapped in."""

from typing import Any

import dagster as dg
import polars as pl

from enact_assets.contracts.errors import MaterializationError
from enact_assets.contracts.registry import load_registry
from enact_assets.defs.code import code_version
from enact_assets.defs.freshness import Freshness, current_names, find_stale
from enact_assets.defs.partitions import Partitions
from enact_assets.defs.resources import DataResource
from enact_assets.defs.staleness import Node
from enact_assets.defs.tables import markdown_table
from enact_assets.storage.warehouse import publish, query

GROUP = "warehouse"
UPSTREAM = (
    "demonstrations", "facts", "objects", "segmented_frames", "scene_graphs", "visibility",
    "frame_images", "transition_graph", "edited_objects", "path_counts", "trajectories", "qa",
    "question_orders", "question_set", "asked_questions", "wanted_frames", "official_questions",
    "predictions", "evaluation", "probes",
)  # fmt: skip


def assets(_: Partitions) -> list[dg.AssetsDefinition]:
    """One unpartitioned asset, downstream of everything."""

    @dg.asset(
        deps=[dg.AssetDep(u, partition_mapping=dg.AllPartitionMapping()) for u in UPSTREAM],
        group_name=GROUP,
        kinds={"duckdb", "sql"},
        code_version=code_version("warehouse"),
    )
    def warehouse(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        """Everything as SQL: staging tables, marts (leaderboard, probe deltas, statistics), checks.

        A fresh file is built beside the old one and swapped in only if all checks pass. Whoever
        holds the old file open keeps a consistent snapshot and blocks nobody.
        """
        names = current_names(context.instance)
        if not names["demonstration"] and data.lake.partitions("demonstrations"):
            raise MaterializationError(
                f"{data.root}: the lake holds demonstrations, this Dagster instance knows none. "
                "Publishing would empty the warehouse: start Dagster with the DAGSTER_HOME of this "
                "data root (enact-assets ui does)."
            )
        stale = stale_partitions(context.instance, data)
        report = publish(data.lake, data.warehouse_path, names=names, stale=stale)
        board = query(data.warehouse_path, "select * from leaderboard where length is null")
        context.log.info(f"published {data.warehouse_path}; {stale.height} stale partitions")
        return dg.MaterializeResult(
            data_version=dg.DataVersion(report.content_sha),
            metadata={
                "path": dg.MetadataValue.path(str(data.warehouse_path)),
                "leaderboard": dg.MetadataValue.md(markdown_table(board)),
                "rows": dg.MetadataValue.json(report.rows),
                "stale partitions": dg.MetadataValue.md(markdown_table(stale, 60)),
            },
        )

    return [warehouse]


def stale_partitions(instance: dg.DagsterInstance, data: DataResource) -> pl.DataFrame:
    """Partitions whose rows are published though they are older than what they are made from."""
    from enact_assets.defs.assets import all_assets

    definitions = dg.Definitions(
        assets=all_assets(Partitions(load_registry())), resources={"data": data}
    )
    graph = definitions.resolve_asset_graph()
    nodes: list[Node] = []
    for key in graph.toposorted_asset_keys:
        if key.to_user_string() == "warehouse":
            continue
        partitions_def = graph.get(key).partitions_def
        partitions: list[str | None] = [None]
        if partitions_def is not None:
            partitions = list(partitions_def.get_partition_keys(dynamic_partitions_store=instance))
        nodes += [(key.to_user_string(), partition) for partition in partitions]
    return find_stale(Freshness(instance, graph, data), nodes)
