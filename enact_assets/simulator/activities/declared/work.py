"""What one seed does of a declaration: kinds, ways, colours and side are drawn, spots are not."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from enact_assets.engine.errors import ActivityError
from enact_assets.simulator.activities.base import PALETTE, draw_one, draw_some, is_drawn
from enact_assets.simulator.activities.declared.declaration import (
    FACT,
    Declaration,
    Deed,
    Group,
    Names,
    listed,
    options,
    substance,
    verb_of,
)
from enact_assets.simulator.planning.layout import Event, Item, made_width
from enact_assets.simulator.rooms.furnished import STYLES, Furnishing, Piece
from enact_assets.simulator.shapes.surfaces import Color, Surface
from enact_assets.simulator.simulation.recording import GoalFact
from enact_assets.simulator.things.kinds import natural_colors

CUT = {"slice": ("half", 2), "dice": ("diced", 1)}
"""What comes of a thing that is cut: "half_onion_1" and "half_onion_2", or "diced_onion"."""
PATCH, PATCH_KIND = ".patch", "rag"
"""Ends the name of the place where something lies on a fixture, as large as what wipes it off."""
POURED_M = 0.16
"""What is poured into keeps so far from both ends of what it stands on, but for low kitchens."""
ALIKE = 0.35
"""Colours nearer than this in display values look alike at a glance."""


@dataclass(frozen=True)
class Done:
    """A deed of a :class:`Declaration`, with the names that this seed has."""

    verb: str
    to: str
    deed: Deed
    by: str = ""
    place: str = ""
    what: str = ""
    products: tuple[str, ...] = ()
    of: tuple[str, ...] = ()


@dataclass
class Work:
    """What one seed does. ``routes`` are the places that each thing comes to; the first is where it
    starts. ``made`` maps what a recipe makes to what it is made of.
    """

    furnishing: Furnishing
    kinds: dict[str, str] = field(default_factory=dict)
    used: dict[str, str] = field(default_factory=dict)
    routes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)
    colors: dict[str, Color] = field(default_factory=dict)
    labels: dict[str, list[str]] = field(default_factory=dict)
    errands: set[str] = field(default_factory=set)
    deeds: list[Done] = field(default_factory=list)
    opened: set[str] = field(default_factory=set)
    switched_on: set[str] = field(default_factory=set)
    left_open: frozenset[str] = frozenset()
    substances: dict[str, Surface] = field(default_factory=dict)
    filled: list[tuple[str, str, float]] = field(default_factory=list)
    covered: list[tuple[str, str]] = field(default_factory=list)
    goal: list[GoalFact] = field(default_factory=list)
    absent: list[GoalFact] = field(default_factory=list)
    both: int = 0
    touches: float = 0.0
    rocks: float = 0.0
    springs: float = 0.0
    grains: frozenset[str] = frozenset()

    @property
    def fixtures(self) -> dict[str, str]:
        """Name of each fixture -> that of the furniture it is part of."""
        pieces = [piece for those in self.furnishing.pieces.values() for piece in those]
        return {name: piece.name for piece in pieces for name in piece.names}

    def items(self, troubles: Mapping[str, int]) -> list[Item]:
        """All things in the order in which spots are found: what others stand on first, then what
        found no spot so often before, then what takes much room.
        """
        cut = {done.to: done for done in self.deeds if done.verb in CUT}
        patches = sorted({on for on, _ in self.covered if on in self.fixtures})
        items = {f"{on}{PATCH}": Item(f"{on}{PATCH}", PATCH_KIND, (on,)) for on in patches}
        for name in self.routes:
            places, rides, use = self._places(name)
            item = items[name] = Item(name, self.kinds[name], places, rides=rides, use=use)
            if name in cut:
                first, n = cut[name].products[0], len(cut[name].products)
                item.ends, item.room = (first, 0), n * made_width(self.kinds[first]) / 2
            if name in self.made:
                products = cut[self.made[name]].products
                item.made = (self.made[name], products.index(name), len(products))
                item.begins = (products[0], 0)
        for done in self.deeds:
            if done.verb == "pour" and done.to in items and self.furnishing.room != "kitchen":
                items[done.to].room = max(items[done.to].room, POURED_M)
            if done.verb == "stir" and done.products:
                mixed = (done.products[0], 0)
                items[done.products[0]].begins = mixed
                for name in done.of:
                    items[name].ends = mixed

        def depth(name: str) -> int:
            below = [*items[name].places, *([self.made[name]] if name in self.made else [])]
            return 1 + max((depth(on) for on in below if on in items), default=-1)

        def key(item: Item) -> tuple[float, ...]:
            size = item.shape.area + 0.02 * len(item.places)
            return (item.shape.parts.is_lid, depth(item.name), -troubles.get(item.name, 0), -size)

        return sorted(items.values(), key=key)

    def _places(self, name: str) -> tuple[tuple[str, ...], dict[int, Event], int]:
        """All places that a thing comes to, those to which it is taken by what it is on, and the
        number of that where it is used.
        """
        places: list[str] = []
        rides: dict[int, Event] = {}
        for k, on in enumerate(self.routes[name]):
            places.append(on)
            if self.used.get(on) == "loaded":
                below, _, use = self._places(on)
                for number in range(use + 1 if k else 1, len(below)):
                    rides[len(places)] = (on, number)
                    places.append(on)
        own = [k for k in range(1, len(places)) if k not in rides]
        last = len(places) - 1
        uses = {"last": last, "first": 0, "loaded": max(own, default=1) - 1}
        return tuple(places), rides, uses[self.used.get(name, "last")]


def drawn(rng: np.random.Generator, declared: Declaration) -> Work:
    """One version of a declaration."""
    pieces: dict[str, tuple[Piece, ...]] = {
        place: tuple(draw_one(rng, options(said)) for said in names)
        for place, names in declared.furniture.items()
    }
    styles = {room: draw_one(rng, those) for room, those in STYLES.items()}
    color = draw_one(rng, PALETTE[:-1])
    furnishing = Furnishing(declared.room, styles, color, pieces, is_mirrored=is_drawn(rng))
    work = Work(furnishing, left_open=frozenset(declared.left_open), both=declared.both)
    work.touches, work.rocks, work.springs = declared.touches, declared.rocks, declared.springs
    work.grains = frozenset(declared.grains)
    there = work.fixtures
    work.opened = {name for name in declared.opened if name in there and is_drawn(rng)}
    work.switched_on = {name for name in declared.switched_on if name in there and is_drawn(rng)}
    called = _substances(rng, work, declared)
    for group in declared.groups:
        if not group.made:
            _take(rng, work, group, is_errand=group in declared.errands)
    for vessel, (what, share) in declared.filled.items():
        work.filled += [(name, called[what], share) for name in names_of(work, vessel)]
    for on, what in declared.covered.items():
        work.covered += [(name, called[what]) for name in names_of(work, on)]
    for deed in declared.do:
        if deed.makes and deed.makes not in declared.substances:
            work.kinds[deed.makes] = deed.makes
            work.routes[deed.makes] = tuple(names_of(work, str(deed.stir)))
    for is_late in (False, True):
        for deed in declared.do:
            if (bool(deed.of) or deed.cook is not None) == is_late:
                work.deeds += _done(work, deed, called)
        for group in declared.groups:
            if group.made and not is_late:
                _take_made(rng, work, group)
    for text in declared.goal:
        found = FACT.fullmatch(text)
        assert found is not None  # noqa: S101 - checked when it was read
        is_not, predicate, *objects = found.groups()
        first, second = (
            called.get(name) or names_of(work, name)[0] if name else None for name in objects
        )
        (work.absent if is_not else work.goal).append((predicate, str(first), second))
    _paint(rng, work)
    return work


def names_of(work: Work, said: str) -> list[str]:
    """The things or fixtures that there are of a name, or of "NAME or NAME"."""
    known = {name: [name] for name in (*work.fixtures, *work.kinds)} | work.labels
    found = [name for option in said.split(" or ") for name in known.get(option, ())]
    if not found:
        raise ActivityError(
            f"there is no {said} in this version of the activity: name what all versions have, or "
            "give the group that it is drawn from a name (`as`)"
        )
    return found


def _substances(rng: np.random.Generator, work: Work, declared: Declaration) -> dict[str, str]:
    """Draw the substances; returns the name of each by what it is called."""
    called = {}
    for name, said in declared.substances.items():
        real = draw_one(rng, tuple(said)) if isinstance(said, dict) else name
        work.substances[real] = substance(said[real] if isinstance(said, dict) else said)
        called[name] = real
    return called


def _take(rng: np.random.Generator, work: Work, group: Group, *, is_errand: bool) -> None:
    """Draw the things of a group, and their ways."""
    free = [kind for kind in group.kinds if kind not in work.kinds]
    taken = draw_some(rng, free, group.number)
    for n, kind in enumerate(taken):
        work.kinds[kind], work.used[kind] = kind, group.used
        route = [_place(work, place, n) for place in group.route]
        if group.between:
            route = draw_some(rng, route)
        work.routes[kind] = tuple(route)
    if is_errand:
        work.errands |= set(taken)
    if group.label:
        work.labels[group.label] = taken


def _take_made(rng: np.random.Generator, work: Work, group: Group) -> None:
    """Draw what of that which is made goes on."""
    parents = names_of(work, group.made)
    products = [name for name, parent in work.made.items() if parent in parents]
    taken = draw_some(rng, products, group.take)
    for n, name in enumerate(taken):
        work.routes[name] = (*work.routes[name], _place(work, group.to, n))
    if group.label:
        work.labels[group.label] = taken


def _place(work: Work, places: Names, n: int) -> str:
    """Of a list of places the n-th of those that there are, in turn."""
    known = {name: [name] for name in (*work.fixtures, *work.kinds)} | work.labels
    there = [name for place in listed(places) for name in known.get(place, ())]
    if not there:
        raise ActivityError(f"none of the places {', '.join(listed(places))} is there")
    return there[n % len(there)]


def _done(work: Work, deed: Deed, called: Mapping[str, str]) -> Iterable[Done]:
    """A deed, for each thing that it is done to."""
    verb, said = verb_of(deed)
    what, by = called.get(said, ""), names_of(work, deed.by)[0] if deed.by else ""
    targets = {"wipe": deed.from_, "pour": deed.into, "spread": deed.onto, "tap": deed.into}
    places = {"cook": deed.at, "tap": said, "pour": deed.from_, "spread": deed.from_}
    for to in names_of(work, targets.get(verb, said)):
        place = places.get(verb, "")
        place = names_of(work, place)[0] if place else ""
        products: tuple[str, ...] = ()
        if verb in CUT:
            prefix, n = CUT[verb]
            kind = f"{prefix}_{work.kinds[to]}"
            products = (kind,) if n == 1 else tuple(f"{kind}_{k}" for k in range(1, n + 1))
            for name in products:
                work.kinds[name], work.made[name] = kind, to
                work.routes[name] = work.routes[to][-1:]
        made = called.get(deed.makes, "")
        if verb == "stir" and not made:
            products = (deed.makes,)
        of = tuple(own for name in deed.of for own in _mixed(work, name, to, called))
        yield Done(verb, to, deed, by, place, made or what, products, of)


def _mixed(work: Work, said: str, vessel: str, called: Mapping[str, str]) -> list[str]:
    """A substance, a thing, or what of a thing that is cut up comes into a vessel."""
    if said in called:
        return [called[said]]
    names = names_of(work, said)
    cut = [name for name, parent in work.made.items() if parent in names]
    return [name for name in cut or names if work.routes[name][-1] == vessel]


def _paint(rng: np.random.Generator, work: Work) -> None:
    """Draw a colour for each thing: one that its kind has by nature, or one that is not in use."""
    used = [surface.color for surface in (*work.furnishing.surfaces, *work.substances.values())]
    free: list[Color] = []
    for name, kind in work.kinds.items():
        if name in work.made:
            continue
        if natural := natural_colors(kind):
            work.colors[name] = draw_one(rng, natural)
            continue
        if not free:
            free = draw_some(rng, _differing(PALETTE, *used))
        work.colors[name] = free.pop()
    work.colors |= {name: work.colors[parent] for name, parent in work.made.items()}


def _differing(palette: tuple[Color, ...], *others: Color) -> tuple[Color, ...]:
    """The colours of a palette that do not look like any of ``others`` at a glance."""

    def shown(color: Color) -> np.ndarray:
        return np.array(color) ** (1 / 2.2)

    return tuple(
        color
        for color in palette
        if all(float(np.linalg.norm(shown(color) - shown(other))) > ALIKE for other in others)
    )
