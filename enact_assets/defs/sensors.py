"""Sensors: the registry's demonstrations and models become partitions without anyone's hand."""

from collections.abc import Iterable

import dagster as dg

from enact_assets.contracts.registry import load_registry
from enact_assets.defs.partitions import demonstration_partitions, model_partitions


@dg.sensor(minimum_interval_seconds=30, default_status=dg.DefaultSensorStatus.RUNNING, target=None)
def registered_partitions(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """Adds the demonstrations and models of the registry file that are no partitions yet."""
    registry = load_registry()
    wanted: Iterable[tuple[dg.DynamicPartitionsDefinition, tuple[str, ...]]] = (
        (demonstration_partitions, registry.demonstrations),
        (model_partitions, registry.models),
    )
    requests = []
    for definition, names in wanted:
        known = set(context.instance.get_dynamic_partitions(str(definition.name)))
        new = [name for name in names if name not in known]
        if new:
            requests.append(definition.build_add_request(new))
    return dg.SensorResult(dynamic_partitions_requests=requests)
