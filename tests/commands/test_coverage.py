"""Which missing answers a walk reports, and with which exit code."""

from pathlib import Path

from report.report_pages import published
from sql.tiny_lake import Rows, answer, tiny_rows

from enact_assets.commands.coverage import MISSING_ANSWERS, coverage, missing_answers
from enact_assets.driver.walk import Report
from enact_assets.predictions.learned_names import REFUSES

REFUSAL = f"PredictionError: fact_reader {REFUSES}: it is trained on the embedded simulator"


def lacking(**reasons: str) -> Rows:
    """Each of these models left a question unanswered, for its reason."""
    rows = tiny_rows()
    for model, reason in reasons.items():
        answer(rows, model, "baseline", "f1")
        rows["predictions"][-1]["error"] = reason
    return rows


def test_what_a_trained_reference_refuses_is_not_to_be_got(tmp_path: Path) -> None:
    """Exit code 3 after each run would advise a command that never gets these answers."""
    report = Report(fresh_steps={"predictions"})
    only = {"model": ["fact_reader", "slow"]}
    root = published(tmp_path / "refused", lacking(fact_reader=REFUSAL))
    assert missing_answers(root, report, only) == ("", 0)
    assert "fact_reader lacks 1 of 1" in coverage(root.warehouse, "baseline")
    root = published(tmp_path / "both", lacking(fact_reader=REFUSAL, slow="the service was down"))
    said, code = missing_answers(root, report, only)
    assert code == MISSING_ANSWERS
    assert said.startswith("1 answer is missing: 1 of slow under baseline.")
