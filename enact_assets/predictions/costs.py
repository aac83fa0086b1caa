"""What answers will cost: counted for what is not in the ledger yet, learned from what is."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from enact_assets.asking.answers import Answer
from enact_assets.asking.messages import Message, Text
from enact_assets.asking.model_entries import Model
from enact_assets.asking.picture_tokens import tokens_of
from enact_assets.asking.wires import WIRES

CHARACTERS_PER_TOKEN = 4.0
"""Of English prompts, roughly; what was bought before corrects it."""
PICTURE_SIZE = 300
"""Tokens of a picture beside which texts are weighed, when the provider counted whole messages."""
ENOUGH = 8
"""Bought answers from which on their mean is used."""


@dataclass(frozen=True)
class Estimate:
    """Expected cost of ``n_to_buy`` answers; numbers that nobody knows are None.

    ``tokens_out`` is learned from ``n_learned`` bought answers; with fewer than ``ENOUGH`` it is
    the limit that is asked for, and ``usd`` an upper bound: ``is_bound``.
    """

    n_to_buy: int
    n_known: int
    tokens_in: int | None
    tokens_out: int | None
    usd: float | None
    n_learned: int
    is_bound: bool
    n_counted: int = 0
    """Messages whose tokens in the provider counted."""

    @classmethod
    def free(cls, n: int) -> "Estimate":
        """Of ``n`` answers that cost nothing."""
        return cls(n, 0, None, None, 0.0, 0, is_bound=False)

    def words(self) -> str:
        """One sentence."""
        if not self.n_to_buy:
            return f"Nothing to buy: all {self.n_known} answers are in the ledger."
        known = f"; {self.n_known} more are in the ledger" if self.n_known else ""
        what = f"{self.n_to_buy} answers to buy{known}: "
        if self.usd == 0:
            return f"{what}free."
        tokens = "tokens unknown"
        if self.tokens_in is not None:
            out = "an unknown number" if self.tokens_out is None else f"{self.tokens_out:,}"
            tokens = f"about {self.tokens_in:,} tokens in, {out} out"
        price = "price unknown"
        if self.usd is not None:
            price = f"{'at most ' if self.is_bound else 'about '}{dollars(self.usd)}"
        basis = (
            "no answer was bought before, so each counts the limit of its length"
            if self.is_bound
            else f"tokens out as in {self.n_learned} bought answers"
        )
        if self.n_counted:
            basis += f"; tokens in as the provider counts them for {self.n_counted} questions"
        return f"{what}{tokens}, {price} ({basis})."


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
    tokens_out = None
    if not is_bound:
        tokens_out = round(fmean(learned) * len(to_buy))
    elif (wire := WIRES.get(model.channel)) is not None:
        most = wire.most_tokens_out(model.parameters)
        tokens_out = None if most is None else most * len(to_buy)
    usd = None
    price = model.price
    if not model.costs_money:
        usd = 0.0
    elif price is not None and tokens_in is not None and tokens_out is not None:
        usd = (tokens_in * price.tokens_in + tokens_out * price.tokens_out) / 1e6
    n = len(to_buy), n_known
    return Estimate(*n, tokens_in, tokens_out, usd, len(learned), is_bound, len(counted))


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


def dollars(usd: float) -> str:
    """An amount with as many digits as are needed to see it."""
    return f"{usd:.2f} USD" if usd >= 1 or usd == 0 else f"{usd:.2g} USD"
