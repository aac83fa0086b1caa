"""Official questions and answers under profile ``paper``: by the rules of its own evaluation."""

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from math import isnan
from typing import Any

import polars as pl

from enact_assets.answers.baselines.tables import Predictions
from enact_assets.engine.errors import EnactError, EvaluationError
from enact_assets.questions.asked.official import OfficialAnswer, parse_type
from enact_assets.questions.asked.tables import Qa
from enact_assets.results.verification.evaluate import PAPER_ANSWERS, evaluate
from enact_assets.results.verification.metrics import summarize
from enact_assets.results.verification.tables import Evaluation
from enact_assets.results.verification.task_evidence import Evidence, Scored, detailed_row

VARIANT = "official"


def score_paper(
    model: str,
    rows: Sequence[OfficialAnswer],
    evidence: Mapping[str, Evidence],
    *,
    is_analyzed: bool = True,
) -> Scored:
    """Every row is scored: unparsed is wrong, an answer that is null is missing.

    Actions of an inverse question are what shows of the step they were written for. Rows that are
    no sound question, repeat an id, or are of a task without evidence cannot be scored and are
    counted. Wrong cases are rows that are not accepted, none unless ``is_analyzed``. Source: paper
    A.3.2.
    """
    questions, predictions, unusable = [], [], []
    known: dict[str, OfficialAnswer] = {}
    for row in rows:
        try:
            question = _question(row, evidence, known)
        except EnactError as error:
            unusable.append({"question_id": row.id, "reason": str(error)})
            continue
        known[question["question_id"]] = row
        questions.append(question)
        predictions.append(
            {
                "model": model,
                "variant": VARIANT,
                "question_id": question["question_id"],
                "repetition": 0,
                "request_sha": "",
                "raw_answer": _text(row.answer),
                "error": None,
            }
        )
    indexes = {name: task.changes.index for name, task in evidence.items()}
    schema = {c: t for c, t in Qa.schema().items() if questions and c in questions[0]}
    found: pl.DataFrame = Evaluation.empty()
    if questions:
        asked = pl.DataFrame(questions, schema=schema, orient="row")
        found = evaluate(Predictions.build(predictions), asked, indexes, PAPER_ANSWERS)
    status = dict(found.get_column("answer_status").value_counts().iter_rows())
    overall = _report(found)
    numbers: dict[str, int | float | str] = {
        "rows": len(rows),
        "scored": sum(n for name, n in status.items() if name != "missing"),
        "unparsed": status.get("unparsed", 0),
        "missing": status.get("missing", 0),
        "unusable": len(unusable),
        "task accuracy": _or_none(overall, "task_accuracy"),
        "pairwise accuracy": _or_none(overall, "pairwise_accuracy"),
    }
    report: dict[str, Any] = {"overall": {**overall, "per_step": _by_length(found)}}
    for kind in ("forward", "inverse"):
        part = found.filter(pl.col("kind") == kind)
        if part.height:
            report[f"{kind}_world_modeling"] = {**_report(part), "per_step": _by_length(part)}
    scored_rows = [*found.iter_rows(named=True), *unusable]
    wrong = found.filter(~pl.col("is_accepted")) if is_analyzed else found.clear()
    detailed = [
        detailed_row(known[verdict["question_id"]], verdict["answer"], verdict)
        for verdict in found.filter(pl.col("answer_status") != "missing").iter_rows(named=True)
    ]
    return Scored(report, scored_rows, detailed, wrong.to_dicts(), numbers)


def _question(
    row: OfficialAnswer, evidence: Mapping[str, Evidence], known: Collection[str]
) -> dict[str, Any]:
    """The row of ``qa`` that verification reads. Errors: :class:`EnactError` says what is wrong."""
    if not row.id or row.id in known:
        raise EvaluationError("no id" if not row.id else "a row before it has the same id")
    if row.task_name is None or row.task_name not in evidence:
        raise EvaluationError(f"unknown task {row.task_name!r:.120}")
    kind, length = parse_type(row.type or "")
    index, position = evidence[row.task_name].changes.index, evidence[row.task_name].position
    named, answer = row.key_frame_ids or [], row.gt_answer or []
    # No id is longer, and int() refuses thousands of digits.
    ids = [int(i) if i.isascii() and i.isdigit() and len(i) < 16 else -1 for i in named]
    strange = [name for name, i in zip(named, ids, strict=True) if i not in position]
    if strange or len(ids) != length or sorted(answer) != list(range(1, length)):
        raise EvaluationError(
            f"key frames {named[:12]!r:.300} and gt_answer {answer[:12]!r:.120} are no question of "
            f"length {length}" + (f": {strange[0]!r:.60} is no key frame" if strange else "")
        )
    key_frames = [position[i] for i in ids]
    shown = sorted(range(length - 1), key=lambda step: answer[step])
    steps = [sorted(map(str, index.visible(i, j))) for i, j in pairwise(key_frames)]
    later = [key_frames[step + 1] for step in shown] if kind == "forward" else key_frames[1:]
    return {
        "demonstration": row.task_name,
        "gating": VARIANT,
        "question_id": row.id,
        "kind": kind,
        "length": length,
        "key_frames": key_frames,
        "shown_key_frames": [key_frames[0], *later],
        "action_components": steps if kind == "forward" else [steps[step] for step in shown],
        "answer": answer,
    }


def _text(answer: object) -> str | None:
    """The answer as the text that parsing reads; null, and NaN in its place, was never obtained."""
    if answer is None or isinstance(answer, str):
        return answer
    is_missing = isinstance(answer, float) and isnan(answer)
    return None if is_missing else json.dumps(answer, ensure_ascii=False)


def _report(found: pl.DataFrame) -> dict[str, Any]:
    """Counts and accuracies of all rows together."""
    if found.is_empty():
        return {"count": 0}
    row = summarize(found.with_columns(all=pl.lit("all")), ["all"]).row(0, named=True)
    row["count"] = row["n_answers"] - row["n_missing"]
    # A file of answers does not say why a model stopped, and has one answer to each question.
    untold = ("all", "n_questions", "n_answers", "n_refused", "n_cut")
    return {name: value for name, value in row.items() if name not in untold}


def _by_length(found: pl.DataFrame) -> dict[str, Any]:
    parts = found.partition_by("length", as_dict=True)
    return {f"{length}_steps": _report(part) for (length,), part in sorted(parts.items())}


def _or_none(report: Mapping[str, Any], name: str) -> float | str:
    value = report.get(name)
    return "no rows" if value is None else value
