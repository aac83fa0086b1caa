"""Verification spelled out: plain loops over sets of text, nothing shared with the package."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise, permutations
from typing import Any


def components(change: Any) -> set[str]:
    return {str(c) for c in change}


def step_passes(question: dict[str, Any], order: Sequence[int], deltas: Any) -> list[bool]:
    """Whether each step of an order of the right length passes."""
    frames = question["key_frames"]
    result = []
    before = question["shown_key_frames"][0]
    for step, label in enumerate(order):
        start, end = frames[step], frames[step + 1]
        if question["kind"] == "forward":
            after = question["shown_key_frames"][label]
            seen = components(deltas.visible(start, end))
            claimed = components(deltas.full(before, after))
            result.append(all(c in claimed for c in seen))
            before = after
        else:
            happened = components(deltas.full(start, end))
            claimed = set(question["action_components"][label - 1])
            result.append(all(c in happened for c in claimed))
    return result


def scores(question: dict[str, Any], order: Sequence[int], deltas: Any) -> dict[str, Any]:
    """Exact, semantic, accepted, steps passed, pairwise accuracy."""
    passed = step_passes(question, order, deltas)
    exact = list(order) == list(question["answer"])
    semantic = all(passed)
    count = len(passed) if exact or semantic else sum(passed)
    return {
        "is_exact": exact,
        "is_semantic": semantic,
        "is_accepted": exact or semantic,
        "n_steps_passed": count,
        "pairwise_accuracy": count / len(passed),
    }


def alignment(allowed: Sequence[Sequence[bool]]) -> int:
    """Longest monotone alignment by trying everything."""
    n, m = len(allowed), len(allowed[0]) if allowed else 0

    @cache
    def best(i: int, j: int) -> int:
        if i == n or j == m:
            return 0
        found = max(best(i + 1, j), best(i, j + 1))
        if allowed[i][j]:
            found = max(found, 1 + best(i + 1, j + 1))
        return found

    return best(0, 0)


def steps_credited(question: dict[str, Any], order: Sequence[int], deltas: Any) -> int:
    """Most true steps that can be matched, in order, with what too short an order says."""
    frames = question["key_frames"]
    shown = [question["shown_key_frames"][label] for label in (0, *order)]
    allowed = []
    for start, end in pairwise(frames):
        if question["kind"] == "forward":
            seen = components(deltas.visible(start, end))
            claims = [components(deltas.full(*step)) for step in pairwise(shown)]
            allowed.append([seen <= claim for claim in claims])
        else:
            happened = components(deltas.full(start, end))
            claims = [set(question["action_components"][label - 1]) for label in order]
            allowed.append([claim <= happened for claim in claims])
    return alignment(allowed)


def expected_of_random_order(question: dict[str, Any], deltas: Any) -> tuple[int, float, float]:
    """Accepted orders, expected task and pairwise accuracy: every order scored in turn."""
    n = len(question["answer"])
    all_scores = [scores(question, order, deltas) for order in permutations(range(1, n + 1))]
    accepted = sum(s["is_accepted"] for s in all_scores)
    pairwise = sum(s["pairwise_accuracy"] for s in all_scores)
    return accepted, accepted / len(all_scores), pairwise / len(all_scores)
