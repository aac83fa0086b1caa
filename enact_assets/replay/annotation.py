"""What a person wrote down about a video: objects and changes, and everything that is wrong in it.

Readers of the three formats (``annotation_csv.py``, ``annotation_json.py``, ``event_graphs.py``)
make the same :class:`Annotation`; ``annotated.py`` makes replay tables of it. A reader goes on
after a problem, so that all of them are told at once. docs/sources.md describes the formats.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from enact_assets.contracts.predicates import CATALOGUE, EXISTS, RELATED, TRANSITION

Operation = Literal["add", "remove", "show", "hide"]
OPERATIONS: tuple[Operation, ...] = ("add", "remove", "show", "hide")
"""A fact begins or ends; an object comes into view or leaves it."""
PREDICATES = tuple(sorted(name for name in CATALOGUE if name not in (TRANSITION, RELATED)))
"""What an annotation may state. Transitions follow from parents."""
MAX_NAME_CHARACTERS = 200
MAX_SHOWN = 80
_OURS = ("known", "hint", "expected", "fact", "reason")
"""Values of messages that are ours, or of a length that is known."""

KINDS: dict[str, tuple[str, str]] = {
    # The file.
    "unreadable": ("cannot be read ({reason})", "Check the path and its permissions."),
    "not_text": ("is not UTF-8 text ({reason})", "Save the file as UTF-8."),
    "empty": ("holds nothing", "Write objects and changes; docs/sources.md has an example."),
    "not_csv": ("is no row of CSV ({reason})", "Close the quotation marks."),
    "not_json": ("is no valid JSON ({reason})", "Correct it there, or just before."),
    # Its fields.
    "missing_column": ("the column is missing (found: {found})", "Add it to the first line."),
    "unknown_column": ("no such column (known: {known})", "Rename or delete the column."),
    "repeated_column": ("the column stands twice", "Delete one of them."),
    "too_many_fields": ("{n} fields, but {n_columns} columns", "Put text with commas in quotes."),
    "unknown_change": ("{found!r} is no change (known: {known})", "Write one of these."),
    "missing_field": ("is missing", "Add it."),
    "unknown_field": ("no such field (known: {known})", "Rename or delete it."),
    "unused_field": ("{found!r} means nothing in a row of {change}", "Leave the field empty."),
    "wrong_type": ("{found} is not {expected}", "Write {expected}."),
    "bad_number": ("{found!r} is not {expected}", "Write {expected}."),
    # When.
    "no_moment": ("neither a time nor a frame", "Say when: seconds, or the number of the frame."),
    "two_moments": ("both a time and a frame", "Leave one of them out."),
    "after_the_end": (
        "{found} lies after the end: the video has {n_frames} frames, {length_s:.3f} s",
        "Correct it, or check that this is the right video.",
    ),
    "out_of_order": ("{found} comes after {before}", "Sort the events by time."),
    # Objects.
    "no_objects": ("no object is listed", "List every object, the robot or person included."),
    "bad_name": (
        "{found!r} is no name",
        f"Use 1 to {MAX_NAME_CHARACTERS} characters, no line breaks and no ';'.",
    ),
    "repeated_object": (
        "{found!r} is listed in line {first_line} already",
        "Number them: cup_1, cup_2.",
    ),
    "no_category": ("{found!r} has no category", "Say what it is; 'agent' for robot or person."),
    "unknown_object": ("{found!r} is not among the objects{hint}", "List it, or correct the name."),
    "own_parent": ("{found!r} is its own parent", "Name the objects that turned into it."),
    "never_appears": (
        "{found!r} has parents, but exists from the first frame on",
        "Say when it appears: a row that adds Exists.",
    ),
    "parent_stays": (
        "{found!r} is to become {child!r}, but never ceases to exist",
        "Say when it does: a row that removes Exists; or it is no parent.",
    ),
    "parent_apart": (
        "{found!r} goes at frame {frame}, {child!r} comes from it at {child_frame}",
        "Give both one time: no step shows what lies more than {allowed} frames apart.",
    ),
    # Facts.
    "no_changes": ("nothing ever changes", "Write at least one row that adds or removes a fact."),
    "unknown_predicate": ("{found!r} is no predicate{hint}", "Write one of: {known}."),
    "transition": (
        f"{TRANSITION} is no fact",
        "Give the new object parents, and say when they stop and it starts to exist.",
    ),
    "needs_object": ("{predicate} is about two objects", "Name the second one."),
    "takes_no_object": ("{predicate} is about one object", "Leave the second one out."),
    "same_object": ("{found!r} is subject and object", "Name two different objects."),
    "holds_already": (
        "{fact} holds since line {first_line}",
        "Delete the row, or remove it before.",
    ),
    "does_not_hold": (
        "{fact} does not hold",
        "Add it before; at frame 0 if it held from the start.",
    ),
    "no_frame": (
        "{fact} is added and removed at frame {frame}",
        "Correct one of the times: a fact holds for a frame at least.",
    ),
    "does_not_exist": (
        "{found!r} does not exist at frame {frame}, where {fact} holds",
        "Remove the fact when the object goes, or correct when it exists.",
    ),
    # Views.
    "bad_box": (
        "{found!r} is no box of a picture of {width} x {height} px",
        "Write x_min y_min x_max y_max, from 0, edges inclusive.",
    ),
    "in_view_already": ("{found!r} is in view since line {first_line}", "Delete the row."),
    "shown_twice": (
        "{found!r} is shown at frame {frame} by line {first_line} already",
        "Delete one of them, or correct its time.",
    ),
    "not_in_view": ("{found!r} is not in view", "Delete the row, or show it before."),
    # Events.
    "unknown_place": (
        "{found!r}: is a thing there on top of it or inside",
        'Say so in the first line: {{"places": {{{found_json}: "OnTop"}}}}.',
    ),
    "bad_place": (
        "{found!r} says nothing about a place",
        "Write one of: {known}.",
    ),
    "two_places": ("{found!r} is in {first!r} and in {second!r}", "Keep one of them."),
    # The video.
    "no_video": (
        "no video beside it",
        "Put it there under the name {name}.mp4 (or .mkv, .mov, .avi, .webm).",
    ),
    "bad_video": ("{reason}", "No frame can be counted without it."),
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
    that is not told. What ``is_assumed`` stands in no line: it must have held before ``line``.
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
    """Changes that say what they are about, in rows whose problem is told."""
    refused_objects: set[str] = field(default_factory=set)
    """Names of objects listed in such rows."""

    def tell(self, kind: str, line: int, where: str, **values: object) -> None:
        """Note a problem of one of :data:`KINDS` in ``line``, field ``where``."""
        what, advice = KINDS[kind]
        shown = {
            name: value if name in _OURS else _shortened(value) for name, value in values.items()
        }
        texts = (_shortened(where), what.format(**shown), advice.format(**shown))
        self.problems.append(Problem(kind, line, *map(_printable, texts)))

    def refuse_changes(self, n_before: int) -> None:
        """Refuse all changes but the first ``n_before``: when they are to happen is not known."""
        self.refused += self.changes[n_before:]
        del self.changes[n_before:]

    def ordered_problems(self) -> list[Problem]:
        """All of them, in the order of lines, those about the whole file first."""
        return sorted(self.problems, key=lambda problem: problem.line)


def _shortened(value: Any) -> Any:
    """What a file says, for a message: at most 80 characters of it."""
    text = value if isinstance(value, str) else repr(value)
    return value if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "..."


def _printable(text: str) -> str:
    """``text`` without what plays tricks with a terminal."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def is_object_name(name: str) -> bool:
    """Whether ``name`` can name an object."""
    is_plain = name.isprintable() and ";" not in name and name.strip() == name
    return is_plain and 0 < len(name) <= MAX_NAME_CHARACTERS


def is_unary(predicate: str) -> bool:
    """Whether a known ``predicate`` is about one object."""
    return predicate == EXISTS or CATALOGUE[predicate].arity == 1
