"""Kinds of values that options take, and the option that limits spending."""

import argparse
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from enact_assets.answers.models.entries import Model

MAX_USD = 1.0


def positive(text: str) -> int:
    """The whole number of 1 or more that ``text`` is, for argparse."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of 1 or more, not {text!r}")
    return int(text)


def numbers_named(text: str) -> range:
    """The whole numbers from the first to the last of ``FIRST-LAST``, for argparse."""
    first, _, last = text.partition("-")
    ends = [first, last or first]
    if not all(end.isascii() and end.isdigit() for end in ends) or int(ends[1]) < int(ends[0]):
        raise argparse.ArgumentTypeError(f"expected a number, or FIRST-LAST, not {text!r}")
    return range(int(ends[0]), int(ends[1]) + 1)


def seconds(text: str) -> float:
    """A number above 0, for argparse."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0.0 < found < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number of seconds above 0, not {text!r}")
    return found


ALL = "all"


def number_or_all(text: str) -> int | str:
    """As :func:`positive`, or :data:`ALL`."""
    return ALL if text == ALL else positive(text)


def add_count(
    sub: argparse.ArgumentParser | argparse._ArgumentGroup, option: str, default: int, about: str
) -> None:
    """An option that takes a whole number of 1 or more."""
    help_ = f"{about} (default: {default})"
    sub.add_argument(option, type=positive, default=default, metavar="N", help=help_)


def _dollars(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of dollars")
    return value


def add_max_usd(sub: argparse.ArgumentParser, default_text: str, default: float | None) -> None:
    """The option that limits what a command spends."""
    sub.add_argument(
        "--max-usd",
        type=_dollars,
        default=default,
        metavar="USD",
        help=f"most that this command may spend on models {default_text}. A provider that charges "
        "more than an answer can cost by its price and limits passes it, by the excess of the "
        "answers in flight at the first such answer: one in the beginning, `in_flight` of each "
        "model at most; a batch that was sent is charged whole",
    )


def spending_option(model: "Model | None") -> str:
    """What a command that asks ``model`` has at its end, if the model costs money."""
    return " --max-usd USD" if model is not None and model.costs_money else ""
