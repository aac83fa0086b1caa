"""Scores of models on WorldPrediction: single answers, accuracies with intervals, comparisons."""

from collections.abc import Collection

import polars as pl

from enact_assets.answers.people.pooling import with_pooled_annotators
from enact_assets.answers.world.people_tables import WorldHumanEvaluation
from enact_assets.questions.world.items import read_stopped_answer
from enact_assets.questions.world.tables import WorldAccuracies, WorldComparisons, WorldEvaluation
from enact_assets.results.statistics.models import compare_models

CHANCE = 0.25
CONFIDENCE = 0.95
_METRIC = "task_accuracy"
_JOINT = "|"


def evaluate_world(predictions: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    """Table ``world_evaluation``: an answer that cannot be read is wrong, a missing one missing."""
    asked = questions.select(
        *("question_id", "task", "condition", "length", "recording", "n_videos"), right="answer"
    )
    rows = predictions.join(asked, on="question_id", how="inner")
    read = [
        (None, None) if text is None else read_stopped_answer(text, stop)
        for text, stop in rows.select("raw_answer", "stop").iter_rows()
    ]
    rows = rows.with_columns(
        answer=pl.Series([letter for letter, _ in read], dtype=pl.String),
        reason=pl.Series([reason for _, reason in read], dtype=pl.String),
    )
    is_missing = pl.col("raw_answer").is_null()
    found = rows.with_columns(
        answer_status=pl.when(is_missing)
        .then(pl.lit("missing"))
        .when(pl.col("answer").is_null())
        .then(pl.lit("unparsed"))
        .otherwise(pl.lit("parsed")),
        is_correct=pl.when(~is_missing).then(pl.col("answer").eq_missing(pl.col("right"))),
    )
    return WorldEvaluation.arranged(found.select(list(WorldEvaluation.schema())))


def with_annotators(evaluation: pl.DataFrame, people: pl.DataFrame) -> pl.DataFrame:
    """Rows of ``world_evaluation`` and those of annotators, of which all of one role are one model,
    such as ``people (2)``; several answers to one question differ in ``repetition``.
    """
    rows = evaluation.with_columns(repetition=pl.lit(0, pl.Int64))
    answered = people.rename({"annotator": "world_model"}).with_columns(
        repetition=pl.lit(0, pl.Int64), reason=pl.lit(None, pl.String)
    )
    names = {"world_model": "model", "world_source": "variant"}
    both = pl.concat([rows, answered.select(rows.columns)]).rename(names)
    pooled, _ = with_pooled_annotators(both)
    return pooled.rename({new: old for old, new in names.items()})


def compare_world_models(
    evaluation: pl.DataFrame,
    world_source: str,
    references: Collection[str],
    people: pl.DataFrame | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Tables ``world_accuracies`` and ``world_comparisons`` of one source; clusters are recordings.

    ``people`` are rows of ``world_human_evaluation``; they have no place. Models are compared as
    :func:`compare_models` does, under each condition of each task.
    """
    people = WorldHumanEvaluation.empty() if people is None else people
    together = with_annotators(evaluation, people)
    pooled = set(together["world_model"]) - set(evaluation["world_model"])
    scored = together.filter(pl.col("answer_status") != "missing")
    as_answers = scored.select(
        "question_id",
        "length",
        variant="world_source",
        model="world_model",
        kind=pl.concat_str("task", "condition", separator=_JOINT),
        demonstration="recording",
        repetition="repetition",
        n_steps=pl.lit(1, pl.Int64),
        is_accepted="is_correct",
        pairwise_accuracy=pl.col("is_correct").cast(pl.Float64),
    )
    accuracies, pairs = compare_models(as_answers, world_source, references=[*references, *pooled])
    counts = _counts(together)
    keys = ["task", "condition", "length", "world_model"]
    found = _split(accuracies).rename({"model": "world_model"}).drop("n_scored")
    joined = counts.join(found, on=keys, how="left", nulls_equal=True)
    low, high = exact_interval(joined["n_correct"], joined["n_scored"])
    accuracy = pl.col("n_correct") / pl.col("n_scored")
    rows = joined.with_columns(
        pl.lit(world_source).alias("world_source"),
        pl.col("world_model").is_in(list(references)).alias("is_reference"),
        pl.col("n_demonstrations").fill_null(0).alias("n_recordings"),
        pl.when(pl.col("n_scored") > 0).then(accuracy).alias("accuracy"),
        low.alias("exact_low"),
        high.alias("exact_high"),
    )
    compared = _split(pairs).with_columns(
        pl.lit(world_source).alias("world_source"), n_recordings="n_demonstrations"
    )
    return (
        WorldAccuracies.arranged(rows.select(list(WorldAccuracies.schema()))),
        WorldComparisons.arranged(compared.select(list(WorldComparisons.schema()))),
    )


def exact_interval(n_correct: pl.Series, n_scored: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Exact binomial 95 % intervals (Clopper and Pearson); null without scores."""
    from scipy.stats import beta

    k, n = n_correct.cast(pl.Float64).to_numpy(), n_scored.cast(pl.Float64).to_numpy()
    tail = (1.0 - CONFIDENCE) / 2
    low = pl.Series(beta.ppf(tail, k, n - k + 1), dtype=pl.Float64)
    high = pl.Series(beta.ppf(1.0 - tail, k + 1, n - k), dtype=pl.Float64)
    has_scores = n_scored > 0
    # At no and at all right answers one end is that of the range, which the quantiles leave out.
    low = pl.select(pl.when(n_correct > 0).then(low).otherwise(0.0)).to_series()
    high = pl.select(pl.when(n_correct < n_scored).then(high).otherwise(1.0)).to_series()
    none = pl.lit(None, pl.Float64)
    both = (
        pl.select(pl.when(has_scores).then(end).otherwise(none)).to_series() for end in (low, high)
    )
    first, second = both
    return first, second


def _counts(evaluation: pl.DataFrame) -> pl.DataFrame:
    """Numbers of answers by task, condition, length (null: all) and model."""
    by = ["task", "condition", "world_model"]
    numbers = {
        "n_scored": pl.col("is_correct").count().cast(pl.Int64),
        "n_missing": pl.col("is_correct").null_count().cast(pl.Int64),
        "n_correct": pl.col("is_correct").sum().cast(pl.Int64),
    }
    each = evaluation.group_by(*by, "length").agg(**numbers)
    every = evaluation.group_by(by).agg(**numbers)
    every = every.with_columns(length=pl.lit(None, pl.Int64)).select(each.columns)
    return pl.concat([each, every])


def _split(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows about accuracy, with task and condition for their kind."""
    kind = pl.col("kind").str.split(_JOINT)
    found = rows.filter(pl.col("metric") == _METRIC)
    return found.with_columns(task=kind.list.get(0), condition=kind.list.get(1)).drop(
        "kind", "metric"
    )
