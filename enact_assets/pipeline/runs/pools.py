"""Pools: limits on runs that work at the same time.

Limits are stored in the instance, where the UI shows and changes them. The daemon's queue respects
all of them; a driver, which has the machine for itself, only those of other resources.
"""

from collections.abc import Mapping

import dagster as dg

from enact_assets.engine.steps import STEPS
from enact_assets.pipeline.lineage.graph import STEP_NAMED
from enact_assets.pipeline.steps.answer_steps import API_POOL as API
from enact_assets.pipeline.steps.frame_steps import RENDERER_POOL as RENDERER

GPU = "gpu"
"""Steps that need a graphics card: replays in Isaac Sim, models that run here."""
LIMITS: Mapping[str, int] = {RENDERER: 1, GPU: 1, API: 4}
POOL_OF: Mapping[str, str] = {
    name: pool for name in STEP_NAMED if name in STEPS and (pool := STEPS[name].pool)
}
"""Step -> pool."""
OF_DRIVERS = frozenset({GPU, API})
"""Pools whose limits drivers respect, too."""


def set_limits(instance: dg.DagsterInstance) -> None:
    """Set the limit of every pool without one; limits that people set are kept."""
    storage = instance.event_log_storage
    known = {pool.name for pool in storage.get_pool_limits() if not pool.from_default}
    for pool in sorted(set(LIMITS) - known):
        storage.set_concurrency_slots(pool, LIMITS[pool])


def driver_limit(instance: dg.DagsterInstance, step: str) -> int | None:
    """Most runs of ``step`` that a driver may perform at the same time, at least one; None: any
    number.

    A limit of 0 stops only the daemon: a person started the driver on purpose.
    """
    pool = POOL_OF.get(step)
    if pool not in OF_DRIVERS:
        return None
    set_to = {found.name: found.limit for found in instance.event_log_storage.get_pool_limits()}
    return max(1, set_to.get(pool, LIMITS[pool]))
