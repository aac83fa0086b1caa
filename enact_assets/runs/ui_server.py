"""``python -m enact_assets.runs.ui_server``: dagster-webserver behind a guard, same options."""

from typing import Any

from enact_assets.runs.code_server import end_with_code
from enact_assets.runs.ui_guard import Application, UiGuard, allowed_hosts

MODULE = "enact_assets.runs.ui_server"
SERVICES = "enact_assets.runs.ui_services"
"""``dagster dev`` with this server."""


def main() -> None:
    """Run the web server until it is stopped."""
    from dagster_webserver import cli

    # The only place where the application is in sight between its making and uvicorn.
    name = "create_app_from_workspace_process_context"
    make = getattr(cli, name)

    def guarded(*arguments: Any, **options: Any) -> Application:
        return UiGuard(make(*arguments, **options), allowed_hosts())

    setattr(cli, name, guarded)
    end_with_code()
    cli.main()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
