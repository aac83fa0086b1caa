"""Slow twin of the delta index: sets of facts by name, one pair of key frames at a time."""

from collections.abc import Iterable, Mapping, Sequence

from enact_assets.settings.components import Component
from enact_assets.settings.predicates import EXISTS, label

Fact = tuple[str, str, str | None]


def changes_between(
    before: Iterable[Fact], after: Iterable[Fact], parents: Mapping[str, Iterable[str]]
) -> list[tuple[str, Fact | tuple[str, ...]]]:
    """Atomic changes by name: (add or remove, fact) or ("transition", (child, *parents))."""
    before, after = set(before), set(after)
    alive_before = {f[1] for f in before if f[0] == EXISTS}
    alive_after = {f[1] for f in after if f[0] == EXISTS}
    changes: list[tuple[str, Fact | tuple[str, ...]]] = []
    changes += [("add", f) for f in after - before if f[0] != EXISTS]
    changes += [("remove", f) for f in before - after if f[0] != EXISTS]
    for child in alive_after - alive_before:
        gone = sorted(set(parents[child]) & (alive_before - alive_after))
        if gone:
            changes.append(("transition", (child, *gone)))
    return changes


def parents_at_appearance(
    history: Mapping[str, list[set[str]]], graphs: Sequence[Iterable[Fact]], j: int
) -> dict[str, set[str]]:
    """Of each object, the parents at the first key frame of those up to j at all of which it is."""
    found = {}
    for name, of in history.items():
        k = j
        while k > 0 and (EXISTS, name, None) in graphs[k - 1]:
            k -= 1
        found[name] = of[k]
    return found


def objects_of(change: tuple[str, tuple[str | None, ...]]) -> set[str]:
    operation, names = change
    names = names if operation == "transition" else names[1:]
    return {name for name in names if name is not None}


def worded(change: tuple[str, tuple[str | None, ...]], categories: Mapping[str, str]) -> Component:
    operation, names = change
    called = [None if n is None else label(categories[n]) if n in categories else n for n in names]
    if operation == "transition":
        return Component.transition(tuple(called[1:]), called[0])
    return Component(operation, *called)


def full(
    before: Iterable[Fact],
    after: Iterable[Fact],
    categories: Mapping[str, str],
    parents: Mapping[str, Iterable[str]],
) -> frozenset[Component]:
    return frozenset(worded(c, categories) for c in changes_between(before, after, parents))


def shown_changes(
    before: Iterable[Fact],
    after: Iterable[Fact],
    seen_at: tuple[set[str], set[str]],
    categories: Mapping[str, str],
    parents: Mapping[str, Iterable[str]],
    *,
    history: Mapping[str, list[set[str]]] | None = None,
    drops_ambiguous: bool = True,
) -> list[tuple[str, Fact | tuple[str, ...]]]:
    """Atomic changes that can be seen and, unless ambiguous ones are kept, told apart.

    ``history`` has the parents of each object at all key frames, where they are not always those.
    """
    history = {name: [set(of)] for name, of in parents.items()} if history is None else history
    changes = changes_between(before, after, parents)
    turning = {o for c in changes if c[0] == "transition" for o in objects_of(c)}
    seen_before, seen_after = seen_at
    seen = (seen_before & seen_after) | ((seen_before | seen_after) & turning)
    changed = {o for c in changes for o in objects_of(c)} & seen
    ambiguous = set()
    for one in changed:
        for other in changed:
            same_label = label(categories[one]) == label(categories[other])
            siblings = any(history[one]) and history[one] == history[other]
            if drops_ambiguous and one != other and same_label and not siblings:
                ambiguous |= {one, other}
    ambiguous_labels = {label(categories[o]) for o in ambiguous}
    return [
        c
        for c in changes
        if objects_of(c) <= seen
        and not {label(categories[o]) for o in objects_of(c)} & ambiguous_labels
    ]


def visible(
    before: Iterable[Fact],
    after: Iterable[Fact],
    seen_at: tuple[set[str], set[str]],
    categories: Mapping[str, str],
    parents: Mapping[str, Iterable[str]],
    *,
    history: Mapping[str, list[set[str]]] | None = None,
) -> frozenset[Component]:
    shown = shown_changes(before, after, seen_at, categories, parents, history=history)
    return frozenset(worded(c, categories) for c in shown)
