"""Serving the page until interrupted."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from starlette.applications import Starlette

from enact_assets.engine.errors import SettingsError

if TYPE_CHECKING:
    import uvicorn

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@contextmanager
def listening_on(host: str, port: int, public_names: tuple[str, ...]) -> Iterator[socket.socket]:
    """A socket on ``port`` of ``host``, 0 for any.

    Errors: :class:`SettingsError` if it cannot be used, or if others could reach it without HTTPS.
    """
    if host not in LOOPBACK and not public_names:
        raise SettingsError(
            f"--host {host}: others can reach this address, and links would cross the network "
            "unencrypted. Put an HTTPS proxy in front and give its name as --public-name"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as found:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host, port))
            found.listen()
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or "ports are numbers from 0 to 65535"
            raise SettingsError(f"port {port} of {host} cannot be used: {why}") from error
        yield found


def server_config(site: Starlette, *, is_behind_proxy: bool) -> "uvicorn.Config":
    """Addresses are logged nowhere: they hold tokens."""
    import uvicorn

    return uvicorn.Config(
        site,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        proxy_headers=is_behind_proxy,
    )


def serve_pages(site: Starlette, found: socket.socket, *, is_behind_proxy: bool) -> None:
    """Answer requests on ``found`` until Ctrl-C."""
    import uvicorn

    try:
        uvicorn.Server(server_config(site, is_behind_proxy=is_behind_proxy)).run(sockets=[found])
    except KeyboardInterrupt:
        return  # how it is meant to be stopped
