"""Plans, sets and orders of a step file the slow and obvious way, from the CSV files alone."""

import csv
import itertools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def carried_out(folder: Path) -> list[Row]:
    """Every step that was carried out, with environment and person, by recording and time."""
    with (folder / "video_information.csv").open() as file:
        videos = {row["recording_id"]: row for row in csv.DictReader(file)}
    with (folder / "step_annotations.csv").open() as file:
        rows = [dict(row) for row in csv.DictReader(file)]
    found = [
        {
            "recording": row["recording_id"],
            "step": row["step_id"],
            "start": float(row["start_time"]),
            "end": float(row["end_time"]),
            "is_wrong": row["has_errors"] == "True",
            "environment": videos[row["recording_id"]]["environment_id"],
            "person": videos[row["recording_id"]]["person_id"],
        }
        for row in rows
        if float(row["start_time"]) >= 0
    ]
    return sorted(found, key=lambda r: (r["recording"], r["start"], r["end"]))


def by_recording(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["recording"], []).append(row)
    return found


def plans(rows: Sequence[Row], lengths: Sequence[int]) -> Iterator[tuple[Row, ...]]:
    """Neighbours in time of one recording without an error, no overlap, no step twice."""
    for steps in by_recording(rows).values():
        if any(step["is_wrong"] for step in steps):
            continue
        for length in lengths:
            for first in range(len(steps) - length + 1):
                plan = tuple(steps[first : first + length])
                pairs = itertools.pairwise(plan)
                if len({s["step"] for s in plan}) == length and all(
                    a["end"] <= b["start"] for a, b in pairs
                ):
                    yield plan


def in_balanced_sets(rows: Sequence[Row]) -> tuple[int, int]:
    """Steps without an error, the first of their kind in a recording, that have an equivalent in
    another environment; and those of them that share it with three others of one recording.
    """
    first: dict[str, dict[str, Row]] = {}
    for row in rows:
        if not row["is_wrong"]:
            first.setdefault(row["recording"], {}).setdefault(row["step"], row)
    place = {name: next(iter(steps.values()))["environment"] for name, steps in first.items()}
    with_equivalent = in_sets = 0
    for name, own in first.items():
        elsewhere = [set(o) for other, o in first.items() if place[other] != place[name]]
        with_equivalent += len(set(own) & set().union(*elsewhere))
        shared = [set(own) & steps for steps in elsewhere]
        in_sets += len(set().union(*(steps for steps in shared if len(steps) >= 4)))
    return with_equivalent, in_sets


def longest(
    recording: Sequence[int],
    spans: Sequence[tuple[float, float]],
    category: Sequence[int],
    is_usable: Sequence[bool],
    most: int,
) -> list[int]:
    """Length of the longest plan from each action on."""
    found = []
    for first in range(len(recording)):
        fits = 0
        for length in range(1, most + 1):
            at = range(first, first + length)
            if at[-1] >= len(recording):
                break
            apart = all(spans[a][1] <= spans[b][0] for a, b in itertools.pairwise(at))
            same = len({recording[k] for k in at}) == 1
            if same and apart and len({category[k] for k in at}) == length:
                fits = length if all(is_usable[k] for k in at) else fits
        found.append(fits)
    return found


def markov(plans: Sequence[Sequence[str]], plan: Sequence[str]) -> float:
    """Log probability of ``plan`` by bigrams of ``plans``, 0.1 added."""
    labels = {label for one in plans for label in one}
    total = 0.0
    for a, b in itertools.pairwise(plan):
        pairs = [p for one in plans for p in itertools.pairwise(one)]
        n_ab = sum(p == (a, b) for p in pairs)
        n_a = sum(p[0] == a for p in pairs)
        total += math.log((n_ab + 0.1) / (n_a + 0.1 * len(labels)))
    return total


def precedence(plans: Sequence[Sequence[str]], plan: Sequence[str]) -> float:
    """Sum over pairs of log (n_ab + 1) / (n_ab + n_ba + 2)."""

    def n(a: str, b: str) -> int:
        both = [one for one in map(list, plans) if a in one and b in one and a != b]
        return sum(one.index(a) < one.index(b) for one in both)

    return sum(
        math.log((n(a, b) + 1) / (n(a, b) + n(b, a) + 2))
        for a, b in itertools.combinations(plan, 2)
    )


def differing_pairs(plan: Sequence[int], other: Sequence[int]) -> int:
    """Pairs of numbers that two orders put otherwise, or that only one of them has."""

    def order(one: Sequence[int], a: int, b: int) -> bool | None:
        return one.index(a) < one.index(b) if a in one and b in one else None

    return sum(
        order(plan, a, b) != order(other, a, b)
        for a, b in itertools.combinations(sorted({*plan, *other}), 2)
    )
