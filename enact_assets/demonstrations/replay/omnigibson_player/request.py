"""Requests to the player, as JSON that both interpreters read."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PLAYER_VERSION = 3
"""Counts changes of the player that change what it writes."""
REFUSED = 64
"""Exit code of a player that said clearly what is wrong: trying again would not help."""
REPLAY_FILE = "replay.jsonl"
REFUSAL_FILE = "refusal.txt"
REPORT_FILE = "report.md"
FOUND_FILE = "found.json"
"""The report for programs."""
PROGRESS_FILE = "progress.txt"
"""Two numbers: frames done, frames in all."""
PICTURES_FOLDER = "pictures"
LOCK_VARIABLE = "ENACT_GPU_LOCK"
"""Number of the open file whose lock says that the GPU is in use."""


ENACT, ALL = "enact", "all"
RULES = (ENACT, ALL)
"""Which objects and relations become facts: as the authors' replay writes them, or all."""
BASE_LINK = "base_link"
BASE_POSITION_M = (-0.4, 0.0, 1.75)
BASE_ORIENTATION_XYZW = (0.2706, -0.2706, -0.6533, 0.6533)
"""Camera of robots other than R1Pro: above the base, behind it, and 45 degrees down."""
Z_IS_FORWARD = ("zed_link",)
"""Links of cameras: their z axis looks forward, their y axis points down."""


class RefusalError(Exception):
    """What was asked cannot be done here; the message says where, what, and what to do."""


@dataclass(frozen=True)
class View:
    """A camera on a link of the robot, in the link's frame: metres, quaternion (x, y, z, w).

    The defaults are the camera of the authors' replay on R1Pro. Field of view as in
    :class:`~enact_assets.settings.classes.CameraSettings`; ``projection`` is ``pinhole`` or
    ``fisheye``. ``height_offset_m`` lifts it along ``up``.
    """

    name: str = "external_sensor1"
    link: str = "zed_link"
    position_m: tuple[float, float, float] = (0.06, 0.01, 0.15)
    orientation_xyzw: tuple[float, float, float, float] = (-1.0, 0.0, 0.0, 0.0)
    projection: str = "pinhole"
    aperture_mm: float = 40.0
    focal_length_mm: float = 17.0
    height_offset_m: float = 0.0
    size_px: int = 512

    @property
    def up(self) -> tuple[float, float, float]:
        """Axis of the link that points up."""
        return (0.0, -1.0, 0.0) if self.link in Z_IS_FORWARD else (0.0, 0.0, 1.0)

    @property
    def lifted_m(self) -> tuple[float, float, float]:
        """Position in the link's frame, ``height_offset_m`` included."""
        x, y, z = (
            p + self.height_offset_m * u for p, u in zip(self.position_m, self.up, strict=True)
        )
        return x, y, z


@dataclass(frozen=True)
class PlaybackRequest:
    """Episode ``episode`` of ``file``: its facts into ``output``, or pictures of ``frames``.

    ``renders`` is how often a frame is rendered before it is looked at: the ray tracer lags behind
    the state by a few frames. ``chunk_frames`` states are in memory at a time. ``gpu_dynamics`` is
    whether it was recorded with them; None if unknown. ``full_scene_file`` is a scene of OmniGibson
    whose objects are added to those of a recorded part of it, ``full_scene_sha`` the hash of its
    content. ``rules`` is one of RULES. ``lens`` has the numbers of a fisheye.
    """

    demonstration: str
    file: str
    episode: int
    output: str
    view: View
    frames: tuple[int, ...] | None = None
    mode: str = "default"
    robot: str = "black_and_white"
    renders: int = 3
    chunk_frames: int = 5000
    gpu_dynamics: bool | None = None
    rules: str = ALL
    full_scene_file: str | None = None
    full_scene_sha: str | None = None
    lens: Mapping[str, float] = field(default_factory=dict)

    @property
    def where(self) -> str:
        """The episode, for messages."""
        return f"{self.file}, demo_{self.episode}"

    def write(self, path: Path) -> None:
        """As JSON to ``path``."""
        path.write_text(json.dumps(dataclasses.asdict(self), indent=1, sort_keys=True))

    @classmethod
    def read(cls, path: Path) -> "PlaybackRequest":
        """From JSON. Errors: :class:`RefusalError` if it is not a request of this version."""
        try:
            raw = json.loads(path.read_text())
            view = View(**{k: _tuple(v) for k, v in raw.pop("view").items()})
            return cls(view=view, **{k: _tuple(v) for k, v in raw.items()})
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise RefusalError(f"{path}: no request of this version ({error})") from None


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
