"""Whether each asset is up to date, and the list of its partitions that are stale or missing.

A partition that does not exist counts as missing if a run was started to make it, or if an input
with the same names exists or is itself missing. Names of the registry do not count as requested: a
first look makes only a few of them, and the others must not fill the list.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

import polars as pl

from enact_assets.engine.graph import Follow, Graph, StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.lineage import Lineage
from enact_assets.engine.planning.verdicts import FOLLOWS, MISSING, STALE, Verdict, judge

SHOWN = 5
"""How many partitions a text names."""
NOT_MADE = "its run failed or was stopped"
_SCHEMA = {"asset": pl.String, "partition": pl.String, "state": pl.String, "why": pl.String}

Tried = Callable[[str], Collection[Partition]]
"""Asset -> its partitions for which a run was started at any time."""


@dataclass(frozen=True)
class Answer:
    """How many partitions of an asset exist and are stale, and the first of them with causes.

    ``n_following`` partitions are fresh now, but become stale if a stale partition upstream is made
    again with another result. Partitions that were never made are not counted: they are missing,
    not stale.
    """

    asset: str
    n_stale: int
    n_following: int
    first: tuple[tuple[str, str], ...]

    @property
    def is_up_to_date(self) -> bool:
        """Whether all existing partitions are fresh."""
        return not self.n_stale and not self.n_following

    @property
    def text(self) -> str:
        """The answer as one or two sentences."""
        if self.is_up_to_date:
            return "Every existing partition was made from the current data and code."
        parts = []
        if self.n_stale:
            parts.append(f"{_partitions(self.n_stale)} stale")
        if self.n_following:
            parts.append(f"{_partitions(self.n_following)} made from what is stale")
        partition, why = self.first[0]
        return f"{', '.join(parts)}. First {partition or 'of all'}: {why}."


def answers(lineage: Lineage) -> Mapping[str, Answer]:
    """Asset -> answer, in the order in which data flow."""
    verdicts = judge(lineage, only_there=True)
    of: dict[str, list[Verdict]] = {step.name: [] for step in lineage.steps}
    for row in (*verdicts.rows(STALE), *verdicts.rows(FOLLOWS)):
        of[row.step].append(row)
    return {
        asset: Answer(
            asset,
            sum(row.status == STALE for row in of[step.name]),
            sum(row.status == FOLLOWS for row in of[step.name]),
            tuple(
                (row.key or "", row.why or _made_from(row.upstream))
                for row in of[step.name][:SHOWN]
            ),
        )
        for step in lineage.steps
        for asset in step.assets
    }


def _made_from(stale: Iterable[str]) -> str:
    return f"made from {' and '.join(stale)}, stale themselves"


def answers_of_parts(
    lineage: Lineage,
    found: Mapping[str, Answer],
    whole: StepSpec,
    made_from: Mapping[str, Collection[str]],
) -> dict[str, Answer]:
    """Answers for the parts of a file that the step ``whole`` makes: part -> answer.

    ``made_from`` maps a part to the inputs of ``whole`` that it is made from; only changes of these
    make it stale. ``found`` has the answers for the inputs.
    """
    is_there = lineage.states.get(whole.assets[0], Partition()) is not None
    causes = lineage.causes(whole, Partition()) if is_there else ()
    parts = {}
    for part, inputs in made_from.items():
        older = [name for name in sorted(inputs) if is_there and not found[name].is_up_to_date]
        settled = {None, *inputs} - {*older}
        why = "; ".join(str(cause) for cause in causes if cause.asset in settled)
        follows = "" if why or not older else _made_from(older)
        first = (("", why or follows),) if why or follows else ()
        parts[part] = Answer(part, int(bool(why)), int(bool(follows)), first)
    return parts


def _partitions(n: int) -> str:
    return f"{n} partition is" if n == 1 else f"{n} partitions are"


def not_current(lineage: Lineage, tried: Tried) -> pl.DataFrame:
    """Stale partitions, then missing ones, each in the order of the graph: ``stale_partitions``.

    Columns: asset, partition (null for an asset without partitions), state (stale or missing), why.
    ``tried`` is called only for assets that lack partitions. Partitions downstream of a stale one
    count as stale, even if their own inputs have not changed yet. The warehouse, which contains
    this list, and the report, which repeats it, are left out.
    """
    verdicts = judge(lineage, only_there=True)
    graph = lineage.graph
    old = (row for row in verdicts.rows(STALE, FOLLOWS) if row.step not in graph.whole)
    rows = [
        (asset, row.key, _state(lineage, asset, row), row.why or _older(row))
        for row in old
        for asset in graph.step_named[row.step].assets
    ]
    rows += [
        (asset, row.key, MISSING, why)
        for row, why in _requested(lineage, verdicts.rows(MISSING), tried)
        for asset in graph.step_named[row.step].assets
    ]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def _older(row: Verdict) -> str:
    return f"made from {row.upstream[0]}, which is stale"


def _state(lineage: Lineage, asset: str, row: Verdict) -> str:
    """The state of an asset: a step with several tables is also made again if one of them is
    gone.
    """
    return MISSING if lineage.states.get(asset, row.partition) is None else STALE


def _requested(
    lineage: Lineage, missing: Iterable[Verdict], tried: Tried
) -> Iterator[tuple[Verdict, str]]:
    """Missing partitions that were requested, and why they count as missing."""
    graph = lineage.graph
    found: set[tuple[str, Partition]] = set()
    for step, rows in groupby(missing, key=lambda row: graph.step_named[row.step]):
        if step.name in graph.roots or step.name in graph.whole:
            continue
        asked_for = tried(step.assets[0])
        inputs = [f for f in lineage.follows(step) if _has_same_names(graph, step, f)]
        for row in rows:
            own = [(f.asset, f.groups(row.partition)[0]) for f in inputs]
            gone = [asset for asset, of in own if (asset, of) in found]
            there = [asset for asset, of in own if lineage.states.get(asset, of) is not None]
            if gone:
                why = f"made from {gone[0]}, which is missing"
            elif row.partition in asked_for:
                why = NOT_MADE
            elif there:
                why = f"made from {there[0]}, which exists"
            else:
                continue
            found.update((asset, row.partition) for asset in step.assets)
            yield row, why


def _has_same_names(graph: Graph, step: StepSpec, follow: Follow) -> bool:
    """Whether each partition of ``step`` has one input partition of the same names."""
    is_ours = follow.asset not in graph.roots and follow.asset not in graph.external
    return (
        is_ours
        and follow.is_by_name
        and set(graph.dimensions[follow.asset]) == set(graph.dimensions[step.assets[0]])
    )
