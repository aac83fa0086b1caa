"""Slow twin of the release's draws: section 13 in its order, with Python's own functions."""

import random
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from reference.trajectories import Edges, count_table

Pair = tuple[int, int]


class Question(NamedTuple):
    key_frames: tuple[int, ...]
    wordings: tuple[tuple[int, ...], ...]
    shown: tuple[int, ...]


def word(generator: random.Random, added: int, removed: int) -> tuple[int, ...]:
    drawn = [generator.choice(["a", "b", "c", "d"]) for _ in range(added)]
    drawn += [generator.choice(["a", "b"]) for _ in range(removed)]
    return tuple("abcd".index(letter) for letter in drawn)


def generate(
    n_key_frames: int,
    edges: Edges,
    n_draws: Mapping[Pair, Pair],
    *,
    length: int,
    kind: str,
    requested: int,
    attempts: int = 10,
    without_picture: frozenset[int] = frozenset(),
) -> list[Question]:
    """One call of the release's ``generate``: everything from the seed on."""
    generator = random.Random(42)  # noqa: S311 - the release's
    for i in range(n_key_frames):
        for j in range(i + 1, n_key_frames):
            word(generator, *n_draws[i, j])
    table = count_table(n_key_frames, edges, length)
    total = sum(table[length])
    if total == 0:
        return []
    wanted = min(requested, total)
    found: list[tuple[int, ...]] = []
    for _ in range(attempts * wanted):
        if len(found) == wanted:
            break
        path = backtrack(generator, n_key_frames, edges, table, length)
        if path not in found:
            found.append(path)
    questions = []
    for path in found:
        missing = [k for k in path if k in without_picture]
        if missing and (kind == "inverse" or path[0] in missing):
            continue
        wordings = tuple(word(generator, *n_draws[step]) for step in pairwise(path))
        items = list(range(length - 1))
        generator.shuffle(items)
        if not missing:
            questions.append(Question(path, wordings, tuple(items)))
    if kind == "inverse":
        questions = generator.sample(questions, min(25, len(questions)))
    return questions


def backtrack(
    generator: random.Random,
    n_key_frames: int,
    edges: Edges,
    table: Sequence[Sequence[int]],
    length: int,
) -> tuple[int, ...]:
    path = generator.choices(list(range(n_key_frames)), weights=table[length])
    for step in range(length - 1, 0, -1):
        before = [k for k in range(n_key_frames) if (k, path[0]) in edges and table[step][k] > 0]
        path = generator.choices(before, weights=[table[step][k] for k in before]) + path
    return tuple(path)
