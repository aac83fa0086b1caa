"""Statistics over several partitions: corrections within panels, models beside each other."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from enact_assets.defs.names import current_rows
from enact_assets.defs.partitions import Partitions
from enact_assets.defs.resources import DataResource
from enact_assets.defs.step import step
from enact_assets.defs.tables import landed, partition_of
from enact_assets.predictions.baselines import REFERENCES
from enact_assets.probes.panels import correct_within_panels
from enact_assets.statistics.models import compare_models

GROUP = "statistics"


def assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """Panels per model, over all variants; comparisons per variant, over all models."""

    @step(
        p,
        "probe_panels",
        group=GROUP,
        about="The p-values of probes, corrected by Holm for the variants and kinds of one panel.",
    )
    def probe_panels(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        model = partition_of(context, "probe_panels")["model"]
        rows = correct_within_panels(current_rows(context.instance, data, "probes", model=model))
        return landed(context, data, "probe_panels", rows)

    @step(
        p,
        "model_comparisons",
        group=GROUP,
        kinds=("scipy", "polars", "parquet"),
        about={
            "model_accuracies": "Accuracies with intervals by bootstrap over demonstrations, and "
            "the models that each is tied with.",
            "model_comparisons": "Every pair of models over the questions that both answered: "
            "clustered and sign-flip tests, corrected for the number of pairs.",
        },
    )
    def model_comparisons(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> Iterator[dg.MaterializeResult[Any]]:
        variant = partition_of(context, "model_comparisons")["variant"]
        evaluation = current_rows(context.instance, data, "evaluation", variant=variant)
        accuracies, comparisons = compare_models(evaluation, variant, references=REFERENCES)
        yield landed(context, data, "model_accuracies", accuracies)
        yield landed(context, data, "model_comparisons", comparisons)

    return [probe_panels, model_comparisons]
