"""What both sites have: headers, sizes, names they answer to, templates, and a server."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from enact_assets.engine.errors import SettingsError

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette

LOOPBACK = ("127.0.0.1", "localhost", "::1")
HOSTS = ("127.0.0.1", "localhost")
"""Names of this machine; another name for its address would let a foreign page read ours."""
MAX_BODY_BYTES = 16_384
CONTENT_POLICY = (
    "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'self'; "
    "script-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    # With no-referrer a browser sends `Origin: null` with our own forms.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


def guards(public_names: Sequence[str] = ()) -> list[Middleware]:
    """Every reply has :data:`HEADERS`, and requests by another name than ours are refused."""
    hosts, has_names = [*HOSTS, *public_names], bool(public_names)
    return [
        Middleware(Guarded),
        Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=has_names),
    ]


class Guarded:
    """Adds those of :data:`HEADERS` to every reply that it does not set itself; refuses a longer
    body whatever its headers say.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As any application."""
        n_bytes = 0

        async def receiving() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if n_bytes > MAX_BODY_BYTES:
                raise HTTPException(413, f"A request may have {MAX_BODY_BYTES} bytes at most.")
            return message

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message["headers"]}
                headers = ((name.encode(), value.encode()) for name, value in HEADERS.items())
                added = [(name, value) for name, value in headers if name not in own]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        await self._app(scope, receiving if scope["type"] == "http" else receive, sending)


def templates_in(folder: Path) -> jinja2.Environment:
    """Templates that escape what they show, and fail where something is missing."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@contextmanager
def listening_on(
    host: str, port: int, public_names: tuple[str, ...] = ()
) -> Iterator[socket.socket]:
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
            found.listen()  # the first request may come before the server is ready
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or "ports are numbers from 0 to 65535"
            raise SettingsError(
                f"port {port} of {host} cannot be used: {why}. Choose another port with --port"
            ) from error
        yield found


def server_of(site: "Starlette", *, is_behind_proxy: bool = False) -> "uvicorn.Server":
    """What answers requests on a socket. Addresses are logged nowhere: they may hold tokens."""
    import uvicorn

    return uvicorn.Server(
        uvicorn.Config(
            site,
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="off",
            proxy_headers=is_behind_proxy,
        )
    )


def serve(site: "Starlette", found: socket.socket, *, is_behind_proxy: bool = False) -> None:
    """Answer requests on ``found`` until Ctrl-C."""
    try:
        server_of(site, is_behind_proxy=is_behind_proxy).run(sockets=[found])
    except KeyboardInterrupt:
        return  # how it is meant to be stopped
