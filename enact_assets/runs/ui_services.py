"""``python -m enact_assets.runs.ui_services``: ``dagster dev`` with the guarded web server.

``dagster dev`` ends with exit code 0 when one of its services was killed; this one with 1, so that
whatever started it knows.
"""

import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from enact_assets.runs import ui_server

DAEMON, WEB_SERVER = "the daemon", "the web server"


class Service:
    """The process of a service. ``dagster dev`` polls it only while it should be running."""

    def __init__(self, name: str, process: "subprocess.Popen[bytes]") -> None:
        self.name, self._process = name, process
        self.lost_with: int | None = None
        """Exit code, if it ended though nobody had stopped it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._process, name)

    def poll(self) -> int | None:
        """As of the process."""
        self.lost_with = self._process.poll()
        return self.lost_with


def main() -> None:
    """Run web server, daemon and code server until stopped, with the options of ``dagster dev``.

    Exit code 1 if one of them ended by itself: then the others are stopped, too.
    """
    from dagster._cli import dev

    name = "open_ipc_subprocess"
    start = getattr(dev, name)
    services: list[Service] = []

    def start_guarded(parts: Sequence[str], **options: Any) -> Service:
        services.append(Service(_service_of(parts), start(guarded_command(parts), **options)))
        return services[-1]

    setattr(dev, name, start_guarded)
    try:
        dev.dev_command(auto_envvar_prefix="DAGSTER_DEV")
    finally:
        lost = next((service for service in services if service.lost_with is not None), None)
        if lost is not None:
            sys.exit(
                f"The UI was stopped: {lost.name} ended by itself with exit code "
                f"{lost.lost_with}. What runs have made is kept. Start it again, or use the units "
                "in deploy/systemd, which start each service again on its own."
            )


def guarded_command(parts: Sequence[str]) -> list[str]:
    """The command of one service, with our web server in place of Dagster's."""
    return [ui_server.MODULE if part == "dagster_webserver" else part for part in parts]


def _service_of(parts: Sequence[str]) -> str:
    return WEB_SERVER if "dagster_webserver" in parts else DAEMON


if __name__ == "__main__":
    main()
