"""Accuracies over many questions, always beside how many answers they rest on."""

from collections.abc import Sequence

import polars as pl

from enact_assets.questions.asked.parsing import CUT, DECLINED, REFUSED, WRONG_LENGTH

STRATA = ("model", "variant", "kind", "length")


def expected_pairwise() -> pl.Expr:
    """Of questions of any lengths, what a random order scores: right steps over all steps, as
    ``pairwise_accuracy`` of :func:`summarize` is.
    """
    steps = pl.col("length") - 1
    return (pl.col("expected_pairwise_accuracy") * steps).sum() / steps.sum()


def summarize(evaluation: pl.DataFrame, by: Sequence[str] = STRATA) -> pl.DataFrame:
    """One row per group of ``by`` from rows of ``evaluation``, in the order of ``by``.

    ``n_questions`` counts questions, all other numbers answers: of several repetitions each counts,
    in the accuracies too. ``n_refused``, ``n_declined`` and ``n_cut`` are parts of ``n_unparsed``.
    ``task_accuracy``: share of accepted answers. ``pairwise_accuracy``: passed steps over all steps
    (paper 2.3 and A.3.2, micro-average); ``pairwise_accuracy_by_question``: mean over answers of
    the share of their steps that pass. Within one length the two are equal. Rows without scores are
    in no denominator: missing answers, and under profile ``release`` unparsed ones. A group without
    a scored answer has null, not 0. Answers that no replay verifies are in no pairwise accuracy.
    ``n_read_otherwise`` answers have other labels as the release reads them; the accuracies
    ``..._as_release`` are those of that reading.
    """
    status, reason = pl.col("answer_status"), pl.col("reason")
    scored = pl.col("is_accepted").is_not_null()
    n_steps = pl.col("n_steps").filter(pl.col("pairwise_accuracy").is_not_null()).sum()
    return (
        evaluation.group_by(list(by))
        .agg(
            n_questions=pl.col("question_id").n_unique(),
            n_answers=pl.len(),
            n_parsed=(status == "parsed").sum(),
            n_wrong_length=((status == "parsed") & (reason == WRONG_LENGTH)).sum(),
            n_unparsed=(status == "unparsed").sum(),
            n_refused=((status == "unparsed") & (reason == REFUSED)).sum(),
            n_declined=((status == "unparsed") & (reason == DECLINED)).sum(),
            n_cut=((status == "unparsed") & (reason == CUT)).sum(),
            n_missing=(status == "missing").sum(),
            n_read_otherwise=pl.col("answer").ne_missing(pl.col("release_answer")).sum(),
            n_scored=scored.sum(),
            n_exact=pl.col("is_exact").sum(),
            task_accuracy=pl.col("is_accepted").cast(pl.Float64).mean(),
            pairwise_accuracy=pl.when(n_steps > 0).then(
                (pl.col("pairwise_accuracy") * pl.col("n_steps")).sum() / n_steps
            ),
            pairwise_accuracy_by_question=pl.col("pairwise_accuracy").mean(),
            task_accuracy_as_release=pl.col("is_accepted_as_release").cast(pl.Float64).mean(),
            pairwise_accuracy_as_release=pl.when(n_steps > 0).then(
                (pl.col("pairwise_accuracy_as_release") * pl.col("n_steps")).sum() / n_steps
            ),
        )
        .sort(list(by))
    )
