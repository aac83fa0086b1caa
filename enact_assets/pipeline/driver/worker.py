"""A process that performs runs for :class:`ProcessRunner`, and the messages between the two."""

import os
from dataclasses import dataclass
from multiprocessing.connection import Connection

from enact_assets.engine.errors import EnactError
from enact_assets.engine.progress import Progress, at_most_every
from enact_assets.engine.system.collector import without_collector
from enact_assets.engine.system.worker_process import begin_stoppable_worker
from enact_assets.pipeline.driver.contract import Site
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
            send = at_most_every(PROGRESS_EVERY_S, connection.send)
            connection.send(execute(site, run, send))
    finally:
        leave()
