"""A definition of BEHAVIOR as a :class:`Declaration`: with our kinds and furniture for its synsets.

The floor is out of the robot's reach; the middle of the room stands for it. Rooms are one. Some
other things change places besides, so that there is more than one order to do it in.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Literal

import numpy as np

from enact_assets.demonstrations.behavior.definitions import (
    DEFINED,
    Atom,
    Definition,
    read_definition,
    ways_to_goal,
    word_of,
)
from enact_assets.engine.errors import ActivityError, SettingsError
from enact_assets.simulator.activities.base import Activity, Episode, draw_one, draw_some
from enact_assets.simulator.activities.declared.composed import ATTEMPTS, composed
from enact_assets.simulator.activities.declared.declaration import (
    Declaration,
    Deed,
    Group,
    check_declaration,
)
from enact_assets.simulator.planning.layout import shape_of
from enact_assets.simulator.rooms.furnished import SLOTS, Piece, themes
from enact_assets.simulator.things.thing_rows import CATALOGUE, Row

Place = Literal["left", "centre", "right"]
Room = Literal["kitchen", "living room", "garage"]
Furniture = dict[Place, tuple[str, ...]]
PLACED: tuple[Place, ...] = ("left", "centre", "right")
FLOOR, AGENT = "floor.n.01", "agent.n.01"
BESIDE: dict[Room, tuple[str, tuple[str, ...]]] = {
    "kitchen": ("table", ("counter as worktop", "counter as sideboard")),
    "living room": ("dining_table as table", ("chest_of_drawers as dresser", "chest as trunk")),
    "garage": ("workbench", ("counter as worktop", "chest as trunk")),
}
"""Room -> the furniture in its middle and at its sides where a definition names nothing."""
ERRANDS: dict[Room, tuple[str, ...]] = {
    "kitchen": ("salt_shaker", "can", "napkin", "teapot", "butter_dish", "pepper_mill", "goblet"),
    "living room": (
        "candle",
        "globe",
        "book",
        "softball",
        "xylophone",
        "rubber_duck",
        "picture_frame",
    ),
    "garage": ("drill", "paint_can", "flashlight", "screwdriver", "pliers", "bottle", "softball"),
}
TOPS = ("counter", "stove", "sideboard")
N_ERRANDS = 4
MOST_FURNITURE = 6
"""At each place one piece on the floor and one above it or on it."""
COATS = ((0.25, 0.12, 0.05), (0.5, 0.42, 0.3), (0.1, 0.25, 0.12))
"""Colours of what lies on things."""
LIQUIDS = {"water": (0.12, 0.42, 0.85), "milk": (0.93, 0.92, 0.87)}
LIQUID = (0.98, 0.45, 0.03)
PARTICLES = {"covered", "filled", "contains", "insource", "saturated"}
UNCHANGED = {"inroom", "future", "real", "insource", "contains", "cooked"}
"""Predicates at the start that need nothing."""


def defined_activity(name: str) -> Activity:
    """The activity that the definition describes which is in its ``name``, after :data:`DEFINED`.

    Errors: as :func:`read_definition`; for what is missing, when it is built.
    """
    of = name.removeprefix(DEFINED)
    definition = read_definition(of)

    def built(rng: np.random.Generator, attempt: int = 1) -> Episode:
        return composed(translated(rng, definition), rng, attempt)

    says = f"What BEHAVIOR defines as {of}, with our kinds."
    return Activity(name, says, built, f"BEHAVIOR's definition of {of}", ATTEMPTS)


def translated(rng: np.random.Generator, of: Definition) -> Declaration:
    """One way to carry a definition out. ``rng`` draws among the ways to its goal that change
    least, furniture and kinds. Errors: :class:`ActivityError` says all that is missing.
    """
    ways = ways_to_goal(of)
    if not ways:
        raise ActivityError(f"the goal of {of.name} cannot be reached in any way")
    found = _Translation(rng, of, sorted(draw_one(rng, ways)))
    declared = found.declared()
    if found.missing:
        raise ActivityError(f"{of.name} cannot be carried out: {'; '.join(found.missing)}")
    assert declared is not None  # noqa: S101 - nothing is missing
    try:
        check_declaration(declared, of.name)
    except SettingsError as error:
        raise ActivityError(f"{of.name} cannot be carried out: {error}") from error
    return declared


@cache
def _kinds_of(synset: str) -> tuple[str, ...]:
    """The kinds of things that a synset may be, best first."""
    ranked = []
    for theme in CATALOGUE.themes:
        for kind in CATALOGUE.kinds_of(theme):
            synsets = CATALOGUE.read(Row, theme, kind).facts.synsets
            if synset in synsets:
                ranked.append((synsets.index(synset), kind))
    return tuple(kind for _, kind in sorted(ranked))


@cache
def _furniture_of(synset: str) -> tuple[str, ...]:
    """The kinds of furniture that a synset may be, best first."""
    found = [(kind, Piece(kind, kind).row.facts.synsets) for kind in themes()]
    return tuple(kind for kind, synsets in found if synset in synsets)


class _Translation:
    def __init__(
        self, rng: np.random.Generator, of: Definition, way: Sequence[tuple[bool, Atom]]
    ) -> None:
        self.rng, self.of, self.way = rng, of, way
        self.atoms = [*sorted(of.facts), *(atom for _, atom in way)]
        self.missing: list[str] = []
        self.ours: dict[str, str] = {}
        """Name in the definition -> ours."""
        self.things: dict[str, str] = {}
        """Name of each thing -> where it starts, in the end where it goes."""
        self.ends: dict[str, str] = {}
        self.substances: dict[str, tuple[float, float, float]] = {}
        self.filled: dict[str, tuple[str, float]] = {}
        self.covered: dict[str, str] = {}
        self.deeds: list[Deed] = []
        self.goal: list[str] = []
        self.made: dict[str, str] = {}
        self.left_open: set[str] = set()
        self.opened: set[str] = set()
        self.left_out: list[str] = []
        """Synsets of things without a further kind."""

    def _lacks(self, what: str) -> None:
        if what not in self.missing:
            self.missing.append(what)

    def declared(self) -> Declaration | None:
        """The declaration, unless something is missing."""
        used = {name for atom in self.atoms for name in atom[1:]}
        names = [n for n in self.of.objects if n in used]
        names = [n for n in names if self.of.objects[n] not in (FLOOR, AGENT)]
        standing = [name for name in names if self._is_furniture(name)]
        for name in names:
            if name not in standing:
                self._named(name)
            elif not _furniture_of(self.of.objects[name]):
                self._lacks(f"no furniture is a {word_of(self.of.objects[name])}")
        if self.missing:
            return None
        room, furniture = self._furnished(standing)
        if furniture is None:
            return None
        self.centre = furniture["centre"][0].rpartition(" as ")[2]
        for atom in sorted(self.of.facts):
            self._starts(*atom)
        for wanted, atom in self.way:
            self._ends(wanted, atom)
        nowhere = [t for t, start in self.things.items() if not start and t not in self.made]
        if nowhere and not self.missing:
            self._lacks(f"{', '.join(nowhere)} is nowhere at the start")
        if self.missing:
            return None
        return Declaration(
            says=f"Do what BEHAVIOR defines as {self.of.name}, while other things change places.",
            room=room,
            furniture=furniture,
            left_open=tuple(sorted(self.left_open)),
            things=tuple(self._groups()),
            errands=self._errands(room, furniture),
            substances=dict(self.substances),
            filled=dict(self.filled),
            covered=dict(self.covered),
            do=tuple(self.deeds),
            goal=tuple(self.goal),
            leaves_out=tuple(
                f"Of {len(self.of.of(synset))} things that are a {word_of(synset)} it has "
                f"{len(self.of.of(synset)) - self.left_out.count(synset)}: no two things are "
                "called the same."
                for synset in sorted(set(self.left_out))
            ),
            stands_for={self.ours[n]: self.of.objects[n] for n in names if n in self.ours},
        )

    def _is_furniture(self, name: str) -> bool:
        synset = self.of.objects[name]
        is_in_room = any(atom[:2] == ("inroom", name) for atom in self.of.facts)
        return bool(_furniture_of(synset)) and (is_in_room or not _kinds_of(synset))

    def _furnished(self, names: Sequence[str]) -> tuple[Room, Furniture | None]:
        """A room, and furniture at its places, one kind for each name."""
        chosen: list[tuple[Room, Furniture, tuple[str, ...]]] = []
        for kinds in product(*(_furniture_of(self.of.objects[name]) for name in names)):
            for room in BESIDE:
                chosen += [(room, there, kinds) for there in _arranged(room, kinds)]
        chosen = [one for one in chosen if self._suits(one[0], one[2])] or chosen
        if not chosen:
            wanted = sorted({word_of(self.of.objects[name]) for name in names})
            self._lacks(f"no room has places for {', '.join(wanted)} at once")
            return "kitchen", None
        room, there, kinds = draw_one(self.rng, chosen)
        self.ours |= dict(zip(names, kinds, strict=True))
        return room, there

    def _suits(self, room: str, kinds: Sequence[str]) -> bool:
        own = {"garage": "garage", "living_room": "living room", "bedroom": "living room"}
        wanted = {own.get(themes()[kind], "kitchen") for kind in kinds}
        return wanted == {room} or not (wanted or room != "kitchen")

    def _named(self, name: str) -> None:
        """A kind for a thing, or a substance."""
        synset = self.of.objects[name]
        is_matter = [atom[0] in PARTICLES and atom[2:] == (name,) for atom in self.atoms
                     if name in atom[1:] and atom[0] not in ("future", "real")]  # fmt: skip
        if is_matter and all(is_matter):
            self.ours[name] = word = word_of(synset)
            is_coat = any(atom[0] == "covered" and atom[2:] == (name,) for atom in self.atoms)
            colors = COATS[len(self.substances) % len(COATS)]
            self.substances[word] = colors if is_coat else LIQUIDS.get(word, LIQUID)
            return
        kinds = [kind for kind in _kinds_of(synset) if kind not in self.things]
        if not kinds:
            if any(self.ours.get(other) in self.things for other in self.of.of(synset)):
                self.left_out.append(synset)
            else:
                self._lacks(f"no kind of thing is a {word_of(synset)}")
            return
        self.ours[name] = kinds[0]
        self.things[kinds[0]] = ""

    def _place(self, name: str) -> str:
        """Our name of the place of something."""
        return self.centre if self.of.objects.get(name) == FLOOR else self.ours.get(name, "")

    def _starts(self, word: str, *objects: str) -> None:
        first = self.ours.get(objects[0], "")
        second = self._place(objects[-1])
        if word in ("ontop", "inside") and first in self.things:
            self.things[first] = second
        elif word == "covered" and first and second:
            self.covered[first] = second
        elif word == "filled" and first in self.things:
            self.filled[first] = (second, 0.9)
        elif word == "open" and first not in self.things:
            self.opened.add(first)
        elif word not in (*UNCHANGED, "ontop", "inside", "covered", "filled", "open"):
            self._lacks(f"nothing is {word} at the start")

    def _ends(self, wanted: bool, atom: Atom) -> None:  # noqa: FBT001 - a literal
        word, *objects = atom
        holds, first, second = atom in self.of.facts, *map(self._place, (objects[0], objects[-1]))
        if word == "open" and first not in self.things:
            self.goal.append(f"{'' if wanted else 'not '}Open({first})")
            if wanted:
                self.left_open.add(first)
        elif wanted == holds or not (first and second):
            return
        elif word in ("ontop", "inside") and wanted and first in self.things:
            self.ends[first] = second
        elif word == "contains" and wanted and second in self.things:
            self.ends[second] = first
        elif word == "covered" and not wanted:
            self._wipe(second, first)
        elif word in ("contains", "filled", "covered") and wanted:
            self._pour(second, first)
        elif word == "toggled_on":
            self.deeds.append(Deed(press=first))
        elif word == "cooked" and wanted and first in self.things:
            self._cook(first)
        elif word == "real" and wanted and first in self.things:
            self._cut(first)
        else:
            self._lacks(f"nothing is done for {'' if wanted else 'not '}{' '.join(atom)}")

    def _wipe(self, what: str, on: str) -> None:
        # A cloth takes off all that lies on a thing.
        if any(deed.wipe and deed.from_ == on for deed in self.deeds):
            self.goal.append(f"not Covered({on}, {what})")
        else:
            by = self._tool("is_wiper", "rag")
            self.deeds.append(Deed(wipe=what, from_=on, by=by))

    def _pour(self, what: str, into: str) -> None:
        sources = [name for name, (held, _) in self.filled.items() if held == what]
        if sources:
            self.deeds.append(Deed(pour=what, from_=sources[0], into=into))
        else:
            self._lacks(f"nothing holds {what}")

    def _tool(self, ability: str, otherwise: str) -> str:
        found = next((k for k in self.things if getattr(shape_of(k).parts, ability)), otherwise)
        self.things.setdefault(found, self.centre)
        return found

    def _cook(self, food: str) -> None:
        hobs = [
            kind for kind in self.ours.values() if kind in themes() and Piece(kind, kind).row.heater
        ]
        if not hobs:
            self._lacks(f"nothing heats {food}")
            return
        pans = [kind for kind in self.things if shape_of(kind).parts.cavity and kind != food]
        if hobs[0] == "stove" and pans:
            self.ends[pans[0]] = hobs[0]
        at = pans[0] if hobs[0] == "stove" and pans else hobs[0]
        self.ends[food] = at
        self.deeds.append(Deed(cook=food, at=at))

    def _cut(self, product: str) -> None:
        prefix, _, whole = product.partition("_")
        if whole not in self.things or prefix not in ("half", "diced"):
            self._lacks(f"nothing is cut into {product}")
            return
        boards = [kind for kind in self.things if "board" in kind]
        self.ends[whole] = boards[0] if boards else self.centre
        by = self._tool("is_slicer", "knife")
        done = Deed(slice=whole, by=by) if prefix == "half" else Deed(dice=whole, by=by)
        if done not in self.deeds:
            self.deeds.append(done)
        self.made[product] = whole

    def _groups(self) -> Iterator[Group]:
        """The ways of things, supports first."""

        def depth(thing: str) -> int:
            below = (self.things.get(thing, ""), self.ends.get(thing, ""))
            return 1 + max((depth(on) for on in below if on in self.things), default=0)

        for thing in sorted(self.things, key=depth):
            start = self.things[thing]
            end = self.ends.get(thing, start)
            if thing in self.made:
                if thing in self.ends:
                    yield Group(made=self.made[thing], to=end)
            elif end == start:
                yield Group(of=(thing,), at=start)
            else:
                yield Group(of=(thing,), from_=start, to=end)

    def _errands(self, room: Room, furniture: Furniture) -> tuple[Group, ...]:
        """Other things that change places between the middle and tops that the goal leaves free."""
        kinds = [kind for kind in ERRANDS[room] if kind not in self.things]
        added = {said.partition(" as ")[::2] for said in BESIDE[room][1]}
        said = [names[0].partition(" as ")[::2] for p, names in furniture.items() if p != "centre"]
        flat = [name or kind for kind, name in said if (kind, name) in added or kind in TOPS]
        if not flat:
            return ()
        taken = tuple(draw_some(self.rng, kinds, len(kinds)))
        return (Group(of=taken, take=N_ERRANDS, between=(self.centre, tuple(flat))),)


def _arranged(room: Room, kinds: Sequence[str]) -> Iterator[Furniture]:
    """All ways to furnish a room, with a piece on the floor at each place."""
    if len(set(kinds)) != len(kinds) or len(kinds) > MOST_FURNITURE:
        return
    for places in product(PLACED, repeat=len(kinds)):
        there: dict[Place, list[str]] = {place: [] for place in PLACED}
        for kind, place in zip(kinds, places, strict=True):
            there[place].append(kind)
        if all(_stands(place, those) for place, those in there.items()):
            centre, sides = BESIDE[room]
            free = list(sides)
            floor = {p: [k for k in those if _slot(k) in SLOTS[p][0]] for p, those in there.items()}
            for place, those in there.items():
                if not floor[place]:
                    those.insert(0, centre if place == "centre" else free.pop(0))
                those.sort(key=lambda k: _slot(k.partition(" as ")[0]) not in SLOTS[place][0])
            yield {place: tuple(those) for place, those in there.items()}


def _slot(kind: str) -> str:
    return Piece(kind, kind).row.facts.slot


def _stands(place: str, kinds: Sequence[str]) -> bool:
    main, others = SLOTS[place]
    slots = [_slot(kind) for kind in kinds]
    floor = [slot for slot in slots if slot in main]
    above = [slot for slot in slots if slot in others]
    is_blocked = "tall" in floor and bool(above)
    return (
        len(floor) <= 1 and len(above) <= 1 and len(slots) == len(floor + above) and not is_blocked
    )
