"""Facts of a demonstration as counts of kinds: what orders of its actions are replayed from."""

from collections import Counter
from collections.abc import Iterable

import polars as pl

from enact_assets.questions.world.plan_replay import HANDS, HELD, Kinds, Situation

_PLACED = ("OnTop", "Inside")
_GRASPED = ("LeftGrasping", "RightGrasping")
_OPENING = ("open", "close")


def kinds_of(objects: pl.DataFrame, actions: pl.DataFrame) -> Kinds:
    """Kinds of the things of one demonstration, from its tables ``objects`` and ``actions``.

    What becomes of a thing that is cut is what names it as its only parent.
    """
    kind = _kinds(objects)
    pieces: dict[str, Counter[str]] = {}
    for name, parents in objects.select("object_name", "parents").iter_rows():
        if parents is not None and len(parents) == 1:
            pieces.setdefault(parents[0], Counter())[kind[name]] += 1
    opened = actions.filter(pl.col("verb").is_in(_OPENING))["arguments"].explode()
    return Kinds(
        Counter(kind.values()),
        {kind[parent]: made for parent, made in pieces.items() if parent in kind},
        frozenset(kind.get(name, name) for name in opened.drop_nulls()),
    )


def situation_at(facts: pl.DataFrame, objects: pl.DataFrame, frame: int) -> Situation:
    """What holds at ``frame``, by kinds; ``facts`` and ``objects`` are those of a demonstration."""
    now = facts.filter(pl.col("frame_from") <= frame, pl.col("frame_to") > frame)
    return situation_of(now.select("predicate", "subject", "object").rows(), objects)


def situation_of(facts: Iterable[tuple[str, str, str | None]], objects: pl.DataFrame) -> Situation:
    """What ``facts`` (predicate, subject, object) say, by kinds; a wide thing takes both hands."""
    kind = _kinds(objects)
    at, opened, coated, held, n_hands = Counter[tuple[str, str]](), set(), set(), set(), 0
    for predicate, subject, other in facts:
        if predicate in _PLACED and other is not None:
            at[kind[subject], kind[other]] += 1
        elif predicate in _GRASPED and other is not None:
            held.add(other)
            n_hands += 1
        elif predicate == "Open":
            opened.add(kind[subject])
        elif predicate == "Covered":
            coated.add(kind[subject])
    at.update((kind[name], HELD) for name in held)
    return Situation(at, frozenset(opened), frozenset(coated), min(n_hands, HANDS))


def _kinds(objects: pl.DataFrame) -> dict[str, str]:
    rows = objects.select("object_name", "category").iter_rows()
    return {name: category or name for name, category in rows}
