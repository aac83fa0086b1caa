"""Agreement equals textbooks and a slow twin, and finds what a simulated panel can do."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from answers.people.panels import panel
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.answers.people.alpha import Ratings, nominal_alphas, ordinal_alphas
from enact_assets.answers.people.annotator_agreement import agreement
from enact_assets.answers.people.tables import HumanAgreement

from reference.agreement import nominal, ordinal, slow_alpha

TEXTBOOK = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
"""Krippendorff 2011, section C: four observers, twelve units, values that are missing."""
ALPHAS = ((nominal_alphas, nominal), (ordinal_alphas, ordinal))

UNITS = st.lists(
    st.lists(st.lists(st.integers(0, 4), max_size=4), min_size=1, max_size=3),
    min_size=1,
    max_size=5,
)
"""Questions, their units, the values of each."""


def ratings(questions: list[list[list[int]]]) -> Ratings:
    units = [(q, unit) for q, of in enumerate(questions) for unit in of]
    pairs = [(u, value) for u, (_, unit) in enumerate(units) for value in unit]
    of = np.array(pairs, np.int64).reshape(-1, 2)
    return Ratings(of[:, 0], of[:, 1], np.array([q for q, _ in units]), len(questions))


@pytest.mark.parametrize(
    ("alphas", "expected"), [(nominal_alphas, 0.7434), (ordinal_alphas, 0.8154)]
)
def test_textbook(alphas, expected: float) -> None:
    rows = [line.split() for line in TEXTBOOK]
    units = [[int(row[k]) for row in rows if row[k] != "."] for k in range(12)]
    found = alphas(ratings([[unit] for unit in units]), np.ones((1, 12)))
    assert round(found[0], 4) == expected


@given(UNITS, st.integers(0, 2**32 - 1))
def test_a_resample_equals_the_questions_written_out(questions, seed: int) -> None:
    n = len(questions)
    drawn = np.random.default_rng(seed).integers(n, size=(3, n))
    weights = np.array([np.bincount(row, minlength=n) for row in drawn], float)
    for alphas, difference in ALPHAS:
        found = alphas(ratings(questions), weights)
        for value, row in zip(found, drawn, strict=True):
            units = [unit for q in row for unit in questions[q]]
            assert value == pytest.approx(slow_alpha(units, difference), nan_ok=True, abs=1e-9)


def one(rows: pl.DataFrame, measure: str, **where: object) -> dict:
    wanted = {"annotators": "all", "kind": None, "length": None, "measure": measure} | where
    found = rows
    for name, value in wanted.items():
        found = found.filter(pl.col(name).eq_missing(pl.lit(value)))
    return found.row(0, named=True)


def test_a_panel_of_known_skill_is_recovered() -> None:
    """Answers at random are equal by chance only, so alpha of answers is the skill squared; alpha
    of places is too, as two orders at random have a rank correlation of zero.
    """
    skill = 0.9
    rows = agreement(panel(skill, 400, 1), "baseline")
    HumanAgreement.check(rows)
    for measure in ("alpha_answers", "alpha_places"):
        found = one(rows, measure)
        assert found["low"] < skill**2 < found["high"]
        assert found["low_demonstrations"] < skill**2 < found["high_demonstrations"]
        assert found["high"] - found["low"] < 0.1
    n_orders = np.array([6, 720])
    chance = (1 - skill) / n_orders
    by_length = (skill + chance) ** 3 + (n_orders - 1) * chance**3
    assert one(rows, "unanimous")["value"] == pytest.approx(by_length.mean(), abs=0.04)
    pairs = rows.filter(annotators="annotator_1 and annotator_3", measure="alpha_answers")
    assert pairs["value"][0] == pytest.approx(skill**2, abs=0.05)


@pytest.mark.slow
def test_intervals_hold_the_truth_nearly_as_often_as_they_say() -> None:
    held = 0
    for seed in range(60):
        found = one(agreement(panel(0.8, 60, seed, lengths=(6,)), "x"), "alpha_answers")
        held += found["low"] <= 0.8**2 <= found["high"]
    assert held >= 51


def test_alpha_of_places_is_the_mean_rank_correlation_within_a_length() -> None:
    answers = panel(0.6, 80, 3, lengths=(6,))
    found = one(agreement(answers, "baseline"), "alpha_places", length=6)
    rho = []
    for given_ in answers.partition_by("question_id"):
        places = [np.argsort(order) for order in given_["answer"]]
        rho += [1 - 6 * ((a - b) ** 2).sum() / 120 for a, b in combinations(places, 2)]
    assert found["value"] == pytest.approx(np.mean(rho), abs=5e-3)


def test_lengths_are_not_pooled_on_one_scale() -> None:
    answers = panel(0.5, 80, 4, lengths=(3, 10))
    rows = agreement(answers, "baseline")
    parts = [one(rows, "alpha_places", length=length)["value"] for length in (3, 10)]
    assert one(rows, "alpha_places")["value"] == pytest.approx(np.mean(parts))


def test_accepted_orders_may_stand_for_the_reference_and_cannot_tell_is_no_answer() -> None:
    answers = panel(1.0, 40, 5)
    other = pl.when(pl.int_range(pl.len()) % 3 == 0).then(pl.col("answer").list.reverse())
    answers = answers.with_columns(answer=other.otherwise("answer"))
    rows = agreement(answers, "baseline")
    assert one(rows, "alpha_answers")["value"] < 0.5
    assert one(rows, "alpha_answers_accepted")["value"] == 1
    assert one(rows, "unanimous")["value"] == 0
    silent = pl.when(pl.col("annotator") == "annotator_1").then(None).otherwise("answer")
    rows = agreement(answers.with_columns(answer=silent), "baseline")
    assert one(rows, "unanimous")["value"] == 1
    assert one(rows, "unanimous")["n_annotators"] == 2
    assert agreement(answers.filter(annotator="annotator_1"), "baseline").is_empty()
