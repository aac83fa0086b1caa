"""Settings of a registry: frozen dataclasses, their defaults and allowed values."""

import dataclasses
import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from enact_assets.engine.ids import content_sha
from enact_assets.settings.editing import EditingSettings
from enact_assets.settings.predicates import RELEASE_PREDICATES
from enact_assets.settings.profile import CHANGES, STATES, Profile

EMBEDDED = "embedded"
"""Source of demonstrations that the embedded simulator makes."""
RECORDED = "recorded"
"""Source of demonstrations read from the layout of the public release."""
OMNIGIBSON = "omnigibson"
"""Source of demonstrations that OmniGibson replays from a raw recording."""
VIDEO = "video"
"""Source of demonstrations read from an annotated video."""
QUESTIONS = "questions"
"""Source of demonstrations that exist only in the questions of an imported file."""
REPLAYED = (EMBEDDED, RECORDED, OMNIGIBSON, VIDEO)
"""Sources with a replay."""
SOURCES = (*REPLAYED, QUESTIONS)
RENDERED = frozenset({EMBEDDED, OMNIGIBSON})
"""Sources whose pictures can be made under any variant; others have only imported pictures."""
PROBE, ALL = "probe", "all"
"""Which questions of its set a variant asks: the probe questions, or all."""
ANY_FILE = "any"
"""Takes the place of a name: all imported question files."""
SCALAR, LLVM = "scalar", "llvm"
"""Backends of the path tracer: one that runs anywhere, and one that needs LLVM."""
AS_PUBLISHED = "as_published"
"""In place of a folder of prompts: those of imported questions in the paper's words."""
NATURAL = "natural"
"""The wording of actions unless another is set: English sentences."""


@dataclass(frozen=True)
class OwnWords:
    """The user's sentences about a predicate without our own: each says that it began to hold, or
    that it ended. Fields ``{S}`` and ``{O}`` are its objects (:data:`SENTENCE_FIELDS`).
    """

    predicate: str
    begins: tuple[str, ...]
    ends: tuple[str, ...]

    def phrasings(self, operation: str) -> tuple[str, ...]:
        """Those of ``add`` or ``remove``."""
        return {"add": self.begins, "remove": self.ends}.get(operation, ())


SENTENCE_FIELDS = ("S", "O", "o", "is", "has")
"""Fields that a sentence may have: subject and object with their article, the object without, and
verbs that agree with the subject."""


@dataclass(frozen=True)
class Gating:
    """A gating: the predicates that make key frames, and constants."""

    name: str
    profile: Profile
    predicates: tuple[str, ...]
    """Empty: all recorded states."""
    embedded_min_visible_fraction: float | None = None
    """Replaces the profile's constant for embedded demonstrations; recorded ones keep it."""
    embedded_names_all: bool = False
    """Embedded questions have no step with a visible change that no sentence names."""
    question_file: str | None = None
    """The imported file, or ``ANY_FILE``, with key frames and questions to use instead of ours."""
    own_words: tuple[OwnWords, ...] = ()
    """Sentences about predicates that the registry adds to those of the gating."""

    def looks_at(self, predicate: str) -> bool:
        """Whether a change of ``predicate`` can make a question."""
        return predicate in (self.predicates or RELEASE_PREDICATES)

    def takes(self, question_files: Collection[str]) -> tuple[str, ...]:
        """Files among ``question_files`` whose questions the gating uses, sorted."""
        return tuple(sorted(n for n in question_files if self.question_file in {n, ANY_FILE}))

    def profile_of(self, source: str) -> Profile:
        """Constants for a demonstration that ``source`` recorded."""
        floor = self.embedded_min_visible_fraction
        if source != EMBEDDED or floor is None:
            return self.profile
        return dataclasses.replace(self.profile, min_visible_fraction=floor)


@dataclass(frozen=True)
class CameraSettings:
    """Head camera. The field of view of a pinhole is 2 atan(aperture / (2 focal length)) in both
    directions; that of the fisheye is fixed, and aperture and focal length do not matter to it.
    """

    projection: str = "pinhole"
    aperture_mm: float = 40.0
    focal_length_mm: float = 17.0
    height_offset_m: float = 0.0


@dataclass(frozen=True)
class RendererSettings:
    """Path tracing depth (bounces), samples per pixel before denoising, picture edge in pixels.

    ``mode`` selects the treatment of light and materials; it may multiply or cap the first two.
    ``backend`` selects the path tracer; it affects only noise and time. For LLVM ``llvm_version``
    is its major version, otherwise 0.
    """

    path_depth: int = 6
    samples: int = 2
    size_px: int = 512
    mode: str = "default"
    backend: str = SCALAR
    llvm_version: int = 0


@dataclass(frozen=True)
class Effort:
    """Effect of a renderer mode on path depth and samples: it multiplies both, then limits the
    depth to ``deepest``.
    """

    times_depth: int = 1
    times_samples: int = 1
    deepest: int | None = None

    def of(self, settings: RendererSettings) -> RendererSettings:
        """``settings`` with the depth and samples that are really used."""
        depth = settings.path_depth * self.times_depth
        return dataclasses.replace(
            settings,
            path_depth=depth if self.deepest is None else min(depth, self.deepest),
            samples=settings.samples * self.times_samples,
        )


DIRECT_DEPTH = 2
"""From the eye to a surface and on to a lamp."""
EFFORTS: dict[str, Effort] = {
    "default": Effort(),
    "path_tracing": Effort(times_depth=3, times_samples=8),
    "ray_tracing_only": Effort(deepest=DIRECT_DEPTH),
    "realistic": Effort(times_depth=3, times_samples=8),
}
"""Renderer mode -> its effect on depth and samples. It is not with the modes, because the registry
checks limits after applying it."""


@dataclass(frozen=True)
class AppearanceSettings:
    """Appearance of the robot: original, all white, skin, or a colour for each state."""

    robot: str = "black_and_white"


@dataclass(frozen=True)
class NoiseSettings:
    """Share of the changes that actions state wrongly: each with probability ``rate``, by draws
    that depend on ``seed`` (paper B.4.5). Verification uses the true changes.
    """

    rate: float = 0.0
    seed: int = 0


@dataclass(frozen=True)
class Prompts:
    """Prompt templates of the user in place of ours, with the same placeholders."""

    forward: str
    inverse: str

    @property
    def sha(self) -> str:
        """Short hash of both texts."""
        return content_sha([self.forward, self.inverse])[:12]


MAX_PROMPT_CHARACTERS = 20_000
NO_LIMIT = 1_000_000
"""A number of questions that means all of them."""
PerLength = int | Mapping[int, int]
"""A number of questions per kind and length: one for all lengths, or length -> number. A length
that is not named has none."""


def number_at(per_length: PerLength, length: int) -> int:
    """The number for trajectories of ``length`` key frames."""
    return per_length if isinstance(per_length, int) else per_length.get(length, 0)


def in_words(per_length: PerLength) -> str:
    """``144 per kind and length``, or ``145 at length 3 to 9, 137 at length 10, per kind``."""
    if isinstance(per_length, int):
        return f"{per_length} per kind and length"
    spans: list[list[int]] = []
    for length, n in sorted(per_length.items()):
        if spans and spans[-1][1:] == [length - 1, n]:
            spans[-1][1] = length
        else:
            spans.append([length, length, n])
    said = [
        f"{n} at length {first}" + (f" to {last}" if last > first else "")
        for first, last, n in spans
    ]
    return f"{', '.join(said)}, per kind"


KEEP = re.compile(r"solved_by >= ([1-9][0-9]?) of ([1-9][0-9]?)")
"""Pattern of ``keep`` of a question set."""


WORLD = "world:"
"""Beginning of the names of question sets and variants of WorldPrediction, before the name of the
world source: ``world:embedded``. No others have a name that begins so.
"""


def world_source_of(question_set: str) -> str | None:
    """The world source that a question set asks about; None for questions of ENACT."""
    return question_set.removeprefix(WORLD) if question_set.startswith(WORLD) else None


@dataclass(frozen=True)
class QuestionSetSettings:
    """One named set of questions: variants name the set that they ask."""

    name: str
    gating: str
    """Key frames of its questions."""
    per_stratum: PerLength | None = field(default=None, hash=False)
    """Questions per kind and length; unless given, ``question_set_per_stratum``."""
    keep: str | None = None
    """``solved_by >= k of n``: of the first n people who answered a question, k solved it."""
    without: tuple[str, ...] = ()
    """Ambiguities that no step of a kept question has."""

    @property
    def world_source(self) -> str | None:
        """As :func:`world_source_of`."""
        return world_source_of(self.name)

    @property
    def kept_if(self) -> tuple[int, int] | None:
        """K and n of :attr:`keep`; None without it."""
        found = KEEP.fullmatch(self.keep or "")
        return None if found is None else (int(found[1]), int(found[2]))


@dataclass(frozen=True)
class Variant:
    """A variant: one named combination of all settings that a probe may vary.

    The baseline asks questions as they are written: in the wording of :class:`QuestionSettings`,
    without noise.
    """

    name: str
    gating: str
    camera: CameraSettings = CameraSettings()
    renderer: RendererSettings = RendererSettings()
    appearance: AppearanceSettings = AppearanceSettings()
    wording: str = NATURAL
    noise: NoiseSettings = NoiseSettings()
    question_set: str = ""
    """The question set; by default that of its gating."""
    asks: str | PerLength = field(default=PROBE, hash=False)
    """Which questions of the set: the probe questions, all, or a number per kind and length, the
    same for all lengths or by length.
    """
    sources: tuple[str, ...] = REPLAYED
    """Sources of the demonstrations that its questions are about."""
    is_as_recorded: bool = True
    """Whether pictures are those of the baseline, so that recordings can show theirs."""
    is_imported: bool = False
    """Whether its questions come from an imported file."""
    prompts: Prompts | None = None
    """Prompts that replace ours."""
    prompts_of: str | None = None
    """The imported file, or ``ANY_FILE`` for one in the paper's words, whose prompts replace ours:
    ``prompts`` is then known only with the file.
    """
    editing: EditingSettings | None = None
    """The image model that repaints pictures; all other settings of pictures are those of the
    baseline.
    """
    is_mirrored: bool = False
    """Whether pictures are mirror images, and left and right hand change places in words: together
    with the baseline each hand does the same.
    """

    @property
    def world_source(self) -> str | None:
        """As :func:`world_source_of`, of its question set."""
        return world_source_of(self.question_set)

    @property
    def has_other_prompts(self) -> bool:
        """Whether prompts replace ours."""
        return self.prompts is not None or self.prompts_of is not None

    def is_in(self, question_files: Collection[str]) -> bool:
        """Whether the file with its prompts, if it needs one, is among ``question_files``."""
        return self.prompts_of is None or any(
            self.prompts_of in {name, ANY_FILE} for name in question_files
        )

    @property
    def unedited(self) -> "Variant":
        """The variant whose pictures are repainted."""
        return dataclasses.replace(self, editing=None)

    def __post_init__(self) -> None:
        if not self.question_set:
            object.__setattr__(self, "question_set", self.gating)


PAPER_COUNTS = {3: 572, 4: 574, 5: 575, 6: 574, 7: 573, 8: 570, 9: 548, 10: 500}
"""Length -> questions of each kind in the paper: 8,972 in all (figure 8)."""


@dataclass(frozen=True)
class QuestionSettings:
    """How many questions are written and asked, and how their actions are worded."""

    seed: int = 0
    wording: str = NATURAL
    trajectories_per_length: int = 48
    question_set_per_stratum: PerLength = field(
        default_factory=lambda: dict(PAPER_COUNTS), hash=False
    )
    probe_set_per_stratum: int = 50
    probe_lengths: tuple[int, ...] = (3, 6, 9)

    def wanted(self, question_set: QuestionSetSettings, length: int) -> int:
        """Questions of each kind that ``question_set`` takes at ``length``, if there are enough."""
        own = question_set.per_stratum
        return number_at(self.question_set_per_stratum if own is None else own, length)


LIMITS: dict[str, tuple[float, float]] = {
    # Together: fields of view from 0.3 to 174 degrees.
    "aperture_mm": (1, 200),
    "focal_length_mm": (5, 200),
    # From the eye at 1.75 m: between knee height and the ceiling.
    "height_offset_m": (-1.5, 2.0),
    "path_depth": (1, 64),
    "samples": (1, 4096),
    "size_px": (8, 4096),
    "llvm_version": (0, 999),
    # A tenth of the picture is a table: nothing on it could be asked about.
    "embedded_min_visible_fraction": (0, 0.1),
    # Constants of a profile. 300 frames are ten seconds.
    "flicker_frames": (0, 300),
    # Within the persistence of 40 frames: later, the change may be undone.
    "settle_frames": (0, 39),
    "min_visible_fraction": (0, 0.1),
    "max_changes": (1, 100),
    "rate": (0, 1),
    "seed": (0, math.inf),
    "trajectories_per_length": (1, 1_000_000),
    "question_set_per_stratum": (1, 1_000_000),
    "per_stratum": (1, NO_LIMIT),
    "probe_set_per_stratum": (1, 1_000_000),
    "asks": (1, 1_000_000),
    "plans_per_length": (1, 1_000_000),
    "frames": (1, 64),
    "tries": (1, 20),
    "edge_similarity": (0, 1),
    "mask_iou": (0, 1),
    "hue_degrees": (0, 180),
    "lightness": (0, 100),
    "silhouette_px": (0, 100),
    "most_distance_wm": (0, math.inf),
    "most_distance_pp": (0, math.inf),
    "least_distance": (0, math.inf),
}
"""Setting -> least and greatest value a registry may give it. Lengths follow from the profiles."""

KNOWN: dict[str, tuple[str, ...]] = {
    "projection": ("pinhole", "fisheye"),
    "mode": tuple(EFFORTS),
    "backend": (SCALAR, LLVM),
    "robot": ("black_and_white", "white", "random", "skin"),
    "wording": (NATURAL, "symbolic", "emoji"),
    "similarity_of": (CHANGES, STATES),
    "encoder": ("picture_features",),
}
"""Setting -> names it may take. The stages that implement them are downstream and cannot be
imported here; a test holds these lists equal to theirs."""

IGNORED: dict[str, tuple[str, ...]] = {"fisheye": ("aperture_mm", "focal_length_mm")}
"""Projection -> camera settings that change nothing in its pictures."""

MAX_NAME_CHARACTERS = 120
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:+@-]*")


def is_partition_name(text: str) -> bool:
    """Whether ``text`` can name a gating, variant, demonstration or model.

    Names become file names and Dagster partition keys: letters, digits and ``_ . : + @ -``, not
    starting with a dot or sign, no ``..``, at most 120 characters.
    """
    return bool(_NAME.fullmatch(text)) and ".." not in text and len(text) <= MAX_NAME_CHARACTERS


JOINT = "+"
"""Joins the names of the two models of a pair."""


ORACLE = "oracle"
"""As a captioner: facts and labels in place of a model's words."""


def captioner_and_reader(name: str) -> tuple[str, str] | None:
    """The two models of a pair, ``CAPTIONER+READER``; None of one model alone. Names made of ids,
    which have a colon, have this sign in place of slashes.
    """
    captioner, joint, reader = name.partition(JOINT)
    return (captioner, reader) if joint and captioner and reader and ":" not in name else None


def twins(names: Iterable[str]) -> dict[str, str]:
    """Name -> an earlier name that differs from it only in case, so that some disks have one file
    for both.
    """
    first: dict[str, str] = {}
    found = ((name, first.setdefault(name.lower(), name)) for name in names)
    return {name: other for name, other in found if name != other}


_ADDED: Mapping[type, Mapping[str, object]] = {
    Profile: {"drops_ambiguous": True, "similarity_of": CHANGES},
    Gating: {"question_file": None, "own_words": ()},
    RendererSettings: {"backend": SCALAR, "llvm_version": 0},
    QuestionSetSettings: {"per_stratum": None, "keep": None, "without": ()},
    Variant: {
        **dict.fromkeys(("prompts", "prompts_of", "editing")),
        **dict.fromkeys(("is_imported", "is_mirrored"), False),
    },
}
"""Fields that were added later, each with the value for the former behaviour: this value is not
hashed, so that earlier results stay fresh."""


def settings_sha(settings: object) -> str:
    """Hash of a resolved settings object (a dataclass), the data version of its config root."""
    return content_sha(_hashed(settings))


def _hashed(value: Any) -> Any:
    """As ``dataclasses.asdict``, without later fields that have the value for the former
    behaviour.
    """
    if isinstance(value, Mapping):
        return {name: _hashed(of) for name, of in value.items()}
    if isinstance(value, list | tuple):
        return [_hashed(of) for of in value]
    if not dataclasses.is_dataclass(value):
        return value
    before = _ADDED.get(type(value), {})
    fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    return {
        name: _hashed(of)
        for name, of in fields.items()
        if name not in before or type(of) is not type(before[name]) or of != before[name]
    }
