"""Checks consistent annotations for impossible and improbable facts.

An impossible fact is a problem (``annotation.KINDS``): a cup that holds the robot, two things
inside each other. A possible but improbable fact is a warning (:data:`DOUBTS`), which stops
nothing.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable

from enact_assets.demonstrations.replay.annotation import Annotation, Change, problem_of
from enact_assets.demonstrations.replay.annotation_time import (
    Fact,
    Interval,
    Timed,
    fact_of,
    fact_text,
)
from enact_assets.settings.predicates import EXISTS, ROBOT
from enact_assets.settings.profile import PAPER

AGENTS = ("agent", ROBOT)
"""Categories of what can hold things; questions word each as the robot."""
GRASPS = ("LeftGrasping", "RightGrasping", "Grasping")
ONE_WAY = ("Contains", "Filled", "Inside", "OnTop", "Under")
"""Cannot hold in both directions at a time."""
NESTING = ("Contains", "Filled", "Inside")
"""Of these the other direction is odd at any time: a box seldom comes into what it held."""
PLACES = ("Inside", "OnTop")
MIN_SHARE = 0.05
"""If the last change comes before this share of the video, a unit is wrong: seconds written as
frames end at 1/24 of it or before, minutes as seconds at 1/60."""
MIN_MOMENTS = 3
"""So few changes may well all come early."""

DOUBTS: dict[str, tuple[str, str]] = {
    "hidden_before": (
        "{found!r} is unseen until here, frame {frame}; {fact} changes at {before} (changes: {n})",
        "Delete the row if it is seen from the start; if not, say so in a row: hide, at frame 0.",
    ),
    "all_early": (
        "all {n} changes lie in the first {last} of {n_frames} frames",
        "Check the unit: 'time' is in seconds, 'frame' in frames.",
    ),
    "alike_names": (
        "{found!r} and {other!r} differ in capitals, spaces or hyphens only (such pairs: {n})",
        "If they are one thing, list it once; if not, number them.",
    ),
    "alike_categories": (
        "{found!r} and {other!r} differ in capitals, spaces or hyphens only (such pairs: {n})",
        "Write one way: questions repeat categories as they are.",
    ),
    "turned_round": (
        "{fact}, and in line {first_line} {other} (such pairs: {n})",
        "Check which one is the subject: Inside, spoon, cup says that the spoon is inside the cup.",
    ),
    "flicker": (
        "{fact} begins at frame {frame} and ends at {end} (facts as short: {n})",
        f"Correct the times: fewer than {PAPER.flicker_frames} frames are ignored as flicker.",
    ),
    "two_in_one_hand": (
        "{fact} begins while {other} holds (such pairs: {n})",
        "If the hand let go, add the row that removes the earlier grasp.",
    ),
    "left_behind": (
        "{fact} begins after a grasp, while {other} still holds (such pairs: {n})",
        "If the thing was taken away, add the row that removes the earlier fact.",
    ),
}
"""Kind of warning -> what is odd, and what to do about it."""

_At = tuple[Fact, Interval]


def check_grasps(annotation: Annotation) -> None:
    """Add a problem for things that hold agents, and for subjects of grasps that are no agents."""
    category = {thing.name: thing.category for thing in annotation.objects}
    swapped, others = [], defaultdict(list)
    for change in annotation.changes:
        if change.predicate not in GRASPS or change.object is None:
            continue
        holds, held = (category.get(name) for name in (change.subject, change.object))
        if holds is None or held is None or holds in AGENTS:
            continue
        if held in AGENTS:
            swapped.append(change)
        else:
            others[change.subject].append(change)
    for rows in filter(None, (swapped, *others.values())):
        first = rows[0]
        values = {"fact": fact_text(fact_of(first)), "n": len(rows)}
        if rows is swapped:
            annotation.tell("held_agent", first.line, "subject", **values)
        else:
            values |= {"found": first.subject, "category": category[first.subject]}
            annotation.tell("not_an_agent", first.line, "subject", **values)


def check_meaning(annotation: Annotation, timed: Timed, n_frames: int) -> None:
    """Add problems and warnings about ``timed``, what a sound annotation of ``n_frames`` says."""
    _Doubts(annotation, timed, n_frames).find()


class _Doubts:
    """Looks through one annotation; each kind is reported once, with its first example."""

    def __init__(self, annotation: Annotation, timed: Timed, n_frames: int) -> None:
        self._annotation = annotation
        self._timed = timed
        self._n_frames = n_frames
        self._line = {
            (fact_of(change), frame): change.line
            for frame, change in reversed(timed.changes)
            if change.operation == "add"
        }
        self._at = sorted(
            (
                (fact, interval)
                for fact, intervals in timed.facts.items()
                for interval in intervals
                if fact[0] != EXISTS
            ),
            key=lambda at: (at[1], self._line_of(at)),
        )

    def find(self) -> None:
        """Every check."""
        self._views()
        self._moments()
        self._alike("alike_names", "name", lambda thing: thing.name)
        self._alike("alike_categories", "category", lambda thing: thing.category)
        self._directions()
        self._flicker()
        self._hands()
        self._places()

    def _doubt(self, kind: str, line: int, where: str, **values: object) -> None:
        self._annotation.doubts.append(problem_of(DOUBTS, kind, line, where, values))

    def _line_of(self, at: _At) -> int:
        return self._line.get((at[0], at[1][0]), 0)

    def _views(self) -> None:
        first_view: dict[str, tuple[int, Change]] = {}
        for frame, change in self._timed.changes:
            if change.operation in ("show", "hide"):
                first_view.setdefault(change.subject, (frame, change))
        for name, (shown, row) in first_view.items():
            if row.operation != "show":
                continue
            # By the time its picture is taken, a change a little before can be seen.
            before = [
                (frame, change)
                for frame, change in self._timed.changes
                if change.predicate not in ("", EXISTS)
                and name in (change.subject, change.object)
                and 0 < frame < shown - PAPER.settle_frames
            ]
            if before:
                frame, change = before[0]
                self._doubt(
                    "hidden_before", row.line, "change", found=name, frame=shown, n=len(before),
                    fact=fact_text(fact_of(change)), before=frame,
                )  # fmt: skip

    def _moments(self) -> None:
        frames = [frame for frame, _ in self._timed.changes]
        last = max(frames, default=0) + 1
        if len(set(frames)) >= MIN_MOMENTS and last < MIN_SHARE * self._n_frames:
            n = len(frames)
            self._doubt("all_early", 0, "", n=n, last=last, n_frames=self._n_frames)

    def _alike(self, kind: str, where: str, text_of: Callable[..., str]) -> None:
        seen: dict[str, str] = {}
        pairs: dict[tuple[str, str], int] = {}
        for thing in self._annotation.objects:
            text = text_of(thing)
            first = seen.setdefault(re.sub(r"[\s_-]+", "_", text.casefold()), text)
            if first != text:
                pairs.setdefault((first, text), thing.line)
        if pairs:
            (first, text), line = next(iter(pairs.items()))
            self._doubt(kind, line, where, found=text, other=first, n=len(pairs))

    def _directions(self) -> None:
        together: list[tuple[_At, _At]] = []
        turned: list[tuple[_At, _At]] = []
        for at in self._at:
            (predicate, subject, other), (frame, _) = at
            if predicate not in ONE_WAY or other is None:
                continue
            back: Fact = (predicate, other, subject)
            earlier = [i for i in self._timed.facts.get(back, ()) if i <= at[1]]
            overlapping = [i for i in earlier if i[1] > frame]
            if overlapping and (overlapping[0] < at[1] or subject > other):
                together.append((at, (back, overlapping[0])))
            elif earlier and not overlapping and predicate in NESTING:
                turned.append((at, (back, earlier[0])))
        for pairs, is_problem in ((together, True), (turned, False)):
            if not pairs:
                continue
            at, back_at = pairs[0]
            values = {"fact": fact_text(at[0]), "other": fact_text(back_at[0]), "n": len(pairs)}
            line = self._line_of(at)
            if is_problem:
                self._annotation.tell("both_ways", line, "subject", frame=at[1][0], **values)
            else:
                values["first_line"] = self._line_of(back_at)
                self._doubt("turned_round", line, "subject", **values)

    def _flicker(self) -> None:
        short = [
            at
            for at in self._at
            if at[1][1] - at[1][0] < PAPER.flicker_frames and at[1][1] < self._n_frames
        ]
        if short:
            fact, (frame, end) = first = short[0]
            self._doubt(
                "flicker", self._line_of(first), "change", fact=fact_text(fact), frame=frame,
                end=end, n=len(short),
            )  # fmt: skip

    def _hands(self) -> None:
        by_hand: dict[tuple[str, str], list[_At]] = defaultdict(list)
        for at in self._at:
            predicate, subject, _ = at[0]
            if predicate in ("LeftGrasping", "RightGrasping"):
                by_hand[predicate, subject].append(at)
        self._pairs("two_in_one_hand", _overlapping(by_hand.values()))

    def _places(self) -> None:
        by_thing: dict[tuple[str, str], list[_At]] = defaultdict(list)
        grasped: dict[str, list[int]] = defaultdict(list)
        for at in self._at:
            (predicate, subject, other), (frame, _) = at
            if predicate in PLACES:
                by_thing[predicate, subject].append(at)
            elif predicate in GRASPS and other is not None:
                grasped[other].append(frame)
        self._pairs(
            "left_behind",
            (
                (earlier, later)
                for earlier, later in _overlapping(by_thing.values())
                if any(earlier[1][0] < f <= later[1][0] for f in grasped[later[0][1]])
                and not self._are_joined(earlier[0][2], later[0][2], later[1][0])
            ),
        )

    def _are_joined(self, one: str | None, two: str | None, frame: int) -> bool:
        """Whether one is on top of or inside the other at ``frame``."""
        return any(
            begins <= frame < ends
            for predicate in PLACES
            for a, b in ((one, two), (two, one))
            for begins, ends in self._timed.facts.get((predicate, a or "", b), ())
        )

    def _pairs(self, kind: str, pairs: Iterable[tuple[_At, _At]]) -> None:
        """Warn of ``pairs`` of an earlier and a later fact."""
        found = list(pairs)
        if found:
            earlier, later = min(found, key=lambda pair: pair[1][1])
            self._doubt(
                kind, self._line_of(later), "change", fact=fact_text(later[0]),
                other=fact_text(earlier[0]), n=len(found),
            )  # fmt: skip


def _overlapping(groups: Iterable[list[_At]]) -> Iterable[tuple[_At, _At]]:
    """Pairs within each group, in the order of beginnings, of which the earlier one still holds."""
    for group in groups:
        still: list[_At] = []
        for at in group:
            still = [one for one in still if one[1][1] > at[1][0]]
            yield from ((one, at) for one in still)
            still.append(at)
