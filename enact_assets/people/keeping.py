"""Questions that people could solve: the filter ``keep`` of a question set."""

import polars as pl

from enact_assets.contracts.settings import QuestionSetSettings
from enact_assets.people.annotator_names import PERSON
from enact_assets.people.people_tables import KeptQuestions


def kept_questions(
    chosen: pl.DataFrame, quality: pl.DataFrame, question_set: QuestionSetSettings
) -> pl.DataFrame:
    """The table ``kept_questions``: of the questions ``chosen`` for the set, and what persons made
    of them. Empty for a set without ``keep``. ``quality`` are rows of ``question_quality``.
    """
    if question_set.kept_if is None:
        return KeptQuestions.empty()
    k, n = question_set.kept_if
    said = quality.filter(role=PERSON).select("question_id", "verdicts")
    verdicts = pl.col("verdicts").fill_null([])
    first, later = verdicts.list.head(n), verdicts.list.slice(n)
    n_solved = first.list.count_matches("solved").cast(pl.Int64)
    rows = chosen.filter("in_question_set").join(said, on="question_id", how="left")
    return KeptQuestions.arranged(
        rows.select(
            *("question_set", "question_id", "demonstration", "kind", "length"),
            n_solved=n_solved,
            n_deciding=first.list.len().cast(pl.Int64),
            is_kept=pl.when(first.list.len() == n).then(n_solved >= k),
            n_later=later.list.len().cast(pl.Int64),
            n_later_solved=later.list.count_matches("solved").cast(pl.Int64),
        )
    )
