"""Experiments are variants: whatever is told or shown otherwise, scores and errors come one way."""

from functools import cache

import polars as pl
import pytest

from enact_assets.answers.baselines.tables import Predictions
from enact_assets.questions.asked.by_variant import ask_questions
from enact_assets.questions.asked.noise import Vocabulary
from enact_assets.results.errors.answer_comparison import compare_answers
from enact_assets.results.verification.evaluate import PAPER_ANSWERS, evaluate
from enact_assets.settings.classes import NoiseSettings, QuestionSettings, Variant
from enact_assets.settings.predicates import STATE_PREDICATES

from reference.household import Chance, Household, all_chosen, build_household

Tables = tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]
BASELINE = Variant("baseline", "state")
NOISE = [Variant(f"noise_{seed}", "state", noise=NoiseSettings(0.4, seed)) for seed in (1, 2, 3)]
OTHERS = [
    Variant("symbolic", "state", wording="symbolic"),
    Variant("emoji", "state", wording="emoji"),
    *NOISE,
    Variant("noise_0", "state", noise=NoiseSettings(0.0, 9)),
]


@cache
def home() -> Household:
    return build_household(6, trajectories_per_length=4)


def asked(variant: Variant) -> pl.DataFrame:
    words = {home().demonstration: Vocabulary.of(home().objects, STATE_PREDICATES)}
    return ask_questions(
        all_chosen(home().qa), home().qa, variant, QuestionSettings(), vocabularies=words
    )


def answered(questions: pl.DataFrame, *, by_prompt: bool) -> Tables:
    """Scores and errors of a model whose orders hang on the question, or on its very prompt."""
    rows = []
    for row in questions.iter_rows(named=True):
        chance = Chance(row["prompt"] if by_prompt else row["question_id"])
        order = list(row["answer"])
        i, j = chance.choice(range(len(order))), chance.choice(range(len(order)))
        order[i], order[j] = order[j], order[i]
        said = {"raw_answer": str(order), "error": None, "request_sha": "s", "model": "m"}
        said["repetition"] = 0
        rows.append({**said, "variant": row["variant"], "question_id": row["question_id"]})
    indexes = {home().demonstration: home().index}
    scores = evaluate(Predictions.build(rows), questions, indexes, PAPER_ANSWERS)
    found = compare_answers(scores, questions, indexes)
    return scores, found.steps, found.components


def equal(some: Tables, others: Tables) -> bool:
    """Whether all rows are, but for the name of the variant."""
    pairs = zip(some, others, strict=True)
    return all(a.drop("variant").equals(b.drop("variant")) for a, b in pairs)


@pytest.mark.parametrize("variant", OTHERS, ids=lambda v: v.name)
def test_the_same_orders_have_the_same_scores_and_errors_under_every_variant(
    variant: Variant,
) -> None:
    """Noise in what is told must not move what is right, nor what the answer is held to say."""
    found = answered(asked(variant), by_prompt=False)
    assert equal(found, answered(asked(BASELINE), by_prompt=False))
    assert all(set(rows["variant"]) == {variant.name} for rows in found)
    assert found[1]["n_missing"].sum() > 0


def test_noise_at_rate_0_is_the_baseline_down_to_the_last_error() -> None:
    """By prompts: one word more, and this model answers otherwise."""
    zero = Variant("noise_0", "state", noise=NoiseSettings(0.0, 9))
    assert asked(zero).drop("variant").equals(asked(BASELINE).drop("variant"))
    baseline = answered(asked(BASELINE), by_prompt=True)
    assert equal(answered(asked(zero), by_prompt=True), baseline)
    assert not equal(answered(asked(NOISE[0]), by_prompt=True), baseline)
