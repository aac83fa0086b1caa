"""Annotators, assignments and answers: the only writer of the database.

Its tables are here, too. Answers are added and never changed.
"""

import hashlib
import json
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from enact_assets.answers.people.annotator_names import ROLES
from enact_assets.answers.people.database import Database, Row, Run
from enact_assets.engine.errors import PeopleError, UnknownNameError

LEAD = "lead"
"""Role of a person who sees progress and agreement, and does not answer."""
TOKEN_BYTES = 24
DEFAULT_QUOTA = 100
LEASE_S = 24 * 3600.0
BATCH = 10
"""Questions that an annotator draws at once."""

_SHOWN = """
    select s.id, s.annotator, s.position, s.shuffle, s.shown_at, s.leased_until, s.is_withdrawn,
        q.version, q.question_id, q.variant, q.type, q.kind, q.length, q.demonstration,
        q.is_practice, q.content, q.media,
        w.revision, w.answer, w.reason, w.comment, w.active_ms, w.received_at
    from people_assignments s
    join people_questions q on q.version = s.version
    left join people_answers w on w.assignment = s.id and w.revision = (
        select max(revision) from people_answers where assignment = s.id
    )
"""
"""Assignments with what is shown and the last answer; never a key."""
_ANSWERED = "exists (select 1 from people_answers w where w.assignment = s.id)"
_OPEN = f"s.is_withdrawn = 0 and not {_ANSWERED} and coalesce(s.leased_until, 1e18) > :now"
"""An assignment that is to be answered."""

STATEMENTS = (
    # `token_sha`: the link identifies the annotator; the link itself is not stored.
    """
    create table if not exists people_annotators (
        id text primary key, label text not null, role text not null,
        token_sha text not null unique, quota integer not null
    )
    """,
    # `version`: hash of what is shown, so that a question that changed is another one.
    # `wanted`: how many annotators of a role should draw it; 0: it is only assigned by a plan.
    """
    create table if not exists people_questions (
        version text primary key, question_id text not null, variant text not null,
        type text not null, kind text not null, length integer not null,
        demonstration text not null, is_practice integer not null, is_current integer not null,
        turn integer not null, wanted integer not null, shown_sha text not null,
        content text not null, media text not null
    )
    """,
    # Separate, so that no query for a page contains a key by accident.
    """
    create table if not exists people_keys (
        version text primary key references people_questions, key text not null
    )
    """,
    # Why each option is right or wrong; only of practice.
    """
    create table if not exists people_reasons (
        version text primary key references people_questions, reasons text not null
    )
    """,
    """
    create table if not exists people_assignments (
        id text primary key, annotator text not null references people_annotators,
        version text not null references people_questions, position integer not null,
        shuffle text not null, leased_until double precision, is_withdrawn integer not null,
        shown_at double precision,
        unique (annotator, version), unique (annotator, position)
    )
    """,
    """
    create table if not exists people_answers (
        id text primary key, assignment text not null references people_assignments,
        revision integer not null, answer text, reason text, comment text not null,
        active_ms integer not null, shown_at double precision not null,
        received_at double precision not null,
        unique (assignment, revision), check ((answer is null) <> (reason is null))
    )
    """,
    "create index if not exists people_assigned on people_assignments (version)",
)


def create_tables(database: Database) -> None:
    """Create the tables that are not there. Errors: :class:`PeopleError`."""

    def create(run: Run) -> None:
        for statement in STATEMENTS:
            run(statement)

    database.write(create, is_alone=True)


@dataclass(frozen=True)
class Annotator:
    """A person with a link. ``id`` is the name of a model; ``label`` stays in the database."""

    id: str
    label: str
    role: str
    quota: int


@dataclass(frozen=True)
class Submission:
    """Answer of an annotator: an order or a choice, or a reason why they could not decide.

    ``id`` is the form's own: a form that is sent twice is one answer.
    """

    id: str
    answer: Sequence[int] | None
    reason: str | None
    comment: str
    active_ms: int


class Store:
    """The database at ``url``; its tables are made if they are not there.

    ``now`` tells the time, in seconds since 1970.
    """

    def __init__(self, url: str, now: Callable[[], float] = time.time) -> None:
        self.database, self._now = Database(url), now
        create_tables(self.database)

    def invite(self, label: str, role: str, quota: int = DEFAULT_QUOTA) -> tuple[str, str]:
        """A new annotator's id, and the token of the link, which is kept nowhere.

        Errors: :class:`UnknownNameError` for an unknown role, :class:`PeopleError`.
        """
        if role not in (*ROLES, LEAD):
            raise UnknownNameError.of("role", role, (*ROLES, LEAD))
        token = secrets.token_urlsafe(TOKEN_BYTES)

        def add(run: Run) -> str:
            found = run("select count(*) as n from people_annotators where role = :role", role=role)
            id_ = f"{role}_{found[0]['n'] + 1}"
            run(
                "insert into people_annotators values (:id, :label, :role, :sha, :quota)",
                id=id_,
                label=label,
                role=role,
                sha=_sha(token),
                quota=quota,
            )
            return id_

        return self.database.write(add, is_alone=True), token

    def new_token(self, annotator: str) -> str:
        """Another link for ``annotator``; the old one is not valid any more.

        Errors: :class:`UnknownNameError`, :class:`PeopleError`.
        """
        known = [found.id for found in self.annotators()]
        if annotator not in known:
            raise UnknownNameError.of("annotator", annotator, known)
        token, sql = secrets.token_urlsafe(TOKEN_BYTES), "token_sha = :sha where id = :id"
        self.database.write(
            lambda run: run(
                f"update people_annotators set {sql}",  # noqa: S608 - our own words
                sha=_sha(token),
                id=annotator,
            )
        )
        return token

    def annotators(self) -> list[Annotator]:
        """All of them, by role and name."""
        rows = self.database.read(
            "select id, label, role, quota from people_annotators order by role, id"
        )
        return [Annotator(**row) for row in rows]

    def annotator(self, token: str) -> Annotator | None:
        """The person whose link has ``token``; None if there is no such link."""
        rows = self.database.read(
            "select id, label, role, quota from people_annotators where token_sha = :sha",
            sha=_sha(token),
        )
        return Annotator(**rows[0]) if rows else None

    def assignment(self, annotator: str, id_: str) -> Row | None:
        """One assignment of ``annotator``: columns of ``_SHOWN``; None if there is no such one."""
        rows = self._shown("where s.annotator = :a and s.id = :id", a=annotator, id=id_)
        return rows[0] if rows else None

    def assignments(self, annotator: str) -> list[Row]:
        """All that ``annotator`` answered or is to answer, in order."""
        return self._shown(
            f"where s.annotator = :a and ({_ANSWERED} or {_OPEN}) order by s.position",
            a=annotator,
            now=self._now(),
        )

    def due(self, annotator: Annotator) -> Row | None:
        """The next question of ``annotator``, drawn from the pool if there is one; None: all done.

        Errors: :class:`PeopleError`.
        """
        found = self._next(annotator.id)
        if found is None:
            self.draw(annotator)
            found = self._next(annotator.id)
        return found

    def is_due(self, row: Row) -> bool:
        """Whether ``row`` may be seen now: it is answered, or no question before it is open."""
        if row["revision"] is not None:
            return True
        before = self.database.read(
            f"select 1 from people_assignments s where s.annotator = :a and s.position < :p "  # noqa: S608
            f"and {_OPEN}",
            a=row["annotator"],
            p=row["position"],
            now=self._now(),
        )
        return not before

    def shown(self, row: Row) -> None:
        """Remember when ``row`` was first shown."""
        if row["shown_at"] is not None:
            return
        self.database.write(
            lambda run: run(
                "update people_assignments set shown_at = coalesce(shown_at, :now) where id = :id",
                now=self._now(),
                id=row["id"],
            )
        )

    def save(self, row: Row, sent: Submission) -> None:
        """Keep an answer to ``row``; another one for the same question is a revision.

        It is durable when this returns. Errors: :class:`PeopleError`; nothing is kept then.
        """

        def add(run: Run) -> None:
            if self.database.is_postgres:  # two tabs: one revision after the other
                run("select id from people_assignments where id = :id for update", id=row["id"])
            run(
                """
                insert into people_answers
                select :id, s.id,
                    (select count(*) from people_answers where assignment = s.id),
                    :answer, :reason, :comment, :ms, coalesce(s.shown_at, :now), :now
                from people_assignments s where s.id = :assignment
                on conflict (id) do nothing
                """,
                id=sent.id,
                assignment=row["id"],
                answer=None if sent.answer is None else json.dumps(list(sent.answer)),
                reason=sent.reason,
                comment=sent.comment,
                ms=sent.active_ms,
                now=self._now(),
            )

        self.database.write(add)

    def key(self, row: Row) -> Any:
        """The right answers to ``row``, which must be practice. Errors: :class:`PeopleError`."""
        if not row["is_practice"]:
            raise PeopleError(f"{row['question_id']}: the key is read for practice only")
        sql = "select key from people_keys where version = :version"
        return json.loads(self.database.read(sql, version=row["version"])[0]["key"])

    def reasons(self, row: Row) -> list[str]:
        """Why each option of ``row``, which must be practice, is right or wrong, in the order of
        labels; empty if nothing was said. Errors: :class:`PeopleError`.
        """
        if not row["is_practice"]:
            raise PeopleError(f"{row['question_id']}: reasons are read for practice only")
        sql = "select reasons from people_reasons where version = :version"
        found = self.database.read(sql, version=row["version"])
        return list(json.loads(found[0]["reasons"])) if found else []

    def draw(self, annotator: Annotator, n: int = BATCH) -> int:
        """Lease up to ``n`` questions of the pool to ``annotator``; returns how many.

        Those that fewer annotators of the same role than wanted have answered, or hold a lease of.
        A lease that ran out counts for nothing, but an answer that comes late is kept.
        """

        def lease(run: Run) -> int:
            now = self._now()
            pooled = "select distinct variant from people_questions where is_current = 1"
            for row in run(f"{pooled} and wanted > 0 order by variant"):
                begin_with_practice(run, annotator.id, row["variant"])
            answered = run(
                f"""
                select count(*) as n from people_assignments s
                join people_questions q on q.version = s.version
                where s.annotator = :a and q.is_practice = 0 and {_ANSWERED}
                """,  # noqa: S608 - our own words
                a=annotator.id,
            )[0]["n"]
            found = run(
                f"""
                select q.version, q.content from people_questions q
                where q.is_current = 1 and q.is_practice = 0
                    and not exists (
                        select 1 from people_assignments s
                        where s.version = q.version and s.annotator = :a
                    )
                    and q.wanted > (
                        select count(*) from people_assignments s
                        join people_annotators p on p.id = s.annotator
                        where s.version = q.version and p.role = :role
                            and ({_ANSWERED} or {_OPEN})
                    )
                order by q.turn, q.version limit :n
                """,  # noqa: S608 - our own words
                a=annotator.id,
                role=annotator.role,
                now=now,
                n=max(0, min(n, annotator.quota - answered)),
            )
            for position, question in enumerate(found, start=next_position(run, annotator.id)):
                add_assignment(
                    run,
                    annotator.id,
                    question["version"],
                    position,
                    shuffled(question["content"]),
                    leased_until=now + LEASE_S,
                )
            return len(found)

        return self.database.write(lease, is_alone=True)

    def _next(self, annotator: str) -> Row | None:
        rows = self._shown(
            f"where s.annotator = :a and {_OPEN} order by s.position limit 1",
            a=annotator,
            now=self._now(),
        )
        return rows[0] if rows else None

    def _shown(self, where: str, **values: Any) -> list[Row]:
        return list(self.database.read(f"{_SHOWN} {where}", **values))


def begin_with_practice(run: Run, annotator: str, variant: str) -> None:
    """Assign the practice questions of ``variant`` to an annotator who has nothing of it yet."""
    practice = run(
        """
        select version, content from people_questions
        where variant = :v and is_practice = 1 and is_current = 1 and not exists (
            select 1 from people_assignments s join people_questions q on q.version = s.version
            where s.annotator = :a and q.variant = :v
        ) order by turn
        """,
        a=annotator,
        v=variant,
    )
    for position, question in enumerate(practice, start=next_position(run, annotator)):
        add_assignment(run, annotator, question["version"], position, shuffled(question["content"]))


def next_position(run: Run, annotator: str) -> int:
    """After all assignments of ``annotator``."""
    sql = "select coalesce(max(position) + 1, 0) as n from people_assignments where annotator = :a"
    return int(run(sql, a=annotator)[0]["n"])


def add_assignment(
    run: Run,
    annotator: str,
    version: str,
    position: int,
    shuffle: Sequence[int],
    *,
    leased_until: float | None = None,
) -> None:
    """Assign the question ``version``; nothing changes if it is assigned already."""
    run(
        """
        insert into people_assignments
        values (:id, :annotator, :version, :position, :shuffle, :lease, 0, null)
        on conflict (annotator, version) do nothing
        """,
        id=secrets.token_urlsafe(9),
        annotator=annotator,
        version=version,
        position=position,
        shuffle=json.dumps(list(shuffle)),
        lease=leased_until,
    )


def shuffled(content: str) -> list[int]:
    """Labels of the items in an order at random: each annotator sees their own."""
    labels = list(range(1, len(json.loads(content)["items"]) + 1))
    secrets.SystemRandom().shuffle(labels)
    return labels


def _sha(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
