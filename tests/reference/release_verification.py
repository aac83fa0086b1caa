"""The release's evaluation in plain Python: sets, exceptions, one row at a time.

``Changes`` give sets of signatures per pair of frames and raise where the release raises.
"""

import ast
import re
import statistics
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

Changes = Callable[[int, int], frozenset[Any]]


def parse(answer: object, n: int) -> list[Any] | None:
    """Labels, or None; raises ValueError for digits Python does not convert."""
    if isinstance(answer, list):
        return answer
    if not answer or not isinstance(answer, str):
        return None
    brackets = re.findall(r"\[[\d\s,]+\]", answer)
    if brackets:
        try:
            labels = ast.literal_eval(brackets[-1])
            labels = labels[-n:] if len(labels) > n else labels
            if min(labels) == 0:
                labels = [label + 1 for label in labels]
            if min(labels) > 1:
                labels = [label - min(labels) + 1 for label in labels]
            return labels
        except (SyntaxError, ValueError):
            pass
    return [int(digits) for digits in re.findall(r"\d+", answer)] or None


def alignment(
    correct: Sequence[frozenset[Any]],
    given: Sequence[frozenset[Any]],
    correct_full: Sequence[frozenset[Any]] | None = None,
) -> float:
    """Length of the longest common subsequence under inclusion, over the longer length."""
    if not correct or not given:
        return 0.0

    @cache
    def best(i: int, j: int) -> int:
        if i == len(correct) or j == len(given):
            return 0
        found = max(best(i + 1, j), best(i, j + 1))
        if correct[i] <= given[j] or (correct_full is not None and given[j] <= correct_full[i]):
            found = max(found, 1 + best(i + 1, j + 1))
        return found

    return best(0, 0) / max(len(correct), len(given))


def forward(
    x: list[int], gold: list[int], a: list[Any], partial: Changes, full: Changes
) -> tuple[bool, float]:
    """Semantic match and ratio of an order of pictures."""
    shuffled = [x[0]] * (len(gold) + 1)
    for t, label in enumerate(gold):
        shuffled[label] = x[t + 1]
    try:
        y = [x[0]] + [shuffled[k] for k in a]
        correct = [partial(u, v) for u, v in pairwise(x)]
        given = [full(u, v) for u, v in pairwise(y)]
    except (LookupError, TypeError, AssertionError):
        return False, 0.0
    if len(a) != len(gold):
        return False, alignment(correct, given)
    hits = [c <= g for c, g in zip(correct, given, strict=True)]
    return all(hits), sum(hits) / len(hits)


def inverse(
    x: list[int], gold: list[int], a: list[Any], partial: Changes, full: Changes
) -> tuple[bool, float]:
    """Semantic match and ratio of an order of actions; raises if the row is left out."""
    m = len(x) - 1
    p = [partial(u, v) for u, v in pairwise(x)]
    happened = [full(u, v) for u, v in pairwise(x)]
    shuffled = [p[0]] * m
    for t, label in enumerate(gold):
        shuffled[label - 1] = p[t]
    valid = [1 <= k <= m for k in a]
    try:
        given = [shuffled[k - 1] for k, is_valid in zip(a, valid, strict=True) if is_valid]
    except TypeError:  # a float within the labels: an order that passes nothing
        return False, 0.0
    if len(a) == m:
        hits = [g <= h for g, h in zip(given, happened, strict=False)]
        return all(valid) and all(hits), sum(hits) / m
    if any(valid[m:]):
        return False, 0.0
    return False, alignment(p, given, happened)


def evaluate(
    x: list[int], gold: list[int], kind: str, answer: object, deltas: Any
) -> dict[str, Any]:
    """A row as the fixtures hold it; ``deltas`` has the changes ``partial`` and ``full``."""
    skipped = {"outcome": "skipped"}
    try:
        a = parse(answer, len(gold))
        if a is None:
            return skipped | {"reason": "failed_to_parse_answer"}
        is_forward = kind == "forward"
        judge = forward if is_forward else inverse
        semantic, ratio = judge(x, gold, a, deltas.partial, deltas.full)
    except (LookupError, TypeError, AssertionError, ValueError):
        return skipped | {"reason": "evaluation_error"}
    right = a == gold or semantic
    row = {
        "outcome": "scored",
        "parsed": a,
        "exact_match": a == gold,
        "semantic_match": semantic,
        "task_accuracy": right,
        "pairwise_accuracy": 1.0 if right else ratio,
    }
    if is_forward and not right and not translates(x, gold, a, deltas.full):
        row["skipped_with_analyze_wrong_cases"] = "evaluation_error"
    return row


def translates(x: list[int], gold: list[int], a: list[Any], full: Changes) -> bool:
    """Whether the pictures answered, those that are none left out, can be put into words.

    What the release does with entries that are no integers is not known; here they cannot.
    """
    if not all(isinstance(k, int) for k in a):
        return False
    shuffled = [x[0]] * (len(gold) + 1)
    for t, label in enumerate(gold):
        shuffled[label] = x[t + 1]
    try:
        y = [x[0]] + [shuffled[k] for k in a if -len(shuffled) <= k < len(shuffled)]
        for u, v in pairwise(y):
            full(u, v)
    except AssertionError:
        return False
    return True


def report(rows: list[tuple[str, int, dict[str, Any]]]) -> dict[str, Any]:
    """The report on rows (type, labels in the reference, row of :func:`evaluate`)."""
    scored = [row for row in rows if row[2]["outcome"] == "scored"]

    def means(chosen: list[tuple[str, int, dict[str, Any]]]) -> dict[str, Any]:
        names = ("task_accuracy", "pairwise_accuracy")
        return {"count": len(chosen)} | {
            name: statistics.fmean(float(row[2][name]) for row in chosen) for name in names
        }

    result = {}
    for name in ("overall", "forward_world_modeling", "inverse_world_modeling"):
        part = [row for row in scored if name == "overall" or name.split("_")[0] in row[0]]
        if part:
            lengths = {row[1] + 1 for row in part}
            result[name] = means(part) | {
                "per_step": {
                    f"{n}_steps": means([r for r in part if r[1] + 1 == n]) for n in lengths
                }
            }
    return result
