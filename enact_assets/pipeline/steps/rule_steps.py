"""Rules: what each rule of segmentation and validation decides."""

from typing import Annotated

import polars as pl

from enact_assets.demonstrations.pictures.observed import visibility_from_observability
from enact_assets.demonstrations.pictures.visibility import measure_visibility
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.tables import Facts, Observability, States
from enact_assets.engine.parameters import Later
from enact_assets.engine.steps import step
from enact_assets.engine.tables import Of
from enact_assets.pipeline.steps.changes import Changes
from enact_assets.pipeline.steps.frame_steps import RENDERER_POOL
from enact_assets.pipeline.steps.inputs import OF_BASELINE, is_environment
from enact_assets.pipeline.steps.profiles import RULES
from enact_assets.questions.asked.tables import Qa
from enact_assets.questions.key_frames.landed import SegmentedTables
from enact_assets.questions.paths.rule_effects import PublishedTables, measure_rule_effects
from enact_assets.questions.paths.tables import RuleEffects, TransitionGraph
from enact_assets.settings.classes import EMBEDDED
from enact_assets.settings.registry import Variant
from enact_assets.settings.world import EnvironmentSettings


@step(
    group="rules",
    job="measure_rules",
    kinds=("numba", "mujoco", "polars", "parquet"),
    pool=RENDERER_POOL,
)
def rule_effects(
    changes: Changes,
    facts: Of[Facts],
    graph: Of[TransitionGraph],
    qa: Of[Qa],
    states: Later[States],
    observability: Later[Observability],
    baseline: Annotated[Variant, OF_BASELINE],
    environments: EnvironmentSettings,
) -> Of[RuleEffects]:
    """What each rule of segmentation and validation decides: key frames, edges, trajectories and
    questions, with the rule and with the rule switched off. Imported questions and environments of
    WorldPrediction have no rows.
    """
    demonstrations, gating = changes.demonstrations, changes.gating
    is_theirs = gating.question_file is not None or not changes.has_replay
    if is_theirs or is_environment(demonstrations, environments):
        return RuleEffects.of(RuleEffects.empty())

    def see(frames: pl.DataFrame) -> pl.DataFrame:
        if demonstrations.item(0, "source") == EMBEDDED:
            return measure_visibility(demonstrations, states(), changes.objects, frames, baseline)
        return visibility_from_observability(observability(), frames)

    replay = ReplayTables(demonstrations, facts, changes.objects, later_parents=changes.later)
    segmented = SegmentedTables(changes.frames, changes.graphs)
    made = PublishedTables(segmented, changes.seen, graph, qa)
    rules = RULES.of(gating.profile)
    return RuleEffects.of(measure_rule_effects(replay, gating, made, rules, see))
