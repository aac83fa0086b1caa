"""A process that performs runs for :class:`ProcessRunner`, and the messages between the two."""

import os
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection

from enact_assets.engine.errors import EnactError
from enact_assets.engine.system.collector import without_collector
from enact_assets.engine.system.worker_process import begin_stoppable_worker
from enact_assets.pipeline.driver.contract import Site
from enact_assets.pipeline.runs.progress import Progress
from enact_assets.pipeline.runs.run import Outcome

PROGRESS_EVERY_S = 0.1


@dataclass(frozen=True)
class Ready:
    """From a worker: it has started."""


@dataclass(frozen=True)
class Unusable:
    """From a worker: it cannot work at this site at all."""

    why: str


Message = Ready | Progress | Outcome | Unusable


class Throttle:
    """Lets progress through at most every ``every_s`` seconds, and always the last of a run."""

    def __init__(self, every_s: float = PROGRESS_EVERY_S) -> None:
        self._every_s = every_s
        self._at = -every_s

    def passes(self, progress: Progress) -> bool:
        """Whether to send ``progress`` on."""
        now = time.monotonic()
        if progress.done != progress.total and now - self._at < self._every_s:
            return False
        self._at = now
        return True


def work(connection: Connection, site: Site) -> None:
    """Main function of a worker: perform runs until the other end sends None or hangs up."""
    begin_stoppable_worker()
    try:
        _serve(connection, site)
    except EnactError as error:
        connection.send(Unusable(str(error)))
    except (KeyboardInterrupt, EOFError, BrokenPipeError):
        pass  # stopped by the driver, which knows; events reported by then stay
    # Tearing down an interpreter with this much in it takes most of a second.
    os._exit(0)


def _serve(connection: Connection, site: Site) -> None:
    with without_collector():
        # All definitions: half a second before the first step.
        from enact_assets.pipeline.driver.step_runs import execute, leave, workplace
    try:
        with without_collector():
            workplace(site)
        connection.send(Ready())
        while (run := connection.recv()) is not None:
            throttle = Throttle()

            def send(progress: Progress, throttle: Throttle = throttle) -> None:
                if throttle.passes(progress):
                    connection.send(progress)

            connection.send(execute(site, run, send))
    finally:
        leave()
