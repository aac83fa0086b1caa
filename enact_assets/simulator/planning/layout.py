"""Where things stand: spots drawn at random that are in reach, free, and seen.

A thing has one spot for each place it comes to, in turn. Spots of different things keep apart, or
one thing leaves before the other comes; what stands before another thing, in the way of a hand or
in the picture, leaves before it is moved or comes afterwards. Such waits are part of the layout,
and the plan keeps to them.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache

import numpy as np

from enact_assets.engine.errors import PlanError, entry_named
from enact_assets.settings.arrays import Floats
from enact_assets.simulator.mechanics.bounds import GeomShapes, geom_bounds
from enact_assets.simulator.planning.sight import EYES, Seen, is_seen, is_seen_in, seen
from enact_assets.simulator.robot.kinematics import (
    REACH_M,
    SIDES,
    BasePose,
    HandPose,
    Side,
    reach_needed,
)
from enact_assets.simulator.robot.stances import (
    PULL_M,
    common_stance,
    grip_pose,
    lifted,
    standing_place,
    wide_grip,
)
from enact_assets.simulator.rooms.fixtures import Access
from enact_assets.simulator.rooms.furnished import SPOUT, Site, Space
from enact_assets.simulator.shapes.mjcf import Scene, Vec3
from enact_assets.simulator.skills import both_hands
from enact_assets.simulator.things.kinds import builders
from enact_assets.simulator.things.thing_parts import Parts
from enact_assets.simulator.things.thing_rows import CATALOGUE, Row

Event = tuple[str, int]
"""A thing comes to the place of this number; to number 0 if a recipe makes it there."""
Wait = tuple[Event, Event]
"""The first happens before the second."""

TRIES, TRIES_EACH = 6, 30
"""So often spots are drawn for a thing, and each of them, before a layout is given up."""
AT_EDGE = 0.6
"""So often a thing stands at an edge."""
GAP_M = 0.025
BESIDE_M = 0.02
"""Things keep so far apart, and from what is drawn out level beside them."""
CORNER_M = 0.03
"""Boxes of what is seen, whose corners are empty, may meet by so much."""
GAP_ON_M = 0.004
"""So far apart on or in one thing, where there is little room."""
GAP_MADE_M = 0.01
FLAT_M = 0.03
"""What is lower is not in the way."""
SPARE_M = 0.01
OVERHANG_M = 0.015
"""A thing may be so much wider than what it stands on."""
WALL_M = 0.01
RISES_M: Mapping[Access, tuple[float, ...]] = {"top": (0.0, 0.05, 0.13), "front": (0.0, 0.03)}
"""Heights over a spot at which the hand must be, from where the base stands."""


@dataclass(frozen=True)
class Shape:
    """A kind as a layout sees it: how it is held, and corners (3,), about its origin, of the box of
    all that collides and of all that is seen.
    """

    parts: Parts
    solid: tuple[Floats, Floats]
    whole: tuple[Floats, Floats]

    @property
    def area(self) -> float:
        """What it takes of the plane, in m2."""
        return float(np.prod((self.solid[1] - self.solid[0])[:2]))


@cache
def shape_of(kind: str) -> Shape:
    """The shape of a kind of thing. Errors: :class:`UnknownNameError`."""
    import mujoco

    build = entry_named(builders(), kind, "kind of thing", "See simulator/things/catalogue.")
    theme = next(t for t in CATALOGUE.themes if kind in CATALOGUE.kinds_of(t))
    facts, scene = CATALOGUE.read(Row, theme, kind).facts, Scene()
    parts = build(scene, kind, (0.5, 0.5, 0.5))
    scene.body(kind, (0, 0, 0), parts.geoms)
    model = mujoco.MjModel.from_xml_string(scene.xml())
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    solid = GeomShapes.of(model)
    turns = data.geom_xmat[solid.ids].reshape(1, -1, 3, 3)
    low, high = geom_bounds(solid, data.geom_xpos[solid.ids][None], turns)
    x0, y0, x1, y1 = facts.footprint
    whole = (np.array([x0, y0, 0.0]), np.array([x1, y1, facts.height]))
    return Shape(parts, (low[0].min(axis=0), high[0].max(axis=0)), whole)


@dataclass(frozen=True)
class Spot:
    """A place ``at`` from the origin of ``on``, in m, there ``pos`` (3,) in the world, where a
    thing of this shape stands, after all on or in the fixture ``site``. A thing that it is on
    is then at its place of the number ``stage``.
    """

    on: str
    site: str
    stage: int
    at: tuple[float, float]
    access: Access
    pos: Floats
    shape: Shape
    gap: float = GAP_M

    @property
    def support(self) -> str:
        """The fixture or thing that it is on or in."""
        return self.on.removesuffix(SPOUT)

    @cached_property
    def solid(self) -> tuple[list[float], list[float]]:
        """Corners of what collides."""
        low, high = self.shape.solid
        return (self.pos + low).tolist(), (self.pos + high).tolist()

    @cached_property
    def whole(self) -> tuple[list[float], list[float]]:
        """Corners of what is seen."""
        low, high = self.shape.whole
        return (self.pos + low).tolist(), (self.pos + high).tolist()

    @cached_property
    def seen(self) -> tuple[Seen, ...]:
        """Where it is in the picture."""
        return seen(*self.whole)

    def lifted(self, rise: float) -> tuple[Seen, ...]:
        """Where the thing is in the picture when it has been lifted by so much, in m."""
        low, high = self.whole
        return seen([*low[:2], low[2] + rise], [*high[:2], high[2] + rise])


@dataclass(eq=False)
class Item:
    """A thing that finds a spot at each of its places, and the hand that carries it.

    ``made`` is what it is made of, its number among what comes of that, and how many these are;
    ``begins`` is the event that makes it, ``ends`` that which uses it up. What it stands on takes
    it to places in ``rides``, by their number. Others come to it at its place number ``use``.
    """

    name: str
    kind: str
    places: tuple[str, ...]
    made: tuple[str, int, int] | None = None
    begins: Event | None = None
    ends: Event | None = None
    rides: Mapping[int, Event] = field(default_factory=dict)
    use: int = 0
    room: float = 0.0
    """So far to the left and right reaches what comes of it at its last place."""
    hand: Side | None = None
    spots: list[Spot] = field(default_factory=list)

    @property
    def shape(self) -> Shape:
        """Of its kind."""
        return shape_of(self.kind)

    @property
    def is_wide(self) -> bool:
        """Whether both hands carry it: from above only."""
        is_level = any(spot.access == "front" for spot in self.spots)
        return self.shape.parts.grasp_wide is not None and not is_level

    def comes(self, number: int) -> Event | None:
        """What brings it to the place of this number; None if it is there at the start."""
        return self.rides.get(number, (self.name, number)) if number > 0 else self.begins

    def leaves(self, number: int) -> Event | None:
        """What takes it away from there; None if it stays."""
        return self.comes(number + 1) if number + 1 < len(self.places) else self.ends

    def is_handled(self, number: int) -> bool:
        """Whether a hand takes it from there or sets it down there, or does neither with it."""
        has_come = number > 0 and number not in self.rides
        goes = number + 1 < len(self.places) and number + 1 not in self.rides
        return has_come or goes or not self.rides


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

    def _try(self, item: Item) -> str:
        """Give an item spots; returns why they cannot be, or nothing."""
        item.spots, found = [], set[Wait]()
        for number, on in enumerate(item.places):
            problem, spot = "", None
            for _ in range(TRIES_EACH):
                is_given = bool(item.begins and not number) or number in item.rides
                spot = self._given(item, number) if is_given else self._draw(item, number, on)
                if spot is None:
                    return f"{on} has no room for it"
                waits = self._waits(item, spot, found)
                problem = waits if isinstance(waits, str) else self._out_of_reach(item, spot)
                if not problem or is_given:
                    break
            if problem or spot is None or isinstance(waits, str):
                return problem
            item.spots.append(spot)
            found |= waits
        if not item.is_wide:
            hands = [side for side in SIDES if item.hand in (None, side)]
            usable = [side for side in hands if reaches(item, side)]
            item.hand = usable[int(self.rng.integers(len(usable)))]
        self.items[item.name] = item
        self.waits |= found
        return ""

    def _out_of_reach(self, item: Item, spot: Spot) -> str:
        """Says that no hand brings an item to its next spot; what is wide may stay out of reach."""
        if item.is_wide and len(item.places) == 1:
            return ""
        so_far = replace(item, spots=[*item.spots, spot])
        if any(reaches(so_far, side) for side in SIDES if item.hand in (None, side)):
            return ""
        return "it is out of reach" + " of both hands" * so_far.is_wide

    def _given(self, item: Item, number: int) -> Spot:
        """Where what holds a thing takes it, or a recipe makes it: side by side with what else
        comes of the same, or in the middle of the vessel.
        """
        if number in item.rides:
            spot, (_, stage) = item.spots[-1], item.rides[number]
            on = self.items[spot.on].spots
            pos = spot.pos + on[stage].pos - on[stage - 1].pos
            site, access = on[stage].site, on[stage].access
            return replace(spot, site=site, stage=stage, access=access, pos=pos)
        if item.made is None:
            below = self.items[item.places[0]]
            spot, rise = below.spots[below.use], np.array([0.0, 0.0, below.shape.parts.rest_height])
            pos = spot.pos + rise
            return replace(spot, on=below.name, stage=below.use, at=(0.0, 0.0), pos=pos,
                           shape=item.shape)  # fmt: skip
        parent, number, n = item.made
        spot, width = self.items[parent].spots[-1], made_width(item.kind)
        x = spot.at[0] + (number - (n - 1) / 2) * width
        pos = spot.pos + np.array([x - spot.at[0], 0.0, 0.0])
        return replace(spot, at=(x, spot.at[1]), pos=pos, shape=item.shape)

    def _draw(self, item: Item, number: int, on: str) -> Spot | None:
        shape = item.shape
        solid = shape.solid
        if item.room and number == len(item.places) - 1:
            aside = np.array([item.room, 0.0, 0.0])
            solid = (np.minimum(solid[0], -aside), np.maximum(solid[1], aside))
        below = self.items.get(on)
        stage = self._stage(item, number, below) if below else 0
        origin, spaces = self._support(item, solid, on, stage)
        rooms: list[tuple[Space, list[tuple[float, float]]]] = []
        for space in spaces:
            spans = [space.x, space.y]
            if not space.is_point:
                low, high = (corner.tolist() for corner in solid)
                spans = [(span[0] - low[k], span[1] - high[k]) for k, span in enumerate(spans)]
            is_low = shape.whole[1][2] <= space.height
            if is_low and all(b - a > -OVERHANG_M for a, b in spans):
                rooms.append((space, spans))
        if not rooms:
            return None
        sizes = np.array([math.prod(max(b - a, 0.02) for a, b in spans) for _, spans in rooms])
        space, spans = rooms[int(self.rng.choice(len(rooms), p=sizes / sizes.sum()))]
        at = [float(self.rng.uniform(min(s), max(s))) for s in spans]
        if self.rng.random() < AT_EDGE:
            # So it leaves more room for others.
            k, end = (int(n) for n in self.rng.integers(2, size=2))
            at[k] = spans[k][end]
        x, y = (round(value, 4) for value in at)
        gap = GAP_M if on in self.sites else GAP_ON_M
        site, pos = below.spots[stage].site if below else on, origin + np.array([x, y, 0.0])
        return Spot(on, site, stage, (x, y), space.access, pos, shape, gap)

    def _stage(self, item: Item, number: int, below: Item) -> int:
        """The place, by number, at which ``below`` is when another thing is on it at ``number``."""
        if number + 1 in item.rides:
            return item.rides[number + 1][1] - 1
        use = below.use if item.leaves(number) is not None else len(below.places) - 1
        return use if number else 0

    def _is_seen(self, spot: Spot) -> bool:
        if spot.access == "top":
            return is_seen(spot.seen) and all(
                is_seen_in(hollow, *spot.whole, is_open_above=True) for hollow in self.hollows(spot)
            )
        fixture = self.sites[spot.site].fixture
        if fixture.cavity is None:
            return is_seen(spot.seen)
        # Orders in which the robot comes from the other side of the room are refused later.
        near = [eye for eye in EYES if eye[0] * fixture.origin[0] >= 0]
        return is_seen_in(fixture.cavity, *spot.whole, near, is_open_above=False)

    def hollows(self, spot: Spot) -> Iterator[tuple[Vec3, Vec3]]:
        """The inner boxes, in the world, of what something is put into, and of what that is in."""
        if spot.on in self.sites:
            fixture = self.sites[spot.on].fixture
            away = np.subtract(fixture.origin_at_start(is_open=True), fixture.origin)
            of, rim = fixture.cavity, math.inf
        else:
            below = self.items[spot.on]
            of, away = below.shape.parts.cavity, below.spots[spot.stage].pos
            rim = float(away[2] + below.shape.solid[1][2])
            yield from self.hollows(below.spots[spot.stage])
        if of is not None:
            (left, front, low), (right, back, high) = ((away + corner).tolist() for corner in of)
            yield (left, front, low), (right, back, min(high, rim))

    def _of_support(self, item: Item, number: int, mine: Spot) -> set[Wait]:
        """What comes onto a thing that is carried waits for it; what leaves it does so before.

        Errors: :class:`PlanError` if it does not leave.
        """
        below = self.items.get(mine.on)
        comes, leaves = item.comes(number), item.leaves(number)
        found = {(comes, leaves)} if comes is not None and leaves is not None else set[Wait]()
        if below is not None:
            before, after = below.comes(mine.stage), below.leaves(mine.stage)
            if before is not None and comes is not None and number not in item.rides:
                found.add((before, comes))
            if after is not None and leaves is None:
                raise PlanError(
                    f"{item.name} stays on {mine.on}, which is taken away; let that be loaded"
                )
            if after is not None and leaves is not None and leaves != after:
                found.add((leaves, after))
        return found

    def _support(
        self, item: Item, lying: tuple[Floats, Floats], on: str, stage: int
    ) -> tuple[Floats, tuple[Space, ...]]:
        """Origin of spots on a fixture (a drawer's: open) or thing, and where they may be."""
        if on in self.sites:
            site = self.sites[on]
            return np.array(site.fixture.origin_at_start(is_open=True)), site.spaces
        below = self.items[on]
        parts, spot = below.shape.parts, below.spots[stage]
        low, high = below.shape.solid
        if parts.cavity is not None:
            low, high = np.array(parts.cavity[0]) + WALL_M, np.array(parts.cavity[1]) - WALL_M
        # What is about as large as what it stands on or in goes into the middle.
        spans = zip(low - lying[0], high - lying[1], strict=True)
        x, y, _ = (_between(float(a), float(b)) for a, b in spans)
        rest = parts.height if item.shape.parts.is_lid else parts.rest_height
        origin = spot.pos + np.array([0.0, 0.0, rest])
        return origin, (Space(x, y, math.inf, spot.access, is_point=True),)

    def _waits(self, item: Item, mine: Spot, before: set[Wait]) -> set[Wait] | str:
        """What must wait because ``item`` stands there next, or why it cannot be there."""
        if not self._is_seen(mine):
            return f"it is hardly seen there ({mine.on})"
        number = len(item.spots)
        found = self._of_support(item, number, mine)
        if _is_cyclic(self.waits | before | found):
            return f"{mine.on} is elsewhere then"
        for other in self.items.values():
            for j, its in enumerate(other.spots):
                if item.name == its.on or other.name == mine.on:
                    continue
                for problem, choices in _conflicts((item, number, mine), (other, j, its)):
                    if any(first == then for first, then in choices):
                        continue
                    every = self.waits | before | found
                    usable = [c for c in choices if c in every or not _is_cyclic(every | {c})]
                    if not usable:
                        return problem
                    found.add(usable[int(self.rng.integers(len(usable)))])
        return found


def made_width(kind: str) -> float:
    """What a thing of a kind takes among those that come of one thing, side by side, in m."""
    return 2 * shape_of(kind).parts.radius + GAP_MADE_M


def reaches(item: Item, side: Side) -> bool:
    """Whether a hand takes a thing from its first spot and sets it down at the others, turned as it
    was taken; a wide thing both hands.
    """
    parts = item.shape.parts
    handled = [spot for k, spot in enumerate(item.spots) if item.is_handled(k)]
    if item.is_wide:
        grips = [wide_grip(parts, spot.pos, 0.0) for spot in handled]
        return all(common_stance(both_hands.wide_goals(item.name, g)) is not None for g in grips)
    held: _Held | None = None
    for k, spot in enumerate(item.spots):
        held = None if k in item.rides else held
        if item.is_handled(k):
            x, y, z = spot.pos.tolist()
            held = _held_at(item.kind, side, (x, y, z), spot.access, held)
            if held is None:
                return False
    return True


_Held = tuple[Vec3, float, float, float]
"""Where a hand is from the place of what it holds, its heading, slope and opening."""


@lru_cache(maxsize=4096)  # Each next place of a thing asks for those before it again.
def _held_at(kind: str, side: Side, at: Vec3, access: Access, held: _Held | None) -> _Held | None:
    """How a hand holds a thing there, which it took there or ``held`` before; None if it does not
    reach it.
    """
    parts, pos = shape_of(kind).parts, np.array(at)

    def taken(base: BasePose) -> HandPose:
        if held is None:
            return grip_pose(base, side, parts, pos)
        return HandPose(np.array(held[0]) + pos, *held[1:])

    base = standing_place(side, pos, taken)
    grip = taken(base)
    ways = [lifted(grip, rise) for rise in RISES_M[access]]
    if any(reach_needed(base, side, way) > REACH_M - SPARE_M for way in ways):
        return None
    x, y, z = (grip.pos - pos).tolist()
    return (x, y, z), grip.yaw, grip.pitch, grip.opening


def _between(low: float, high: float) -> tuple[float, float]:
    """The range, or its middle if there is none."""
    return (low, high) if low <= high else ((low + high) / 2, (low + high) / 2)


Standing = tuple[Item, int, Spot]
"""An item at its place of this number."""


def _conflicts(a: Standing, b: Standing) -> Iterator[tuple[str, list[Wait]]]:
    """For each trouble between two spots what it is, and the waits of which one mends it."""
    if a[0].made and b[0].made and a[0].made[0] == b[0].made[0] and not a[1] and not b[1]:
        return
    if _overlap(a[2], b[2]):
        yield f"{b[0].name} stands there", [*_gone_before(a, b), *_gone_before(b, a)]
        return
    for (front, m, near), (back, n, far) in ((a, b), (b, a)):
        if far.access == "front" and _is_in_the_way(near, far):
            problem = f"{front.name} would stand in the way of {back.name}"
        elif not is_seen(far.seen, near.seen) or _is_lid_of(front, near, far):
            problem = f"{front.name} would hide {back.name}"
        else:
            continue
        gone, comes = front.leaves(m), front.comes(m)
        for use in (back.comes(n), back.leaves(n)):
            if use is not None and use not in (gone, comes):
                before = [] if gone is None else [(gone, use)]
                yield problem, before + ([] if comes is None else [(use, comes)])
            elif use is not None and use == gone == back.ends:
                yield problem, []  # Both are used up at once, and neither may be hidden then.


def _is_lid_of(lid: Item, its: Spot, other: Spot) -> bool:
    """Whether a lid lies on what another thing is in."""
    is_same = (its.on, its.stage, its.site) == (other.on, other.stage, other.site)
    return lid.shape.parts.is_lid and is_same and its.on != its.site


def _gone_before(a: Standing, b: Standing) -> list[Wait]:
    """That one leaves before the other comes, if it can be."""
    gone, comes = a[0].leaves(a[1]), b[0].comes(b[1])
    return [] if gone is None or comes is None else [(gone, comes)]


def _is_cyclic(waits: set[Wait]) -> bool:
    """Whether what waits waits for itself in the end; a thing comes to its places in turn."""
    after: dict[Event, set[Event]] = {}
    for first, then in waits:
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
    """Whether what collides of two things comes too near, or what is seen of them meets."""
    if p.on == q.on and p.gap < GAP_M:
        return _meet(p.solid, q.solid, p.gap)
    return _meet(p.solid, q.solid, GAP_M) or _meet(p.whole, q.whole, -CORNER_M)


def _meet(
    one: tuple[list[float], list[float]], other: tuple[list[float], list[float]], gap: float
) -> bool:
    (low, high), (from_, to) = one, other
    gaps = (gap, gap, 0.0)
    return all(low[k] < to[k] + gaps[k] and from_[k] < high[k] + gaps[k] for k in range(3))


def _is_in_the_way(near: Spot, far: Spot) -> bool:
    """Whether what stands at ``near`` is met on the level way out of or to ``far``."""
    (low, high), (far_low, far_high) = near.solid, far.solid
    if high[2] - far.pos[2] < FLAT_M or low[2] > far_high[2] or near.pos[1] > far.pos[1]:
        return False
    is_aside = high[0] + BESIDE_M < far_low[0] or far_high[0] + BESIDE_M < low[0]
    return not is_aside and high[1] > far_low[1] - PULL_M
