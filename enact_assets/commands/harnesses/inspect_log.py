"""``enact-assets export --format inspect``: answers of a model as a log for ``inspect view``.

Every question with its pictures, the answer and its score. Inspect's own ``score`` computes scores
and metrics with the scorer of the task, as if Inspect had asked. The viewer shows only pictures
within the log, stored once per question, so they are small.
"""

import base64
import io
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl
from PIL import Image

from enact_assets.commands.harnesses.question_rows import question_rows
from enact_assets.commands.release.shown_questions import shown_questions
from enact_assets.engine.errors import MissingPartitionError, OutputError, SettingsError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.engine.system.atomic import replacing
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import Registry

SHOWN_PX = 256
"""Edge of pictures in a log: a question of ten pictures is 150 kB instead of 1.5 MB."""
_QUALITY = 85
_STOP_REASONS = {"complete": "stop", "cut": "max_tokens", "refused": "content_filter"}


@dataclass(frozen=True)
class LogExported:
    """Numbers of answers with scores, and of questions without an answer, which are errors in the
    log.
    """

    variant: str
    n_answers: int
    n_missing: int
    n_left_out: int


def export_log(
    root: DataRoot,
    name: str,
    output: Path,
    registry: Registry,
    *,
    model: str,
    variant: str | None = None,
    on_progress: OnProgress = unheard,
) -> LogExported:
    """Write the answers of ``model`` to set ``name`` under ``variant`` (None: the first that uses
    the set).

    Errors: :class:`SettingsError` if Inspect is not installed; :class:`OutputError` for a file that
    does not end in .eval or cannot be written; :class:`MissingPartitionError` if the model was not
    asked; those of :func:`shown_questions`.
    """
    if output.suffix != ".eval":
        raise OutputError(f"{output}: a log of Inspect must end in .eval")
    try:
        import inspect_ai.log as logs
        from inspect_ai import score as scored
    except ImportError as error:
        raise SettingsError(
            "logs of Inspect need Inspect: pip install 'enact_assets[inspect]'"
        ) from error
    from enact_assets.commands.harnesses.inspect_task import enact_order

    lake = Lake(root.lake)
    shown = shown_questions(lake, name, registry, variant)
    asking = shown.variant
    try:
        predictions = lake.read("predictions", {"model": model, "variant": asking.name})
    except MissingPartitionError as error:
        raise MissingPartitionError(
            f"{model} has no answers under {asking.name!r}: `enact-assets materialize --model "
            f"{model} --variant {asking.name}` asks it."
        ) from error
    rows = question_rows(lake, shown, registry.gating(asking.gating))
    questions = {row["question_id"]: row for row in rows.iter_rows(named=True)}
    answers = predictions.filter(pl.col("question_id").is_in(list(questions)))
    pictures = _Pictures(ImageStore(root.images))
    samples = []
    for k, answer in enumerate(answers.iter_rows(named=True)):
        on_progress(Progress(k, answers.height, text="answers"))
        samples.append(_sample(questions[answer["question_id"]], answer, pictures))
    now = datetime.now(UTC).isoformat()
    log = logs.EvalLog(
        status="success",
        eval=_spec(name, asking.name, rows, now),
        stats=logs.EvalStats(started_at=now, completed_at=now),
        samples=[sample for sample in samples if sample.error is None],
    )
    if log.samples:
        log = scored(log, enact_order(), action="overwrite", display="none")
    log.eval.model = model
    missing = [sample for sample in samples if sample.error is not None]
    log.samples = [*(log.samples or []), *missing]
    if log.results is not None:
        log.results.total_samples = len(samples)
        log.results.completed_samples = len(samples) - len(missing)
    with replacing(output) as temporary:
        logs.write_eval_log(log, str(temporary), format="eval")
    return LogExported(asking.name, len(samples) - len(missing), len(missing), shown.n_left_out)


class _Pictures:
    """Pictures as data URLs."""

    def __init__(self, store: ImageStore) -> None:
        self._store = store
        self.address = lru_cache(1024)(self._address)

    def _address(self, path: str) -> str:
        with Image.open(io.BytesIO(self._store.read_png(Path(path).stem))) as image:
            small = image.convert("RGB")
            small.thumbnail((SHOWN_PX, SHOWN_PX), Image.Resampling.LANCZOS)
        out = io.BytesIO()
        small.save(out, "JPEG", quality=_QUALITY)
        return f"data:image/jpeg;base64,{base64.b64encode(out.getvalue()).decode()}"


def _spec(name: str, variant: str, rows: pl.DataFrame, created: str) -> Any:
    import inspect_ai.log as logs

    ids = rows["question_id"].to_list()
    return logs.EvalSpec(
        eval_id=uuid.uuid4().hex,
        run_id=uuid.uuid4().hex,
        task_id=uuid.uuid4().hex,
        created=created,
        task="enact_assets/enact",
        task_args={"question_set": name, "variant": variant},
        dataset=logs.EvalDataset(name=f"enact_{name}_{variant}", samples=len(ids), sample_ids=ids),
        # Used while scoring: Inspect must be able to create the model, but does not ask it.
        model="none/none",
        config=logs.EvalConfig(),
        metadata={
            "note": f"Asked by enact_assets. Pictures here are {SHOWN_PX} px wide at most; models "
            "were shown the files of `pictures`."
        },
    )


def _sample(row: Mapping[str, Any], answer: Mapping[str, Any], pictures: _Pictures) -> Any:
    import inspect_ai.log as logs
    from inspect_ai.event import ModelEvent
    from inspect_ai.model import ChatMessageAssistant, GenerateConfig, ModelOutput, ModelUsage

    from enact_assets.commands.harnesses.inspect_task import sample_of

    asked = sample_of(row, pictures.address)
    common = {
        "id": asked.id,
        "epoch": answer["repetition"] + 1,
        "input": asked.input,
        "target": asked.target,
        "metadata": {**asked.metadata, "pictures": row["images_file_names"]},
    }
    if answer["raw_answer"] is None:
        why = answer["error"] or "no answer"
        error = logs.EvalError(message=why, traceback=why, traceback_ansi=why)
        return logs.EvalSample(**common, messages=asked.input, error=error)
    output = ModelOutput.from_content(
        answer["served_model"] or answer["model"],
        answer["raw_answer"],
        stop_reason=_STOP_REASONS.get(answer["stop"] or "complete", "stop"),
    )
    if answer["tokens_in"] is not None:
        used = [answer["tokens_in"], answer["tokens_out"] or 0]
        output.usage = ModelUsage(
            input_tokens=used[0], output_tokens=used[1], total_tokens=sum(used)
        )
    said = ChatMessageAssistant(content=answer["raw_answer"])
    # The viewer shows the conversation of events if there are any, and scoring adds events.
    event = ModelEvent(
        model=output.model, input=asked.input, tools=[], tool_choice="none",
        config=GenerateConfig(), output=output,
    )  # fmt: skip
    return logs.EvalSample(**common, messages=[*asked.input, said], output=output, events=[event])
