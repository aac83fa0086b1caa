"""The registry: one YAML file that names every gating, variant, question setting and partition.

``ENACT_REGISTRY`` may point to another file. Each entry is resolved (defaults and profile constants
filled in) before it is hashed, so that a changed constant makes everything stale that depends on
it.
"""

import dataclasses
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from enact_assets.engine.errors import SettingsError, UnknownNameError
from enact_assets.settings.classes import (
    ALL,
    EFFORTS,
    EMBEDDED,
    IGNORED,
    KNOWN,
    LIMITS,
    LLVM,
    NATURAL,
    PROBE,
    AppearanceSettings,
    CameraSettings,
    Gating,
    NoiseSettings,
    QuestionSetSettings,
    QuestionSettings,
    RendererSettings,
    Variant,
    settings_sha,
    world_source_of,
)
from enact_assets.settings.demo_entries import demo_of
from enact_assets.settings.entries import (
    changed,
    checked_value,
    mapping,
    name_list,
    named_entries,
    one_of,
    parse_yaml,
    read_text,
    wrong,
)
from enact_assets.settings.gating_entries import gating_of
from enact_assets.settings.profile import Profile
from enact_assets.settings.question_entries import question_sets_of, questions_of
from enact_assets.settings.variant_entries import asks_of, editing_of, sources_of, with_prompts
from enact_assets.settings.world import EMBEDDED_WORLD, world_name
from enact_assets.settings.world_entries import WorldEntry, world_of

__all__ = [
    "BASELINE",
    "DEFAULT_REGISTRY",
    "AppearanceSettings",
    "CameraSettings",
    "Gating",
    "NoiseSettings",
    "QuestionSetSettings",
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

_FIELDS = (
    "gating",
    "question_set",
    "asks",
    "sources",
    "camera",
    "renderer",
    "appearance",
    "wording",
    "prompts",
    "noise",
    "editing",
    "mirrored",
)
_LOOKS = ("camera", "renderer", "appearance")
_AS_WRITTEN = {
    "wording": "set questions.wording, or give the wording to another variant",
    "noise": "give it to another variant",
    "prompts": "give them to another variant",
    "editing": "give it to another variant",
    "mirrored": "give it to another variant",
}
"""What the baseline cannot set, and what to do instead."""


@dataclass(frozen=True)
class Registry:
    """All named entries. ``gatings``, ``question_sets`` and ``variants`` are keyed by name.

    Each gating has a question set with its name, which covers all its demonstrations; a variant
    that names a gating uses that set.
    """

    gatings: dict[str, Gating]
    question_sets: dict[str, QuestionSetSettings]
    variants: dict[str, Variant]
    questions: QuestionSettings
    demonstrations: tuple[str, ...]
    models: tuple[str, ...]
    demo: Mapping[str, tuple[str, ...]]
    """Dimension -> the names that a first look makes; in other dimensions all names."""
    world: WorldEntry
    prompt_files: Mapping[Path, str] = field(default_factory=dict)
    """Files of prompts that variants name -> their text."""
    loaded_worlds: tuple[str, ...] | None = None
    """World sources whose partitions Dagster knows; None: all."""

    @property
    def named(self) -> Mapping[str, Mapping[str, Any]]:
        """Dimension -> name -> entry, for dimensions whose names come only from the registry."""
        return {
            "gating": self.gatings,
            "question_set": self.question_sets,
            "variant": self.variants,
        }

    def entry(self, dimension: str, name: str) -> Any:
        """The entry called ``name``; raises :class:`UnknownNameError`."""
        entries = self.named[dimension]
        if name not in entries and (source := world_source_of(name)):
            entries = self.with_worlds([source]).named[dimension]
        if name not in entries:
            raise UnknownNameError.of(dimension.replace("_", " "), name, entries)
        return entries[name]

    def with_questions(self, question_files: Collection[str]) -> "Registry":
        """The registry without gatings and variants whose question file is not in
        ``question_files``, and without sets and variants of these gatings: a data root without
        question files has none of them.
        """
        gatings = {
            name: gating
            for name, gating in self.gatings.items()
            if gating.question_file is None or gating.takes(question_files)
        }
        sets = {n: s for n, s in self.question_sets.items() if s.gating in gatings}
        variants = {
            n: v
            for n, v in self.variants.items()
            if v.gating in gatings and v.is_in(question_files)
        }
        return dataclasses.replace(self, gatings=gatings, question_sets=sets, variants=variants)

    def with_worlds(self, world_sources: Iterable[str]) -> "Registry":
        """The registry with a question set and a variant for each of ``world_sources``; its
        settings are those of the baseline. Of films of people there are no key frames.
        """
        base = self.variants[BASELINE]
        sets, variants = dict(self.question_sets), dict(self.variants)
        for source in world_sources:
            name = world_name(source)
            if self.loaded_worlds is not None and source not in self.loaded_worlds:
                continue
            sources = (EMBEDDED,) if source == EMBEDDED_WORLD else ()
            sets[name] = QuestionSetSettings(name, base.gating)
            variants[name] = dataclasses.replace(
                base, name=name, question_set=name, asks=ALL, sources=sources
            )
        return dataclasses.replace(self, question_sets=sets, variants=variants)

    def gating(self, name: str) -> Gating:
        """The gating called ``name``; raises :class:`UnknownNameError`."""
        found: Gating = self.entry("gating", name)
        return found

    def variant(self, name: str) -> Variant:
        """The variant called ``name``; raises :class:`UnknownNameError`."""
        found: Variant = self.entry("variant", name)
        return found


def registry_path() -> Path:
    """The registry file in force: ``ENACT_REGISTRY`` unless it is unset or empty."""
    return Path(os.environ.get("ENACT_REGISTRY") or DEFAULT_REGISTRY)


def load_registry(path: Path | None = None) -> Registry:
    """Read and resolve the registry.

    Errors: :class:`SettingsError` names file, entry and field for a file that cannot be read,
    invalid YAML, a key given twice, an unknown or missing field, a value of the wrong type or out
    of range (also after the renderer mode multiplied it), a setting that a different one makes
    meaningless, wording or noise where there can be none (the baseline, profile ``release``), a
    name that cannot be a partition's, or no ``baseline`` variant;
    :class:`UnknownNameError` also lists the known names of a gating, profile, projection,
    renderer mode, robot appearance or wording.
    """
    path = path or registry_path()
    text = read_text(path)
    found = _registry_of(text, path)
    if any(read_text(file) != known for file, known in found.prompt_files.items()):
        _registry_of.cache_clear()
        found = _registry_of(text, path)
    return found


@lru_cache(maxsize=4)
def _registry_of(text: str, path: Path) -> Registry:
    """Cached, as every step reads the registry, and parsing takes 10 ms."""
    parts = ("gatings", "variants", "questions", "demonstrations", "models")
    optional = ("question_sets", "demo", "worldprediction")
    raw = mapping(parse_yaml(text, path), str(path), known=(*parts, *optional), required=parts)
    gatings = {
        name: gating_of(name, entry, f"{path}: gatings.{name}")
        for name, entry in named_entries(raw["gatings"], f"{path}: gatings").items()
    }
    questions = questions_of(raw["questions"], gatings, f"{path}: questions")
    where = f"{path}: question_sets"
    sets = question_sets_of(raw.get("question_sets", {}), gatings, questions, where)
    variants = _variants(raw["variants"], gatings, sets, questions.wording, f"{path}: variants")
    variants, prompt_files = with_prompts(variants, raw["variants"], gatings, path)
    named = {part: name_list(raw[part], f"{path}: {part}") for part in ("demonstrations", "models")}
    return Registry(
        gatings,
        sets,
        variants,
        questions,
        named["demonstrations"],
        named["models"],
        demo_of(raw.get("demo", {}), {**named, "variants": tuple(variants)}, f"{path}: demo"),
        world_of(raw.get("worldprediction", {}), f"{path}: worldprediction"),
        prompt_files,
    )


def _variants(
    entry: Any,
    gatings: dict[str, Gating],
    sets: dict[str, QuestionSetSettings],
    wording: str,
    where: str,
) -> dict[str, Variant]:
    """All variants; ``wording`` is that of the questions as they are written."""
    entries = named_entries(entry, where)
    if BASELINE not in entries:
        raise SettingsError(
            f"registry {where}: {BASELINE!r} is missing; other variants build on it"
        )
    # The baseline is read first, so that an error in it is reported as its own.
    first = f"{where}.{BASELINE}"
    given = mapping(entries[BASELINE], first)
    if "gating" not in given and "question_set" not in given:
        mapping(given, first, required=("gating",))
    for name, instead in _AS_WRITTEN.items():
        if name in given:
            wanted = f"the baseline asks questions unchanged: {instead}"
            raise wrong(f"{first}.{name}", wanted, given[name])
    base = _variant(given, Variant(BASELINE, "", wording=wording, asks=ALL), gatings, sets, first)
    if gatings[base.gating].question_file is not None:
        wanted = "the baseline asks questions of ours; ask those of a file under another variant"
        raise wrong(f"{first}.gating", wanted, base.gating)
    if (base.renderer.backend == LLVM) != bool(base.renderer.llvm_version):
        wanted = "backend llvm, and no other, has the major version of LLVM here, such as 19"
        raise wrong(f"{first}.renderer.llvm_version", wanted, base.renderer.llvm_version)
    variants = {BASELINE: base}
    # Other variants ask all of the baseline's questions only if they say so, as their questions are
    # bought again.
    of_others = dataclasses.replace(base, asks=PROBE)
    for name, given in entries.items():
        found = base
        if name != BASELINE:
            found = _variant(given, of_others, gatings, sets, f"{where}.{name}")
        if _backend(found) != _backend(base):
            wanted = f"one backend makes all pictures that are compared; set it in {BASELINE}"
            raise wrong(f"{where}.{name}.renderer.backend", wanted, _backend(found))
        looks = [(v.camera, v.renderer, v.appearance) for v in (found, base)]
        if found.is_imported and looks[0] != looks[1]:
            wanted = "pictures come with imported questions; set no camera, renderer or appearance"
            raise wrong(f"{where}.{name}", wanted, sorted(set(given) & {*_LOOKS}))
        if found.editing is not None and (found.is_imported or looks[0] != looks[1]):
            wanted = "an image model repaints the baseline's pictures; set no other look"
            raise wrong(f"{where}.{name}.editing", wanted, found.editing.model)
        if found.editing is not None and found.is_mirrored:
            wanted = "an image model repaints the baseline's pictures as they are; leave it out"
            raise wrong(f"{where}.{name}.mirrored", wanted, found.is_mirrored)
        # The baseline's settings are part of the entry, so that a changed baseline changes it.
        variants[name] = dataclasses.replace(found, name=name, is_as_recorded=looks[0] == looks[1])
    return variants


def _asked_set(
    entry: Mapping[str, Any],
    base: Variant,
    gatings: dict[str, Gating],
    sets: dict[str, QuestionSetSettings],
    where: str,
) -> QuestionSetSettings:
    """The set that ``entry`` names, or that of the gating it names; otherwise that of ``base``."""
    if "gating" in entry and "question_set" in entry:
        wanted = "a question set has one gating; leave this out"
        raise wrong(f"{where}.gating", wanted, entry["gating"])
    if "question_set" in entry:
        name = one_of("question set", entry["question_set"], sets, f"{where}.question_set")
    elif "gating" in entry:
        name = one_of("gating", entry["gating"], gatings, f"{where}.gating")
    else:
        name = base.question_set
    return sets[name]


def _variant(
    entry: Any,
    base: Variant,
    gatings: dict[str, Gating],
    sets: dict[str, QuestionSetSettings],
    where: str,
) -> Variant:
    """``base`` with what ``entry`` sets."""
    entry = mapping(entry, where, known=_FIELDS)
    asked = _asked_set(entry, base, gatings, sets, where)
    # Questions of a file keep their wording, whatever the baseline's wording is.
    has_file = gatings[asked.gating].question_file is not None
    wording = entry.get("wording", NATURAL if has_file else base.wording)
    profile = gatings[asked.gating].profile
    found = dataclasses.replace(
        base,
        gating=asked.gating,
        is_imported=has_file,
        question_set=asked.name,
        asks=asks_of(entry.get("asks", base.asks), profile.lengths, f"{where}.asks"),
        sources=sources_of(entry.get("sources", list(base.sources)), f"{where}.sources"),
        camera=changed(base.camera, entry.get("camera", {}), f"{where}.camera"),
        renderer=changed(base.renderer, entry.get("renderer", {}), f"{where}.renderer"),
        appearance=changed(base.appearance, entry.get("appearance", {}), f"{where}.appearance"),
        wording=one_of("wording", wording, KNOWN["wording"], f"{where}.wording"),
        noise=changed(base.noise, entry.get("noise", {}), f"{where}.noise"),
        editing=editing_of(entry["editing"], f"{where}.editing") if "editing" in entry else None,
        is_mirrored=checked_value(
            "mirrored", entry.get("mirrored", False), default=False, where=f"{where}.mirrored"
        ),
    )
    for name in IGNORED.get(found.camera.projection, ()):
        if name in entry.get("camera", {}):
            wanted = f"projection {found.camera.projection!r} ignores it; leave it out"
            raise wrong(f"{where}.camera.{name}", wanted, entry["camera"][name])
    _check_effort(found.renderer, f"{where}.renderer")
    _check_telling(found, entry, profile, where)
    return found


def _backend(variant: Variant) -> tuple[str, int]:
    return variant.renderer.backend, variant.renderer.llvm_version


def _check_telling(
    variant: Variant, entry: Mapping[str, Any], profile: Profile, where: str
) -> None:
    """Wording and noise, if the profile allows them."""
    if "seed" in entry.get("noise", {}) and not variant.noise.rate:
        wanted = "at rate 0 nothing is drawn; leave it out"
        raise wrong(f"{where}.noise.seed", wanted, entry["noise"]["seed"])
    if not profile.has_own_words:
        return
    if variant.is_mirrored:
        wanted = f"profile {profile.name!r} has words that cannot be mirrored; leave it out"
        raise wrong(f"{where}.mirrored", wanted, variant.is_mirrored)
    wanted = f"profile {profile.name!r} asks in the public release's own wording"
    if variant.wording != NATURAL:
        raise wrong(f"{where}.wording", wanted, variant.wording)
    if variant.noise.rate:
        raise wrong(f"{where}.noise.rate", wanted, variant.noise.rate)


def _check_effort(renderer: RendererSettings, where: str) -> None:
    """Limits apply after the renderer mode has multiplied the settings."""
    traced = EFFORTS[renderer.mode].of(renderer)
    for name in ("path_depth", "samples"):
        value, given, most = getattr(traced, name), getattr(renderer, name), int(LIMITS[name][1])
        if value > most:
            wanted = f"mode {renderer.mode!r} multiplies it by {value // given} to {value}, and "
            wanted += f"at most {most} are traced: at most {most * given // value} here"
            raise wrong(f"{where}.{name}", wanted, given)
