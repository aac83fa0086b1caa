"""Runs of a shard: its members that are due, one after the other, each with its own provenance.

A member that fails is noted and the others go on; the run fails at its end. What was made stays, so
a run that was killed or failed is repeated for the members that are still stale.
"""

import json
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import dagster as dg

from enact_assets.engine.errors import EnactError, MaterializationError
from enact_assets.engine.graph import Partition, StepSpec, partition_key
from enact_assets.engine.planning.shards import members, shard_at, version_of
from enact_assets.engine.plurals import counted
from enact_assets.pipeline.runs.making import Found, note_why
from enact_assets.pipeline.runs.progress import reporter, within
from enact_assets.pipeline.runs.running import TRIGGER_TAG

ONLY, ONLY_STALE = "only", "only_stale"
CONFIG = {
    ONLY: dg.Field(
        [str],
        default_value=[],
        description="Names of the shard that are made. Empty: all of its names.",
    ),
    ONLY_STALE: dg.Field(
        bool,
        default_value=True,
        description="Leave out partitions that are fresh. If all are fresh, all are made again.",
    ),
}
"""Configuration of the op of a step whose partitions are shards."""
FAILED = "failed partitions"
"""Metadata key of a failed run: partition -> why it could not be made."""
AUTOMATED = "automation"
MOST_CHARACTERS = 1_000
LOGGED = 3
"""Tracebacks in the log of a run."""


def run_config(step: str, only: Iterable[str], *, only_stale: bool) -> Mapping[str, object]:
    """Run configuration that makes the names ``only`` of a shard."""
    return {"ops": {step: {"config": {ONLY: sorted(only), ONLY_STALE: only_stale}}}}


def ask_for(
    instance: dg.DagsterInstance, step: str, key: str, partitions: Iterable[Partition]
) -> None:
    """Note which members of a shard automation asks for: its runs have no configuration."""
    names = sorted(partition_key(partition) or "" for partition in partitions)
    instance.run_storage.set_cursor_values({_cursor(step, key): json.dumps(names)})


def _asked_for(instance: dg.DagsterInstance, step: str, key: str) -> set[str] | None:
    found = instance.run_storage.get_cursor_values({_cursor(step, key)})
    return set(json.loads(found[_cursor(step, key)])) if found else None


def _cursor(step: str, key: str) -> str:
    return f"enact/asked_for/{step}/{key}"


def chosen_members(
    context: dg.AssetExecutionContext, found: Found, step: StepSpec, shard: Partition
) -> list[Partition]:
    """Members that the run makes: those its configuration names, or that automation asked for.

    Started by hand, it makes what is stale of the shard, or everything if nothing is. A run that
    repeats another one, and one that a driver, sensor or automation started, may make nothing.

    Errors: :class:`MaterializationError` for names that are not in the shard.
    """
    every = members(found.names, step.assets[0], shard)
    config = context.op_execution_context.op_config
    trigger = context.run.tags.get(TRIGGER_TAG)
    is_repeated, is_automated = context.run.parent_run_id is not None, trigger == AUTOMATED
    at, only = shard_at(shard) or 0, set(config[ONLY])
    wanted = [p for p in every if not only or p[at] in only]
    unknown = sorted(only - {p[at] for p in wanted})
    if unknown:
        raise MaterializationError(
            f"{step.name} {partition_key(shard)}: {counted(len(unknown), 'name')} of `{ONLY}` "
            f"cannot be made in this shard, first {unknown[0]!r}. Leave them out, or start the run "
            "of their shard."
        )
    asked = _asked_for(context.instance, step.name, "|".join(shard)) if is_automated else None
    if asked is not None:
        wanted = [p for p in wanted if partition_key(p) in asked]
    if not (config[ONLY_STALE] or is_repeated or is_automated):
        note_why(context, f"{counted(len(wanted), 'partition')}; requested")
        return wanted
    causes = {p: found.causes(step.name, p) for p in wanted}
    stale = [p for p in wanted if causes[p]]
    if stale:
        first = "; ".join(map(str, causes[stale[0]]))
        n = counted(len(stale), "partition")
        note_why(context, f"{n}, first {partition_key(stale[0])}: {first}")
        return stale
    note_why(context, "all of it was fresh; requested by hand")
    return wanted if trigger is None and not is_repeated else []


@dataclass
class ShardMade:
    """What a run made of a shard: rows by asset, partitions made, and why others failed."""

    step: StepSpec
    shard: Partition
    n_rows: dict[str, int]
    made: list[Partition] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)

    def results(
        self, found: Found, where: Callable[[str], str]
    ) -> Iterator[dg.MaterializeResult[Any]]:
        """One materialization for each asset, of all its members that are there; then the failure.

        None, only the failure, where nothing could be made. Errors: ``dagster.Failure`` caused by
        a :class:`MaterializationError`.
        """
        n = len(self.made) + len(self.failures)
        for asset in self.step.assets if self.made or not self.failures else ():
            of_shard = members(found.names, asset, self.shard)
            states = [(p, found.states.landed(asset, p)) for p in of_shard]
            n_there = sum(state is not None for _, state in states)
            yield dg.MaterializeResult(
                asset_key=asset,
                data_version=dg.DataVersion(version_of(states)),
                metadata={
                    "partitions made": len(self.made),
                    "partitions failed": len(self.failures),
                    "partitions in the shard": len(of_shard),
                    "partitions there": n_there,
                    "rows made": self.n_rows[asset],
                    "path": dg.MetadataValue.path(where(asset)),
                },
            )
        if not self.failures:
            return
        first, why = next(iter(self.failures.items()))
        text = (
            f"{self.step.name} {partition_key(self.shard)}: {len(self.failures)} of "
            f"{counted(n, 'partition')} failed, first {first}: {why} What was made is kept. Start "
            "the run again to make the others."
        )
        raise dg.Failure(
            text, metadata={FAILED: dg.MetadataValue.json(self.failures)}, allow_retries=False
        ) from MaterializationError(text)


def make_members(
    context: dg.AssetExecutionContext,
    step: StepSpec,
    shard: Partition,
    chosen: Iterable[Partition],
    make: Callable[[Partition], Iterable[tuple[str, int]]],
) -> ShardMade:
    """Call ``make`` for each of ``chosen``; it gives asset and number of rows of what it lands."""
    chosen = list(chosen)
    found = ShardMade(step, shard, dict.fromkeys(step.assets, 0))
    progress = reporter(context, f"{step.name} {partition_key(shard)}")
    for k, partition in enumerate(chosen):
        try:
            with within(k, len(chosen), "partitions"):
                landed = dict(make(partition))
        except Exception as error:  # noqa: BLE001 - one of many must not stop the others
            _note_failure(context, found, partition, error)
        else:
            found.made.append(partition)
            for asset, n in landed.items():
                found.n_rows[asset] += n
        progress.parts(k + 1, len(chosen), "partitions")
    return found


def _note_failure(
    context: dg.AssetExecutionContext, found: ShardMade, partition: Partition, error: Exception
) -> None:
    place = f"{found.step.name} {partition_key(partition)}"
    found.failures[partition_key(partition) or ""] = _message(error)[:MOST_CHARACTERS]
    if len(found.failures) <= LOGGED:
        text = "".join(traceback.format_exception(error))
        context.log.error(f"{place} failed, the others go on\n{text}")


def _message(error: BaseException) -> str:
    """What the outermost of our errors says; for a foreign one the innermost."""
    last = error
    at: BaseException | None = error
    while at is not None:
        if isinstance(at, EnactError):
            return str(at)
        last, at = at, at.__cause__ or at.__context__
    return f"{type(last).__name__}: {last}"
