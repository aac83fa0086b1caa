"""Fits each learned model for each activity from training statistics."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.answers.baselines.learned_names import (
    LEARNED_PRECEDENCE,
    LEARNED_PROGRESS,
    TRANSFER,
)
from enact_assets.answers.learned.read_facts import PROGRESS, change_of
from enact_assets.answers.learned.ridge import Moments, fit, moments_of, stacked
from enact_assets.answers.learned.tables import FactReader, LearnedPrecedences
from enact_assets.settings.components import Component


class Knowledge(NamedTuple):
    """Parameters of one model, as two tables; one of them is empty."""

    reader: pl.DataFrame
    precedences: pl.DataFrame


def learn(model: str, statistics: pl.DataFrame) -> Knowledge:
    """What ``model`` learns from rows of ``training_statistics`` of some activities.

    For questions about an activity ``fact_reader`` learns from that activity, and
    ``fact_reader_transfer`` from all others: of an activity without others it knows nothing. The
    latter reads facts that the activity can name, no matter who else names them.
    """
    activities = statistics["training_activity"].unique().sort().to_list()
    rows_of = {a: statistics.filter(training_activity=a) for a in activities}
    if model == LEARNED_PRECEDENCE:
        counted = [_precedences(model, a, rows) for a, rows in rows_of.items()]
        return Knowledge(FactReader.empty(), LearnedPrecedences.concat(counted))
    if not activities:
        return Knowledge(FactReader.empty(), LearnedPrecedences.empty())
    readings = {a: _readings(rows) for a, rows in rows_of.items()}
    every = sorted({name for names in readings.values() for name in names})
    parts = [_moments(rows, every) for rows in rows_of.values()]
    owners = np.repeat(activities, [len(part.rows) for part in parts])
    n_steps = {a: part.n_steps for a, part in zip(activities, parts, strict=True)}
    rows, targets, _ = stacked(parts)
    from_others = model == TRANSFER
    gram = rows @ rows.T if from_others else None
    learned = []
    for activity in activities:
        taught = [a for a in activities if (a != activity) == from_others]
        wanted = _wanted(model, readings[activity], [n for a in taught for n in readings[a]])
        if wanted:
            at = np.flatnonzero(np.isin(owners, taught))
            columns = np.searchsorted(every, wanted)
            n_taught = sum(n_steps[a] for a in taught)
            moments = Moments(rows[at], targets[np.ix_(at, columns)], n_taught)
            weights = fit(moments, None if gram is None else gram[np.ix_(at, at)])
            learned.append(_reader_rows(model, activity, wanted, weights))
    return Knowledge(FactReader.concat(learned), LearnedPrecedences.empty())


def _wanted(model: str, named: Sequence[str], taught: Sequence[str]) -> list[str]:
    """Readings that ``model`` learns, of those that an activity names and training shows."""
    known = set(taught)
    return [n for n in named if n in known and (n == PROGRESS) == (model == LEARNED_PROGRESS)]


def _readings(rows: pl.DataFrame) -> list[str]:
    names = rows["readings"].explode().drop_nulls().unique().sort()
    return [str(name) for name in names]


def _moments(rows: pl.DataFrame, readings: Sequence[str]) -> Moments:
    """Of one activity: each picture and each mirror image counts as a demonstration."""
    number = {name: k for k, name in enumerate(readings)}
    parts = rows.partition_by("seed", "is_mirrored", maintain_order=True)
    return stacked([_moments_of_one(part, number) for part in parts])


def _moments_of_one(rows: pl.DataFrame, number: Mapping[str, int]) -> Moments:
    features = as_matrix(rows["features"]).astype(np.float64)
    joined = np.zeros((len(rows), len(rows)), np.bool_)
    net = np.zeros((len(rows), len(number)))
    columns = rows.select("joined", "readings", "net").iter_rows()
    for k, (others, names, sums) in enumerate(columns):
        joined[k, others] = True
        for name, value in zip(names, sums, strict=True):
            if name in number:
                net[k, number[name]] = value
    return moments_of(features, joined, net)


def as_matrix(lists: pl.Series) -> NDArray[np.float32]:
    """Lists of equal length as rows of a matrix (rows, length)."""
    return lists.explode().to_numpy().reshape(len(lists), -1)


def _reader_rows(
    model: str, activity: str, readings: Sequence[str], weights: NDArray[np.float32]
) -> pl.DataFrame:
    rows = [
        {"model": model, "activity": activity, "reading": reading, "weights": column.tolist()}
        for reading, column in zip(readings, weights.T, strict=True)
    ]
    return FactReader.build(rows)


def _precedences(model: str, activity: str, rows: pl.DataFrame) -> pl.DataFrame:
    """How often each change came before each other one, over pairs of their occurrences."""
    counts: Counter[tuple[str, str]] = Counter()
    for part in rows.filter(~pl.col("is_mirrored")).partition_by("seed", maintain_order=True):
        times: dict[str, list[int]] = {}
        for key_frame, texts in part.select("key_frame", "changes").iter_rows():
            for text in texts:
                name = str(change_of(Component.parse(text)))
                times.setdefault(name, []).append(key_frame)
        for (a, first), (b, second) in product(times.items(), repeat=2):
            if n := sum(i < j for i, j in product(first, second)):
                counts[a, b] += n
    named = {"model": model, "activity": activity}
    return LearnedPrecedences.build(
        [{**named, "earlier": a, "later": b, "n": n} for (a, b), n in counts.items()]
    )
