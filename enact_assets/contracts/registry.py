"""The registry: one YAML file that names every gating, variant, question setting and partition.

``ENACT_REGISTRY`` may point to another file. Each entry is resolved (defaults filled in, profile
constants written out) before it is hashed, so that a changed constant changes what depends on it.
"""

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml

from enact_assets.contracts.errors import SettingsError, UnknownNameError
from enact_assets.contracts.ids import content_sha
from enact_assets.contracts.predicates import CONTACT_PREDICATES, STATE_PREDICATES
from enact_assets.contracts.profile import Profile, profile

BASELINE = "baseline"
DEFAULT_REGISTRY = Path(__file__).parents[1] / "registry.yaml"
T = TypeVar("T")


@dataclass(frozen=True)
class Gating:
    """Which predicates make key frames, under which constants."""

    name: str
    profile: Profile
    predicates: tuple[str, ...]


@dataclass(frozen=True)
class CameraSettings:
    """Head camera. Field of view is 2 atan(aperture / (2 focal length)) in both directions."""

    projection: str = "pinhole"
    aperture_mm: float = 40.0
    focal_length_mm: float = 17.0
    height_offset_m: float = 0.0


@dataclass(frozen=True)
class RendererSettings:
    """Path tracing depth (bounces), samples per pixel before denoising, picture edge in pixels."""

    path_depth: int = 4
    samples: int = 4
    size_px: int = 512


@dataclass(frozen=True)
class AppearanceSettings:
    """How the robot looks."""

    robot: str = "black_and_white"


@dataclass(frozen=True)
class Variant:
    """One named setting of everything a probe may vary."""

    name: str
    gating: str
    camera: CameraSettings = CameraSettings()
    renderer: RendererSettings = RendererSettings()
    appearance: AppearanceSettings = AppearanceSettings()


@dataclass(frozen=True)
class QuestionSettings:
    """How many questions are written and asked, and how actions are worded."""

    seed: int = 0
    wording: str = "natural"
    trajectories_per_length: int = 30
    question_set_per_stratum: int = 560
    probe_set_per_stratum: int = 50
    probe_lengths: tuple[int, ...] = (3, 6, 9)


@dataclass(frozen=True)
class Registry:
    """Everything that has a name. ``gatings`` and ``variants`` are keyed by it."""

    gatings: dict[str, Gating]
    variants: dict[str, Variant]
    questions: QuestionSettings
    demonstrations: tuple[str, ...]
    models: tuple[str, ...]

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


def settings_sha(settings: object) -> str:
    """Hash of a resolved settings object (a dataclass), the data version of its config root."""
    return content_sha(dataclasses.asdict(settings))  # type: ignore[call-overload]


def registry_path() -> Path:
    """The registry file in force."""
    return Path(os.environ.get("ENACT_REGISTRY", DEFAULT_REGISTRY))


def load_registry(path: Path | None = None) -> Registry:
    """Read and resolve the registry.

    Errors: :class:`SettingsError` names file, entry and field for a missing file, invalid YAML, an
    unknown field, a value of the wrong type or out of range, or no ``baseline`` variant.
    """
    path = path or registry_path()
    try:
        raw = yaml.safe_load(path.read_text())
    except OSError as error:
        raise SettingsError(f"registry {path}: cannot be read ({error.strerror})") from error
    except yaml.YAMLError as error:
        raise SettingsError(f"registry {path}: not valid YAML: {error}") from error
    parts = ("gatings", "variants", "questions", "demonstrations", "models")
    if not isinstance(raw, dict) or set(raw) != set(parts):
        found = sorted(raw) if isinstance(raw, dict) else type(raw).__name__
        raise SettingsError(f"registry {path}: expected exactly {list(parts)}, found {found}")
    gatings = {
        name: _gating(name, entry, f"{path}: gatings.{name}")
        for name, entry in _mapping(raw["gatings"], f"{path}: gatings").items()
    }
    variants = _variants(_mapping(raw["variants"], f"{path}: variants"), gatings, path)
    questions = _build(QuestionSettings, raw["questions"], f"{path}: questions")
    return Registry(
        gatings,
        variants,
        dataclasses.replace(questions, probe_lengths=tuple(questions.probe_lengths)),
        _names(raw["demonstrations"], f"{path}: demonstrations"),
        _names(raw["models"], f"{path}: models"),
    )


def _gating(name: str, entry: Any, where: str) -> Gating:
    entry = _mapping(entry, where)
    if set(entry) != {"profile", "contact"} or not isinstance(entry.get("contact"), bool):
        raise SettingsError(f"registry {where}: expected profile: NAME, contact: true|false")
    predicates = CONTACT_PREDICATES if entry["contact"] else STATE_PREDICATES
    return Gating(name, profile(entry["profile"]), predicates)


def _variants(
    entries: dict[str, Any], gatings: dict[str, Gating], path: Path
) -> dict[str, Variant]:
    if BASELINE not in entries:
        raise SettingsError(f"registry {path}: variants has no {BASELINE!r}")
    base = _mapping(entries[BASELINE], f"{path}: variants.{BASELINE}")
    parts: dict[str, type] = {
        "camera": CameraSettings,
        "renderer": RendererSettings,
        "appearance": AppearanceSettings,
    }
    variants = {}
    for name, given in entries.items():
        where = f"{path}: variants.{name}"
        entry = _mapping(given, where)
        unknown = sorted(set(entry) - {"gating", *parts})
        if unknown:
            raise SettingsError(f"registry {where}: unknown setting {unknown[0]!r}")
        gating = entry.get("gating", base.get("gating"))
        if gating not in gatings:
            raise UnknownNameError.of("gating", str(gating), gatings, f"Named by {where}.")
        built: dict[str, Any] = {
            part: _build(
                kind,
                {**base.get(part, {}), **_mapping(entry.get(part, {}), where)},
                f"{where}.{part}",
            )
            for part, kind in parts.items()
        }
        variants[name] = Variant(name, gating, **built)
        _check_variant(variants[name], where)
    return variants


def _check_variant(variant: Variant, where: str) -> None:
    camera, renderer = variant.camera, variant.renderer
    positive = {
        "camera.aperture_mm": camera.aperture_mm,
        "camera.focal_length_mm": camera.focal_length_mm,
        "renderer.path_depth": renderer.path_depth,
        "renderer.samples": renderer.samples,
        "renderer.size_px": renderer.size_px,
    }
    for field, value in positive.items():
        if not value > 0:
            raise SettingsError(f"registry {where}.{field}: must be above 0, is {value}")


def _build(kind: type[T], entry: Any, where: str) -> T:
    entry = _mapping(entry, where)
    fields = {f.name: f for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    for name, value in entry.items():
        if name not in fields:
            raise SettingsError(
                f"registry {where}: unknown setting {name!r} (known: {', '.join(fields)})"
            )
        default = fields[name].default
        wanted: tuple[type, ...] = {float: (int, float), tuple: (list, tuple)}.get(
            type(default), (type(default),)
        )
        if not isinstance(value, wanted) or isinstance(value, bool):
            raise SettingsError(
                f"registry {where}.{name}: expected {type(default).__name__}, is {value!r}"
            )
    numbers = {
        name: float(value)
        for name, value in entry.items()
        if isinstance(fields[name].default, float)
    }
    return kind(**{**entry, **numbers})


def _mapping(entry: Any, where: str) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise SettingsError(f"registry {where}: expected a mapping, is {entry!r}")
    return entry


def _names(entry: Any, where: str) -> tuple[str, ...]:
    if not isinstance(entry, list) or not all(isinstance(n, str) and n for n in entry):
        raise SettingsError(f"registry {where}: expected a list of names, is {entry!r}")
    if len(set(entry)) != len(entry):
        raise SettingsError(f"registry {where}: a name stands twice in {entry!r}")
    return tuple(entry)
