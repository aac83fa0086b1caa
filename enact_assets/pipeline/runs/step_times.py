"""How long a partition of each step takes: by the last runs of the data root, or of this machine.

A new data root has no runs, so each driver stores the times of the steps that it made in a file
of the user's cache folder. Only estimates of plans read it.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Annotated, NamedTuple

import dagster as dg
import msgspec

from enact_assets.engine.errors import OutputError
from enact_assets.engine.system.atomic import replacing
from enact_assets.engine.system.kernel_cache import user_cache
from enact_assets.pipeline.lineage.graph import STEP_NAMED
from enact_assets.pipeline.runs.ranges import FIRST_TAG
from enact_assets.pipeline.runs.running import job_of

VARIABLE = "ENACT_STEP_TIMES"
"""Environment variable that names the file of this machine; ``none``: no file."""
NO_FILE = "none"
FILE = "step_times.json"
LAST_RUNS = 50
"""How many runs of a step its time is estimated from."""
_Seconds = dict[str, Annotated[float, msgspec.Meta(ge=0, lt=1e9)]]


class StepTime(NamedTuple):
    """Mean seconds of a partition; ``is_of_machine``: by runs of other data roots."""

    seconds: float
    is_of_machine: bool


class StepTimes:
    """Times of steps in the data root of ``instance``; each step is looked up once."""

    def __init__(self, instance: dg.DagsterInstance) -> None:
        self._instance = instance
        self._known: dict[str, StepTime | None] = {}

    def of(self, step: str) -> StepTime | None:
        """The time of a partition of ``step``; None if none is known."""
        if step not in self._known:
            self._known[step] = self._found(step)
        return self._known[step]

    def _found(self, step: str) -> StepTime | None:
        seconds = mean_seconds(self._instance, step)
        if seconds is not None:
            return StepTime(seconds, is_of_machine=False)
        known = self._of_machine.get(step)
        return None if known is None else StepTime(known, is_of_machine=True)

    @cached_property
    def _of_machine(self) -> Mapping[str, float]:
        path = machine_file()
        return {} if path is None else _read(path)


def machine_file() -> Path | None:
    """The file of this machine; None if there is no place for it or :data:`NO_FILE` is set."""
    named = os.environ.get(VARIABLE)
    if named:
        return None if named == NO_FILE else Path(named)
    folder = user_cache()
    return None if folder is None else folder / FILE


def keep_times(instance: dg.DagsterInstance, steps: Iterable[str]) -> None:
    """Store the times of ``steps``, which ran in the data root of ``instance``, for other roots.

    Nothing happens if they cannot be stored: a run does not fail by it. Of two drivers that end at
    the same moment, one may overwrite the times of the other.
    """
    path = machine_file()
    if path is None:
        return
    before = _read(path)
    found = {step: mean_seconds(instance, step) for step in sorted(set(steps))}
    times = before | {step: round(s, 4) for step, s in found.items() if s is not None}
    if times != before:
        with suppress(OSError, OutputError), replacing(path) as temporary:
            temporary.write_bytes(msgspec.json.encode(times, order="sorted"))


def _read(path: Path) -> _Seconds:
    with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return msgspec.json.decode(path.read_bytes(), type=_Seconds)
    return {}


def mean_seconds(instance: dg.DagsterInstance, step: str) -> float | None:
    """Mean time of a partition in the last runs of ``step``; None if there was none."""
    of_job = dg.RunsFilter(job_name=job_of(step), statuses=[dg.DagsterRunStatus.SUCCESS])
    keys = {dg.AssetKey(asset) for asset in STEP_NAMED[step].assets}
    took = [
        (record.end_time - record.start_time) / _n_made(instance, record.dagster_run, len(keys))
        for record in instance.get_run_records(of_job, limit=LAST_RUNS)
        if record.end_time and record.start_time
        if keys <= (record.dagster_run.asset_selection or keys)
    ]
    return fmean(took) if took else None


def _n_made(instance: dg.DagsterInstance, run: dg.DagsterRun, n_assets: int) -> int:
    """Number of partitions of a step with ``n_assets`` that ``run`` reported."""
    if FIRST_TAG not in run.tags:
        return 1
    n_reported = instance.get_run_stats(run.run_id).materializations
    return max(1, n_reported // len(run.asset_selection or range(n_assets)))
