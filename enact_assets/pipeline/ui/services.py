"""``python -m enact_assets.pipeline.ui.services``: ``dagster dev`` with the guarded web server.

``dagster dev`` ends with exit code 0 when one of its services was killed; this command ends with 1,
so that its parent process knows. A killed code server is started again.
"""

import _thread
import signal
import subprocess
import sys
from collections.abc import Sequence
from threading import Event
from types import FrameType
from typing import Any

from enact_assets.pipeline.ui import code_server
from enact_assets.pipeline.ui import server as ui_server

DAEMON, WEB_SERVER = "the daemon", "the web server"


class Service:
    """The process of a service. ``dagster dev`` polls it only while it should be running."""

    def __init__(self, name: str, process: "subprocess.Popen[bytes]") -> None:
        self.name, self._process = name, process
        self.lost_with: int | None = None
        """Exit code, if the process ended unexpectedly."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._process, name)

    def poll(self) -> int | None:
        """Poll the process; returns its exit code."""
        self.lost_with = self._process.poll()
        return self.lost_with


def main() -> None:
    """Run web server, daemon and code server until stopped, with the options of ``dagster dev``.

    Exit code 1 if one of them ended unexpectedly; then the others are stopped, too.
    """
    from dagster._cli import dev, proxy_server_manager
    from dagster._grpc import server

    name, watching = "open_ipc_subprocess", "_process_monitoring_thread"
    start = getattr(dev, name)
    watch = getattr(proxy_server_manager.ProxyServerManager, watching)
    services: list[Service] = []
    lost: list[str] = []
    is_stopped = Event()

    def stop(number: int, frame: FrameType | None) -> None:
        is_stopped.set()
        signal.default_int_handler(number, frame)

    def start_guarded(parts: Sequence[str], **options: Any) -> Service:
        services.append(Service(_service_of(parts), start(guarded_command(parts), **options)))
        return services[-1]

    def start_code(parts: Sequence[str], **options: Any) -> Any:
        return start(guarded_command(parts), **options)

    def watch_code(*arguments: Any) -> None:
        # Dagster starts a code server again, and stops watching if that fails.
        try:
            watch(*arguments)
        except Exception as error:  # noqa: BLE001 - whatever Dagster raises there
            if is_stopped.is_set():
                return
            lost.append(f"the code server ended and cannot be started again ({error})")
            _thread.interrupt_main()

    setattr(dev, name, start_guarded)
    setattr(server, name, start_code)
    setattr(proxy_server_manager.ProxyServerManager, watching, watch_code)
    signal.signal(signal.SIGINT, stop)  # Dagster does the same on SIGTERM
    try:
        dev.dev_command(auto_envvar_prefix="DAGSTER_DEV")
    finally:
        lost += [
            f"{service.name} ended by itself with exit code {service.lost_with}"
            for service in services
            if service.lost_with is not None
        ]
        if lost:
            sys.exit(
                f"The UI was stopped: {lost[0]}. What runs have made is kept. Start it again, or "
                "use the units in deploy/systemd, which start each service again on its own."
            )


def guarded_command(parts: Sequence[str]) -> list[str]:
    """The command of one service, with our web server and code server in place of Dagster's."""
    ours = {"dagster_webserver": ui_server.MODULE, "code-server": code_server.MODULE}
    named = next((part for part in parts if part in ours), None)
    if named is None:
        return list(parts)
    python, options = parts[0], parts[parts.index(named) + 1 :]
    return [python, "-m", ours[named], *options]


def _service_of(parts: Sequence[str]) -> str:
    return WEB_SERVER if "dagster_webserver" in parts else DAEMON


if __name__ == "__main__":
    main()
