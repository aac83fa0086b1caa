"""Orders the changes of an annotation, puts them on frames, and makes intervals of them.

Finds what contradicts itself: facts that begin twice, end without having begun, or outlive their
objects; moments after the end; unlisted names. Consequences of a refused row are not reported: a
second message would give wrong advice, such as to delete the row or correct the name.
"""

import difflib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from enact_assets.demonstrations.recordings.videos import VideoTimes
from enact_assets.demonstrations.replay.annotation import (
    PREDICATES,
    AnnotatedObject,
    Annotation,
    Change,
    is_object_name,
    is_unary,
)
from enact_assets.settings.predicates import CATALOGUE, EXISTS, TRANSITION, nearest
from enact_assets.settings.profile import PAPER

Fact = tuple[str, str, str | None]
"""Predicate, subject, object."""
Box = tuple[int, int, int, int]
"""Left, top, right, bottom edge in px, inclusive."""
Interval = tuple[int, int]
View = tuple[int, int, Box | None]
"""First frame, first frame after it, box if one is given."""

_ORDER = {"remove": 0, "hide": 1, "add": 2, "show": 3}
"""At one frame what ends goes first."""
APART_FRAMES = PAPER.settle_frames
"""So far apart parent and child may go and come. What comes after the picture of a change is one
of its own, and no step shows the transition."""
MAX_HINTS = 200
"""Names that are looked up among those that are known: a wrong file has thousands."""


class Refused:
    """Facts, views and objects of rows that were refused and do not count."""

    def __init__(self) -> None:
        self._facts: set[frozenset[str]] = set()
        self._views: set[str] = set()

    def add(self, change: Change, meant: dict[str, str]) -> None:
        """Note a refused ``change``; ``meant`` is what an unknown name was probably to be."""
        names = [meant.get(name, name) for name in (change.subject, change.object) if name]
        if change.operation in ("show", "hide"):
            self._views.update(names)
        else:
            # Not the predicate: it may be what is wrong.
            self._facts.add(frozenset(names))

    def has_fact(self, *names: str | None) -> bool:
        """Whether a refused row was about a fact of just these objects."""
        return frozenset(name for name in names if name) in self._facts

    def has_view(self, name: str) -> bool:
        """Whether a refused row showed or hid ``name``."""
        return name in self._views


def fact_of(change: Change) -> Fact:
    """What a change adds or removes; of a symmetric predicate, the first name by the alphabet is
    the subject.
    """
    subject, other = change.subject, change.object
    if other is not None and other < subject and CATALOGUE[change.predicate].is_symmetric:
        subject, other = other, subject
    return change.predicate, subject, other


def fact_text(fact: Fact) -> str:
    """``OnTop(cup, table)``."""
    return f"{fact[0]}({', '.join(name for name in fact[1:] if name is not None)})"


class FactIntervals:
    """Facts in the order of frames; at one frame, those that end first.

    ``added`` are all pairs of a fact and a frame at which it is added; what only follows from
    ``refused`` rows is not reported.
    """

    def __init__(
        self, annotation: Annotation, added: Collection[tuple[Fact, int]], refused: Refused
    ) -> None:
        self._annotation = annotation
        self._refused = refused
        self._added = added
        self._open: dict[Fact, tuple[int, int]] = {}
        self._ended: dict[Fact, list[Interval]] = {}
        self.line_of: dict[tuple[Fact, int], int] = {}
        """Fact and first frame -> line that says so."""

    def take(self, frame: int, change: Change) -> None:
        """Begin or end one fact at ``frame``."""
        fact = fact_of(change)
        if change.operation == "add":
            self._begin(frame, change.line, fact)
        else:
            self._end(frame, change.line, fact)

    def close(self, n_frames: int) -> dict[Fact, list[Interval]]:
        """All intervals; what is open ends with the video."""
        for fact, (frame, _) in self._open.items():
            self._ended.setdefault(fact, []).append((frame, n_frames))
        return {fact: intervals for fact, intervals in self._ended.items() if intervals}

    def _begin(self, frame: int, line: int, fact: Fact) -> None:
        ended = self._ended.setdefault(fact, [])
        if fact in self._open:
            if self._refused.has_fact(*fact[1:]):
                return
            first_line = self._open[fact][1]
            self._annotation.tell(
                "holds_already", line, "change", fact=fact_text(fact), first_line=first_line
            )
        elif ended and ended[-1][1] == frame:
            # Removed and added again at one frame: it went on.
            self._open[fact] = ended.pop()[0], line
        else:
            self._open[fact] = frame, line
            self.line_of[fact, frame] = line

    def _end(self, frame: int, line: int, fact: Fact) -> None:
        text = fact_text(fact)
        if fact in self._open:
            begun, _ = self._open.pop(fact)
            self._ended.setdefault(fact, []).append((begun, frame))
        elif (fact, frame) in self._added:
            self._annotation.tell("no_frame", line, "change", fact=text, frame=frame)
        elif fact[0] == EXISTS and fact not in self._ended and frame > 0:
            self._ended[fact] = [(0, frame)]
        elif not self._refused.has_fact(*fact[1:]):
            self._annotation.tell("does_not_hold", line, "change", fact=text)


class ViewIntervals:
    """What is shown and hidden, in the order of frames; at one frame, what is hidden first.

    Consequences of ``refused`` rows are not reported.
    """

    def __init__(self, annotation: Annotation, refused: Refused) -> None:
        self._annotation = annotation
        self._refused = refused
        self._open: dict[str, tuple[int, int, Box | None]] = {}
        self._ended: dict[str, list[View]] = {}

    def take(self, frame: int, change: Change) -> None:
        """Show or hide one object at ``frame``. Shown again with another box, it has moved."""
        name = change.subject
        before = self._open.pop(name, None)
        if change.operation == "show":
            if before is not None and before[0] == frame:
                self._annotation.tell(
                    "shown_twice",
                    change.line,
                    "change",
                    found=name,
                    frame=frame,
                    first_line=before[1],
                )
            elif (
                before is not None and before[2] == change.box and not self._refused.has_view(name)
            ):
                self._annotation.tell(
                    "in_view_already", change.line, "change", found=name, first_line=before[1]
                )
            self._open[name] = frame, change.line, change.box
        elif before is None and name in self._ended:
            if not self._refused.has_view(name):
                self._annotation.tell("not_in_view", change.line, "change", found=name)
        elif before is None:
            before = 0, 0, None
        ended = self._ended.setdefault(name, [])
        if before is not None and before[0] < frame:
            ended.append((before[0], frame, before[2]))

    def close(self, name: str, n_frames: int) -> list[View]:
        """Views of one object; without any row it is in view all along."""
        if name not in self._ended:
            return [(0, n_frames, None)]
        if name in self._open:
            frame, _, box = self._open[name]
            return [*self._ended[name], (frame, n_frames, box)]
        return self._ended[name]


@dataclass
class Timed:
    """Facts, existence included, and views on frames [from, to); a box is None if not given.

    ``changes`` are those that count, each with its frame, in order.
    """

    facts: dict[Fact, list[Interval]] = field(default_factory=dict)
    views: dict[str, list[View]] = field(default_factory=dict)
    changes: list[tuple[int, Change]] = field(default_factory=list)


class Timeline:
    """Turns one annotation into intervals over the frames of its video."""

    def __init__(self, annotation: Annotation, video: VideoTimes) -> None:
        self._annotation = annotation
        self._video = video
        self._objects: dict[str, AnnotatedObject] = {}
        self._near: dict[tuple[str, str], str | None] = {}
        self._refused = Refused()

    def resolve(self) -> Timed:
        """The intervals; what is wrong is added to the annotation's problems."""
        self._list_objects()
        placed = [
            (frame, change)
            for change in self._annotation.changes
            if (frame := self._sound_frame(change)) is not None
        ]
        for change in self._annotation.refused:
            self._refuse(change)
        placed = _without_assumed(placed)
        placed.sort(key=lambda one: (one[0], _ORDER[one[1].operation], one[1].line))
        added = {(fact_of(c), frame) for frame, c in placed if c.operation == "add"}
        facts = FactIntervals(self._annotation, added, self._refused)
        views = ViewIntervals(self._annotation, self._refused)
        for frame, change in placed:
            if change.operation in ("show", "hide"):
                views.take(frame, change)
            else:
                facts.take(frame, change)
        n_frames = self._video.n_frames
        timed = Timed(facts.close(n_frames), changes=placed)
        for name in self._objects:
            timed.facts.setdefault((EXISTS, name, None), [(0, n_frames)])
        self._check_existence(timed, facts.line_of)
        for name, thing in self._objects.items():
            exists = timed.facts[EXISTS, name, None]
            timed.views[name] = _within(views.close(name, n_frames), exists)
            if self._refused.has_fact(name):
                continue
            if thing.parents and exists[0][0] == 0:
                self._annotation.tell("never_appears", thing.line, "parents", found=name)
            else:
                self._check_parents(thing, timed)
        return timed

    def _list_objects(self) -> None:
        tell = self._annotation.tell
        for thing in self._annotation.objects:
            if not is_object_name(thing.name):
                tell("bad_name", thing.line, "name", found=thing.name[:60])
                self._annotation.refused_objects.add(thing.name)
            elif thing.name in self._objects:
                line = self._objects[thing.name].line
                tell("repeated_object", thing.line, "name", found=thing.name, first_line=line)
            else:
                self._objects[thing.name] = thing
            if not thing.category.strip():
                tell("no_category", thing.line, "category", found=thing.name)
            elif not is_object_name(thing.category):
                tell("bad_name", thing.line, "category", found=thing.category[:60])
        for thing in self._annotation.objects:
            for parent in thing.parents:
                if parent == thing.name:
                    tell("own_parent", thing.line, "parents", found=parent)
                else:
                    self._is_listed(parent, thing.line, "parents")

    def _is_listed(self, name: str, line: int, where: str) -> bool:
        if name in self._objects:
            return True
        if not self._annotation.objects or name in self._annotation.refused_objects:
            return False  # reported with its list, or as an empty list
        hint = self._hint("object", name, self._objects)
        self._annotation.tell("unknown_object", line, where, found=name, hint=hint)
        return False

    def _sound_frame(self, change: Change) -> int | None:
        """The frame of a change that has nothing wrong in it by itself; None of another."""
        frame = self._frame(change) if self._is_sound(change) else None
        if frame is None:
            self._refuse(change)
        return frame

    def _refuse(self, change: Change) -> None:
        near = {
            name: self._nearest("object", name, self._objects)
            for name in (change.subject, change.object)
            if name is not None and name not in self._objects
        }
        self._refused.add(change, {name: meant for name, meant in near.items() if meant})

    def _is_sound(self, change: Change) -> bool:
        """Whether a change says what, about which objects, by itself."""
        is_subject_listed = self._is_listed(change.subject, change.line, "subject")
        if change.operation in ("show", "hide"):
            return is_subject_listed and self._is_box(change)
        return self._is_predicate(change) and self._is_arity(change) and is_subject_listed

    def _is_predicate(self, change: Change) -> bool:
        name = change.predicate
        if name in PREDICATES:
            return True
        if name == TRANSITION:
            self._annotation.tell("transition", change.line, "predicate")
        else:
            known, hint = ", ".join(PREDICATES), self._hint("predicate", name, PREDICATES)
            self._annotation.tell(
                "unknown_predicate", change.line, "predicate", found=name, known=known, hint=hint
            )
        return False

    def _is_arity(self, change: Change) -> bool:
        """Whether it is about as many objects as its predicate, listed and different ones."""
        tell, line, other = self._annotation.tell, change.line, change.object
        if is_unary(change.predicate):
            if other is not None:
                tell("takes_no_object", line, "object", predicate=change.predicate)
            return other is None
        if other is None:
            tell("needs_object", line, "object", predicate=change.predicate)
            return False
        if other == change.subject:
            tell("same_object", line, "object", found=other)
            return False
        return self._is_listed(other, line, "object")

    def _is_box(self, change: Change) -> bool:
        if change.box is None:
            return True
        x_min, y_min, x_max, y_max = change.box
        width, height = self._video.width_px, self._video.height_px
        if x_min <= x_max < width and y_min <= y_max < height:
            return True
        found = " ".join(map(str, change.box))
        self._annotation.tell(
            "bad_box", change.line, "box", found=found, width=width, height=height
        )
        return False

    def _frame(self, change: Change) -> int | None:
        tell, video = self._annotation.tell, self._video
        if (change.time_s is None) == (change.frame is None):
            tell("no_moment" if change.frame is None else "two_moments", change.line, "time")
            return None
        # The last picture stays for as long as the others did.
        length_s = float(video.times_s[-1]) + 1 / video.frame_rate_hz
        if change.time_s is not None:
            if change.time_s <= length_s:
                return video.frame_at(change.time_s)
            found, where = f"{change.time_s:g} s", "time"
        else:
            frame = change.frame or 0
            if frame < video.n_frames:
                return frame
            found, where = f"frame {frame}", "frame"
        tell(
            "after_the_end", change.line, where, found=found, n_frames=video.n_frames,
            length_s=length_s, hint="" if change.time_s is None else self._unit_hint(length_s),
        )  # fmt: skip
        return None

    def _unit_hint(self, length_s: float) -> str:
        """Which other unit all times fit, in words; empty if there is none."""
        times = [c.time_s for c in self._annotation.changes if c.time_s is not None]
        if self._annotation.has_clock or not all(time_s.is_integer() for time_s in times):
            return ""
        last = max(times)
        if last < self._video.n_frames:
            return "; all times fit if they are frame numbers: name the column or field 'frame'"
        if last <= 1000 * length_s:
            return "; all times fit if they are milliseconds: divide them by 1000"
        return ""

    def _check_parents(self, thing: AnnotatedObject, timed: Timed) -> None:
        """Whether every parent goes about when ``thing`` comes."""
        comes = [start for start, _ in timed.facts[EXISTS, thing.name, None]]
        for parent in dict.fromkeys(thing.parents):
            if parent == thing.name or parent not in self._objects:
                continue  # reported already
            exists = timed.facts[EXISTS, parent, None]
            goes = [stop for _, stop in exists if stop < self._video.n_frames]
            if self._refused.has_fact(parent):
                continue
            if not goes:
                self._annotation.tell(
                    "parent_stays", thing.line, "parents", found=parent, child=thing.name
                )
                continue
            come, go = min(((c, g) for c in comes for g in goes), key=lambda p: abs(p[0] - p[1]))
            if abs(come - go) > APART_FRAMES:
                self._annotation.tell(
                    "parent_apart", thing.line, "parents", found=parent, frame=go,
                    child=thing.name, child_frame=come, allowed=APART_FRAMES,
                )  # fmt: skip

    def _hint(self, kind: str, name: str, known: Iterable[str]) -> str:
        """Text about the probable meaning."""
        near = self._nearest(kind, name, known)
        return "" if near is None else f" (did you mean {near!r}?)"

    def _nearest(self, kind: str, name: str, known: Iterable[str]) -> str | None:
        """The probable meaning, if there is one."""
        if (kind, name) not in self._near:
            if len(self._near) >= MAX_HINTS:
                return None
            names = list(known)
            near = nearest(name) if kind == "predicate" else None
            found = [near] if near in names else []
            found = found or [other for other in names if other.casefold() == name.casefold()]
            found = found or difflib.get_close_matches(name, names, n=1)
            self._near[kind, name] = found[0] if found else None
        return self._near[kind, name]

    def _check_existence(self, timed: Timed, line_of: dict[tuple[Fact, int], int]) -> None:
        for fact, intervals in timed.facts.items():
            if fact[0] == EXISTS:
                continue
            if self._refused.has_fact(*fact[1:]):
                continue  # it may have ended in a row that does not count
            for frame_from, frame_to in intervals:
                for name in (n for n in fact[1:] if n is not None):
                    exists = timed.facts[EXISTS, name, None]
                    if any(a <= frame_from and frame_to <= b for a, b in exists):
                        continue
                    if self._refused.has_fact(name):
                        continue
                    self._annotation.tell(
                        "does_not_exist",
                        line_of[fact, frame_from],
                        "subject" if name == fact[1] else "object",
                        found=name,
                        frame=_first_outside(frame_from, frame_to, exists),
                        fact=fact_text(fact),
                    )


def _within(views: list[View], exists: list[Interval]) -> list[View]:
    """Views cut to the frames at which their object exists."""
    cut = [
        (max(a, frame_from), min(b, frame_to), box)
        for frame_from, frame_to, box in views
        for a, b in exists
    ]
    return sorted((v for v in cut if v[0] < v[1]), key=lambda view: view[0])


def _first_outside(frame_from: int, frame_to: int, exists: list[Interval]) -> int:
    """First frame of an interval that lies in none of ``exists``."""
    at = frame_from
    for a, b in sorted(exists):
        if a <= at < b:
            at = b
    return min(at, frame_to - 1)


def _without_assumed(placed: list[tuple[int, Change]]) -> list[tuple[int, Change]]:
    """Without what is assumed to have held before frame 0 and ends there: it never held."""
    ended_at_0: dict[Fact, Change] = {}
    for frame, change in placed:
        if frame == 0 and change.operation == "remove":
            ended_at_0.setdefault(fact_of(change), change)
    assumed = [c for _, c in placed if c.is_assumed and fact_of(c) in ended_at_0]
    left_out = {id(c) for a in assumed for c in (a, ended_at_0[fact_of(a)])}
    return [one for one in placed if id(one[1]) not in left_out]
