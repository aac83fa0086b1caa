"""``python -m enact_assets.runs.ui_services``: ``dagster dev`` with the guarded web server."""

from collections.abc import Sequence
from typing import Any

from enact_assets.runs import ui_server


def main() -> None:
    """Run web server, daemon and code server until stopped, with the options of ``dagster dev``."""
    from dagster._cli import dev

    name = "open_ipc_subprocess"
    start = getattr(dev, name)

    def start_guarded(parts: Sequence[str], **options: Any) -> Any:
        return start(guarded_command(parts), **options)

    setattr(dev, name, start_guarded)
    dev.dev_command(auto_envvar_prefix="DAGSTER_DEV")


def guarded_command(parts: Sequence[str]) -> list[str]:
    """The command of one service, with our web server in place of Dagster's."""
    return [ui_server.MODULE if part == "dagster_webserver" else part for part in parts]


if __name__ == "__main__":
    main()
