"""The registry: one YAML file that names every gating, variant, question setting and partition.

``ENACT_REGISTRY`` may point to another file. Each entry is resolved (defaults filled in, profile
constants written out) before it is hashed, so that a changed constant changes what depends on it.
"""

import dataclasses
import math
import os
import reprlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml

from enact_assets.contracts.errors import SettingsError, UnknownNameError
from enact_assets.contracts.predicates import CONTACT_PREDICATES, STATE_PREDICATES
from enact_assets.contracts.profile import PROFILES
from enact_assets.contracts.settings import (
    EFFORTS,
    IGNORED,
    KNOWN,
    LIMITS,
    MAX_NAME_CHARACTERS,
    AppearanceSettings,
    CameraSettings,
    Gating,
    QuestionSettings,
    RendererSettings,
    Variant,
    is_partition_name,
    settings_sha,
)

__all__ = [
    "BASELINE",
    "DEFAULT_REGISTRY",
    "AppearanceSettings",
    "CameraSettings",
    "Gating",
    "QuestionSettings",
    "Registry",
    "RendererSettings",
    "Variant",
    "load_registry",
    "registry_path",
    "settings_sha",
]

BASELINE = "baseline"
DEFAULT_REGISTRY = Path(__file__).parents[1] / "registry.yaml"
MAX_SCALAR_CHARACTERS = 200

_SHORT = reprlib.Repr()
_SHORT.maxstring = 80
Settings = TypeVar(
    "Settings", CameraSettings, RendererSettings, AppearanceSettings, QuestionSettings
)


@dataclass(frozen=True)
class Registry:
    """Everything that has a name. ``gatings`` and ``variants`` are keyed by it."""

    gatings: dict[str, Gating]
    variants: dict[str, Variant]
    questions: QuestionSettings
    demonstrations: tuple[str, ...]
    models: tuple[str, ...]
    demo: Mapping[str, tuple[str, ...]]
    """Dimension -> the names that a first look makes do with; of one that is not in it, all."""

    def gating(self, name: str) -> Gating:
        """The gating called ``name``; raises :class:`UnknownNameError`."""
        if name not in self.gatings:
            raise UnknownNameError.of("gating", name, self.gatings)
        return self.gatings[name]

    def variant(self, name: str) -> Variant:
        """The variant called ``name``; raises :class:`UnknownNameError`."""
        if name not in self.variants:
            raise UnknownNameError.of("variant", name, self.variants)
        return self.variants[name]


def registry_path() -> Path:
    """The registry file in force: ``ENACT_REGISTRY`` unless it is unset or empty."""
    return Path(os.environ.get("ENACT_REGISTRY") or DEFAULT_REGISTRY)


def load_registry(path: Path | None = None) -> Registry:
    """Read and resolve the registry.

    Errors: :class:`SettingsError` names file, entry and field for a file that cannot be read,
    invalid YAML, a key given twice, an unknown or missing field, a value of the wrong type or out
    of range (also after the renderer mode multiplied it), a camera setting that the projection
    ignores, a name that cannot be a partition's, or no ``baseline`` variant;
    :class:`UnknownNameError` also lists the known names of a gating, profile, projection,
    renderer mode, robot appearance or wording.
    """
    path = path or registry_path()
    parts = ("gatings", "variants", "questions", "demonstrations", "models")
    raw = _mapping(_read(path), str(path), known=(*parts, "demo"), required=parts)
    gatings = {
        name: _gating(name, entry, f"{path}: gatings.{name}")
        for name, entry in _named_entries(raw["gatings"], f"{path}: gatings").items()
    }
    variants = _variants(raw["variants"], gatings, f"{path}: variants")
    named = {part: _names(raw[part], f"{path}: {part}") for part in ("demonstrations", "models")}
    return Registry(
        gatings,
        variants,
        _questions(raw["questions"], gatings, f"{path}: questions"),
        named["demonstrations"],
        named["models"],
        _demo(raw.get("demo", {}), {**named, "variants": tuple(variants)}, f"{path}: demo"),
    )


class _StrictLoader(yaml.SafeLoader):
    """Refuses what PyYAML lets pass in silence: of a key given twice it takes the last value.

    Checked while composing, because constructing a mapping merges the keys of ``<<`` into it.
    """

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        first_lines: dict[tuple[str, str], int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue  # a list or mapping as key: refused by the constructor
            name, mark = (key.tag, key.value), key.start_mark
            if name in first_lines:
                problem = f"key {key.value!r} stands twice, first in line {first_lines[name]}"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
            first_lines[name] = mark.line + 1
        return node

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        node = super().compose_scalar_node(anchor)
        # Also keeps integers printable: Python refuses to write out more than 4300 digits.
        if len(node.value) > MAX_SCALAR_CHARACTERS:
            problem = f"a value of more than {MAX_SCALAR_CHARACTERS} characters"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
        return node


def _read(path: Path) -> Any:
    try:
        return yaml.load(path.read_text(encoding="utf-8"), _StrictLoader)  # noqa: S506 - a SafeLoader
    except OSError as error:
        raise SettingsError(f"registry {path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"registry {path}: not a text file in UTF-8 (byte {error.start}: {error.reason})"
        ) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f"line {mark.line + 1}: " if mark else ""
        raise SettingsError(f"registry {path}: not valid YAML: {line}{error.problem}") from error
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError) as error:
        # Not only YAMLError: PyYAML trips over a month 13, or a tag that does not fit its value.
        text = " ".join(str(error).split())
        raise SettingsError(f"registry {path}: not valid YAML: {text}") from error


def _gating(name: str, entry: Any, where: str) -> Gating:
    fields, floor = ("profile", "contact"), "embedded_min_visible_fraction"
    entry = _mapping(entry, where, known=(*fields, floor), required=fields)
    profile = _one_of("profile", entry["profile"], PROFILES, f"{where}.profile")
    if not isinstance(entry["contact"], bool):
        raise _wrong(f"{where}.contact", "expected true or false", entry["contact"])
    if PROFILES[profile].release is not None:
        if not entry["contact"]:
            wanted = f"expected true, as profile {profile!r} counts every state that was recorded"
            raise _wrong(f"{where}.contact", wanted, entry["contact"])
        if entry.get(floor) is not None:
            raise _wrong(f"{where}.{floor}", f"profile {profile!r} has a rule of its own",
                         entry[floor])  # fmt: skip
        return Gating(name, PROFILES[profile], ())
    predicates = CONTACT_PREDICATES if entry["contact"] else STATE_PREDICATES
    given = entry.get(floor)
    fraction = None if given is None else _value(floor, given, 0.0, f"{where}.{floor}")
    return Gating(name, PROFILES[profile], predicates, fraction)


def _variants(entry: Any, gatings: dict[str, Gating], where: str) -> dict[str, Variant]:
    entries = _named_entries(entry, where)
    if BASELINE not in entries:
        raise SettingsError(f"registry {where}: there is no {BASELINE!r}, which others build on")
    _mapping(entries[BASELINE], f"{where}.{BASELINE}", required=("gating",))
    # First of all, so that an error in it is reported as its own.
    base = _variant(entries[BASELINE], Variant(BASELINE, ""), gatings, f"{where}.{BASELINE}")
    variants = {}
    for name, given in entries.items():
        found = _variant(given, base, gatings, f"{where}.{name}")
        looks = [(v.camera, v.renderer, v.appearance) for v in (found, base)]
        # Part of the entry, so that a baseline that changes makes it another one.
        variants[name] = dataclasses.replace(found, name=name, is_as_recorded=looks[0] == looks[1])
    return variants


def _variant(entry: Any, base: Variant, gatings: dict[str, Gating], where: str) -> Variant:
    """``base`` with what ``entry`` sets."""
    entry = _mapping(entry, where, known=("gating", "camera", "renderer", "appearance"))
    found = dataclasses.replace(
        base,
        gating=_one_of("gating", entry.get("gating", base.gating), gatings, f"{where}.gating"),
        camera=_changed(base.camera, entry.get("camera", {}), f"{where}.camera"),
        renderer=_changed(base.renderer, entry.get("renderer", {}), f"{where}.renderer"),
        appearance=_changed(base.appearance, entry.get("appearance", {}), f"{where}.appearance"),
    )
    for name in IGNORED.get(found.camera.projection, ()):
        if name in entry.get("camera", {}):
            wanted = f"projection {found.camera.projection!r} ignores it; leave it out"
            raise _wrong(f"{where}.camera.{name}", wanted, entry["camera"][name])
    _check_effort(found.renderer, f"{where}.renderer")
    return found


def _check_effort(renderer: RendererSettings, where: str) -> None:
    """Limits hold for what is traced, and a mode may multiply what is set."""
    traced = EFFORTS[renderer.mode].of(renderer)
    for name in ("path_depth", "samples"):
        value, given, most = getattr(traced, name), getattr(renderer, name), int(LIMITS[name][1])
        if value > most:
            wanted = (
                f"mode {renderer.mode!r} multiplies it by {value // given} to {value}, and at most "
                f"{most} are traced: at most {most * given // value} here"
            )
            raise _wrong(f"{where}.{name}", wanted, given)


def _questions(entry: Any, gatings: dict[str, Gating], where: str) -> QuestionSettings:
    questions = _changed(QuestionSettings(), entry, where)
    asked, probed = questions.question_set_per_stratum, questions.probe_set_per_stratum
    if probed > asked:
        # The probe set lies within the question set.
        wanted = f"must not be above question_set_per_stratum ({asked})"
        raise _wrong(f"{where}.probe_set_per_stratum", wanted, probed)
    lengths = questions.probe_lengths
    if not lengths or len(set(lengths)) < len(lengths):
        raise _wrong(f"{where}.probe_lengths", "expected one or more different lengths", lengths)
    for gating in gatings.values():
        possible = gating.profile.lengths
        for length in lengths:
            if length not in possible:
                wanted = f"gating {gating.name!r} has lengths {possible[0]} to {possible[-1]}"
                raise _wrong(f"{where}.probe_lengths", wanted, length)
    return questions


def _demo(
    entry: Any, named: Mapping[str, tuple[str, ...]], where: str
) -> dict[str, tuple[str, ...]]:
    """What of ``named`` (part of the registry -> its names) a first look makes do with."""
    chosen = {}
    for part, names in _mapping(entry, where, known=named).items():
        known, dimension = named[part], part.removesuffix("s")
        chosen[dimension] = _names(names, f"{where}.{part}")
        for name in chosen[dimension]:
            _one_of(dimension, name, known, f"{where}.{part}")
    return chosen


def _changed(base: Settings, entry: Any, where: str) -> Settings:
    """``base`` with the fields that ``entry`` sets, each checked for type and range."""
    defaults = {field.name: getattr(base, field.name) for field in dataclasses.fields(base)}
    entry = _mapping(entry, where, known=defaults)
    values = {name: _value(name, v, defaults[name], f"{where}.{name}") for name, v in entry.items()}
    return dataclasses.replace(base, **values)


def _value(name: str, value: Any, default: object, where: str) -> Any:
    if isinstance(default, str):
        return _one_of(name, value, KNOWN[name], where)
    if isinstance(default, tuple):
        if not isinstance(value, list) or not all(type(v) is int for v in value):
            raise _wrong(where, "expected a list of whole numbers", value)
        return tuple(value)
    # By exact type: to isinstance, true and false are whole numbers.
    if type(value) is not int and (isinstance(default, int) or type(value) is not float):
        kind = "whole number" if isinstance(default, int) else "number"
        raise _wrong(where, f"expected a {kind}", value)
    least, greatest = LIMITS[name]
    if not least <= value <= greatest:  # in these words NaN is out of range too
        span = f"from {least} to {greatest}" if greatest < math.inf else f"{least} or more"
        raise _wrong(where, f"must be {span}", value)
    return float(value) if isinstance(default, float) else value


def _wrong(where: str, wanted: str, value: object) -> SettingsError:
    return SettingsError(f"registry {where}: {wanted}; found {_SHORT.repr(value)}")


def _one_of(what: str, value: Any, known: Collection[str], where: str) -> str:
    if not isinstance(value, str):
        raise _wrong(where, f"expected one of {', '.join(sorted(known))}", value)
    if value not in known:
        raise UnknownNameError.of(what, value, known, f"Correct registry {where}.")
    return value


def _mapping(
    entry: Any, where: str, known: Collection[str] = (), required: Collection[str] = ()
) -> dict[str, Any]:
    """``entry`` if it maps text to anything, with the ``required`` keys and only ``known`` ones."""
    if not isinstance(entry, dict):
        raise _wrong(where, "expected a mapping", entry)
    for key in entry:
        if not isinstance(key, str):
            raise _wrong(where, "a key must be text (put it in quotes)", key)
        if known and key not in known:
            raise SettingsError(f"registry {where}: unknown {key!r} (known: {', '.join(known)})")
    missing = [key for key in required if key not in entry]
    if missing:
        raise SettingsError(f"registry {where}: {missing[0]!r} is missing")
    return entry


def _named_entries(entry: Any, where: str) -> dict[str, Any]:
    return {_name(key, where): value for key, value in _mapping(entry, where).items()}


def _names(entry: Any, where: str) -> tuple[str, ...]:
    if not isinstance(entry, list):
        raise _wrong(where, "expected a list of names", entry)
    names = tuple(_name(name, where) for name in entry)
    for index, name in enumerate(names):
        if name in names[:index]:
            raise SettingsError(f"registry {where}: {name!r} stands twice; delete one")
    return names


def _name(name: Any, where: str) -> str:
    if not isinstance(name, str) or not is_partition_name(name):
        rule = (
            "a name has letters, digits and _.:+@- only, starts with a letter, digit or _, has no "
            f"'..' and at most {MAX_NAME_CHARACTERS} characters"
        )
        raise _wrong(where, rule, name)
    return name
