"""Slow, obvious twin of ``judge``: one partition after the other, each with its causes."""

from enact_assets.engine.graph import StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.lineage import NEVER, Cause, Lineage
from enact_assets.engine.planning.verdicts import Verdict

Key = tuple[str, Partition]


def row_wise_verdicts(
    lineage: Lineage,
    is_chosen=lambda _step, _partition: True,
    *,
    only_there=False,
    running: frozenset[Key] = frozenset(),
    hold=lambda _step, _row: None,
) -> list[Verdict]:
    """A verdict for each chosen partition, fresh ones too; ``running`` are (asset, partition)."""
    rows: list[Verdict] = []
    waited_for: set[Key] = set()
    failed: set[Key] = set()
    for step in lineage.steps:
        of_step = []
        for partition in lineage.partitions(step):
            if not is_chosen(step, partition):
                continue
            row = verdict(lineage, step, partition, waited_for, failed)
            if (step.assets[0], partition) in running:
                row = row._replace(status="being made", causes=())
            elif row.status in ("stale", "missing"):
                row = row._replace(status=hold(step, row) or row.status)
            of_step.append(row)
        rows += of_step
        if step.name in lineage.graph.roots:
            continue
        for row in of_step:
            keys = {(asset, row.partition) for asset in step.assets}
            is_waited_for = row.status in ("stale", "may become stale", "being made", "waits")
            if is_waited_for or (row.status == "missing" and not only_there):
                waited_for |= keys
            elif row.status in ("held", "blocked"):
                failed |= keys
    return rows


def verdict(
    lineage: Lineage, step: StepSpec, partition: Partition, waited_for: set[Key], failed: set[Key]
) -> Verdict:
    read = {f.asset: members(lineage, f, partition) for f in lineage.follows(step)}
    upstream = tuple(asset for asset, keys in read.items() if keys & waited_for)
    causes = tuple(c for c in lineage.causes(step, partition) if c.asset not in upstream)
    status = "may become stale" if upstream else "fresh"
    if causes:
        status = "missing" if causes == (Cause(NEVER),) else "stale"
    row = Verdict(step.name, partition, status, causes, upstream)
    return row._replace(status="blocked") if is_blocked(lineage, step, read, failed) else row


def is_blocked(lineage: Lineage, step: StepSpec, read, failed: set[Key]) -> bool:
    """One that is read by name blocks alone; of one that is read whole, all have to fail."""
    if step.takes_what_there_is:
        return False
    rolled_up = {f.asset for f in lineage.follows(step) if f.is_rolled_up}
    return any(
        keys and (keys <= failed if asset in rolled_up else not keys.isdisjoint(failed))
        for asset, keys in read.items()
    )


def members(lineage: Lineage, follow, partition: Partition) -> set[Key]:
    groups = set(follow.groups(partition))
    return {
        (follow.asset, one)
        for one in lineage.names.partitions(follow.asset)
        if tuple(one[i] for i in follow.bound_positions) in groups
    }
