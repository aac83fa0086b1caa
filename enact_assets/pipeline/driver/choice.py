"""Divides the partitions of a step into runs of Dagster, and chooses where the runs are executed:
in this process, in worker processes, or on a cluster.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from enact_assets.engine.grids import Partition
from enact_assets.pipeline.driver.contract import Progressed, Runner, Site, Started
from enact_assets.pipeline.runs.pools import POOL_OF, driver_limit
from enact_assets.pipeline.runs.run import Outcome, Run
from enact_assets.settings.registry import BASELINE

WORTH_PROCESSES = {"replays": 4, "visibility": 8, "frame_images": 8, "training_statistics": 2}
"""Step -> number of partitions from which starting worker processes pays (some seconds each)."""
WORTH_PROCESSES_OTHERS = 100
WORTH_STARTED = 4
"""Number of partitions of any other step from which running worker processes are used. It does not
apply to steps with a pool: each process would load a local model, or wait for the same provider.
"""
MOST, MOST_SLOW = 50, 8
"""Most partitions of one run: in general, and for steps that take seconds for each partition."""
PICTURES = "frame_images"


class Runners(Runner):
    """Chooses a runner for each stage; worker processes and cluster are started when needed.

    A small number of partitions is made in this process, and the step may use all workers.
    """

    def __init__(self, site: Site, workers: int, dask: str | None = None) -> None:
        self._site, self._workers, self._dask = site, workers, dask
        self._here: Runner | None = None
        self._elsewhere: Runner | None = None

    def run(self, runs: Sequence[Run], started: Started, progress: Progressed) -> Iterator[Outcome]:
        """Perform all ``runs`` of one step as :meth:`Runner.run`, after dividing them into ranges
        that Dagster supports and that are balanced over the workers.
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
        """``runs`` merged into few runs of Dagster, sorted by the first partition of each.

        Steps with a pool keep one partition per run: asking models, rendering or training takes
        minutes.
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
        """``runs`` in waves that may run at the same time; pictures that other variants share come
        first.

        A variant that differs only in wording reuses the pictures of its baseline. If both ran at
        the same time, both would render them.
        """
        if not runs or runs[0].step != PICTURES:
            return [runs]
        from enact_assets.pipeline.driver.step_runs import workplace

        registry = workplace(self._site).registry
        rendered: dict[object, Run] = {}
        shown_too: list[Run] = []
        # The baseline has pictures of all key frames, other variants of those in their questions.
        for run in sorted(runs, key=lambda run: run.partition[1] != BASELINE):
            demonstration, name = run.partition
            variant = registry.variant(name)
            look = (demonstration, variant.camera, variant.renderer, variant.appearance)
            if rendered.setdefault(look, run) is not run:
                shown_too.append(run)
        return [wave for wave in (list(rendered.values()), shown_too) if wave]

    def _at_once(self, runs: Sequence[Run]) -> int:
        """How many runs to start together, so that no pool is exceeded."""
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
            # Imported here, as it loads all definitions, which are not needed if there is nothing
            # to do.
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
        """End all started runners."""
        for runner in (self._here, self._elsewhere):
            if runner is not None:
                runner.close()
        self._here = self._elsewhere = None


def in_lists(
    ranges: Sequence[Sequence[Partition]], n_workers: int, most: int
) -> Iterator[Sequence[Partition]]:
    """``ranges`` divided into lists for ``n_workers``, each of at most ``most`` partitions, in
    order.

    Each list has half of a worker's share of the remaining partitions. So lists get shorter, down
    to one partition, and a slow worker delays the end only a little (Polychronopoulos and Kuck
    1987).
    """
    left = sum(map(len, ranges))
    for of in ranges:
        first = 0
        while first < len(of):
            share = left if n_workers == 1 else -(-left // (2 * n_workers))
            cut = of[first : first + min(most, share)]
            yield cut
            first, left = first + len(cut), left - len(cut)
