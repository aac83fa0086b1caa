"""Statistics of clustered scores one column at a time, by their definitions; slow and obvious."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray

Score = float | None


def by_cluster(scores: Sequence[Score], clusters: Sequence[int]) -> dict[int, list[float]]:
    """Scores of each cluster that has any."""
    found: dict[int, list[float]] = {}
    for score, cluster in zip(scores, clusters, strict=True):
        if score is not None:
            found.setdefault(cluster, []).append(score)
    return dict(sorted(found.items()))


def clustered_error(scores: Sequence[Score], clusters: Sequence[int]) -> float | None:
    """Standard error of the mean; None below two clusters."""
    groups = by_cluster(scores, clusters)
    if len(groups) < 2:
        return None
    everything = [x for group in groups.values() for x in group]
    mean = sum(everything) / len(everything)
    n = len(everything)
    squared = sum(
        sum(x - mean for x in group) ** 2 / (1 - len(group) / n) for group in groups.values()
    )
    return math.sqrt(squared) / n


def clustered_degrees(scores: Sequence[Score], clusters: Sequence[int]) -> float:
    """Satterthwaite's degrees of freedom of that error, from the matrices of its definition."""
    groups = [group for group in by_cluster(scores, clusters).values() if group]
    sizes = [len(group) for group in groups]
    n = sum(sizes)
    # Residuals of independent scores, and of each cluster the vector that its sum is taken with.
    residuals = np.eye(n) - np.ones((n, n)) / n
    vectors = np.zeros((n, len(groups)))
    start = 0
    for k, size in enumerate(sizes):
        here = slice(start, start + size)
        values, axes = np.linalg.eigh(residuals[here, here])
        root = axes @ np.diag(1 / np.sqrt(values)) @ axes.T
        vectors[:, k] = residuals[:, here] @ root @ np.ones(size) / n
        start += size
    eigenvalues = np.linalg.eigvalsh(vectors.T @ vectors)
    return float(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())


def resampled_means(
    scores: Sequence[Score], clusters: Sequence[int], weights: NDArray[np.float64]
) -> list[float]:
    """Mean over the scores of the clusters drawn in each resample, each as often as it is drawn."""
    groups = list(by_cluster(scores, clusters).values())
    means = []
    for row in weights:
        drawn = [x for group, n in zip(groups, row, strict=True) for x in group * int(n)]
        means.append(sum(drawn) / len(drawn))
    return means


def sign_flip_p(scores: Sequence[Fraction], clusters: Sequence[int]) -> Fraction:
    """Share of all sign flips of clusters whose total is as far from zero, in exact numbers."""
    names = sorted(set(clusters))
    sums = [
        sum((s for s, c in zip(scores, clusters, strict=True) if c == name), Fraction(0))
        for name in names
    ]
    found = abs(sum(sums, Fraction(0)))
    flips = list(product((1, -1), repeat=len(sums)))
    as_far = sum(
        abs(sum((k * s for k, s in zip(signs, sums, strict=True)), Fraction(0))) >= found
        for signs in flips
    )
    return Fraction(as_far, len(flips))


def holm_rejects(p: Sequence[float], alpha: float) -> set[int]:
    """Hypotheses that Holm's procedure rejects: the smallest p at alpha / m, the next at ..."""
    rejected: set[int] = set()
    for k, (value, index) in enumerate(sorted((value, i) for i, value in enumerate(p))):
        if value > alpha / (len(p) - k):
            break
        rejected.add(index)
    return rejected


def benjamini_hochberg_rejects(p: Sequence[float], alpha: float) -> set[int]:
    """The k smallest, with the greatest k whose p is at most alpha k / m."""
    order = sorted((value, i) for i, value in enumerate(p))
    ks = [k for k, (value, _) in enumerate(order, 1) if value <= alpha * k / len(p)]
    return {i for _, i in order[: max(ks, default=0)]}
