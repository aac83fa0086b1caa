"""Pairwise accuracy per setting (steps over steps) and its errors, against a slow twin."""

import random
from typing import Any

import numpy as np
import pytest
from sql.tiny_lake import Relations, Rows, query, tiny_rows

from enact_assets.results.statistics.clusters import ClusterSums

COLUMNS = "n_questions, n_demonstrations, pairwise_accuracy, standard_error"


def scores(rows: Rows, where: str) -> list[tuple[Any, ...]]:
    columns = f"variant, {COLUMNS}, clustered_standard_error"
    text = f"select {columns} from probe_scores where {where} order by variant"  # noqa: S608 - ours
    return query(Relations(rows), text).rows()


def test_each_panel_has_its_settings_and_the_baseline_beside_them() -> None:
    """f4 was never answered under the baseline; f2, f3 and i1 are no probe questions."""
    found = scores(tiny_rows(), "model = 'guesser' and length is null")
    assert found == [
        ("aperture_80", 2, 2, 0.5, pytest.approx(0.5), pytest.approx(0.5)),
        ("baseline", 1, 1, 1.0, None, None),
    ]


def test_a_model_that_was_not_probed_has_no_row() -> None:
    assert scores(tiny_rows(), "model = 'oracle'") == []


def many() -> Rows:
    """Forty probe questions of one length about five demonstrations of unequal size, and ten of
    another length about two.
    """
    draw, rows = random.Random(3), tiny_rows()  # noqa: S311 - no secret
    asked, scored = rows["asked_questions"][0], rows["evaluation"][0]
    rows["asked_questions"], rows["evaluation"] = [], []
    for n in range(50):
        length = 4 if n < 40 else 3
        demonstration = f"d-{min(n % 8, 4) if n < 40 else n % 2}"
        # The variant leaves out every ninth question, of later places.
        for variant in ("baseline", "aperture_80")[: 2 if n % 9 else 1]:
            passed = draw.randint(0, length - 1)
            here = {"variant": variant, "question_id": f"q{n}", "demonstration": demonstration}
            here |= {"length": length, "kind": "forward"}
            place = n + 1 if n % 9 else 1000 + n
            rows["asked_questions"].append({**asked, **here, "place": place})
            score = {"n_steps_passed": passed, "pairwise_accuracy": passed / (length - 1)}
            if n % 11 == 0:
                score = dict.fromkeys((*score, "is_exact", "is_semantic", "is_accepted"))
            rows["evaluation"].append({**scored, "model": "guesser", **here, **score})
    return rows


@pytest.mark.parametrize("length", [None, 3, 4])
def test_means_and_errors_are_those_of_the_slow_twin(length: int | None) -> None:
    rows = many()
    at = "length is null" if length is None else f"length = {length}"
    found = scores(rows, at)
    assert [row[0] for row in found] == ["aperture_80", "baseline"]
    probed = {r["question_id"] for r in rows["asked_questions"] if r["variant"] != "baseline"}
    for variant, n, n_demonstrations, mean, error, clustered in found:
        kept = [
            (r["n_steps_passed"], r["length"] - 1, r["demonstration"])
            for r in rows["evaluation"]
            if r["variant"] == variant
            and r["question_id"] in probed
            and r["pairwise_accuracy"] is not None
            and length in {None, r["length"]}
        ]
        n_steps = sum(steps for _, steps, _ in kept)
        passed = sum(right for right, _, _ in kept)
        names = sorted({name for _, _, name in kept})
        assert (n, n_demonstrations) == (len(kept), len(names))
        assert mean == pytest.approx(passed / n_steps)
        off = [right - steps * mean for right, steps, _ in kept]
        spread = sum(residual**2 for residual in off) * len(kept) / (len(kept) - 1)
        assert error == pytest.approx(spread**0.5 / n_steps)
        square = 0.0
        for name in names:
            share = sum(steps for _, steps, whose in kept if whose == name) / n_steps
            total = sum(o for o, (_, _, whose) in zip(off, kept, strict=True) if whose == name)
            square += total**2 / (1 - share)
        assert clustered == pytest.approx(square**0.5 / n_steps)
        if length is not None:  # of one length, what it was as a mean over questions
            values = np.array([right / steps for right, steps, _ in kept])
            clusters = np.array([names.index(name) for _, _, name in kept])
            sums = ClusterSums.of(values[:, None], clusters)
            assert clustered == pytest.approx(sums.standard_errors()[0])
