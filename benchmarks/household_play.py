"""A made-up household played out in symbols: what holds when, and where everything is.

The robot takes things, puts them elsewhere, opens, closes and switches furniture, slices and cooks
food. Sensors flicker: facts drop out, or appear, for a few frames. All of it follows from a seed.
"""

from dataclasses import dataclass

import numpy as np

Fact = tuple[str, str, str | None]
"""Predicate, subject, object; the last is None for states of one object."""

ROBOT = "robot_r1"
HALVES = 2
HANDS = ("RightGrasping", "LeftGrasping")
FLOORS = ("floors", "floors")
SURFACES = ("countertop", "breakfast_table", "shelf", "sink", "coffee_table")
CONTAINERS = ("fridge", "bottom_cabinet", "bottom_cabinet", "top_cabinet", "oven", "trash_can")
DEVICES = ("burner", "microwave")
FOOD = ("apple", "tomato", "pumpkin", "bell_pepper", "chicken_breast", "bacon", "potato", "bagel")
THINGS = (
    *("plate", "plate", "bowl", "bowl", "mug", "mug", "teapot", "stockpot", "carving_knife"),
    *("chopping_board", "sponge", "notebook", "water_bottle", "jar_of_honey", "gift_box", "candle"),
    *("butter_cookie", "wine_bottle", "saucepan", "tray", "hand_towel", "wicker_basket"),
)
N_THINGS, N_FOOD = 17, 5
MEAN_GAP_FRAMES, SMALLEST_GAP_FRAMES = 290, 160
"""Between two events, at 30 frames per second; with the smallest gap as floor."""
FIRST_EVENT, TAIL_FRAMES = 130, 90
FRAMES_PER_FLICKER = 100
SHARE_TOUCHING = 0.5


@dataclass(frozen=True)
class Interval:
    """A fact holds from the first of these frames to before the last."""

    fact: Fact
    frame_from: int
    frame_to: int


@dataclass(frozen=True)
class Move:
    """From ``frame`` on, ``thing`` is at furniture ``place``; None if the robot holds it."""

    frame: int
    thing: str
    place: str | None
    is_hidden: bool


@dataclass(frozen=True)
class Play:
    """A demonstration in symbols. ``events`` are (frame, what the robot turns to)."""

    categories: dict[str, str]
    parents: dict[str, list[str]]
    furniture: tuple[str, ...]
    intervals: list[Interval]
    moves: list[Move]
    events: list[tuple[int, str]]


def _touching(one: str, other: str) -> Fact:
    first, second = sorted((one, other))
    return "Touching", first, second


def play(seed: int, n_frames: int) -> Play:
    """The household of ``seed`` over ``n_frames``, at least a few hundred."""
    stage = _Stage(np.random.default_rng([seed, n_frames]), n_frames)
    frame = FIRST_EVENT
    while frame < n_frames - TAIL_FRAMES:
        stage.act(frame)
        spread = MEAN_GAP_FRAMES - SMALLEST_GAP_FRAMES
        frame += SMALLEST_GAP_FRAMES + int(stage.random.integers(0, 2 * spread))
    return stage.finish()


class _Stage:
    """The household while it is played."""

    def __init__(self, random: np.random.Generator, n_frames: int) -> None:
        self.random = random
        self.n_frames = n_frames
        self.categories: dict[str, str] = {ROBOT: "agent"}
        self.parents: dict[str, list[str]] = {}
        self.since: dict[Fact, int] = {}
        self.intervals: list[Interval] = []
        self.moves: list[Move] = []
        self.events: list[tuple[int, str]] = []
        self.place_of: dict[str, tuple[str, str] | None] = {}
        self.hand_of: dict[str, str] = {}
        self._furnish()

    def _furnish(self) -> None:
        self._begin(("Exists", ROBOT, None), 0)
        floors = [self._add(name, k, 0, is_fixed=True) for k, name in enumerate(FLOORS)]
        fixed = (*SURFACES, *CONTAINERS, *DEVICES)
        self.fixed = [self._add(name, k, 0, is_fixed=True) for k, name in enumerate(fixed)]
        for name in self.fixed:
            self._begin(("OnTop", name, self._any(floors)), 0)
        self.surfaces = self.fixed[: len(SURFACES)]
        self.containers = self.fixed[len(SURFACES) : len(SURFACES) + len(CONTAINERS)]
        self.devices = self.fixed[-len(DEVICES) :]
        self.furniture = (*floors, *self.fixed)
        chosen = [*self._some(THINGS, N_THINGS), *self._some(FOOD, N_FOOD)]
        for number, name in enumerate(chosen):
            self._put(self._add(name, 3 + 4 * number, 0, is_fixed=False), 0, self._open_places())
        for thing in self._some(sorted(self.place_of), 4):
            self._begin(("Covered", thing, "dust"), 0)
        self.categories["dust"] = "System"
        self._begin(("Exists", "dust", None), 0)

    def _any(self, options: list[str]) -> str:
        return options[int(self.random.integers(len(options)))]

    def _some(self, options: "tuple[str, ...] | list[str]", n: int) -> list[str]:
        return [options[k] for k in np.sort(self.random.permutation(len(options))[:n])]

    def _add(self, category: str, number: int, frame: int, *, is_fixed: bool) -> str:
        letters = "".join(chr(97 + k) for k in self.random.integers(0, 26, size=6))
        name = f"{category}_{letters}_{number}" if is_fixed else f"{category}_{number}"
        self.categories[name] = category
        self._begin(("Exists", name, None), frame)
        return name

    def _begin(self, fact: Fact, frame: int) -> None:
        self.since.setdefault(fact, frame)

    def _end(self, fact: Fact, frame: int) -> None:
        begun = self.since.pop(fact, frame)
        if begun < frame:
            self.intervals.append(Interval(fact, begun, frame))

    def _is_open(self, container: str) -> bool:
        return ("Open", container, None) in self.since

    def _open_places(self) -> list[str]:
        return [*self.surfaces, *self.surfaces, *filter(self._is_open, self.containers)]

    def _put(self, thing: str, frame: int, places: list[str]) -> str:
        place = self._any(places)
        is_inside = place in self.containers
        self._begin(("Inside" if is_inside else "OnTop", thing, place), frame)
        if self.random.random() < SHARE_TOUCHING:
            self._begin(_touching(thing, place), frame)
        self.place_of[thing] = (place, "Inside" if is_inside else "OnTop")
        self.moves.append(Move(frame, thing, place, is_inside and not self._is_open(place)))
        return place

    def _leave(self, thing: str, frame: int) -> str:
        """End all facts about where ``thing`` is; returns the furniture it was at."""
        found = self.place_of.pop(thing)
        assert found is not None
        place, predicate = found
        self._end((predicate, thing, place), frame)
        self._end(_touching(thing, place), frame)
        return place

    def act(self, frame: int) -> None:
        """One thing happens at ``frame``."""
        kind = self.random.random()
        if self.hand_of and (kind < 0.45 or len(self.hand_of) == len(HANDS)):
            self._place(frame)
        elif kind < 0.6:
            self._take(frame)
        elif kind < 0.8:
            self._switch("Open", self.containers, frame)
        elif kind < 0.88:
            self._switch("ToggledOn", self.devices, frame)
        else:
            self._prepare(frame)

    def _reachable(self) -> list[str]:
        return [
            thing
            for thing, found in sorted(self.place_of.items())
            if found and (found[0] not in self.containers or self._is_open(found[0]))
        ]

    def _take(self, frame: int) -> None:
        thing = self._any(self._reachable())
        place = self._leave(thing, frame)
        hand = self._any([h for h in HANDS if h not in self.hand_of.values()])
        self._begin((hand, ROBOT, thing), frame)
        self._end(("Covered", thing, "dust"), frame)
        self.hand_of[thing] = hand
        self.moves.append(Move(frame, thing, None, is_hidden=False))
        self.events.append((frame, place))

    def _place(self, frame: int) -> None:
        thing = min(self.hand_of)
        self._end((self.hand_of.pop(thing), ROBOT, thing), frame)
        self.events.append((frame, self._put(thing, frame, self._open_places())))

    def _switch(self, predicate: str, options: list[str], frame: int) -> None:
        name = self._any(options)
        fact: Fact = (predicate, name, None)
        if fact in self.since:
            self._end(fact, frame)
        else:
            self._begin(fact, frame)
        is_hidden = predicate == "Open" and fact not in self.since
        for thing, found in sorted(self.place_of.items()):
            if found == (name, "Inside"):
                self.moves.append(Move(frame, thing, name, is_hidden))
        self.events.append((frame, name))

    def _prepare(self, frame: int) -> None:
        """Cook food that was cooked before, or slice food that was not."""
        food = [t for t in self._reachable() if self.categories[t] in FOOD]
        if not food:
            self._switch("Open", self.containers, frame)
            return
        thing = self._any(food)
        if self.random.random() < 0.5 and ("Cooked", thing, None) not in self.since:
            self._begin(("Cooked", thing, None), frame)
            found = self.place_of[thing]
            self.events.append((frame, found[0] if found else self.fixed[0]))
            return
        place = self._leave(thing, frame)
        for fact in [f for f in self.since if thing in f[1:]]:
            self._end(fact, frame)
        for number in range(HALVES):
            half = f"half_{thing}_{number}"
            self.categories[half] = f"half_{self.categories[thing]}"
            self.parents[half] = [thing]
            self._begin(("Exists", half, None), frame)
            self._put(half, frame, [place])
        self.events.append((frame, place))

    def finish(self) -> Play:
        """End what still holds and let the sensors flicker."""
        for fact in list(self.since):
            self._end(fact, self.n_frames)
        return Play(
            self.categories,
            self.parents,
            self.furniture,
            self._flicker(self.intervals),
            self.moves,
            self.events,
        )

    def _flicker(self, intervals: list[Interval]) -> list[Interval]:
        """Cut short gaps into intervals, often soon after the fact began, and add short contacts.

        Gaps and contacts last 1 to 8 frames: both profiles filter them, except where the public
        release's windows let them pass.
        """
        cuts: dict[int, list[tuple[int, int]]] = {}
        usable = [k for k, i in enumerate(intervals) if i.fact[0] != "Exists"]
        for _ in range(self.n_frames // FRAMES_PER_FLICKER):
            k = usable[int(self.random.integers(len(usable)))]
            span = intervals[k]
            length = int(self.random.integers(1, 9))
            reach = span.frame_to - span.frame_from - length - 2
            if reach < 1:
                continue
            reach = min(reach, 30) if self.random.random() < 0.5 else reach
            start = span.frame_from + 1 + int(self.random.integers(reach))
            cuts.setdefault(k, []).append((start, start + length))
        found = []
        for k, span in enumerate(intervals):
            begin = span.frame_from
            for start, end in sorted(cuts.get(k, [])):
                if start > begin:
                    found.append(Interval(span.fact, begin, start))
                    begin = end
            found.append(Interval(span.fact, begin, span.frame_to))
        return [*found, *self._brushes()]

    def _brushes(self) -> list[Interval]:
        """The robot touches furniture in passing."""
        found = []
        for name in self.fixed:
            frame = int(self.random.integers(20, 400))
            while frame < self.n_frames - 20:
                length = int(self.random.integers(1, 9))
                fact = _touching(ROBOT, name)
                found.append(Interval(fact, frame, frame + length))
                frame += length + int(self.random.integers(200, 4000))
        return found
