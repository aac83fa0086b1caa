"""Questions of profile ``release``: those the public release makes, in its order, with its ids.

Trajectories, wordings, shuffles and the order of questions come from the release's own draws
(questions/paths/release_draws.py); prompts and sentences are ours. Source: definitions.md R11 and
R13.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from enact_assets.engine.errors import QuestionError, SettingsError
from enact_assets.questions.asked.official import official_id, question_type
from enact_assets.questions.asked.release_wording import release_text
from enact_assets.questions.asked.tables import Qa
from enact_assets.questions.asked.templates import KINDS, Kind, fill_template, load_template
from enact_assets.questions.paths.release_draws import (
    Draw,
    LengthDraws,
    draws_between,
    release_index,
)
from enact_assets.settings.classes import NATURAL, OwnWords, QuestionSettings
from enact_assets.settings.profile import Profile

if TYPE_CHECKING:
    from enact_assets.questions.key_frames.component_index import ComponentIndex
    from enact_assets.questions.key_frames.release_deltas import Entry, ReleaseDeltaIndex


def write_release_questions(
    segmented_frames: pl.DataFrame,
    trajectories: pl.DataFrame,
    transition_graph: pl.DataFrame,
    index: "ComponentIndex | None",
    *,
    settings: QuestionSettings,
    profile: Profile,
    template_folder: Path | None = None,
    has_picture: Sequence[bool] | None = None,
    own_words: tuple[OwnWords, ...] = (),  # noqa: ARG001 - the release has its own for every state
) -> pl.DataFrame:
    """The release's questions of one demonstration and gating: the table ``qa``.

    ``settings.seed`` has no effect, as the release's has none. There are no rows if the release
    fails on a change (``why_no_questions`` says which). ``draw`` is the place at which the release
    puts the question among those of its kind and length. ``has_picture`` says which key frames have
    a picture, by default all; the release asks about no others.

    Errors: :class:`QuestionError` if ``trajectories`` are not those drawn from these tables;
    :class:`TrajectoryError` if the tables do not belong together or ``index`` is of another
    profile; :class:`SettingsError` for a wording other than natural: the release has its own.
    """
    if settings.wording != NATURAL:
        raise SettingsError(
            f"profile {profile.name!r} asks what the public release asks, in its own words: "
            f"expected wording {NATURAL!r}, found {settings.wording!r}"
        )
    index = release_index(index, profile)
    wanted = settings.trajectories_per_length
    n = segmented_frames.height
    found = draws_between(n, transition_graph, index, wanted, profile, has_picture=has_picture)
    _check_same(trajectories, found)
    if not found:
        return Qa.empty()
    builder = _Builder(segmented_frames, transition_graph, index, trajectories, template_folder)
    return Qa.build(
        [
            builder.row(kind, place, draw) | {"wording": settings.wording}
            for drawn in found
            for kind in KINDS
            for place, draw in enumerate(drawn.of_kind(kind))
        ]
    )


def places_of(texts: Sequence[str], shown: Sequence[str]) -> list[int]:
    """The label, from 1, of each of ``texts`` among ``shown``, its shuffle.

    Of equal texts the first gets the first label that is left (definitions.md R13, ``gt_answer``).
    """
    left: dict[str, list[int]] = {}
    for label in range(len(shown), 0, -1):
        left.setdefault(shown[label - 1], []).append(label)
    return [left[text].pop() for text in texts]


class _Builder:
    """Rows of ``qa`` for one demonstration and gating."""

    def __init__(
        self,
        segmented_frames: pl.DataFrame,
        transition_graph: pl.DataFrame,
        index: "ReleaseDeltaIndex",
        trajectories: pl.DataFrame,
        template_folder: Path | None,
    ) -> None:
        frames = segmented_frames.sort("key_frame")
        self._demonstration, self._gating = frames.select("demonstration", "gating").row(0)
        self._frame_ids = [str(frame_id) for frame_id in frames["frame_id"]]
        self._changes = {
            (i, j): changes
            for i, j, changes in transition_graph.select(
                "key_frame_from", "key_frame_to", "changes"
            ).iter_rows()
        }
        self._trajectory_id = {
            tuple(key_frames): trajectory_id
            for key_frames, trajectory_id in trajectories.select(
                "key_frames", "trajectory_id"
            ).iter_rows()
        }
        self._index = index
        self._texts: dict[Draw, list[str]] = {}
        self._entries: dict[tuple[int, int], list[Entry]] = {}
        self._templates = {kind: load_template(kind, template_folder) for kind in KINDS}

    def row(self, kind: Kind, place: int, draw: Draw) -> dict[str, Any]:
        """The question of ``kind`` at ``place`` among its like; column ``wording`` is left out."""
        path = list(draw.key_frames)
        steps = list(pairwise(path))
        texts = self._texts_of(draw)
        components = [self._changes[step] for step in steps]
        later = [path[step + 1] for step in draw.shown]
        if kind == "forward":
            answer = [0] * len(steps)
            for label, step in enumerate(draw.shown, start=1):
                answer[step] = label
        else:
            later = path[1:]
            shown = [texts[step] for step in draw.shown]
            answer = places_of(texts, shown)
            texts, components = shown, [components[step] for step in draw.shown]
        ids = [self._frame_ids[k] for k in path]
        return {
            "demonstration": self._demonstration,
            "gating": self._gating,
            "question_id": official_id(self._demonstration, question_type(kind, len(path)), ids),
            "trajectory_id": self._trajectory_id[draw.key_frames],
            "kind": kind,
            "length": len(path),
            "key_frames": path,
            "shown_key_frames": [path[0], *later],
            "actions": texts,
            "action_components": components,
            "answer": answer,
            "draw": place,
            "prompt": fill_template(self._templates[kind], texts),
        }

    def _texts_of(self, draw: Draw) -> list[str]:
        """What its actions say, in true order; questions of both kinds may be of one draw."""
        found = self._texts.get(draw)
        if found is None:
            found = [
                release_text(self._entries_of(step), wordings)
                for step, wordings in zip(pairwise(draw.key_frames), draw.wordings, strict=True)
            ]
            self._texts[draw] = found
        return found

    def _entries_of(self, step: tuple[int, int]) -> "list[Entry]":
        """What changes in a step; the same few steps are taken again and again."""
        found = self._entries.get(step)
        if found is None:
            found = self._entries[step] = self._index.action_entries(*step)
        return found


def _check_same(trajectories: pl.DataFrame, found: list[LengthDraws]) -> None:
    """Raise :class:`QuestionError` unless ``trajectories`` are those of ``found``."""
    drawn = {path for of_length in found for path in of_length.paths}
    given = {tuple(key_frames) for key_frames in trajectories["key_frames"].to_list()}
    if given != drawn:
        first = min(given ^ drawn)
        raise QuestionError(
            f"{len(given ^ drawn)} trajectories are in the table or among those drawn from key "
            f"frames and changes, but not in both, first {list(first)}. Sample trajectories again "
            "from these tables, with the number per length the questions are written with."
        )
