"""Writes the evidence of official questions, which the tasks of this folder score with.

::

    python deploy/upstream/make_evidence.py QUESTIONS.jsonl SEGMENTED REPLAYED EVIDENCE.jsonl

``SEGMENTED`` and ``REPLAYED`` are folders of the public release (``segmented_activities``,
``replayed_activities``). A line per question; README.md says how to use the file.
"""

import json
import sys
from pathlib import Path

from enact_assets.commands.harnesses.folder import write_text
from enact_assets.commands.harnesses.release_fits import release_fits
from enact_assets.commands.release.evaluating import read_evidence
from enact_assets.commands.release.outcomes import Summary
from enact_assets.engine.errors import EnactError, EvaluationError
from enact_assets.questions.asked.official import read_answers
from enact_assets.results.verification.release_scores import REASONS, ReleaseScorer
from enact_assets.settings.profile import RELEASE


def make_evidence(questions: Path, segmented: Path, replayed: Path, output: Path) -> int:
    """Write a line for each question, and return how many there are.

    Errors: :class:`EvaluationError` if the release could not evaluate a question, and those of
    reading and writing. Nothing is written then.
    """
    rows, bad = read_answers(questions)
    if bad or not rows:
        raise EvaluationError(f"{questions}: {bad[0] if bad else 'holds no question'}")
    summary = Summary(is_dry_run=False)
    evidence = read_evidence(rows, segmented, replayed, RELEASE, summary=summary)
    scorer = ReleaseScorer(rows, evidence)
    results = scorer.score([row.gt_answer for row in rows])
    skipped = [r for r, q in zip(results, scorer.questions, strict=True) if q is None]
    if skipped:
        why = next((o.error for o in summary.outcomes if o.error is not None), None)
        raise EvaluationError(
            f"{questions}: {len(skipped)} of {len(rows)} questions cannot be evaluated, first "
            f"{skipped[0].question_id!r}: {why or REASONS[str(skipped[0].reason)]}. Name the "
            "folders that have the key frames and the replay of every task"
        )
    lines = [
        json.dumps(
            {"id": row.id, **release_fits(question, evidence[question.demonstration].changes)}
        )
        for row, question in zip(rows, scorer.questions, strict=True)
        if question is not None
    ]
    write_text(output, "".join(f"{line}\n" for line in lines))
    return len(lines)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        raise SystemExit(f"usage: {sys.argv[0]} QUESTIONS.jsonl SEGMENTED REPLAYED EVIDENCE.jsonl")
    try:
        n = make_evidence(*map(Path, sys.argv[1:]))
    except EnactError as error:
        raise SystemExit(f"make_evidence: {error}") from None
    print(f"{n} questions in {sys.argv[4]}")
