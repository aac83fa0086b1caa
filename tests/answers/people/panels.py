"""Simulated annotators of known skill."""

import numpy as np
import polars as pl


def panel(
    skill: float, n_questions: int, seed: int, *, n_annotators: int = 3, lengths=(4, 7)
) -> pl.DataFrame:
    """Each is right with probability ``skill``, and otherwise gives an order at random."""
    random = np.random.default_rng(seed)
    rows = []
    for q in range(n_questions):
        length = lengths[q % len(lengths)]
        right = random.permutation(length - 1) + 1
        for a in range(n_annotators):
            is_right = random.random() < skill
            given = right if is_right else random.permutation(length - 1) + 1
            rows.append(
                {
                    "role": "person",
                    "annotator": f"annotator_{a + 1}",
                    "question_id": f"q{q}",
                    "demonstration": f"d{q % 8}",
                    "kind": ("forward", "inverse")[q // len(lengths) % 2],
                    "length": length,
                    "answer": given.tolist(),
                    "as_accepted": given.tolist(),
                }
            )
    return pl.DataFrame(rows)
