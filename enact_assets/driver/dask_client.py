"""The connection to a Dask scheduler, and messages while it has no workers."""

import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from enact_assets.contracts.errors import EnactError, MaterializationError
from enact_assets.runs.progress import Progress

if TYPE_CHECKING:
    from distributed import Client, Future

NO_WORKER_S = 10.0
"""Seconds without a worker before a message says so."""
SAID_EVERY_S = 60.0
QUIET = ("distributed.client", "tornado.application")
"""Loggers that print tracebacks of a lost connection, of which the driver says what to do."""


def connected(address: str, timeout_s: float) -> "Client":
    """A client of the scheduler at ``address``.

    Errors: :class:`MaterializationError` if it is not an address, or no scheduler answers there.
    """
    from distributed import Client
    from distributed.security import Security

    for name in QUIET:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    _check_address(address)
    is_tls = address.startswith("tls:")
    if is_tls and Security().get_connection_args("client").get("ssl_context") is None:
        raise MaterializationError(
            f"--dask {address}: no certificates are set. Set them as deploy/README.md says under "
            "TLS."
        )
    try:
        return Client(address, timeout=timeout_s, set_as_default=False, name="enact-assets")
    except (OSError, TimeoutError, ValueError) as error:
        raise MaterializationError(
            f"--dask {address}: no Dask scheduler answers there within {timeout_s:.0f} s "
            f"({str(error) or type(error).__name__}). Check that it runs and that this machine "
            "can reach it."
        ) from error


def _check_address(address: str) -> None:
    """Dask itself would start a cluster of its own, or try for half a minute."""
    from distributed.comm.addressing import parse_address, parse_host_port
    from distributed.comm.registry import backends, get_backend

    try:
        scheme, place = parse_address(address, strict=True)
        get_backend(scheme)
        host, port = parse_host_port(place)
        is_one = bool(host) and 0 < port < 1 << 16 and address == address.strip()
    except (ValueError, ImportError):
        is_one = False
    if not is_one:
        known = ", ".join(sorted(backends.keys() - {"inproc"}))
        raise MaterializationError(
            f"--dask {address!r}: this is not the address of a Dask scheduler. Give protocol, "
            f"machine and port, such as tcp://host:8786 (protocols here: {known})."
        )


def why_refused(future: "Future[Any]") -> str:
    """Why a worker cannot be used."""
    error = future.exception()
    if isinstance(error, EnactError):
        return str(error)
    return f"{type(error).__name__}: {error}. Is enact_assets installed there?"


class Patience:
    """Reports a missing worker: after some seconds, then every minute."""

    def __init__(self, client: "Client", address: str) -> None:
        self._client, self._address = client, address
        self._looked = time.monotonic()
        self._since: float | None = None
        self._said: float | None = None

    def look(self) -> Progress | None:
        """What to tell now, None if nothing; to be asked whenever nothing happens."""
        now = time.monotonic()
        if now - self._looked < NO_WORKER_S:
            return None
        last, self._looked = self._looked, now
        with suppress(OSError, TimeoutError):
            if self._client.scheduler_info(n_workers=-1)["workers"]:
                self._since = self._said = None
                return None
        if self._since is None:
            self._since = last
        if self._said is not None and now - self._said < SAID_EVERY_S:
            return None
        self._said = now
        return Progress(f"no worker at {self._address} yet, waiting", now - self._since, 0, "s")
