"""Partitions to make right now: stale, all inputs settled, not tried on these inputs before.

Like a walk of the driver, but looked at anew each time, while others make partitions: a partition
waits for what it is made from as long as that is to be made, being made, or may follow from it.
What failed holds up what is made from it, and nothing else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from enact_assets.engine.graph import Partition, StepSpec
from enact_assets.engine.ids import ID_CHARACTERS, content_sha
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.plan import Cause, Lineage

Attempts = Mapping[Partition, str]
"""Partitions that were tried -> :func:`attempt` of that time."""


@dataclass
class Due:
    """What of one step may be made now, with the reasons; and what holds up others."""

    causes: dict[Partition, tuple[Cause, ...]] = field(default_factory=dict)
    attempts: dict[Partition, str] = field(default_factory=dict)
    """What is tried now, and what was tried and is still stale."""


class DueSteps:
    """One look at a lineage, step by step in its order.

    ``running`` are partitions that are being made or queued. A partition that is ``withheld`` is
    never due, and holds up what is made from it as long as it is stale.
    """

    def __init__(
        self,
        lineage: Lineage,
        running: Marks,
        withheld: Callable[[StepSpec, Partition], bool] = lambda _step, _partition: False,
    ) -> None:
        self._lineage = lineage
        self._withheld = withheld
        self._running = running
        self._open, self._failed = Marks(), Marks()

    def next(self, step: StepSpec, tried: Attempts, limit: int) -> Due:
        """Up to ``limit`` partitions of ``step``; those of all steps before are to be asked first.

        Changed recordings and question files wait for a request that says they are complete: a
        partition that imports is not due for them alone, and what is made from it waits. Settings
        are no partitions to wait for, as their versions are known before they are materialized.
        """
        due = Due()
        if step.name in self._lineage.graph.roots:
            return due
        busy = self._running.of.get(step.assets[0], set())
        # Of all others nothing is to be done, nor held up.
        for partition in self._lineage.affected(step, self._open, self._failed, busy=busy):
            if partition in busy:
                self._open.add(step.assets, partition)
                if partition in tried:
                    due.attempts[partition] = tried[partition]
            elif self._lineage.is_blocked(step, partition, self._failed):
                self._failed.add(step.assets, partition)
            elif self._lineage.touches(step, partition, self._open) or self._waits(step, partition):
                self._open.add(step.assets, partition)
            elif causes := self._lineage.causes(step, partition):
                if self._withheld(step, partition):
                    self._failed.add(step.assets, partition)
                    continue
                now = attempt(self._lineage, step, partition, causes)
                if tried.get(partition) == now:
                    due.attempts[partition] = now
                    self._failed.add(step.assets, partition)
                    continue
                self._open.add(step.assets, partition)
                if len(due.causes) < limit:
                    due.causes[partition] = causes
                    due.attempts[partition] = now
        return due

    def _waits(self, step: StepSpec, partition: Partition) -> bool:
        """Whether only external files changed, which may still be being written."""
        external = self._lineage.graph.external
        if not all(given.asset in external for given in step.inputs):
            return False
        causes = self._lineage.causes(step, partition)
        return bool(causes) and all(cause.asset in external for cause in causes)


def attempt(
    lineage: Lineage, step: StepSpec, partition: Partition, causes: tuple[Cause, ...]
) -> str:
    """Names a try by what it would be made from and why: the same again would come out the same."""
    inputs = {a: [v.version, v.n_partitions] for a, v in lineage.inputs(step, partition).items()}
    return content_sha([inputs, [cause.text for cause in causes]])[:ID_CHARACTERS]
