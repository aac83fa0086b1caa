"""Lists of questions: by variant, activity, kind, length and outcome of answers."""

from dataclasses import dataclass
from typing import Any

from enact_assets.results.browse.answers_shown import OUTCOME_SQL, OUTCOMES, RIGHT
from enact_assets.results.published import Ask
from enact_assets.settings.registry import BASELINE

PAGE_ROWS = 50


@dataclass(frozen=True)
class Wanted:
    """Which questions to list; None means all. ``model`` and ``outcome`` select questions with an
    answer of this model (None: any) with this outcome: right, wrong, unparsed or missing (None:
    any).
    """

    variant: str = BASELINE
    activity: str | None = None
    demonstration: str | None = None
    kind: str | None = None
    length: int | None = None
    model: str | None = None
    outcome: str | None = None


@dataclass(frozen=True)
class Listed:
    """One question of a list; ``wrong`` are models whose answer is not right, among ``n_models``
    asked.
    """

    question_id: str
    demonstration: str
    activity: str
    kind: str
    length: int
    wrong: tuple[str, ...]
    n_models: int


@dataclass(frozen=True)
class QuestionPage:
    """Page ``number``, from 1, of ``n_pages``; ``n_questions`` are on all pages."""

    rows: tuple[Listed, ...]
    number: int
    n_pages: int
    n_questions: int


@dataclass(frozen=True)
class Choices:
    """The values to choose from, each list sorted, for the questions of ``variant``."""

    variants: tuple[str, ...]
    activities: tuple[str, ...]
    demonstrations: tuple[str, ...]
    kinds: tuple[str, ...]
    lengths: tuple[int, ...]
    models: tuple[str, ...]


def unknown(wanted: Wanted, there: Choices) -> list[str]:
    """Filters without matches in ``there``, each as field and value."""
    known: dict[str, tuple[object, ...]] = {
        "activity": there.activities,
        "demonstration": there.demonstrations,
        "kind": there.kinds,
        "length": there.lengths,
        "model": there.models,
        "outcome": OUTCOMES,
    }
    found = ((name, getattr(wanted, name)) for name in known)
    return [f"{n} {value}" for n, value in found if value is not None and value not in known[n]]


def choices(ask: Ask, variant: str) -> Choices:
    """Names by which a list of questions can be filtered. Errors: :class:`WarehouseError`."""
    row = ask(
        """
        with asked as (
            select asked.*, activity
            from asked_questions as asked left join demonstrations using (demonstration)
            where variant = $variant
        )
        select
            (
                select list(distinct variant order by variant <> $baseline, variant)
                from asked_questions
            ) as variants,
            list(distinct activity order by activity) as activities,
            list(distinct demonstration order by demonstration) as demonstrations,
            list(distinct kind order by kind) as kinds,
            list(distinct length order by length) as lengths,
            (
                select list(distinct model order by model)
                from evaluation where variant = $variant
            ) as models
        from asked
        """,
        {"variant": variant, "baseline": BASELINE},
    ).row(0, named=True)
    return Choices(**{name: tuple(found or ()) for name, found in row.items()})


def list_questions(
    ask: Ask, wanted: Wanted, number: int = 1, rows: int = PAGE_ROWS
) -> QuestionPage:
    """Page ``number`` of the questions, short ones first; the last page if there are fewer.

    Errors: :class:`WarehouseError`.
    """
    conditions = ["asked.variant = $variant"]
    values: dict[str, Any] = {"variant": wanted.variant}
    for name in ("activity", "demonstration", "kind", "length"):
        value = getattr(wanted, name)
        if value is not None:
            conditions.append(f"{name} = ${name}")
            values[name] = value
    answered = ["variant = $variant"]
    for name, column in (("model", "model"), ("outcome", OUTCOME_SQL)):
        value = getattr(wanted, name)
        if value is not None:
            answered.append(f"{column} = ${name}")
            values[name] = value
    if len(answered) > 1:
        conditions.append(
            f"question_id in (select question_id from evaluation where {' and '.join(answered)})"  # noqa: S608 - our own words
        )
    chosen = (
        "from asked_questions as asked left join demonstrations using (demonstration) "
        f"where {' and '.join(conditions)}"
    )
    n_questions = ask(f"select count(*) {chosen}", values).item()
    n_pages = max(1, -(-n_questions // rows))
    number = min(max(number, 1), n_pages)
    found = ask(
        f"""
        with listed as (
            select question_id, demonstration, activity, kind, length, place
            {chosen}
            order by length, kind, demonstration, place, question_id
            limit {rows} offset {(number - 1) * rows}
        ),

        answered as (
            select question_id, count(distinct model) as n_models,
                list(distinct model order by model) filter ({OUTCOME_SQL} <> '{RIGHT}') as wrong
            from evaluation
            where variant = $variant and question_id in (select question_id from listed)
            group by question_id
        )

        select listed.* exclude (place), coalesce(wrong, []) as wrong,
            coalesce(n_models, 0) as n_models
        from listed left join answered using (question_id)
        order by length, kind, demonstration, place, question_id
        """,  # noqa: S608 - our own words; values are parameters
        values,
    )
    listed = (
        Listed(**{**row, "activity": row["activity"] or "", "wrong": tuple(row["wrong"])})
        for row in found.iter_rows(named=True)
    )
    return QuestionPage(tuple(listed), number, n_pages, n_questions)
