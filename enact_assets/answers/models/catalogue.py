"""The catalogue of models: the packaged registry, and what a data root's ``models.yaml`` adds.

An entry of the user's file changes the fields it sets and adds models that are new. Entries are
merged before they are read, so a price can be given to a packaged model in one line.
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property, lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from enact_assets.answers.models.entries import OVER_HTTP, Model, ModelEntry, Provider, Spending
from enact_assets.answers.models.wires import WIRES
from enact_assets.engine.errors import SettingsError, UnknownNameError
from enact_assets.engine.package_files import file_bytes
from enact_assets.settings.classes import JOINT, captioner_and_reader, is_partition_name, twins
from enact_assets.settings.entries import mapping, named_entries, parse_yaml, read_text

PACKAGED = Path(__file__).with_name("models.yaml")
GROUP = "enact_assets.models"
"""Group of entry points; the name of one is the name of a model, its object a Python class."""
USER_FILE = "models.yaml"
"""Name of the user's file in a data root."""
_ENDPOINT = re.compile(
    r"(/(chat/)?completions|(?<=/v1)/(responses|messages)|/models|/v1beta/models/[^/]*|/images/\w+)$"
)
"""What users copy with an address: a path that each request adds, or one of the same API. A gateway
may have an address for each model, such as ``/models/qwen``.
"""
_SLASH = "+"
"""Stands for ``/`` in names of partitions, which cannot hold one; the first becomes ``:``."""


class Catalogue:
    """All known models: packaged ones, those of the user's file, and any id of a known provider."""

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

        Errors: :class:`UnknownNameError` for any other text, :class:`SettingsError` for an id that
        cannot name a partition.
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
        """A model whose answers were imported, with the fields of an entry with its name."""
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
        if channel in OVER_HTTP and not base_url.startswith(("http://", "https://")):
            raise SettingsError(
                f"model {name}: base_url {base_url!r} must begin with http:// or https://, such as "
                "http://127.0.0.1:8000/v1. Set it in models.yaml"
            )
        if channel in OVER_HTTP and (path := _path_in(base_url, channel)):
            raise SettingsError(
                f"model {name}: base_url {base_url!r} must end before {path!r}: requests add the "
                f"path. Write {base_url.removesuffix(path)!r} in models.yaml"
            )
        if entry.version is not None and channel != "python":
            raise SettingsError(
                f"model {name}: `version` is that of a Python class (`id: python/...`). Any other "
                "model is known by its id and `parameters`"
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


def _path_in(base_url: str, channel: str) -> str | None:
    """What ``base_url`` ends with that requests add to it."""
    wire = WIRES.get(channel)
    if wire is not None and base_url.endswith(wire.path):
        return wire.path
    found = _ENDPOINT.search(base_url)
    if found is not None:
        return found[0]
    version = "" if wire is None else f"/{wire.path.split('/')[1]}"
    is_added = version.startswith("/v1") and base_url.endswith(version)
    return version if is_added else None


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
    """The models of the data root ``root``.

    Errors: :class:`SettingsError` names file, entry and field of what is wrong.
    """
    user = root / USER_FILE
    text = read_text(user) if user.exists() else ""
    return _catalogue(text, user)


@lru_cache(maxsize=4)
def _catalogue(text: str, user: Path) -> Catalogue:
    packaged = _packaged()
    given = _parts(text, user)
    providers = _merged(packaged["providers"], given["providers"], f"{user}: providers")
    offered = {name: {"id": f"python/{where}"} for name, where in entry_points().items()}
    models = _merged({**packaged["models"], **offered}, given["models"], f"{user}: models")
    for name in filter(captioner_and_reader, models):
        raise SettingsError(
            f"{user}: models: {name!r} would mean a captioner and a reader together: choose a name "
            f"without {JOINT}"
        )
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


@cache
def _packaged() -> dict[str, dict[str, Any]]:
    return _parts(file_bytes(PACKAGED).decode(), PACKAGED)


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
    for name, other in twins(entries).items():
        raise SettingsError(
            f"{where}: {name!r} differs from {other!r} in case only, a packaged name; write "
            f"{other!r} to change that entry, or another name"
        )
    return entries


def _read(entry: Mapping[str, Any], kind: type[Any], where: str) -> Any:
    try:
        return msgspec.convert(entry, kind)
    except msgspec.ValidationError as error:
        raise SettingsError(f"registry {where}: {error}") from error
