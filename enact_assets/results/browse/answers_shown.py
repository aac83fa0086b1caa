"""All answers to one question: verdicts, and for each step the stated and the true changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from enact_assets.answers.baselines.learned_names import TRAINED_ON
from enact_assets.answers.baselines.references import REFERENCES
from enact_assets.questions.asked.parsing import CUT, DECLINED, REFUSED
from enact_assets.questions.asked.types import type_of
from enact_assets.results.published import Ask
from enact_assets.settings.world import KINDS

RIGHT, WRONG, UNPARSED, MISSING = "right", "wrong", "unparsed", "missing"
OUTCOMES = (WRONG, RIGHT, UNPARSED, MISSING)
"""Outcomes of answers. Each answer has exactly one."""
OUTCOME_SQL = (
    f"case when answer_status = 'missing' then '{MISSING}' "
    f"when answer_status = 'unparsed' then '{UNPARSED}' "
    f"when is_accepted then '{RIGHT}' else '{WRONG}' end"
)
"""The outcome of a row of ``evaluation``, in SQL."""
UNREAD = (REFUSED, DECLINED, CUT)
"""Reasons that are counted apart. Such answers are unparsed, too."""
FILTERS = (WRONG, RIGHT, UNPARSED, *UNREAD, MISSING)
"""By what answers can be chosen: outcomes, and reasons of unparsed ones."""
FILTER_SQL: Mapping[str, str] = {
    **{outcome: f"{OUTCOME_SQL} = '{outcome}'" for outcome in OUTCOMES},
    **{reason: f"answer_status = '{UNPARSED}' and reason = '{reason}'" for reason in UNREAD},
}
"""Filter -> condition on a row of ``evaluation``."""


@dataclass(frozen=True)
class Error:
    """A component that the answer misses, makes up or confuses with another one.

    ``kind`` is an outcome of ``compared_components``; ``happened`` or ``said`` may be None.
    """

    kind: str
    happened: str | None
    said: str | None

    @property
    def text(self) -> str:
        """The error as text."""
        if self.said is None:
            return f"missing: {self.happened}"
        if self.happened is None:
            return f"made up: {self.said}"
        return f"{self.said} instead of {self.happened}"


@dataclass(frozen=True)
class AnsweredStep:
    """One step of an answer: its label and, if it could be compared, all components.

    ``is_passed`` is None where the answer could not be compared.
    """

    number: int
    label: int
    is_passed: bool | None
    happened: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    errors: tuple[Error, ...] = ()


@dataclass(frozen=True)
class Answer:
    """One answer; ``order`` is None if no order could be read from ``words``, which is None if
    the model never answered.
    """

    model: str
    repetition: int
    outcome: str
    verdict: str
    order: tuple[int, ...] | None
    words: str | None
    error: str | None
    stop: str | None
    served_model: str | None
    n_steps: int
    n_steps_passed: int | None
    steps: tuple[AnsweredStep, ...]
    trained_on: str | None = None
    """Training data of a trained reference."""
    is_reference: bool = False

    @property
    def name(self) -> str:
        """The model, and the number of its answer if it is not the first."""
        return f"{self.model} #{self.repetition + 1}" if self.repetition else self.model


def read_answers(ask: Ask, question: Mapping[str, Any]) -> tuple[Answer, ...]:
    """Answers to ``question``, a row of ``asked_questions``: the best first, then by model.

    Errors: :class:`WarehouseError`.
    """
    where = {"id": question["question_id"], "variant": question["variant"]}
    rows = ask(
        f"""
        select evaluation.*, {OUTCOME_SQL} as outcome,
            predictions.raw_answer, predictions.error, predictions.stop, predictions.served_model
        from evaluation
        left join predictions using (model, variant, question_id, repetition)
        where evaluation.variant = $variant and evaluation.question_id = $id
        order by n_steps_passed desc nulls last, model, repetition
        """,  # noqa: S608 - our own words
        where,
    )
    components = ask(
        """
        select steps.model, steps.repetition, steps.step, steps.is_passed, parts.components
        from compared_steps as steps
        left join (
            select model, repetition, step,
                list({outcome: outcome, reference: reference, predicted: predicted} order by place)
                    as components
            from compared_components
            where variant = $variant and question_id = $id
            group by all
        ) as parts using (model, repetition, step)
        where steps.variant = $variant and steps.question_id = $id
        """,
        where,
    )
    compared = {
        (row["model"], row["repetition"], row["step"]): row
        for row in components.iter_rows(named=True)
    }
    return tuple(_answer(row, question, compared) for row in rows.iter_rows(named=True))


def alike(answers: Sequence[Answer]) -> tuple[tuple[Answer, ...], ...]:
    """Answers grouped by their order, as their steps are equal; groups are sorted by their first
    answer.

    An answer without an order forms its own group.
    """
    groups: dict[object, list[Answer]] = {}
    for answer in answers:
        groups.setdefault(answer.order or (answer.model, answer.repetition), []).append(answer)
    return tuple(map(tuple, groups.values()))


def _answer(
    row: Mapping[str, Any],
    question: Mapping[str, Any],
    compared: Mapping[tuple[str, int, int], Mapping[str, Any]],
) -> Answer:
    order = None if row["answer"] is None else tuple(row["answer"])
    steps = (
        _step(k, label, compared.get((row["model"], row["repetition"], k)))
        for k, label in enumerate(order or (), start=1)
        if question["kind"] not in KINDS
    )
    return Answer(
        model=row["model"],
        trained_on=TRAINED_ON.get(row["model"]),
        is_reference=row["model"] in REFERENCES,
        repetition=row["repetition"],
        outcome=row["outcome"],
        verdict=type_of(question).feedback(row),
        order=order,
        words=row["raw_answer"],
        error=row["error"],
        stop=row["stop"],
        served_model=row["served_model"],
        n_steps=row["n_steps"],
        n_steps_passed=row["n_steps_passed"],
        steps=tuple(steps),
    )


def _step(number: int, label: int, row: Mapping[str, Any] | None) -> AnsweredStep:
    if row is None:
        return AnsweredStep(number, label, None)
    components = row["components"] or ()
    return AnsweredStep(
        number,
        label,
        row["is_passed"],
        happened=tuple(c["reference"] for c in components if c["reference"] is not None),
        said=tuple(c["predicted"] for c in components if c["predicted"] is not None),
        errors=tuple(
            Error(c["outcome"], c["reference"], c["predicted"])
            for c in components
            if c["outcome"] != "matched"
        ),
    )
