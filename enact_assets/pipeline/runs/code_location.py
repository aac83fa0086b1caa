"""Adds the code location to runs that Dagster did not launch by that name.

The UI shows a run in the timeline, on the page of its job and under its code location only if the
run has a code location. Dagster sets it for runs that it launches, and has no public way to set it
for runs of ``execute_in_process``. Its command line names a location by its module: no daemon could
start runs queued by ``dagster job backfill -m``.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dagster as dg
import yaml
from dagster._core.definitions.repository_definition import SINGLETON_REPOSITORY_NAME
from dagster._core.launcher.base import LaunchRunContext
from dagster._core.launcher.default_run_launcher import DefaultRunLauncher
from dagster._core.remote_origin import (
    RegisteredCodeLocationOrigin,
    RemoteJobOrigin,
    RemoteRepositoryOrigin,
)

LOCATION = "enact_assets"
"""Name of the code location: in workspace.yaml, deploy/workspace.yaml and pyproject.toml."""
LOCATION_VARIABLE = "ENACT_CODE_LOCATION"
"""Variable with another name, as names in Kubernetes have no underscore."""
MODULE = "enact_assets.definitions"


def location_name() -> str:
    """Name of the code location in the UI."""
    return os.environ.get(LOCATION_VARIABLE) or LOCATION


def write_workspace(folder: Path) -> Path:
    """Write the ``workspace.yaml`` that makes Dagster load this code location by its name."""
    target = {"python_module": {"module_name": MODULE, "location_name": location_name()}}
    path = folder / "workspace.yaml"
    path.write_text(yaml.safe_dump({"load_from": [target]}), encoding="utf-8")
    return path


def job_origin(job: str) -> RemoteJobOrigin:
    """Origin under which the UI finds ``job``: by name, without paths of this machine."""
    location = RegisteredCodeLocationOrigin(location_name())
    return RemoteJobOrigin(RemoteRepositoryOrigin(location, SINGLETON_REPOSITORY_NAME), job)


class ByModuleOrName(DefaultRunLauncher):
    """Dagster's own launcher, which also finds the code location of runs that name its module.

    If the workspace names the location by its module, as with ``dagster dev -m``, that name stays.
    """

    def launch_run(self, context: LaunchRunContext) -> None:
        """Start a process for the run in the code server, and record the run's code location.

        Errors: Dagster's, if no server can be reached or the process does not start.
        """
        run, workspace = context.dagster_run, context.workspace
        names = workspace.code_location_names if workspace is not None else ()
        origin = run.remote_job_origin
        if origin is not None and origin.location_name == MODULE and MODULE not in names:
            by_name = job_origin(run.job_name)
            self._instance.run_storage.replace_job_origin(run, by_name)
            context = context._replace(dagster_run=run.with_job_origin(by_name))
        super().launch_run(context)


def note_code_location(instance: dg.DagsterInstance) -> None:
    """Record the code location in every run that this process creates in ``instance``."""
    create: Callable[..., dg.DagsterRun] = instance.create_run_for_job

    def create_with_origin(job_def: dg.JobDefinition, **others: Any) -> dg.DagsterRun:
        others.setdefault("remote_job_origin", job_origin(job_def.name))
        return create(job_def=job_def, **others)

    setattr(instance, "create_run_for_job", create_with_origin)  # noqa: B010 - a method
