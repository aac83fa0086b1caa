"""Where things stand: spots drawn at random that are in reach, free, and seen.

A thing has one spot for each place it comes to, in turn. Spots of different things keep apart, or
one thing leaves before the other comes; what stands before another thing, in the way of a hand or
in the picture, leaves before it is moved or comes afterwards. Such waits are part of the layout,
and the plan keeps to them.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np

from enact_assets.engine.errors import PlanError, entry_named
from enact_assets.settings.arrays import Floats
from enact_assets.simulator.planning.sight import Seen, is_seen_behind, seen
from enact_assets.simulator.robot.kinematics import (
    REACH_M,
    SIDES,
    BasePose,
    HandPose,
    Side,
    reach_needed,
)
from enact_assets.simulator.robot.stances import (
    common_stance,
    grip_pose,
    standing_place,
    wide_grip,
)
from enact_assets.simulator.rooms.fixtures import Access
from enact_assets.simulator.rooms.furnished import Site, Space
from enact_assets.simulator.shapes.mjcf import Scene, Vec3
from enact_assets.simulator.skills import both_hands
from enact_assets.simulator.skills.executor import PULL_M
from enact_assets.simulator.things.kinds import builders
from enact_assets.simulator.things.thing_parts import Parts
from enact_assets.simulator.things.thing_rows import CATALOGUE, Row

Event = tuple[str, int]
"""A thing comes to the place of this number; its first place only if a recipe makes it there."""
Wait = tuple[Event, Event]
"""The first happens before the second."""

TRIES = 300
"""So many spots are drawn for a thing before a layout is given up."""
GAP_M = 0.025
BESIDE_M = 0.02
"""Things keep so far apart, and from what is drawn out level beside them."""
FLAT_M = 0.03
"""What is lower is not in the way."""
SPARE_M = 0.003
OVERHANG_M = 0.015
"""A thing may be so much wider than what it stands on."""
WALL_M = 0.01
RISES_M: Mapping[Access, tuple[float, ...]] = {"top": (0.0, 0.05, 0.13), "front": (0.0, 0.03)}
"""Heights over a spot at which the hand must be, from where the base stands."""


@dataclass(frozen=True)
class Shape:
    """A kind as a layout sees it: how it is held, and what it takes of the plane about its origin,
    ``low`` and ``high`` corner.
    """

    parts: Parts
    low: tuple[float, float]
    high: tuple[float, float]
    height: float

    @property
    def area(self) -> float:
        """Of what it takes, in m2."""
        return math.prod(high - low for low, high in zip(self.low, self.high, strict=True))


@cache
def shape_of(kind: str) -> Shape:
    """The shape of a kind of thing. Errors: :class:`UnknownNameError`."""
    build = entry_named(builders(), kind, "kind of thing", "See simulator/things/catalogue.")
    theme = next(t for t in CATALOGUE.themes if kind in CATALOGUE.kinds_of(t))
    facts = CATALOGUE.read(Row, theme, kind).facts
    x0, y0, x1, y1 = facts.footprint
    parts = build(Scene(), kind, (0.5, 0.5, 0.5))
    return Shape(parts, (x0, y0), (x1, y1), facts.height)


@dataclass(frozen=True)
class Spot:
    """A place ``at`` from the origin of ``on``, in m, there ``pos`` (3,) in the world; ``box`` are
    the corners of what stands there.
    """

    on: str
    at: tuple[float, float]
    access: Access
    pos: Floats
    box: tuple[Vec3, Vec3]

    @cached_property
    def seen(self) -> Seen:
        """Where it is in the picture."""
        return seen(*self.box)


@dataclass(eq=False)
class Item:
    """A thing that finds a spot at each of its places, and the hand that carries it.

    ``made`` is what it is made of, and its number among what comes of that; ``ends`` what happens
    when it is used up. A wide thing takes both hands.
    """

    name: str
    kind: str
    places: tuple[str, ...]
    made: tuple[str, int, int] | None = None
    ends: Event | None = None
    hand: Side | None = None
    spots: list[Spot] = field(default_factory=list)

    @property
    def shape(self) -> Shape:
        """Of its kind."""
        return shape_of(self.kind)

    @property
    def is_wide(self) -> bool:
        """Whether both hands carry it."""
        return self.shape.parts.grasp_wide is not None

    def comes(self, number: int) -> Event | None:
        """What brings it to the place of this number; None if it is there at the start."""
        return (self.name, number) if number > 0 or self.made else None

    def leaves(self, number: int) -> Event | None:
        """What takes it away from there; None if it stays."""
        return (self.name, number + 1) if number + 1 < len(self.places) else self.ends


class Layout:
    """Spots found so far, on ``sites`` and on things, and the waits that they need."""

    def __init__(self, rng: np.random.Generator, sites: Mapping[str, Site]) -> None:
        self.rng, self.sites = rng, sites
        self.items: dict[str, Item] = {}
        self.waits: set[Wait] = set()

    def place(self, item: Item) -> None:
        """Find spots and a hand for an item whose supports were placed before.

        Errors: :class:`PlanError` says what it has no room for.
        """
        problems: dict[str, int] = {}
        for _ in range(TRIES):
            problem = self._try(item)
            if not problem:
                return
            problems[problem] = problems.get(problem, 0) + 1
        most = max(problems, key=problems.__getitem__)
        raise PlanError(f"no place was found for {item.name} ({' -> '.join(item.places)}): {most}")

    def roots(self, on: str) -> set[str]:
        """The fixtures in or on which something on ``on`` is at some time."""
        if on in self.sites:
            return {on}
        return {root for spot in self.items[on].spots for root in self.roots(spot.on)}

    def _try(self, item: Item) -> str:
        """Give an item spots; returns why they cannot be, or nothing."""
        item.spots = []
        for number, on in enumerate(item.places):
            spot = self._made(item) if item.made and not number else self._draw(item, number, on)
            if spot is None:
                return f"{on} has no room for it"
            if not is_seen_behind(spot.seen):
                return f"it is hardly seen on {on}"
            item.spots.append(spot)
        waits = self._waits(item)
        if isinstance(waits, str):
            return waits
        if not item.is_wide:
            hands = [side for side in SIDES if item.hand in (None, side)]
            usable = [side for side in hands if reaches(item, side)]
            if not usable:
                return "it is out of reach"
            item.hand = usable[int(self.rng.integers(len(usable)))]
        elif not reaches(item, "left"):
            return "it is out of reach of both hands"
        self.items[item.name] = item
        self.waits |= waits
        return ""

    def _made(self, item: Item) -> Spot:
        """Where a recipe makes it: side by side with what else comes of the same."""
        assert item.made is not None  # noqa: S101 - for mypy
        parent, number, n = item.made
        spot, width = self.items[parent].spots[-1], 2 * item.shape.parts.radius + 0.01
        x = spot.at[0] + (number - (n - 1) / 2) * width
        return _spot(item.shape, spot.on, (x, spot.at[1]), spot.access, spot.pos - (*spot.at, 0.0))

    def _draw(self, item: Item, number: int, on: str) -> Spot | None:
        shape = item.shape
        origin, spaces = self._support(shape, on, number)
        rooms: list[tuple[Space, list[tuple[float, float]]]] = []
        for space in spaces:
            spans = [space.x, space.y]
            if not space.is_point:
                spans = [
                    (low - a, high - b)
                    for (low, high), a, b in zip(spans, shape.low, shape.high, strict=True)
                ]
            if all(b - a > -OVERHANG_M for a, b in spans) and shape.height <= space.height:
                rooms.append((space, spans))
        if not rooms:
            return None
        sizes = np.array([math.prod(max(b - a, 0.02) for a, b in spans) for _, spans in rooms])
        space, spans = rooms[int(self.rng.choice(len(rooms), p=sizes / sizes.sum()))]
        x, y = (round(float(self.rng.uniform(min(s), max(s))), 4) for s in spans)
        return _spot(shape, on, (x, y), space.access, origin)

    def _support(self, lying: Shape, on: str, number: int) -> tuple[Floats, tuple[Space, ...]]:
        """Origin of spots on a fixture (a drawer's: open) or thing, and where they may be."""
        if on in self.sites:
            site = self.sites[on]
            return np.array(site.fixture.origin_at_start(is_open=True)), site.spaces
        below = self.items[on]
        parts, spot = below.shape.parts, below.spots[0 if number == 0 else -1]
        low, high = below.shape.low, below.shape.high
        if parts.cavity is not None:
            low, high = (
                (corner[0] + way * WALL_M, corner[1] + way * WALL_M)
                for corner, way in zip(parts.cavity, (1, -1), strict=True)
            )
        # What is about as large as what it stands on or in goes into the middle.
        x, y = (_between(low[k] - lying.low[k], high[k] - lying.high[k]) for k in (0, 1))
        origin = spot.pos + np.array([0.0, 0.0, parts.rest_height])
        return origin, (Space(x, y, math.inf, spot.access, is_point=True),)

    def _waits(self, item: Item) -> set[Wait] | str:
        """What must wait because ``item`` stands where it does, or why it cannot be there."""
        found: set[Wait] = set()
        for other in self.items.values():
            for i, mine in enumerate(item.spots):
                for j, its in enumerate(other.spots):
                    if item.name == its.on or other.name == mine.on:
                        continue
                    for problem, choices in _conflicts(item, i, other, j):
                        if any(first == then for first, then in choices):
                            continue
                        usable = [c for c in choices if not _is_cyclic(self.waits | found | {c})]
                        if not usable:
                            return problem
                        found.add(usable[int(self.rng.integers(len(usable)))])
        return found


def reaches(item: Item, side: Side) -> bool:
    """Whether a hand takes a thing from its first spot and sets it down at the others, turned as it
    was taken; a wide thing both hands.
    """
    parts = item.shape.parts
    if item.is_wide:
        grips = [wide_grip(parts, spot.pos, 0.0) for spot in item.spots]
        return all(common_stance(both_hands.wide_goals(item.name, g)) is not None for g in grips)
    held: HandPose | None = None
    for spot in item.spots:

        def taken(base: BasePose, spot: Spot = spot, held: HandPose | None = held) -> HandPose:
            grip = grip_pose(base, side, parts, spot.pos)
            return grip if held is None else moved(held, spot.pos)

        base = standing_place(side, spot.pos, taken)
        grip = taken(base)
        ways = [moved(grip, np.array([0.0, 0.0, rise])) for rise in RISES_M[spot.access]]
        if any(reach_needed(base, side, way) > REACH_M - SPARE_M for way in ways):
            return False
        held = moved(grip, -spot.pos)
    return True


def moved(hand: HandPose, way: Floats) -> HandPose:
    """The same hand ``way`` (3,) from there."""
    return HandPose(hand.pos + way, hand.yaw, hand.pitch, hand.opening)


def _spot(
    shape: Shape, on: str, at: tuple[float, float], access: Access, origin: Floats
) -> Spot:
    pos = origin + np.array([*at, 0.0])
    x, y, z = pos.tolist()
    low = (x + shape.low[0], y + shape.low[1], z)
    high = (x + shape.high[0], y + shape.high[1], z + shape.height)
    return Spot(on, at, access, pos, (low, high))


def _between(low: float, high: float) -> tuple[float, float]:
    """The range, or its middle if there is none."""
    return (low, high) if low <= high else ((low + high) / 2, (low + high) / 2)


def _conflicts(a: Item, i: int, b: Item, j: int) -> Iterator[tuple[str, list[Wait]]]:
    """For each trouble between two spots what it is, and the waits of which one mends it."""
    p, q = a.spots[i], b.spots[j]
    if a.made and b.made and a.made[0] == b.made[0] and not i and not j:
        return
    if _overlap(p, q):
        yield f"{b.name} stands there", _choices((a, i), (b, j))
        return
    for front, m, back, n in ((a, i, b, j), (b, j, a, i)):
        near, far = front.spots[m], back.spots[n]
        if far.access == "front" and _is_in_the_way(near, far):
            problem = f"{front.name} would stand in the way of {back.name}"
        elif not is_seen_behind(far.seen, near.seen):
            problem = f"{front.name} would hide {back.name}"
        else:
            continue
        for use in (back.comes(n), back.leaves(n)):
            if use is not None and use not in (front.leaves(m), front.comes(m)):
                gone, comes = front.leaves(m), front.comes(m)
                yield problem, [w for w in ((gone, use), (use, comes)) if None not in w]  # type: ignore[misc]


def _choices(*stays: tuple[Item, int]) -> list[Wait]:
    """One of two leaves before the other one comes, or happens to be replaced by it."""
    found = []
    for (a, i), (b, j) in (stays, stays[::-1]):
        gone, comes = a.leaves(i), b.comes(j)
        if gone is not None and comes is not None:
            found.append((gone, comes))
    return found


def _is_cyclic(waits: set[Wait]) -> bool:
    """Whether what waits waits for itself in the end; a thing comes to its places in turn."""
    after: dict[Event, set[Event]] = {}
    for first, then in waits:
        if first != then:
            after.setdefault(first, set()).add(then)
        for name, k in (first, then):
            after.setdefault((name, k - 1), set()).add((name, k))
    open_now: set[Event] = set()
    done: set[Event] = set()

    def leads_back(event: Event) -> bool:
        if event in open_now or event in done:
            return event in open_now
        open_now.add(event)
        found = any(map(leads_back, after.get(event, ())))
        open_now.discard(event)
        done.add(event)
        return found

    return any(map(leads_back, list(after)))


def _overlap(p: Spot, q: Spot) -> bool:
    """Whether boxes meet, with the gap between things that stand side by side."""
    (low, high), (other_low, other_high) = p.box, q.box
    is_beside = any(
        low[k] >= other_high[k] + GAP_M or other_low[k] >= high[k] + GAP_M for k in (0, 1)
    )
    return not is_beside and low[2] < other_high[2] and other_low[2] < high[2]


def _is_in_the_way(near: Spot, far: Spot) -> bool:
    """Whether what stands at ``near`` is met on the level way out of or to ``far``."""
    (low, high), (far_low, far_high) = near.box, far.box
    if high[2] - far.pos[2] < FLAT_M or low[2] > far_high[2] or near.pos[1] > far.pos[1]:
        return False
    is_aside = high[0] + BESIDE_M < far_low[0] or far_high[0] + BESIDE_M < low[0]
    return not is_aside and high[1] > far_low[1] - PULL_M
