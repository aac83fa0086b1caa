"""Turns beginnings and ends of an annotation, in order, into intervals of frames.

Consequences of a refused row are not reported: a second message would give wrong advice, such as to
delete the row or correct the name.
"""

from collections.abc import Collection

from enact_assets.demonstrations.replay.annotation import Annotation, Change
from enact_assets.settings.predicates import CATALOGUE, EXISTS

Fact = tuple[str, str, str | None]
"""Predicate, subject, object."""
Box = tuple[int, int, int, int]
"""Left, top, right, bottom edge in px, inclusive."""
Interval = tuple[int, int]
View = tuple[int, int, Box | None]
"""First frame, first frame after it, box if one is given."""


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
