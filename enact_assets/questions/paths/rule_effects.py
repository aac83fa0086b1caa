"""What each rule of segmentation and validation decides: key frames, edges, trajectories and
questions with it and without it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import polars as pl

from enact_assets.demonstrations.pictures.tables import Visibility
from enact_assets.demonstrations.replay.parents import at_key_frames
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.engine.errors import ReplayError
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.questions.key_frames.given_key_frames import is_given
from enact_assets.questions.key_frames.landed import SegmentedTables
from enact_assets.questions.paths.ambiguous import find_edges
from enact_assets.questions.paths.counting import path_counts_of
from enact_assets.questions.paths.tables import RuleEffects
from enact_assets.questions.paths.transition_graph import build_transition_graph
from enact_assets.settings.classes import Gating
from enact_assets.settings.profile import Profile
from enact_assets.settings.rules import Rule, must_name_all

See = Callable[[pl.DataFrame], pl.DataFrame]
"""Rows of ``segmented_frames`` -> rows of ``visibility``."""
MOVED = "without it every picture is another one: edges by `settle_frames` in docs/constants.md"
"""Why a rule that moves all pictures has key frames alone."""
_ENDS = ["frame_from", "frame_to"]


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


@dataclass(frozen=True)
class ProfileRules:
    """The rules of one profile, and the functions that apply them."""

    rules: tuple[Rule, ...]
    segment: Callable[
        [pl.DataFrame, pl.DataFrame, pl.DataFrame, Gating, pl.DataFrame | None], SegmentedTables
    ]
    index: _Index
    decided: Callable[[ReplayTables, Gating], Mapping[str, int]]
    """Frames that each rule changed or rejected, by :attr:`Rule.counts_as`."""


@dataclass(frozen=True)
class PublishedTables:
    """Tables of one demonstration and gating, made with all rules."""

    segmented: SegmentedTables
    visibility: pl.DataFrame
    transition_graph: pl.DataFrame
    qa: pl.DataFrame


@dataclass(frozen=True)
class _Found:
    """Key frames, edges with their visible changes, and the number of paths."""

    frames: frozenset[int]
    edges: pl.DataFrame
    """Rows of ``transition_graph``, with ``frame_from``, ``frame_to``; ``changes`` is one text."""
    n_paths: int

    @classmethod
    def of(cls, frames: pl.DataFrame, graph: pl.DataFrame, profile: Profile) -> "_Found":
        counts = path_counts_of(frames, graph, profile)
        edges = graph.with_columns(pl.col("changes").list.join("\n"))
        for end in ("from", "to"):
            at = frames.select(
                pl.col("key_frame").alias(f"key_frame_{end}"),
                pl.col("frame").alias(f"frame_{end}"),
            )
            edges = edges.join(at, on=f"key_frame_{end}", how="left")
        n_paths = sum(counts.total(length) for length in profile.lengths)
        return cls(frozenset(frames["frame"].to_list()), edges, n_paths)


class _Sight:
    """What is visible at frames; each frame is measured once."""

    def __init__(self, frames: pl.DataFrame, visibility: pl.DataFrame, measure: See) -> None:
        self._frames = set(frames["frame"].to_list())
        self._rows = visibility.drop("key_frame")
        self._measure = measure

    def at(self, frames: pl.DataFrame) -> pl.DataFrame:
        """Rows of ``visibility`` at the key frames ``frames``."""
        new = frames.filter(~pl.col("frame").is_in(list(self._frames)))
        if new.height:
            self._rows = pl.concat([self._rows, self._measure(new).drop("key_frame")])
            self._frames.update(new["frame"].to_list())
        numbers = frames.select("frame", "key_frame")
        return Visibility.arranged(self._rows.join(numbers, on="frame", how="inner"))


def measure_rule_effects(
    replay: ReplayTables,
    gating: Gating,
    made: PublishedTables,
    profile_rules: ProfileRules,
    see: See,
) -> pl.DataFrame:
    """What each rule decides in one demonstration under one gating -> rule_effects.

    ``see`` measures which objects are visible at frames that are no key frames of ``made``. A rule
    of the search has no row where key frames are given. Errors: those of segmentation with all
    rules; a demonstration that cannot be segmented without a rule has null and the ``reason``.
    """
    source = str(replay.demonstrations.item(0, "source"))
    frames = made.segmented.segmented_frames
    sight = _Sight(frames, made.visibility, see)
    is_searched = not is_given(replay.demonstrations)
    rules = [
        rule
        for rule in profile_rules.rules
        if rule.exists(gating, source) and (is_searched or not rule.is_search)
    ]
    published = _Found.of(frames, made.transition_graph, gating.profile)
    demonstration = str(replay.demonstrations.item(0, "demonstration"))
    decided: Mapping[str, int] = {}
    if any(rule.counts_as for rule in rules):
        decided = profile_rules.decided(replay, gating)
    rows = []
    for rule in rules:
        ours = rule.on(gating)
        row: dict[str, Any] = {
            "demonstration": demonstration,
            "gating": gating.name,
            "rule": rule.name,
            "is_in_force": ours == gating,
        }
        again = None if rule.is_search or rule.is_about_graphs else made.segmented
        try:
            if ours == gating:
                with_it, counted, asked = published, decided, made.qa
            else:
                with_it = _compute(replay, ours, None, sight, profile_rules)
                counted, asked = profile_rules.decided(replay, ours), None
            if rule.moves_pictures:
                found = profile_rules.segment(
                    *(replay.demonstrations, replay.facts, replay.objects, rule.off(ours)),
                    replay.later_parents,
                )
                moved = frozenset(found.segmented_frames["frame"].to_list())
                rows.append({**row, **_frames_compared(with_it.frames, moved), "reason": MOVED})
                continue
            without = _compute(
                replay, rule.off(ours), again, sight, profile_rules, sees_all=rule.is_blind
            )
        except ReplayError as error:
            rows.append({**row, "reason": str(error)})
            continue
        if rule.counts_as is not None:
            row["n_frames_decided"] = counted[rule.counts_as]
        rows.append(row | _compared(with_it, without, asked))
    return RuleEffects.build(rows)


def _compute(
    replay: ReplayTables,
    gating: Gating,
    found: SegmentedTables | None,
    sight: _Sight,
    profile_rules: ProfileRules,
    *,
    sees_all: bool = False,
) -> _Found:
    """Key frames (unless ``found``), edges and paths under ``gating``."""
    if found is None:
        found = profile_rules.segment(
            replay.demonstrations, replay.facts, replay.objects, gating, replay.later_parents
        )
    frames, source = found.segmented_frames, str(replay.demonstrations.item(0, "source"))
    profile = gating.profile_of(source)
    seen = _everything(frames, replay.objects) if sees_all else sight.at(frames)
    index = profile_rules.index(
        *(found.scene_graphs, seen, replay.objects, profile, frames.height),
        later_parents=at_key_frames(replay.later_parents, frames["frame"].to_numpy()),
    )
    if must_name_all(gating, source):  # else its other tables are made for nothing
        graph = find_edges(found, seen, replay.objects, index, gating, source).transition_graph
    else:
        graph = build_transition_graph(frames, index)
    return _Found.of(frames, graph, profile)


def _everything(frames: pl.DataFrame, objects: pl.DataFrame) -> pl.DataFrame:
    """Visibility of every object in all of each picture, as far as an index of changes reads it."""
    key = frames.select("demonstration", "gating", "key_frame")
    whole = {"fraction": pl.lit(1.0), "pixels": pl.lit(1, pl.Int64)}
    return key.join(objects.select("object_name"), how="cross").with_columns(**whole)


def _frames_compared(ours: frozenset[int], without: frozenset[int]) -> dict[str, int]:
    return {
        "n_key_frames_with": len(ours),
        "n_key_frames_without": len(without),
        "n_key_frames_only_with": len(ours - without),
        "n_key_frames_only_without": len(without - ours),
    }


def _compared(with_it: _Found, without: _Found, qa: pl.DataFrame | None) -> dict[str, Any]:
    both = with_it.edges.join(without.edges, on=_ENDS, how="inner")
    only_with = with_it.edges.join(without.edges, on=_ENDS, how="anti")
    return {
        **_frames_compared(with_it.frames, without.frames),
        "n_edges_with": with_it.edges.height,
        "n_edges_without": without.edges.height,
        "n_edges_only_with": only_with.height,
        "n_edges_only_without": without.edges.height - both.height,
        "n_edges_changed": both.filter(pl.col("changes") != pl.col("changes_right")).height,
        "n_paths_with": str(with_it.n_paths),
        "n_paths_without": str(without.n_paths),
        "n_questions": None if qa is None else _count_questions(qa, only_with),
    }


def _count_questions(qa: pl.DataFrame, edges: pl.DataFrame) -> int:
    """Questions of ``qa`` with a step along one of ``edges``."""
    path = pl.col("key_frames").list
    steps = qa.select(
        "question_id",
        key_frame_from=path.head(path.len() - 1),
        key_frame_to=path.tail(path.len() - 1),
    ).explode("key_frame_from", "key_frame_to")
    ends = ["key_frame_from", "key_frame_to"]
    return steps.join(edges, on=ends, how="semi")["question_id"].n_unique()
