"""Slow, obvious twin of ``Lineage.plan``: one partition after the other, each with its causes."""

from enact_assets.engine.graph import Partition, StepSpec
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.plan import NEVER, Cause, Lineage, Plan, PlannedStep


def row_wise_plan(lineage: Lineage, is_chosen=lambda _s, _p: True, *, only_there=False) -> Plan:
    stale: list[PlannedStep] = []
    may_follow: dict[str, tuple[Partition, ...]] = {}
    marked, n_fresh = Marks(), 0
    for step in lineage.steps:
        made, following = [], []
        for partition in lineage.partitions(step):
            if not is_chosen(step, partition):
                continue
            causes = settled_causes(lineage, step, partition, marked)
            if only_there and causes == (Cause(NEVER),):
                continue
            if causes:
                made.append(PlannedStep(step.name, step.assets, partition, causes))
            elif any(marked.count(f, partition) for f in lineage.follows(step)):
                following.append(partition)
            else:
                n_fresh += 1
        if step.name not in lineage.graph.roots:
            marked.add(step.assets, *(s.partition for s in made), *following)
        if following:
            may_follow[step.name] = tuple(following)
        stale += made
    return Plan(tuple(stale), may_follow, n_fresh)


def settled_causes(
    lineage: Lineage, step: StepSpec, partition: Partition, marked: Marks
) -> tuple[Cause, ...]:
    """Without those from inputs that are to be made again."""
    still_open = {f.asset for f in lineage.follows(step) if marked.count(f, partition)}
    return tuple(c for c in lineage.causes(step, partition) if c.asset not in still_open)
