"""Main function of worker processes of :class:`ProcessRunner`, and the messages between them."""

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
    """Message of a worker: it has started."""


@dataclass(frozen=True)
class Unusable:
    """Message of a worker: it cannot work at this site."""

    why: str


Message = Ready | Progress | Outcome | Unusable


def work(connection: Connection, site: Site) -> None:
    """Main function of a worker: perform runs until the driver sends None or closes the
    connection.
    """
    begin_stoppable_worker()
    try:
        _serve(connection, site)
    except EnactError as error:
        connection.send(Unusable(str(error)))
    except (KeyboardInterrupt, EOFError, BrokenPipeError):
        pass  # the driver stopped this worker; events written so far stay
    # Ending this interpreter in the normal way would take most of a second.
    os._exit(0)


def _serve(connection: Connection, site: Site) -> None:
    with without_collector():
        # This loads all definitions, which takes half a second.
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
