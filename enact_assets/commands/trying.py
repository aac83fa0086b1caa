"""The commands ``ask`` and ``batch``: a first look at a model, within a budget, and all questions
at half the price, with answers within a day.
"""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import polars as pl
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from enact_assets.answers.baselines.model_asker import as_shown
from enact_assets.answers.baselines.references import BASELINE_NAMES
from enact_assets.answers.models.bought_batches import submit
from enact_assets.answers.models.budget import Budget
from enact_assets.answers.models.not_asked import problems_of
from enact_assets.answers.models.session import Asking
from enact_assets.answers.world.models import WORLD_MODELS
from enact_assets.commands.model_options import SUBMIT
from enact_assets.commands.option_types import spending_option
from enact_assets.commands.terminal import TextConsole, plain
from enact_assets.engine.errors import PredictionError
from enact_assets.engine.plurals import counted, sentence
from enact_assets.pipeline.costs.expected import cost_of
from enact_assets.pipeline.costs.first_answers import ask_first, asked_of, some_of, write_page
from enact_assets.pipeline.costs.spending import spending_tags, usd_until
from enact_assets.pipeline.dagster.batch_collection import collect_all
from enact_assets.pipeline.runs.instance import check_root
from enact_assets.pipeline.runs.names import checked_name
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.results.report.first_look import COUNTS, SHARES
from enact_assets.settings.classes import captioner_and_reader, world_source_of
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry


def run_ask(arguments: argparse.Namespace, console: Console) -> int:
    """``ask``; returns the exit code."""
    check_root(arguments.data)
    registry = load_registry()
    data = DataResource(root=str(arguments.data.resolve()))
    checked_name("variant", arguments.variant, registry, data)
    if (why_not := _why_not_asked(arguments.model, arguments.variant)) is not None:
        raise PredictionError(why_not)
    model = data.models.find(arguments.model)
    name = arguments.model if model is None else model.name
    asked = some_of(asked_of(data, arguments.variant), arguments.questions)
    if model is not None:
        for problem in problems_of([model]):
            console.print(plain(problem, "yellow"))
        cost = cost_of(data, name, asked, is_counted=True)
        console.print(plain(f"{counted(asked.questions.height, 'question')}: {cost.words()}"))
        if arguments.estimate:
            everything = asked_of(data, arguments.variant, name)
            cost = cost_of(data, name, everything, is_counted=True)
            n_all = counted(everything.questions.height, "question")
            console.print(plain(f"All {n_all}: {cost.words()}"))
            return 0
    root = data.data_root.root
    limit = usd_until(root, spending_tags(root, arguments.max_usd))
    with _shown(f"asking {name}", console) as on_progress:
        first = ask_first(data, registry, name, asked, usd_until=limit, on_progress=on_progress)
    if first.predictions["raw_answer"].null_count() == first.predictions.height:
        for n_questions, reason in first.missing_reasons():
            console.print(plain(_without(n_questions, reason), "red"))
        return 1
    of_kind = first.by_kind(data)
    console.print(_scored(name, of_kind))
    console.print(plain(first.cost()))
    page = write_page(data, name, first, of_kind)
    if page is not None:
        console.print(plain(f"Wrong answers, with pictures: {page}"))
    n_missing = first.evaluation.filter(answer_status="missing").height
    for n, reason in first.missing_reasons():
        console.print(plain(_without(n, reason), "yellow"))
    limit_text = spending_option(model)
    data_text = DataRoot(arguments.data).option
    console.print(
        plain(
            f"All questions of {arguments.variant}, on the leaderboard: enact-assets materialize "
            f"--model {name} --variant {arguments.variant}{limit_text}{data_text}"
        )
    )
    return 1 if n_missing else 0


def _why_not_asked(name: str, variant: str) -> str | None:
    """Why ``name`` is not asked question by question, if so. Baselines of WorldPrediction read its
    tables, and a reader needs captions.
    """
    is_of_world = world_source_of(variant) is not None
    materialize = f"`enact-assets materialize --model {name} --variant {variant}`"
    if captioner_and_reader(name) is not None:
        both = f"{name}: a captioner and a reader"
        answers = f"are asked by {materialize}" if is_of_world else "answer WorldPrediction alone"
        return f"{both} {answers}"
    if not is_of_world or name not in BASELINE_NAMES:
        return None
    if name in WORLD_MODELS:
        return f"{name} answers WorldPrediction without being asked: {materialize}"
    return f"{name} is a reference baseline of ENACT: it does not answer WorldPrediction"


def _without(n: int, reason: str) -> str:
    return sentence(f"{counted(n, 'question')} without an answer: {reason}")


def _scored(name: str, of_kind: pl.DataFrame) -> Table:
    # Shown only if there are any, as few models refuse in words and a terminal is narrow.
    counts = [c for c in COUNTS if c != "n_declined" or of_kind[c].sum()]
    table = Table(title=f"First answers of {name}", title_justify="left")
    for heading in (
        *("kind", "questions", "task\naccuracy", "chance", "pairwise\naccuracy", "chance"),
        *(count.removeprefix("n_") for count in counts),
    ):
        table.add_column(heading, justify="left" if heading == "kind" else "right")
    for row in of_kind.iter_rows(named=True):
        table.add_row(
            row["kind"],
            f"{row['n_questions']:,}",
            *("-" if row[s] is None else f"{100 * row[s]:.0f} %" for s in SHARES),
            *(f"{row[c]:,}" for c in counts),
        )
    return table


@contextmanager
def _shown(text: str, console: Console) -> Iterator[Callable[[Asking], None]]:
    """A line with the progress of asking; notes stay above it, and above what ``console`` prints
    later, also where standard error goes elsewhere.
    """
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TextColumn("{task.fields[more]}", markup=False),
        TimeRemainingColumn(),
    )
    errors = TextConsole(stderr=True)
    notes = errors if errors.is_terminal else console
    said: set[str] = set()
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task(text, total=None, count="", more="")

        def show(progress: Asking) -> None:
            more = f"{progress.usd:.2f} USD" if progress.usd else ""
            if progress.n_missing:
                more += f" {progress.n_missing:,} missing"
            done, total = progress.done, progress.total
            count = f"{done:,}/{total:,}"
            bar.update(task, completed=done, total=total, count=count, more=more)
            if progress.note and progress.note not in said:
                said.add(progress.note)
                notes.print(plain(progress.note, "yellow"))

        yield show


def run_batch(arguments: argparse.Namespace, console: Console) -> int:
    """``batch``; returns the exit code."""
    check_root(arguments.data)
    data = DataResource(root=str(arguments.data.resolve()))
    if arguments.what == SUBMIT:
        if arguments.model is None:
            raise PredictionError("name the model to submit to: `enact-assets batch submit MODEL`")
        return _submit(arguments, data, console)
    return _collect(data, console)


def _submit(arguments: argparse.Namespace, data: DataResource, console: Console) -> int:
    model = data.models.find(arguments.model)
    if model is None:
        raise PredictionError(f"{arguments.model} is a reference baseline: it needs no batch")
    root = data.data_root
    limit = usd_until(root.root, spending_tags(root.root, arguments.max_usd))
    done = submit(
        model,
        asked_of(data, arguments.variant, model.name).messages,
        lambda sha: as_shown(data.images.read_png(sha)),
        root.ledger,
        budget=Budget(root.ledger, limit),
        told=lambda text: console.print(plain(text)),
    )
    console.print(
        plain(
            f"{counted(done.n_requests, 'question')} submitted to {model.name} in "
            f"{counted(done.n_batches, 'batch').replace('batchs', 'batches')}, for up to "
            f"{done.usd:.4f} USD; {done.n_waiting:,} were in batches before."
        )
    )
    if done.why_not_all:
        console.print(plain(f"Not all: {done.why_not_all}", "yellow"))
    return 1 if done.why_not_all else 0


def _collect(data: DataResource, console: Console) -> int:
    rows = collect_all(data)
    if not rows:
        console.print("No batch is open.")
    for name, done in rows:
        console.print(
            plain(
                f"{name}: {counted(done.n_answers, 'answer')} for {done.usd:.4f} USD, "
                f"{done.n_without:,} without an answer, {done.n_open:,} still open"
            )
        )
        for reason in done.reasons[:3]:
            console.print(plain(f"  {reason}", "yellow"))
    return 0
