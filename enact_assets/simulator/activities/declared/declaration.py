"""What a declaration may say: one YAML file for an activity, checked when it is read.

A place is a fixture or a thing; of a list of places those that there are take turns. A name is that
of a fixture, of a kind of thing, or what a group is called ``as``. "KIND as NAME" calls furniture
by another name, and of "KIND or KIND" one is drawn.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import field

from enact_assets.engine.errors import SettingsError, UnknownNameError, entry_named
from enact_assets.engine.package_files import file_bytes
from enact_assets.simulator.planning.layout import shape_of
from enact_assets.simulator.rooms.furnished import Piece, check_pieces
from enact_assets.simulator.shapes.piece_rows import one_of
from enact_assets.simulator.shapes.row_files import Strict, read_as
from enact_assets.simulator.shapes.surfaces import Color, Surface
from enact_assets.simulator.things.kinds import builders

Names = str | tuple[str, ...]
"""One, or several."""


class Group(Strict, frozen=True, kw_only=True, rename={"from_": "from", "label": "as"}):
    """So many things (``take``, or all) ``of`` these kinds, of which no kind is taken twice.

    Each goes ``from`` one place ``to`` another, ``between`` two whichever way is drawn, ``through``
    several in turn, or stays ``at`` one. ``made`` names things that are cut up instead: it takes of
    what comes of them. A tool is taken, and other things come to them, where they are ``used``: at
    their last place or at their first; or they are ``loaded`` before their last way, and go with
    what they hold.
    """

    of: Names = ()
    made: str = ""
    take: int | None = None
    label: str = ""
    from_: Names = ()
    to: Names = ()
    between: tuple[Names, Names] | None = None
    at: Names = ()
    through: tuple[Names, ...] = ()
    used: Literal["last", "first", "loaded"] = "last"

    @property
    def kinds(self) -> tuple[str, ...]:
        """Those it takes from."""
        return listed(self.of)

    @property
    def number(self) -> int:
        """How many things it takes."""
        return len(self.kinds) if self.take is None else self.take

    @property
    def route(self) -> tuple[Names, ...]:
        """The places its things come to in turn, those of ``between`` one way."""
        if self.made:
            return (self.to,)
        ends = (self.from_, self.to) if self.to else (self.at,)
        return self.through or self.between or ends


class Deed(Strict, frozen=True, kw_only=True, rename={"from_": "from"}):
    """Something done beside moves; :data:`VERBS` says what each needs."""

    press: str | None = None
    cook: str | None = None
    slice: str | None = None
    dice: str | None = None
    pour: str | None = None
    wipe: str | None = None
    spread: str | None = None
    stir: str | None = None
    tap: str | None = None
    machine: str | None = None
    by: str = ""
    at: str = ""
    onto: str = ""
    from_: str = ""
    into: str = ""
    makes: str = ""
    of: tuple[str, ...] = ()
    share: float = 0.8
    seconds: float = 5.0


VERBS: dict[str, tuple[str, ...]] = {
    "press": (),
    "cook": ("at",),
    "slice": ("by",),
    "dice": ("by",),
    "pour": ("from", "into"),
    "wipe": ("from", "by"),
    "spread": ("from", "onto", "by"),
    "stir": ("by", "makes", "of"),
    "tap": ("into", "makes"),
    "machine": ("makes", "of"),
}
"""Verb -> fields that it needs besides. ``press`` a fixture; ``cook`` a thing that comes to lie
``at`` a fixture that heats or on what stands there; ``slice`` or ``dice`` a thing ``by`` a knife;
``pour`` a substance ``from`` a vessel ``into`` another or onto a thing, a ``share`` of its volume;
``wipe`` a substance ``from`` something ``by`` a cloth; ``spread`` one ``from`` a vessel ``onto`` a
thing ``by`` a tool; ``stir`` in a vessel ``by`` a spoon what is ``of`` things and
substances there, which ``makes`` another substance or a thing; let a ``tap`` run ``into`` a vessel
for ``seconds``; switch a ``machine`` on that ``makes`` a substance ``of`` what is in it.
"""
OF_SUBSTANCES = ("pour", "wipe", "spread")
FIELDS = {name: name for name in ("by", "at", "onto", "into", "makes", "of")}
FIELDS["from"] = "from_"


class Declaration(Strict, frozen=True, kw_only=True):
    """An activity. ``things`` serve its goal, ``errands`` do not.

    Of what is ``opened`` or ``switched_on`` each is so at the start in half of all seeds;
    ``left_open`` is to be open at the end. A substance has a colour, or is one of several drawn,
    each with its own; ``grains`` are in grains. ``goal`` has facts that must hold, or must "not",
    beside those that follow.

    ``touches`` is the share of carries on whose way the thing is held against another one,
    ``rocks`` that of things that do not come to rest at once, ``springs`` that of doors and drawers
    that open again for a moment when they are shut: without them contact and short-lived states
    would decide nothing. Where BEHAVIOR defines an activity of this name, ``stands_for`` maps what
    is here to the synset that it replaces, and ``leaves_out`` says what of the definition is not
    done.
    """

    says: str
    stands_for: dict[str, str] = field(default_factory=dict)
    leaves_out: tuple[str, ...] = ()
    room: Literal["kitchen", "living room", "garage"] = "kitchen"
    furniture: dict[Literal["left", "centre", "right"], tuple[str, ...]]
    opened: tuple[str, ...] = ()
    switched_on: tuple[str, ...] = ()
    left_open: tuple[str, ...] = ()
    things: tuple[Group, ...] = ()
    errands: tuple[Group, ...] = ()
    substances: dict[str, Color | dict[str, Color]] = field(default_factory=dict)
    grains: tuple[str, ...] = ()
    filled: dict[str, tuple[str, float]] = field(default_factory=dict)
    covered: dict[str, str] = field(default_factory=dict)
    do: tuple[Deed, ...] = ()
    both: int = 0
    touches: float = 0.0
    rocks: float = 0.0
    springs: float = 0.0
    goal: tuple[str, ...] = ()

    @property
    def groups(self) -> tuple[Group, ...]:
        """All groups of things."""
        return (*self.things, *self.errands)


def listed(names: Names) -> tuple[str, ...]:
    """Names as a tuple."""
    return (names,) if isinstance(names, str) else names


def options(said: str) -> tuple[Piece, ...]:
    """The furniture that "KIND as NAME or KIND" may be."""
    found = []
    for option in said.split(" or "):
        kind, _, name = option.partition(" as ")
        found.append(Piece(kind, name or kind))
    return tuple(found)


def verb_of(deed: Deed, where: str = "") -> tuple[str, str]:
    """The verb of a deed, and what it is done to. Errors: :class:`SettingsError`."""
    return one_of(tuple(VERBS), deed, where)


def substance(color: Color) -> Surface:
    """How a substance looks."""
    return Surface(color, finish="gloss")


FACT = re.compile(r"(not )?(\w+)\((\w+)(?:, (\w+))?\)")
"""A fact of a goal: "Inside(mug, sink)" or "not Open(fridge)"."""


def read_declaration(path: Path) -> Declaration:
    """The declaration in a file.

    Errors: :class:`SettingsError`, :class:`UnknownNameError` with file and field or line for what
    cannot be: unknown fields, kinds or names, too few things of different kinds, furniture that
    does not go together, deeds without what they need. ``OSError``.
    """
    return parsed(file_bytes(path).decode(), path.name)


def parsed(text: str, where: str) -> Declaration:
    """The declaration in a text; errors, as above, begin with ``where``."""
    try:
        given = msgspec.yaml.decode(text, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        said = " ".join(str(error).split()).replace('in "<unicode string>", ', "at ")
        raise SettingsError(f"{where}: {said}. Mend the file.") from error
    found = read_as(Declaration, given, where)
    check_declaration(found, where)
    return found


def check_declaration(declared: Declaration, where: str) -> None:
    """Refuse what a declaration cannot say. Errors: as :func:`read_declaration`."""
    _Check(declared, where).all()


class _Check:
    """Checks a declaration beyond its form."""

    def __init__(self, declared: Declaration, where: str) -> None:
        self.declared, self.where = declared, where
        self.fixtures: dict[str, Piece] = {}
        self.known: set[str] = {"robot"}

    def all(self) -> None:
        declared = self.declared
        self._furniture()
        self._things()
        self.known |= {kind for group in declared.groups for kind in group.kinds}
        self.known |= {group.label for group in declared.groups if group.label}
        for label, group in self._labelled():
            for k, place in enumerate(group.route):
                for name in listed(place):
                    self._is_known(name, f"{label}, place {k + 1}")
        for name, drawn in declared.substances.items():
            self.known |= {name, *(drawn if isinstance(drawn, dict) else ())}
        for name, (what, share) in declared.filled.items():
            self._is_known(name, "filled")
            self._is_substance(what, f"filled.{name}")
            self._require(0 < share <= 1, f"filled.{name}: the share {share} is not in 0 to 1")
        for name, what in declared.covered.items():
            self._is_known(name, "covered")
            self._is_substance(what, f"covered.{name}")
        self.known |= {deed.makes for deed in declared.do if deed.stir and deed.makes in builders()}
        for k, deed in enumerate(declared.do, 1):
            self._deed(deed, f"do, deed {k}")
        for field_, has in (
            ("opened", "panel"),
            ("left_open", "panel"),
            ("switched_on", "button"),
        ):
            for name in getattr(declared, field_):
                piece = entry_named(
                    self.fixtures, name, "fixture", f"Correct {self.where}.{field_}."
                )
                is_able = getattr(piece.row, has) is not None
                self._require(is_able, f"{field_}: {name} has no {has}; name another fixture")
        for name in ("touches", "rocks", "springs"):
            share = getattr(declared, name)
            self._require(0 <= share <= 1, f"{name}: the share {share} is not in 0 to 1")
        for name in declared.stands_for:
            self._is_known(name, "stands_for")
        for text in declared.goal:
            found = FACT.fullmatch(text)
            self._require(found is not None, f"goal: {text!r} is not like 'not Inside(mug, sink)'")

    def _labelled(self) -> Iterator[tuple[str, Group]]:
        for name in ("things", "errands"):
            for k, group in enumerate(getattr(self.declared, name), 1):
                yield f"{name}, group {k}", group

    def _require(self, condition: bool, problem: str) -> None:  # noqa: FBT001 - an assertion
        if not condition:
            raise SettingsError(f"{self.where}: {problem}")

    def _is_known(self, name: str, label: str) -> None:
        if name not in self.known:
            advice = f"Correct {self.where}: {label}."
            raise UnknownNameError.of("name", name, sorted(self.known - {"robot"}), advice)

    def _is_substance(self, name: str, label: str) -> None:
        entry_named(self.declared.substances, name, "substance", f"Correct {self.where}: {label}.")

    def _furniture(self) -> None:
        for place, said in self.declared.furniture.items():
            where = f"{self.where}: furniture.{place}"
            try:
                check_pieces(place, [options(one)[0] for one in said], where)
                pieces = [piece for one in said for piece in options(one)]
                rows = {name: piece for piece in pieces for name in piece.names if piece.row}
            except UnknownNameError as error:
                raise UnknownNameError(f"{where}: {error}") from error
            self.fixtures |= {
                name: Piece("drawer", name) if name.endswith("_drawer") else piece
                for name, piece in rows.items()
            }
        self.known |= set(self.fixtures)

    def _things(self) -> None:
        taken: list[tuple[set[str], int]] = []
        for label, group in self._labelled():
            self._route(group, label)
            for kind in group.kinds:
                try:
                    shape_of(kind)
                except UnknownNameError as error:
                    raise UnknownNameError(f"{self.where}: {label}: {error}") from error
            if group.made:
                continue
            kinds = set(group.kinds)
            left = len(kinds) - sum(min(n, len(kinds & other)) for other, n in taken)
            self._require(
                0 < group.number <= left,
                f"{label}: takes {group.number} of {', '.join(group.kinds)}, of which {left} kinds "
                "are sure to be free: no two things may be called the same. Name more kinds",
            )
            taken.append((kinds, group.number))

    def _route(self, group: Group, label: str) -> None:
        ways = {
            "from and to": bool(group.from_ or (group.to and not group.made)),
            "between": group.between is not None,
            "through": bool(group.through),
            "at": bool(group.at),
            "made and to": bool(group.made),
        }
        said = [way for way, is_said in ways.items() if is_said]
        is_whole = bool(group.from_) == bool(group.to) or bool(group.made and group.to)
        self._require(
            len(said) == 1 and is_whole and bool(group.of) != bool(group.made),
            f"{label}: says {', '.join(said) or 'no places'}; say what it is `of` or is `made` of, "
            f"and one of {', '.join(ways)}",
        )

    def _deed(self, deed: Deed, label: str) -> None:
        verb, done_to = verb_of(deed, f"{self.where}: {label}")
        said = {name: getattr(deed, own) for name, own in FIELDS.items() if getattr(deed, own)}
        missing = [name for name in VERBS[verb] if name not in said]
        more = [name for name in said if name not in VERBS[verb] and name != "by"]
        self._require(not missing, f"{label}: {verb} needs {' and '.join(missing)}; say what")
        self._require(not more, f"{label}: {verb} takes no {' and no '.join(more)}")
        if verb in OF_SUBSTANCES:
            self._is_substance(done_to, label)
        if deed.makes and not (verb == "stir" and deed.makes in self.known):
            self._is_substance(deed.makes, label)
        whom = () if verb in OF_SUBSTANCES else done_to.split(" or ")
        for name in (*whom, *deed.of, *(deed.by, deed.at, deed.onto, deed.from_, deed.into)):
            if name:
                self._is_known(name, label)
