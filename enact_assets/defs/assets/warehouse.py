"""Warehouse: one DuckDB file with every table and mart, checked, then swapped in."""

from typing import Any

import dagster as dg

from enact_assets.defs.code import code_version
from enact_assets.defs.partitions import Partitions
from enact_assets.defs.resources import DataResource
from enact_assets.defs.tables import markdown_table
from enact_assets.storage.warehouse import publish, query

GROUP = "warehouse"
UPSTREAM = (
    "demonstrations", "facts", "objects", "segmented_frames", "scene_graphs", "visibility",
    "frame_images", "transition_graph", "path_counts", "trajectories", "qa", "question_set",
    "asked_questions", "predictions", "evaluation", "probes",
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
        report = publish(data.lake, data.warehouse_path)
        board = query(data.warehouse_path, "select * from leaderboard where length is null")
        context.log.info(f"published {data.warehouse_path}")
        return dg.MaterializeResult(
            data_version=dg.DataVersion(report.content_sha),
            metadata={
                "path": dg.MetadataValue.path(str(data.warehouse_path)),
                "leaderboard": dg.MetadataValue.md(markdown_table(board)),
                "rows": dg.MetadataValue.json(report.rows),
            },
        )

    return [warehouse]
