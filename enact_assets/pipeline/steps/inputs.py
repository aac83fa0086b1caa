"""Inputs of steps besides tables: names, settings, and inputs that belong together."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import polars as pl

from enact_assets.answers.baselines.learned_names import LEARNED
from enact_assets.answers.learned.tables import FactReader, LearnedPrecedences
from enact_assets.demonstrations.pictures.tables import Visibility
from enact_assets.demonstrations.replay.parents import at_key_frames
from enact_assets.demonstrations.replay.tables import Demonstrations, LaterParents, Objects
from enact_assets.engine.parameters import CONDITIONS, DETERMINES, Name, Rule, settings
from enact_assets.engine.tables import Of
from enact_assets.pipeline.steps.profiles import INDEX_CHANGES, NEEDS_CHANGES
from enact_assets.questions.asked.tables import Qa
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.questions.key_frames.tables import SceneGraphs, SegmentedFrames
from enact_assets.questions.paths.tables import AmbiguousChanges
from enact_assets.settings.classes import QUESTIONS
from enact_assets.settings.registry import (
    BASELINE,
    Gating,
    QuestionSetSettings,
    QuestionSettings,
    Variant,
)
from enact_assets.settings.world import (
    EMBEDDED_WORLD,
    ClipSettings,
    EnvironmentSettings,
    WorldSettings,
)

DemonstrationName = Annotated[str, Name("demonstration")]
VariantName = Annotated[str, Name("variant")]
# The dimension is not called `activity`, which is a column of `demonstrations`: only rows with
# current names of a dimension are published.
ActivityName = Annotated[str, Name("training_activity")]
ModelName = Annotated[str, Name("model")]
WorldModelName = Annotated[str, Name("world_model")]
WorldSourceName = Annotated[str, Name("world_source")]

settings(Gating, "gating_config", "gating")
settings(QuestionSetSettings, "question_set_config", "question_set")
settings(Variant, "variant_config", "variant")
settings(QuestionSettings, "question_config")
settings(WorldSettings, "worldprediction_config")
settings(ClipSettings, "clip_config")
settings(EnvironmentSettings, "environment_config")
DETERMINES["world_source"] = "gating"
DETERMINES["variant"] = "question_set"
DETERMINES["question_set"] = "gating"

OF_BASELINE = Rule(fixed=(("variant", BASELINE),))
"""The partition of the baseline, for every variant."""
IF_RELEASE = Rule(when="release")
"""Read only if the profile of the gating draws trajectories from changes, as the public release
does.
"""
CONDITIONS["release"] = ("gating", lambda gating: NEEDS_CHANGES.of(gating.profile))
IF_EMBEDDED_WORLD = Rule(when="embedded world")
"""Read only if WorldPrediction has questions about embedded demonstrations."""
CONDITIONS["embedded world"] = ("world_source", lambda source: source.name == EMBEDDED_WORLD)
IF_GIVEN = Rule(when="given")
"""Read only if the gating takes its questions from imported files."""
CONDITIONS["given"] = ("gating", lambda gating: gating.question_file is not None)
EDITED = "edited"
"""Condition: an image model repaints the pictures of the variant."""
IF_EDITED = Rule(when=EDITED)
CONDITIONS[EDITED] = ("variant", lambda variant: variant.editing is not None)
LEARNED_MODELS = "learned"
"""Condition: the model is one that is trained on this simulator."""
IF_LEARNED = Rule(when=LEARNED_MODELS)
CONDITIONS[LEARNED_MODELS] = ("model", lambda name: name in LEARNED)
EVIDENCE = Rule(is_vouched=True)
"""Rows of ``question_set`` carry a hash of each question and of everything that verifies it
(``evidence_sha``): steps downstream read these tables, too, but depend on the questions only."""


def is_environment(demonstrations: pl.DataFrame, environments: EnvironmentSettings) -> bool:
    """Whether the only demonstration in the table is an environment of WorldPrediction."""
    return environments.has(*demonstrations.select("source", "seed").row(0))


@dataclass(frozen=True)
class Written:
    """The questions of one demonstration, and the objects that their texts may name."""

    questions: Of[Qa]
    objects: Of[Objects]


@dataclass(frozen=True)
class Ambiguous:
    """The questions of one demonstration, and ambiguities of their steps."""

    questions: Of[Qa]
    changes: Of[AmbiguousChanges]


@dataclass(frozen=True)
class Learned:
    """Learned parameters of a model that is trained on this simulator."""

    reader: Of[FactReader]
    precedences: Of[LearnedPrecedences]


@dataclass(frozen=True)
class Changes:
    """Inputs from which the changes between key frames of one demonstration are computed."""

    frames: Of[SegmentedFrames]
    graphs: Of[SceneGraphs]
    seen: Of[Visibility]
    objects: Of[Objects]
    later: Of[LaterParents]
    demonstrations: Of[Demonstrations]
    gating: Gating

    @property
    def has_replay(self) -> bool:
        """Whether there is a replay; without one there are no changes."""
        return str(self.demonstrations.item(0, "source")) != QUESTIONS

    @cached_property
    def index(self) -> ComponentIndex:
        """The changes between any two key frames."""
        source = str(self.demonstrations.item(0, "source"))
        profile = self.gating.profile_of(source)
        later = at_key_frames(self.later, self.frames["frame"].to_numpy())
        parts = self.graphs, self.seen, self.objects, profile, self.frames.height
        return INDEX_CHANGES.of(profile)(*parts, later_parents=later)
