"""Sensors: what the registry names and what was imported become partitions without a hand."""

from collections.abc import Iterable

import dagster as dg

from enact_assets.contracts.registry import load_registry
from enact_assets.defs.partitions import (
    demonstration_partitions,
    model_partitions,
    question_file_partitions,
)
from enact_assets.defs.resources import DataResource
from enact_assets.storage.question_files import question_file_names


@dg.sensor(minimum_interval_seconds=30, default_status=dg.DefaultSensorStatus.RUNNING, target=None)
def registered_partitions(
    context: dg.SensorEvaluationContext, data: DataResource
) -> dg.SensorResult:
    """Adds what the registry names, and imported recordings, unless they are partitions already."""
    registry = load_registry()
    demonstrations = (*registry.demonstrations, *data.recordings.names())
    wanted: Iterable[tuple[dg.DynamicPartitionsDefinition, tuple[str, ...]]] = (
        (demonstration_partitions, demonstrations),
        (model_partitions, registry.models),
        (question_file_partitions, tuple(question_file_names(data.question_files))),
    )
    requests = []
    for definition, names in wanted:
        known = set(context.instance.get_dynamic_partitions(str(definition.name)))
        new = [name for name in names if name not in known]
        if new:
            requests.append(definition.build_add_request(new))
    return dg.SensorResult(dynamic_partitions_requests=requests)
