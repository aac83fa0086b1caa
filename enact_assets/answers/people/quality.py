"""Quality of questions from answers: how many people solved them, how long it took, why they could
not decide.
"""

import polars as pl

from enact_assets.answers.people.annotator_names import role_of
from enact_assets.answers.people.tables import QuestionQuality

_KEY = ("variant", "role", "question_id")


def verified_answers(evaluation: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    """Answers of annotators, as :func:`annotator_agreement.agreement` wants them.

    ``evaluation`` are rows of any models under one variant, ``questions`` those of
    ``asked_questions``. "Cannot tell" has no answer; missing answers have no row.
    """
    reference = questions.select("question_id", reference="answer")
    found = _of_annotators(evaluation).filter(pl.col("answer_status") != "missing")
    rows = found.join(reference, on="question_id").with_columns(annotator="model")
    is_accepted = pl.col("is_accepted").fill_null(value=False)
    as_accepted = pl.when(is_accepted).then("reference").otherwise("answer")
    named = ("role", "annotator", "question_id", "demonstration", "kind", "length", "answer")
    return rows.select(*named, as_accepted=as_accepted)


def question_quality(answers: pl.DataFrame, evaluation: pl.DataFrame) -> pl.DataFrame:
    """The table ``question_quality`` from rows of ``human_answers`` and of ``evaluation``, both
    under one variant. Only answers to what is asked now count.
    """
    said = answers.filter("is_last").select(
        "question_id", "comment", "active_s", "position", model="annotator", said="reason"
    )
    last = said.sort("position").unique(["model", "question_id"], keep="last", maintain_order=True)
    first = answers.group_by("question_id", model="annotator").agg(pl.col("received_at").min())
    rows = (
        _of_annotators(evaluation)
        .join(last, on=["model", "question_id"], how="left")
        .join(first, on=["model", "question_id"], how="left")
        .sort("received_at", "model", nulls_last=True)
    )
    is_answered = pl.col("answer_status") != "missing"
    is_solved = is_answered & pl.col("is_accepted").fill_null(value=False)
    is_cannot = pl.col("answer_status") == "unparsed"
    n_answered, n_solved, n_cannot = (
        pl.col(name) for name in ("n_answered", "n_solved", "n_cannot_tell")
    )
    verdict = (
        pl.when(is_solved)
        .then(pl.lit("solved"))
        .when(is_cannot)
        .then(pl.lit("cannot_tell"))
        .otherwise(pl.lit("wrong"))
    )
    found = rows.group_by(*_KEY, "demonstration", "kind", "length", maintain_order=True).agg(
        n_assigned=pl.len().cast(pl.Int64),
        n_answered=is_answered.sum().cast(pl.Int64),
        n_solved=is_solved.sum().cast(pl.Int64),
        n_cannot_tell=is_cannot.sum().cast(pl.Int64),
        reasons=pl.col("said").filter(is_cannot).drop_nulls().unique().sort(),
        comments=pl.col("comment").filter(is_answered, pl.col("comment") != "").sort(),
        median_active_s=pl.col("active_s").filter(is_answered).median(),
        verdicts=verdict.filter(is_answered),
        n_orders=pl.col("answer").filter(is_answered & ~is_cannot).n_unique(),
    )
    outcome = (
        pl.when(n_solved == n_answered)
        .then(pl.lit("solved"))
        .when(n_cannot == n_answered)
        .then(pl.lit("cannot_tell"))
        .when((n_solved == 0) & (pl.col("n_orders") == 1) & (n_answered - n_cannot > 1))
        .then(pl.lit("same_wrong"))
        .when(n_solved == 0)
        .then(pl.lit("all_wrong"))
        .when(n_solved == n_answered - 1)
        .then(pl.lit("one_wrong"))
        .otherwise(pl.lit("some_wrong"))
    )
    answered = found.filter(n_answered > 0).with_columns(outcome=outcome).drop("n_orders")
    return QuestionQuality.arranged(answered)


def _of_annotators(evaluation: pl.DataFrame) -> pl.DataFrame:
    names = evaluation.get_column("model").unique().to_list()
    roles = {name: role for name in names if (role := role_of(name)) is not None}
    mine = evaluation.filter(pl.col("model").is_in(list(roles)))
    return mine.with_columns(
        role=pl.col("model").replace_strict(roles, default=None, return_dtype=pl.String)
    )
