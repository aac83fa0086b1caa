"""``submit`` and ``verify-submission``."""

import argparse
import random
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table

from enact_assets.commands.board.submissions import (
    Recomputed,
    VariantQuestions,
    bundle_of,
    recomputed,
)
from enact_assets.commands.terminal import plain
from enact_assets.engine.errors import MissingPartitionError, PredictionError, UnknownNameError
from enact_assets.engine.plurals import counted
from enact_assets.pipeline.costs.first_answers import ask_first, asked_of
from enact_assets.pipeline.costs.spending import spending_tags, usd_until
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.questions.files.imported import registry_in
from enact_assets.results.board.bundles import Claim, read_bundle, write_bundle
from enact_assets.results.board.pages import file_name
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry

RECOMPUTED = (
    "Recomputed: these are the scores of the answers in the file. Who holds the questions can "
    "write right answers without asking a model; --ask-again N asks some of them anew."
)


def run_submit(arguments: argparse.Namespace, console: Console) -> int:
    """``submit MODEL``; returns the exit code."""
    root = DataRoot(arguments.data)
    data = DataResource(root=str(arguments.data.resolve()))
    asked = VariantQuestions(root, registry_in(root), arguments.variant)
    if not asked.lake.partitions("asked_questions"):
        raise MissingPartitionError(
            f"{root.root} has no answers: nothing is asked there. `enact-assets demo` makes some; "
            "--data names another data root."
        )
    try:
        model = data.models.find(arguments.model)
    except UnknownNameError:
        here = {"model": arguments.model, "variant": arguments.variant}
        if not asked.lake.exists("predictions", here):
            raise
        model = None  # its answers are here, and how it was asked is not known any more
    bundle = bundle_of(asked, arguments.model if model is None else model.name, model)
    n_left_out = len(asked.hashes) - len({answer.question_id for answer in bundle.answers})
    if n_left_out:
        console.print(
            plain(
                f"{counted(n_left_out, 'question')} of {bundle.variant} have no answer of "
                f"{bundle.model} here: those who score it will see that.",
                "yellow",
            )
        )
    path = arguments.output or Path(f"{file_name(bundle.model)}-{bundle.variant}.json")
    write_bundle(path, bundle)
    console.print(_table(bundle.claims))
    console.print(
        plain(
            f"{path}: {counted(len(bundle.answers), 'answer')} of {bundle.model} to "
            f"{bundle.variant}, with hashes of all questions, settings and counts; no keys. "
            f"Anybody with the same questions can run `enact-assets verify-submission {path}`."
        )
    )
    return 0


def run_verify_submission(arguments: argparse.Namespace, console: Console) -> int:
    """``verify-submission FILE``; returns the exit code: 1 if something differs."""
    bundle = read_bundle(arguments.file)
    root = DataRoot(arguments.data)
    registry = registry_in(root)
    registry.variant(bundle.variant)
    found = recomputed(bundle, VariantQuestions(root, registry, bundle.variant))
    console.print(
        plain(f"{bundle.model} under {bundle.variant}, {bundle.software}, {bundle.world}")
    )
    console.print(_table(found.claims))
    problems = list(found.problems)
    if arguments.ask_again and not problems:
        problems += _asked_again(arguments, console, found)
    for problem in problems:
        console.print(plain(f"Differs: {problem}", "red"))
    if not problems:
        console.print(plain("All counts are as claimed.", "green"))
        console.print(plain(RECOMPUTED))
    return 1 if problems else 0


def _asked_again(arguments: argparse.Namespace, console: Console, found: Recomputed) -> list[str]:
    """Ask a model some of the questions. Answers may differ: how many orders are the same is said,
    and it is a problem if none is.

    A name in a file decides nothing here: which model is asked, and paid, ``--model`` says.
    """
    bundle = found.bundle
    if arguments.model is None:
        raise PredictionError(
            f"--ask-again also wants --model NAME: what {bundle.model} is called here, as "
            "`enact-assets models` lists it."
        )
    data = DataResource(root=str(arguments.data.resolve()))
    model = data.models.find(arguments.model)
    name = arguments.model if model is None else model.name
    whole = asked_of(data, bundle.variant)
    ids = whole.questions["question_id"].sort().to_list()
    # Drawn here and now: who wrote the file could have chosen by anything in it.
    chosen = random.SystemRandom().sample(ids, min(arguments.ask_again, len(ids)))
    asked = replace(whole, questions=whole.questions.filter(pl.col("question_id").is_in(chosen)))
    root = data.data_root.root
    limit = usd_until(root, spending_tags(root, arguments.max_usd))
    first = ask_first(
        data, load_registry(), name, asked, usd_until=limit, on_progress=lambda _: None
    )
    now = dict(first.evaluation.select("question_id", "answer").iter_rows())
    submitted: dict[str, list[list[int] | None]] = defaultdict(list)
    for id_, order in found.evaluation.select("question_id", "answer").iter_rows():
        submitted[id_].append(order)
    n_asked = sum(now.get(id_) is not None for id_ in chosen)
    n_same = sum(now.get(id_) is not None and now[id_] in submitted[id_] for id_ in chosen)
    console.print(
        plain(
            f"Asked again: {n_same} of {counted(n_asked, 'order')} of {name} are submitted ones. "
            f"{first.cost()} Answers that the ledger of this data root has are not asked for again."
        )
    )
    if n_asked and not n_same:
        return [f"None of {counted(n_asked, 'question')} asked again got a submitted order."]
    return []


def _table(claims: tuple[Claim, ...]) -> Table:
    table = Table()
    headings = ("kind", "answers", "task", "pairwise", "short lists", "unparsed", "missing")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "kind" else "right")
    for claim in claims:
        table.add_row(
            claim.kind,
            f"{claim.n_answers:,}",
            *("-" if share is None else f"{share:.1%}" for share in (claim.task, claim.pairs)),
            *(f"{n:,}" for n in (claim.n_wrong_length, claim.n_unparsed, claim.n_missing)),
        )
    return table
