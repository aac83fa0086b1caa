"""``python -m enact_assets.pipeline.ui.server``: dagster-webserver behind a guard, same options.

The guard protects the Dagster UI from other web pages by checking Host, Origin and method. Without
it, dagster-webserver answers to any host name and runs mutations sent by GET, so a web page in the
same browser could start runs, or read everything by giving its own host name the address of this
machine (DNS rebinding).
"""

import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from enact_assets.pipeline.ui.code_server import end_with_code

MODULE = "enact_assets.pipeline.ui.server"
SERVICES = "enact_assets.pipeline.ui.services"
"""``dagster dev`` with this server."""

HOSTS_VARIABLE = "ENACT_UI_HOSTS"
"""Variable with more names under which browsers reach the UI, separated by commas."""
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
_READING = ("GET", "HEAD", "OPTIONS")
_NAVIGATION = "navigate"

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


def allowed_hosts() -> frozenset[str]:
    """Names under which browsers may reach the UI: this machine, and ``ENACT_UI_HOSTS``."""
    more = os.environ.get(HOSTS_VARIABLE, "").split(",")
    return frozenset({*LOCAL_HOSTS, *(name.strip().lower() for name in more if name.strip())})


class UiGuard:
    """An ASGI application that passes only requests of our own pages and of people to ``inner``.

    Requests of programs such as curl have no Origin and are passed. It refuses other host names
    (421), requests from other sites (403), and GraphQL by GET (405).
    """

    def __init__(self, inner: Application, hosts: frozenset[str]) -> None:
        self._inner, self._hosts = inner, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, as any ASGI application."""
        refusal = self._refusal(scope) if scope["type"] in {"http", "websocket"} else None
        if refusal is None:
            await self._inner(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()  # the request to connect
            await send({"type": "websocket.close", "code": 1008, "reason": refusal[1][:120]})
        else:
            status, why = refusal
            headers = [(b"content-type", b"text/plain; charset=utf-8")]
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": why.encode()})

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Status and reason if a request is refused, else None."""
        given: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            given.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        host = given.get("host", [""])
        name = _name_of(host[0])
        if len(host) != 1 or name is None or name not in self._hosts:
            return 421, (
                f"The UI does not answer to the name {host[0]!r:.100}. Open http://localhost, or "
                f"add the name to {HOSTS_VARIABLE} and start the UI again.\n"
            )
        is_reading = scope["type"] == "http" and scope["method"] in _READING
        origins = given.get("origin", [])
        if any(urlsplit(origin).netloc.lower() != host[0].lower() for origin in origins):
            return 403, "Refused: another web site sent this request.\n"
        # Links from other sites are allowed; all other requests from other sites are not.
        is_foreign = given.get("sec-fetch-site", ["none"])[0] in {"cross-site", "same-site"}
        is_link = is_reading and given.get("sec-fetch-mode", [""])[0] == _NAVIGATION
        if is_foreign and not is_link:
            return 403, "Refused: another web site sent this request.\n"
        is_graphql = scope["type"] == "http" and scope["path"].rstrip("/").endswith("/graphql")
        if is_graphql and scope["method"] != "POST" and scope.get("query_string"):
            return 405, "Send GraphQL by POST.\n"
        return None


def _name_of(host: str) -> str | None:
    """The host name in a Host header, in lower case, without port; None if there is none."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def main() -> None:
    """Run the web server until it is stopped."""
    from dagster_webserver import cli

    # The only place where the application can be wrapped before uvicorn gets it.
    name = "create_app_from_workspace_process_context"
    make = getattr(cli, name)

    def guarded(*arguments: Any, **options: Any) -> Application:
        return UiGuard(make(*arguments, **options), allowed_hosts())

    setattr(cli, name, guarded)
    end_with_code()
    cli.main()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
