"""The command ``ui``: Dagster's own pages on a data root."""

import argparse
import os
import sys
from importlib.util import find_spec
from typing import NoReturn

from rich.console import Console

from enact_assets.engine.errors import EnactError, SettingsError
from enact_assets.pipeline.runs.code_location import write_workspace
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.pipeline.ui.server import SERVICES

GRPC_TIMEOUT_S = "600"
"""Seconds that Dagster waits for its code server to evaluate sensors and schedules and to start
runs.
"""


def run_ui(arguments: argparse.Namespace, console: Console) -> NoReturn:
    """``ui``; returns the exit code."""
    if find_spec("dagster_webserver") is None:
        raise EnactError("dagster-webserver is not installed. Install it: pip install '.[ui]'")
    for path in arguments.workspace:
        if not path.is_file():
            raise SettingsError(f"{path}: there is no such file. Name a workspace.yaml.")
    open_instance(arguments.data).dispose()
    home = (arguments.data / "dagster").resolve()
    os.environ["DAGSTER_HOME"] = str(home)
    os.environ["ENACT_HOME"] = str(arguments.data.resolve())
    if arguments.automate:
        os.environ["ENACT_AUTOMATE"] = "1"
    for kind in ("SENSOR_", "SCHEDULE_", ""):
        # Listing half a million files takes longer than Dagster's default of a minute, and so does
        # the start of a run's process on a busy machine.
        os.environ.setdefault(f"DAGSTER_{kind}GRPC_TIMEOUT_SECONDS", GRPC_TIMEOUT_S)
    console.print(
        f"Starting the Dagster UI, which takes up to a minute. Then it is on http://localhost:"
        f"{arguments.port}; Ctrl-C stops it. Dagster's own warnings below (`dev_command`, "
        "dagster.yaml in the current folder, `No cursor`) are harmless."
    )
    workspaces = [write_workspace(home), *arguments.workspace]
    command = [sys.executable, "-m", SERVICES, "-p", str(arguments.port)]
    for path in workspaces:
        command += ["-w", str(path)]
    os.execv(sys.executable, command)  # noqa: S606 - our own interpreter, fixed arguments
