"""The tables of a replay, whatever its source."""

from dataclasses import dataclass, field

import polars as pl

from enact_assets.demonstrations.replay.tables import Actions, LaterParents

ISAAC_MODES = ("default", "path_tracing", "ray_tracing_only")
"""Renderer modes that Isaac Sim has. ``realistic`` it has not: an image model painted over."""


@dataclass(frozen=True)
class ReplayTables:
    """The replay tables of one demonstration, each by its contract.

    ``observability`` is empty where no camera recorded what it sees (embedded demonstrations are
    rendered later), ``states`` is empty where nothing can be rendered again (recorded ones),
    ``later_parents`` is empty where no object has other parents later on (nearly everywhere),
    ``actions`` where nothing says which actions were carried out, and when.
    """

    demonstrations: pl.DataFrame
    facts: pl.DataFrame
    objects: pl.DataFrame
    observability: pl.DataFrame
    states: pl.DataFrame
    later_parents: pl.DataFrame = field(default_factory=LaterParents.empty)
    actions: pl.DataFrame = field(default_factory=Actions.empty)
