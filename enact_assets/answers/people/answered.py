"""Answers of annotators for the pipeline, which only reads them and never waits."""

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from enact_assets.answers.models.messages import Message
from enact_assets.answers.people.annotator_names import ROLES, role_of
from enact_assets.answers.people.content import message_sha
from enact_assets.answers.people.database import Database
from enact_assets.answers.people.tables import HumanAnswers
from enact_assets.engine.ids import content_sha
from enact_assets.questions.asked.choices import answer_text
from enact_assets.settings.world import LETTERS, PP, WM

NOT_YET = "the annotator has not answered it yet"
OTHER_VERSION = "the annotator answered an earlier version of the question"
CANNOT_TELL = "cannot tell"
"""Beginning of an annotator's answer that has a reason instead of an order."""

_ALL = """
    select s.annotator, p.role, q.variant, q.question_id, s.version, q.kind, q.length,
        q.demonstration, s.position, s.shuffle, s.is_withdrawn, q.is_current, q.shown_sha,
        w.revision, w.answer, w.reason, w.comment, w.active_ms, s.shown_at, w.received_at
    from people_assignments s
    join people_annotators p on p.id = s.annotator
    join people_questions q on q.version = s.version
    left join people_answers w on w.assignment = s.id
    where q.is_practice = 0 and (w.id is not null or (s.is_withdrawn = 0 and q.is_current = 1))
"""


@dataclass(frozen=True)
class Given:
    """An annotator's last answer to a question, or why there is none. ``text`` reads like that of
    any model; ``seconds`` is the time in sight.
    """

    text: str | None
    error: str | None
    seconds: float | None


class Answered:
    """Reads the database at ``url``, if there is one. Errors: :class:`PeopleError`."""

    def __init__(self, url: str) -> None:
        self._database = Database(url)

    def annotators(self) -> list[str]:
        """Those that a question of a variant was assigned to, sorted: names of models."""
        return sorted({row["annotator"] for row in self._rows()})

    def has(self, name: str) -> bool:
        """Whether ``name`` is such an annotator. Names of others are not looked up."""
        return role_of(name) is not None and bool(self._rows(name))

    def version(self, name: str | None = None) -> str:
        """Hash of all assignments and answers of ``name``, or of all annotators."""
        return content_sha([list(row.values()) for row in self._rows(name)])

    def assigned(self, name: str, variant: str) -> frozenset[str]:
        """Ids of the questions of ``variant`` that ``name`` was assigned."""
        rows = self._rows(name)
        return frozenset(row["question_id"] for row in rows if row["variant"] == variant)

    def given(self, name: str, variant: str, messages: Sequence[Message]) -> dict[str, Given]:
        """The last answer of ``name`` to each of ``messages`` that was assigned.

        It counts only if the annotator was shown the current content of the message.
        """
        rows = [row for row in self._rows(name) if row["variant"] == variant]
        of: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            of.setdefault(row["question_id"], []).append(row)
        return {
            message.question_id: _given(of[message.question_id], message_sha(message))
            for message in messages
            if message.question_id in of
        }

    def table(self) -> pl.DataFrame:
        """Rows of ``human_answers``."""
        rows = self._rows()
        last: dict[tuple[str, str], int] = {}
        for row in rows:
            key = row["annotator"], row["version"]
            last[key] = max(last.get(key, -1), -1 if row["revision"] is None else row["revision"])
        return HumanAnswers.build([_row(row, last) for row in rows])

    def _rows(self, name: str | None = None) -> list[dict[str, Any]]:
        if not self._database.exists():
            return []
        where = "" if name is None else "and s.annotator = :name"
        values = {} if name is None else {"name": name}
        rows = self._database.read(
            f"{_ALL} {where} order by s.annotator, s.position, w.revision", **values
        )
        return [row for row in rows if row["role"] in ROLES]


def _given(rows: list[dict[str, Any]], sha: str) -> Given:
    shown = [row for row in rows if row["shown_sha"] == sha]
    if not shown:
        return Given(None, OTHER_VERSION, None)
    row = max(shown, key=lambda row: -1 if row["revision"] is None else row["revision"])
    if row["revision"] is None:
        return Given(None, NOT_YET, None)
    return Given(_as_text(row), None, row["active_ms"] / 1000)


def _as_text(row: dict[str, Any]) -> str:
    """The answer as a model would write it."""
    if row["answer"] is None:
        return f"{CANNOT_TELL}: {row['reason']}"
    answer: str = row["answer"]
    if row["kind"].partition("_")[0] in {WM, PP}:
        return answer_text(row["kind"], LETTERS[json.loads(answer)[0] - 1])
    return answer


def _row(row: dict[str, Any], last: dict[tuple[str, str], int]) -> dict[str, Any]:
    revision, answer, ms = row["revision"], row["answer"], row["active_ms"]
    named = ("annotator", "role", "variant", "question_id", "version", "kind", "length")
    return {name: row[name] for name in (*named, "demonstration", "position", "revision")} | {
        "is_last": revision is None or revision == last[row["annotator"], row["version"]],
        "answer": None if answer is None else json.loads(answer),
        "shuffle": json.loads(row["shuffle"]),
        "reason": row["reason"],
        "comment": row["comment"],
        "active_s": None if ms is None else ms / 1000,
        "shown_at": _utc(row["shown_at"]),
        "received_at": _utc(row["received_at"]),
    }


def _utc(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return dt.datetime.fromtimestamp(seconds, dt.UTC).isoformat(timespec="seconds")
