"""What the last nights made, read from Dagster: runs of the job, and ticks that asked for none."""

from collections.abc import Iterator
from dataclasses import dataclass

import dagster as dg
import msgspec

from enact_assets.pipeline.runs.running import REBUILD

NIGHT_TAG = "enact/night"
"""Of a run that the schedule asked for: when the night was to begin."""
COUNTS_TAG = ".dagster/enact_night"
"""Run id and counts. Dagster hides tags that begin so; it copies them to retries, too."""
TICKS_KEPT = 30
"""The last ticks that are looked at."""


class Counts(msgspec.Struct, frozen=True):
    """What one night did, in partitions; ``usd`` is what was bought while it worked.

    ``cut_off`` might have become stale and did not, ``left`` are stale still, by limits,
    ``blocked`` by what failed.
    """

    made: int = 0
    cut_off: int = 0
    failed: int = 0
    blocked: int = 0
    left: int = 0
    usd: float = 0.0

    def words(self) -> str:
        """All of them in one line."""
        blocked = f", {self.blocked:,} blocked" if self.blocked else ""
        return (
            f"{self.made:,} made, {self.cut_off:,} cut off, {self.failed:,} failed{blocked}, "
            f"{self.left:,} left, {self.usd:.2f} USD"
        )


@dataclass(frozen=True)
class Night:
    """One night: when it began (Unix time, s), how long it took (s, None while it works), what it
    made (None if that is not known), and what became of it, in words.
    """

    began: float
    seconds: float | None
    counts: Counts | None
    status: str
    run_id: str | None = None


def counts_tags(run_id: str, counts: Counts) -> dict[str, str]:
    """Tags by which :func:`last_nights` finds what the run ``run_id`` made."""
    return {COUNTS_TAG: f"{run_id} {msgspec.json.encode(counts).decode()}"}


def last_nights(instance: dg.DagsterInstance, n: int) -> list[Night]:
    """The last ``n`` nights, newest first; Dagster keeps those that made nothing for two days."""
    records = instance.get_run_records(dg.RunsFilter(job_name=REBUILD), limit=n)
    nights = [_night(record) for record in records]
    return sorted([*nights, *_without_runs(instance)], key=lambda night: -night.began)[:n]


def _night(record: dg.RunRecord) -> Night:
    run = record.dagster_run
    began = record.start_time or record.create_timestamp.timestamp()
    seconds = None if record.end_time is None else record.end_time - began
    run_id, _, text = run.tags.get(COUNTS_TAG, "").partition(" ")
    counts = msgspec.json.decode(text, type=Counts) if run_id == run.run_id else None
    return Night(began, seconds, counts, run.status.value.lower(), run.run_id)


def _without_runs(instance: dg.DagsterInstance) -> Iterator[Night]:
    """Ticks of the schedule that asked for no run: nothing was due, or they failed."""
    for state in instance.all_instigator_state():
        if state.instigator_name != REBUILD:
            continue
        ticks = instance.get_ticks(state.instigator_origin_id, state.selector_id, limit=TICKS_KEPT)
        for tick in ticks:
            why = tick.skip_reason or (tick.error.message.strip() if tick.error else "")
            if not tick.run_ids and why:
                yield Night(tick.timestamp, 0.0, None, why)


def switched_in_ui(instance: dg.DagsterInstance) -> bool | None:
    """Whether somebody switched the schedule on or off in the UI, which then wins; None if not."""
    for state in instance.all_instigator_state():
        if state.instigator_name == REBUILD and state.status.value in {"RUNNING", "STOPPED"}:
            return bool(state.status.value == "RUNNING")
    return None
