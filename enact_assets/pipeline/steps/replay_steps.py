"""Replays: facts, objects and states of a demonstration, from which its pictures are made."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from enact_assets.demonstrations.replay.tables import (
    Actions,
    Demonstrations,
    Facts,
    LaterParents,
    Objects,
    Observability,
    States,
)
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.engine.steps import step
from enact_assets.engine.tables import Of
from enact_assets.pipeline.handles.tools import Replayer
from enact_assets.pipeline.steps.inputs import DemonstrationName


def _length(demonstrations: pl.DataFrame) -> Mapping[str, Any]:
    row = demonstrations.row(0, named=True)
    rate_hz = row["frame_rate_hz"]
    seconds = {"seconds": round(row["n_frames"] / rate_hz, 1)} if rate_hz else {}
    return {"frames": row["n_frames"], **seconds, "source": row["source"]}


@step(group="replay", job="replay_demonstrations", kinds=("mujoco", "parquet"), summary=_length)
def replays(
    demonstration: DemonstrationName, replayer: Replayer
) -> tuple[
    Of[Demonstrations],
    Of[Facts],
    Of[Objects],
    Of[Observability],
    Of[States],
    Of[LaterParents],
    Of[Actions],
]:
    """One recorded execution of an activity: the scene graph over time as intervals, the objects of
    the scene, what a recorded camera saw of them, the log for rendering any frame again, and which
    objects have later parents. For embedded demonstrations also the steps of the plan.
    """
    tables = replayer(demonstration)
    check_replay(tables.demonstrations, tables.facts, tables.objects, tables.later_parents)
    return (
        Demonstrations.of(tables.demonstrations),
        Facts.of(tables.facts),
        Objects.of(tables.objects),
        Observability.of(tables.observability),
        States.of(tables.states),
        LaterParents.of(tables.later_parents),
        Actions.of(tables.actions),
    )
