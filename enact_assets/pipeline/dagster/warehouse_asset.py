"""Warehouse: one DuckDB file with every table and mart, checked, then swapped in; and its report.

One step makes the file and all marts in it; a mart cannot be made alone. Each mart is an asset with
a data version from its rows, so assets downstream, here or in another code location, see whether it
changed.
"""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg

from enact_assets.engine.errors import CheckError, MaterializationError
from enact_assets.engine.ids import ID_CHARACTERS, content_sha, sha256_bytes
from enact_assets.engine.planning.freshness import not_current
from enact_assets.engine.planning.verdicts import MISSING
from enact_assets.engine.publishing.sql_files import SqlFile
from enact_assets.engine.publishing.warehouse import PublishReport, publish
from enact_assets.engine.tables import TABLES
from enact_assets.pipeline.dagster.automation import MadeFromOtherData
from enact_assets.pipeline.dagster.checks import report_sql_checks
from enact_assets.pipeline.dagster.labels import (
    OWNERS,
    column_lineage,
    relation_metadata,
    tags_of,
)
from enact_assets.pipeline.dagster.lake_rows import LAKE_ROWS
from enact_assets.pipeline.dagster.partitions import Partitions
from enact_assets.pipeline.dagster.table_assets import markdown_table
from enact_assets.pipeline.lineage.code import code_version
from enact_assets.pipeline.lineage.graph import REPORT, STEP_NAMED, WAREHOUSE
from enact_assets.pipeline.root.scope import scoped_registry
from enact_assets.pipeline.runs.making import making, provenance_of
from enact_assets.pipeline.runs.marts import (
    MADE_OF,
    Content,
    contents,
    mart_files,
    reported_contents,
)
from enact_assets.pipeline.runs.names import publishable_names
from enact_assets.pipeline.runs.progress import reporter
from enact_assets.pipeline.runs.reported import read_lineage, tried_partitions
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.running import FROM_NOTHING_TAG
from enact_assets.pipeline.steps.previews import inline
from enact_assets.results.publication import PUBLICATION, publication_now
from enact_assets.results.published import query
from enact_assets.results.report.drawing import thumbnail
from enact_assets.results.report.write import write_report
from enact_assets.settings.shared_file import share_published

GROUP, MARTS_GROUP = "warehouse", "marts"
WARN_AFTER, FAIL_AFTER = timedelta(days=2), timedelta(days=8)
"""Age of the file at which Dagster warns or fails. It is published every night if automation is on,
else by people, who may skip a weekend or a holiday.
"""
ABOUT = """Everything as SQL: staging tables, marts (leaderboard, probe deltas, statistics), checks.

A new file is built beside the old one and swapped in only if all checks pass. A reader that has the
old file open keeps a consistent snapshot and blocks no writer. One run makes the file and all
marts in it, whichever of them is materialized."""
_COLUMNS = (
    "select table_name, column_name, data_type, comment, is_nullable from duckdb_columns() "
    "where schema_name = 'main' and not internal order by table_name, column_index"
)


def mart_specs() -> list[dg.AssetSpec]:
    """One asset per file of ``sql/marts``, and one for the list of stale and missing partitions.

    Upstream are the relations that the file's header says it reads; the list is part of the
    warehouse.
    """
    files = mart_files()
    known = {*TABLES, *(file.name for file in files)}
    return [
        dg.AssetSpec(
            file.name,
            deps=[name for name in file.reads if name in known] or [WAREHOUSE],
            description="\n\n".join(_about(file)),
            group_name=MARTS_GROUP,
            kinds={"duckdb", "sql"},
            owners=OWNERS,
            tags=tags_of(file.name, "mart"),
            code_version=sha256_bytes(file.text.encode())[:ID_CHARACTERS],
            metadata={
                **relation_metadata(file.name),
                "dagster/storage_kind": "duckdb",
                "file": file.place,
            },
        ).with_io_manager_key(LAKE_ROWS)
        for file in files
    ]


def mart_results(
    warehouse: Path, report: PublishReport, reported: Mapping[str, Content]
) -> Iterator[dg.MaterializeResult[Any]]:
    """Results for Dagster, one for each mart of the published file; ``reported`` is what was
    reported last.

    Errors: :class:`WarehouseError` if there is no published file.
    """
    columns: dict[str, list[dg.TableColumn]] = {}
    for relation, name, kind, comment, is_nullable in query(warehouse, _COLUMNS).iter_rows():
        constraints = dg.TableColumnConstraints(nullable=is_nullable)
        column = dg.TableColumn(name, kind.lower(), comment, constraints)
        columns.setdefault(relation, []).append(column)
    of = {relation: [column.name for column in found] for relation, found in columns.items()}
    for file, content in contents(warehouse, reported, report.ran):
        yield dg.MaterializeResult(
            asset_key=file.name,
            data_version=dg.DataVersion(content.version),
            metadata={
                MADE_OF: content.made_of,
                "dagster/row_count": report.rows[file.name],
                "dagster/column_schema": dg.TableSchema(columns[file.name]),
                "dagster/column_lineage": column_lineage(
                    of[file.name], {name: of[name] for name in file.reads if name in of}
                ),
                "path": dg.MetadataValue.path(warehouse.name),  # in the data root
            },
        )


def _about(file: SqlFile) -> Iterator[str]:
    for text in (file.meaning, file.header.get("Rule", "")):
        yield f"{text[:1].upper()}{text[1:]}"
    yield f"Materializing it publishes {WAREHOUSE} and every other mart, too, in one run."


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
        automation_condition=MadeFromOtherData(),
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


def report_asset(p: Partitions) -> dg.AssetsDefinition:
    """One unpartitioned asset, downstream of the warehouse."""

    @dg.asset(
        deps=p.deps(STEP_NAMED[REPORT]),
        group_name=GROUP,
        kinds={"html"},
        owners=OWNERS,
        tags=tags_of(REPORT, "report"),
        code_version=code_version(REPORT),
        automation_condition=MadeFromOtherData(),
    )
    def report(context: dg.AssetExecutionContext, data: DataResource) -> dg.MaterializeResult[Any]:
        """One self-contained HTML file: leaderboard, probes, errors, wrong answers with pictures.

        Its figures are in the same folder as PNG and SVG. It is about the first variant of
        the leaderboard; `enact-assets report --variant` writes one about another variant.
        """
        with making(context, data, REPORT):
            written = write_report(data.data_root, provenance=provenance_of(REPORT))
        context.log.info(f"wrote {written.path}")
        figures = {
            f.name: dg.MetadataValue.md(inline(thumbnail(f.png), f.alt, f.caption))
            for f in written.page.figures
        }
        return dg.MaterializeResult(
            data_version=dg.DataVersion(written.content_sha),
            metadata={"path": dg.MetadataValue.path(data.below_root(written.path)), **figures},
        )

    return report
