"""Whether each asset is up to date: verdicts on existing partitions, per asset."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from enact_assets.engine.graph import StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.lineage import Lineage
from enact_assets.engine.planning.verdicts import FOLLOWS, STALE, Verdict, judge

SHOWN = 5
"""How many partitions a text names."""


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
        follows = "" if why or not older else f"made from {' and '.join(older)}, stale themselves"
        first = (("", why or follows),) if why or follows else ()
        parts[part] = Answer(part, int(bool(why)), int(bool(follows)), first)
    return parts


def _partitions(n: int) -> str:
    return f"{n} partition is" if n == 1 else f"{n} partitions are"
