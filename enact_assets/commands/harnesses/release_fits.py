"""Which steps orders of an official question pass, for scorers without scene graphs.

Profile ``release``, as :mod:`enact_assets.results.verification.verify` decides it. The scorer that
reads it is ``scoring.py`` of ``deploy/upstream``; its docstring says what the fields mean.
"""

from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np

from enact_assets.results.verification.shared_changes import SharedChanges
from enact_assets.results.verification.verify import VerifierQuestion
from enact_assets.settings.arrays import Bools, Words


def release_fits(question: VerifierQuestion, changes: SharedChanges) -> dict[str, Any]:
    """``passes``, ``aligns``, ``raises`` and ``is_void`` of a sound question about ``changes``.

    Entries that pass no step are left out. Source: definitions.md R15.1 to R15.3.
    """
    frames = question.key_frames
    shown = np.array([frames[0], *(frames[k] for k in np.argsort(question.answer) + 1)])
    n = len(shown)
    pairs = np.array(list(product(shown, shown)))
    steps = np.array(list(pairwise(frames)))
    known = changes.at(np.concatenate([pairs, steps]))
    of_steps = known.rows[steps[:, 0], steps[:, 1]]
    visible, full = known.visible[of_steps], known.full[of_steps]
    fails, raises = known.visible_fails[steps[:, 0], steps[:, 1]], list[str]()
    if question.kind == "inverse":
        names = [str(label) for label in range(1, n)]
        said = visible[np.argsort(question.answer)]
        passes = _subset(said[:, None], full[None])
        aligns = passes | _subset(visible[None], said[:, None])
        fails = fails | known.full_fails[steps[:, 0], steps[:, 1]]
    else:
        names = [f"{a}>{b}" for a, b in product(range(n), range(n))]
        said = known.full[known.rows[pairs[:, 0], pairs[:, 1]]]
        passes = aligns = _subset(visible[None], said[:, None])
        is_raised = known.full_fails[pairs[:, 0], pairs[:, 1]]
        raises = [name for name, is_so in zip(names, is_raised.tolist(), strict=True) if is_so]
    return {
        "passes": _by_name(names, passes),
        "aligns": _by_name(names, aligns),
        "raises": raises,
        "is_void": bool(fails.any()),
    }


def _subset(small: Words, large: Words) -> Bools:
    """Whether bit sets (..., n_words) are within others, broadcast."""
    return np.asarray(~(small & ~large).any(axis=-1))


def _by_name(names: Sequence[str], passes: Bools) -> dict[str, list[int]]:
    """Steps, from 1, of each row of (n_names, n_steps) that has some."""
    found = (
        (name, (np.flatnonzero(row) + 1).tolist()) for name, row in zip(names, passes, strict=True)
    )
    return {name: steps for name, steps in found if steps}
