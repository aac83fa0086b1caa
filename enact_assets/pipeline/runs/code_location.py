"""The code location as Dagster's UI knows it, for runs that nobody launched by that name.

The UI shows a run in the timeline, on the page of its job and under its code location only if the
run says which one it belongs to. Dagster notes that for runs that it launches, and has no public
way to note it for runs of ``execute_in_process``. Its command line calls a location by its module:
``dagster job backfill -m`` queued runs that no daemon could start.
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
"""Another name for it, as Kubernetes allows no underscore."""
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
    """Where the UI finds ``job``: by name, so without paths of this machine."""
    location = RegisteredCodeLocationOrigin(location_name())
    return RemoteJobOrigin(RemoteRepositoryOrigin(location, SINGLETON_REPOSITORY_NAME), job)


class ByModuleOrName(DefaultRunLauncher):
    """Dagster's own launcher, which also finds the location of runs that name its module.

    Where a workspace calls the location by its module, as ``dagster dev -m`` does, that name stays.
    """

    def launch_run(self, context: LaunchRunContext) -> None:
        """Start a process for the run in the code server, noting the location that it belongs to.

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
    """Make every run that this process creates in ``instance`` say its code location."""
    create: Callable[..., dg.DagsterRun] = instance.create_run_for_job

    def create_with_origin(job_def: dg.JobDefinition, **others: Any) -> dg.DagsterRun:
        others.setdefault("remote_job_origin", job_origin(job_def.name))
        return create(job_def=job_def, **others)

    setattr(instance, "create_run_for_job", create_with_origin)  # noqa: B010 - a method
