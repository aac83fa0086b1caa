"""``enact-assets eval``: answers to official questions -> reports, one per model.

Under profile ``release`` also the files of the public release, which scripts written for it read::

    OUTPUT/detailed_eval/enact_ordering_<model>.jsonl    one line per answer that counts
    OUTPUT/meta_performance/enact_ordering_<model>.json  the report of one model
    OUTPUT/batch_evaluation_summary.json                 all models, if answers were a folder
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from enact_assets.commands.release.evidence import changes_at, frames_of
from enact_assets.commands.release.layout import (
    Task,
    find_segmented,
    find_tasks,
    output_file,
    read_key_frame_ids,
)
from enact_assets.commands.release.outcomes import FAILED_FILE, Outcome, Summary
from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.engine.errors import (
    EnactError,
    EvaluationError,
    OutputError,
    QuestionFileError,
    RecordingError,
)
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.engine.system.atomic import replacing
from enact_assets.pipeline.steps.profiles import ASKS_ANY_FRAME, SCORE
from enact_assets.questions.asked.official import OfficialAnswer, read_answers
from enact_assets.results.verification.release_scores import REASONS
from enact_assets.results.verification.task_evidence import Evidence, Scored
from enact_assets.settings.profile import Profile

UNKNOWN_MODEL = "unknown"

PREFIX = "enact_ordering_"
"""Of the release's files of answers, and of the report files that it names after them."""
SUMMARY_FILE = "batch_evaluation_summary.json"
DETAILED, PERFORMANCE = "detailed_eval", "meta_performance"
RESERVED = {SUMMARY_FILE, DETAILED, PERFORMANCE, FAILED_FILE}
"""Names that no model may have, as each model gets a folder of its name beside them."""


def model_files(model: str, scored: Scored) -> dict[tuple[str, str], str]:
    """Folder and name -> content of the two files about one model."""
    performance = {"model_name": model, "overall_performance": scored.report}
    return {
        (DETAILED, f"{PREFIX}{model}.jsonl"): as_lines(scored.detailed),
        (PERFORMANCE, f"{PREFIX}{model}.json"): as_json(performance),
    }


def batch_summary(outcomes: Iterable[Outcome], reports: Mapping[str, Mapping[str, Any]]) -> str:
    """Content of the file about all models, from their ``outcomes`` and the ``reports`` of those
    that were scored, by model.
    """
    results: list[dict[str, Any]] = []
    for outcome in outcomes:
        result: dict[str, Any] = {"model_name": outcome.name}
        if outcome.error is None:
            stats = reports[outcome.name].get("overall", {})
            result |= {"status": "success", "overall_stats": stats}
        else:
            result |= {"status": "error", "error": outcome.error}
        results.append(result)
    n_failed = sum("error" in result for result in results)
    return as_json(
        {
            "total_processed": len(results),
            "successful": len(results) - n_failed,
            "failed": n_failed,
            "results": results,
        }
    )


def as_json(value: object) -> str:
    """The text of a JSON file that people read too."""
    return json.dumps(value, indent=2) + "\n"


def as_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    """The text of a file with one JSON object per line."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def evaluate_files(
    predictions: Path,
    segmented_root: Path,
    raw_root: Path,
    output_root: Path,
    profile: Profile,
    *,
    analyze_wrong_cases: bool = False,
    is_dry_run: bool = False,
    on_progress: OnProgress = unheard,
) -> Summary:
    """Score every answer file: report, rows and wrong cases in ``<output_root>/<model>/``, and
    beside these folders the files that the release writes.

    ``predictions`` is one file, or a folder of ``enact_ordering_<model>.jsonl``. Evidence of a task
    is read once for all models. A file that fails becomes a failure in the summary, and the others
    go on; so does a task without evidence, whose rows are then unknown. The release's summary of
    all models is for folders; for one file, that of an earlier run is removed. Source:
    definitions.md R15.

    Errors: :class:`QuestionFileError` if there is no answer file, :class:`RecordingError` if
    nothing was segmented or replayed.
    """
    files = find_answer_files(predictions)
    summary = Summary(is_dry_run=is_dry_run)
    answers: dict[str, list[OfficialAnswer]] = {}
    of_model, reports = dict[str, Outcome](), dict[str, Mapping[str, Any]]()
    for model, file in files.items():
        try:
            # It becomes a folder's name, and text in tables.
            if model in RESERVED or not model.strip(". ") or not model.isprintable():
                raise QuestionFileError(f"{file}: {model!r} cannot name a model; rename the file")
            answers[model], bad = read_answers(file)
            if bad:
                rest = f" ({len(bad)} such rows, which are not scored)" if len(bad) > 1 else ""
                summary.outcomes.append(Outcome(f"{model}, a row", error=bad[0] + rest))
        except EnactError as error:
            of_model[model] = Outcome(model, error=str(error))
            summary.outcomes.append(of_model[model])
    asked = [row for found in answers.values() for row in found]
    evidence = read_evidence(
        asked, segmented_root, raw_root, profile, summary=summary, on_progress=on_progress
    )
    output = _Output(output_root, files.values())
    score, notes = SCORE.of(profile), dict[str, None]()
    for number, (model, found) in enumerate(answers.items()):
        on_progress(Progress(number, len(answers), text=model))
        with summary.attempt(model) as outcome:
            of_model[model] = outcome
            scored = score(model, found, evidence, is_analyzed=analyze_wrong_cases)
            outcome.numbers |= scored.numbers
            notes |= dict.fromkeys(scored.notes)
            _explain(found, evidence, scored, summary)
            reports[model] = scored.report
            if not is_dry_run:
                output.write(as_json(scored.report), model, "report.json")
                output.write(as_lines(scored.rows), model, "results.jsonl")
                if analyze_wrong_cases:
                    output.write(as_json(scored.wrong_cases), model, "wrong_cases.json")
                for place, text in model_files(model, scored).items():
                    output.write(text, *place)
                summary.has_output = True
    summary.notes += notes
    if reports and not is_dry_run:
        try:
            if predictions.is_dir():
                text = batch_summary([of_model[model] for model in files], reports)
                output.write(text, SUMMARY_FILE)
            elif output.remove(SUMMARY_FILE):
                summary.notes.append(f"{SUMMARY_FILE} of an earlier run was removed")
        except EnactError as error:
            summary.outcomes.append(Outcome(SUMMARY_FILE, error=str(error)))
    return summary


def _explain(
    rows: Sequence[OfficialAnswer],
    evidence: Mapping[str, Evidence],
    scored: Scored,
    summary: Summary,
) -> None:
    """Add to the notes what the numbers do not say. Errors: if nothing at all could be scored."""
    unknown = sorted({str(row.task_name) for row in rows} - set(evidence))
    n_rows = sum(str(row.task_name) in unknown for row in rows)
    first = min(unknown, default="")
    said = (
        f"{n_rows} rows are of {len(unknown)} tasks without key frames and replay, first "
        f"{first!r:.80}. `eval` needs both; `enact-assets import` scores questions without them"
    )
    if rows and not scored.numbers["scored"]:
        why = said if unknown else _reasons(scored)
        raise EvaluationError(f"none of {len(rows)} rows was scored: {why}")
    if unknown and said not in summary.notes:
        summary.notes.append(said)


def _reasons(scored: Scored) -> str:
    """Why rows were not scored, most frequent reason first, with the first row of each."""
    first: dict[str, str] = {}
    counted = Counter[str]()
    for row in scored.rows:
        reason = str(row["reason"])
        counted[reason] += 1
        first.setdefault(reason, str(row["question_id"]))
    return "; ".join(
        f"{n} rows: {REASONS.get(reason, reason)} (first {first[reason]!r:.120})"
        for reason, n in counted.most_common()
    )


def find_answer_files(predictions: Path) -> dict[str, Path]:
    """Model -> answer file, sorted. A single file of another name is of model ``unknown``.

    Errors: :class:`QuestionFileError` if there is none.
    """
    try:
        is_folder, is_file = predictions.is_dir(), predictions.is_file()
    except OSError as error:
        raise QuestionFileError(f"{predictions}: cannot be read ({error.strerror})") from error
    if is_folder:
        files = sorted(predictions.glob(f"{PREFIX}*.jsonl"))
        if not files:
            raise QuestionFileError(f"{predictions}: holds no {PREFIX}<model>.jsonl")
        return {file.stem.removeprefix(PREFIX): file for file in files}
    if not is_file:
        raise QuestionFileError(f"{predictions}: no such file or folder")
    name = predictions.stem
    model = name.removeprefix(PREFIX) if name.startswith(PREFIX) else UNKNOWN_MODEL
    return {model or UNKNOWN_MODEL: predictions}


def read_evidence(
    rows: Sequence[OfficialAnswer],
    segmented_root: Path,
    raw_root: Path,
    profile: Profile,
    *,
    summary: Summary,
    on_progress: OnProgress = unheard,
) -> dict[str, Evidence]:
    """Evidence of every task that ``rows`` ask about and that was segmented and replayed: at its
    key frames and, under profile ``release``, at every other frame that rows name.

    A task that cannot be read is added to ``summary`` as failed.
    """
    segmented = find_segmented(segmented_root, summary)
    tasks: dict[str, Task] = {task.name: task for task in find_tasks(raw_root)}
    evidence = {}
    asked = {row.task_name for row in rows if row.task_name in segmented}
    wanted = sorted(name for name in asked if name is not None)
    for number, name in enumerate(wanted):
        on_progress(Progress(number, len(wanted), text=f"reading {name}"))
        try:
            if name not in tasks:
                raise RecordingError(f"{raw_root}: has no replay of task {name!r}")
            replay = read_recorded(tasks[name].file, name, is_stored=False)
            ids = read_key_frame_ids(segmented[name])
            if ASKS_ANY_FRAME.of(profile):
                asked_ids = {i for row in rows if row.task_name == name for i in _frame_ids(row)}
                ids = frames_of(replay, [*ids, *sorted(asked_ids - set(ids))], len(ids))
            changes = changes_at(replay, ids, profile, str(segmented[name]))
            evidence[name] = Evidence.of(changes.index, ids)
        except EnactError as error:
            summary.outcomes.append(Outcome(name, error=str(error)))
    return evidence


def _frame_ids(row: OfficialAnswer) -> list[int]:
    """Frames that a row names by a number."""
    # No id is longer, and int() refuses thousands of digits.
    return [int(i) for i in row.key_frame_ids or () if i.isascii() and i.isdigit() and len(i) < 16]


class _Output:
    """Writes below the output folder, never over a file of answers."""

    def __init__(self, root: Path, answers: Iterable[Path]) -> None:
        self._root = root
        self._answers = {file.resolve() for file in answers}

    def write(self, text: str, *parts: str) -> None:
        """Write the file ``parts``. Errors: :class:`OutputError`."""
        with replacing(self._path(*parts)) as temporary:
            temporary.write_text(text, encoding="utf-8")

    def remove(self, *parts: str) -> bool:
        """Remove the file ``parts``; whether there was one. Errors: :class:`OutputError`."""
        path = self._path(*parts)
        try:
            path.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise OutputError(f"{path}: cannot be removed ({error.strerror})") from error
        return True

    def _path(self, *parts: str) -> Path:
        path = output_file(self._root, *parts)
        if path.resolve() in self._answers:
            raise OutputError(
                f"{path} is an answer file, and a report would overwrite it. Name a different "
                "output folder"
            )
        return path
