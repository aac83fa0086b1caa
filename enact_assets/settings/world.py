"""Settings of WorldPrediction: questions, clips, environments and sources."""

from dataclasses import dataclass

from enact_assets.settings.classes import EMBEDDED, WORLD, CameraSettings

EMBEDDED_WORLD = "embedded"
"""The world source whose actions are those of embedded demonstrations."""
WM, PP = "wm", "pp"
"""Tasks: world modelling (which action) and procedural planning (which plan)."""
SAME, VIEW, EQUIVALENT = "same", "view", "equivalent"
CONDITIONS = (SAME, VIEW, EQUIVALENT)
"""Sources of clips of WorldPrediction: the recording of the states, the same under another camera,
or another environment."""
FILM = "film"
"""What the one camera of a film is called among clips."""
LETTERS = "ABCD"
"""Options of a question, in the order of their labels."""
KINDS = tuple(f"{task}_{condition}" for task in (WM, PP) for condition in CONDITIONS)
"""Kinds of questions: task and condition."""


def kind_of(task: str, condition: str) -> str:
    """Kind of the questions of a task under a condition, one of :data:`KINDS`."""
    return f"{task}_{condition}"


_TASKS = {WM: "which action (WM)", PP: "which plan (PP)"}
_CLIPS = {SAME: "the recording itself", VIEW: "another camera", EQUIVALENT: "another room"}


def kind_in_words(kind: str) -> str:
    """``which plan (PP), clips of another room``; kinds of ENACT are words already."""
    if kind not in KINDS:
        return kind
    task, condition = kind.split("_")
    return f"{_TASKS[task]}, clips of {_CLIPS[condition]}"


def world_name(source: str) -> str:
    """Name of the question set, and of the variant, that ask about a world source."""
    return f"{WORLD}{source}"


ABOVE = CameraSettings(height_offset_m=0.5)


def set_columns(source: str) -> dict[str, str]:
    """The columns of tables about a world source that name it."""
    return {"question_set": world_name(source), "world_source": source}


@dataclass(frozen=True)
class WorldSettings:
    """Questions of WorldPrediction. ``max_changes`` is the most visible changes of an action in
    ``wm`` questions, ``plans_per_length`` the most plans per demonstration and length in ``pp``
    questions.
    """

    seed: int = 0
    lengths: tuple[int, ...] = (3, 4, 5, 6, 7, 8, 9, 10)
    plans_per_length: int = 4
    max_changes: int = 5
    conditions: tuple[str, ...] = CONDITIONS


@dataclass(frozen=True)
class WorldFilterSettings:
    """Which questions are not asked because of the pictures of their two states; all filters are
    off at first.

    ``encoder`` makes the vectors whose distances are compared: more than ``most_distance_wm`` (or
    ``_pp``) is too different, less than ``least_distance`` too alike; 0 switches each off. The
    paper's thresholds (2.75 and 10) are of DINOv2, and mean nothing to another encoder.
    ``occlusion_model`` is asked whether something hides what matters; none if empty.
    """

    encoder: str = "picture_features"
    most_distance_wm: float = 0.0
    most_distance_pp: float = 0.0
    least_distance: float = 0.0
    occlusion_model: str = ""

    @property
    def measures_distance(self) -> bool:
        """Whether a filter compares distances."""
        return any((self.most_distance_wm, self.most_distance_pp, self.least_distance))

    @property
    def is_on(self) -> bool:
        """Whether any filter is on."""
        return self.measures_distance or bool(self.occlusion_model)


@dataclass(frozen=True)
class ClipSettings:
    """Pictures of a clip, their edge in pixels, and the camera of condition ``view``."""

    frames: int = 4
    size_px: int = 256
    view: CameraSettings = ABOVE


@dataclass(frozen=True)
class EnvironmentSettings:
    """Seeds of embedded demonstrations with the role *environment*: clips are taken from them, and
    there are no ENACT questions about them.
    """

    seeds: tuple[int, ...] = (901, 906, 907)

    def has(self, source: str, seed: int | None) -> bool:
        """Whether a demonstration of this source and seed is an environment."""
        return source == EMBEDDED and seed in self.seeds
