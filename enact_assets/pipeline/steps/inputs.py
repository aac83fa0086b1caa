"""Inputs of steps besides tables: names, settings, and inputs that belong together."""

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from enact_assets.answers.baselines.learned_names import LEARNED
from enact_assets.answers.baselines.references import WORLD_BASELINES
from enact_assets.answers.learned.tables import FactReader, LearnedPrecedences
from enact_assets.demonstrations.replay.tables import Actions, Objects
from enact_assets.engine.parameters import CONDITIONS, DETERMINES, Name, Rule, settings
from enact_assets.engine.tables import Of
from enact_assets.pipeline.steps.profiles import NEEDS_CHANGES
from enact_assets.questions.asked.tables import Qa
from enact_assets.questions.key_frames.tables import SceneGraphs
from enact_assets.questions.paths.tables import AmbiguousChanges
from enact_assets.questions.world.tables import (
    ActionStates,
    AnnotatedActions,
    TrainingPlans,
    WorldCandidates,
    WorldQuestions,
)
from enact_assets.settings.classes import ORACLE, captioner_and_reader
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
    WorldFilterSettings,
    WorldSettings,
)

DemonstrationName = Annotated[str, Name("demonstration")]
VariantName = Annotated[str, Name("variant")]
QuestionSetName = Annotated[str, Name("question_set")]
# The dimension is not called `activity`, which is a column of `demonstrations`: only rows with
# current names of a dimension are published.
ActivityName = Annotated[str, Name("training_activity")]
ModelName = Annotated[str, Name("model")]

settings(Gating, "gating_config", "gating")
settings(QuestionSetSettings, "question_set_config", "question_set")
settings(Variant, "variant_config", "variant")
settings(QuestionSettings, "question_config")
settings(WorldSettings, "worldprediction_config")
settings(ClipSettings, "clip_config")
settings(EnvironmentSettings, "environment_config")
settings(WorldFilterSettings, "world_filter_config")
DETERMINES["variant"] = "question_set"
DETERMINES["question_set"] = "gating"

OF_BASELINE = Rule(fixed=(("variant", BASELINE),))
"""The partition of the baseline, for every variant."""
IF_RELEASE = Rule(when="release")
"""Read only if the profile of the gating draws trajectories from changes, as the public release
does.
"""
CONDITIONS["release"] = ("gating", lambda gating: NEEDS_CHANGES.of(gating.profile))
OF_WORLD: str = "set of WorldPrediction"
OF_ENACT: str = "set of ENACT"
"""Conditions: the question set is about a world source of WorldPrediction, or it is not."""
IF_WORLD_SET, IF_ENACT_SET = Rule(when=OF_WORLD), Rule(when=OF_ENACT)
CONDITIONS[OF_WORLD] = ("question_set", lambda asked: asked.world_source is not None)
CONDITIONS[OF_ENACT] = ("question_set", lambda asked: asked.world_source is None)
IF_EMBEDDED_SET = Rule(when="set of embedded WorldPrediction")
"""Read only if the question set is WorldPrediction's about embedded demonstrations."""
CONDITIONS["set of embedded WorldPrediction"] = (
    "question_set",
    lambda asked: asked.world_source == EMBEDDED_WORLD,
)
IF_EMBEDDED_WORLD = Rule(when="embedded WorldPrediction")
"""As :data:`IF_EMBEDDED_SET`, for tables that the question set does not say."""
CONDITIONS["embedded WorldPrediction"] = (
    "variant",
    lambda variant: variant.world_source == EMBEDDED_WORLD,
)
ASKS_WORLD = "WorldPrediction"
"""Condition: the variant asks questions of WorldPrediction."""
CONDITIONS[ASKS_WORLD] = ("variant", lambda variant: variant.world_source is not None)
IF_ASKS_WORLD = Rule(when=ASKS_WORLD)
HAS_KEY_FRAMES = "key frames"
"""Condition: the variant shows key frames; films of WorldPrediction have none."""
CONDITIONS[HAS_KEY_FRAMES] = (
    "variant",
    lambda variant: variant.world_source in (None, EMBEDDED_WORLD),
)
ASKS_ENACT = "ENACT"
"""Condition: the variant asks questions of ENACT."""
CONDITIONS[ASKS_ENACT] = ("variant", lambda variant: variant.world_source is None)
ANSWERS_ENACT = "answers ENACT"
"""Condition: the model is asked questions of ENACT."""
CONDITIONS[ANSWERS_ENACT] = (
    "model",
    lambda name: name not in WORLD_BASELINES and captioner_and_reader(name) is None,
)
OF_ENACT_ALONE = (ASKS_ENACT, ANSWERS_ENACT)
CAPTIONERS = "captioner and reader"
"""Condition: the model is a captioner and a reader together."""
IF_CAPTIONED = Rule(when=CAPTIONERS)
MIRRORED = "mirrored"
"""Condition: the variant shows mirror images."""
IF_MIRRORED = Rule(when=MIRRORED)
CONDITIONS[MIRRORED] = ("variant", lambda variant: variant.is_mirrored)
CONDITIONS[CAPTIONERS] = ("model", lambda name: captioner_and_reader(name) is not None)
IF_TRUE_CAPTIONS = Rule(when="oracle captions")
"""Read only if captions come from scene graphs and labels."""
CONDITIONS["oracle captions"] = (
    "model",
    lambda name: (captioner_and_reader(name) or ("",))[0] == ORACLE,
)
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
PROMPTS_OF_FILE = "prompts of a file"
"""Condition: the variant asks in the prompts of an imported file."""
IF_PROMPTS_OF_FILE = Rule(when=PROMPTS_OF_FILE)
CONDITIONS[PROMPTS_OF_FILE] = ("variant", lambda variant: variant.prompts_of is not None)
ALL_OF_THEM = Rule(is_many=True)
"""Of each table of a bundle, the rows of all partitions in the dimensions that the step lacks."""
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
class WorldTables:
    """The questions about one world source, and their candidates."""

    questions: Of[WorldQuestions]
    candidates: Of[WorldCandidates]


@dataclass(frozen=True)
class WorldPlans:
    """What is known of the order of actions of one world source."""

    annotated: Of[AnnotatedActions]
    training: Of[TrainingPlans]


@dataclass(frozen=True)
class WorldScenes:
    """Scene graphs and actions of all embedded demonstrations."""

    graphs: Of[SceneGraphs]
    objects: Of[Objects]
    actions: Of[Actions]
    states: Of[ActionStates]


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
