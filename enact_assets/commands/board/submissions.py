"""Submissions against one's own tables: hashes of questions, and answers scored anew."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from enact_assets import __version__
from enact_assets.answers.baselines.tables import Predictions
from enact_assets.answers.models.entries import Model
from enact_assets.commands.harnesses.question_rows import changes_in, question_rows
from enact_assets.commands.release.shown_questions import shown_questions
from enact_assets.engine.errors import MissingPartitionError, PredictionError
from enact_assets.engine.ids import content_sha
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.plurals import counted
from enact_assets.pipeline.steps.profiles import ANSWERS
from enact_assets.results.board.bundles import (
    FORMAT,
    Answer,
    Bundle,
    Claim,
    Cost,
    claims_of,
    differences,
)
from enact_assets.results.verification.evaluate import evaluate
from enact_assets.settings.classes import world_source_of
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import Registry
from enact_assets.settings.splits import WORLD_VERSION

SETTINGS = frozenset(
    {
        *("temperature", "top_p", "top_k", "min_p", "seed", "n", "stop", "dtype", "samples"),
        *("max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens"),
        *("reasoning", "reasoning_effort", "effort", "summary", "thinking", "budget_tokens"),
        *("generationConfig", "maxOutputTokens", "topP", "topK", "thinkingConfig"),
        *("thinkingBudget", "thinkingLevel", "type", "verbosity", "repetition_penalty"),
        *("do_sample", "num_beams", "enable_thinking", "presence_penalty", "frequency_penalty"),
    }
)
"""Parameters of models that a bundle has, also within others: all else may hold keys or
addresses."""


@dataclass(frozen=True)
class VariantQuestions:
    """The questions of one variant in a data root.

    Errors: :class:`PredictionError` for WorldPrediction, :class:`MissingPartitionError` for what
    was not materialized.
    """

    root: DataRoot
    registry: Registry
    variant: str

    @cached_property
    def lake(self) -> Lake:
        """The lake of the data root."""
        return Lake(self.root.lake)

    @cached_property
    def hashes(self) -> Mapping[str, str]:
        """Question -> hash of its texts, pictures and ``fits``."""
        if world_source_of(self.variant) is not None:
            raise PredictionError(
                f"{self.variant} asks WorldPrediction, whose answers are no orders: submissions "
                "are of variants of ENACT."
            )
        asking = self.registry.variant(self.variant)
        shown = shown_questions(self.lake, asking.question_set, self.registry, self.variant)
        rows = question_rows(self.lake, shown, self.registry.gating(asking.gating))
        return {
            id_: content_sha(list(parts))
            for id_, *parts in rows.select("question_id", "shown_sha", "answer", "fits").iter_rows()
        }

    def evaluated(self, predictions: pl.DataFrame) -> pl.DataFrame:
        """Rows of ``evaluation`` of answers to these questions."""
        asked = self.lake.read("asked_questions", {"variant": self.variant})
        asked = asked.filter(pl.col("question_id").is_in(predictions["question_id"].implode()))
        gating = self.registry.gating(self.registry.variant(self.variant).gating)
        indexes = {
            name: changes_in(self.lake, name, gating) for name in asked["demonstration"].unique()
        }
        return evaluate(predictions, asked, indexes, ANSWERS.of(gating.profile))


def bundle_of(asked: VariantQuestions, name: str, model: Model | None) -> Bundle:
    """The submission of the model called ``name``, from its answers in the data root.

    Errors: :class:`MissingPartitionError` if it has none.
    """
    here = {"model": name, "variant": asked.variant}
    try:
        answers = asked.lake.read("predictions", here)
    except MissingPartitionError as error:
        raise MissingPartitionError(
            f"{error} `enact-assets materialize --model {name} --variant {asked.variant}` asks it."
        ) from error
    hashes = asked.hashes
    answers = answers.filter(pl.col("question_id").is_in(list(hashes)))
    given = tuple(
        Answer(id_, hashes[id_], raw, stop, repetition)
        for id_, raw, stop, repetition in answers.select(
            "question_id", "raw_answer", "stop", "repetition"
        )
        .sort("question_id", "repetition")
        .iter_rows()
    )
    return Bundle(
        FORMAT,
        name,
        asked.variant,
        asked.registry.variant(asked.variant).question_set,
        f"enact_assets {__version__}",
        WORLD_VERSION,
        {} if model is None else settings_of(model),
        Cost(
            None if answers["usd"].has_nulls() else round(float(answers["usd"].sum()), 6),
            *(_total(answers[column]) for column in ("tokens_in", "tokens_out")),
        ),
        claims_of(asked.evaluated(answers)),
        given,
    ).sealed()


def settings_of(model: Model) -> dict[str, object]:
    """How a model was asked, without keys, addresses and folders."""
    provider, slash, rest = model.entry.id.partition("/")
    is_here = model.channel in {"local", "python"}
    id_ = f"{provider}{slash}{rest.rpartition('/')[2]}" if is_here else model.entry.id
    return {"id": id_, **_known(model.parameters)}


def _known(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Those of :data:`SETTINGS`."""
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        if name not in SETTINGS:
            continue
        if isinstance(value, Mapping):
            found[name] = _known(value)
        elif isinstance(value, str | int | float | bool | None):
            found[name] = value
    return found


def _total(column: pl.Series) -> int | None:
    """The sum, or None if not all was counted."""
    return None if column.has_nulls() else int(column.sum())


@dataclass(frozen=True)
class Recomputed:
    """A submission scored anew on one's own tables."""

    bundle: Bundle
    evaluation: pl.DataFrame
    claims: tuple[Claim, ...]
    problems: tuple[str, ...]


def recomputed(bundle: Bundle, asked: VariantQuestions) -> Recomputed:
    """Score ``bundle`` on the questions of ``asked``: answers to other ones are not counted."""
    hashes, problems = asked.hashes, []
    if bundle.sha != bundle.content:
        problems.append(
            "It was changed after it was written: its content has hash "
            f"{bundle.content[:12]}, and it says {bundle.sha[:12] or 'none'}."
        )
    known = [answer for answer in bundle.answers if answer.question_id in hashes]
    if unknown := [a.question_id for a in bundle.answers if a.question_id not in hashes]:
        problems.append(
            f"{counted(len(unknown), 'answer')} to questions that {bundle.variant} does not ask "
            f"here, first {unknown[0]}."
        )
    if others := [a.question_id for a in known if a.of != hashes[a.question_id]]:
        problems.append(
            f"{counted(len(others), 'answer')} to questions with other texts, pictures or right "
            f"orders than here, first {others[0]}."
        )
    if left_out := sorted(set(hashes) - {answer.question_id for answer in bundle.answers}):
        problems.append(
            f"{counted(len(left_out), 'question')} of {bundle.variant} without an answer in it, "
            f"not even a missing one, first {left_out[0]}."
        )
    keys = Counter((answer.question_id, answer.repetition) for answer in known)
    if twice := [id_ for (id_, _), n in keys.items() if n > 1]:
        problems.append(f"Question {twice[0]} is answered twice.")
    repeated: dict[str, set[int]] = defaultdict(set)
    for id_, repetition in keys:
        repeated[id_].add(repetition)
    every = set(range(max(map(len, repeated.values()), default=0)))
    if uneven := [id_ for id_, found in repeated.items() if found != every]:
        problems.append(
            f"{counted(len(uneven), 'question')} without all repetitions, from 0 to "
            f"{len(every) - 1}, first {uneven[0]}: answers that are repeated for some questions "
            "alone would count more than others."
        )
    asking = asked.registry.variant(asked.variant)
    for what, theirs, ours in (
        ("of world", bundle.world, WORLD_VERSION),
        ("about question set", bundle.question_set, asking.question_set),
    ):
        if theirs != ours:
            problems.append(f"It says that it is {what} {theirs}, which is {ours} here.")
    same = {(a.question_id, a.repetition): a for a in known if a.of == hashes[a.question_id]}
    evaluation = asked.evaluated(_predictions(bundle, list(same.values())))
    claims = claims_of(evaluation)
    problems += [f"{difference}." for difference in differences(bundle, claims)]
    return Recomputed(bundle, evaluation, claims, tuple(problems))


def _predictions(bundle: Bundle, answers: list[Answer]) -> pl.DataFrame:
    """Rows of ``predictions``."""
    rows = [
        dict.fromkeys(Predictions.schema())
        | {"model": bundle.model, "variant": bundle.variant, "question_id": answer.question_id}
        | {"repetition": answer.repetition, "request_sha": answer.of, "stop": answer.stop}
        | {"raw_answer": answer.raw_answer}
        | {"error": "submitted without an answer" if answer.raw_answer is None else None}
        for answer in answers
    ]
    return pl.DataFrame(rows, schema=dict(Predictions.empty().schema.items()))
