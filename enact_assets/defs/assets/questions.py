"""Questions: trajectories become forward and inverse questions; some of them are asked."""

from typing import Any

import dagster as dg
import polars as pl

from enact_assets.contracts.registry import BASELINE, load_registry
from enact_assets.defs.assets.trajectories import drawn_from
from enact_assets.defs.evidence import (
    change_index,
    drawing_index,
    evidence_by_demonstration,
    source_of,
)
from enact_assets.defs.partitions import Partitions, dimension
from enact_assets.defs.resources import DataResource
from enact_assets.defs.tables import asset_spec, landed, partition_of
from enact_assets.evaluation.expectation import expect_random_orders
from enact_assets.questions.qa import write_questions
from enact_assets.questions.selection import asked_by_variant, frames_wanted, select_questions
from enact_assets.replay.embedded import SOURCE

GROUP = "questions"


def assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """All questions per demonstration; the question set per gating; what each variant asks, and
    of which key frames it therefore needs pictures.
    """
    by_demonstration = dimension("demonstration")
    gated = dg.AssetDep("gating_config", partition_mapping=dimension("gating"))

    @dg.multi_asset(
        name="qa",
        specs=[
            asset_spec(
                "qa",
                group=GROUP,
                deps=[
                    "segmented_frames",
                    "trajectories",
                    "transition_graph",
                    *drawn_from(p),
                    gated,
                    "question_config",
                ],
                partitions_def=p.demonstration_gating,
                about="Forward questions (order the pictures, given the actions) and inverse "
                "questions (order the actions, given the pictures).",
            )
        ],
        partitions_def=p.demonstration_gating,
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

    @dg.multi_asset(
        name="question_orders",
        specs=[
            asset_spec(
                "question_orders",
                group=GROUP,
                deps=[
                    *("qa", "segmented_frames", "scene_graphs", "visibility"),
                    dg.AssetDep("objects", partition_mapping=by_demonstration),
                    dg.AssetDep("demonstrations", partition_mapping=by_demonstration),
                    gated,
                ],
                partitions_def=p.demonstration_gating,
                kinds=("numba", "polars", "parquet"),
                about="How many of all orders the verifier accepts, and what a random one scores: "
                "counted, not sampled.",
            )
        ],
        partitions_def=p.demonstration_gating,
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

    @dg.multi_asset(
        name="question_set",
        specs=[
            asset_spec(
                "question_set",
                group=GROUP,
                deps=[
                    dg.AssetDep("qa", partition_mapping=dimension("gating")),
                    dg.AssetDep("scene_graphs", partition_mapping=dimension("gating")),
                    dg.AssetDep("visibility", partition_mapping=dimension("gating")),
                    dg.AssetDep("objects", partition_mapping=dg.AllPartitionMapping()),
                    dg.AssetDep("demonstrations", partition_mapping=dg.AllPartitionMapping()),
                    "question_config",
                ],
                partitions_def=p.gating,
                about="A sample stratified over length and kind and balanced over demonstrations. "
                "Its rows carry a hash of all that verifies them, so it alone stands for many "
                "demonstrations downstream.",
            )
        ],
        partitions_def=p.gating,
    )
    def question_set(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        gating = partition_of(context, "question_set")["gating"]
        known = context.instance.get_dynamic_partitions("demonstration")
        rows = select_questions(
            data.lake.read_all("qa", gating=gating).filter(pl.col("demonstration").is_in(known)),
            evidence_by_demonstration(data.lake, gating, known),
            load_registry().questions,
            seen_one_way=recorded(data),
        )
        return landed(context, data, "question_set", rows)

    @dg.multi_asset(
        name="asked_questions",
        specs=[
            asset_spec(
                "asked_questions",
                group=GROUP,
                deps=[
                    dg.AssetDep("question_set", partition_mapping=p.gating_to_variants),
                    dg.AssetDep("demonstrations", partition_mapping=dg.AllPartitionMapping()),
                    "variant_config",
                ],
                partitions_def=p.variant,
                about="The baseline asks the whole question set, every other variant the probe "
                "set of its gating.",
            )
        ],
        partitions_def=p.variant,
    )
    def asked_questions(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        variant = load_registry().variant(partition_of(context, "asked_questions")["variant"])
        rows = asked_by_variant(
            data.lake.read("question_set", {"gating": variant.gating}),
            variant,
            is_baseline=variant.name == BASELINE,
            not_shown=() if variant.is_as_recorded else recorded(data),
        )
        return landed(context, data, "asked_questions", rows)

    @dg.multi_asset(
        name="wanted_frames",
        specs=[
            asset_spec(
                "wanted_frames",
                group=GROUP,
                deps=[
                    dg.AssetDep(
                        "segmented_frames", partition_mapping=p.gating_to_variants_of_demonstration
                    ),
                    dg.AssetDep("qa", partition_mapping=p.gating_to_variants_of_demonstration),
                    dg.AssetDep("asked_questions", partition_mapping=dimension("variant")),
                    dg.AssetDep("demonstrations", partition_mapping=by_demonstration),
                    dg.AssetDep("variant_config", partition_mapping=dimension("variant")),
                ],
                partitions_def=p.demonstration_variant,
                about="Key frames that are to be rendered: all for the baseline, for any other "
                "variant those that its questions show. A recording's own pictures are all taken.",
            )
        ],
        partitions_def=p.demonstration_variant,
    )
    def wanted_frames(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        partition = partition_of(context, "wanted_frames")
        demonstration, name = partition["demonstration"], partition["variant"]
        variant = load_registry().variant(name)
        of_gating = {"demonstration": demonstration, "gating": variant.gating}
        rows = frames_wanted(
            data.lake.read("segmented_frames", of_gating),
            data.lake.read("qa", of_gating),
            data.lake.read("asked_questions", {"variant": name}),
            name,
            is_whole=name == BASELINE
            or (variant.is_as_recorded and source_of(data.lake, demonstration) != SOURCE),
        )
        return landed(context, data, "wanted_frames", rows)

    return [qa, question_orders, question_set, asked_questions, wanted_frames]


def recorded(data: DataResource) -> list[str]:
    """Demonstrations whose pictures cannot be made again with another camera."""
    demonstrations = data.lake.read_all("demonstrations")
    return demonstrations.filter(pl.col("source") != SOURCE).get_column("demonstration").to_list()
