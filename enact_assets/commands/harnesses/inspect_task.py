"""Inspect task ``enact_assets/enact``: an exported question set, scored as in the pipeline.

``inspect eval enact_assets/enact -T questions=FOLDER --model ...`` finds it by the entry point of
this package. FOLDER is one of ``enact-assets export --format hf``. Model ``enact_random/SEED``
guesses, for a first try: it needs no network, where ``mockllm`` downloads a tokenizer.
"""

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

# Inspect imports this module, and nothing else of this package does.
from inspect_ai import Task, task  # noqa: TID253
from inspect_ai.dataset import MemoryDataset, Sample  # noqa: TID253
from inspect_ai.model import (  # noqa: TID253
    ChatMessageUser,
    ContentImage,
    ContentText,
    ModelAPI,
    ModelOutput,
    modelapi,
)
from inspect_ai.scorer import (  # noqa: TID253
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    mean,
    metric,
    scorer,
)
from inspect_ai.solver import TaskState, generate  # noqa: TID253

from enact_assets.commands.harnesses.card import METADATA
from enact_assets.commands.harnesses.question_rows import text_and_pictures
from enact_assets.commands.harnesses.scoring import score_readings
from enact_assets.engine.errors import OutputError
from enact_assets.results.statistics.clusters import ClusterSums

CLUSTER = "demonstration"
"""Questions about one demonstration are correlated, so standard errors are clustered by
demonstration; questions about only one have no standard error."""
STOPS: Mapping[str, str] = {"max_tokens": "cut", "model_length": "cut", "content_filter": "refused"}
"""Inspect's reason why a model stopped -> the reason in answers."""


@task
def enact(questions: str) -> Task:
    """Questions of the exported folder ``questions``.

    Errors: :class:`OutputError` if it is not.
    """
    folder = Path(questions).expanduser().resolve()
    return Task(dataset=dataset_of(folder), solver=generate(), scorer=enact_order())


def dataset_of(folder: Path) -> Any:
    """An exported folder as a data set of Inspect. Errors: :class:`OutputError`."""
    table = folder / METADATA
    if not table.is_file():
        raise OutputError(
            f"{folder}: has no {METADATA}. Name a folder that `enact-assets export SET FOLDER "
            "--format hf` wrote: -T questions=FOLDER"
        )
    rows = pl.read_parquet(table, glob=False)
    samples = [
        sample_of(row, lambda name: str(folder / name)) for row in rows.iter_rows(named=True)
    ]
    return MemoryDataset(samples, name=folder.name, location=str(folder))


def sample_of(row: Mapping[str, Any], picture: Callable[[str], str]) -> Any:
    """A row of an exported table as a sample; ``picture`` gives the address of a picture's path."""
    names = row["images_file_names"]
    content = [
        ContentText(text=part)
        if isinstance(part, str)
        else ContentImage(image=picture(names[part]))
        for part in text_and_pictures(row)
    ]
    kept = ("kind", "length", "n_entries", "demonstration", "activity", "source", "variant")
    return Sample(
        id=row["question_id"],
        input=[ChatMessageUser(content=content)],
        target=str(row["answer"]),
        metadata={name: row[name] for name in kept}
        | {"answer": row["answer"], "fits": row["fits"], "official_id": row["official_id"]},
    )


@modelapi(name="enact_random")
class RandomOrders(ModelAPI):
    """A model that answers with a random order, which depends on the question and on the seed, its
    name.
    """

    async def generate(self, input: list[Any], **_: Any) -> ModelOutput:  # noqa: A002 - Inspect's name
        """A random order with the question's number of entries: one less than its pictures."""
        content = input[-1].content
        labels = list(range(1, sum(part.type == "image" for part in content)))
        random.Random(f"{self.model_name} {content[-1].text}").shuffle(labels)  # noqa: S311 - no secret
        return ModelOutput.from_content(self.model_name, str(labels))


@metric
def by_kind_and_length(*, counts_steps: bool = False) -> Metric:
    """Means by kind, and by kind and length, with clustered standard errors where there are two
    clusters. With ``counts_steps`` they are shares of all steps, the paper's micro-average.
    """

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        groups: dict[str, list[SampleScore]] = {}
        for score in scores:
            about = score.sample_metadata or {}
            groups.setdefault(str(about["kind"]), []).append(score)
            groups.setdefault(f"{about['kind']} {about['length']}", []).append(score)
        found = {}
        for name in sorted(groups, key=lambda name: (name.split()[0], len(name), name)):
            value, error = _mean_and_error(groups[name], counts_steps=counts_steps)
            found[name] = value
            if error is not None:
                found[f"{name} stderr"] = error
        return found

    return compute


@metric
def pooled() -> Metric:
    """Share of all steps that are right: the micro-average of pairwise accuracy."""

    def compute(scores: list[SampleScore]) -> float:  # Inspect looks at the type it takes
        return _mean_and_error(scores, counts_steps=True)[0]

    return compute


@metric
def clustered(*, counts_steps: bool = False) -> Metric:
    """``stderr`` of the mean or, with ``counts_steps``, of :func:`pooled`; empty if all questions
    are about one demonstration, where Inspect's own value would be 0.
    """

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        _, error = _mean_and_error(scores, counts_steps=counts_steps)
        return {} if error is None else {"stderr": error}

    return compute


def _mean_and_error(scores: list[SampleScore], *, counts_steps: bool) -> tuple[float, float | None]:
    """Mean, and its standard error unless there is only one cluster."""
    clusters = [str((score.sample_metadata or {})[CLUSTER]) for score in scores]
    _, places = np.unique(clusters, return_inverse=True)
    weights = None
    values = np.array([score.score.as_float() for score in scores])
    if counts_steps:
        counts = [score.score.metadata or {} for score in scores]
        weights = np.array([c["steps"] for c in counts], dtype=np.int64)
        values = np.array([c["right"] for c in counts]) / weights
    sums = ClusterSums.of(values[:, None], places.astype(np.int64), weights)
    error = float(sums.standard_errors()[0])
    return float(sums.means()[0]), None if np.isnan(error) else error


@scorer(
    metrics={
        "task": [mean(), clustered(), by_kind_and_length()],
        "pairs": [pooled(), clustered(counts_steps=True), by_kind_and_length(counts_steps=True)],
        "parsed": [mean()],
        "task_as_release": [mean(), clustered()],
        "read_otherwise": [mean()],
    }
)
def enact_order() -> Scorer:
    """task: whether the order is right; pairs: the share of its steps that are; parsed: whether an
    order could be read; task_as_release: task as ENACT's release reads the answer; read_otherwise:
    whether the two readings differ. Any order that is consistent with the question is right.
    """

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's form
        about, output = state.metadata, state.output
        stop = STOPS.get(output.stop_reason) if output.choices else None
        both = score_readings(
            output.completion, about["kind"], about["answer"], json.loads(about["fits"]), stop
        )
        found, released = both.strict, both.released
        said = f"{found.n_right} of {found.n_steps} steps fit"
        return Score(
            value={
                "task": float(found.is_accepted),
                "pairs": found.pairwise_accuracy,
                "parsed": float(found.is_parsed),
                "task_as_release": float(released.is_accepted),
                "read_otherwise": float(both.is_read_otherwise),
            },
            answer=output.completion,
            explanation=said if found.reason is None else f"{said} ({found.reason})",
            metadata={"right": found.n_right, "steps": found.n_steps},
        )

    return score
