"""Requests to the player, as JSON that both interpreters read."""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PLAYER_VERSION = 3
"""Counts changes of the player that change what it writes."""
REFUSED = 64
"""Exit code of a player that said clearly what is wrong: trying again would not help."""
REPLAY_FILE = "replay.jsonl"
REFUSAL_FILE = "refusal.txt"
PROGRESS_FILE = "progress.txt"
"""Two numbers: frames done, frames in all."""
PICTURES_FOLDER = "pictures"
LOCK_VARIABLE = "ENACT_GPU_LOCK"
"""Number of the open file whose lock says that the GPU is in use."""


class RefusalError(Exception):
    """What was asked cannot be done here; the message says where, what, and what to do."""


@dataclass(frozen=True)
class View:
    """A camera on a link of the robot, in the link's frame: metres, quaternion (x, y, z, w).

    Field of view as in :class:`~enact_assets.contracts.settings.CameraSettings`; ``projection`` is
    ``pinhole`` or ``fisheye``. ``height_offset_m`` lifts it along the link's z axis.
    """

    name: str = "external_sensor1"
    link: str = "base_link"
    position_m: tuple[float, float, float] = (-0.4, 0.0, 1.75)
    orientation_xyzw: tuple[float, float, float, float] = (0.2706, -0.2706, -0.6533, 0.6533)
    projection: str = "pinhole"
    aperture_mm: float = 40.0
    focal_length_mm: float = 17.0
    height_offset_m: float = 0.0
    size_px: int = 512


@dataclass(frozen=True)
class PlaybackRequest:
    """Episode ``episode`` of ``file``: its facts into ``output``, or pictures of ``frames``.

    ``renders`` is how often a frame is rendered before it is looked at: the ray tracer lags behind
    the state by a few frames. ``chunk_frames`` states are in memory at a time. ``gpu_dynamics`` is
    whether it was recorded with them; None if unknown. ``full_scene_file`` is a scene of OmniGibson
    whose objects are added to those of a recorded part of it.
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
    full_scene_file: str | None = None

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
