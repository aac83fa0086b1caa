"""Nights of scheduled rebuilds, as the daemon asks for them and starts them."""

from datetime import datetime

import dagster as dg


def requested(
    definitions: dg.Definitions, instance: dg.DagsterInstance, night: datetime
) -> dg.RunRequest | str:
    """What the schedule gives for a night, or why it skips it; Dagster checks all of it."""
    repository = definitions.get_repository_def()
    with dg.build_schedule_context(
        instance=instance,
        resources={"data": definitions.resources["data"]},
        repository_def=repository,
        scheduled_execution_time=night,
    ) as context:
        found = repository.get_schedule_def("rebuild").evaluate_tick(context)
    if not found.run_requests:
        return str(found.skip_message)
    (request,) = found.run_requests
    return request


def performed(
    definitions: dg.Definitions, instance: dg.DagsterInstance, request: dg.RunRequest
) -> dg.DagsterRun:
    """The run of a night, which has ended."""
    result = definitions.resolve_job_def("rebuild").execute_in_process(
        instance=instance, tags=request.tags, raise_on_error=False
    )
    found = instance.get_run_by_id(result.run_id)
    assert found is not None
    return found
