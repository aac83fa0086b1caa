"""Pools: how many runs of a sort may work at once, whoever starts them in the daemon's queue.

A step names its pool; limits are kept in the instance, where the UI shows and changes them.
"""

from collections.abc import Mapping

import dagster as dg

RENDERER = "renderer"
"""Steps that render or trace: one keeps every core busy."""
GPU = "gpu"
"""Steps that need a graphics card: replays in Isaac Sim, models that run here."""
API = "api"
"""Steps that ask others, who may limit or bill what is asked at once."""
LIMITS: Mapping[str, int] = {RENDERER: 1, GPU: 1, API: 4}


def set_limits(instance: dg.DagsterInstance) -> None:
    """Set the limit of every pool that has none of its own yet; what people set is kept."""
    storage = instance.event_log_storage
    known = {pool.name for pool in storage.get_pool_limits() if not pool.from_default}
    for pool in sorted(set(LIMITS) - known):
        storage.set_concurrency_slots(pool, LIMITS[pool])
