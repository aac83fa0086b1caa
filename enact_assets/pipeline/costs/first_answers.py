"""A first look at a model: asks and verifies some questions of a variant without a Dagster run.

The ledger keeps the answers, so materializing the model later asks only the other questions.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import polars as pl

from enact_assets.answers.baselines.costs import dollars
from enact_assets.answers.baselines.model_asker import ModelAsker
from enact_assets.answers.baselines.predict import answers_to, predictions_of
from enact_assets.answers.baselines.requests import ModelRequest, build_request
from enact_assets.answers.models.messages import Message
from enact_assets.answers.models.session import Asking
from enact_assets.answers.models.subsets import first_questions
from enact_assets.engine.errors import MissingPartitionError
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.loading import StepContext, call
from enact_assets.engine.plurals import counted
from enact_assets.engine.progress import Progress
from enact_assets.engine.steps import STEPS
from enact_assets.engine.system.atomic import replacing
from enact_assets.pipeline.handles.tools import Pictures, Tools
from enact_assets.pipeline.lineage.graph import names_now
from enact_assets.pipeline.lineage.versions import entry_of
from enact_assets.pipeline.runs.names import names_in_lake
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.questions.files.imported import question_file_names
from enact_assets.questions.world.filtered import questions_asked
from enact_assets.questions.world.stored_pictures import stored_pictures
from enact_assets.results.verification.metrics import expected_pairwise, summarize
from enact_assets.settings.classes import world_source_of
from enact_assets.settings.registry import Registry
from enact_assets.settings.world import KINDS, LETTERS

EVALUATED_BY = "evaluation"


@dataclass(frozen=True)
class Asked:
    """Questions of a variant, rows of ``asked_questions``, and their pictures."""

    variant: str
    questions: pl.DataFrame
    pictures: Pictures

    @cached_property
    def requests(self) -> list[ModelRequest]:
        """The questions as models get them, without those whose pictures are missing."""
        shas = self.pictures.shas
        rows = self.questions.iter_rows(named=True)
        requests = (build_request(row, self.pictures, shas) for row in rows)
        return [r for r in requests if all(p.sha is not None for p in r.pictures)]

    @property
    def messages(self) -> list[Message]:
        """The messages for models of :attr:`requests`."""
        return [request.message for request in self.requests]


@dataclass(frozen=True)
class FirstAnswers:
    """Answers of a model: rows of ``predictions`` and of ``evaluation``, and the progress of asking
    (not for baselines and imported answers).
    """

    asked: Asked
    predictions: pl.DataFrame
    evaluation: pl.DataFrame
    progress: Asking

    def by_kind(self, data: DataResource) -> pl.DataFrame:
        """Scores and counts by kind, as :func:`summarize`, and the scores of random orders for the
        same questions: ``task_chance``, ``pairwise_chance``.
        """
        gating = self.asked.questions.item(0, "gating")
        orders = data.lake.read_all("question_orders", gating=gating)
        chance = (
            self.asked.questions.select("question_id", "kind", "length")
            .join(orders.drop("kind", "length"), on="question_id")
            .group_by("kind")
            .agg(
                task_chance=pl.col("expected_task_accuracy").mean(),
                pairwise_chance=expected_pairwise(),
            )
        )
        scores = summarize(self.evaluation, ["kind"]).join(chance, on="kind", how="left")
        is_choice = pl.col("kind").is_in(KINDS)
        return scores.with_columns(
            pl.when(is_choice).then(1 / len(LETTERS)).otherwise(pl.col(name)).alias(name)
            for name in ("task_chance", "pairwise_chance")
        ).sort("kind")

    def cost(self) -> str:
        """One line with tokens, price, time and the answering models, including old answers. Then
        the number of old answers, and the amount spent now, including a model's first message.
        """
        rows = self.predictions.drop_nulls("raw_answer")
        n_answers, now = counted(rows.height, "answer"), ""
        if self.progress.free or self.progress.usd:
            now = (
                f" {self.progress.free:,} were in the ledger; spent now: "
                f"{dollars(self.progress.usd)}."
            )
        if rows.is_empty() or rows["tokens_in"].null_count() == rows.height:
            return f"{n_answers}, for which no tokens were counted.{now}"
        usd = rows["usd"]
        price = "unknown price" if usd.null_count() else dollars(float(usd.sum()))
        served = ", ".join(rows["served_model"].drop_nulls().unique().sort()) or "no name given"
        tokens = {n: f"{rows[n].sum():,}" for n in ("tokens_in", "tokens_out", "tokens_reasoning")}
        seconds = rows.select(pl.col("latency_s").median()).item()
        median = "" if seconds is None else f", median {seconds:.1f} s"
        return (
            f"{n_answers}: {price}, {tokens['tokens_in']} tokens in, "
            f"{tokens['tokens_out']} out ({tokens['tokens_reasoning']} of reasoning){median}; "
            f"answered by {served}.{now}"
        )

    def missing_reasons(self) -> list[tuple[int, str]]:
        """How many answers are missing for which reason, the most first."""
        rows = self.predictions.filter(pl.col("raw_answer").is_null())
        counts = rows["error"].fill_null("no reason given").value_counts(sort=True)
        return [(n, reason) for reason, n in counts.iter_rows()]

    def wrong(self) -> pl.DataFrame:
        """Answers that were not accepted, with their questions and texts, the shortest first."""
        words = self.predictions.select("question_id", "repetition", "raw_answer")
        questions = self.asked.questions.select(
            "question_id", "shown_key_frames", "actions", reference="answer"
        )
        return (
            self.evaluation.filter(~pl.col("is_accepted"))
            .join(words, on=["question_id", "repetition"])
            .join(questions, on="question_id")
            .sort("n_steps", "kind", "question_id", "repetition")
        )


def asked_of(data: DataResource, variant: str, model: str | None = None) -> Asked:
    """All questions of ``variant``, or the part of them that ``model`` is asked.

    Errors: :class:`MissingPartitionError` says what to materialize first.
    """
    lake = data.lake
    try:
        questions = questions_asked(lake, variant)
        shas = {key: sha for key, (sha, _, _) in stored_pictures(lake, variant).items()}
    except MissingPartitionError as error:
        is_of_world = world_source_of(variant) is not None
        command = "world" if is_of_world else "demo"
        raise MissingPartitionError(
            f"{error} Make the questions first: `enact-assets {command}`, or `enact-assets "
            f"materialize --variant {variant}`."
        ) from error
    if model is not None:
        questions = data.models.chosen(model, questions)
    return Asked(variant, questions, Pictures(shas, data.images))


def some_of(asked: Asked, n: int, seed: int = 0) -> Asked:
    """The first ``n`` of the questions, as :func:`first_questions`."""
    questions = first_questions(asked.questions, n, seed)
    return Asked(asked.variant, questions, asked.pictures)


def ask_first(
    data: DataResource,
    registry: Registry,
    model: str,
    asked: Asked,
    *,
    usd_until: float | None,
    on_progress: Callable[[Asking], None],
) -> FirstAnswers:
    """Ask ``model`` the questions of ``asked`` and verify its answers.

    Missing answers are rows with a reason, however many there are. Errors: as :class:`ModelAsker`,
    and those of the step ``evaluation``.
    """
    progress = Asking(0, asked.questions.height)

    def noted(now: Progress) -> None:
        nonlocal progress
        if isinstance(now, Asking):
            progress = now
            on_progress(now)

    ask = ModelAsker(data.data_root, data.images.read_png, usd_until, noted)
    shas = asked.pictures.shas
    answers = answers_to(model, asked.variant, asked.questions, asked.pictures, shas, ask=ask)
    rows = predictions_of(model, asked.variant, answers)
    demonstrations = names_in_lake(data)["demonstration"]
    files = question_file_names(data.question_files)
    source = world_source_of(asked.variant)
    sources = () if source is None else (source,)
    names = names_now(registry, demonstrations, [model], files, world_sources=sources)
    tools = Tools(data.images, data.recordings, data.question_files)
    store = _LakeAnd(data.lake, {"predictions": rows})
    context = StepContext(store, names, partial(entry_of, registry), tools)
    made = call(STEPS[EVALUATED_BY], {"model": model, "variant": asked.variant}, context)
    (_, evaluated, _) = next(iter(made))
    return FirstAnswers(asked, rows, evaluated, progress)


def write_page(
    data: DataResource, name: str, first: FirstAnswers, of_kind: pl.DataFrame
) -> Path | None:
    """Write an HTML file with every answer that was not accepted; returns None if there is no such
    answer.

    Errors: :class:`OutputError`.
    """
    from enact_assets.results.report.browse_links import leading_to, site_of
    from enact_assets.results.report.first_look import first_look_page

    wrong = first.wrong()
    if wrong.is_empty():
        return None
    path = data.data_root.first_looks / f"{name}_{first.asked.variant}.html"
    title = f"First answers of {name}, {first.asked.variant}"
    html = first_look_page(title, of_kind, wrong, first.asked.pictures)
    with replacing(path) as temporary:
        temporary.write_text(leading_to(html, site_of(data.data_root)), encoding="utf-8")
    return path


@dataclass(frozen=True)
class _LakeAnd:
    """A lake in which the rows of some tables are replaced."""

    lake: Lake
    rows: Mapping[str, pl.DataFrame]

    def read(self, table_name: str, partition: Mapping[str, str], /) -> pl.DataFrame:
        if table_name in self.rows:
            return self.rows[table_name]
        return self.lake.read(table_name, partition)

    def content_sha(self, table_name: str, partition: Mapping[str, str], /) -> str:
        return self.lake.content_sha(table_name, partition)

    def partitions(self, table_name: str, /) -> list[dict[str, str]]:
        return self.lake.partitions(table_name)
