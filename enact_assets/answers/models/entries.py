"""Entries of models, and of the providers through which they are asked."""

import datetime as dt
import fnmatch
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlsplit

import msgspec

from enact_assets.answers.models.messages import Target
from enact_assets.answers.models.stop_reasons import Stops

WireName = Literal["openai_chat", "openai_responses", "anthropic", "google"]
"""Wire formats of ours."""
PictureWireName = Literal["openai_images", "google_images"]
"""Wire formats of models that edit pictures; they answer no questions."""
OVER_HTTP = frozenset({*get_args(WireName), *get_args(PictureWireName)})
InProcess = Literal["inspect", "local", "python"]
"""Channels of models that this process runs, or asks by other means."""
Channel = Literal[WireName, PictureWireName, InProcess, "answers"]
"""How a model is asked; ``answers`` are imported."""
OWN_SERVERS = {"vllm", "ollama"}
"""Providers that are free on this machine; any other server may be a gateway that charges."""
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
Positive = Annotated[int, msgspec.Meta(ge=1)]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]
_DATED = re.compile(r"(-\d{4}-?\d{2}-?\d{2}|-\d{3,4}|-latest)?")


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Per million tokens. ``read`` is the day on which ``source`` was looked up."""

    tokens_in: NotNegative = msgspec.field(name="in")
    tokens_out: NotNegative = msgspec.field(name="out")
    tokens_in_cached: NotNegative | None = msgspec.field(name="cached", default=None)
    currency: str = "USD"
    read: dt.date | None = None
    source: str = ""


class Provider(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where models are asked: a channel, and for wire formats the address and the variable that
    holds the key; ``parameters`` of models that set none.
    """

    channel: Channel
    base_url: str = ""
    key: str = ""
    parameters: Mapping[str, Any] = {}


class PictureTokens(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many tokens a picture is: a rule of ``picture_tokens.py`` with its numbers."""

    rule: str
    numbers: tuple[float, ...] = ()


class ModelEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One model. ``id`` is ``provider/id at the provider``.

    Fields that decide answers: channel, id, ``version`` (of a Python class, in place of its code),
    ``parameters`` (over those of the provider; null takes one out), ``samples``. ``serves`` are
    patterns of names that may answer; none: the id, with a date behind it or not. ``max_images`` of
    0: the model reads texts alone. ``aliases`` are ids that mean this model today. ``max_missing``
    is how many questions may stay without an answer before the partition fails; ``max_unreadable``
    how often a reply without an answer is paid for before a question is not asked again. ``stops``
    says what a reason to stop means, before the wire format does. ``retired`` models cannot be
    asked from that day on, or another model answers. ``published`` is the model's name in the
    tables of the paper.
    """

    id: str
    version: Annotated[str, msgspec.Meta(min_length=1)] | int | None = None
    name: str = ""
    published: str = ""
    organization: str = ""
    weights: str = ""
    hub_id: str = ""
    licence: str = ""
    released: str = ""
    retired: dt.date | None = None
    context_tokens: Positive | None = None
    max_images: Annotated[int, msgspec.Meta(ge=0)] | None = None
    price: Price | None = None
    picture_tokens: PictureTokens | None = None
    parameters: Mapping[str, Any] | None = None
    samples: Positive = 1
    aliases: tuple[str, ...] = ()
    serves: tuple[str, ...] = ()
    max_missing: Annotated[int, msgspec.Meta(ge=0)] = 0
    max_unreadable: Positive = 2
    stops: Stops = {}
    in_flight: Positive = 64
    timeout_s: Annotated[float, msgspec.Meta(gt=0)] = 900.0
    base_url: str = ""
    key: str | None = None
    channel: Channel | None = None
    note: str = ""
    sources: str = ""


class Model(msgspec.Struct, frozen=True):
    """An entry and its provider, resolved, as used by the rest of the code.

    ``asked_id`` is the id at the provider, ``folder`` the one that paths in the entry start from.
    """

    name: str
    entry: ModelEntry
    channel: Channel
    asked_id: str
    base_url: str
    key_variable: str
    parameters: Mapping[str, Any]
    folder: Path

    @property
    def is_local_server(self) -> bool:
        """Whether the address is one of this machine, which charges nothing."""
        return urlsplit(self.base_url).hostname in LOOPBACK

    @property
    def price(self) -> Price | None:
        """In dollars per million tokens; None if it is unknown; 0 where no one can charge."""
        given = self.entry.price
        if given is not None:
            return given if given.currency == "USD" else None
        is_own = self.entry.id.partition("/")[0] in OWN_SERVERS and self.is_local_server
        is_free = is_own or self.channel in {"local", "python", "answers"}
        return Price(0.0, 0.0) if is_free else None

    @property
    def maker(self) -> str:
        """The operator of the model, as recorded in answers: the provider, or this entry if it has
        its own address. The address itself may change without asking the model again.
        """
        return self.name if self.entry.base_url else self.entry.id.partition("/")[0]

    @property
    def costs_money(self) -> bool:
        """Whether asking it costs, or may cost, money."""
        if self.channel == "answers":
            return False
        return self.price is None or self.price.tokens_in > 0 or self.price.tokens_out > 0

    def target(self, version: str, snapshot: str) -> Target:
        """Everything about the model that decides answers, for the exact model ``snapshot`` and
        ``version``.
        """
        return Target(self.maker, self.channel, version, snapshot, self.parameters)

    def may_serve(self, served: str) -> bool:
        """Whether an answer of a model that calls itself ``served`` is one of this model."""
        name = served.lower().removeprefix("models/")
        if self.entry.serves:
            return any(fnmatch.fnmatchcase(name, pattern.lower()) for pattern in self.entry.serves)
        asked = self.asked_id.lower().removeprefix("models/")
        accepted = {asked, asked.rpartition("/")[2]}
        return any(name.startswith(a) and _DATED.fullmatch(name[len(a) :]) for a in accepted)


class Spending(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits of spending on a data root: in total, and whether automation may buy."""

    max_usd: NotNegative | None = None
    by_automation: bool = False
