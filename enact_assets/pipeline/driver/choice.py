"""Cuts what a walk makes of a step into runs of Dagster, and chooses where these are performed: in
this process, in several, or on a cluster.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from enact_assets.engine.grids import Partition
from enact_assets.pipeline.driver.contract import Progressed, Runner, Site, Started
from enact_assets.pipeline.runs.pools import POOL_OF, driver_limit
from enact_assets.pipeline.runs.run import Outcome, Run
from enact_assets.settings.registry import BASELINE

WORTH_PROCESSES = {"replays": 4, "visibility": 8, "frame_images": 8, "training_statistics": 2}
"""From how many partitions of a step on it pays to start worker processes (some seconds each)."""
WORTH_PROCESSES_OTHERS = 100
WORTH_STARTED = 4
"""The same for those others once the processes are there. Not for steps with a pool: each process
would hold a model that runs in it, or wait for the same provider.
"""
MOST, MOST_SLOW = 50, 8
"""Partitions of one run, and of a step of which each takes seconds."""
PICTURES = "frame_images"


class Runners(Runner):
    """Chooses a runner for each stage; worker processes and cluster are started when needed.

    Few partitions are made in this process, and may use all workers within the step.
    """

    def __init__(self, site: Site, workers: int, dask: str | None = None) -> None:
        self._site, self._workers, self._dask = site, workers, dask
        self._here: Runner | None = None
        self._elsewhere: Runner | None = None

    def run(self, runs: Sequence[Run], started: Started, progress: Progressed) -> Iterator[Outcome]:
        """Perform all of ``runs``, of one step, cut into such as Dagster can make and as are
        balanced over the workers: as :meth:`Runner.run`.
        """
        if self._dask is None and not self._is_worth_processes(runs):
            whole = [replace(run, workers=self._workers) for run in runs]
            yield from self._in_process().run(self._cut(whole, 1), started, progress)
            return
        others = self._others()
        cut = self._cut(runs, others.n_workers)
        n = self._at_once(cut)
        for wave in self._waves(cut):
            for first in range(0, len(wave), n):
                yield from others.run(wave[first : first + n], started, progress)

    def _cut(self, runs: Sequence[Run], n_workers: int) -> list[Run]:
        """``runs`` in as few of Dagster's as are worth it; in the order of the first of each.

        What is in a pool stays alone: it asks others, renders or trains, for minutes.
        """
        from enact_assets.pipeline.driver.step_runs import workplace

        place, cut = workplace(self._site), list[Run]()
        for run in runs:
            if not run.is_list:
                cut.append(run)
            elif shards := place.in_shards(run):
                cut += map(run.of, shards)
            elif run.step in POOL_OF:
                cut += run.each()
            else:
                most = MOST_SLOW if run.step in WORTH_PROCESSES else MOST
                cut += map(run.of, in_lists(place.in_ranges(run), n_workers, most))
        return cut

    def _waves(self, runs: Sequence[Run]) -> list[Sequence[Run]]:
        """``runs``, which may work at the same time; of pictures those first that others show too.

        A variant that differs in words alone finds its baseline's pictures. At once, both would
        render them.
        """
        if not runs or runs[0].step != PICTURES:
            return [runs]
        from enact_assets.pipeline.driver.step_runs import workplace

        registry = workplace(self._site).registry
        rendered: dict[object, Run] = {}
        shown_too: list[Run] = []
        # The baseline shows all key frames, others those that they ask about.
        for run in sorted(runs, key=lambda run: run.partition[1] != BASELINE):
            demonstration, name = run.partition
            variant = registry.variant(name)
            look = (demonstration, variant.camera, variant.renderer, variant.appearance)
            if rendered.setdefault(look, run) is not run:
                shown_too.append(run)
        return [wave for wave in (list(rendered.values()), shown_too) if wave]

    def _at_once(self, runs: Sequence[Run]) -> int:
        """How many to hand out together, so that no pool is exceeded."""
        from enact_assets.pipeline.driver.step_runs import workplace

        limit = driver_limit(workplace(self._site).instance, runs[0].step) if runs else None
        if limit is None or (self._dask is None and self._workers <= limit):
            return max(1, len(runs))
        return limit

    def _is_worth_processes(self, runs: Sequence[Run]) -> bool:
        if self._workers < 2 or not runs:
            return False
        step, others = runs[0].step, WORTH_PROCESSES_OTHERS
        if self._elsewhere is not None and step not in POOL_OF:
            others = WORTH_STARTED
        n = sum(len(run.partitions) for run in runs)
        return n >= max(self._workers, WORTH_PROCESSES.get(step, others))

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


def in_lists(
    ranges: Sequence[Sequence[Partition]], n_workers: int, most: int
) -> Iterator[Sequence[Partition]]:
    """``ranges`` cut into lists for ``n_workers``, each of ``most`` at most, in order.

    Each list has its worker's half share of what is left, so that lists get shorter, to one at the
    end: whoever is slow then holds nobody up for long (Polychronopoulos and Kuck 1987).
    """
    left = sum(map(len, ranges))
    for of in ranges:
        first = 0
        while first < len(of):
            share = left if n_workers == 1 else -(-left // (2 * n_workers))
            cut = of[first : first + min(most, share)]
            yield cut
            first, left = first + len(cut), left - len(cut)
