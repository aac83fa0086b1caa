"""The command ``models``: which there are, what is known of one, what a question to it costs."""

import argparse
import datetime as dt
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from enact_assets.answers.baselines.costs import dollars
from enact_assets.answers.baselines.known_models import KnownModels
from enact_assets.answers.baselines.references import BASELINE_NAMES
from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.entries import Model
from enact_assets.answers.models.keys import has_key, wants_key
from enact_assets.answers.models.ledger import spent
from enact_assets.answers.models.not_asked import problems_of
from enact_assets.commands.option_types import MAX_USD
from enact_assets.commands.terminal import plain
from enact_assets.engine.errors import PredictionError, UnknownNameError
from enact_assets.engine.plurals import sentence
from enact_assets.settings.paths import DataRoot

SEEN = {
    "kept": "saw the pictures in order",
    "changed": "saw the pictures in another order than they were sent, so it is asked nothing else",
    "unreadable": "answered, but could not read the numbers that show the order of pictures",
}
"""What the answer to the first message means."""


def run_models(arguments: argparse.Namespace, console: Console) -> int:
    """``models``; returns the exit code."""
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
        _say_spent(console, known.data_root)
        return 0
    model = known.find(arguments.name)
    if model is None:
        console.print(f"{arguments.name}: a reference baseline. {BASELINE_NAMES[arguments.name]}")
        return 0
    if arguments.check:
        return _check(arguments, console, model)
    if arguments.json:
        console.print_json(json.dumps(_facts(model)))
        return 0
    for name, value in _facts(model).items():
        if words := _in_words(value):
            unit = "per million tokens: " if name == "price" else ""
            console.print(Text(f"{name:<16} {unit}{words}"))
    _say_unset_key(console, model)
    return 0


def _say_unset_key(console: Console, model: Model) -> None:
    if has_key(model) is False:
        how = "It is not asked" if wants_key(model) else "It is asked without a key"
        words = f"{how}: the environment variable {model.key_variable} is not set."
        console.print(plain(words, "yellow"))


def _version(model: Model) -> str | int | None:
    """The version of a Python class: what its entry says, or what its code gives."""
    if model.channel != "python" or model.entry.version is not None:
        return model.entry.version
    from enact_assets.answers.models.python_model import PythonModel

    with suppress(PredictionError):
        return PythonModel(model).version
    return None


def _in_words(value: object) -> str:
    """A value of an entry as people write it; nothing of one that is not set."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:,.12g}"
    if isinstance(value, Mapping):
        pairs = ((k, _in_words(v), isinstance(v, Mapping)) for k, v in value.items())
        return ", ".join(f"{k} ({v})" if deep else f"{k} {v}" for k, v, deep in pairs if v)
    if isinstance(value, list | tuple):
        return ", ".join(map(_in_words, value))
    return str(value)


def _say_spent(console: Console, root: DataRoot) -> None:
    usd, unsure = spent(root.ledger)
    if usd or unsure:
        more = f", and up to {dollars(unsure)} for requests whose price is not known"
        console.print(f"Spent in this data root: {dollars(usd)}{more if unsure else ''}.")


def _facts(model: Model) -> dict[str, Any]:
    """All that is known about a model, as JSON."""
    entry = msgspec.to_builtins(model.entry)
    return {
        **entry,
        "name": model.name,
        "version": _version(model),
        "channel": model.channel,
        "base_url": model.base_url,
        "key": model.key_variable,
        "is_key_set": has_key(model),
        "parameters": dict(model.parameters),
    }


def _listed(models: Sequence[Model]) -> Table:
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
        is_key_set = has_key(model)
        style = None
        if retired is not None:
            style = "red" if retired <= today else "yellow"
        table.add_row(
            model.name,
            model.entry.id.partition("/")[0],
            *(("?", "?") if price is None else (f"{price.tokens_in:g}", f"{price.tokens_out:g}")),
            "-" if is_key_set is None else ("set" if is_key_set else f"no {model.key_variable}"),
            "" if model.entry.max_images is None else str(model.entry.max_images),
            "" if retired is None else str(retired),
            style=style,
        )
    return table


def _cost(answer: Answer) -> str:
    """What is known of it, in a line."""
    known = ["of unknown price" if answer.usd is None else dollars(answer.usd)]
    for n, name in ((answer.tokens_in, "tokens in"), (answer.tokens_out, "tokens out")):
        known += [] if n is None else [f"{n:,} {name}"]
    known += [] if answer.latency_s is None else [f"{answer.latency_s:.1f} s"]
    by = f"; answered by {answer.served_model}" if answer.served_model else ""
    return f"Cost: {', '.join(known)}{by}."


def _check(arguments: argparse.Namespace, console: Console, model: Model) -> int:
    """Ask the first message once more; exit code 1 if the model cannot be used."""
    from enact_assets.answers.baselines.model_asker import ModelAsker
    from enact_assets.pipeline.costs.spending import spending_tags, usd_until

    root = DataRoot(arguments.data)
    limit = usd_until(root.root, spending_tags(root.root, MAX_USD))
    for problem in problems_of([model]):
        console.print(plain(problem, "yellow"))
    answer, seen = ModelAsker(root, lambda _sha: b"", limit).check(arguments.name)
    if answer.text is None:
        console.print(plain(sentence(f"model {model.name} gave no answer: {answer.error}"), "red"))
        if model.channel == "python" and answer.attempts:
            console.print(
                "The first message is no question, so `ask` warns and continues. docs/models.md, A "
                "Python class, shows it.",
                markup=False,
            )
        return 1
    console.print(Text(f"Model {model.name} {SEEN[seen]}. It said: {answer.text[:200]!r}"))
    console.print(plain(_cost(answer)))
    return 1 if seen == "changed" else 0
