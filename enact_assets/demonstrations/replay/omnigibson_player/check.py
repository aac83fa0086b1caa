"""``--check FILE.hdf5``: play some frames on this machine and report what a person should know.

The player was tested without Isaac Sim, so a new installation gets a report: what is installed,
whether the player fits it, whether pictures and boxes belong together, how fast it is. It plays
with the code that makes replays.
"""

import argparse
import time
import traceback
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from enact_assets.demonstrations.replay.omnigibson_player import machine
from enact_assets.demonstrations.replay.omnigibson_player.check_measures import (
    Found,
    Look,
    drift_of,
    pose_of,
    save_beside,
)
from enact_assets.demonstrations.replay.omnigibson_player.check_report import (
    SETTLE_RENDERS,
    Report,
    add_sections,
    picture_name,
)
from enact_assets.demonstrations.replay.omnigibson_player.demonstration_file import (
    DemonstrationFile,
)
from enact_assets.demonstrations.replay.omnigibson_player.grasps import grasps
from enact_assets.demonstrations.replay.omnigibson_player.installed import Installed, read_installed
from enact_assets.demonstrations.replay.omnigibson_player.intervals import Box
from enact_assets.demonstrations.replay.omnigibson_player.playable import (
    check_playable,
    restores_grasps,
)
from enact_assets.demonstrations.replay.omnigibson_player.request import (
    REFUSAL_FILE,
    REFUSED,
    RULES,
    PlaybackRequest,
    RefusalError,
    View,
)
from enact_assets.demonstrations.replay.omnigibson_player.used_api import check_api


def check(arguments: Sequence[str]) -> int:
    """Run the check that ``arguments`` ask for; 0 if the frames were played.

    Writes ``report.md`` and ``report.html``, also if it gets no further than the first step.
    """
    asked = _parser().parse_args(arguments)
    folder = Path(asked.to)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / REFUSAL_FILE).unlink(missing_ok=True)
    report = Report(f"Check of OmniGibson with {Path(asked.file).name}")
    found, code = Found(), 0
    try:
        _check(asked, folder, report, found)
    except RefusalError as error:
        report.heading("It stops here")
        report.paragraph(str(error))
        (folder / REFUSAL_FILE).write_text(str(error))
        code = REFUSED
    except Exception:  # noqa: BLE001 # the report says what was found until then
        report.heading("It failed here")
        report.paragraph(traceback.format_exc())
        traceback.print_exc()
        code = 1
    for file in report.write(folder):
        print(file)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="--check", description=__doc__)
    parser.add_argument("file", help="a file of raw demonstrations")
    parser.add_argument("--episode", type=int, help="N of demo_N; the longest if it is left out")
    parser.add_argument("--frames", type=int, default=200, help="frames to play")
    parser.add_argument("--looks", type=int, default=8, help="how many of them to look at")
    parser.add_argument("--to", default="omnigibson_check", help="folder of the report")
    parser.add_argument("--rules", choices=RULES, help="enact for BEHAVIOR tasks, otherwise all")
    return parser


def _check(asked: argparse.Namespace, folder: Path, report: Report, found: Found) -> None:
    source = DemonstrationFile(asked.file)
    listed = source.describe()["demonstrations"]
    if not listed:
        raise RefusalError(f"{asked.file}: none of its demonstrations can be played")
    about = next((d for d in listed if d["episode"] == asked.episode), listed[0])
    episode = about["episode"] if asked.episode is None else asked.episode
    n_frames = source.n_frames(episode)
    request = PlaybackRequest(
        demonstration=f"check of demo_{episode}",
        file=asked.file,
        episode=episode,
        output=str(folder),
        view=View(**{k: about[k] for k in ("link", "position_m", "orientation_xyzw")}),
        rules=asked.rules or about["rules"],
    )
    _installation(report, source, request, n_frames)
    installed = _steps(report, source, episode)
    wanted = np.unique(np.linspace(0, min(asked.frames, n_frames) - 1, asked.looks).astype(int))
    from enact_assets.demonstrations.replay.omnigibson_player.playback import (
        play_frames,
        set_up_omnigibson,
    )

    report.write(folder)  # Isaac Sim may end the process without a word
    set_up_omnigibson(request, installed, source)
    watcher = CheckWatcher(request, installed, source, folder, found)
    frames = [int(k) for k in wanted]
    play_frames(request, installed, source, watcher, wanted=frames, progress=_progress)
    add_sections(report, found, request.view, n_frames=n_frames, renders=request.renders)


def _installation(
    report: Report, source: DemonstrationFile, request: PlaybackRequest, n_frames: int
) -> None:
    view = request.view
    report.heading("Demonstration")
    report.table(
        ["what", "is"],
        [
            ["file, episode", request.where],
            ["activity", source.activity or "none"],
            ["frames", n_frames],
            ["recorded with OmniGibson", source.recorded_with or "the file does not say"],
            ["robot", source.robot().prim_path],
            ["grasping mode", source.robot().grasping_mode],
            ["rules", request.rules],
            ["camera", f"{view.link}, {view.position_m} m, {view.orientation_xyzw} (x, y, z, w)"],
        ],
    )


def _steps(report: Report, source: DemonstrationFile, episode: int) -> Installed:
    """Everything that can be found before anything is played.

    Errors: :class:`RefusalError` of the first that fails; the report has those before it.
    """
    report.heading("This machine")
    machine.check_gpu()
    report.paragraph("NVIDIA's driver lists a GPU.")
    installed = read_installed()
    report.paragraph(
        f"OmniGibson {installed.version} has the features of {installed.profile}. Each was found "
        "by looking at its code:"
    )
    report.table(["feature", "found"], sorted(asdict(installed).items()))
    check_api(installed)
    report.paragraph("All functions that the player calls exist, with the arguments that it gives.")
    check_playable(source, episode, installed)
    machine.check_data(machine.data_of(installed), source.scene_model)
    report.paragraph("Data set, assets, key and the scene are installed.")
    return installed


class CheckWatcher:
    """A watcher of playback: measures each frame that it looks at, and keeps its picture."""

    modalities: tuple[str, ...] = ("rgb", "seg_instance")

    def __init__(
        self,
        request: PlaybackRequest,
        installed: Installed,
        source: DemonstrationFile,
        folder: Path,
        found: Found,
    ) -> None:
        from enact_assets.demonstrations.replay.omnigibson_player.watchers import facts_of

        self._request, self._source, self._folder, self._found = request, source, folder, found
        self._facts = facts_of(request, installed, source, _Unwritten())
        self._is_in_state = restores_grasps(source, request.episode, installed)

    def look(self, env: Any, sensor: Any, frame: int) -> None:
        """As in :class:`~enact_assets.demonstrations.replay.omnigibson_player.playback.Watcher`."""
        from enact_assets.demonstrations.replay.omnigibson_player.scene_facts import held_now
        from enact_assets.demonstrations.replay.omnigibson_player.watchers import (
            COLOURS,
            boxes_of,
            rendered,
            to_array,
        )

        began = time.monotonic()
        _, names = self._facts.at(env, env.scene)
        facts_s = time.monotonic() - began
        objects = {o.name: o for o in env.scene.objects if o.name in names}
        robot = env.scene.robots[0]
        if self._found.camera is None:
            self._look_once(env, sensor)
        mode = self._source.robot().grasping_mode
        held = grasps(robot, mode, objects, is_in_state=self._is_in_state)
        said = held_now(robot, objects)
        boxes: dict[int, dict[str, Box]] = {}
        before = time.monotonic()
        for n in range(1, max(SETTLE_RENDERS, self._request.renders) + 1):
            seen = rendered(sensor, 1)
            boxes[n] = boxes_of(seen, names)
            if n == self._request.renders:
                pixels = to_array(seen[0][COLOURS])
                save_beside(pixels, boxes[n], self._folder / picture_name(frame))
        render_s = (time.monotonic() - before) / len(boxes)
        self._found.looks.append(
            Look(
                frame,
                frozenset(names),
                boxes,
                frozenset(held),
                frozenset(said),
                facts_s,
                render_s,
                began,
                time.monotonic(),
            )
        )

    def _look_once(self, env: Any, sensor: Any) -> None:
        objects = {o.name: o for o in env.scene.objects}
        robots = [robot.name for robot in env.scene.robots]
        registry = self._source.registries().get("object_registry", {})
        self._found.camera = pose_of(sensor)
        self._found.link = pose_of(env.scene.robots[0].links[self._request.view.link])
        self._found.drift_m = drift_of(registry, objects, robots)
        self._found.missing = sorted(set(registry) - set(objects))


class _Unwritten:
    """Takes what facts would write about objects."""

    def add_object(
        self, name: str, category: str, parents: Sequence[str] | None, *, is_particle_system: bool
    ) -> None:
        """Nothing is kept."""


def _progress(done: int, total: int) -> None:
    print(f"looked at {done} of {total} frames", flush=True)
