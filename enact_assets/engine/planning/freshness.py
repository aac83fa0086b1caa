"""Whether each asset is up to date: the plan, per asset."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from enact_assets.engine.graph import StepSpec, partition_key
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.plan import Lineage

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
    plan = lineage.plan(only_there=True)
    found: dict[str, Answer] = {}
    marked = Marks()
    for step in lineage.steps:
        stale = {s.partition: s.why for s in plan.stale if s.name == step.name}
        following = plan.may_follow.get(step.name, ())
        first = list(stale.items())[:SHOWN]
        for partition in following[: SHOWN - len(first)]:
            older = [f.asset for f in lineage.follows(step) if marked.count(f, partition)]
            first.append((partition, f"made from {' and '.join(older)}, stale themselves"))
        shown = tuple((partition_key(p) or "", why) for p, why in first)
        for asset in step.assets:
            found[asset] = Answer(asset, len(stale), len(following), shown)
        if step.name not in lineage.graph.roots:
            marked.add(step.assets, *stale, *following)
    return found


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
    is_there = lineage.states.get(whole.assets[0], ()) is not None
    causes = lineage.causes(whole, ()) if is_there else ()
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
