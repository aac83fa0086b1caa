"""Report: one HTML file about the warehouse, and its figures."""

from typing import Any

import dagster as dg

from enact_assets.pipeline.dagster.automation import on_changed_data
from enact_assets.pipeline.dagster.labels import OWNERS, tags_of
from enact_assets.pipeline.dagster.partitions import Partitions
from enact_assets.pipeline.lineage.code import code_version
from enact_assets.pipeline.lineage.graph import REPORT, STEP_NAMED
from enact_assets.pipeline.runs.making import making, provenance_of
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.steps.previews import inline
from enact_assets.results.report.drawing import thumbnail
from enact_assets.results.report.write import write_report

GROUP = "warehouse"


def report_asset(p: Partitions) -> dg.AssetsDefinition:
    """One unpartitioned asset, downstream of the warehouse."""

    @dg.asset(
        deps=p.deps(STEP_NAMED[REPORT]),
        group_name=GROUP,
        kinds={"html"},
        owners=OWNERS,
        tags=tags_of(REPORT, "report"),
        code_version=code_version(REPORT),
        automation_condition=on_changed_data(),
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
