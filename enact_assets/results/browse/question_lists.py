"""Lists of questions by variant, activity, kind, length and outcomes of answers, and what comes
before and after a question in such a list.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from enact_assets.answers.baselines.references import REFERENCES
from enact_assets.results.browse.answers_shown import FILTER_SQL, FILTERS, OUTCOME_SQL, RIGHT
from enact_assets.results.published import Ask
from enact_assets.settings.registry import BASELINE

PAGE_ROWS = 50
_ORDER = "length, kind, demonstration, place, question_id"
"""SQL: the order of lists."""


@dataclass(frozen=True)
class Wanted:
    """Which questions to list; None means all. ``model`` and ``outcome`` select questions with an
    answer of this model (None: any) with this outcome, one of ``FILTERS`` (None: any); ``other``
    and ``other_outcome`` ask the same of a second model. Without references "any" leaves them out.
    """

    variant: str = BASELINE
    activity: str | None = None
    demonstration: str | None = None
    kind: str | None = None
    length: int | None = None
    model: str | None = None
    outcome: str | None = None
    other: str | None = None
    other_outcome: str | None = None
    has_references: bool = True


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

    @property
    def references(self) -> tuple[str, ...]:
        """The references among ``wrong``."""
        return tuple(name for name in self.wrong if name in REFERENCES)


@dataclass(frozen=True)
class QuestionPage:
    """Page ``number``, from 1, of ``n_pages``; ``n_questions`` are on all pages."""

    rows: tuple[Listed, ...]
    number: int
    n_pages: int
    n_questions: int


@dataclass(frozen=True)
class InList:
    """A question's place in a list, from 1, and the questions before and after it."""

    number: int
    n_questions: int
    previous: str | None
    next: str | None

    @property
    def page(self) -> int:
        """The page of the list that it is on."""
        return -(-self.number // PAGE_ROWS)


@dataclass(frozen=True)
class Choices:
    """The values to choose from, each list sorted, for the questions of ``variant``."""

    variants: tuple[str, ...]
    activities: tuple[str, ...]
    demonstrations: tuple[str, ...]
    kinds: tuple[str, ...]
    lengths: tuple[int, ...]
    models: tuple[str, ...]

    @property
    def ranked(self) -> tuple[str, ...]:
        """Models that are no references."""
        return tuple(name for name in self.models if name not in REFERENCES)

    @property
    def references(self) -> tuple[str, ...]:
        """Reference baselines among the models."""
        return tuple(name for name in self.models if name in REFERENCES)


def unknown(wanted: Wanted, there: Choices) -> list[str]:
    """Filters without matches in ``there``, each as field and value."""
    known: dict[str, tuple[object, ...]] = {
        "activity": there.activities,
        "demonstration": there.demonstrations,
        "kind": there.kinds,
        "length": there.lengths,
        "model": there.models,
        "outcome": FILTERS,
        "other": there.models,
        "other_outcome": FILTERS,
    }
    found = ((name, getattr(wanted, name)) for name in known)
    return [
        f"{n.replace('_', ' ')} {value}"
        for n, value in found
        if value is not None and value not in known[n]
    ]


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
    chosen, values = _chosen(wanted)
    n_questions = ask(f"select count(*) {chosen}", values).item()
    n_pages = max(1, -(-n_questions // rows))
    number = min(max(number, 1), n_pages)
    without, besides = _without_references(wanted)
    found = ask(
        f"""
        with listed as (
            select question_id, demonstration, activity, kind, length, place
            {chosen}
            order by {_ORDER}
            limit {rows} offset {(number - 1) * rows}
        ),

        answered as (
            select question_id, count(distinct model) as n_models,
                list(distinct model order by model) filter ({OUTCOME_SQL} <> '{RIGHT}') as wrong
            from evaluation
            where variant = $variant and question_id in (select question_id from listed)
                {without}
            group by question_id
        )

        select listed.* exclude (place), coalesce(wrong, []) as wrong,
            coalesce(n_models, 0) as n_models
        from listed left join answered using (question_id)
        order by {_ORDER}
        """,  # noqa: S608 - our own words; values are parameters
        values | besides,
    )
    listed = (
        Listed(
            **{**row, "activity": row["activity"] or "", "wrong": _references_last(row["wrong"])}
        )
        for row in found.iter_rows(named=True)
    )
    return QuestionPage(tuple(listed), number, n_pages, n_questions)


def place_in_list(ask: Ask, wanted: Wanted, question_id: str) -> InList | None:
    """Where :func:`list_questions` has a question; None if it does not.

    Errors: :class:`WarehouseError`.
    """
    chosen, values = _chosen(wanted)
    rows = ask(
        f"""
        with listed as (
            select question_id, row_number() over ordered as number,
                count(*) over () as n_questions,
                lag(question_id) over ordered as previous,
                lead(question_id) over ordered as next
            {chosen}
            window ordered as (order by {_ORDER})
        )

        select * exclude (question_id) from listed where question_id = $id
        """,  # noqa: S608 - our own words; values are parameters
        values | {"id": question_id},
    )
    return None if rows.is_empty() else InList(**rows.row(0, named=True))


def _chosen(wanted: Wanted) -> tuple[str, dict[str, Any]]:
    """SQL from ``from`` to ``where`` that chooses the questions, and its parameters."""
    conditions = ["asked.variant = $variant"]
    values: dict[str, Any] = {"variant": wanted.variant}
    for name in ("activity", "demonstration", "kind", "length"):
        value = getattr(wanted, name)
        if value is not None:
            conditions.append(f"{name} = ${name}")
            values[name] = value
    for model, outcome in (("model", "outcome"), ("other", "other_outcome")):
        answered = _answered(wanted, model, outcome, values)
        if answered:
            conditions.append(
                "question_id in (select question_id from evaluation where variant = $variant and "  # noqa: S608 - our own words
                f"{answered})"
            )
    chosen = (
        "from asked_questions as asked left join demonstrations using (demonstration) "
        f"where {' and '.join(conditions)}"
    )
    return chosen, values


def _answered(wanted: Wanted, model: str, outcome: str, values: dict[str, Any]) -> str:
    """The condition on answers that two fields of ``wanted`` name; empty if they name none."""
    name, wished = getattr(wanted, model), getattr(wanted, outcome)
    conditions = []
    if name is not None:
        conditions.append(f"model = ${model}")
        values[model] = name
    if wished is not None:
        conditions.append(FILTER_SQL.get(wished, "false"))
        if name is None and not wanted.has_references:
            conditions.append(_NO_REFERENCE)
            values["references"] = list(REFERENCES)
    return " and ".join(conditions)


def _references_last(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda name: (name in REFERENCES, name)))


_NO_REFERENCE = "not list_contains($references, model)"


def _without_references(wanted: Wanted) -> tuple[str, dict[str, Any]]:
    """The condition that leaves out answers of references, and its parameters."""
    if wanted.has_references:
        return "", {}
    return f"and {_NO_REFERENCE}", {"references": list(REFERENCES)}
