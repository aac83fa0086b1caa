"""What verifies answers to official questions, and what became of the answers of one model."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from enact_assets.engine.errors import EvaluationError
from enact_assets.questions.asked.official import OfficialAnswer
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.results.verification.shared_changes import SharedChanges


@dataclass(frozen=True)
class Evidence:
    """What verifies the questions of one task; ``position`` maps frame ids to key frames."""

    changes: SharedChanges
    position: Mapping[int, int]

    @classmethod
    def of(cls, index: ComponentIndex, frame_ids: Iterable[int]) -> "Evidence":
        """Evidence from an index of changes whose key frames the recording calls ``frame_ids``.

        Keep it as long as answers are scored: it remembers every change it computed.
        """
        position = {int(frame): k for k, frame in enumerate(frame_ids)}
        if len(position) != index.n_key_frames:
            raise EvaluationError(
                f"{len(position)} different frame ids were given for {index.n_key_frames} key "
                "frames; give the id of each, in order"
            )
        return cls(SharedChanges(index), position)


@dataclass(frozen=True)
class Scored:
    """One model's report, its rows as JSON objects, its wrong cases, and numbers to show.

    ``detailed`` are the rows that count, as :func:`detailed_row` makes them. ``notes`` say what the
    numbers do not.
    """

    report: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]
    detailed: Sequence[Mapping[str, Any]]
    wrong_cases: Sequence[Mapping[str, Any]]
    numbers: dict[str, int | float | str]
    notes: Sequence[str] = ()


def detailed_row(
    row: OfficialAnswer, parsed: Sequence[Any] | None, scores: Mapping[str, Any]
) -> dict[str, Any]:
    """One answer and its ``scores``, by our names, in the fields of the release's file
    ``detailed_eval``.
    """
    return {
        "id": row.id,
        "task_name": row.task_name,
        "type": row.type,
        "eval_metrics": {
            "exact_match": scores["is_exact"],
            "semantic_match": scores["is_semantic"],
            "task_accuracy": scores["is_accepted"],
            "pairwise_accuracy": scores["pairwise_accuracy"],
        },
        "ground_truth": row.gt_answer,
        "model_answer": parsed,
        "raw_answer": row.answer,
    }
