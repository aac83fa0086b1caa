"""Annotations as CSV: one row per object and per change, as a spreadsheet writes them.

``change`` is ``object``, ``add``, ``remove``, ``show`` or ``hide``. Empty rows and remarks
are passed over: rows that begin with ``#``, unless the first column holds names and the row says
more.

Fields are separated by whatever the first line separates its names with: spreadsheets write ``;``
where the comma is the decimal point, which is then read as one.
"""

import csv
import io
import re
from itertools import zip_longest

from enact_assets.demonstrations.replay.annotation import (
    OPERATIONS,
    AnnotatedObject,
    Annotation,
    Change,
)

REQUIRED = ("change", "predicate", "subject", "object", "category")
MOMENTS = ("time", "frame")
OPTIONAL = ("parents", "box")
SEPARATORS = (",", ";", "\t")
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


def read_csv(text: str) -> Annotation:
    """The annotation in ``text``; what is wrong in it is in its ``problems``."""
    annotation = Annotation()
    separator = _separator(text)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
    columns: list[str] | None = None
    while True:
        try:
            row = [value.strip() for value in next(reader)]
        except StopIteration:
            break
        except csv.Error as error:
            annotation.tell("not_csv", reader.line_num, "", reason=error)
            break
        if not any(row) or _is_remark(row, columns):
            continue
        while row and not row[-1]:
            row.pop()  # empty columns behind the last: spreadsheets remember what once stood there
        if columns is None:
            columns = [name.lower() for name in row]
            if not _check_columns(annotation, reader.line_num, columns):
                return annotation
            continue
        if separator != ",":
            row = [
                value.replace(",", ".") if name == "time" else value
                for name, value in zip_longest(columns, row, fillvalue="")
            ]
        _read_row(annotation, reader.line_num, columns, row)
    if columns is None and not annotation.problems:
        annotation.tell("empty", 0, "")
    return annotation


def _separator(text: str) -> str:
    """Separator with most known names in the first line that is no comment; comma if unsure."""
    lines = (line.strip() for line in io.StringIO(text, newline=""))
    marks = "".join(SEPARATORS) + '" '
    first = next((line for line in lines if line.strip(marks) and line[0] != "#"), "")

    def n_known(separator: str) -> int:
        names = (name.strip(' "').lower() for name in first.split(separator))
        return sum(name in COLUMNS for name in names)

    return max(SEPARATORS, key=n_known)


def _is_remark(row: list[str], columns: list[str] | None) -> bool:
    if not row[0].startswith("#"):
        return False
    is_name = columns is not None and columns[0] in HOLDING_NAMES
    return not (is_name and any(row[1:]))


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


def _read_row(annotation: Annotation, line: int, columns: list[str], row: list[str]) -> None:
    of = dict.fromkeys(COLUMNS, "") | dict(zip(columns, row, strict=False))
    change = of["change"].lower()
    if len(row) > len(columns):
        annotation.tell("too_many_fields", line, "", n=len(row), n_columns=len(columns))
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
    frame = _number(annotation, line, "frame", of["frame"])
    time_s = _number(annotation, line, "time", of["time"])
    box = _box(annotation, line, of["box"])
    if len(annotation.problems) > n_before:
        _refuse_row(annotation, line, of)
        return
    operation = next(o for o in OPERATIONS if o == change)
    annotation.changes.append(
        Change(
            line,
            None if frame is None else int(frame),
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


def _number(annotation: Annotation, line: int, name: str, text: str) -> float | None:
    """Seconds (also as minutes and seconds, 1:23.5) or the number of a frame; None if empty."""
    if not text:
        return None
    if name == "frame":
        if re.fullmatch(r"\d{1,9}", text, re.ASCII):
            return int(text)
        expected = "a whole number from 0"
    else:
        found = re.fullmatch(r"(?:(?:(\d+):)?(\d+):)?(\d+(?:\.\d*)?)", text, re.ASCII)
        if found and len(text) <= 30:
            hours, minutes, seconds = (float(part or 0) for part in found.groups())
            # The part after the colon overflowed into the part before it.
            is_clock = (not found[2] or seconds < 60) and (not found[1] or minutes < 60)
            if is_clock:
                return 3600 * hours + 60 * minutes + seconds
        expected = "seconds from 0, or minutes and seconds like 1:23.5 (below 60 after a colon)"
    annotation.tell("bad_number", line, name, found=text, expected=expected)
    return None


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
