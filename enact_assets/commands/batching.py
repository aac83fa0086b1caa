"""The command ``batch``: asks models at half the price, with answers within a day."""

import argparse

from rich.console import Console

from enact_assets.answers.baselines.model_asker import as_shown
from enact_assets.answers.models.bought_batches import submit
from enact_assets.answers.models.budget import Budget
from enact_assets.commands.model_options import SUBMIT
from enact_assets.commands.terminal import plain
from enact_assets.engine.errors import PredictionError
from enact_assets.engine.plurals import counted
from enact_assets.pipeline.costs.first_answers import asked_of
from enact_assets.pipeline.costs.spending import spending_tags, usd_until
from enact_assets.pipeline.dagster.batch_collection import collect_all
from enact_assets.pipeline.runs.instance import check_root
from enact_assets.pipeline.runs.resources import DataResource


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
        asked_of(data, arguments.variant).messages,
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
