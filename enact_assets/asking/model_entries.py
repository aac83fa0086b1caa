"""Models that can be asked: the packaged registry, and what a data root's ``models.yaml`` adds.

An entry of the user's file changes the fields it sets and adds models that are new. Entries are
merged before they are read, so a price can be given to a packaged model in one line.
"""

import datetime as dt
import difflib
import fnmatch
import re
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlsplit

import msgspec

from enact_assets.asking.messages import Target
from enact_assets.contracts.entries import mapping, named_entries, parse_yaml, read_text
from enact_assets.contracts.errors import SettingsError, UnknownNameError
from enact_assets.contracts.settings import is_partition_name

PACKAGED = Path(__file__).with_name("models.yaml")
GROUP = "enact_assets.models"
"""Group of entry points; the name of one is the name of a model, its object a Python class."""
USER_FILE = "models.yaml"
"""Name of the user's file in a data root."""
WireName = Literal["openai_chat", "openai_responses", "anthropic", "google"]
"""Wire formats of ours."""
InProcess = Literal["inspect", "local", "python"]
"""Models that this process runs, or asks by other means."""
Channel = Literal[WireName, InProcess, "answers"]
"""How a model is asked; ``answers`` are imported."""
OWN_SERVERS = {"vllm", "ollama"}
"""Providers that are free on this machine; anything else there may be a gateway that charges."""
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
Positive = Annotated[int, msgspec.Meta(ge=1)]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]
_SLASH = "+"
"""Stands for ``/`` in names of partitions, which cannot hold one; the first becomes ``:``."""
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

    Fields that decide answers: channel, id, ``parameters`` (over those of the provider; null takes
    one out), ``samples``. ``serves`` are patterns of names that may answer; none: the id, with a
    date behind it or not. ``aliases`` are ids that mean this model today. ``max_missing`` is how
    many questions may stay without an answer before the partition fails; ``max_unreadable`` how
    often a reply without an answer is paid for before a question is not asked again. ``retired``
    models cannot be asked from that day on, or another model answers. ``published`` is the model's
    name in the tables of the paper.
    """

    id: str
    name: str = ""
    published: str = ""
    organization: str = ""
    weights: str = ""
    hub_id: str = ""
    licence: str = ""
    released: str = ""
    retired: dt.date | None = None
    context_tokens: Positive | None = None
    max_images: Positive | None = None
    price: Price | None = None
    picture_tokens: PictureTokens | None = None
    parameters: Mapping[str, Any] | None = None
    samples: Positive = 1
    aliases: tuple[str, ...] = ()
    serves: tuple[str, ...] = ()
    max_missing: Annotated[int, msgspec.Meta(ge=0)] = 0
    max_unreadable: Positive = 2
    in_flight: Positive = 64
    timeout_s: Annotated[float, msgspec.Meta(gt=0)] = 900.0
    base_url: str = ""
    key: str | None = None
    channel: Channel | None = None
    note: str = ""
    sources: str = ""


class Model(msgspec.Struct, frozen=True):
    """An entry and the provider it is asked through, resolved: what the rest of the code takes.

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
        """In dollars per million tokens; None if it is unknown. Free where nobody can charge."""
        given = self.entry.price
        if given is not None:
            return given if given.currency == "USD" else None
        is_own = self.entry.id.partition("/")[0] in OWN_SERVERS and self.is_local_server
        is_free = is_own or self.channel in {"local", "python", "answers"}
        return Price(0.0, 0.0) if is_free else None

    @property
    def maker(self) -> str:
        """Whoever runs it, as answers know it: the provider, or this entry where it has an address
        of its own. The address itself may change: a model that moves is not asked anew.
        """
        return self.name if self.entry.base_url else self.entry.id.partition("/")[0]

    @property
    def costs_money(self) -> bool:
        """Whether asking it is, or may be, charged."""
        if self.channel == "answers":
            return False
        return self.price is None or self.price.tokens_in > 0 or self.price.tokens_out > 0

    def target(self, version: str, snapshot: str) -> Target:
        """All of it that decides answers, as the exact model ``snapshot`` under ``version``."""
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
    """What may be spent on a data root: in all, and whether automation may buy."""

    max_usd: NotNegative | None = None
    by_automation: bool = False


class Catalogue:
    """All models there are: packaged, of the user's file, and any id of a known provider."""

    def __init__(
        self,
        providers: Mapping[str, Provider],
        models: Mapping[str, ModelEntry],
        spending: Spending,
        folder: Path,
        own: Iterable[str] = (),
    ) -> None:
        self.providers, self.models, self.spending = providers, models, spending
        self._folder, self._own = folder, tuple(own)

    def find(self, text: str, others: Iterable[str] = ()) -> Model:
        """The model that ``text`` means: a name, an id with its provider, an alias, or the name
        of a partition made from any of them. ``others`` are names known besides.

        Errors: :class:`UnknownNameError` for what is neither, :class:`SettingsError` for an id
        that cannot name a partition.
        """
        if text in self.models:
            return self._model(text, self.models[text])
        asked = self._by_id.get(text)
        if asked is not None:
            return self._model(asked, self.models[asked])
        given = text if "/" in text else id_of(text)
        provider = given.partition("/")[0]
        if provider not in self.providers or not given.partition("/")[2]:
            raise self._unknown(text, others)
        alias = self._by_alias.get(given)
        known = self.models[alias] if alias is not None else ModelEntry(id=given)
        name = name_of(given)
        serves = known.serves or (known.id.partition("/")[2],) if alias is not None else ()
        return self._model(name, msgspec.structs.replace(known, id=given, serves=serves))

    def _unknown(self, text: str, others: Iterable[str]) -> UnknownNameError:
        """Names that are close; of packaged ones, dozens, no others."""
        near = difflib.get_close_matches(text, [*self.models, *self._by_alias], cutoff=0.5)
        known = dict.fromkeys([*others, *self._own, *near])
        return UnknownNameError(
            f"unknown model {text!r} (known: {', '.join(known)}; `enact-assets models` lists all). "
            f"Any other is `provider/id`, with a provider of {', '.join(self.providers)}; a server "
            "of your own is an entry of models.yaml in the data root (docs/models.md)."
        )

    def imported(self, name: str) -> Model:
        """A model whose answers were imported, with what an entry of its name says about it."""
        entry = self.models.get(name, ModelEntry(id=f"answers/{name}", name=name))
        entry = msgspec.structs.replace(entry, id=f"answers/{name}", channel=None)
        return self._model(name, entry)

    def _model(self, name: str, entry: ModelEntry) -> Model:
        provider, _, asked = entry.id.partition("/")
        through = self.providers.get(provider)
        if through is None or not asked:
            raise SettingsError(
                f"model {name}: id {entry.id!r} must be `provider/id` with a provider of "
                f"{', '.join(self.providers)}"
            )
        channel = entry.channel or through.channel
        base_url = (entry.base_url or through.base_url).rstrip("/")
        if channel in get_args(WireName) and not base_url.startswith(("http://", "https://")):
            raise SettingsError(
                f"model {name}: base_url {base_url!r} must begin with http:// or https://, such as "
                "http://127.0.0.1:8000/v1. Set it in models.yaml"
            )
        given = {**through.parameters, **(entry.parameters or {})}
        return Model(
            name,
            entry,
            channel,
            asked,
            base_url,
            through.key if entry.key is None else entry.key,
            {key: value for key, value in given.items() if value is not None},
            self._folder,
        )

    @cached_property
    def _by_id(self) -> dict[str, str]:
        """The first entry of each id: packaged ones come before those of the user."""
        return {entry.id: name for name, entry in reversed(list(self.models.items()))}

    @cached_property
    def _by_alias(self) -> dict[str, str]:
        return {alias: name for name, entry in self.models.items() for alias in entry.aliases}


def name_of(id_with_provider: str) -> str:
    """The partition of an id that has no entry. Errors: :class:`SettingsError`."""
    name = id_with_provider.replace("/", ":", 1).replace("/", _SLASH)
    if not is_partition_name(name) or id_of(name) != id_with_provider:
        raise SettingsError(
            f"model {id_with_provider!r} cannot name a partition: give it a name in models.yaml"
        )
    return name


def id_of(name: str) -> str:
    """Inverse of :func:`name_of`."""
    return name.replace(":", "/", 1).replace(_SLASH, "/")


def load_catalogue(root: Path) -> Catalogue:
    """Models as they are known in the data root ``root``.

    Errors: :class:`SettingsError` names file, entry and field of what is wrong.
    """
    user = root / USER_FILE
    text = read_text(user) if user.exists() else ""
    return _catalogue(text, user)


@lru_cache(maxsize=4)
def _catalogue(text: str, user: Path) -> Catalogue:
    packaged = _parts(read_text(PACKAGED), PACKAGED)
    given = _parts(text, user)
    providers = _merged(packaged["providers"], given["providers"], f"{user}: providers")
    offered = {name: {"id": f"python/{where}"} for name, where in entry_points().items()}
    models = _merged({**packaged["models"], **offered}, given["models"], f"{user}: models")
    return Catalogue(
        {n: _read(e, Provider, f"{user}: providers.{n}") for n, e in providers.items()},
        {n: _read({**e, "name": n}, ModelEntry, f"{user}: models.{n}") for n, e in models.items()},
        _read(given["spending"], Spending, f"{user}: spending"),
        user.parent,
        given["models"],
    )


def entry_points() -> dict[str, str]:
    """Name of a model -> ``module:Class``, of all installed packages that offer some."""
    found = metadata.entry_points(group=GROUP)
    named = {point.name: f"{point.module}:{point.attr}" for point in found}
    return {name: where for name, where in named.items() if is_partition_name(name)}


def _parts(text: str, path: Path) -> dict[str, dict[str, Any]]:
    known = ("providers", "models", "spending")
    given = mapping(parse_yaml(text, path) or {}, str(path), known=known)
    return {
        "providers": named_entries(given.get("providers") or {}, f"{path}: providers"),
        "models": named_entries(given.get("models") or {}, f"{path}: models"),
        "spending": mapping(given.get("spending") or {}, f"{path}: spending"),
    }


def _merged(
    base: Mapping[str, Any], given: Mapping[str, Any], where: str
) -> dict[str, dict[str, Any]]:
    """Entries of ``base`` with the fields that ``given`` sets, and the new ones."""
    entries = {name: mapping(entry, f"{where}.{name}") for name, entry in base.items()}
    for name, entry in given.items():
        entries[name] = {**entries.get(name, {}), **mapping(entry, f"{where}.{name}")}
    return entries


def _read(entry: Mapping[str, Any], kind: type[Any], where: str) -> Any:
    try:
        return msgspec.convert(entry, kind)
    except msgspec.ValidationError as error:
        raise SettingsError(f"registry {where}: {error}") from error
