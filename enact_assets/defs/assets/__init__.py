"""One module per stage: the assets, which are wiring and nothing else."""

import dagster as dg

from enact_assets.defs.assets import (
    answers,
    config,
    frames,
    imports,
    questions,
    replay,
    report,
    segmentation,
    statistics,
    trajectories,
    warehouse,
)
from enact_assets.defs.partitions import Partitions

STAGES = (
    config, replay, segmentation, frames, trajectories, questions, imports, answers, statistics,
    warehouse, report,
)  # fmt: skip


def all_assets(partitions: Partitions) -> list[dg.AssetsDefinition]:
    """Every asset, in the order data flows."""
    return [asset for stage in STAGES for asset in stage.assets(partitions)]
