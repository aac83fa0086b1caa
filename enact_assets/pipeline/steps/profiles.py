"""The rules of each profile: the only module that chooses between profiles.

``settings/profile.py`` has the constants. Each rule is a separate symbol, so a step depends only on
the code of the rules it uses.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import polars as pl

from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.engine.errors import UnknownNameError
from enact_assets.questions.asked.official import OfficialAnswer
from enact_assets.questions.asked.qa import write_questions
from enact_assets.questions.asked.release_qa import write_release_questions
from enact_assets.questions.key_frames.chosen_frames import as_recorded, as_segmented
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.questions.key_frames.decided_frames import frames_decided, release_frames_decided
from enact_assets.questions.key_frames.deltas import DeltaIndex
from enact_assets.questions.key_frames.landed import SegmentedTables
from enact_assets.questions.key_frames.release import segment_release
from enact_assets.questions.key_frames.release_deltas import ReleaseDeltaIndex
from enact_assets.questions.key_frames.segment import segment
from enact_assets.questions.paths.rule_effects import ProfileRules
from enact_assets.questions.paths.sampling import release_trajectories, sample_trajectories
from enact_assets.results.verification.evaluate import PAPER_ANSWERS, RELEASE_ANSWERS, AnswerRules
from enact_assets.results.verification.paper_scores import score_paper
from enact_assets.results.verification.release_report import score_as_release
from enact_assets.results.verification.task_evidence import Evidence, Scored
from enact_assets.settings.arrays import Ints
from enact_assets.settings.classes import Gating, OwnWords, QuestionSettings
from enact_assets.settings.profile import PAPER, RELEASE, Profile
from enact_assets.settings.rules import PAPER_RULES, RELEASE_RULES

T = TypeVar("T")


@dataclass(frozen=True)
class ByProfile(Generic[T]):
    """One rule, with its implementation in each profile."""

    paper: T
    release: T

    def of(self, profile: Profile) -> T:
        """The rule of ``profile``. Errors: :class:`UnknownNameError` if the profile has none."""
        rules = {PAPER.name: self.paper, RELEASE.name: self.release}
        if profile.name not in rules:
            raise UnknownNameError.of("rules of profile", profile.name, rules)
        return rules[profile.name]


class _Write(Protocol):
    def __call__(
        self,
        segmented_frames: pl.DataFrame,
        trajectories: pl.DataFrame,
        transition_graph: pl.DataFrame,
        index: ComponentIndex | None,
        /,
        *,
        settings: QuestionSettings,
        profile: Profile,
        has_picture: Sequence[bool] | None = None,
        own_words: tuple[OwnWords, ...] = (),
    ) -> pl.DataFrame: ...


class _Score(Protocol):
    def __call__(
        self,
        model: str,
        rows: Sequence[OfficialAnswer],
        evidence: Mapping[str, Evidence],
        /,
        *,
        is_analyzed: bool,
    ) -> Scored: ...


class _Index(Protocol):
    def __call__(
        self,
        scene_graphs: pl.DataFrame,
        visibility: pl.DataFrame,
        objects: pl.DataFrame,
        profile: Profile,
        n_key_frames: int,
        /,
        *,
        later_parents: pl.DataFrame | None,
    ) -> ComponentIndex: ...


# Later parents have no default here, as leaving them out by mistake would change questions.
_Segment = Callable[
    [pl.DataFrame, pl.DataFrame, pl.DataFrame, Gating, pl.DataFrame | None], SegmentedTables
]
_AtFrames = Callable[[ReplayTables, Ints, Gating, str], SegmentedTables]
_Sample = Callable[
    [pl.DataFrame, pl.DataFrame, ComponentIndex | None, Profile, QuestionSettings], pl.DataFrame
]

SEGMENT = ByProfile[_Segment](paper=segment, release=segment_release)
"""Replay tables -> key frames and the scene graphs at them."""
AT_FRAMES = ByProfile[_AtFrames](
    paper=as_segmented,
    release=lambda replay, frames, gating, _where: as_recorded(replay, frames, gating),
)
"""The same tables for key frames named by a file."""
ASKS_ANY_FRAME = ByProfile(paper=False, release=True)
"""Whether questions about frames other than key frames can be verified, as graphs are those of the
recording.
"""
INDEX_CHANGES = ByProfile[_Index](
    paper=DeltaIndex.from_tables, release=ReleaseDeltaIndex.from_tables
)
"""Key-frame tables -> changes between any two key frames."""
RULES = ByProfile(
    paper=ProfileRules(PAPER_RULES, segment, DeltaIndex.from_tables, frames_decided),
    release=ProfileRules(
        RELEASE_RULES, segment_release, ReleaseDeltaIndex.from_tables, release_frames_decided
    ),
)
"""The rules of segmentation and validation, each of which can be switched off."""
NEEDS_CHANGES = ByProfile(paper=False, release=True)
"""Whether trajectories and questions are made from an index of changes too."""
SAMPLE = ByProfile[_Sample](
    paper=lambda frames, graph, _index, profile, settings: sample_trajectories(
        frames, graph, profile, settings.trajectories_per_length, settings.seed
    ),
    release=lambda frames, graph, index, profile, settings: release_trajectories(
        frames, graph, index, profile, settings.trajectories_per_length
    ),
)
"""Transition graph -> trajectories."""
WRITE = ByProfile[_Write](
    paper=lambda _frames, drawn, graph, _index, *, settings, own_words=(), **_: write_questions(
        drawn, graph, settings, own_words=own_words
    ),
    release=write_release_questions,
)
"""Trajectories -> questions."""
ANSWERS = ByProfile[AnswerRules](paper=PAPER_ANSWERS, release=RELEASE_ANSWERS)
"""How answers are parsed, and the score of unreadable ones."""
SCORE = ByProfile[_Score](paper=score_paper, release=score_as_release)
"""Answers of one model to official questions -> its report."""
