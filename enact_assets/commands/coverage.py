"""The questions that published leaderboards cover, and missing answers."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from enact_assets.engine.plurals import counted, named
from enact_assets.results.published import query

NO_REASON = "no reason is known"
SHOWN = 3
"""Most models and variants with missing answers that are named."""


@dataclass(frozen=True)
class Gap:
    """Number of missing answers of a model under a variant, and the most common reason."""

    model: str
    variant: str
    n_missing: int
    n_asked: int
    reason: str


def coverage(warehouse: Path, variant: str) -> str:
    """One or two sentences about the questions of the leaderboard of ``variant``.

    Errors: :class:`WarehouseError` if the published file cannot be read.
    """
    asked = query(
        warehouse,
        "select count(*) as questions, count(distinct demonstration) as demonstrations "
        "from asked_questions where variant = $variant",
        {"variant": variant},
    ).row(0, named=True)
    said = (
        f"{counted(asked['questions'], 'question')} about "
        f"{counted(asked['demonstrations'], 'demonstration')}"
    )
    gaps = gaps_of([*published_gaps(warehouse), *absent_gaps(warehouse)], {"variant": [variant]})
    if not gaps:
        return f"{said}; no answer is missing."
    lacking = [f"{g.model} lacks {g.n_missing:,} of {g.n_asked:,}" for g in gaps]
    return f"{said}. Answers are missing: {named(lacking, SHOWN, 'model')}."


def published_gaps(warehouse: Path) -> list[Gap]:
    """Missing answers of every model and variant in the published file, the most first."""
    rows = query(
        warehouse,
        """
        select
            model, variant, count(*) filter (raw_answer is null) as n_missing,
            count(*) as n_asked, coalesce(mode(error), $unknown) as reason
        from predictions
        group by all having n_missing > 0
        order by n_missing desc, model, variant
        """,
        {"unknown": NO_REASON},
    )
    return [Gap(*row) for row in rows.iter_rows()]


def absent_gaps(warehouse: Path) -> list[Gap]:
    """Models and variants that should have been asked but have no published answer: asking failed,
    or none of the answered questions exists any more.
    """
    rows = query(
        warehouse,
        """
        select model, variant, sum(n_questions)::bigint as n, n, $unknown
        from absent_evaluations anti join predictions using (model, variant)
        where length is null
        group by all order by all
        """,
        {"unknown": NO_REASON},
    )
    return [Gap(*row) for row in rows.iter_rows()]


def gaps_of(gaps: Iterable[Gap], only: Mapping[str, Collection[str]]) -> list[Gap]:
    """Only the models and variants in ``only``."""
    return [
        gap
        for gap in gaps
        if gap.model in only.get("model", [gap.model])
        and gap.variant in only.get("variant", [gap.variant])
    ]
