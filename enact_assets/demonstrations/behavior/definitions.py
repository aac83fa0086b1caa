"""BEHAVIOR's definitions of activities: objects, what holds first, and the ways to their goal.

The package ``bddl`` has them. It is installed without its requirements, which importing it would
need, so that its files are read here.
"""

import importlib.util
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, combinations, islice, permutations, product
from pathlib import Path
from typing import Any

from enact_assets.engine.errors import SettingsError, entry_named

PACKAGE = "bddl"
DEFINED, SAID = "bddl:", "bddl/"
"""Begins the names of activities that BEHAVIOR defines, and as people write them: a name is part of
paths. They are carried out as they are asked for, and not listed.
"""
INSTALL = "pip install --no-deps bddl==3.6.0"
MOST_READ = 5000
"""So many ways to a goal are looked at."""

Atom = tuple[str, ...]
"""A predicate and names of objects: ``("inside", "bottle.n.01_1", "fridge.n.01_1")``."""
Literal = tuple[bool, Atom]
"""Whether an atom is to hold."""
Tree = list[Any]
Bound = Mapping[str, str]
"""Variable -> object."""


@dataclass(frozen=True)
class Definition:
    """One definition: ``objects`` maps names to synsets, ``facts`` hold first, ``goal`` is a tree
    of words.
    """

    name: str
    objects: Mapping[str, str]
    facts: frozenset[Atom]
    goal: Tree

    def of(self, synset: str) -> list[str]:
        """The objects of a synset."""
        return [name for name, kind in self.objects.items() if kind == synset]

    def changes(self, way: frozenset[Literal]) -> int:
        """How many atoms of a way to the goal do not hold as wanted yet."""
        return sum((atom in self.facts) != is_wanted for is_wanted, atom in way)


def canonical(name: str) -> str:
    """The name of an activity or a demonstration that people may write with :data:`SAID`."""
    return DEFINED + name.removeprefix(SAID) if name.startswith(SAID) else name


@cache
def _files() -> dict[str, Path]:
    """Name of each definition -> its file; none where the package is not installed."""
    found = importlib.util.find_spec(PACKAGE)
    places = found.submodule_search_locations if found else None
    folders = (Path(place) / "activity_definitions" for place in places or ())
    files = sorted(path for folder in folders for path in folder.glob("*/problem0.bddl"))
    return {path.parent.name: path for path in files}


def defined_names() -> tuple[str, ...]:
    """The names of all definitions; none where the package is not installed."""
    return tuple(_files())


def read_definition(name: str) -> Definition:
    """The first definition of an activity.

    Errors: :class:`SettingsError` without the package, :class:`UnknownNameError`.
    """
    if not _files():
        raise SettingsError(
            f"BEHAVIOR's definition of {name} is in the package {PACKAGE}, which is not installed. "
            f"Run: {INSTALL}"
        )
    path = entry_named(_files(), name, "definition", "See: enact-assets activities --bddl")
    return parse_definition(name, path.read_text(encoding="utf-8"))


def parse_definition(name: str, text: str) -> Definition:
    """A definition from its text. Errors: :class:`SettingsError` if brackets do not match."""
    parts = {part[0]: part[1:] for part in _tree(name, text)[1:]}
    objects: dict[str, str] = {}
    unsaid: list[str] = []
    words = iter(parts[":objects"])
    for word in words:
        if word == "-":
            objects |= dict.fromkeys(unsaid, next(words))
            unsaid = []
        else:
            unsaid.append(word)
    held = frozenset(tuple(fact) for fact in parts[":init"] if fact[0] != "not")
    return Definition(name, objects, held, ["and", *parts[":goal"]])


def _tree(name: str, text: str) -> Tree:
    """Words in brackets as lists."""
    open_now: list[Tree] = [[]]
    for word in re.findall(r"[()]|[^\s()]+", re.sub(r";.*", "", text).lower()):
        if word == "(":
            open_now.append([])
        elif word != ")":
            open_now[-1].append(word)
        elif len(open_now) > 1:
            done = open_now.pop()
            open_now[-1].append(done)
    if len(open_now) != 1 or len(open_now[0]) != 1:
        raise SettingsError(f"the definition of {name}: brackets do not match; mend its file")
    found: Tree = open_now[0][0]
    return found


def ways_to_goal(of: Definition) -> list[frozenset[Literal]]:
    """The ways to a goal that change least, as sets of literals; () where there is none."""
    found = set(islice(map(frozenset, _Goal(of).ways(of.goal, {})), MOST_READ))
    possible = [way for way in found if not any((not wanted, atom) in way for wanted, atom in way)]
    least = min(map(of.changes, possible), default=0)
    return sorted((way for way in possible if of.changes(way) == least), key=sorted)


Ways = Iterator[tuple[Literal, ...]]
Part = Callable[[], Ways]


class _Goal:
    """Goes through a goal: each word of its tree is a method."""

    def __init__(self, of: Definition) -> None:
        self.of = of

    def ways(self, tree: Tree, bound: Bound, wanted: bool = True) -> Ways:  # noqa: FBT001,FBT002
        """All ways in which a tree holds, or does not."""
        word, *rest = tree
        found: Callable[[Tree, Bound, bool], Ways] | None = getattr(self, f"_{word}", None)
        if found is not None:
            return found(rest, bound, wanted)
        # Some definitions write names of objects like variables.
        names = (bound.get(name, name.lstrip("?")) for name in rest)
        return iter([((wanted, (word, *names)),)])

    def _not(self, rest: Tree, bound: Bound, wanted: bool) -> Ways:  # noqa: FBT001
        return self.ways(rest[0], bound, not wanted)

    def _and(self, rest: Tree, bound: Bound, wanted: bool) -> Ways:  # noqa: FBT001
        parts = [self._part(tree, bound, wanted) for tree in rest]
        return _all(parts) if wanted else _any(parts)

    def _or(self, rest: Tree, bound: Bound, wanted: bool) -> Ways:  # noqa: FBT001
        return self._and([["not", tree] for tree in rest], bound, not wanted)

    def _imply(self, rest: Tree, bound: Bound, wanted: bool) -> Ways:  # noqa: FBT001
        return self._or([["not", rest[0]], rest[1]], bound, wanted)

    def _forall(self, rest: Tree, bound: Bound, wanted: bool) -> Ways:  # noqa: FBT001
        (variable, _, synset), body = rest
        parts = [self._part(body, {**bound, variable: name}, wanted) for name in self.of.of(synset)]
        return _all(parts) if wanted else _any(parts)

    def _exists(self, rest: Tree, bound: Bound, wanted: bool) -> Ways:  # noqa: FBT001
        return self._forall([rest[0], ["not", rest[1]]], bound, not wanted)

    def _forn(self, rest: Tree, bound: Bound, wanted: bool) -> Ways:  # noqa: FBT001
        (n,), (variable, _, synset), body = rest
        names = self.of.of(synset)
        numbers = [k for k in range(len(names) + 1) if (k == int(n)) == wanted]
        for chosen in chain.from_iterable(combinations(names, k) for k in numbers):
            yield from _all(
                [self._part(body, {**bound, variable: name}, name in chosen) for name in names]
            )

    def _forpairs(self, rest: Tree, bound: Bound, wanted: bool) -> Ways:  # noqa: FBT001
        firsts, seconds = (self.of.of(named[2]) for named in rest[:2])
        return self._fornpairs([[min(len(firsts), len(seconds))], *rest], bound, wanted)

    def _fornpairs(self, rest: Tree, bound: Bound, wanted: bool) -> Ways:  # noqa: FBT001
        (n,), (one, _, first), (two, _, second), body = rest
        ways = product(
            combinations(self.of.of(first), int(n)), permutations(self.of.of(second), int(n))
        )
        pairings = [
            [self._part(body, {**bound, one: a, two: b}, wanted) for a, b in pairs]
            for pairs in (list(zip(left, right, strict=True)) for left, right in ways)
            if all(a != b for a, b in pairs)
        ]
        if wanted:
            return _any([partial(_all, pairing) for pairing in pairings])
        return _all([partial(_any, pairing) for pairing in pairings])

    def _part(self, tree: Tree, bound: Bound, wanted: bool) -> Part:  # noqa: FBT001
        return lambda: self.ways(tree, bound, wanted)


def _all(parts: list[Part]) -> Ways:
    """A way of each part, together: all of them, in turn."""
    if not parts:
        yield ()
        return
    for first in parts[0]():
        for rest in _all(parts[1:]):
            yield (*first, *rest)


def _any(parts: list[Part]) -> Ways:
    """The ways of all parts."""
    return chain.from_iterable(part() for part in parts)


def word_of(synset: str) -> str:
    """What a synset is called: "wicker_basket" of "wicker_basket.n.01"."""
    return re.sub(r"\.[a-z]\.\d+(_\d+)?$", "", synset)
