"""Annotations of a video: objects, changes, and all problems found in them.

Readers of the three formats (``annotation_csv.py``, ``annotation_json.py``, ``event_graphs.py``)
make the same :class:`Annotation`; ``annotated.py`` makes replay tables of it. A reader continues
after a problem, so that all problems are reported together. docs/sources.md describes the formats.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from enact_assets.engine.given_text import SAVE_AS_UTF8
from enact_assets.settings.predicates import CATALOGUE, EXISTS, RELATED, TRANSITION

Operation = Literal["add", "remove", "show", "hide"]
OPERATIONS: tuple[Operation, ...] = ("add", "remove", "show", "hide")
"""A fact begins or ends; an object comes into view or leaves it."""
PREDICATES = tuple(sorted(name for name in CATALOGUE if name not in (TRANSITION, RELATED)))
"""Predicates that an annotation may use. Transitions follow from parents."""
MAX_NAME_CHARACTERS = 200
MAX_SHOWN = 80
_OURS = ("known", "hint", "expected", "fact", "other", "reason")
"""Values of messages that are ours, or of a length that is known."""

KINDS: dict[str, tuple[str, str]] = {
    # The file.
    "unreadable": ("cannot be read ({reason})", "Check the path and its permissions."),
    "not_text": ("is not UTF-8 text ({reason})", f"{SAVE_AS_UTF8}."),
    "empty": ("holds nothing", "Write objects and changes; docs/sources.md has an example."),
    "not_csv": ("is not a CSV row ({reason})", "Close the quotation marks."),
    "not_json": ("is not valid JSON ({reason})", "Correct it there, or just before."),
    # Its fields.
    "missing_column": ("the column is missing (found: {found})", "Add it to the first line."),
    "unknown_column": ("no such column (known: {known})", "Rename or delete the column."),
    "repeated_column": ("duplicate column", "Delete one of them."),
    "too_many_fields": ("{n} fields, but {n_columns} columns", "Put text with commas in quotes."),
    "unknown_change": ("{found!r} is not a change (known: {known})", "Write one of these."),
    "missing_field": ("is missing", "Add it."),
    "unknown_field": ("no such field (known: {known})", "Rename or delete it."),
    "unused_field": ("{found!r} has no meaning in a row of {change}", "Leave the field empty."),
    "wrong_type": ("{found} is not {expected}", "Write {expected}."),
    "bad_number": ("{found!r} is not {expected}", "Write {expected}."),
    # When.
    "no_moment": ("neither a time nor a frame", "Give a time in seconds or a frame number."),
    "two_moments": ("both a time and a frame", "Leave one of them out."),
    "after_the_end": (
        "{found} lies after the end: the video has {n_frames} frames, {length_s:.3f} s{hint}",
        "Correct it, or check that this is the right video.",
    ),
    "out_of_order": ("{found} comes after {before}", "Sort the events by time."),
    # Objects.
    "no_objects": ("no object is listed", "List every object, the robot or person included."),
    "bad_name": (
        "{found!r} is not a name",
        f"Use 1 to {MAX_NAME_CHARACTERS} characters, no line breaks and no ';'.",
    ),
    "repeated_object": (
        "{found!r} is already listed in line {first_line}",
        "Number them: cup_1, cup_2.",
    ),
    "no_category": ("{found!r} has no category", "Give a category; 'agent' for robot or person."),
    "unknown_object": ("{found!r} is not among the objects{hint}", "List it, or correct the name."),
    "own_parent": ("{found!r} is its own parent", "Name the objects that turned into it."),
    "never_appears": (
        "{found!r} has parents, but exists from the first frame on",
        "Say when it appears: a row that adds Exists.",
    ),
    "parent_stays": (
        "{found!r} is a parent of {child!r} but never ceases to exist",
        "Add a row that removes its Exists, or remove it from parents.",
    ),
    "parent_apart": (
        "{found!r} ends at frame {frame}, but its child {child!r} begins at {child_frame}",
        "Give both the same time: a transition must not span more than {allowed} frames.",
    ),
    # Facts.
    "no_changes": ("nothing ever changes", "Write at least one row that adds or removes a fact."),
    "unknown_predicate": ("{found!r} is not a predicate{hint}", "Write one of: {known}."),
    "transition": (
        f"{TRANSITION} is not a fact",
        "Give the new object parents, and rows that end their Exists and begin its own.",
    ),
    "needs_object": ("{predicate} takes two objects", "Name the second one."),
    "takes_no_object": ("{predicate} takes one object", "Leave the second one out."),
    "same_object": ("{found!r} is subject and object", "Name two different objects."),
    "holds_already": (
        "{fact} already holds since line {first_line}",
        "Delete the row, or remove it before.",
    ),
    "does_not_hold": (
        "{fact} does not hold",
        "Add it before; at frame 0 if it held from the start.",
    ),
    "no_frame": (
        "{fact} is added and removed at frame {frame}",
        "Correct one of the times: a fact holds for at least one frame.",
    ),
    "does_not_exist": (
        "{found!r} does not exist at frame {frame}, where {fact} holds",
        "End the fact when the object ends, or correct the object's times.",
    ),
    "held_agent": (
        "{fact} says that a thing holds the agent (such rows: {n})",
        "Swap them: the agent is the subject, what it holds is the object.",
    ),
    "not_an_agent": (
        "{fact}, but {found!r} is a {category!r} and no agent (such rows: {n})",
        "Give the robot or person the category 'agent', and name it as subject.",
    ),
    "both_ways": (
        "{fact} and {other} hold together from frame {frame} (such pairs: {n})",
        "Delete the one with subject and object swapped.",
    ),
    # Views.
    "bad_box": (
        "{found!r} is not a box within a picture of {width} x {height} px",
        "Write x_min y_min x_max y_max, from 0, edges inclusive.",
    ),
    "in_view_already": ("{found!r} is already in view since line {first_line}", "Delete the row."),
    "shown_twice": (
        "line {first_line} already shows {found!r} at frame {frame}",
        "Delete one of them, or correct its time.",
    ),
    "not_in_view": ("{found!r} is not in view", "Delete the row, or show it before."),
    # Events.
    "unknown_place": (
        "unknown place {found!r}",
        'Say in line 1 if things are OnTop or Inside: {{"places": {{{found_json}: "OnTop"}}}}.',
    ),
    "two_meanings": (
        "{found!r} is {first!r} further left, and {second!r} here",
        "Capitals, blanks, _ and - make no other name: keep one of them.",
    ),
    "bad_place": (
        "{found!r} is not a predicate for a place",
        "Write one of: {known}.",
    ),
    "two_places": ("{found!r} is in {first!r} and in {second!r}", "Keep one of them."),
    # The video.
    "no_video": (
        "no video in the folder",
        "Add {name}.mp4 (or .mkv, .mov, .avi, .webm).",
    ),
    "bad_video": ("{reason}", "Frames cannot be counted without it."),
}
"""Kind of problem -> what is wrong, and what to do about it."""


@dataclass(frozen=True)
class Problem:
    """Something wrong in an annotation: ``line`` counts from 1; 0 if it is about the whole file."""

    kind: str
    line: int
    field: str
    what: str
    advice: str

    def __str__(self) -> str:
        where = [f"line {self.line}"] if self.line else []
        where += [self.field] if self.field else []
        return f"{', '.join(where) or 'the file'}: {self.what}. {self.advice}"


@dataclass(frozen=True)
class AnnotatedObject:
    """One thing in a video; ``parents`` are the things that turned into it."""

    line: int
    name: str
    category: str
    parents: tuple[str, ...] = ()


@dataclass(frozen=True)
class Change:
    """One fact or view that begins or ends, at ``frame`` or at ``time_s`` seconds.

    Of a view ``predicate`` is empty; ``box`` is (x_min, y_min, x_max, y_max) in px, None for one
    that is not reported. A fact that ``is_assumed`` is in no line: it must have held before
    ``line``.
    """

    line: int
    frame: int | None
    time_s: float | None
    operation: Operation
    predicate: str
    subject: str
    object: str | None = None
    box: tuple[int, int, int, int] | None = None
    is_assumed: bool = False


@dataclass
class Annotation:
    """Everything in one file. ``activity`` is None where the file does not name it."""

    activity: str | None = None
    objects: list[AnnotatedObject] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    refused: list[Change] = field(default_factory=list)
    """Changes that say what they are about, in rows whose problem is reported."""
    refused_objects: set[str] = field(default_factory=set)
    """Names of objects listed in such rows."""
    has_clock: bool = False
    """Whether a time is written as a clock, which no other unit can be meant by."""
    doubts: list[Problem] = field(default_factory=list)
    """Possible but improbable facts: warnings of ``annotation_doubts.py``."""

    def tell(self, kind: str, line: int, where: str, **values: object) -> None:
        """Note a problem of one of :data:`KINDS` in ``line``, field ``where``."""
        self.problems.append(problem_of(KINDS, kind, line, where, values))

    def refuse_changes(self, n_before: int) -> None:
        """Refuse all changes but the first ``n_before``: when they are to happen is not known."""
        self.refused += self.changes[n_before:]
        del self.changes[n_before:]


def problem_of(
    kinds: Mapping[str, tuple[str, str]],
    kind: str,
    line: int,
    where: str,
    values: Mapping[str, object],
) -> Problem:
    """The problem ``kind`` of ``kinds`` in ``line``, field ``where``, with ``values`` put in."""
    what, advice = kinds[kind]
    shown = {name: value if name in _OURS else _shortened(value) for name, value in values.items()}
    texts = (_shortened(where), what.format(**shown), advice.format(**shown))
    return Problem(kind, line, *map(_printable, texts))


def _shortened(value: Any) -> Any:
    """A value of a file for a message: at most 80 characters."""
    text = value if isinstance(value, str) else repr(value)
    return value if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "..."


def _printable(text: str) -> str:
    """``text`` without control characters."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def is_object_name(name: str) -> bool:
    """Whether ``name`` can name an object."""
    is_plain = name.isprintable() and ";" not in name and name.strip() == name
    return is_plain and 0 < len(name) <= MAX_NAME_CHARACTERS


def is_unary(predicate: str) -> bool:
    """Whether a known ``predicate`` is about one object."""
    return predicate == EXISTS or CATALOGUE[predicate].arity == 1
