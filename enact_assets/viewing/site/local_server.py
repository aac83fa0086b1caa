"""Serving pages: on the loopback address only, until interrupted."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from enact_assets.contracts.errors import SettingsError
from enact_assets.data_root.paths import DataRoot
from enact_assets.viewing.site.pages import site

if TYPE_CHECKING:
    from uvicorn import Server

ADDRESS = "127.0.0.1"


@contextmanager
def listening(port: int) -> Iterator[socket.socket]:
    """A socket on ``port`` of the loopback address, 0 for any.

    Errors: :class:`SettingsError` if the port cannot be used.
    """
    with socket.socket() as found:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((ADDRESS, port))
            found.listen()  # the first request may come before the server is ready
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or "ports are numbers from 0 to 65535"
            raise SettingsError(
                f"port {port} of {ADDRESS} cannot be used: {why}. Choose another port with --port"
            ) from error
        yield found


def server(root: DataRoot) -> "Server":
    """What answers requests for pages of ``root``; it runs on a socket."""
    import uvicorn

    return uvicorn.Server(
        uvicorn.Config(site(root), log_level="warning", server_header=False, lifespan="off")
    )


def serve(root: DataRoot, found: socket.socket) -> None:
    """Answer requests on ``found`` until Ctrl-C."""
    try:
        server(root).run(sockets=[found])
    except KeyboardInterrupt:
        return  # how it is meant to be stopped
