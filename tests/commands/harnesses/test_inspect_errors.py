"""Errors of Inspect's metrics, without an evaluation: over one cluster there are none."""

import pytest

pytest.importorskip("inspect_ai", reason="Inspect is not installed here")

from inspect_ai.scorer import SampleScore, Score

from enact_assets.commands.harnesses.inspect_task import by_kind_and_length, clustered, pooled


def scores(*demonstrations: str) -> list[SampleScore]:
    """Of questions about these demonstrations: 1 of 2 steps, 2 of 3, 3 of 4 and so on."""
    return [
        SampleScore(
            score=Score(value=float(n % 2), metadata={"right": n, "steps": n + 1}),
            sample_metadata={"demonstration": name, "kind": "forward", "length": n + 2},
        )
        for n, name in enumerate(demonstrations, start=1)
    ]


@pytest.mark.parametrize("counts_steps", [False, True])
def test_questions_about_one_demonstration_have_no_standard_error(counts_steps: bool) -> None:
    """Researcher F6: ``stderr 0.000`` beside a mean of 0.350."""
    one = scores("a", "a", "a")
    assert clustered(counts_steps=counts_steps)(one) == {}
    assert not any("stderr" in name for name in by_kind_and_length(counts_steps=counts_steps)(one))
    two = scores("a", "a", "b")
    assert clustered(counts_steps=counts_steps)(two)["stderr"] > 0
    assert "forward stderr" in by_kind_and_length(counts_steps=counts_steps)(two)


def test_pairs_are_right_steps_over_all_steps() -> None:
    """Researcher F3: one unit, that of the data card's chance."""
    assert pooled()(scores("a", "a", "b")) == pytest.approx((1 + 2 + 3) / (2 + 3 + 4))
