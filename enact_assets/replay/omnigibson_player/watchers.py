"""What is looked at while a demonstration is played: its facts and views, or pictures of it."""

from pathlib import Path
from typing import Any, Protocol

import omnigibson as og
from PIL import Image

from enact_assets.replay.omnigibson_player import look
from enact_assets.replay.omnigibson_player.installed import Installed
from enact_assets.replay.omnigibson_player.intervals import IntervalWriter
from enact_assets.replay.omnigibson_player.request import PlaybackRequest
from enact_assets.replay.omnigibson_player.scene_facts import SceneFacts
from enact_assets.replay.omnigibson_player.sight import boxes


class Watcher(Protocol):
    """Looks at frames as they are played."""

    modality: str
    """What its camera sees."""

    def restart(self) -> None:
        """A chunk begins: the scene was restored."""
        ...

    def look(self, env: Any, sensor: Any, frame: int) -> None:
        """The simulator is at ``frame``."""
        ...


class FactsWatcher:
    """Writes all facts, and the box of everything the camera sees."""

    modality = "seg_instance"

    def __init__(
        self, request: PlaybackRequest, writer: IntervalWriter, mode: str, installed: Installed
    ) -> None:
        self._request = request
        self._writer = writer
        self._facts = SceneFacts(writer, mode, installed)

    def restart(self) -> None:
        """As in :class:`Watcher`."""
        self._facts.restart()

    def look(self, env: Any, sensor: Any, frame: int) -> None:
        """As in :class:`Watcher`."""
        facts, names = self._facts.at(env, env.scene)
        seen, about = rendered(sensor, self._request.renders)
        labels = to_array(seen[self.modality])
        views = boxes(labels, {int(k): v for k, v in about[self.modality].items()}, names)
        self._writer.add_frame(frame, facts, views)


class PictureWatcher:
    """Stores a PNG file of every frame it looks at, each as soon as it is drawn."""

    modality = "rgb"

    def __init__(self, request: PlaybackRequest, folder: Path) -> None:
        self._request = request
        self._folder = folder

    def restart(self) -> None:
        """As in :class:`Watcher`."""

    def look(self, env: Any, sensor: Any, frame: int) -> None:
        """As in :class:`Watcher`."""
        look.paint_robot(env.scene.robots[0], self._request, frame)
        seen, _ = rendered(sensor, self._request.renders)
        picture = Image.fromarray(to_array(seen[self.modality])[..., :3].astype("uint8"))
        path = picture_path(self._folder, frame)
        partial = path.with_name(f".{path.name}.tmp")
        picture.save(partial, "PNG")
        partial.replace(path)


def rendered(sensor: Any, renders: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """What ``sensor`` sees once the renderer has caught up with the state."""
    for _ in range(renders):
        og.sim.render()
    seen, about = sensor.get_obs()
    return seen, about


def to_array(tensor: Any) -> Any:
    """A tensor, wherever it is, as a NumPy array."""
    return tensor.cpu().numpy()


def picture_path(folder: Path, frame: int) -> Path:
    """Path of the picture of ``frame``."""
    return folder / f"{frame:06d}.png"
