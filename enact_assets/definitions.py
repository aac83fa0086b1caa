"""Entry point of the Dagster code location: what `workspace.yaml` loads.

With our assets it loads those of the checkout's folder `own_assets`, where `dg scaffold defs`
writes.
"""

from pathlib import Path

from enact_assets.engine.system.collector import without_collector
from enact_assets.settings.household import use_household_of
from enact_assets.settings.paths import root_from_environment

use_household_of(root_from_environment())
with without_collector():
    import dagster as dg

    from enact_assets.commands.board.board_asset import board_definitions
    from enact_assets.pipeline.dagster.definitions import build_definitions
    from enact_assets.pipeline.rebuild.job import rebuild_definitions

OWN = Path(__file__).parents[1] / "own_assets" / "defs"


def _own_definitions() -> list[dg.Definitions]:
    """Definitions that users of this checkout added; empty without a checkout or additions."""
    is_empty = all(path.stem == "__init__" for path in OWN.rglob("*.py"))
    if is_empty and not any(OWN.rglob("defs.yaml")):
        return []  # Dagster's loader of folders costs a second
    return [dg.load_from_defs_folder(path_within_project=OWN)]


# Rebuilds are separate, as a rebuild starts the driver, which runs the steps of the other
# definitions.
with without_collector():
    defs = dg.Definitions.merge(
        build_definitions(), board_definitions(), rebuild_definitions(), *_own_definitions()
    )
