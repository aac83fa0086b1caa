"""All answers of a partition parsed and verified: the table ``evaluation``."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from enact_assets.contracts.errors import EvaluationError
from enact_assets.contracts.profile import Profile
from enact_assets.evaluation.evaluation_tables import Evaluation
from enact_assets.evaluation.order_counts_kernels import Bools, Ints
from enact_assets.evaluation.parsing import ParsedAnswer, parser_of
from enact_assets.evaluation.release_evaluation import evaluate_release
from enact_assets.evaluation.step_arrays import (
    BulkDeltas,
    actions_fit,
    images_fit,
    number_actions,
    padded,
)

_QUESTION = (
    "question_id",
    "demonstration",
    "gating",
    "kind",
    "length",
    "key_frames",
    "shown_key_frames",
    "action_components",
    "reference",
)


def evaluate(
    predictions: pl.DataFrame,
    questions: pl.DataFrame,
    indexes: Mapping[str, BulkDeltas],
    profile: Profile,
) -> pl.DataFrame:
    """Parse and verify ``predictions``: one row of ``evaluation`` for each of them.

    ``questions`` are rows of ``qa``, ``indexes`` the changes of their demonstrations. Missing
    answers have null in every score. Unparsed ones are wrong under profile ``paper`` (accepted
    false, pairwise accuracy 0) and without scores under ``release``. Source: paper A.3.2 and
    definitions.md 6; ``release_evaluation.py``. Errors: :class:`EvaluationError` for a
    prediction without its question, a question without its index, or a question given twice.
    """
    asked = _asked(predictions, questions, indexes)
    if profile.release is not None:
        return evaluate_release(asked, indexes)
    parse = parser_of(profile)
    parsed = [
        parse(raw, length - 1) for raw, length in asked.select("raw_answer", "length").iter_rows()
    ]
    is_parsed = np.array([p.status == "parsed" for p in parsed], np.bool_)
    rows = asked.with_row_index("row").filter(pl.Series(is_parsed, dtype=pl.Boolean))
    n_passed = np.zeros(asked.height, np.int64)
    for (demonstration, kind), group in rows.partition_by(
        "demonstration", "kind", as_dict=True
    ).items():
        at = group.get_column("row").to_numpy()
        orders = [parsed[k].order or () for k in at]
        n_passed[at] = count_passed(
            str(kind), group.to_dicts(), orders, indexes[str(demonstration)]
        )
    return _evaluation(asked, parsed, n_passed)


def count_passed(
    kind: str,
    questions: Sequence[Mapping[str, Any]],
    orders: Sequence[Sequence[int]],
    deltas: BulkDeltas,
) -> Ints:
    """Steps that pass in each of ``orders``, permutations of the labels of ``questions``: (n,).

    All questions are of one ``kind`` and demonstration.
    """
    key_frames = padded([q["key_frames"] for q in questions])
    order = padded(orders)
    is_step = order > 0
    reference = _pairs(key_frames, is_step)
    if kind == "forward":
        shown = padded([q["shown_key_frames"] for q in questions])
        # Label 0 would be the current state, which comes first.
        labels = np.concatenate([np.zeros((len(order), 1), np.int64), order], axis=1)
        predicted = np.take_along_axis(shown, np.maximum(labels, 0), axis=1)
        fits = images_fit(deltas, reference, _pairs(predicted, is_step))
    else:
        actions, shown = number_actions(questions)
        chosen = np.take_along_axis(shown, np.maximum(order, 1) - 1, axis=1)[is_step]
        fits = actions_fit(deltas, reference, actions, chosen)
    passed = np.zeros(is_step.shape, np.bool_)
    passed[is_step] = fits
    return np.asarray(passed.sum(axis=1), np.int64)


def _pairs(key_frames: Ints, is_step: Bools) -> Ints:
    """Consecutive key frames (n, n_steps + 1) of all real steps, as (number of steps, 2)."""
    return np.stack([key_frames[:, :-1][is_step], key_frames[:, 1:][is_step]], axis=1)


def _evaluation(
    asked: pl.DataFrame, parsed: Sequence[ParsedAnswer], n_passed: Ints
) -> pl.DataFrame:
    """Verdicts from parsed answers and passed steps, by the rules of profile ``paper``."""
    contract = Evaluation
    is_missing = pl.col("answer_status") == "missing"
    steps_passed = pl.when("is_exact").then("n_steps").otherwise("n_steps_passed")
    rows = (
        asked.with_columns(
            pl.Series("answer_status", [p.status for p in parsed], pl.String),
            pl.Series("reason", [p.reason for p in parsed], pl.String),
            pl.Series("answer", [p.order and list(p.order) for p in parsed], pl.List(pl.Int64)),
            pl.Series("n_steps_passed", n_passed, pl.Int64),
            n_steps=pl.col("length") - 1,
        )
        .with_columns(
            reason=pl.when(is_missing).then(pl.coalesce("error", "reason")).otherwise("reason"),
            is_exact=pl.col("answer").eq_missing(pl.col("reference")),
            is_semantic=(pl.col("answer_status") == "parsed")
            & (pl.col("n_steps_passed") == pl.col("n_steps")),
        )
        .with_columns(
            is_accepted=pl.col("is_exact") | pl.col("is_semantic"), n_steps_passed=steps_passed
        )
        .with_columns(pairwise_accuracy=pl.col("n_steps_passed") / pl.col("n_steps"))
        .with_columns(
            pl.when(~is_missing).then(pl.col(name)).alias(name)
            for name in (
                "is_exact",
                "is_semantic",
                "is_accepted",
                "n_steps_passed",
                "pairwise_accuracy",
            )
        )
    )
    return contract.check(rows.select(list(contract.schema())))


def _asked(
    predictions: pl.DataFrame, questions: pl.DataFrame, indexes: Mapping[str, BulkDeltas]
) -> pl.DataFrame:
    """Each prediction beside its question, whose answer is called ``reference`` here."""
    known = questions.rename({"answer": "reference"}).select(_QUESTION)
    if known.get_column("question_id").is_duplicated().any():
        first = known.filter(pl.col("question_id").is_duplicated()).item(0, "question_id")
        raise EvaluationError(f"questions: {first} is given more than once")
    asked = predictions.select("model", "variant", "question_id", "raw_answer", "error").join(
        known, on="question_id", how="left", maintain_order="left"
    )
    unknown = asked.filter(pl.col("demonstration").is_null())
    if unknown.height:
        raise EvaluationError(
            f"{unknown.height} of {asked.height} predictions answer questions that are not given, "
            f"first {unknown.item(0, 'question_id')} of {unknown.item(0, 'model')} under "
            f"{unknown.item(0, 'variant')}; materialize predictions again from these questions"
        )
    absent = sorted(set(asked.get_column("demonstration")) - set(indexes))
    if absent:
        raise EvaluationError(
            f"{len(absent)} demonstrations have no index of changes, first {absent[0]}; "
            "materialize their scene_graphs and visibility"
        )
    return asked
