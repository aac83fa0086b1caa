"""Filters ``keep`` and ``without`` of a question set: questions that people could solve, and
questions without ambiguities.
"""

import polars as pl

from enact_assets.answers.people.annotator_names import PERSON
from enact_assets.answers.people.tables import KeptQuestions
from enact_assets.settings.classes import QuestionSetSettings

N_DECIDING = 2
"""Persons who decide whether a question of WorldPrediction is kept."""


def kept_questions(
    chosen: pl.DataFrame,
    quality: pl.DataFrame,
    question_set: QuestionSetSettings,
    ambiguities: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """The table ``kept_questions``: of the questions ``chosen`` for the set, what persons made of
    them, and which ``ambiguities``, rows of :func:`question_ambiguities`, they have. Empty for a
    set without ``keep`` and ``without``. ``quality`` are rows of ``question_quality``.
    """
    if question_set.kept_if is None and not question_set.without:
        return KeptQuestions.empty()
    k, n = question_set.kept_if or (0, 0)
    said = quality.filter(role=PERSON).select("question_id", "verdicts")
    verdicts = pl.col("verdicts").fill_null([])
    first, later = verdicts.list.head(n), verdicts.list.slice(n)
    n_solved = first.list.count_matches("solved").cast(pl.Int64)
    is_solved = pl.when(first.list.len() == n).then(n_solved >= k)
    rows = chosen.filter("in_question_set").join(said, on="question_id", how="left")
    if ambiguities is None:
        ambiguities = pl.DataFrame(schema=_AMBIGUITIES)
    counted = ambiguities.filter(pl.col("ambiguity").is_in(list(question_set.without)))
    of_question = counted.group_by("question_id").agg(ambiguities=pl.col("ambiguity").sort())
    rows = rows.join(of_question, on="question_id", how="left")
    has_none = pl.col("ambiguities").is_null()
    return KeptQuestions.arranged(
        rows.select(
            *("question_set", "question_id", "demonstration", "kind", "length"),
            n_solved=n_solved,
            n_deciding=first.list.len().cast(pl.Int64),
            ambiguities=pl.col("ambiguities").fill_null([]),
            is_kept=has_none & is_solved,
            n_later=later.list.len().cast(pl.Int64),
            n_later_solved=later.list.count_matches("solved").cast(pl.Int64),
        )
    )


def kept_by_two(quality: pl.DataFrame) -> pl.DataFrame:
    """Rows of ``question_quality`` about questions that the first two persons solved.

    Source: WorldPrediction, section 3.
    """
    solved = pl.col("verdicts").list.head(N_DECIDING) == ["solved"] * N_DECIDING
    return quality.filter(solved, role=PERSON)


_AMBIGUITIES = {"question_id": pl.String, "ambiguity": pl.String}


def question_ambiguities(qa: pl.DataFrame, ambiguous_changes: pl.DataFrame) -> pl.DataFrame:
    """``question_id`` and ``ambiguity`` of each ambiguity that a step of the question has, once;
    both tables are of one demonstration and gating.
    """
    frames = pl.col("key_frames")
    steps = qa.select(
        "question_id",
        key_frame_from=frames.list.head(frames.list.len() - 1),
        key_frame_to=frames.list.slice(1),
    ).explode("key_frame_from", "key_frame_to")
    found = steps.join(ambiguous_changes, on=["key_frame_from", "key_frame_to"])
    return found.select(list(_AMBIGUITIES)).unique().sort(list(_AMBIGUITIES))
