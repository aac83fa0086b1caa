"""Expected cost of answers that are not in the ledger yet, learned from bought ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.entries import Model
from enact_assets.answers.models.messages import Message, Text
from enact_assets.answers.models.not_asked import price_line
from enact_assets.answers.models.picture_tokens import tokens_of
from enact_assets.answers.models.requested import limit_of_tokens_out
from enact_assets.engine.plurals import counted as number_of

CHARACTERS_PER_TOKEN = 4.0
"""Rough value for English prompts; earlier answers correct it."""
PICTURE_SIZE = 300
"""Tokens of a picture beside which texts are weighed, when the provider counted whole messages."""
ENOUGH = 8
"""Bought answers from which on their mean is used."""


@dataclass(frozen=True)
class Estimate:
    """Expected cost of ``n_to_buy`` answers besides ``n_known`` kept ones; None is unknown.

    ``tokens_out`` is learned from ``n_learned`` bought answers; with fewer than ``ENOUGH`` it is
    the limit that is asked for, and ``usd`` rather too high: ``is_bound``. ``n_counted`` is for how
    many messages the provider counted tokens in. Without ``usd``, ``why_unknown`` is the reason.
    """

    n_to_buy: int
    n_known: int
    tokens_in: int | None = None
    tokens_out: int | None = None
    usd: float | None = None
    n_learned: int = 0
    is_bound: bool = False
    n_counted: int = 0
    why_unknown: str = ""

    def words(self) -> str:
        """The estimate as one sentence."""
        if not self.n_to_buy:
            return f"Nothing to buy: all {self.n_known:,} answers are in the ledger."
        known = f"; {self.n_known:,} more are in the ledger" if self.n_known else ""
        answers = number_of(self.n_to_buy, "answer")
        if self.usd == 0:
            return f"{answers} to ask for{known}: free."
        tokens_in, tokens_out = "an unknown number of", "an unknown number"
        if self.tokens_in is not None:
            tokens_in = f"about {self.tokens_in:,}"
        if self.tokens_out is not None:
            tokens_out = f"{'up to' if self.is_bound else 'about'} {self.tokens_out:,}"
        price = f"price unknown: {self.why_unknown}"
        if self.usd is not None:
            price = f"{about(is_bound=self.is_bound)} {dollars(self.usd)}"
        basis = []
        if not self.is_bound:
            basis.append(f"tokens out as in {self.n_learned:,} bought answers")
        elif self.tokens_out is not None:
            few = f"only {self.n_learned}" if self.n_learned else "no"
            basis.append(f"{few} bought answers to learn from, so each counts the limit of tokens")
        if self.n_counted:
            basis.append(f"tokens in as the provider counts them for {self.n_counted:,} questions")
        on = f" ({'; '.join(basis)})" if basis else ""
        return f"{answers} to buy{known}: {tokens_in} tokens in, {tokens_out} out, {price}{on}."


def estimate(
    model: Model,
    to_buy: Sequence[Message],
    n_known: int,
    bought: Sequence[Answer],
    counted: Sequence[tuple[Message, int]] = (),
) -> Estimate:
    """Cost of asking ``model`` each of ``to_buy`` once, besides ``n_known`` answers that are kept.

    ``bought`` are answers of the same model to any question: tokens out are learned from them.
    ``counted`` are messages with the tokens that the provider counts for them: they correct what
    rules say about tokens in.
    """
    learned = [a.tokens_out for a in bought if a.purpose == "question" and a.tokens_out is not None]
    is_bound = len(learned) < ENOUGH
    by_rule = [_by_rule(model, message) for message in to_buy]
    ruled = [n for n in by_rule if n is not None]
    tokens_in = None
    if counted:
        told = [(n, _size(message)) for message, n in counted]
        per_size = sum(n for n, _ in told) / sum(size for _, size in told)
        tokens_in = round(per_size * sum(map(_size, to_buy)))
    elif len(ruled) == len(to_buy):
        tokens_in = round(sum(ruled))
    most = limit_of_tokens_out(model)
    tokens_out = None if most is None else most * len(to_buy)
    if not is_bound:
        tokens_out = round(fmean(learned) * len(to_buy))
    usd, why_unknown = None, ""
    price = model.price
    if not model.costs_money:
        usd = 0.0
    elif price is None:
        why_unknown = f"set `price` of {model.name} in models.yaml{price_line(model)}"
    elif tokens_in is None:
        why_unknown = f"{model.name} has no rule `picture_tokens` in models.yaml"
    elif tokens_out is None:
        why_unknown = f"`parameters` of {model.name} set no limit of tokens out"
    else:
        usd = (tokens_in * price.tokens_in + tokens_out * price.tokens_out) / 1e6
    return Estimate(
        n_to_buy=len(to_buy),
        n_known=n_known,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        usd=usd,
        n_learned=len(learned),
        is_bound=is_bound,
        n_counted=len(counted),
        why_unknown=why_unknown,
    )


def _size(message: Message) -> float:
    """Grows with the tokens of a message: pictures of one size count alike."""
    characters = sum(len(part.text) for part in message.parts if isinstance(part, Text))
    return characters / CHARACTERS_PER_TOKEN + PICTURE_SIZE * message.n_pictures


def _by_rule(model: Model, message: Message) -> float | None:
    picture = tokens_of(model.entry.picture_tokens)
    if picture is None and message.n_pictures:
        return None
    characters = sum(len(part.text) for part in message.parts if isinstance(part, Text))
    return characters / CHARACTERS_PER_TOKEN + (picture or 0) * message.n_pictures


def about(*, is_bound: bool) -> str:
    """Text before an expected amount: numbers of input tokens are estimates, so no amount is
    exact.
    """
    return "up to about" if is_bound else "about"


def dollars(usd: float) -> str:
    """An amount with as many digits as are needed to see it."""
    return f"{usd:,.2f} USD" if usd >= 1 or usd == 0 else f"{usd:.2g} USD"
