"""Trajectories -> forward and inverse questions, by one builder (paper A.2.3).

Forward: the current state, the actions in order and the later states shuffled. Inverse: all states
in order and the actions shuffled. Entry k of the answer is the label shown for step k + 1.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

from enact_assets.engine.errors import QuestionError, UnknownNameError
from enact_assets.engine.ids import short_id
from enact_assets.questions.asked.shuffles import inverse_order, shuffled_labels
from enact_assets.questions.asked.tables import Qa
from enact_assets.questions.asked.templates import KINDS, check_kind, fill_template, load_template
from enact_assets.questions.asked.wording import WORDINGS, explain_wording, word_actions
from enact_assets.settings.classes import OwnWords
from enact_assets.settings.registry import QuestionSettings

Changes = Mapping[tuple[int, int], Sequence[str]]
"""Components, as text, of each valid edge between two key frames."""


def write_questions(
    trajectories: pl.DataFrame,
    transition_graph: pl.DataFrame,
    settings: QuestionSettings,
    template_folder: Path | None = None,
    *,
    own_words: tuple[OwnWords, ...] = (),
) -> pl.DataFrame:
    """One forward and one inverse question per trajectory: the table ``qa``.

    Both tables belong to one demonstration and gating. Shuffles and phrasings depend on the
    trajectory's id, the kind and ``settings.seed`` alone. ``template_folder`` holds prompt
    templates other than ours, ``own_words`` are those of the gating. Errors: :class:`QuestionError`
    if a trajectory takes a step that is no edge of ``transition_graph``; :class:`UnknownNameError`
    for an undefined wording.
    """
    if settings.wording not in WORDINGS:
        raise UnknownNameError.of("wording", settings.wording, WORDINGS)
    columns = ("demonstration", "gating", "key_frame_from", "key_frame_to", "changes")
    graphs: dict[tuple[str, str], dict[tuple[int, int], list[str]]] = {}
    for demonstration, gating, start, end, changes in transition_graph.select(columns).iter_rows():
        graphs.setdefault((demonstration, gating), {})[start, end] = changes
    templates = {kind: load_template(kind, template_folder) for kind in KINDS}
    partition = ("demonstration", "gating", "length")
    # By rank, a decimal of any size: the draw must not depend on the order of rows.
    by_rank = trajectories.sort(pl.col("rank").str.len_chars(), "rank", "trajectory_id")
    numbered = by_rank.with_columns(draw=pl.int_range(pl.len()).over(partition))
    rows = [
        build_question(
            kind,
            trajectory,
            graphs.get((trajectory["demonstration"], trajectory["gating"]), {}),
            settings,
            templates[kind],
            draw=trajectory["draw"],
            own_words=own_words,
        )
        for trajectory in numbered.iter_rows(named=True)
        for kind in KINDS
    ]
    return Qa.build(rows)


def build_question(
    kind: str,
    trajectory: Mapping[str, Any],
    changes: Changes,
    settings: QuestionSettings,
    template: str,
    *,
    draw: int = 0,
    own_words: tuple[OwnWords, ...] = (),
) -> dict[str, Any]:
    """The row of ``qa`` for one ``trajectory`` (a row of ``trajectories``) and ``kind``."""
    check_kind(kind)
    key_frames = list(trajectory["key_frames"])
    steps = [_step(trajectory, changes, i, j) for i, j in pairwise(key_frames)]
    content = (trajectory["trajectory_id"], kind, settings.seed)
    # shown[k] is the step (from 1) whose next state or action is labelled k + 1.
    shown = shuffled_labels(len(steps), "order shown", *content)
    texts = word_actions(steps, *content, wording=settings.wording, own=own_words)
    if kind == "forward":
        shown_key_frames = [key_frames[0], *(key_frames[step] for step in shown)]
    else:
        shown_key_frames = key_frames
        texts = [texts[step - 1] for step in shown]
        steps = [steps[step - 1] for step in shown]
    return {
        "demonstration": trajectory["demonstration"],
        "gating": trajectory["gating"],
        "question_id": short_id(
            trajectory["demonstration"],
            trajectory["gating"],
            kind,
            key_frames,
            list(trajectory["frames"]),
            settings.seed,
            shown,
        ),
        "trajectory_id": trajectory["trajectory_id"],
        "kind": kind,
        "length": len(key_frames),
        "key_frames": key_frames,
        "shown_key_frames": shown_key_frames,
        "actions": texts,
        "action_components": steps,
        "answer": inverse_order(shown),
        "draw": draw,
        "wording": settings.wording,
        "prompt": fill_template(template, texts, explain_wording(steps, settings.wording)),
    }


def _step(trajectory: Mapping[str, Any], changes: Changes, i: int, j: int) -> list[str]:
    """The sorted components of the step i -> j; :class:`QuestionError` if it is not an edge."""
    found = changes.get((i, j))
    if not found:
        raise QuestionError(
            f"{trajectory['demonstration']} ({trajectory['gating']}): trajectory "
            f"{trajectory['trajectory_id']} goes from key frame {i} to {j}, which is not an edge "
            "of the transition graph; materialize trajectories again from this graph"
        )
    return sorted(found)
