"""Commands about models: which there are, what one question costs, a first look at one."""

import argparse
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from enact_assets.contracts.errors import UnknownNameError
from enact_assets.contracts.registry import BASELINE
from enact_assets.data_root.paths import DataRoot
from enact_assets.official.commands import positive

if TYPE_CHECKING:
    import polars as pl

    from enact_assets.asking.model_entries import Model
    from enact_assets.asking.session import Progress as AskingProgress

SEEN = {
    "kept": "saw the pictures in order",
    "changed": "saw the pictures in another order than they were sent, so it is asked nothing else",
    "unreadable": "answered, but could not read the numbers that show the order of pictures",
}
"""What the answer to the first message means."""
QUESTIONS = 20
MAX_USD = 1.0

AddCommand = Callable[[str, object, str], argparse.ArgumentParser]


def add_trying_commands(command: AddCommand) -> None:
    """Add models and ask."""
    about = (
        "List the models that can be asked, with prices, keys and retirement. With --check, ask "
        "one a question and say what it cost."
    )
    sub = command("models", _models, about)
    sub.add_argument("name", nargs="?", help="all that is known about one model")
    sub.add_argument("--check", action="store_true", help="ask it one question")
    sub.add_argument("--json", action="store_true", help="as JSON")
    about = (
        "Ask a model some questions, verify its answers and show which are wrong. Answers are "
        "kept: asking more, or `enact-assets materialize --model`, asks only the others."
    )
    sub = command("ask", _ask, about)
    sub.add_argument(
        "model", help="a name that `enact-assets models` lists, or provider/id of any other"
    )
    sub.add_argument(
        "--questions",
        type=positive,
        default=QUESTIONS,
        metavar="N",
        help=f"how many, as many of each kind and length as can be (default: {QUESTIONS})",
    )
    sub.add_argument(
        "--variant", default=BASELINE, metavar="NAME", help="variant to ask (default: baseline)"
    )
    add_max_usd(sub, f"(default: {MAX_USD:.0f})", MAX_USD)
    sub.add_argument("--estimate", action="store_true", help="say what it would cost, ask nothing")


def add_max_usd(sub: argparse.ArgumentParser, default_text: str, default: float | None) -> None:
    """The option that limits what a command spends."""
    sub.add_argument(
        "--max-usd",
        type=_dollars,
        default=default,
        metavar="USD",
        help=f"most that this command may spend on models {default_text}",
    )


def _dollars(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of dollars")
    return value


def _models(arguments: argparse.Namespace, console: Console) -> int:
    from enact_assets.predictions.known_models import KnownModels

    known = KnownModels(DataRoot(arguments.data))
    if arguments.name is None:
        if arguments.check:
            raise UnknownNameError("name the model to check: `enact-assets models NAME --check`")
        catalogue = known.catalogue
        found = [catalogue.find(name) for name in catalogue.models]
        if arguments.json:
            console.print_json(json.dumps([_facts(model) for model in found]))
            return 0
        console.print(_listed(found))
        console.print(
            "?: no price in USD is known, so the model is asked only after one was set. Any other: "
            "provider/id, with one of "
            f"{', '.join(p for p in catalogue.providers if p != 'answers')}. Your own models, "
            f"prices and addresses: {known.data_root.root / 'models.yaml'} (docs/models.md).",
            markup=False,
        )
        return 0
    model = known.find(arguments.name)
    if model is None:
        from enact_assets.predictions.baselines import MODELS

        console.print(f"{arguments.name}: a reference baseline. {MODELS[arguments.name]}")
        return 0
    if arguments.check:
        return _check(arguments, console, model)
    if arguments.json:
        console.print_json(json.dumps(_facts(model)))
        return 0
    for name, value in _facts(model).items():
        if value not in (None, "", [], {}):
            console.print(Text(f"{name:<16} {value}"))
    return 0


def _facts(model: "Model") -> dict[str, Any]:
    """All that is known about a model, as JSON."""
    import msgspec

    entry = msgspec.to_builtins(model.entry)
    return {
        **entry,
        "name": model.name,
        "channel": model.channel,
        "base_url": model.base_url,
        "key": model.key_variable,
        "is_key_set": _has_key(model),
        "parameters": dict(model.parameters),
    }


def _has_key(model: "Model") -> bool | None:
    """Whether the key that the model wants is set; None if it wants none."""
    if not model.key_variable or model.is_local_server:
        return None
    return bool(os.environ.get(model.key_variable))


def _listed(models: Sequence["Model"]) -> Table:
    import datetime as dt

    today = dt.datetime.now(dt.UTC).date()
    table = Table(title="Models (prices in USD per million tokens)", title_justify="left")
    for name, justify in (
        ("model", "left"),
        ("asked as", "left"),
        ("in", "right"),
        ("out", "right"),
        ("key", "left"),
        ("images", "right"),
        ("retired", "left"),
    ):
        table.add_column(name, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for model in models:
        price, retired = model.price, model.entry.retired
        has_key = _has_key(model)
        style = None
        if retired is not None:
            style = "red" if retired <= today else "yellow"
        table.add_row(
            model.name,
            model.entry.id.partition("/")[0],
            *(("?", "?") if price is None else (f"{price.tokens_in:g}", f"{price.tokens_out:g}")),
            "-" if has_key is None else ("set" if has_key else f"no {model.key_variable}"),
            "" if model.entry.max_images is None else str(model.entry.max_images),
            "" if retired is None else str(retired),
            style=style,
        )
    return table


def _check(arguments: argparse.Namespace, console: Console, model: "Model") -> int:
    """Ask the first message once more; exit code 1 if the model cannot be used."""
    from enact_assets.asking.model_entries import problems_of
    from enact_assets.predictions.model_asker import ModelAsker
    from enact_assets.runs.spending import spending_tags, usd_until

    root = DataRoot(arguments.data)
    limit = usd_until(root.root, spending_tags(root.root, MAX_USD))
    for problem in problems_of([model]):
        console.print(Text(problem, "yellow"))
    answer, seen = ModelAsker(root, lambda _sha: b"", limit).check(arguments.name)
    if answer.text is None:
        console.print(Text(str(answer.error), "red"))
        return 1
    console.print(Text(f"{model.name} {SEEN[seen]}. It said: {answer.text[:200]!r}"))
    usd = "an unknown price" if answer.usd is None else f"{answer.usd:.4f} USD"
    console.print(
        Text(
            f"Cost: {usd}, {answer.tokens_in} tokens in, {answer.tokens_out} out, "
            f"{answer.latency_s or 0:.1f} s; answered by {answer.served_model}."
        )
    )
    return 1 if seen == "changed" else 0


def _ask(arguments: argparse.Namespace, console: Console) -> int:
    from enact_assets.asking.model_entries import problems_of
    from enact_assets.contracts.registry import load_registry
    from enact_assets.runs.first_answers import ask_first, asked_of, cost_of, some_of, write_page
    from enact_assets.runs.instance import check_root
    from enact_assets.runs.resources import DataResource
    from enact_assets.runs.spending import spending_tags, usd_until

    check_root(arguments.data)
    registry = load_registry()
    registry.variant(arguments.variant)
    data = DataResource(root=str(arguments.data.resolve()))
    model = data.models.find(arguments.model)
    name = arguments.model if model is None else model.name
    everything = asked_of(data, arguments.variant)
    asked = some_of(everything, arguments.questions)
    if model is not None:
        for problem in problems_of([model]):
            console.print(Text(problem, "yellow"))
        cost = cost_of(data, name, asked, is_counted=True)
        console.print(Text(f"{asked.questions.height} questions: {cost.words()}"))
        if arguments.estimate:
            cost = cost_of(data, name, everything, is_counted=True)
            console.print(Text(f"All {everything.questions.height}: {cost.words()}"))
            return 0
    root = data.data_root.root
    limit = usd_until(root, spending_tags(root, arguments.max_usd))
    with _shown(f"asking {name}") as told:
        first = ask_first(data, registry, name, asked, usd_until=limit, told=told)
    if first.predictions["raw_answer"].null_count() == first.predictions.height:
        for n_questions, reason in first.missing_reasons():
            console.print(Text(f"{n_questions} without an answer: {reason}", "red"))
        return 1
    of_kind = first.by_kind(data)
    console.print(_scored(name, of_kind))
    console.print(Text(first.cost()))
    page = write_page(data, name, first, of_kind)
    if page is not None:
        console.print(Text(f"Wrong answers, with pictures: {page}"))
    n_missing = first.evaluation.filter(answer_status="missing").height
    for n, reason in first.missing_reasons():
        console.print(Text(f"{n} without an answer: {reason}", "yellow"))
    command = "demo" if first.is_demo(data, registry) else "materialize"
    limit_text = " --max-usd USD" if model is not None and model.costs_money else ""
    data_text = _data_option(arguments)
    console.print(
        Text(
            f"All questions of {arguments.variant}, on the leaderboard: enact-assets {command} "
            f"--model {name} --variant {arguments.variant}{limit_text}{data_text}"
        )
    )
    return 1 if n_missing else 0


def _data_option(arguments: argparse.Namespace) -> str:
    """How the data root is named on the command line, if it must be."""
    is_default = arguments.data == DataRoot.from_environment().root
    return "" if is_default else f" --data {arguments.data}"


def _scored(name: str, of_kind: "pl.DataFrame") -> Table:
    from enact_assets.report.first_look import COUNTS, SHARES

    table = Table(title=f"First answers of {name}", title_justify="left")
    for heading in (
        *("kind", "questions", "right", "chance", "steps right", "chance"),
        *("unparsed", "refused", "cut", "missing"),
    ):
        table.add_column(heading, justify="left" if heading == "kind" else "right")
    for row in of_kind.iter_rows(named=True):
        table.add_row(
            row["kind"],
            str(row["n_questions"]),
            *("-" if row[s] is None else f"{100 * row[s]:.0f} %" for s in SHARES),
            *(str(row[c]) for c in COUNTS),
        )
    return table


@contextmanager
def _shown(text: str) -> Iterator[Callable[["AskingProgress"], None]]:
    """A line that says how far asking is; notes stay above it."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TextColumn("{task.fields[more]}", markup=False),
        TimeRemainingColumn(),
    )
    errors = Console(stderr=True, highlight=False)
    said: set[str] = set()
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task(text, total=None, more="")

        def told(progress: "AskingProgress") -> None:
            more = f"{progress.usd:.2f} USD" if progress.usd else ""
            if progress.n_missing:
                more += f" {progress.n_missing} missing"
            bar.update(task, completed=progress.n_done, total=progress.n_total, more=more)
            if progress.note and progress.note not in said:
                said.add(progress.note)
                errors.print(Text(progress.note, "yellow"))

        yield told
