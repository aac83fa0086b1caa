"""Loads questions and assignments of a plan into the database; answers stay."""

import json
from collections.abc import Sequence

from enact_assets.answers.people.content import ShownQuestion
from enact_assets.answers.people.database import Run
from enact_assets.answers.people.plans import Assigned
from enact_assets.answers.people.store import (
    Store,
    add_assignment,
    begin_with_practice,
    next_position,
    shuffled,
)

_ADD = """
    insert into people_questions values (
        :version, :question_id, :variant, :type, :kind, :length, :demonstration, :is_practice, 1,
        :turn, :wanted, :shown_sha, :content, :media
    )
    on conflict (version) do update set is_current = 1,
        turn = excluded.turn, wanted = excluded.wanted, content = excluded.content
"""
"""An asked question never becomes practice, as its answers would no longer count."""


def load_plan(store: Store, plan: Assigned, variant: str) -> int:
    """Make ``plan`` the one of ``variant``; returns how many assignments of an earlier one were
    withdrawn: those without an answer, of questions that the plan has no more.

    The same plan again changes nothing. A plan without practice leaves that of the one before. A
    question with changed content is a new question: earlier answers belong to the earlier content,
    and an open page keeps its own.
    Errors: :class:`PeopleError`; nothing changes then.
    """

    def load(run: Run) -> int:
        run(
            """
            update people_questions set is_current = 0, wanted = 0
            where variant = :variant and (is_practice = 0 or :has_practice = 1)
            """,
            variant=variant,
            has_practice=int(bool(plan.practice)),
        )
        _add(run, plan.practice, is_practice=True)
        # Each once: what all answer would be written again for every annotator.
        _add(run, tuple({q.version: q for qs in plan.of_annotator.values() for q in qs}.values()))
        _add(run, plan.pool, wanted=plan.k)
        for annotator, questions in plan.of_annotator.items():
            begin_with_practice(run, annotator, variant)
            _assign(run, annotator, questions)
        outdated = """
            is_withdrawn = 0 and not exists (
                select 1 from people_answers w where w.assignment = people_assignments.id
            ) and version in (
                select version from people_questions where variant = :variant and is_current = 0
            )
        """
        n = run(
            f"select count(*) as n from people_assignments where {outdated}",  # noqa: S608
            variant=variant,
        )[0]["n"]
        run(
            f"update people_assignments set is_withdrawn = 1 where {outdated}",  # noqa: S608
            variant=variant,
        )
        return int(n)

    return store.database.write(load, is_alone=True)


def _add(
    run: Run, questions: Sequence[ShownQuestion], *, is_practice: bool = False, wanted: int = 0
) -> None:
    for turn, question in enumerate(questions):
        run(
            _ADD,
            version=question.version,
            question_id=question.question_id,
            variant=question.variant,
            type=question.type,
            kind=question.kind,
            length=question.length,
            demonstration=question.demonstration,
            is_practice=int(is_practice),
            turn=turn,
            wanted=wanted,
            shown_sha=question.shown_sha,
            content=json.dumps(question.content),
            media=json.dumps(question.media),
        )
        run(
            """
            insert into people_keys values (:version, :key)
            on conflict (version) do update set key = excluded.key
            """,
            version=question.version,
            key=json.dumps(question.accepted),
        )
        if question.reasons:
            run(
                """
                insert into people_reasons values (:version, :reasons)
                on conflict (version) do update set reasons = excluded.reasons
                """,
                version=question.version,
                reasons=json.dumps(question.reasons),
            )


def _assign(run: Run, annotator: str, questions: Sequence[ShownQuestion]) -> None:
    held = run("select version from people_assignments where annotator = :a", a=annotator)
    known, first = {row["version"] for row in held}, next_position(run, annotator)
    new = [question for question in questions if question.version not in known]
    for position, question in enumerate(new, start=first):
        content = json.dumps(question.content)
        add_assignment(run, annotator, question.version, position, shuffled(content))
    for version in known & {question.version for question in questions}:
        run(  # an earlier plan may have withdrawn it
            "update people_assignments set is_withdrawn = 0 where annotator = :a and version = :v",
            a=annotator,
            v=version,
        )
