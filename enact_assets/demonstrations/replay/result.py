"""The tables of a replay, whatever its source."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from enact_assets.demonstrations.replay.tables import (
    Actions,
    Demonstrations,
    LaterParents,
    Observability,
    States,
)
from enact_assets.engine.tables import Table
from enact_assets.settings.frame_ids import COUNTED_FROM_0

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
    observability: pl.DataFrame = field(default_factory=Observability.empty)
    states: pl.DataFrame = field(default_factory=States.empty)
    later_parents: pl.DataFrame = field(default_factory=LaterParents.empty)
    actions: pl.DataFrame = field(default_factory=Actions.empty)


def described(demonstration: str, **about: Any) -> pl.DataFrame:
    """Its row of table ``demonstrations``: without what only simulated ones have, and its frame ids
    are positions, unless ``about`` says so.
    """
    row = dict.fromkeys(("seed", "attempts", "replaced"))
    row |= {"demonstration": demonstration, "frame_id_runs": list(COUNTED_FROM_0)}
    return Demonstrations.build([row | about])


def rows_of(of: type[Table], demonstration: str, rows: Iterable[Sequence[Any]]) -> pl.DataFrame:
    """Table ``of`` of one demonstration; ``rows`` have its columns after the first, in order."""
    names = list(of.schema())[1:]
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return columns_of(of, demonstration, dict(zip(names, columns, strict=True)))


def columns_of(
    of: type[Table], demonstration: str, columns: Mapping[str, Any], **same: str
) -> pl.DataFrame:
    """The same of ``columns``: sequences or arrays. A text in ``same`` is that of all rows."""
    schema, texts = of.schema(), {"demonstration": demonstration, **same}
    rows = pl.DataFrame([pl.Series(name, values, schema[name]) for name, values in columns.items()])
    rows = rows.with_columns(pl.lit(text, pl.String).alias(name) for name, text in texts.items())
    return of.arranged(rows, demonstration)
