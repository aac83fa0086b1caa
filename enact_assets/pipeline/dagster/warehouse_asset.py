"""Warehouse: one DuckDB file with every table and mart, checked, then swapped in.

One step makes the file and all marts in it; a mart cannot be made alone.
"""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg

from enact_assets.engine.errors import CheckError, MaterializationError
from enact_assets.engine.ids import content_sha
from enact_assets.engine.planning.missing import not_current
from enact_assets.engine.planning.verdicts import MISSING
from enact_assets.engine.publishing.warehouse import publish
from enact_assets.pipeline.dagster.automation import on_changed_data
from enact_assets.pipeline.dagster.checks import report_sql_checks
from enact_assets.pipeline.dagster.labels import OWNERS, tags_of
from enact_assets.pipeline.dagster.mart_assets import mart_results, mart_specs
from enact_assets.pipeline.dagster.partitions import Partitions
from enact_assets.pipeline.dagster.table_assets import markdown_table
from enact_assets.pipeline.lineage.code import code_version
from enact_assets.pipeline.lineage.graph import STEP_NAMED, WAREHOUSE
from enact_assets.pipeline.root.scope import scoped_registry
from enact_assets.pipeline.runs.making import making, provenance_of
from enact_assets.pipeline.runs.marts import reported_contents
from enact_assets.pipeline.runs.names import publishable_names
from enact_assets.pipeline.runs.progress import reporter
from enact_assets.pipeline.runs.reported import read_lineage, tried_partitions
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.running import FROM_NOTHING_TAG
from enact_assets.results.publication import PUBLICATION, publication_now
from enact_assets.results.published import query
from enact_assets.settings.shared_file import share_published

GROUP = "warehouse"
WARN_AFTER, FAIL_AFTER = timedelta(days=2), timedelta(days=8)
"""Age of the file at which Dagster warns or fails. It is published every night if automation is on,
else by people, who may skip a weekend or a holiday.
"""
ABOUT = """Everything as SQL: staging tables, marts (leaderboard, probe deltas, statistics), checks.

A new file is built beside the old one and swapped in only if all checks pass. A reader that has the
old file open keeps a consistent snapshot and blocks no writer. One run makes the file and all
marts in it, whichever of them is materialized."""


def warehouse_asset(p: Partitions) -> dg.AssetsDefinition:
    """The file, downstream of everything, and each mart in it, without partitions."""
    spec = dg.AssetSpec(
        WAREHOUSE,
        deps=p.deps(STEP_NAMED[WAREHOUSE]),
        description=ABOUT,
        group_name=GROUP,
        kinds={"duckdb", "sql"},
        owners=OWNERS,
        tags=tags_of(WAREHOUSE, "warehouse"),
        code_version=code_version(WAREHOUSE),
        automation_condition=on_changed_data(),
        freshness_policy=dg.FreshnessPolicy.time_window(FAIL_AFTER, WARN_AFTER),
    )

    @dg.multi_asset(name=WAREHOUSE, specs=[spec, *mart_specs()], description=ABOUT)
    def warehouse(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> Iterator[dg.MaterializeResult[Any]]:
        with making(context, data, WAREHOUSE):
            registry = scoped_registry(Path(data.root))
            lineage = read_lineage(context.instance, data, registry)
            if not lineage.names.of["demonstration"] and data.lake.partitions("demonstrations"):
                raise MaterializationError(
                    f"{data.root}: the lake holds demonstrations, but this Dagster instance knows "
                    "none, so publishing would empty the warehouse. Start Dagster with the "
                    "DAGSTER_HOME of this data root (`enact-assets ui` does)."
                )
            tried = partial(tried_partitions, context.instance, lineage.names)
            stale = not_current(lineage, tried)
            try:
                report = publish(
                    data.lake,
                    data.warehouse_path,
                    on_progress=reporter(context, WAREHOUSE),
                    names=publishable_names(lineage.names, data),
                    stale=stale,
                    provenance=provenance_of(WAREHOUSE),
                    said={PUBLICATION: publication_now(registry).encoded()},
                    is_whole=FROM_NOTHING_TAG in context.run.tags,
                )
            except CheckError as error:
                report_sql_checks(context, error.checks)
                raise
        version = content_sha((report.content_sha, code_version(WAREHOUSE)))
        shared = share_published(data.warehouse_path, data.lake_url, version)
        report_sql_checks(context, report.checks)
        board = query(data.warehouse_path, "from leaderboard")
        n_missing = stale.filter(state=MISSING).height
        context.log.info(
            f"published {data.warehouse_path} with all marts; {stale.height - n_missing} stale and "
            f"{n_missing} missing partitions"
        )
        yield dg.MaterializeResult(
            asset_key=WAREHOUSE,
            data_version=dg.DataVersion(report.content_sha),
            metadata={
                "path": dg.MetadataValue.path(data.below_root(data.warehouse_path)),
                **({} if shared is None else {"object store": dg.MetadataValue.url(shared)}),
                "leaderboard": dg.MetadataValue.md(markdown_table(board)),
                "rows": dg.MetadataValue.json(report.rows),
                "stale and missing partitions": dg.MetadataValue.md(markdown_table(stale, 60)),
            },
        )
        reported = reported_contents(context.instance)
        yield from mart_results(data.warehouse_path, report, reported)

    return warehouse
