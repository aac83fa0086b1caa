"""Annotations as one JSON object: ``activity``, ``objects``, ``changes``."""

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from enact_assets.demonstrations.replay.annotation import (
    OPERATIONS,
    AnnotatedObject,
    Annotation,
    Change,
)
from enact_assets.demonstrations.replay.json_lines import member_lines, parse_json
from enact_assets.engine import given_times

FIELDS = ("activity", "objects", "changes")
OBJECT_FIELDS = ("name", "category", "parents")
CHANGE_FIELDS = ("time", "frame", *OPERATIONS)
VIEW_FIELDS = ("name", "box")


def read_json(text: str) -> Annotation:
    """The annotation in ``text``, with its ``problems``."""
    annotation = Annotation()
    if not text.strip():
        annotation.tell("empty", 0, "")
        return annotation
    try:
        content = parse_json(text)
    except ValueError as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 0
        annotation.tell("not_json", line, "", reason=getattr(error, "msg", str(error)))
        return annotation
    if not is_a(annotation, 1, "", content, dict):
        return annotation
    lines = member_lines(text)
    check_fields(annotation, 0, "", content, known=FIELDS, needed=("objects", "changes"))
    activity = content.get("activity")
    if activity is not None and is_a(annotation, lines["activity"][0], "activity", activity, str):
        annotation.activity = activity
    for key, read in (("objects", _read_object), ("changes", _read_change)):
        entries = content.get(key, [])
        if is_a(annotation, (lines.get(key) or [0])[0], key, entries, list):
            for k, entry in enumerate(entries):
                read(annotation, lines[key][k], f"{key}[{k}]", entry)
    return annotation


def check_fields(
    annotation: Annotation,
    line: int,
    where: str,
    entry: dict[str, Any],
    *,
    known: Collection[str],
    needed: Collection[str] = (),
) -> bool:
    """Whether ``entry`` has all fields it needs and no unknown ones; otherwise it is reported."""
    n_before = len(annotation.problems)
    for name in entry:
        if name not in known:
            annotation.tell("unknown_field", line, _at(where, name), known=", ".join(known))
    for name in needed:
        if name not in entry:
            annotation.tell("missing_field", line, _at(where, name))
    return len(annotation.problems) == n_before


def moment_of(
    annotation: Annotation, line: int, where: str, entry: dict[str, Any]
) -> tuple[int | None, float | None]:
    """Frame and time of ``entry``, as far as it has them; wrong ones are reported."""
    frame, time_s = entry.get("frame"), entry.get("time")
    if frame is not None and not (_is_number(frame) and int(frame) == frame):
        expected = given_times.WANTED_FRAME
        annotation.tell("bad_number", line, _at(where, "frame"), found=frame, expected=expected)
        frame = None
    # Digits alone in quotes may be anything; a clock or a unit says what is meant.
    number = time_s
    if isinstance(time_s, str) and not time_s.strip().isdecimal():
        number = given_times.seconds_of(time_s.strip())
        annotation.has_clock |= ":" in time_s
    if time_s is not None and not _is_number(number):
        expected = given_times.wanted(str(time_s))
        annotation.tell("bad_number", line, _at(where, "time"), found=time_s, expected=expected)
        number = None
    return None if frame is None else int(frame), None if number is None else float(number)


def is_a(annotation: Annotation, line: int, where: str, value: Any, kind: type) -> bool:
    """Whether ``value`` is a ``kind``, a key of ``_KINDS``; otherwise it is reported."""
    if isinstance(value, kind):
        return True
    found = _KINDS.get(type(value), "nothing")
    annotation.tell("wrong_type", line, where, found=found, expected=_KINDS[kind])
    return False


def is_texts(annotation: Annotation, line: int, where: str, value: Any) -> bool:
    """Whether ``value`` is a list of texts; otherwise it is reported."""
    if not is_a(annotation, line, where, value, list):
        return False
    checked = [is_a(annotation, line, f"{where}[{k}]", v, str) for k, v in enumerate(value)]
    return all(checked)


def _read_object(annotation: Annotation, line: int, where: str, entry: Any) -> None:
    if not is_a(annotation, line, where, entry, dict):
        return
    needed = ("name", "category")
    is_whole = check_fields(annotation, line, where, entry, known=OBJECT_FIELDS, needed=needed)
    parents = entry.get("parents", [])
    texts = [is_a(annotation, line, _at(where, n), entry[n], str) for n in needed if n in entry]
    n_before = len(annotation.objects)
    if is_texts(annotation, line, _at(where, "parents"), parents) and is_whole and all(texts):
        annotation.objects.append(
            AnnotatedObject(line, entry["name"], entry["category"], tuple(parents))
        )
    if len(annotation.objects) == n_before and isinstance(entry.get("name"), str):
        annotation.refused_objects.add(entry["name"])


def _read_change(annotation: Annotation, line: int, where: str, entry: Any) -> None:
    if not is_a(annotation, line, where, entry, dict):
        return
    check_fields(annotation, line, where, entry, known=CHANGE_FIELDS)
    n_before, n_changes = len(annotation.problems), len(annotation.changes)
    frame, time_s = moment_of(annotation, line, where, entry)
    has_moment = len(annotation.problems) == n_before
    for operation in OPERATIONS:
        values = entry.get(operation, [])
        if not is_a(annotation, line, _at(where, operation), values, list):
            continue
        for k, value in enumerate(values):
            at = f"{where}.{operation}[{k}]"
            if operation in ("add", "remove"):
                if is_texts(annotation, line, at, value) and _is_fact(annotation, line, at, value):
                    predicate, subject, *other = value
                    annotation.changes.append(
                        Change(
                            line, frame, time_s, operation, predicate, subject,
                            other[0] if other else None,
                        )
                    )  # fmt: skip
            else:
                _read_view(annotation, Change(line, frame, time_s, operation, "", ""), at, value)
    if not has_moment:
        annotation.refuse_changes(n_changes)


def _is_fact(annotation: Annotation, line: int, where: str, value: list[str]) -> bool:
    if len(value) in (2, 3):
        return True
    expected = "a list of predicate, subject and perhaps object"
    annotation.tell("wrong_type", line, where, found=f"a list of {len(value)}", expected=expected)
    return False


def _read_view(annotation: Annotation, change: Change, where: str, value: Any) -> None:
    """A name, or for what comes into view {"name": ..., "box": [...]}."""
    if isinstance(value, str):
        value = {"name": value}
    if not is_a(annotation, change.line, where, value, dict):
        return
    known = VIEW_FIELDS if change.operation == "show" else VIEW_FIELDS[:1]
    if not check_fields(annotation, change.line, where, value, known=known, needed=("name",)):
        return
    if not is_a(annotation, change.line, _at(where, "name"), value["name"], str):
        return
    box = value.get("box")
    if box is not None and not (
        isinstance(box, list) and len(box) == 4 and all(_is_number(n) and n == int(n) for n in box)
    ):
        expected = "four whole numbers: x_min, y_min, x_max, y_max"
        annotation.tell("bad_number", change.line, _at(where, "box"), found=box, expected=expected)
        annotation.refused.append(replace(change, subject=value["name"]))
        return
    found = (int(box[0]), int(box[1]), int(box[2]), int(box[3])) if box is not None else None
    annotation.changes.append(
        Change(
            change.line, change.frame, change.time_s, change.operation, "", value["name"], None,
            found,
        )
    )  # fmt: skip


_KINDS: dict[type, str] = {
    dict: "an object {...}",
    list: "a list [...]",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "true or false",
}


def _is_number(value: Any) -> bool:
    """Whether it is a number that times, frames and pixels can be: finite, from 0."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value < 1e9


def _at(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
