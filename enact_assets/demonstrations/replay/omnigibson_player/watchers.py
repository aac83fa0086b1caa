"""What is looked at while a demonstration is played: its facts and views, or pictures of it."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from enact_assets.demonstrations.replay.omnigibson_player import look
from enact_assets.demonstrations.replay.omnigibson_player.demonstration_file import (
    DemonstrationFile,
)
from enact_assets.demonstrations.replay.omnigibson_player.facts import EnactFacts, SceneFacts
from enact_assets.demonstrations.replay.omnigibson_player.installed import Installed
from enact_assets.demonstrations.replay.omnigibson_player.playable import restores_grasps
from enact_assets.demonstrations.replay.omnigibson_player.reply import Box, IntervalWriter
from enact_assets.demonstrations.replay.omnigibson_player.request import ENACT, PlaybackRequest


def boxes(labels: NDArray[Any], names: Mapping[Any, str], known: Collection[str]) -> dict[str, Box]:
    """Box of every object of ``known`` in ``labels`` (height, width): ids, named by ``names``.

    An object's parts may have several ids; background and what has no name are left out.
    """
    height, width = labels.shape
    ids, inverse = np.unique(labels, return_inverse=True)
    owners = [names.get(int(label), "") for label in ids]
    seen = sorted({owner for owner in owners if owner in known})
    if not seen:
        return {}
    # One more row collects unwanted labels.
    row_of = {name: k for k, name in enumerate(seen)}
    rows = np.array([row_of.get(owner, len(seen)) for owner in owners])[inverse.reshape(-1)]
    ys, xs = np.divmod(np.arange(labels.size), width)
    by_x = np.bincount(rows * width + xs, minlength=(len(seen) + 1) * width).reshape(-1, width)
    by_y = np.bincount(rows * height + ys, minlength=(len(seen) + 1) * height).reshape(-1, height)
    found: dict[str, Box] = {}
    for k, name in enumerate(seen):
        across, down = np.flatnonzero(by_x[k]), np.flatnonzero(by_y[k])
        pixels = int(by_x[k].sum())
        edges = (int(across[0]), int(down[0]), int(across[-1]), int(down[-1]))
        found[name] = (pixels, *edges, height, width)
    return found


COLOURS, LABELS = "rgb", "seg_instance"
Seen = tuple[dict[str, Any], dict[str, Any]]
"""What a camera saw, and what it says about that, by modality."""
Facts = SceneFacts | EnactFacts


class Watcher(Protocol):
    """Looks at frames as they are played."""

    modalities: tuple[str, ...]
    """What its camera sees."""

    def look(self, env: Any, sensor: Any, frame: int) -> None:
        """The simulator is at ``frame``."""
        ...


class FactsWatcher:
    """Writes all facts, and the box of everything the camera sees."""

    modalities: tuple[str, ...] = (LABELS,)

    def __init__(self, request: PlaybackRequest, writer: IntervalWriter, facts: Facts) -> None:
        self._request = request
        self._writer = writer
        self._facts = facts

    def look(self, env: Any, sensor: Any, frame: int) -> None:
        """As in :class:`Watcher`."""
        facts, names = self._facts.at(env, env.scene)
        views = boxes_of(rendered(sensor, self._request.renders), names)
        self._writer.add_frame(frame, facts, views)


class PictureWatcher:
    """Stores a PNG file of every frame it looks at, each as soon as it is drawn."""

    modalities: tuple[str, ...] = (COLOURS,)

    def __init__(self, request: PlaybackRequest, folder: Path) -> None:
        self._request = request
        self._folder = folder

    def look(self, env: Any, sensor: Any, frame: int) -> None:
        """As in :class:`Watcher`."""
        look.paint_robot(env.scene.robots[0], self._request, frame)
        seen, _ = rendered(sensor, self._request.renders)
        picture = Image.fromarray(to_array(seen[COLOURS])[..., :3].astype("uint8"))
        path = picture_path(self._folder, frame)
        partial = path.with_name(f".{path.name}.tmp")
        picture.save(partial, "PNG")
        partial.replace(path)


def facts_of(
    request: PlaybackRequest,
    installed: Installed,
    source: DemonstrationFile,
    writer: IntervalWriter,
) -> Facts:
    """What asks for the facts of a frame, by the rules of ``request``; names go to ``writer``."""
    mode = source.robot().grasping_mode
    is_in_state = restores_grasps(source, request.episode, installed)
    if request.rules == ENACT:
        return EnactFacts(writer, request.where, mode, is_grasp_in_state=is_in_state)
    return SceneFacts(writer, mode, is_grasp_in_state=is_in_state)


def boxes_of(seen: Seen, names: Collection[str]) -> dict[str, Box]:
    """Box of everything in ``names`` that the camera saw."""
    labels, about = to_array(seen[0][LABELS]), seen[1][LABELS]
    return boxes(labels, {int(k): v for k, v in about.items()}, names)


def rendered(sensor: Any, renders: int) -> Seen:
    """What ``sensor`` sees once the renderer has caught up with the state."""
    import omnigibson as og

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
