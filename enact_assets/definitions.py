"""Entry point of the Dagster code location: what `workspace.yaml` loads."""

import dagster as dg

from enact_assets.pipeline.dagster.definitions import build_definitions
from enact_assets.pipeline.rebuild.job import rebuild_definitions

# Apart: a rebuild is a walk of the driver, which itself runs the steps of the former.
defs = dg.Definitions.merge(build_definitions(), rebuild_definitions())
