"""Whether each asset is up to date: the verdicts on what exists, per asset."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from enact_assets.engine.graph import StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.lineage import Lineage
from enact_assets.engine.planning.verdicts import FOLLOWS, STALE, Verdict, judge

SHOWN = 5
"""Partitions that are named."""


@dataclass(frozen=True)
class Answer:
    """How many partitions of an asset are there and stale, and the first of them with causes.

    ``n_following`` are as they should be until something upstream is made again, and comes out
    otherwise. What was never made is not counted: it is missing, not stale.
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
        """In a sentence or two."""
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
            tuple((row.key or "", row.why or _follows(row)) for row in of[step.name][:SHOWN]),
        )
        for step in lineage.steps
        for asset in step.assets
    }


def _follows(row: Verdict) -> str:
    return f"made from {' and '.join(row.upstream)}, stale themselves"


def answers_of_parts(
    lineage: Lineage,
    found: Mapping[str, Answer],
    whole: StepSpec,
    made_from: Mapping[str, Collection[str]],
) -> dict[str, Answer]:
    """Part of what the step ``whole`` makes in one -> answer.

    ``made_from`` maps a part to those inputs of ``whole`` that it is made from: of what changed,
    only they make it stale. ``found`` has their answers.
    """
    is_there = lineage.states.get(whole.assets[0], Partition()) is not None
    causes = lineage.causes(whole, Partition()) if is_there else ()
    parts = {}
    for part, inputs in made_from.items():
        older = [name for name in sorted(inputs) if is_there and not found[name].is_up_to_date]
        settled = {None, *inputs} - {*older}
        why = "; ".join(str(cause) for cause in causes if cause.asset in settled)
        follows = "" if why or not older else f"made from {' and '.join(older)}, stale themselves"
        first = (("", why or follows),) if why or follows else ()
        parts[part] = Answer(part, int(bool(why)), int(bool(follows)), first)
    return parts


def _partitions(n: int) -> str:
    return f"{n} partition is" if n == 1 else f"{n} partitions are"
