"""Messages about failed runs."""

import dagster as dg

from enact_assets.contracts import errors
from enact_assets.contracts.errors import EnactError
from enact_assets.runs.shard_making import FAILED

INTERRUPTIONS = {"DagsterExecutionInterruptedError", "KeyboardInterrupt"}
"""How Dagster names a Ctrl-C or a terminated process in a failed step."""


def failed_partitions(result: dg.ExecuteInProcessResult) -> dict[str, str]:
    """Partitions of a shard that a failed run names, and why each could not be made."""
    for event in result.all_events:
        about = event.step_failure_data.user_failure_data if event.is_step_failure else None
        named = about.metadata.get(FAILED) if about is not None else None
        if isinstance(named, dg.JsonMetadataValue) and isinstance(named.value, dict):
            return {str(partition): str(why) for partition, why in named.value.items()}
    return {}


def failure_message(result: dg.ExecuteInProcessResult) -> str:
    """What the outermost of our errors says; for a foreign error its message.

    Dagster turns Ctrl-C into a failed step: that is raised again as KeyboardInterrupt.
    """
    for event in result.all_events:
        if not event.is_step_failure:
            continue
        chain = []
        error = event.step_failure_data.error
        while error is not None:
            chain.append(error)
            error = error.cause
        if any(e.cls_name in INTERRUPTIONS for e in chain):
            raise KeyboardInterrupt
        for error in chain:
            if isinstance(kind := getattr(errors, str(error.cls_name), None), type) and issubclass(
                kind, EnactError
            ):
                return error.message.split(": ", 1)[-1].strip()
        if chain:
            return chain[-1].message.strip()
    return "the run failed outside its step. See the run in the UI"
