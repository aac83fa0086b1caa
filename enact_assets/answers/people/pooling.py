"""Combines annotators of one role into one model, as no annotator answers all questions."""

import polars as pl

from enact_assets.answers.people.annotator_names import ROLES, pooled_name, role_of


def with_pooled_annotators(evaluation: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Rows of ``evaluation`` with ``people (n)`` in place of each person, and the same of solvers
    and simulated annotators, who are never people; and these names.

    ``n`` counts who was assigned anything. Several answers to one question are repetitions.
    """
    names = evaluation.get_column("model").unique().sort().to_list()
    pooled: dict[str, str] = {}
    for role in ROLES:
        mine = [name for name in names if role_of(name) == role]
        pooled |= dict.fromkeys(mine, pooled_name(role, len(mine)))
    if not pooled:
        return evaluation, []
    is_annotator = pl.col("model").is_in(list(pooled))
    annotators = evaluation.filter(is_annotator).sort("model")
    together = annotators.with_columns(pl.col("model").replace(pooled)).with_columns(
        repetition=pl.int_range(pl.len(), dtype=pl.Int64).over("model", "variant", "question_id")
    )
    rest = evaluation.filter(~is_annotator)
    return pl.concat([rest, together]), sorted(set(pooled.values()))
