"""Verdicts of the public release: all recorded rows, and its rules in plain Python sets.

The question set that benchmarks score: sound, the same every time, worth measuring."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from release_pairs import (
    UntoldError,
    computed_pairs,
    evidence,
    random_pairs,
    recorded_pairs,
    recorded_rows,
)

from benchmarks.evaluation_data import evaluation_set
from enact_assets.engine.errors import EvaluationError
from enact_assets.questions.asked.official import OfficialAnswer
from enact_assets.results.verification.order_counts_kernels import longest_alignment
from enact_assets.results.verification.release_report import report_release
from enact_assets.results.verification.release_scores import REASONS, ReleaseResult, ReleaseScorer
from enact_assets.results.verification.task_evidence import Evidence

from reference import release_verification as slow
from reference.conformance import TASKS, expected, micro

Row = dict[str, Any]


def score_release(
    rows: list[OfficialAnswer], given: dict[str, Evidence], **options: bool
) -> list[ReleaseResult]:
    return ReleaseScorer(rows, given).score([row.answer for row in rows], **options)


def outcome(result: ReleaseResult, analyzed: ReleaseResult) -> Row:
    """A result as the fixtures hold it."""
    if not result.is_scored:
        return {"outcome": "skipped", "reason": result.reason}
    row = {
        "outcome": "scored",
        "parsed": result.parsed,
        "exact_match": result.is_exact,
        "semantic_match": result.is_semantic,
        "task_accuracy": result.is_accepted,
        "pairwise_accuracy": result.pairwise_accuracy,
    }
    if not analyzed.is_scored:
        row["skipped_with_analyze_wrong_cases"] = analyzed.reason
    return row


def outcomes_of(rows: list[OfficialAnswer], given: dict[str, Evidence]) -> list[Row]:
    results = score_release(rows, given)
    analyzed = score_release(rows, given, analyze_wrong_cases=True)
    return list(map(outcome, results, analyzed))


def is_reported(found: Any, wanted: Any) -> bool:
    """Equal, means within 1e-12."""
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(
            is_reported(found[k], wanted[k]) for k in wanted
        )
    return abs(found - wanted) <= 1e-12


@pytest.mark.parametrize("name", TASKS)
def test_every_recorded_row_and_report_is_reproduced(name: str) -> None:
    """From the recording alone: graphs, visibility, changes, parsing, verdicts and means."""
    rows, recorded = recorded_rows(name)
    given = evidence(name, computed_pairs(name))
    found = outcomes_of(rows, given)
    assert len(rows) > 950
    for result, wanted in zip(found, recorded, strict=True):
        slot = wanted.pop("slot")
        assert result == wanted
        wanted["slot"] = slot
    reports = expected(name)["qa"]["reports"]
    assert is_reported(report_release(score_release(rows, given)), reports["all_rows"])
    for slot in sorted({row["slot"] for row in recorded}):
        mine = [r for r, wanted in zip(rows, recorded, strict=True) if wanted["slot"] == slot]
        assert is_reported(report_release(score_release(mine, given)), reports[f"slot_{slot}"])


@pytest.mark.parametrize("name", TASKS)
def test_rows_follow_from_the_signatures_the_release_printed(name: str) -> None:
    """Tells an error of verification from one of the changes; the slow twin must agree too."""
    deltas = recorded_pairs(name)
    position = {k: at for at, k in enumerate(expected(name)["segmentation"]["key_frame_ids"])}
    told, wanted = [], []
    for row, recorded in zip(*recorded_rows(name), strict=True):
        del recorded["slot"]
        x = [position[int(k)] for k in row.key_frame_ids or ()]
        kind = "inverse" if "inverse" in (row.type or "") else "forward"
        try:
            assert slow.evaluate(x, row.gt_answer or [], kind, row.answer, deltas) == recorded
        except UntoldError:
            continue
        told.append(row)
        wanted.append(recorded)
    assert len(told) > 880
    assert outcomes_of(told, evidence(name, deltas)) == wanted


def test_recorded_alignments_are_reproduced() -> None:
    """120 cases of the two rules for answers of another length."""
    cases = micro()["alignment"]
    assert len(cases) == 120
    for case in cases:
        correct, full, given = (
            [frozenset(text) for text in case[name]]
            for name in ("correct", "correct_full", "input")
        )
        forward = [[c <= g for g in given] for c in correct]
        inverse = [[c <= g or g <= f for g in given] for c, f in zip(correct, full, strict=True)]
        for allowed, name in ((forward, "forward_ratio"), (inverse, "inverse_ratio")):
            table = np.array(allowed, np.bool_).reshape(len(correct), len(given))
            length = max(table.shape)
            assert longest_alignment(table) / max(length, 1) == case[name]
        assert slow.alignment(correct, given) == case["forward_ratio"]
        assert slow.alignment(correct, given, full) == case["inverse_ratio"]


def random_answer(random: np.random.Generator, gold: Sequence[int]) -> Any:
    """Answers of every kind, near enough to the right one to pass steps."""
    n = len(gold)
    labels: list[Any] = (
        list(gold) if random.random() < 0.5 else (random.permutation(n) + 1).tolist()
    )
    for _ in range(random.integers(3)):
        labels[random.integers(n)] = int(random.integers(-n - 2, n + 3))
    if random.random() < 0.3:
        labels = labels[: random.integers(n + 1)]
    elif random.random() < 0.3:
        labels += random.integers(0, n + 2, 1 + random.integers(3)).tolist()
    if random.random() < 0.4:
        return str(labels)
    odd = (True, 1.0, 2.5, 99.5, float("nan"), "2", None, [1], {}, 10**30, -(10**30))
    if labels and random.random() < 0.3:
        labels[random.integers(len(labels))] = odd[random.integers(len(odd))]
    return labels


@pytest.mark.parametrize("kind", ["forward", "inverse"])
def test_any_answer_is_judged_as_plain_sets_judge_it(kind: str) -> None:
    """Lists of anything, labels of any sign, any length, pairs that raise: no row may differ."""
    random = np.random.default_rng(5)
    seen: Counter[str] = Counter()
    for seed in range(12):
        deltas = random_pairs(seed)
        given = {"t": Evidence.of(deltas, range(7))}
        rows, wanted = [], []
        for number in range(120):
            n = int(random.integers(1, 7))
            x = random.integers(0, 7, n + 1).tolist()
            gold = (random.permutation(n) + 1).tolist()
            answer = random_answer(random, gold)
            rows.append(
                OfficialAnswer(str(number), f"{kind}_x", "t", list(map(str, x)), gold, answer)
            )
            wanted.append(slow.evaluate(x, gold, kind, answer, deltas))
        found = outcomes_of(rows, given)
        for row, mine, other in zip(rows, found, wanted, strict=True):
            assert repr(mine) == repr(other), row
            names = ("semantic_match", "exact_match", "skipped_with_analyze_wrong_cases")
            seen.update(name for name in names if other.get(name))
            seen[str(other.get("reason"))] += 1
            seen["partial"] += 0 < other.get("pairwise_accuracy", 0) < 1
        wanted_report = slow.report(
            [(r.type or "", len(r.gt_answer or ()), w) for r, w in zip(rows, wanted, strict=True)]
        )
        assert is_reported(report_release(score_release(rows, given)), wanted_report)
    assert seen["partial"] > 100
    assert seen["exact_match"] > 50
    assert seen["semantic_match"] > 20
    assert seen["evaluation_error"] > 20 or kind == "forward"
    assert seen["skipped_with_analyze_wrong_cases"] > 20 or kind == "inverse"


def row(number: int, **values: Any) -> OfficialAnswer:
    """A right answer to a sound question over key frames 0 to 2, but for ``values``."""
    fields: Row = {
        "id": f"q{number}",
        "type": "inverse_world_modeling_3_steps",
        "task_name": "t",
        "key_frame_ids": ["10", "11", "12"],
        "gt_answer": [2, 1],
        "answer": "[2, 1]",
    }
    return OfficialAnswer(**fields | values)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"id": None}, "no_id"),
        ({"id": ""}, "no_id"),
        ({"task_name": "another"}, "unknown_task"),
        ({"gt_answer": []}, "empty_gt_answer"),
        ({"gt_answer": None}, "empty_gt_answer"),
        ({"key_frame_ids": []}, "empty_key_frame_ids"),
        ({"answer": None}, "failed_to_parse_answer"),
        ({"answer": "none"}, "failed_to_parse_answer"),
        ({"answer": "9" * 5000}, "evaluation_error"),
        ({"answer": ["2", "1"]}, "evaluation_error"),
        ({"key_frame_ids": ["10", "11", "99"]}, "unknown_frame"),
        ({"key_frame_ids": ["10", "11", "last"]}, "unknown_frame"),
        ({"gt_answer": [1]}, "no_order"),
        ({"gt_answer": [1, 1]}, "no_order"),
        ({"gt_answer": [2, 1, 3]}, "no_order"),
        ({"key_frame_ids": ["10", "11"]}, "no_order"),
        ({"gt_answer": [0, 1]}, "no_order"),
        ({"answer": [2.0, None]}, "evaluation_error"),
    ],
)
def test_what_the_release_skips_counts_nowhere_and_says_why(values: Row, reason: str) -> None:
    """A skipped row scored as zero, or a crash, changes every mean."""
    given = {"t": Evidence.of(random_pairs(1, 3, failing=0), (10, 11, 12))}
    results = score_release([row(0), row(1, **values), row(2)], given)
    assert [r.reason for r in results] == [None, reason, None]
    assert reason in REASONS
    assert report_release(results)["overall"]["count"] == 2


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ([2.0, 1.0], 1.0),
        ([2, 1.0], 1.0),
        ([1.0, 2.0], 0.0),
        ([1.5, 2.5], 0.0),
        ([1.0], 0.0),
        ([2.0, 1.0, 1.0], 0.0),
        ([float("nan"), float("nan")], 0.0),
    ],
)
def test_actions_ordered_by_floats_are_scored(answer: list[float], score: float) -> None:
    """parity D1: right answers were left out, and wrong ones did not count."""
    given = {"t": Evidence.of(random_pairs(1, 3, failing=0), (10, 11, 12))}
    (result,) = score_release([row(0, answer=answer)], given)
    assert (result.reason, result.pairwise_accuracy) == (None, score)
    assert result.is_accepted == (score == 1.0)


def test_an_id_counts_once_and_only_if_it_was_scored() -> None:
    """A file in which a model answered again would count its questions twice."""
    given = {"t": Evidence.of(random_pairs(1, 3, failing=0), (10, 11, 12))}
    rows = [row(0, answer=""), row(0), row(0, answer="[1, 2]"), row(0, answer="")]
    results = score_release(rows, given)
    assert [r.reason for r in results] == [
        "failed_to_parse_answer",
        None,
        "already_evaluated",
        "already_evaluated",
    ]
    assert score_release(rows[1:], given)[0].reason is None


def test_a_type_that_names_no_direction_is_forward_and_counts_in_the_total_only() -> None:
    given = {"t": Evidence.of(random_pairs(1, 3, failing=0), (10, 11, 12))}
    rows = [row(0, type="other"), row(1, type="INVERSE"), row(2, type="forward_inverse")]
    report = report_release(score_release(rows, given))
    counts = {name: part["count"] for name, part in report.items()}
    assert counts == {"overall": 3, "forward_world_modeling": 1, "inverse_world_modeling": 2}
    assert report["overall"]["per_step"]["3_steps"]["count"] == 3
    assert report_release([]) == {}


def test_models_share_what_was_computed_and_do_not_change_each_others_scores() -> None:
    """Thirty models would pay thirty times for the same changes, or see each other's labels."""
    deltas = random_pairs(3, failing=0.1)
    random = np.random.default_rng(0)
    questions = []
    for number in range(60):
        x = random.integers(0, 7, 6)
        kind = ("forward", "inverse")[number % 2]
        gold = (random.permutation(5) + 1).tolist()
        questions.append(OfficialAnswer(str(number), kind, "t", [str(k) for k in x], gold))
    models = [[random_answer(random, q.gt_answer or ()) for q in questions] for _ in range(5)]
    scorer = ReleaseScorer(questions, {"t": Evidence.of(deltas, range(7))})
    together = [scorer.score(answers) for answers in models]
    assert deltas.n_computed <= 7 * 6
    for answers, results in zip(models, together, strict=True):
        fresh = {"t": Evidence.of(random_pairs(3, failing=0.1), range(7))}
        assert repr(ReleaseScorer(questions, fresh).score(answers)) == repr(results)
    assert repr(scorer.score(models[0])) == repr(together[0])


def test_answers_without_question_and_ids_without_key_frame_are_refused() -> None:
    """A shifted list of answers would be scored against the wrong questions."""
    given = {"t": Evidence.of(random_pairs(1, 3), (10, 11, 12))}
    with pytest.raises(EvaluationError, match="1 answers to 2 questions"):
        ReleaseScorer([row(0), row(1)], given).score(["[1]"])
    with pytest.raises(EvaluationError, match="2 different frame ids were given for 3 key frames"):
        Evidence.of(random_pairs(1, 3), (10, 11, 11))


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
