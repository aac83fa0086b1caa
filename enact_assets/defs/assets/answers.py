"""Answers: what each model said, whether it is right, and what a variant changed."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from enact_assets.contracts.registry import BASELINE, load_registry
from enact_assets.defs.evidence import questions_of, verification_indexes
from enact_assets.defs.names import current_rows
from enact_assets.defs.partitions import Partitions
from enact_assets.defs.pictures import picture_reader, question_preview
from enact_assets.defs.resources import DataResource
from enact_assets.defs.step import step
from enact_assets.defs.tables import landed, partition_of
from enact_assets.error_analysis.compare import compare_answers
from enact_assets.evaluation.evaluate import evaluate
from enact_assets.predictions.baselines import predict
from enact_assets.probes.compare import compare_with_baseline
from enact_assets.probes.panels import panel_of

GROUP = "answers"


def assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """Predictions, evaluation, error analysis and probes, each per model and variant."""

    @step(
        p,
        "predictions",
        group=GROUP,
        about="What a model said, word for word. No answer is null with a reason, never a wrong "
        "answer.",
    )
    def predictions(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        partition = partition_of(context, "predictions")
        model, variant = partition["model"], partition["variant"]
        questions = questions_of(data.lake, variant)
        pictures = current_rows(context.instance, data, "frame_images", variant=variant)
        read_picture, shas = picture_reader(data.images, pictures)
        rows = predict(model, variant, questions, read_picture, shas)
        n_missing = rows.get_column("raw_answer").null_count()
        preview = question_preview(questions, rows, read_picture)
        return landed(context, data, "predictions", rows, {"missing answers": n_missing, **preview})

    @step(
        p,
        "evaluation",
        group=GROUP,
        kinds=("numba", "polars", "parquet"),
        about="Every answer parsed and verified: any order that is consistent with the question "
        "is accepted. Unparsed is wrong under profile paper and not scored under release, missing "
        "is never scored; both are counted.",
    )
    def evaluation(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        partition = partition_of(context, "evaluation")
        registry = load_registry()
        gating = registry.gating(registry.variant(partition["variant"]).gating)
        questions = questions_of(data.lake, partition["variant"])
        rows = evaluate(
            data.lake.read("predictions", partition),
            questions,
            verification_indexes(data.lake, questions, gating),
            gating.profile,
        )
        status = rows.get_column("answer_status").value_counts(sort=True)
        scored = rows.drop_nulls("pairwise_accuracy")
        summary: dict[str, Any] = {f"{s} answers": n for s, n in status.iter_rows()}
        if scored.height:
            summary["task accuracy"] = float(scored["is_accepted"].mean())  # type: ignore[arg-type]
            summary["pairwise accuracy"] = float(scored["pairwise_accuracy"].mean())  # type: ignore[arg-type]
        return landed(context, data, "evaluation", rows, summary)

    @step(
        p,
        "error_analysis",
        group=GROUP,
        kinds=("numba", "polars", "parquet"),
        about={
            "compared_steps": "Every step of a readable answer beside what happened: how many "
            "changes match, are missing, are made up, are taken for another, and of which hand. "
            "Unparsed and missing answers say nothing of any step and have no rows.",
            "compared_components": "The same change by change, with what was expected and what "
            "the answer says instead.",
        },
    )
    def error_analysis(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> Iterator[dg.MaterializeResult[Any]]:
        partition = partition_of(context, "compared_steps")
        registry = load_registry()
        gating = registry.gating(registry.variant(partition["variant"]).gating)
        questions = questions_of(data.lake, partition["variant"])
        indexes = verification_indexes(data.lake, questions, gating)
        rows = data.lake.read("evaluation", partition)
        compared = compare_answers(rows, questions, indexes)
        n_compared = compared.steps.get_column("question_id").n_unique()
        summary = {"compared answers": n_compared, "other answers": rows.height - n_compared}
        yield landed(context, data, "compared_steps", compared.steps, summary)
        yield landed(context, data, "compared_components", compared.components)

    @step(
        p,
        "probes",
        group=GROUP,
        kinds=("scipy", "polars", "parquet"),
        about="Pairwise accuracy under the variant minus under the baseline, on the probe "
        "questions: Welch's test, the paired one clustered by demonstration, sign flips, a "
        "bootstrap interval, and what could have been detected.",
    )
    def probes(context: dg.AssetExecutionContext, data: DataResource) -> dg.MaterializeResult[Any]:
        partition = partition_of(context, "probes")
        model, variant = partition["model"], partition["variant"]

        def probe_rows(name: str) -> Any:
            rows = data.lake.read("evaluation", {"model": model, "variant": name})
            asked_rows = data.lake.read("asked_questions", {"variant": name})
            probed = asked_rows.filter("in_probe_set").select("question_id")
            return rows.join(probed, on="question_id", how="semi")

        registry = load_registry()
        rows = compare_with_baseline(
            probe_rows(variant),
            probe_rows(BASELINE),
            variant,
            BASELINE,
            panel=panel_of(registry.variant(variant), registry.variant(BASELINE)),
        )
        return landed(context, data, "probes", rows)

    return [predictions, evaluation, error_analysis, probes]
