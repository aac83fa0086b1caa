"""Questions: trajectories become forward and inverse questions; some of them are asked."""

from typing import Any

import dagster as dg

from enact_assets.contracts.registry import BASELINE, load_registry
from enact_assets.defs.evidence import (
    change_index,
    drawing_index,
    evidence_by_demonstration,
    source_of,
    vocabularies_of,
    written_questions,
)
from enact_assets.defs.names import current_rows
from enact_assets.defs.partitions import Partitions
from enact_assets.defs.resources import DataResource
from enact_assets.defs.step import step
from enact_assets.defs.tables import landed, partition_of
from enact_assets.evaluation.expectation import expect_random_orders
from enact_assets.questions.asked import ask_questions
from enact_assets.questions.qa import write_questions
from enact_assets.questions.selection import chosen_by_variant, frames_wanted, select_questions

GROUP = "questions"


def assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """All questions per demonstration; the question set per gating; what each variant asks, and
    of which key frames it therefore needs pictures.
    """

    @step(
        p,
        "qa",
        group=GROUP,
        about="Forward questions (order the pictures, given the actions) and inverse questions "
        "(order the actions, given the pictures).",
    )
    def qa(context: dg.AssetExecutionContext, data: DataResource) -> dg.MaterializeResult[Any]:
        partition = partition_of(context, "qa")
        registry = load_registry()
        gating = registry.gating(partition["gating"])
        rows = write_questions(
            data.lake.read("trajectories", partition),
            data.lake.read("transition_graph", partition),
            registry.questions,
            profile=gating.profile,
            segmented_frames=data.lake.read("segmented_frames", partition),
            index=drawing_index(data.lake, partition["demonstration"], gating),
        )
        return landed(context, data, "qa", rows)

    @step(
        p,
        "question_orders",
        group=GROUP,
        kinds=("numba", "polars", "parquet"),
        about="How many of all orders the verifier accepts, and what a random one scores: "
        "counted, not sampled.",
    )
    def question_orders(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        partition = partition_of(context, "question_orders")
        demonstration = partition["demonstration"]
        index = change_index(data.lake, demonstration, load_registry().gating(partition["gating"]))
        rows = expect_random_orders(data.lake.read("qa", partition), {demonstration: index})
        n_ambiguous = int(rows.get_column("is_ambiguous").sum())
        return landed(context, data, "question_orders", rows, {"ambiguous questions": n_ambiguous})

    @step(
        p,
        "question_set",
        group=GROUP,
        about="A sample stratified over length and kind and balanced over demonstrations. Its "
        "rows carry a hash of all that verifies them, so it alone stands for many demonstrations "
        "downstream.",
    )
    def question_set(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        gating = partition_of(context, "question_set")["gating"]
        registry = load_registry()
        known = context.instance.get_dynamic_partitions("demonstration")
        rows = select_questions(
            current_rows(context.instance, data, "qa", gating=gating),
            evidence_by_demonstration(data.lake, registry.gating(gating), known),
            registry.questions,
            seen_one_way=data.sources.not_rendered(
                current_rows(context.instance, data, "demonstrations")
            ),
        )
        return landed(context, data, "question_set", rows)

    @step(
        p,
        "asked_questions",
        group=GROUP,
        about="What each variant asks, word for word: the baseline the whole question set, every "
        "other variant the probe set of its gating.",
    )
    def asked_questions(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        registry = load_registry()
        variant = registry.variant(partition_of(context, "asked_questions")["variant"])
        chosen = chosen_by_variant(
            data.lake.read("question_set", {"gating": variant.gating}),
            variant,
            is_baseline=variant.name == BASELINE,
            not_shown=data.sources.not_shown(
                current_rows(context.instance, data, "demonstrations"), variant
            ),
        )
        predicates = registry.gating(variant.gating).predicates
        rows = ask_questions(
            chosen,
            written_questions(data.lake, chosen, variant.gating),
            variant,
            registry.questions,
            vocabularies=vocabularies_of(data.lake, chosen, predicates)
            if variant.noise.rate
            else None,
        )
        return landed(context, data, "asked_questions", rows)

    @step(
        p,
        "wanted_frames",
        group=GROUP,
        about="Key frames that are to be rendered: all for the baseline, for any other variant "
        "those that its questions show. A recording's own pictures are all taken.",
    )
    def wanted_frames(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        partition = partition_of(context, "wanted_frames")
        demonstration, name = partition["demonstration"], partition["variant"]
        variant = load_registry().variant(name)
        of_gating = {"demonstration": demonstration, "gating": variant.gating}
        source = data.sources.named(source_of(data.lake, demonstration))
        rows = frames_wanted(
            data.lake.read("segmented_frames", of_gating),
            data.lake.read("qa", of_gating),
            data.lake.read("asked_questions", {"variant": name}),
            name,
            is_whole=name == BASELINE or (variant.is_as_recorded and not source.is_rendered),
        )
        return landed(context, data, "wanted_frames", rows)

    return [qa, question_orders, question_set, asked_questions, wanted_frames]
