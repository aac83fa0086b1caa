"""Findings of the paper: a guesser confirms none, and planted ones are found in their size."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
from results.errors import changes_by_hand as by_hand
from results.errors.changes_by_hand import predicted

from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.results.errors.answer_comparison import AnswerComparer, Compared
from enact_assets.results.errors.random_orders import compare_random_orders
from enact_assets.results.findings.findings import FINDINGS, VERDICTS, told
from enact_assets.results.findings.of_mirrored_pairs import findings_of_mirrored_pairs
from enact_assets.results.findings.of_models import findings_of_models
from enact_assets.results.findings.of_published_models import (
    findings_of_published_models,
    smallest_chance,
)
from enact_assets.results.verification.evaluate import PAPER_ANSWERS, evaluate
from enact_assets.results.verification.expectation import expect_random_orders

from reference.household import build_household

CONFIRMED, NO_MORE, _, _ = VERDICTS
Order = Callable[[dict[str, Any]], list[int]]


@cache
def asked() -> tuple[pl.DataFrame, dict[str, ComponentIndex], pl.DataFrame, AnswerComparer]:
    """Questions about twelve households, their changes, random orders, and what compares."""
    homes = [build_household(seed, visible_share=0.7) for seed in range(1, 13)]
    qa = pl.concat([home.qa for home in homes])
    indexes: dict[str, ComponentIndex] = {home.demonstration: home.index for home in homes}
    return qa, indexes, compare_random_orders(qa, indexes, "baseline"), AnswerComparer(qa, indexes)


def answered(
    orders: Order, name: str = "m", repetitions: int = 1
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """``compared_steps`` and ``evaluation`` of one model that answers with ``orders``."""
    qa, indexes, _, comparer = asked()
    parts = []
    for repetition in range(repetitions):
        raw = [str(orders(question)) for question in qa.iter_rows(named=True)]
        given = predicted(qa, raw, name).with_columns(
            repetition=pl.lit(repetition, pl.Int64), variant=pl.lit("baseline")
        )
        parts.append(evaluate(given, qa, indexes, PAPER_ANSWERS))
    evaluation = pl.concat(parts)
    return comparer.compare(evaluation).steps, evaluation


def in_place(question: dict[str, Any]) -> list[int]:
    return list(range(1, len(question["answer"]) + 1))


def shuffled(random: np.random.Generator, question: dict[str, Any]) -> list[int]:
    return [int(k) for k in random.permutation(in_place(question))]


@pytest.mark.parametrize("guess", [in_place, lambda q: in_place(q)[::-1]], ids=["1 2 3", "3 2 1"])
def test_a_guesser_confirms_nothing(guess: Order) -> None:
    """Its accuracy falls with length, and is higher on forward questions, for no reason of its."""
    steps, evaluation = answered(guess)
    found = findings_of_models(steps, evaluation, asked()[2])
    assert set(found["verdict"]) == {NO_MORE}
    falls = found.filter(finding="falls_with_length")
    assert (falls["expected"] > 0.3).all()
    # What the paper's rule sees in it: the reverse of the paper's finding.
    assert found.filter(finding="inverse_above_forward")["value"].item() < 0


def test_a_guess_that_leaves_a_label_out_has_no_finding() -> None:
    """Its accuracy is far above that of a random order, by the rule for short lists."""
    steps, evaluation = answered(lambda question: in_place(question)[:-1])
    assert findings_of_models(steps, evaluation, asked()[2]).is_empty()


def test_inverse_against_forward_is_over_the_same_lengths() -> None:
    """With forward questions at the shortest length alone, those would seem to be better."""
    steps, evaluation = answered(lambda question: list(question["answer"]))
    some = (pl.col("kind") == "inverse") | (pl.col("length") == 3)
    found = findings_of_models(steps, evaluation.filter(some), asked()[2])
    [lead] = found.filter(finding="inverse_above_forward").to_dicts()
    assert lead["n_answers"] == evaluation.filter(length=3).height
    none = evaluation.filter((pl.col("kind") == "inverse") == (pl.col("length") == 3))
    [lead] = (
        findings_of_models(steps, none, asked()[2])
        .filter(finding="inverse_above_forward")
        .to_dicts()
    )
    assert (lead["verdict"], lead["reason"], lead["n_answers"]) == (VERDICTS[3], "no_scores", 0)


def test_expected_accuracies_are_those_of_random_orders() -> None:
    qa, indexes, random, _ = asked()
    other = expect_random_orders(qa, indexes)
    both = random.join(other, on="question_id")
    assert both.height == random.height == qa.height
    share = both["n_steps_passed"] / both["n_steps"]
    np.testing.assert_allclose(share, both["expected_pairwise_accuracy"])
    np.testing.assert_allclose(both["accepted"], both["expected_task_accuracy"])


def planted(question: dict[str, Any], rates: dict[str, float], decay: float) -> float:
    """How often the planted model knows the answer; else it shuffles."""
    return rates[question["kind"]] - decay * (question["length"] - 3)


def test_planted_effects_are_confirmed_in_their_size() -> None:
    """Inverse questions are known more often, and long ones less often."""
    random = np.random.default_rng(4)
    rates, decay = {"forward": 0.55, "inverse": 0.95}, 0.07

    def order(question: dict[str, Any]) -> list[int]:
        is_known = random.random() < planted(question, rates, decay)
        return list(question["answer"]) if is_known else shuffled(random, question)

    steps, evaluation = answered(order, repetitions=9)
    found = findings_of_models(steps, evaluation, asked()[2])
    lead = found.filter(finding="inverse_above_forward").row(0, named=True)
    assert lead["verdict"] == CONFIRMED
    assert lead["effect"] == pytest.approx(rates["inverse"] - rates["forward"], abs=0.05)
    for row in found.filter(finding="falls_with_length").iter_rows(named=True):
        assert row["verdict"] == CONFIRMED
        assert row["effect"] == pytest.approx(7 * decay, abs=0.15)
    for row in found.filter(finding="better_than_chance").iter_rows(named=True):
        assert row["verdict"] == CONFIRMED
    assert set(found.filter(finding="right_hand_recalled_more")["verdict"]) == {NO_MORE}


def test_confusion_of_hands_is_confirmed_in_its_size() -> None:
    """Every other answer is the order, of a few, that takes left hands for right ones most."""
    orders = asked()[2]
    random = np.random.default_rng(5)
    steps, evaluation = answered(lambda question: shuffled(random, question), repetitions=6)
    mixed = pl.col("n_left_mixed", "n_right_mixed").sum()
    drawn = steps.group_by("question_id", "repetition").agg(mixed)
    drawn = drawn.join(evaluation, on=["question_id", "repetition"])
    lead = pl.col("n_left_mixed") - pl.col("n_right_mixed")
    worst = drawn.sort(lead, "repetition", descending=True).unique("question_id", keep="first")
    confused = dict(worst.select("question_id", "answer").iter_rows())

    def order(question: dict[str, Any]) -> list[int]:
        is_confused = random.random() < 0.5
        return list(confused[question["question_id"]] if is_confused else question["answer"])

    steps, evaluation = answered(order, repetitions=9)
    found = findings_of_models(steps, evaluation, orders)
    for kind in ("forward", "inverse"):
        n = worst.filter(kind=kind).select(mixed)
        expected = orders.filter(kind=kind).select(mixed)
        left, right = (0.5 * n.item(0, hand) / expected.item(0, hand) for hand in n.columns)
        row = found.filter(finding="left_taken_for_right", kind=kind).row(0, named=True)
        assert row["verdict"] == CONFIRMED
        assert row["effect"] == pytest.approx(left - right, abs=0.15)
        assert left - right > 0.3


def test_over_mirror_images_a_preference_of_a_hand_is_found_and_base_rates_are_not() -> None:
    """With the left hand known better in pictures, and the right one in their mirror images, no
    hand is known better."""
    random = np.random.default_rng(6)
    qa = asked()[0]
    left = {
        name: any("LeftGrasping" in c for step in steps for c in step)
        for name, steps in qa.select("question_id", "action_components").iter_rows()
    }

    def of_world(question: dict[str, Any]) -> list[int]:
        is_known = random.random() < (0.9 if left[question["question_id"]] else 0.2)
        return list(question["answer"]) if is_known else shuffled(random, question)

    unmirrored = answered(of_world)
    steps, evaluation = answered(of_world)
    mirrored = Compared(steps, asked()[3].compare(evaluation).components).mirrored().steps
    assert mirrored["n_left_reference"].sum() == steps["n_right_reference"].sum()
    same = findings_of_mirrored_pairs((mirrored, evaluation), unmirrored)
    assert set(same["verdict"]) == {NO_MORE}
    assert same["value"].abs().max() < 0.2
    # The same answers without exchanged hands are a model that prefers the left hand in both.
    prefers = findings_of_mirrored_pairs((steps, evaluation), unmirrored)
    assert prefers.filter(finding="right_hand_recalled_more")["value"].max() < 0


def test_the_smallest_chance_is_that_of_one_right_order() -> None:
    """Against questions whose steps all change something else, by counting over every order."""
    for length in (3, 4, 5):
        n = length - 1
        changes = {
            (i, j): [f"+Open(door_{i}_{j})"] for i in range(length) for j in range(length) if i != j
        }
        index = by_hand.ChangesByHand(changes, length)
        actions = [changes[k, k + 1] for k in range(n)]
        answer = list(range(1, length))
        for question in (
            by_hand.forward(range(length), answer),
            by_hand.inverse(actions, answer),
        ):
            row = expect_random_orders(question, {by_hand.DEMONSTRATION: index}).row(0, named=True)
            kind = question.item(0, "kind")
            assert row["expected_pairwise_accuracy"] == pytest.approx(smallest_chance(kind, length))


def test_of_the_papers_models_only_what_its_numbers_decide_is_said() -> None:
    found = findings_of_published_models()
    assert found.height == len(told()) * found["published_model"].n_unique()
    lead = found.filter(finding="inverse_above_forward")
    # 28 of 30 models and its annotators by accuracy alone, and fewer beyond chance.
    assert (lead["value"] > 0).sum() > (lead["verdict"] == CONFIRMED).sum() > 5
    above = found.filter(finding="better_than_chance")
    assert CONFIRMED not in set(above["verdict"]), "chance may be higher than its smallest value"
    unknown = found.filter(pl.col("reason") == "chance_unknown", pl.col("value").is_not_null())
    assert {"right_hand_recalled_more", "left_taken_for_right"} <= set(unknown["finding"])


def test_every_finding_names_its_place_in_the_paper() -> None:
    assert len({finding.name for finding in FINDINGS}) == len(FINDINGS)
    assert all(finding.section for finding in FINDINGS)
