"""Raw BEHAVIOR demonstrations as a source: replayed and looked at in OmniGibson.

Its pictures are rendered under any variant that Isaac Sim has, each once: they are found again by
the hash of what decides them.
"""

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from enact_assets.demonstrations.pictures.images import pictures_made
from enact_assets.demonstrations.pictures.tables import Shown, frame_images
from enact_assets.demonstrations.recordings.folders import DEMONSTRATION_FILE, Recordings
from enact_assets.demonstrations.replay.omnigibson import (
    playback_request,
    read_demonstration,
    replay_omnigibson,
)
from enact_assets.demonstrations.replay.omnigibson_player.request import (
    PICTURES_FOLDER,
    PLAYER_VERSION,
    PlaybackRequest,
)
from enact_assets.demonstrations.replay.omnigibson_runs import player
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.sources import PictureRequest
from enact_assets.engine.errors import EnactError, PlaybackError, RenderError
from enact_assets.engine.ids import content_sha
from enact_assets.engine.progress import OnProgress, Progress
from enact_assets.settings.classes import OMNIGIBSON
from enact_assets.settings.fisheye_lens import lens_of

PLAYED_FOLDER = "omnigibson"
"""Below the data root: what players wrote, by demonstration."""
RENDERS = {"default": 5, "ray_tracing_only": 5, "path_tracing": 64}
"""How often a frame is rendered for its picture: ray tracing settles, path tracing adds samples."""


@dataclass(frozen=True)
class OmniGibsonSource:
    """Demonstrations whose recording says ``omnigibson.json``."""

    recordings: Recordings
    name: str = OMNIGIBSON

    def demonstrations(self) -> list[str]:
        """Raw demonstrations of the data root."""
        return [name for name in self.recordings.names() if self.has(name)]

    def has(self, demonstration: str) -> bool:
        """Whether its ``omnigibson.json`` exists."""
        found = self.recordings.find(demonstration)
        return found is not None and found.name == DEMONSTRATION_FILE

    def explain(self, demonstration: str) -> str:  # noqa: ARG002
        """Nothing that recordings do not say."""
        return ""

    def replay(self, demonstration: str, on_progress: OnProgress) -> ReplayTables:
        """Play it back, unless that was done before. Errors: :class:`PlaybackError`."""
        return replay_omnigibson(
            demonstration,
            self.recordings.file(demonstration),
            self._played(demonstration),
            player(),
            on_progress,
        )

    def pictures(self, request: PictureRequest) -> pl.DataFrame:
        """Render those that never were. Errors: :class:`RenderError`."""
        name = request.demonstration
        description = self.recordings.file(name)
        try:
            asked = self._asked(name, description, request)
            return _rendered(asked, request)
        except PlaybackError as error:
            raise RenderError(str(error)) from error

    def _asked(self, name: str, description: Path, request: PictureRequest) -> PlaybackRequest:
        variant = request.variant
        lens = dataclasses.asdict(variant.camera)
        about = read_demonstration(description)
        view = about.view(**lens, size_px=variant.renderer.size_px)
        frames = tuple(sorted(set(request.wanted.get_column("frame").to_list())))
        return playback_request(
            name,
            description,
            self._played(name),
            view=view,
            frames=frames,
            mode=variant.renderer.mode,
            robot=variant.appearance.robot,
            renders=max(RENDERS[variant.renderer.mode], about.renders),
        )

    def _played(self, demonstration: str) -> Path:
        return self.recordings.root.with_name(PLAYED_FOLDER) / demonstration


def _rendered(asked: PlaybackRequest, request: PictureRequest) -> pl.DataFrame:
    store = request.store
    world = request.demonstrations.item(0, "world_sha")
    renders = {frame: render_sha(world, asked, frame) for frame in asked.frames or ()}
    found = {frame: store.find(sha) for frame, sha in renders.items()}
    pictures = {frame: sha for frame, sha in found.items() if sha is not None}
    missing = [frame for frame in renders if frame not in pictures]
    n_cached = len(pictures)

    def report(rendered: Progress) -> None:
        request.on_progress(pictures_made(n_cached + rendered.done, len(renders), n_cached))

    report(Progress(0, len(missing)))
    folder = Path(asked.output) / PICTURES_FOLDER
    files = {frame: folder / f"{frame:06d}.png" for frame in missing}

    def is_done() -> bool:
        # Variants that look alike share a folder: a different one may have stored pictures by now.
        return all(
            path.is_file() or store.find(renders[frame]) is not None
            for frame, path in files.items()
        )

    if not is_done():
        player().run(dataclasses.replace(asked, frames=tuple(missing)), is_done, report)
    for frame, path in files.items():
        try:
            pictures[frame] = store.put(path.read_bytes())
        except (OSError, EnactError) as error:
            put_away = store.find(renders[frame])
            if put_away is not None:
                pictures[frame] = put_away
                continue
            path.unlink(missing_ok=True)
            raise RenderError(f"{asked.demonstration}, frame {frame}: {path}: {error}") from error
        store.remember(renders[frame], pictures[frame])
        path.unlink(missing_ok=True)  # it is in the store now
    size = asked.view.size_px
    shown = {f: Shown(pictures[f], sha, size, size) for f, sha in renders.items()}
    return frame_images(request.wanted, request.variant.name, shown)


def render_sha(world_sha: str, asked: PlaybackRequest, frame: int) -> str:
    """Hash of everything that determines a picture: the recording, the frame, and how it is looked
    at.

    ``random`` robots have another colour in every frame of every demonstration.
    """
    coat = [asked.robot, asked.demonstration] if asked.robot == "random" else [asked.robot]
    view = dataclasses.asdict(asked.view) | lens_of(asked.view.projection)
    settings = [view, asked.mode, coat, asked.renders, asked.gpu_dynamics]
    if asked.full_scene_sha is not None:
        settings.append(asked.full_scene_sha)
    return content_sha(["omnigibson", PLAYER_VERSION, world_sha, frame, settings])
