"""Expected cost of repainted pictures that the ledger lacks, with and without further tries."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import fmean

from enact_assets.answers.baselines.costs import ENOUGH, about, dollars
from enact_assets.answers.baselines.picture_editor import PROMPT, render_sha_of
from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.entries import Model, Price
from enact_assets.answers.models.ledger import Kept
from enact_assets.answers.models.not_asked import why_not_again
from enact_assets.answers.models.picture_edits import edit_requests
from enact_assets.engine.plurals import counted
from enact_assets.settings.editing import EditingSettings


@dataclass(frozen=True)
class EditEstimate:
    """Expected cost of the pictures of one variant.

    ``n_to_buy`` were never sent, ``n_known`` need no further request. The replies to ``n_open`` are
    bought and not judged yet: those that are rejected are sent again. ``usd`` is for sending each
    of ``n_to_buy`` once, ``usd_at_most`` for ``n_requests``: all tries that are left. With fewer
    than ``ENOUGH`` bought pictures to learn from (``n_learned``) each counts the limit of tokens,
    ``is_bound``. For ``n_unknown`` demonstrations it is not known yet which pictures are wanted.
    """

    n_to_buy: int
    n_open: int
    n_known: int
    n_requests: int
    n_unknown: int
    usd: float | None
    usd_at_most: float | None
    n_learned: int
    is_bound: bool
    why_unknown: str = ""

    def words(self) -> str:
        """The estimate as one sentence."""
        counts = [f"{counted(self.n_to_buy, 'picture')} to buy"]
        if self.n_open:
            counts.append(f"{self.n_open:,} more bought and not judged yet")
        if self.n_known:
            counts.append(f"{self.n_known:,} more in the ledger")
        if self.n_unknown:
            demonstrations = counted(self.n_unknown, "demonstration")
            how = "make wanted_frames, which costs nothing"
            counts.append(f"those of {demonstrations} are not known yet ({how})")
        said = "; ".join(counts)
        if not self.n_requests:
            return f"{said}."
        if self.usd is None or self.usd_at_most is None:
            return f"{said}: price unknown: {self.why_unknown}."
        size = about(is_bound=self.is_bound)
        basis = f"as {self.n_learned:,} bought pictures"
        if self.is_bound:
            few = f"only {self.n_learned}" if self.n_learned else "no"
            basis = f"{few} bought pictures to learn from, so each counts the limit of tokens"
        return (
            f"{said}: {size} {dollars(self.usd)} ({basis}); {size} {dollars(self.usd_at_most)} if "
            "all are rejected until the last try."
        )


def estimate_edits(
    model: Model,
    editing: EditingSettings,
    pictures: Sequence[str | None],
    kept: Kept,
    accepted: Collection[str],
    *,
    n_unknown: int = 0,
) -> EditEstimate:
    """Cost of having ``model`` repaint ``pictures``: hashes, None for one that is not made yet.

    ``kept`` is its ledger, ``accepted`` the ``render_sha`` of pictures that were taken from it.
    Errors: as :func:`~enact_assets.answers.models.picture_edits.edit_requests`.
    """
    known = dict.fromkeys(sha for sha in pictures if sha is not None)
    n_unmade = sum(sha is None for sha in pictures)
    left = dict.fromkeys(known, editing.tries)
    for attempt in range(editing.tries):
        for sha, request in edit_requests(model, known, editing.prompt or PROMPT, attempt).items():
            is_paid = why_not_again(model, kept.unreadable[request.sha]) is not None
            if render_sha_of(request.sha) in accepted:
                left[sha] = 0
            elif left[sha] == editing.tries - attempt and (request.sha in kept.answers or is_paid):
                left[sha] -= 1
    n_to_buy = n_unmade + sum(n == editing.tries for n in left.values())
    n_open = sum(0 < n < editing.tries for n in left.values())
    n_requests = n_unmade * editing.tries + sum(left.values())
    learned = [answer for answer in kept.answers.values() if answer.tokens_out is not None]
    price, is_bound = model.price, len(learned) < ENOUGH
    each = None
    if price is not None:
        (request,) = edit_requests(model, ("0" * 64,), editing.prompt or PROMPT, 0).values()
        each = request.most_usd if is_bound else _mean_usd(learned, price)
    return EditEstimate(
        n_to_buy=n_to_buy,
        n_open=n_open,
        n_known=len(known) + n_unmade - n_to_buy - n_open,
        n_requests=n_requests,
        n_unknown=n_unknown,
        usd=None if each is None else each * n_to_buy,
        usd_at_most=None if each is None else each * n_requests,
        n_learned=len(learned),
        is_bound=is_bound,
        why_unknown="" if price else f"set `price` of {model.name} in models.yaml, in USD",
    )


def _mean_usd(learned: Sequence[Answer], price: Price) -> float:
    """Of a reply, at the price of today."""
    tokens_in = fmean(answer.tokens_in or 0 for answer in learned)
    tokens_out = fmean(answer.tokens_out or 0 for answer in learned)
    return (tokens_in * price.tokens_in + tokens_out * price.tokens_out) / 1e6
