"""Settings of WorldPrediction: questions, clips, environments and sources."""

from dataclasses import dataclass

from enact_assets.settings.classes import EMBEDDED, CameraSettings

EMBEDDED_WORLD = "embedded"
"""The world source whose actions are those of embedded demonstrations."""
SAME, VIEW, EQUIVALENT = "same", "view", "equivalent"
CONDITIONS = (SAME, VIEW, EQUIVALENT)
"""Sources of clips of WorldPrediction: the recording of the states, the same under another camera,
or another environment."""

ABOVE = CameraSettings(height_offset_m=0.5)


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


@dataclass(frozen=True)
class WorldSource:
    """``embedded`` or a step file. Key frames of its states are those of ``gating``."""

    name: str
    gating: str
