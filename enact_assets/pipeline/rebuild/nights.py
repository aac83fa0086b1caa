"""Reads the results of the last nights from Dagster: runs of the job, and ticks without a run."""

from collections.abc import Iterator
from dataclasses import dataclass

import dagster as dg
import msgspec

from enact_assets.pipeline.runs.running import REBUILD

NIGHT_TAG = "enact/night"
"""Tag of a run that the schedule requested: the planned start of the night."""
COUNTS_TAG = ".dagster/enact_night"
"""Tag with run id and counts. Dagster hides tags that begin with a dot, and copies them to
retries.
"""
TICKS_KEPT = 30
"""How many of the last ticks are read."""


class Counts(msgspec.Struct, frozen=True):
    """Numbers of partitions of one night; ``usd`` is the amount spent during the night.

    ``cut_off`` might have become stale and did not; ``left`` are still stale because of limits,
    ``blocked`` because an input failed.
    """

    made: int = 0
    cut_off: int = 0
    failed: int = 0
    blocked: int = 0
    left: int = 0
    usd: float = 0.0

    def words(self) -> str:
        """All numbers in one line."""
        blocked = f", {self.blocked:,} blocked" if self.blocked else ""
        return (
            f"{self.made:,} made, {self.cut_off:,} cut off, {self.failed:,} failed{blocked}, "
            f"{self.left:,} left, {self.usd:.2f} USD"
        )


@dataclass(frozen=True)
class Night:
    """One night: start (Unix time, s), duration (s, None while it runs), counts (None if unknown),
    and a message about its result.
    """

    began: float
    seconds: float | None
    counts: Counts | None
    status: str
    run_id: str | None = None


def counts_tags(run_id: str, counts: Counts) -> dict[str, str]:
    """Tags in which :func:`last_nights` finds the counts of the run ``run_id``."""
    return {COUNTS_TAG: f"{run_id} {msgspec.json.encode(counts).decode()}"}


def last_nights(instance: dg.DagsterInstance, n: int) -> list[Night]:
    """The last ``n`` nights, newest first; Dagster keeps nights without a run for two days."""
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
    """Ticks of the schedule without a run: nothing was due, or they failed."""
    for state in instance.all_instigator_state():
        if state.instigator_name != REBUILD:
            continue
        ticks = instance.get_ticks(state.instigator_origin_id, state.selector_id, limit=TICKS_KEPT)
        for tick in ticks:
            why = tick.skip_reason or (tick.error.message.strip() if tick.error else "")
            if not tick.run_ids and why:
                yield Night(tick.timestamp, 0.0, None, why)


def switched_in_ui(instance: dg.DagsterInstance) -> bool | None:
    """State of the schedule if it was switched on or off in the UI, which has priority; None if
    not.
    """
    for state in instance.all_instigator_state():
        if state.instigator_name == REBUILD and state.status.value in {"RUNNING", "STOPPED"}:
            return bool(state.status.value == "RUNNING")
    return None
