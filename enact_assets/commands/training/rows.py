"""Questions of one demonstration to train on: as many as wanted, written as those that are asked.

Nothing here knows of a question set: trajectories are drawn anew from the transition graph, so one
demonstration gives ten thousands of questions about the same pictures.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from enact_assets.commands.harnesses.question_rows import changes_in
from enact_assets.commands.harnesses.step_fits import fits_texts
from enact_assets.engine.ids import seed_from
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.asked.qa import write_questions
from enact_assets.questions.asked.types import type_of
from enact_assets.questions.paths.counting import count_paths
from enact_assets.questions.paths.sampling import sample_trajectories
from enact_assets.settings.ambiguities import UNTOLD
from enact_assets.settings.classes import EMBEDDED
from enact_assets.settings.registry import Gating, QuestionSettings
from enact_assets.settings.splits import Split

_MARKER = "enact-assets {} split 4d0c6d1e-5d0e-4b7c-9b57-0d5e1b1f6a2c"
MARKERS = {split: _MARKER.format(split) for split in (Split.TRAINING, Split.VALIDATION)}
"""In every row of a set, and of no test: where both meet, something leaked."""
_BLOCK = pl.Struct({"type": pl.String, "text": pl.String})
_MESSAGES = pl.List(pl.Struct({"role": pl.String, "content": pl.List(_BLOCK)}))
SCHEMA: Mapping[str, pl.DataType | type[pl.DataType]] = {
    "question_id": pl.String,
    "prompt": _MESSAGES,
    "completion": _MESSAGES,
    "images": pl.List(pl.String),
    "kind": pl.String,
    "length": pl.Int64,
    "answer": pl.List(pl.Int64),
    "fits": pl.String,
    "demonstration": pl.String,
    "activity": pl.String,
    "n_changes": pl.Int64,
    "n_untold": pl.Int64,
    "least_gap_s": pl.Float64,
    "marker": pl.String,
}
_PAIRS = 1_000_000
"""More key frames than any demonstration has: a pair of them is one number."""
ASKING_FOR_REASONS = Path(__file__).parent / "prompts"
"""Templates: those of a test ask for the order alone."""
MORE_DRAWN = 4
"""Trajectories for each that is wanted, where some are left out by their difficulty."""
MEANINGS: Mapping[str, str] = {
    "question_id": "id of the question",
    "prompt": "one message, as TRL reads it: texts, and places of pictures, in order",
    "completion": "the reference order, for supervised training; after reasons, if asked for",
    "images": "the pictures in the order shown",
    "kind": "forward (order pictures by actions) or inverse (the reverse)",
    "length": "pictures of the question, the current state included",
    "answer": "reference order, labels from 1; others may be right too: reward with `fits`",
    "fits": "JSON: which steps an entry of an answer passes; enact_score.py reads it",
    "demonstration": "what it was made from: an activity and a seed; the seed says the split",
    "activity": "what the robot does there",
    "n_changes": "changes that the actions name, all together: more are harder to keep in mind",
    "n_untold": "steps in which something changes visibly that no action names; 0 unless asked for",
    "least_gap_s": "seconds between the two nearest pictures: near ones look alike",
    "marker": "the same text in every row of every set of its split, and of no test",
}


@dataclass(frozen=True)
class Difficulty:
    """What questions are left out: with more changes than ``most_changes`` in all, or with pictures
    nearer in time than ``least_gap_s`` seconds. None: none.
    """

    most_changes: int | None = None
    least_gap_s: float | None = None

    @property
    def drawn(self) -> int:
        """How many times as many trajectories are drawn as are wanted."""
        return 1 if self == Difficulty() else MORE_DRAWN

    def chosen(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Those of ``rows`` that are not left out."""
        if self.most_changes is not None:
            rows = rows.filter(pl.col("n_changes") <= self.most_changes)
        if self.least_gap_s is not None:
            rows = rows.filter(pl.col("least_gap_s") >= self.least_gap_s)
        return rows


ANY = Difficulty()


def numbers_of(
    lake: Lake, demonstration: str, gating: Gating, lengths: Iterable[int]
) -> dict[int, int]:
    """Length -> trajectories that there are, exactly.

    Errors: :class:`MissingPartitionError` for what was not materialized.
    """
    here = {"demonstration": demonstration, "gating": gating.name}
    frames, graph = lake.read("segmented_frames", here), lake.read("transition_graph", here)
    counts = count_paths(frames, graph, gating.profile_of(EMBEDDED))
    found = dict.fromkeys(lengths, 0)
    for length, n in counts.select("length", "n_paths").iter_rows():
        if length in found:
            found[length] += int(n)
    return found


def training_rows(
    lake: Lake,
    demonstration: str,
    gating: Gating,
    settings: QuestionSettings,
    *,
    wanted: Mapping[int, int],
    pictures: Mapping[int, str],
    marker: str,
    difficulty: Difficulty = ANY,
    has_reasons: bool = False,
) -> pl.DataFrame:
    """Rows of :data:`SCHEMA` in random order: of each length as many trajectories as ``wanted``
    that are not left out by ``difficulty``, a question of both kinds for each. ``pictures``: key
    frame -> file name; trajectories with a key frame that has none are left out. With
    ``has_reasons`` prompts ask for them, and completions have them.

    Errors: :class:`MissingPartitionError` for what was not materialized.
    """
    here = {"demonstration": demonstration}
    framed = {**here, "gating": gating.name}
    frames, graph = lake.read("segmented_frames", framed), lake.read("transition_graph", framed)
    about = lake.read("demonstrations", here).row(0, named=True)
    profile = gating.profile_of(about["source"])
    drawn = [
        sample_trajectories(
            frames,
            graph,
            replace(profile, min_length=length, max_length=length),
            n * difficulty.drawn,
            settings.seed,
        )
        for length, n in wanted.items()
        if n
    ]
    if not drawn:
        return pl.DataFrame(schema=SCHEMA)
    shown = pl.col("key_frames").list.eval(pl.element().is_in(list(pictures))).list.all()
    times = dict(frames.select("key_frame", pl.col("frame") / about["frame_rate_hz"]).iter_rows())
    trajectories = pl.concat(drawn).filter(shown)
    told = write_questions(
        trajectories,
        graph,
        settings,
        ASKING_FOR_REASONS if has_reasons else None,
        own_words=gating.own_words,
    ).with_columns(
        n_changes=pl.col("action_components").list.eval(pl.element().list.len()).list.sum(),
        least_gap_s=_mapped("key_frames", times).list.diff().list.min(),
    )
    # Changes and gap are those of a trajectory, so both of its kinds stay or go.
    left = difficulty.chosen(told)
    forward = left.filter(kind="forward").sort("length", "draw")
    rank = pl.int_range(pl.len()).over("length")
    most = pl.col("length").replace_strict(dict(wanted), default=0)
    chosen = forward.filter(rank < most)["trajectory_id"]
    written = left.filter(pl.col("trajectory_id").is_in(chosen.implode()))
    fits = fits_texts(changes_in(lake, demonstration, gating), written)
    untold = _untold_steps(lake, framed)
    rows = written.with_columns(
        images=_mapped("shown_key_frames", pictures),
        fits=pl.Series(fits, dtype=pl.String),
        activity=pl.lit(about["activity"]),
        n_untold=_n_among("key_frames", untold),
        marker=pl.lit(marker),
        completion=_message(
            "assistant",
            [_block(pl.lit(pl.Series(_solved(written, has_reasons=has_reasons), dtype=pl.String)))],
        ),
    )
    of_forms = rows.partition_by("kind", "length", maintain_order=True)
    found = pl.DataFrame(schema=SCHEMA)
    if of_forms:
        columns = [pl.col(name).cast(dtype) for name, dtype in SCHEMA.items()]
        found = pl.concat([_prompted(rows).select(columns) for rows in of_forms])
    order = np.random.default_rng(seed_from("training rows", demonstration, settings.seed))
    return found[order.permutation(found.height)]


def _solved(written: pl.DataFrame, *, has_reasons: bool) -> list[str]:
    """The reference order of each question, after the reasons for it if they are wanted."""
    rows = written.select("kind", "actions", "answer").iter_rows()
    if not has_reasons:
        return [str(answer) for *_, answer in rows]
    return ["\n".join([*_reasons(*row), str(row[2])]) for row in rows]


def _reasons(kind: str, actions: Sequence[str], answer: Sequence[int]) -> list[str]:
    """What changes in each step, and the label for which that speaks."""
    if kind == "forward":
        return [
            f"[Action {step}] {said} This is Next State {label}."
            for step, (said, label) in enumerate(zip(actions, answer, strict=True), start=1)
        ]
    names = ("Current State", *(f"Next State {step}" for step in range(1, len(answer) + 1)))
    return [
        f"{before} to {after}: {actions[label - 1]} This is [Action {label}]."
        for (before, after), label in zip(pairwise(names), answer, strict=True)
    ]


def _untold_steps(lake: Lake, framed: Mapping[str, str]) -> set[tuple[int, int]]:
    """Steps (key frame before, after) that change more than is said."""
    known = lake.read("ambiguous_changes", framed).filter(ambiguity=UNTOLD)
    return set(known.select("key_frame_from", "key_frame_to").iter_rows())


def _n_among(column: str, steps: Collection[tuple[int, int]]) -> pl.Expr:
    """How many pairs of neighbours in the lists of ``column`` are among ``steps``."""
    if not steps:
        return pl.lit(0, pl.Int64)
    frames = pl.element().cast(pl.Int64)
    pair, known = frames * _PAIRS + frames.shift(-1), [a * _PAIRS + b for a, b in sorted(steps)]
    return pl.col(column).list.eval(pair.is_in(known)).list.sum().cast(pl.Int64)


def _mapped(column: str, found: Mapping[int, Any]) -> pl.Expr:
    """The lists of ``column`` with what each key frame has."""
    return pl.col(column).list.eval(pl.element().replace_strict(found, default=None))


def _prompted(rows: pl.DataFrame) -> pl.DataFrame:
    """Questions of one kind and length with ``prompt``: all show their parts in one order, and
    only the words of the prompt differ.
    """
    first = rows.row(0, named=True)
    blocks = []
    for part in type_of(first).parts(first):
        if isinstance(part, str):
            blocks.append(_block(pl.col("prompt") if part == first["prompt"] else pl.lit(part)))
        else:
            blocks.append(_block(pl.lit(None, pl.String), kind="image"))
    return rows.with_columns(prompt=_message("user", blocks))


def _block(text: pl.Expr, kind: str = "text") -> pl.Expr:
    return pl.struct(pl.lit(kind).alias("type"), text.alias("text"))


def _message(role: str, blocks: Sequence[pl.Expr]) -> pl.Expr:
    """A conversation of one message."""
    content = pl.concat_list(blocks).alias("content")
    return pl.concat_list(pl.struct(pl.lit(role).alias("role"), content))
