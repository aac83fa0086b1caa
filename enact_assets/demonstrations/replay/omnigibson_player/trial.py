"""``--try FILE.hdf5``: play a demonstration on this machine and write a bundle of how it went.

The player was tested without Isaac Sim, so a new installation gets a report: what is installed,
whether the player fits it, whether pictures and boxes belong together, how fast it is. It plays
with the code that makes replays. The bundle is a folder with the facts and views of every frame,
pictures of some, and the report, as ``report.md`` for people and ``found.json`` for programs.
"""

import argparse
import json
import os
import platform
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from enact_assets.demonstrations.replay.omnigibson_player import installed as api
from enact_assets.demonstrations.replay.omnigibson_player import playable, watchers
from enact_assets.demonstrations.replay.omnigibson_player.demonstration_file import (
    DemonstrationFile,
)
from enact_assets.demonstrations.replay.omnigibson_player.facts import held_now
from enact_assets.demonstrations.replay.omnigibson_player.grasps import grasps, numbers_of
from enact_assets.demonstrations.replay.omnigibson_player.reply import Box, Fact, IntervalWriter
from enact_assets.demonstrations.replay.omnigibson_player.request import (
    FOUND_FILE,
    PICTURES_FOLDER,
    REFUSAL_FILE,
    REFUSED,
    REPLAY_FILE,
    REPORT_FILE,
    RULES,
    PlaybackRequest,
    RefusalError,
    View,
)

PACKAGES = ("isaacsim", "isaacsim-kernel", "bddl", "torch", "numpy", "h5py", "pillow")
SETTLE_RENDERS = 8
"""Renders after which a picture counts as settled: more than any replay uses."""
MOST_ROWS = 50  # of any table
BOX_RGB = (255, 40, 40)
BY_EYE = """\
- [ ] Each picture shows the scene from the robot's head camera, the right way up.
- [ ] Each box encloses the object whose name it has. Boxes beside their objects mean that
  segmentation lags, or that the picture is of another frame.
- [ ] Colours, shadows and textures look as in the benchmark's own pictures of this activity.
- [ ] Objects stand on what they stood on: nothing floats, sinks in or has fallen.
- [ ] Where a hand holds something in the picture, the table of grasps says so."""
"""What a person has to look at: no number says it."""
Pose = tuple[list[float], list[float]]
"""Position in metres, orientation as a quaternion (x, y, z, w)."""
Row = Sequence[Any]
Named = Mapping[str, Any]
Progress = Callable[[int, int], None]


class Report:
    """Sections in their order, by heading: what they say, and a table."""

    def __init__(self, folder: Path, title: str) -> None:
        self._folder, self._title = folder, title
        self.sections: dict[str, Named] = {}

    def add(self, heading: str, text: str, header: Row = (), rows: Sequence[Row] = ()) -> None:
        """Add a section; of the longest tables the first rows only."""
        self.sections[heading] = {"text": text, "header": header, "rows": rows[:MOST_ROWS]}

    def write(self) -> None:
        """Write it as it is now: Isaac Sim may end the process without a word."""
        text = "\n\n".join([f"# {self._title}", *map(_markdown, self.sections.items())])
        (self._folder / REPORT_FILE).write_text(f"{text}\n", encoding="utf-8")
        (self._folder / FOUND_FILE).write_text(json.dumps(self.sections, indent=1))


def _markdown(named: tuple[str, Named]) -> str:
    heading, section = named
    header = section["header"]
    lines = [header, ["---"] * len(header), *section["rows"]] if header else []
    cells = [[_text(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in lines]
    table = "\n".join(f"| {' | '.join(row)} |" for row in cells)
    return "\n\n".join(part for part in (f"## {heading}", section["text"], table) if part)


def _text(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def try_here(arguments: Sequence[str], progress_in: Callable[[Path], Progress]) -> int:
    """Try what ``arguments`` ask for; 0 if the frames were played. ``progress_in`` is given the
    folder. The report is written also if it gets no further than the first step.
    """
    asked = _parser().parse_args(arguments)
    folder = Path(asked.to)
    (folder / PICTURES_FOLDER).mkdir(parents=True, exist_ok=True)
    report = Report(folder, f"Trial of OmniGibson with {Path(asked.file).name}")
    code = 0
    try:
        _try(asked, folder, report, progress_in(folder))
    except RefusalError as error:
        report.add("It stops here", str(error))
        (folder / REFUSAL_FILE).write_text(str(error))
        code = REFUSED
    except Exception:  # noqa: BLE001 # the report says what was found until then
        report.add("It failed here", traceback.format_exc())
        traceback.print_exc()
        code = 1
    report.write()
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="--try", description=__doc__)
    parser.add_argument("file", help="a file of raw demonstrations")
    parser.add_argument("--episode", type=int, help="N of demo_N; the longest if it is left out")
    parser.add_argument("--frames", type=int, help="frames to play; all if it is left out")
    parser.add_argument("--pictures", type=int, default=10, help="how many of them to look at")
    parser.add_argument("--to", default="omnigibson_try", help="folder of the bundle")
    parser.add_argument("--rules", choices=RULES, help="enact for BEHAVIOR tasks, otherwise all")
    return parser


def _try(asked: argparse.Namespace, folder: Path, report: Report, progress: Progress) -> None:
    source = DemonstrationFile(asked.file)
    listed = source.describe()["demonstrations"]
    if not listed:
        raise RefusalError(f"{asked.file}: none of its demonstrations can be played")
    about = next((d for d in listed if d["episode"] == asked.episode), listed[0])
    episode = about["episode"] if asked.episode is None else asked.episode
    n_frames = source.n_frames(episode)
    request = PlaybackRequest(
        demonstration=f"trial of demo_{episode}",
        file=asked.file,
        episode=episode,
        output=str(folder),
        view=View(**{k: about[k] for k in ("link", "position_m", "orientation_xyzw")}),
        rules=asked.rules or about["rules"],
    )
    _describe(report, source, request)
    found = _look_around(report, source, episode)
    from enact_assets.demonstrations.replay.omnigibson_player import playback

    report.write()
    n = min(asked.frames or n_frames, n_frames)
    pictured = {int(k) for k in np.linspace(0, n - 1, asked.pictures)}
    playback.set_up_omnigibson(request, found, source)
    header = playback.header_of(request, found, source)
    with IntervalWriter(folder / REPLAY_FILE, header) as writer:
        watcher = TrialWatcher(request, found, source, writer, pictured)
        playback.play_frames(request, found, source, watcher, wanted=range(n), progress=progress)
        writer.finish(n)
    watcher.say_what_was_seen(report, n_frames)


def _describe(report: Report, source: DemonstrationFile, request: PlaybackRequest) -> None:
    view, robot = request.view, source.robot()
    rows: list[Row] = [
        ["file, episode", f"{Path(request.file).name}, demo_{request.episode}"],
        ["activity", source.activity or "none"],
        ["frames", source.n_frames(request.episode)],
        ["recorded with OmniGibson", source.recorded_with or "the file does not say"],
        ["robot, how it grasps", f"{robot.prim_path}, {robot.grasping_mode}"],
        ["rules", request.rules],
        ["camera", f"{view.link}, {view.position_m} m, {view.orientation_xyzw} (x, y, z, w)"],
    ]
    report.add("Demonstration", "", ["what", "is"], rows)


def _look_around(report: Report, source: DemonstrationFile, episode: int) -> api.Installed:
    """Everything that can be found before anything is played.

    Errors: :class:`RefusalError` of the first that fails; the report has those before it.
    """
    versions = {"system": platform.platform(), "Python": sys.version.split()[0]}
    versions |= {p.name: p.version for p in distributions() if p.name.lower() in PACKAGES}
    installer = Path(os.environ.get("ISAAC_PATH", "/nowhere"))  # where it is no package
    versions |= {f"Isaac Sim {f.name}": f.read_text().strip() for f in installer.glob("VERSION")}
    try:
        versions["GPU, driver, memory"] = playable.check_gpu()
    finally:
        report.add("This machine", "", ["what", "version"], list(versions.items()))
    found = api.read_installed()
    problems = api.api_problems(found)
    text = (
        f"OmniGibson {found.version} has the features of {found.profile}. Each was found by "
        f"looking at its code. Of all that the player uses, {len(problems) or 'nothing'} is "
        "missing or has other arguments."
    )
    rows = [*sorted(asdict(found).items()), *(("differs", problem) for problem in problems)]
    report.add("OmniGibson", text, ["feature", "found"], rows)
    api.check_api(found)
    playable.check_playable(source, episode, found)
    playable.check_data(playable.data_of(found), source.scene_model)
    return found


@dataclass
class TrialWatcher:
    """A watcher of playback: writes facts and views of every frame, and looks closely at some."""

    request: PlaybackRequest
    found: api.Installed
    source: DemonstrationFile
    writer: IntervalWriter
    pictured: set[int]
    modalities: tuple[str, ...] = (watchers.COLOURS, watchers.LABELS)
    _since: float | None = None

    def __post_init__(self) -> None:
        self._facts = watchers.facts_of(self.request, self.found, self.source, self.writer)
        self._seconds: dict[str, list[float]] = {"playing": [], "facts": [], "rendering": []}
        self._is_in_state = playable.restores_grasps(self.source, self.request.episode, self.found)
        self._lag, self._grasps = list[list[Any]](), list[list[Any]]()

    def look(self, env: Any, sensor: Any, frame: int) -> None:
        """As in :class:`~enact_assets.demonstrations.replay.omnigibson_player.playback.Watcher`."""
        self._spent("playing")
        facts, names = self._facts.at(env, env.scene)
        self._spent("facts")
        if frame == 0:
            self._look_once(env, sensor)
        if frame in self.pictured:
            views = self._look_closely(env, sensor, names, frame)
        else:
            views = watchers.boxes_of(watchers.rendered(sensor, self.request.renders), names)
            self._spent("rendering")
        self.writer.add_frame(frame, facts, views)
        self._since = time.monotonic()

    def _spent(self, what: str) -> None:
        now = time.monotonic()
        if self._since is not None:
            self._seconds[what].append(now - self._since)
        self._since = now

    def _look_closely(self, env: Any, sensor: Any, names: set[str], frame: int) -> dict[str, Box]:
        """Picture, settling boxes and grasps; returns the boxes that a replay would store."""
        robot, renders = env.scene.robots[0], self.request.renders
        objects = {o.name: o for o in env.scene.objects if o.name in names}
        mode = self.source.robot().grasping_mode
        held = set[Fact](grasps(robot, mode, objects, is_in_state=self._is_in_state))
        said = held_now(robot, objects)
        for hand, _, name in sorted(held | said, key=str):
            by = ["yes" if (hand, robot.name, name) in facts else "no" for facts in (held, said)]
            self._grasps.append([frame, hand, name, *by])
        boxes: dict[int, dict[str, Box]] = {}
        for n in range(1, max(SETTLE_RENDERS, renders) + 1):
            seen = watchers.rendered(sensor, 1)
            boxes[n] = watchers.boxes_of(seen, names)
            if n == renders:
                pixels = watchers.to_array(seen[0][watchers.COLOURS])
                folder = Path(self.request.output) / PICTURES_FOLDER
                save_beside(pixels, boxes[n], watchers.picture_path(folder, frame))
        late = lagging(boxes, renders)
        counts = [len(boxes[max(boxes)]), len(lagging(boxes, 1)), len(late)]
        self._lag.append([frame, *counts, ", ".join(late[:3])])
        return boxes[renders]

    def _look_once(self, env: Any, sensor: Any) -> None:
        objects = {o.name: o for o in env.scene.objects}
        registry = self.source.registries().get("object_registry", {})
        self._at_first: dict[str, Any] = {
            "camera": pose_of(sensor),
            "link": pose_of(env.scene.robots[0].links[self.request.view.link]),
            "moved": drift_of(registry, objects, [robot.name for robot in env.scene.robots]),
            "missing": sorted(set(registry) - set(objects)),
        }

    def say_what_was_seen(self, report: Report, n_frames: int) -> None:
        """Add all sections about what was played."""
        self._say_speed(report, n_frames)
        self._say_where_the_camera_is(report)
        self._say_lag(report)
        self._say_drift(report)
        self._say_grasps(report)
        folder = Path(PICTURES_FOLDER)
        shown = [f"![frame {k}]({watchers.picture_path(folder, k)})" for k in sorted(self.pictured)]
        report.add("Pictures, and the same with boxes", "\n\n".join(shown))
        report.add("To look at", BY_EYE)

    def _say_speed(self, report: Report, n_frames: int) -> None:
        means = {what: float(np.mean(s)) for what, s in self._seconds.items() if s}
        means["a replay"] = sum(means.values())
        header = ["what", "seconds per frame", f"hours for all {n_frames} frames"]
        rows = [[what, mean, mean * n_frames / 3600] for what, mean in means.items()]
        text = f"Means; {self.request.renders} renders each. Starting Isaac Sim is in none of them."
        report.add("Speed", text, header, rows)

    def _say_where_the_camera_is(self, report: Report) -> None:
        view = self.request.view
        position, turn = relative_pose(self._at_first["camera"], self._at_first["link"])
        away = float(np.linalg.norm(np.subtract(position, view.lifted_m)))
        text = (
            f"It is {away:.4f} m and {angle_deg(turn, view.orientation_xyzw):.2f} degrees from "
            "where it was asked for. More than a millimetre or a tenth of a degree is a fault."
        )
        shown = [np.round(numbers, 5).tolist() for numbers in (position, turn)]
        rows = [[f"in the frame of {view.link}", *shown]]
        rows += [["as asked for", view.lifted_m, view.orientation_xyzw]]
        report.add("Camera", text, ["what", "position in m", "orientation (x, y, z, w)"], rows)

    def _say_lag(self, report: Report) -> None:
        renders = self.request.renders
        text = (
            f"Each of these frames is rendered {max(SETTLE_RENDERS, renders)} times. Boxes that "
            f"still change after {renders}, as a replay does, are of an earlier frame."
        )
        header = ["frame", "objects seen", "change after 1 render", f"after {renders}", "such as"]
        report.add("Does segmentation lag behind the state?", text, header, self._lag)

    def _say_drift(self, report: Report) -> None:
        far = sorted(self._at_first["moved"].items(), key=lambda one: -one[1])
        missing = self._at_first["missing"]
        text = (
            f"{len(far)} objects at frame 0 beside their pose in the scene file. Furniture must "
            "not move; many objects that have moved point to another version of the assets. "
            f"{len(missing)} objects of the scene file are not in the scene: "
            f"{', '.join(missing[:3]) or 'none'}."
        )
        report.add("Do assets stand where they were recorded?", text, ["object", "moved by m"], far)

    def _say_grasps(self, report: Report) -> None:
        text = (
            f"{len(self._grasps)} grasps; the rule of rules 'enact' (gripper, contact, ray) and "
            f"OmniGibson's is_grasping differ in {sum(row[3] != row[4] for row in self._grasps)}. "
            "Before 3.9 OmniGibson does not restore assisted grasps, so there the rule alone can "
            "be right."
        )
        header = ["frame", "hand", "object", "by the rule", "by is_grasping"]
        report.add("Grasps", text, header, self._grasps)


def lagging(boxes: Mapping[int, Mapping[str, Box]], renders: int) -> list[str]:
    """Objects whose box after so many ``renders`` differs from the one after the last."""
    settled, then = boxes[max(boxes)], boxes[renders]
    return sorted(n for n in {*settled, *then} if settled.get(n) != then.get(n))


def save_beside(pixels: Any, boxes: Mapping[str, Box], path: Path) -> None:
    """Write a PNG file of ``pixels`` (height, width, 3 or 4), beside itself with ``boxes``."""
    plain = Image.fromarray(np.ascontiguousarray(np.asarray(pixels)[..., :3].astype("uint8")))
    both = Image.new("RGB", (2 * plain.width, plain.height))
    both.paste(plain, (0, 0))
    pen = ImageDraw.Draw(plain)
    for name, (_, x_min, y_min, x_max, y_max, *_) in sorted(boxes.items()):
        pen.rectangle((x_min, y_min, x_max, y_max), outline=BOX_RGB)
        pen.text((x_min + 2, y_min + 1), name, fill=BOX_RGB)
    both.paste(plain, (plain.width, 0))
    both.save(path, "PNG")


def drift_of(registry: Named, objects: Named, robots: Sequence[str]) -> dict[str, float]:
    """Distance in metres between where the scene file puts an object and where it is.

    ``registry`` is the object registry of the scene file; robots move at once and are left out.
    """
    found: dict[str, float] = {}
    for name, state in registry.items():
        recorded = state.get("root_link", {}).get("pos")
        if recorded is not None and name in objects and name not in robots:
            position, _ = pose_of(objects[name])
            found[name] = float(np.linalg.norm(np.subtract(position, recorded)))
    return found


def pose_of(thing: Any) -> Pose:
    """Pose of a prim in the world."""
    position, orientation = (numbers_of(t).tolist() for t in thing.get_position_orientation())
    return position, orientation


def relative_pose(pose: Pose, base: Pose) -> Pose:
    """``pose`` in the frame of ``base``, both given in the world."""
    x, y, z, w = base[1]
    back = [-x, -y, -z, w]
    moved = [*np.subtract(pose[0], base[0]).tolist(), 0.0]
    return _product(_product(back, moved), base[1])[:3], _product(back, pose[1])


def angle_deg(a: Sequence[float], b: Sequence[float]) -> float:
    """Angle between two orientations; a quaternion and its negative are the same."""
    dot = abs(float(np.dot(a, b)) / float(np.linalg.norm(a) * np.linalg.norm(b)))
    return float(np.degrees(2 * np.arccos(min(dot, 1.0))))


def _product(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """Product of two quaternions (x, y, z, w)."""
    vector = np.cross(a[:3], b[:3]) + a[3] * np.asarray(b[:3]) + b[3] * np.asarray(a[:3])
    return [*vector.tolist(), float(a[3] * b[3] - np.dot(a[:3], b[:3]))]
