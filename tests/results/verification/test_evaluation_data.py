"""The question set that benchmarks score: sound, the same every time, worth measuring."""

from benchmarks.evaluation_data import evaluation_set
from enact_assets.results.verification.release_report import report_release
from enact_assets.results.verification.release_scores import ReleaseScorer


def test_the_generated_questions_can_be_answered_and_missed() -> None:
    """A benchmark on questions that all fail early would measure nothing."""
    found = evaluation_set(n_demonstrations=2, n_questions=100)
    again = evaluation_set.__wrapped__(n_demonstrations=2, n_questions=100)
    assert found.questions == again.questions
    assert found.answers(3) == again.answers(3) != found.answers(4)
    assert len({q.id for q in found.questions}) == 100
    scorer = ReleaseScorer(found.questions, found.evidence())
    right = report_release(scorer.score([q.gt_answer for q in found.questions]))["overall"]
    assert (right["count"], right["task_accuracy"]) == (100, 1.0)
    assert list(right["per_step"]) == [f"{n}_steps" for n in range(3, 11)]
    said = report_release(scorer.score(found.answers(3)))["overall"]
    assert 0.1 < said["task_accuracy"] < said["pairwise_accuracy"] < 0.9
