"""What vouches for inputs is made from all of them, by however many steps."""

import pytest

from enact_assets.engine.errors import DeclarationError
from enact_assets.pipeline.lineage import vouching
from enact_assets.pipeline.lineage.graph import STEPS
from enact_assets.pipeline.lineage.vouching import vouchers


def test_questions_vouch_for_what_verifies_answers() -> None:
    """A vouched input without them would be read whatever it became, and never make stale."""
    found = {step.name: vouchers(step.name) for step in STEPS}
    assert {name: path for name, path in found.items() if path} == {
        "asked_questions": ("question_set",),
        "evaluation": ("asked_questions", "question_set"),
        "error_analysis": ("asked_questions", "question_set"),
        "model_findings": ("asked_questions", "question_set"),
    }


def test_an_input_that_nothing_vouches_for_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vouching, "vouched_for", lambda _step: frozenset({"facts", "predictions"}))
    with pytest.raises(DeclarationError, match=r"'probes': no input .* \['facts', 'predictions'\]"):
        vouchers.__wrapped__("probes")
