"""The report files of the public release, which scripts written for it read.

::

    OUTPUT/detailed_eval/enact_ordering_<model>.jsonl    one line per answer that counts
    OUTPUT/meta_performance/enact_ordering_<model>.json  the report of one model
    OUTPUT/batch_evaluation_summary.json                 all models, if answers were a folder
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from enact_assets.evaluation.task_evidence import Scored
from enact_assets.official.outcomes import Outcome

PREFIX = "enact_ordering_"
"""Of the release's files of answers, and of the report files that it names after them."""
SUMMARY_FILE = "batch_evaluation_summary.json"
DETAILED, PERFORMANCE = "detailed_eval", "meta_performance"
RESERVED = {SUMMARY_FILE, DETAILED, PERFORMANCE}
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
