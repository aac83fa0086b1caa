"""Plays one demonstration back: its facts and views as intervals, or pictures of some frames."""

import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import omnigibson as og
from omnigibson.envs.env_wrapper import EnvironmentWrapper

from enact_assets.demonstrations.replay.omnigibson_player import look
from enact_assets.demonstrations.replay.omnigibson_player.demonstration_file import (
    DemonstrationFile,
)
from enact_assets.demonstrations.replay.omnigibson_player.excerpts import chunks_of, write_excerpt
from enact_assets.demonstrations.replay.omnigibson_player.installed import (
    Installed,
    found_at,
    parameters_of,
)
from enact_assets.demonstrations.replay.omnigibson_player.playable import (
    data_of,
    set_switch,
    uses_gpu_dynamics,
)
from enact_assets.demonstrations.replay.omnigibson_player.reply import IntervalWriter
from enact_assets.demonstrations.replay.omnigibson_player.request import (
    PICTURES_FOLDER,
    REPLAY_FILE,
    PlaybackRequest,
    RefusalError,
)
from enact_assets.demonstrations.replay.omnigibson_player.watchers import (
    FactsWatcher,
    PictureWatcher,
    Watcher,
    facts_of,
    picture_path,
)

EXCERPT = "excerpt-"


class WatchedEnvironment(EnvironmentWrapper):  # type: ignore[misc]  # it is not installed here
    """Calls ``after_step`` after every step: the playback wrapper itself has no such hook."""

    def __init__(self, env: Any, after_step: Callable[[], None]) -> None:
        self._after_step = after_step
        super().__init__(env=env)

    def step(self, action: Any, n_render_iterations: int = 1, **more: Any) -> Any:
        """As the environment does, and calls ``after_step`` then."""
        result = self.env.step(action=action, n_render_iterations=n_render_iterations, **more)
        self._after_step()
        return result


def play(
    request: PlaybackRequest, installed: Installed, progress: Callable[[int, int], None]
) -> None:
    """Do what ``request`` asks for, with what is ``installed``. What was finished before is kept:
    pictures one by one, facts of a demonstration as a whole.

    Errors: :class:`RefusalError` for what trying again would not change.
    """
    output = Path(request.output)
    source = DemonstrationFile(request.file)
    try:
        n_frames = source.n_frames(request.episode)
        set_up_omnigibson(request, installed, source)
        if request.frames is not None:
            folder = output / PICTURES_FOLDER
            missing = _missing_pictures(request, n_frames, folder)
            if missing:
                pictures = PictureWatcher(request, folder)
                play_frames(request, installed, source, pictures, wanted=missing, progress=progress)
            return
        header = header_of(request, installed, source)
        with IntervalWriter(output / REPLAY_FILE, header) as writer:
            facts = facts_of(request, installed, source, writer)
            watcher = FactsWatcher(request, writer, facts)
            every = range(n_frames)
            play_frames(request, installed, source, watcher, wanted=every, progress=progress)
            writer.finish(n_frames)
    finally:
        source.close()
        shutil.rmtree(og.tempdir, ignore_errors=True)  # its own way out is not taken


def header_of(
    request: PlaybackRequest, installed: Installed, source: DemonstrationFile
) -> dict[str, Any]:
    """What a reply says about all of a demonstration."""
    return {
        "demonstration": request.demonstration,
        "activity": source.activity,
        "frame_rate_hz": source.frame_rate_hz,
        "source_sha": source.sha(request.episode),
        "camera": request.view.name,
        "omnigibson": installed.version,
    }


def _missing_pictures(request: PlaybackRequest, n_frames: int, folder: Path) -> set[int]:
    """Frames that were asked for and have no picture in ``folder``, which is made."""
    frames = sorted(set(request.frames or ()))
    outside = [frame for frame in frames if not 0 <= frame < n_frames]
    if outside:
        raise RefusalError(
            f"{request.where}: {len(outside)} frames outside the demonstration's {n_frames}, the "
            f"first: {outside[0]}"
        )
    folder.mkdir(parents=True, exist_ok=True)
    return {frame for frame in frames if not picture_path(folder, frame).is_file()}


def play_frames(
    request: PlaybackRequest,
    installed: Installed,
    source: DemonstrationFile,
    watcher: Watcher,
    *,
    wanted: Collection[int],
    progress: Callable[[int, int], None],
) -> None:
    """Play all frames up to the last one ``wanted``, and look at those that are."""
    robot = source.robot()
    chunks = chunks_of(max(wanted) + 1, request.chunk_frames)
    for left in Path(request.output).glob(f"{EXCERPT}*"):  # by a player that was killed
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=request.output, prefix=EXCERPT) as folder:
        excerpt = os.path.join(folder, "excerpt.hdf5")  # noqa: PTH118 # OmniGibson wants text
        parts = [c.played for c in chunks]
        write_excerpt(source, request.episode, parts, Path(excerpt), installed)
        playback = found_at(installed.playback).create_from_hdf5(
            input_path=excerpt,
            output_path=os.path.join(folder, "observations.hdf5"),  # noqa: PTH118
            robot_obs_modalities=[],
            external_sensors_config=[
                look.sensor_config(request.view, robot.prim_path, watcher.modalities)
            ],
            n_render_iterations=1,
            only_successes=False,
            **_more_arguments(request, installed),
        )
        env = playback.env
        sensor = _checked_sensor(env, request)
        look.set_lens(sensor, request)
        look.set_renderer(request.mode)
        n_done = 0
        frames: Iterator[int | None] = iter(())
        chunk = chunks[0]
        kept: Any = None

        def after_step() -> None:
            nonlocal n_done, kept
            frame = next(frames)
            if frame is None:
                return
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
            frames = iter([*[None] * installed.lead_in_steps, *chunk.played])
            playback.playback_episode(episode_id=k, **{installed.record_argument: False})
            unplayed = [frame for frame in frames if frame is not None]
            if unplayed:
                raise RefusalError(
                    f"{request.where}: OmniGibson {installed.version} returned from playback "
                    f"before frame {unplayed[0]} without an error, as it does where the file lacks "
                    "something. What it printed is at the end of player.log."
                )


def set_up_omnigibson(
    request: PlaybackRequest, installed: Installed, source: DemonstrationFile
) -> None:
    """Global switches, which have to be set before the simulator starts."""
    gpu_dynamics = uses_gpu_dynamics(
        source,
        request.episode,
        data_of(installed).data_set,
        requested=request.gpu_dynamics,
    )
    switches = {
        "HEADLESS": True,
        "RENDER_VIEWER_CAMERA": False,
        "USE_GPU_DYNAMICS": gpu_dynamics,
        "ENABLE_HQ_RENDERING": True,  # otherwise it turns the effects of the ray tracer off
        "ENABLE_OBJECT_STATES": True,
        "ENABLE_TRANSITION_RULES": False,  # transitions come from the recording
    }
    for name, value in switches.items():
        set_switch(name, value)


def _more_arguments(request: PlaybackRequest, installed: Installed) -> dict[str, Any]:
    """Arguments of ``create_from_hdf5`` that only some versions have."""
    known = parameters_of(f"{installed.playback}.create_from_hdf5")
    more: dict[str, Any] = {}
    if "include_task_obs" in known:
        more["include_task_obs"] = False  # nobody looks at them
    if request.full_scene_file is not None:
        if "full_scene_file" not in known:
            raise RefusalError(
                f"{request.where}: OmniGibson {installed.version} cannot add a full scene to a "
                "recorded one. Remove full_scene_file from omnigibson.json."
            )
        more["full_scene_file"] = request.full_scene_file
    return more


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
    sensors = env.external_sensors
    if isinstance(sensors, list):  # one dictionary per environment
        (sensors,) = sensors
    return sensors[view.name]
