"""Annotations as CSV: one row per object and per change, as a spreadsheet writes them.

``change`` is ``object``, ``add``, ``remove``, ``show`` or ``hide``.
"""

import re

from enact_assets.demonstrations.replay.annotation import (
    OPERATIONS,
    AnnotatedObject,
    Annotation,
    Change,
)
from enact_assets.engine import given_times
from enact_assets.engine.given_csv import GivenCsv, read_csv

REQUIRED = ("change", "predicate", "subject", "object", "category")
MOMENTS = ("time", "frame")
OPTIONAL = ("parents", "box")
HOLDING_NAMES = ("subject", "object", "category", "parents")
"""Columns in which a ``#`` may be the beginning of a name."""
COLUMNS = (*MOMENTS, *REQUIRED, *OPTIONAL)
OBJECT = "object"
BETWEEN_PARENTS = ";"
_USED = {
    OBJECT: {"subject", "category", "parents"},
    "add": {*MOMENTS, "predicate", "subject", "object"},
    "remove": {*MOMENTS, "predicate", "subject", "object"},
    "show": {*MOMENTS, "subject", "box"},
    "hide": {*MOMENTS, "subject"},
}
"""Change -> columns that mean something in such a row."""


def read_annotation(text: str) -> Annotation:
    """The annotation in ``text``, with its ``problems``."""
    annotation = Annotation()
    given = read_csv(text, COLUMNS, HOLDING_NAMES, ("time",))
    if given.columns and not _check_columns(annotation, given.header_line, list(given.columns)):
        return annotation
    for line, row in given.rows:
        _read_row(annotation, line, given, row)
    if given.fault:
        line, reason = given.fault
        annotation.tell("not_csv", line, "", reason=reason)
    if not given.columns and not annotation.problems:
        annotation.tell("empty", 0, "")
    return annotation


def _check_columns(annotation: Annotation, line: int, columns: list[str]) -> bool:
    for k, name in enumerate(columns):
        if name and columns.index(name) < k:
            continue
        if name and columns.count(name) > 1:
            annotation.tell("repeated_column", line, name)
        if name not in COLUMNS:
            where = name or f"column {k + 1}, which has no header"
            annotation.tell("unknown_column", line, where, known=", ".join(COLUMNS))
    missing = [name for name in REQUIRED if name not in columns]
    if not set(MOMENTS) & set(columns):
        missing.append(" or ".join(MOMENTS))
    for name in missing:
        annotation.tell("missing_column", line, name, found=", ".join(columns))
    return not annotation.problems


def _read_row(annotation: Annotation, line: int, given: GivenCsv, row: list[str]) -> None:
    of = dict.fromkeys(COLUMNS, "") | given.of(row)
    change = of["change"].lower()
    n_columns = len(given.columns)
    if len(row) > n_columns:
        annotation.tell("too_many_fields", line, "", n=len(row), n_columns=n_columns)
        _refuse_row(annotation, line, of)
        return
    if change not in _USED:
        known = ", ".join(_USED)
        annotation.tell("unknown_change", line, "change", found=of["change"], known=known)
        _refuse_row(annotation, line, of)
        return
    for name, value in of.items():
        if value and name != "change" and name not in _USED[change]:
            annotation.tell("unused_field", line, name, found=value, change=change)
    if change == OBJECT:
        parents = [p.strip() for p in of["parents"].split(BETWEEN_PARENTS) if p.strip()]
        annotation.objects.append(
            AnnotatedObject(line, of["subject"], of["category"], tuple(parents))
        )
        return
    n_before = len(annotation.problems)
    frame = given_times.frame_of(of["frame"])
    time_s = given_times.seconds_of(of["time"], decimal_comma=given.has_decimal_comma)
    annotation.has_clock |= ":" in of["time"]
    for name, number, expected in (
        ("frame", frame, given_times.WANTED_FRAME),
        ("time", time_s, given_times.wanted(of["time"])),
    ):
        if of[name] and number is None:
            annotation.tell("bad_number", line, name, found=of[name], expected=expected)
    box = _box(annotation, line, of["box"])
    if len(annotation.problems) > n_before:
        _refuse_row(annotation, line, of)
        return
    operation = next(o for o in OPERATIONS if o == change)
    annotation.changes.append(
        Change(
            line,
            frame,
            time_s,
            operation,
            of["predicate"] if operation in ("add", "remove") else "",
            of["subject"],
            of["object"] or None,
            box,
        )
    )


def _refuse_row(annotation: Annotation, line: int, of: dict[str, str]) -> None:
    """Note what a row is about whose problem is reported; its change may be the misspelt part."""
    subject, other = of["subject"], of["object"] or None
    if of["predicate"]:
        change = Change(line, None, None, "add", of["predicate"], subject, other)
        annotation.refused.append(change)
    elif of["category"] or of["change"].lower() == OBJECT:
        annotation.refused_objects.add(subject)
    else:
        annotation.refused.append(Change(line, None, None, "show", "", subject))


def _box(annotation: Annotation, line: int, text: str) -> tuple[int, int, int, int] | None:
    if not text:
        return None
    numbers = text.split()
    if len(numbers) != 4 or not all(re.fullmatch(r"\d{1,6}", n, re.ASCII) for n in numbers):
        expected = "four whole numbers: x_min y_min x_max y_max"
        annotation.tell("bad_number", line, "box", found=text, expected=expected)
        return None
    x_min, y_min, x_max, y_max = map(int, numbers)
    return x_min, y_min, x_max, y_max
