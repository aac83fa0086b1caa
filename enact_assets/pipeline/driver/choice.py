"""Chooses where the steps of a stage run: in this process, in several, or on a cluster."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from enact_assets.pipeline.driver.contract import (
    Outcome,
    Progressed,
    Runner,
    Site,
    Started,
    StepRun,
)
from enact_assets.pipeline.runs.pools import POOL_OF, driver_limit
from enact_assets.settings.registry import BASELINE

WORTH_PROCESSES = {"replays": 4, "visibility": 8, "frame_images": 8, "training_statistics": 2}
"""From how many partitions of a step on it pays to start worker processes (some seconds each)."""
WORTH_PROCESSES_OTHERS = 100
WORTH_STARTED = 4
"""The same for those others once the processes are there. Not for steps with a pool: each process
would hold a model that runs in it, or wait for the same provider.
"""
PICTURES = "frame_images"


class Runners(Runner):
    """Chooses a runner for each stage; worker processes and cluster are started when needed.

    Few partitions run in this process, and may use all workers within the step.
    """

    def __init__(self, site: Site, workers: int, dask: str | None = None) -> None:
        self._site, self._workers, self._dask = site, workers, dask
        self._here: Runner | None = None
        self._elsewhere: Runner | None = None

    def run(
        self, runs: Sequence[StepRun], started: Started, progress: Progressed
    ) -> Iterator[Outcome]:
        """Run all of ``runs``, partitions of one step: as :meth:`Runner.run`."""
        if self._dask is None and not self._is_worth_processes(runs):
            runs = [replace(run, workers=self._workers) for run in runs]
            yield from self._in_process().run(runs, started, progress)
            return
        n = self._at_once(runs)
        for wave in self._waves(runs):
            for first in range(0, len(wave), n):
                yield from self._others().run(wave[first : first + n], started, progress)

    def _waves(self, runs: Sequence[StepRun]) -> list[Sequence[StepRun]]:
        """``runs``, which may work at the same time; of pictures those first that others show too.

        A variant that differs in words alone finds its baseline's pictures. At once, both would
        render them.
        """
        if not runs or runs[0].step != PICTURES:
            return [runs]
        from enact_assets.pipeline.driver.step_runs import workplace

        registry = workplace(self._site).registry
        rendered: dict[object, StepRun] = {}
        shown_too: list[StepRun] = []
        # The baseline shows all key frames, others those that they ask about.
        for run in sorted(runs, key=lambda run: not str(run.partition).endswith(f"|{BASELINE}")):
            demonstration, _, name = str(run.partition).partition("|")
            variant = registry.variant(name)
            look = (demonstration, variant.camera, variant.renderer, variant.appearance)
            if rendered.setdefault(look, run) is not run:
                shown_too.append(run)
        return [wave for wave in (list(rendered.values()), shown_too) if wave]

    def _at_once(self, runs: Sequence[StepRun]) -> int:
        """How many to hand out together, so that no pool is exceeded."""
        from enact_assets.pipeline.driver.step_runs import workplace

        limit = driver_limit(workplace(self._site).instance, runs[0].step) if runs else None
        if limit is None or (self._dask is None and self._workers <= limit):
            return max(1, len(runs))
        return limit

    def _is_worth_processes(self, runs: Sequence[StepRun]) -> bool:
        if self._workers < 2 or not runs:
            return False
        step, others = runs[0].step, WORTH_PROCESSES_OTHERS
        if self._elsewhere is not None and step not in POOL_OF:
            others = WORTH_STARTED
        least = WORTH_PROCESSES.get(step, others)
        n = sum(max(1, len(run.only)) for run in runs)
        return n >= least and len(runs) >= self._workers

    def _in_process(self) -> Runner:
        if self._here is None:
            # With all definitions, which a walk with nothing to do does not need.
            from enact_assets.pipeline.driver.step_runs import InProcessRunner

            self._here = InProcessRunner(self._site)
        return self._here

    def _others(self) -> Runner:
        if self._elsewhere is None:
            if self._dask is not None:
                from enact_assets.pipeline.driver.dask_runner import DaskRunner

                self._elsewhere = DaskRunner(self._site, self._dask)
            else:
                from enact_assets.pipeline.driver.process_runner import ProcessRunner

                self._elsewhere = ProcessRunner(self._site, self._workers)
        return self._elsewhere

    def close(self) -> None:
        """End what was started."""
        for runner in (self._here, self._elsewhere):
            if runner is not None:
                runner.close()
        self._here = self._elsewhere = None
