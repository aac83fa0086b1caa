"""Plays one demonstration back: its facts and views as intervals, or pictures of some frames."""

import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, Protocol

import omnigibson as og
from omnigibson.envs.data_wrapper import DataPlaybackWrapper
from omnigibson.envs.env_wrapper import EnvironmentWrapper
from omnigibson.macros import gm
from PIL import Image

from enact_assets.replay.omnigibson_player import look
from enact_assets.replay.omnigibson_player.chunks import chunks_of
from enact_assets.replay.omnigibson_player.demonstration_file import DemonstrationFile
from enact_assets.replay.omnigibson_player.gpu_dynamics import uses_gpu_dynamics
from enact_assets.replay.omnigibson_player.intervals import IntervalWriter
from enact_assets.replay.omnigibson_player.request import (
    PICTURES_FOLDER,
    REPLAY_FILE,
    PlaybackRequest,
    RefusalError,
)
from enact_assets.replay.omnigibson_player.scene_facts import SceneFacts
from enact_assets.replay.omnigibson_player.sight import boxes

EXCERPT = "excerpt-"

Progress = Callable[[int, int], None]
"""Hears frames done and frames in all."""


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


class WatchedEnvironment(EnvironmentWrapper):  # type: ignore[misc]  # it is not installed here
    """Calls ``after_step`` after every step: the playback wrapper itself has no such hook."""

    def __init__(self, env: Any, after_step: Callable[[], None]) -> None:
        self._after_step = after_step
        super().__init__(env=env)

    def step(self, action: Any, n_render_iterations: int = 1) -> Any:
        """As the environment does, and then tells."""
        result = self.env.step(action=action, n_render_iterations=n_render_iterations)
        self._after_step()
        return result


class FactsWatcher:
    """Writes all facts, and the box of everything the camera sees."""

    modality = "seg_instance"

    def __init__(self, request: PlaybackRequest, writer: IntervalWriter) -> None:
        self._request = request
        self._writer = writer
        self._facts = SceneFacts(writer)

    def restart(self) -> None:
        """As in :class:`Watcher`."""
        self._facts.restart()

    def look(self, env: Any, sensor: Any, frame: int) -> None:
        """As in :class:`Watcher`."""
        facts, names = self._facts.at(env.scene)
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


def play(request: PlaybackRequest, progress: Progress) -> None:
    """Do what ``request`` asks for. What was finished before is kept: pictures one by one, facts
    of a demonstration as a whole.

    Errors: :class:`RefusalError` for what trying again would not change.
    """
    output = Path(request.output)
    source = DemonstrationFile(request.file)
    try:
        n_frames = source.n_frames(request.episode)
        set_up_omnigibson(
            gpu_dynamics=uses_gpu_dynamics(
                request.where,
                source.scene_file,
                source.systems_added(request.episode),
                Path(gm.DATASET_PATH),
                requested=request.gpu_dynamics,
            )
        )
        if request.frames is not None:
            _play_pictures(request, source, n_frames, output / PICTURES_FOLDER, progress)
            return
        view = request.view
        header = {
            "demonstration": request.demonstration,
            "activity": source.activity,
            "frame_rate_hz": source.frame_rate_hz,
            "source_sha": source.sha(request.episode),
            "camera": view.name,
            "omnigibson": og.__version__,
        }
        with IntervalWriter(output / REPLAY_FILE, header) as writer:
            watcher = FactsWatcher(request, writer)
            _play(request, source, range(n_frames), watcher, progress)
            writer.finish(n_frames)
    finally:
        source.close()
        shutil.rmtree(og.tempdir, ignore_errors=True)  # its own way out is not taken


def _play_pictures(
    request: PlaybackRequest,
    source: DemonstrationFile,
    n_frames: int,
    folder: Path,
    progress: Progress,
) -> None:
    frames = sorted(set(request.frames or ()))
    outside = [frame for frame in frames if not 0 <= frame < n_frames]
    if outside:
        raise RefusalError(
            f"{request.where}: {len(outside)} frames outside the demonstration's {n_frames}, the "
            f"first: {outside[0]}"
        )
    folder.mkdir(parents=True, exist_ok=True)
    missing = {frame for frame in frames if not picture_path(folder, frame).is_file()}
    if missing:
        _play(request, source, missing, PictureWatcher(request, folder), progress)


def _play(
    request: PlaybackRequest,
    source: DemonstrationFile,
    wanted: Collection[int],
    watcher: Watcher,
    progress: Progress,
) -> None:
    """Play all frames up to the last one ``wanted``, and look at those that are."""
    robot = source.robot()
    chunks = chunks_of(max(wanted) + 1, request.chunk_frames)
    for left in Path(request.output).glob(f"{EXCERPT}*"):  # by a player that was killed
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=request.output, prefix=EXCERPT) as folder:
        excerpt = os.path.join(folder, "excerpt.hdf5")  # noqa: PTH118 # OmniGibson wants text
        source.write_excerpt(request.episode, [c.played for c in chunks], Path(excerpt))
        playback = DataPlaybackWrapper.create_from_hdf5(
            input_path=excerpt,
            output_path=os.path.join(folder, "observations.hdf5"),  # noqa: PTH118
            robot_obs_modalities=[],
            external_sensors_config=[
                look.sensor_config(request.view, robot.prim_path, watcher.modality)
            ],
            n_render_iterations=1,
            only_successes=False,
        )
        env = playback.env
        sensor = _checked_sensor(env, request)
        look.set_lens(sensor, request.view)
        look.set_renderer(request.mode)
        n_done = 0
        frames: Iterator[int] = iter(())
        chunk = chunks[0]
        kept: Any = None

        def after_step() -> None:
            nonlocal n_done, kept
            frame = next(frames)
            if frame == chunk.restore_after:  # what sleeps is in no row of this chunk
                og.sim.load_state(kept, serialized=False)
            if frame == chunk.keep_after:
                kept = og.sim.dump_state(serialized=False)
            if frame >= chunk.first_new and frame in wanted:
                watcher.look(env, sensor, frame)
                n_done += 1
                progress(n_done, len(wanted))

        playback.env = WatchedEnvironment(env, after_step)
        for k, chunk in enumerate(chunks):  # after_step reads it
            frames = iter(chunk.played)
            watcher.restart()
            playback.playback_episode(episode_id=k, record=False)
            stopped = next(frames, None)
            if stopped is not None:
                raise RuntimeError(f"{request.where}: playback stopped before frame {stopped}")


def set_up_omnigibson(*, gpu_dynamics: bool) -> None:
    """Global switches, which have to be set before the simulator starts."""
    gm.HEADLESS = True
    gm.RENDER_VIEWER_CAMERA = False
    gm.USE_GPU_DYNAMICS = gpu_dynamics
    gm.ENABLE_HQ_RENDERING = True  # otherwise it turns the effects of the ray tracer off
    gm.ENABLE_OBJECT_STATES = True
    gm.ENABLE_TRANSITION_RULES = False  # transitions come from the recording


def _checked_sensor(env: Any, request: PlaybackRequest) -> Any:
    """The camera, on a link that is there: a missing one would leave it hanging in the air."""
    robots, view = env.scene.robots, request.view
    if len(robots) != 1:
        raise RefusalError(f"{request.where}: {len(robots)} robots in the scene, expected one")
    if view.link not in robots[0].links:
        known = ", ".join(sorted(robots[0].links))
        raise RefusalError(
            f"{request.where}: robot {robots[0].name!r} has no link {view.link!r} to put the "
            f"camera on (it has: {known})"
        )
    return env.external_sensors[view.name]


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
