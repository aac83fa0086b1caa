"""Which asset is made from which, by which step, and how partitions follow from partitions.

Written down once: Dagster's partition mappings and our own plan are both made from it. Where
nothing else is said, partitions follow by name: in every dimension that both have, the same name;
of a dimension that only the input has, every name there is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from enact_assets.engine.tables import TABLES


class Rule(Enum):
    """How the partitions of an input follow from the partition that is made."""

    BY_NAME = "by name"
    OF_VARIANT = "the gating that the variant names"
    BASELINE = "the baseline, whatever is made"
    AND_BASELINE = "by name, and the baseline"
    RELEASE = "by name, where the gating has a profile of the public release; else none"


@dataclass(frozen=True)
class Input:
    """One asset that a step reads."""

    asset: str
    rule: Rule = Rule.BY_NAME


@dataclass(frozen=True)
class StepSpec:
    """A step lands its assets together, all of them from all of its inputs."""

    name: str
    assets: tuple[str, ...]
    inputs: tuple[Input, ...]


ROOTS: Mapping[str, tuple[str, ...]] = {
    "gating_config": ("gating",),
    "variant_config": ("variant",),
    "question_config": (),
}
"""Settings of the registry -> their dimensions. They hold no rows; their version is their hash."""
EXTERNAL: Mapping[str, tuple[str, ...]] = {
    "recording": ("demonstration",),
    "recorded_variant": ("variant",),
    "question_source": ("question_file",),
}
"""What others wrote and we read, no assets of ours -> its dimensions. Versions tell files apart."""
WAREHOUSE = "warehouse"
REPORT = "report"
WHOLE = frozenset({WAREHOUSE, REPORT})
"""Steps that make one file of all there is, and say in it what of that is stale."""
NOT_PUBLISHED = frozenset({"states", "observability"})
"""Tables that stay in the lake: heavy, and of no use in SQL."""


def _step(name: str, *inputs: "Input | str", assets: tuple[str, ...] = ()) -> StepSpec:
    named = tuple(i if isinstance(i, Input) else Input(i) for i in inputs)
    return StepSpec(name, assets or (name,), named)


_CHANGES = ("segmented_frames", "scene_graphs", "visibility", "objects", "demonstrations")
"""What the changes between key frames are read from."""
_DRAWN = (
    *("segmented_frames", "transition_graph", "objects", "demonstrations", "gating_config"),
    # Draws and texts of the public release also hang on changes that are no edge of the graph.
    Input("scene_graphs", Rule.RELEASE),
    Input("visibility", Rule.RELEASE),
    "question_config",
)

STEPS: tuple[StepSpec, ...] = (
    *(_step(root) for root in ROOTS),
    _step(
        "replays",
        "recording",
        assets=("demonstrations", "facts", "objects", "observability", "states"),
    ),
    _step(
        "segmentation",
        *("demonstrations", "facts", "objects", "gating_config"),
        assets=("segmented_frames", "scene_graphs"),
    ),
    # Questions are written from what the baseline camera sees.
    _step(
        "visibility",
        *("demonstrations", "states", "observability", "objects", "segmented_frames"),
        Input("variant_config", Rule.BASELINE),
    ),
    _step(
        "visible_changes",
        *_CHANGES,
        "gating_config",
        assets=("transition_graph", "edited_objects"),
    ),
    _step("path_counts", "segmented_frames", "transition_graph", "gating_config"),
    _step("trajectories", *_DRAWN),
    _step("qa", "trajectories", *_DRAWN),
    _step("question_orders", "qa", *_CHANGES, "gating_config"),
    # Its rows carry a hash of each question and of all that verifies it: what follows reads these
    # too, and hangs on the question set alone.
    _step(
        "question_set",
        *("qa", "scene_graphs", "visibility", "objects", "demonstrations"),
        *("gating_config", "question_config"),
    ),
    _step(
        "asked_questions",
        Input("question_set", Rule.OF_VARIANT),
        Input("gating_config", Rule.OF_VARIANT),
        # Recordings may bring pictures under some variants: only those are asked about there.
        *("demonstrations", "variant_config", "question_config", "recorded_variant"),
    ),
    _step(
        "wanted_frames",
        Input("segmented_frames", Rule.OF_VARIANT),
        Input("qa", Rule.OF_VARIANT),
        *("asked_questions", "demonstrations", "variant_config"),
    ),
    _step(
        "frame_images",
        *("demonstrations", "states", "wanted_frames", "variant_config", "recording"),
    ),
    _step("official_questions", "question_source"),
    _step("predictions", "asked_questions", "frame_images"),
    _step("evaluation", "predictions", "asked_questions"),
    # Apart from the evaluation, so that scores stay current while their analysis is made anew; and
    # answers that are put otherwise, to the same order, are not analysed again.
    _step(
        "error_analysis",
        *("evaluation", "asked_questions"),
        assets=("compared_steps", "compared_components"),
    ),
    _step(
        "probes",
        Input("evaluation", Rule.AND_BASELINE),
        Input("asked_questions", Rule.AND_BASELINE),
        Input("variant_config", Rule.AND_BASELINE),
    ),
    _step("probe_panels", "probes"),
    _step("model_comparisons", "evaluation", assets=("model_accuracies", "model_comparisons")),
    # Made from files of the package: their content is part of the code version.
    _step(
        "published_results",
        assets=tuple(sorted(name for name in TABLES if name.startswith("published_"))),
    ),
    _step(WAREHOUSE, *sorted(set(TABLES) - NOT_PUBLISHED)),
    # Its pictures are named in the warehouse by their content.
    _step(REPORT, WAREHOUSE),
)
"""In an order in which each stands after all it reads."""

STEP_OF: Mapping[str, StepSpec] = {asset: step for step in STEPS for asset in step.assets}
STEP_NAMED: Mapping[str, StepSpec] = {step.name: step for step in STEPS}


def dimensions(asset: str) -> tuple[str, ...]:
    """Dimensions of an asset's partitions, in the order of its partition keys.

    Errors: ``KeyError`` for a name that is no asset, root or external input.
    """
    if asset in WHOLE:
        return ()
    if asset in TABLES:
        return TABLES[asset].by
    return ROOTS[asset] if asset in ROOTS else EXTERNAL[asset]
