"""A request, the most it can cost, and its line in the ledger."""

import math
import time
from dataclasses import dataclass
from typing import Any

from enact_assets.answers.models.answers import Answer, Purpose
from enact_assets.answers.models.entries import Model, Price
from enact_assets.answers.models.keys import without_keys
from enact_assets.answers.models.messages import Message, Text
from enact_assets.answers.models.picture_tokens import most_tokens_of
from enact_assets.answers.models.replies import Reply
from enact_assets.answers.models.wires import WIRES

LONGEST_TEXT = 1_000_000
"""Characters of an answer that are kept; a longer one counts as cut."""
_UNKNOWN_PICTURE = 3_000
"""Tokens of a picture whose rule is not known: more than any rule that is."""
_UNKNOWN_LIMIT = 200_000
"""Tokens out where neither parameters nor the model's entry limit them."""
_MARGIN = 1.25
_AROUND = 100
"""Tokens that a provider adds to a message."""
_LONGEST_ERROR = 500
_AS_IN_REPLY = tuple(name for name in Reply.__struct_fields__ if name not in {"text", "stop"})


@dataclass(frozen=True, slots=True)
class Request:
    """A message to send, and the hash of everything that decides its answer.

    ``most_usd`` is what one attempt can cost at most.
    """

    sha: str
    message: Message
    repetition: int
    most_usd: float
    purpose: Purpose = "question"


@dataclass(slots=True)
class Attempts:
    """How often a request was sent; ``unsure`` counts attempts that may have been charged an
    unknown amount; ``held_usd`` is what is reserved for the request, ``reserved_usd`` for its last
    attempt.
    """

    n: int = 0
    unsure: int = 0
    held_usd: float = 0.0
    reserved_usd: float = 0.0
    faults: int = 0
    rate_refusals: int = 0
    sent_at: float | None = None
    latency_s: float | None = None

    @property
    def is_in_flight(self) -> bool:
        """Whether it was sent and nothing came back so far."""
        return self.sent_at is not None and self.latency_s is None

    def begin(self, reserved_usd: float = 0.0) -> None:
        """Record that the request is sent now."""
        self.n += 1
        self.held_usd += reserved_usd
        self.reserved_usd = reserved_usd
        self.sent_at, self.latency_s = time.time(), None

    def end(self) -> None:
        """Record that the reply has arrived, or certainly will not."""
        self.latency_s = round(max(0.0, time.time() - (self.sent_at or 0.0)), 4)


def limit_of_tokens_out(model: Model) -> int | None:
    """The limit of tokens out that the parameters of ``model`` set; None if they set none."""
    wire = WIRES.get(model.channel)
    if wire is not None:
        return wire.most_tokens_out(model.parameters)
    given = model.parameters.get("max_tokens")
    return given if isinstance(given, int) else None


def most_usd(model: Model, message: Message, most_tokens_out: int | None) -> float:
    """Upper bound of what one attempt costs, in dollars; 0 where nothing is charged.

    Every byte of text counts as a token, pictures with a margin. Without a known price: infinity.
    """
    price = model.price
    if price is None:
        return math.inf
    picture = most_tokens_of(model.entry.picture_tokens)
    tokens = (_UNKNOWN_PICTURE if picture is None else picture * _MARGIN) * message.n_pictures
    tokens += sum(len(part.text.encode()) for part in message.parts if isinstance(part, Text))
    out = most_tokens_out or model.entry.context_tokens or _UNKNOWN_LIMIT
    return ((tokens + _AROUND) * price.tokens_in + out * price.tokens_out) / 1e6


def usd_of(price: Price, reply: Reply) -> float | None:
    """Dollars that a reply costs; None if it does not count its tokens."""
    if price.tokens_in == price.tokens_out == 0:
        return 0.0
    if reply.tokens_in is None or reply.tokens_out is None:
        return None
    cached = min(reply.tokens_in_cached or 0, reply.tokens_in)
    for_cached = price.tokens_in if price.tokens_in_cached is None else price.tokens_in_cached
    read = (reply.tokens_in - cached) * price.tokens_in + cached * for_cached
    return (read + reply.tokens_out * price.tokens_out) / 1e6


def other_model(model: Model, snapshot: str | None, served: str | None) -> str | None:
    """Why an answer of a model that calls itself ``served`` is refused; None if it is not.

    ``snapshot`` is the name that answered this model's first request, None if this is the first.
    """
    if served is None or (served == snapshot and model.may_serve(served)):
        return None
    if not model.may_serve(served):
        return (
            f"asked {model.asked_id!r}, but {served!r} answered. If this is the same model, add it "
            f"to `serves` of {model.name} in models.yaml"
        )
    if snapshot is None:
        return None
    return (
        f"{model.asked_id!r} meant {snapshot!r} and now means {served!r}. Ask each by its exact "
        "id, as a model of its own"
    )


def answered(
    model: Model,
    request: Request,
    reply: Reply,
    attempts: Attempts,
    *,
    snapshot: str | None,
    raw: Any = None,
) -> Answer:
    """The line for a reply: an answer, or an error if another model gave it.

    A reply that does not count its tokens may have cost as much as it can.
    """
    error = other_model(model, snapshot, reply.served_model)
    is_long = len(reply.text) > LONGEST_TEXT
    price = model.price
    usd = None if price is None else usd_of(price, reply)
    attempts.unsure += usd is None
    return _line(
        model,
        request,
        attempts,
        error,
        text=reply.text[:LONGEST_TEXT] if error is None else None,
        stop="cut" if is_long and reply.stop == "complete" else reply.stop,
        usd=usd,
        raw=raw,
        **{name: getattr(reply, name) for name in _AS_IN_REPLY},
    )


def unreadable(
    model: Model, request: Request, error: str, attempts: Attempts, raw: Any = None
) -> Answer:
    """The line for a whole reply without an answer. It may have cost as much as it can."""
    attempts.unsure += 1
    return _line(model, request, attempts, is_unreadable=True, error=error, raw=raw)


def refused(model: Model, request: Request, words: str, attempts: Attempts) -> Answer:
    """The line for an error that means that the content was refused: it counts as an answer, and is
    free.
    """
    return _line(model, request, attempts, text=words, stop="refused", usd=0.0)


def missing(
    model: Model,
    request: Request,
    error: str,
    attempts: Attempts | None = None,
    *,
    is_final: bool = False,
) -> Answer:
    """The line for a request without a whole reply."""
    return _line(model, request, attempts or Attempts(), error=error, is_final=is_final)


def _line(
    model: Model, request: Request, attempts: Attempts, error: str | None = None, **values: Any
) -> Answer:
    clean: dict[str, Any] = {
        n: _clean(v, model) if isinstance(v, str) else v for n, v in values.items()
    }
    return Answer(
        request_sha=request.sha,
        question_id=request.message.question_id,
        model=model.asked_id,
        repetition=request.repetition,
        purpose=request.purpose,
        usd_unsure=(
            attempts.unsure * max(request.most_usd, attempts.reserved_usd)
            if attempts.unsure
            else 0.0
        ),
        latency_s=attempts.latency_s,
        sent_at=attempts.sent_at,
        attempts=attempts.n,
        unsure=attempts.unsure,
        # Cut last: a piece of the key would not be found.
        error=None if error is None else _clean(error, model)[:_LONGEST_ERROR],
        **clean,
    )


def _clean(text: str, model: Model) -> str:
    """``text`` without keys, and without half characters, which no file can hold."""
    return without_keys(text, model).encode(errors="replace").decode()
