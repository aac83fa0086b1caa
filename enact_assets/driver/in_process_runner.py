"""Runs steps one after the other in this process, for debuggers and single cores."""

from collections.abc import Iterator, Sequence
from functools import partial

from enact_assets.driver.contract import Outcome, Progressed, Runner, Site, Started, StepRun
from enact_assets.driver.step_runs import execute


class InProcessRunner(Runner):
    """Runs steps of ``site`` in the order they are given."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def run(
        self, runs: Sequence[StepRun], started: Started, progress: Progressed
    ) -> Iterator[Outcome]:
        """As in :class:`Runner`."""
        for run in runs:
            started(run)
            yield execute(self._site, run, partial(progress, run))

    def close(self) -> None:
        """Nothing was started. What this process keeps of the site stays for the next runner."""
