"""Ridge regression on steps, in closed form: weights by which readings change as they should.

With x the features of a key frame, a step from i to j asks that w (x_j - x_i) be its target. Over
all steps of one demonstration the normal equations are X' L X w = X' y, where L is the Laplacian of
the graph that the steps make and y the net targets per key frame. A demonstration has fewer key
frames than features, so it is kept by rows Z with Z'Z = X' L X, and the equations are solved in
their dual form: exact, and a hundred times faster.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.settings.arrays import Floats

STRENGTH = 0.3
"""Penalty, in shares of the mean of the diagonal of X' L X. Chosen on seeds 107 to 109."""
SHRINK = 0.5
"""Power of a reading's usual change that it is divided by, so that strong readings do not outvote
the others. Chosen on seeds 107 to 109."""
_ZERO = 1e-9
"""Eigenvalues below this share of the greatest are those of parts that no step joins."""


class Moments(NamedTuple):
    """Training, as rows of the dual equations: of several demonstrations, below each other.

    Shape: ``rows`` (m, features), ``wanted`` (m, readings); ``n_steps`` behind them.
    """

    rows: Floats
    wanted: Floats
    n_steps: int


def moments_of(features: Floats, joined: NDArray[np.bool_], net: Floats) -> Moments:
    """Of one demonstration: features (n, f), steps (n, n), symmetric, and net targets (n, r).

    At most n - 1 rows come of it: steps say nothing of what all key frames share.
    """
    laplacian = np.diag(joined.sum(axis=1)) - joined.astype(np.float64)
    values, vectors = np.linalg.eigh(laplacian)
    is_kept = values > _ZERO * max(float(values[-1]), 1.0)
    roots, kept = np.sqrt(values[is_kept])[:, None], vectors[:, is_kept].T
    return Moments(roots * (kept @ features), kept @ net / roots, int(joined.sum()) // 2)


def stacked(parts: Sequence[Moments]) -> Moments:
    """Of all of ``parts``, whose readings are the same."""
    return Moments(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.wanted for part in parts]),
        sum(part.n_steps for part in parts),
    )


def fit(moments: Moments, gram: Floats | None = None) -> NDArray[np.float32]:
    """Weights (features, readings), each scaled by its usual change over a step.

    ``gram`` is ``rows @ rows.T``, if it is known. Without any step all weights are 0.
    """
    rows, wanted, n_steps = moments
    if not n_steps:
        return np.zeros((rows.shape[1], wanted.shape[1]), np.float32)
    gram = rows @ rows.T if gram is None else gram
    penalty = STRENGTH * float(np.trace(gram)) / rows.shape[1]
    dual = np.linalg.solve(gram + penalty * np.eye(len(gram)), wanted)
    usual = np.sqrt(np.square(gram @ dual).sum(axis=0) / n_steps) + 1e-6
    return np.asarray(rows.T @ dual / usual**SHRINK, np.float32)
