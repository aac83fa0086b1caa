"""The board as a Dagster asset, downstream of the warehouse and of the folder of submissions.

It is no step of the graph: `materialize` does not make it, as publishing a board is a decision of
its own. The asset remakes the pages that a new warehouse or a new submission changes.
"""

from typing import Any

import dagster as dg

from enact_assets.commands.board.site_command import make_site
from enact_assets.engine.ids import sha256_bytes
from enact_assets.pipeline.lineage.graph import WAREHOUSE
from enact_assets.pipeline.runs.progress import reporter
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.results.board.site import LISTED

SITE, SUBMISSIONS = "site", "submissions"
"""Names of the assets, and of the folders in the data root."""
GROUP = "board"


submissions = dg.AssetSpec(
    SUBMISSIONS,
    group_name=GROUP,
    description="Accepted submissions: files of `enact-assets submit` in folder submissions of the "
    "data root, best a Git repository.",
)


@dg.asset(
    name=SITE,
    deps=[WAREHOUSE, submissions],
    group_name=GROUP,
    kinds={"html"},
)
def site(context: dg.AssetExecutionContext, data: DataResource) -> dg.MaterializeResult[Any]:
    """Leaderboards as static pages in folder site of the data root, with every submission scored
    anew. Pages that did not change stay as they are.
    """
    root = data.data_root
    there = root.root / SUBMISSIONS
    written, submitted = make_site(
        root, root.root / SITE, there if there.is_dir() else None, reporter(context, SITE)
    )
    context.log.info(f"{len(written.changed)} of {len(written.files)} files are new or changed")
    return dg.MaterializeResult(
        data_version=dg.DataVersion(sha256_bytes((written.folder / LISTED).read_bytes())),
        metadata={
            "path": dg.MetadataValue.path(data.below_root(written.folder / "index.html")),
            "changed": list(written.changed),
            "submissions that differ": [one.file for one in submitted if one.problems],
        },
    )


def board_definitions() -> dg.Definitions:
    """Both assets; the resource ``data`` is that of all others."""
    return dg.Definitions(assets=[submissions, site])
