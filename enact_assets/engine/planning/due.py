"""Finds partitions to make right now: stale, with settled inputs, not tried on these inputs before.

The driver makes all stale partitions in one go; here the lake is judged again each time, while
other runs make partitions. A partition waits while one of its inputs is stale, may become stale or
is being made. A failed partition blocks only partitions downstream of it.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from enact_assets.engine.graph import StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.ids import ID_CHARACTERS, content_sha
from enact_assets.engine.planning.lineage import Cause, Lineage
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.verdicts import (
    HELD,
    RUNNING,
    TO_MAKE,
    WAITS,
    Judge,
    Verdict,
    Verdicts,
)

Attempts = Mapping[Partition, str]
"""Partition that was tried -> :func:`attempt` at that time."""


class Due(NamedTuple):
    """Partitions of one step that may be made now, with the reasons, and attempts to remember."""

    causes: dict[Partition, tuple[Cause, ...]]
    attempts: dict[Partition, str]
    """Attempts for partitions that are due, and for tried partitions that are still stale."""


class DueSteps:
    """Finds due partitions of a lineage, step by step in its order.

    ``running`` are partitions that are being made or queued. A partition that is ``withheld`` is
    never due, and while it is stale it blocks partitions downstream of it.
    """

    def __init__(
        self,
        lineage: Lineage,
        running: Marks,
        withheld: Callable[[StepSpec, Partition], bool] = lambda _step, _partition: False,
    ) -> None:
        self._lineage, self._withheld = lineage, withheld
        self._judge = Judge(lineage, running=running)

    def next(self, step: StepSpec, tried: Attempts, limit: int) -> Due:
        """Up to ``limit`` partitions of ``step``. Call this for all earlier steps first.

        Changed recordings and question files wait for a request that says they are complete: a
        partition that imports files is not due if only the files changed, and partitions downstream
        of it wait. Nothing waits for settings, as their versions are known before they are
        materialized.
        """
        if step.name in self._lineage.graph.roots:
            return Due({}, {})
        attempts: dict[Partition, str] = {}
        external = self._lineage.graph.external
        imports = all(given.asset in external for given in step.inputs)

        def hold(_step: StepSpec, row: Verdict) -> str | None:
            if row.upstream:
                return None
            if imports and all(cause.asset in external for cause in row.causes):
                return WAITS
            if self._withheld(step, row.partition):
                return HELD
            attempts[row.partition] = now = attempt(self._lineage, step, row)
            return HELD if tried.get(row.partition) == now else None

        rows = Verdicts(self._judge.judge(step, hold)).not_fresh
        due = [row for row in rows if row.status in TO_MAKE and not row.upstream]
        for row in due[limit:]:
            del attempts[row.partition]
        attempts |= {
            row.partition: tried[row.partition]
            for row in rows
            if row.status == RUNNING and row.partition in tried
        }
        return Due({row.partition: row.causes for row in due[:limit]}, attempts)


def attempt(lineage: Lineage, step: StepSpec, row: Verdict) -> str:
    """Identifies an attempt by its inputs and reasons; repeating it would give the same result."""
    now = lineage.inputs(step, row.partition)
    inputs = {asset: [version, n] for asset, (version, n) in now.items()}
    return content_sha([inputs, [cause.text for cause in row.causes]])[:ID_CHARACTERS]
