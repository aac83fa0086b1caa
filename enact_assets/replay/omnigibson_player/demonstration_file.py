"""Raw demonstrations in robomimic layout: contents of a file, and excerpts to play.

The playback wrapper loads all states of an episode into memory. An excerpt is a file of the same
layout whose episodes are parts of one demonstration. A part begins with the scene file and the
first state; objects that came or went until its first frame come or go with that one. Rows of
``state`` hold only objects that are awake: to play a part, one must know where the others are.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py

from enact_assets.replay.omnigibson_player.request import RefusalError

Change = dict[str, dict[str, list[Any]]]
"""systems/objects -> add/remove -> names, or how to make an object."""

PER_STATE = ("state", "state_size")
PER_ACTION = ("action", "reward", "terminated", "truncated")
ROWS_AT_ONCE = 1000
PHYSICAL = "physical"
"""How grippers hold by friction alone; the default of OmniGibson's robots, with exceptions."""
GRASPING_OF: Mapping[str, str] = {"BehaviorRobot": "assisted"}
"""Classes of robots that grasp otherwise if nothing is said; scene files hold what was said."""


@dataclass(frozen=True)
class Robot:
    """The robot of a demonstration, as far as a camera on it and its hands need to know."""

    name: str
    prim_path: str
    grasping_mode: str


class DemonstrationFile:
    """One file of demonstrations, open for reading.

    Errors of all methods: :class:`RefusalError` names file, episode, and what is missing.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        if not Path(path).is_file():
            raise RefusalError(f"{path}: there is no such file")
        try:
            self._file = h5py.File(path, "r")
        except OSError as error:
            raise RefusalError(f"{path}: is not a readable HDF5 file ({error})") from None
        if "data" not in self._file:
            raise RefusalError(f"{path}: no group 'data'; expected robomimic layout, data/demo_N")
        self._data = self._file["data"]
        self.config = self._metadata("config")
        self.scene_file = self._metadata("scene_file")

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def episodes(self) -> list[int]:
        """Numbers of its demonstrations, ascending."""
        names = [n for n in self._data if n.startswith("demo_") and n[5:].isdigit()]
        return sorted(int(n[5:]) for n in names)

    def describe(self) -> dict[str, list[dict[str, Any]]]:
        """``demonstrations``: episode, frames, activity and frame rate of each; ``unusable``:
        episodes that cannot be played, and why.
        """
        usable: list[dict[str, Any]] = []
        unusable: list[dict[str, Any]] = []
        about = {"activity": self.activity, "frame_rate_hz": self.frame_rate_hz}
        for k in self.episodes():
            try:
                self._transitions(k)
                usable.append({"episode": k, "n_frames": self.n_frames(k), **about})
            except RefusalError as error:
                unusable.append({"episode": k, "reason": str(error)})
        return {"demonstrations": usable, "unusable": unusable}

    @property
    def activity(self) -> str:
        """The BEHAVIOR activity; empty for other tasks."""
        return str(self.config.get("task", {}).get("activity_name") or "")

    @property
    def frame_rate_hz(self) -> float:
        """States per second: one per action."""
        return float(self.config.get("env", {}).get("action_frequency") or 30.0)

    @property
    def scene_model(self) -> str | None:
        """Name of the scene in OmniGibson's data set; None for an empty one."""
        name = self.config.get("scene", {}).get("scene_model")
        return str(name) if name else None

    def n_frames(self, episode: int) -> int:
        """Frames, which are states."""
        group = self._group(episode)
        missing = [n for n in (*PER_STATE, *PER_ACTION) if n not in group]
        if missing:
            raise RefusalError(
                f"{self.path}, demo_{episode}: no {', '.join(missing)}. Only raw demonstrations, "
                "written by OmniGibson's DataCollectionWrapper, can be played back."
            )
        n, n_actions = len(group["state"]), len(group["action"])
        if n != n_actions + 1:
            raise RefusalError(
                f"{self.path}, demo_{episode}: {n} states and {n_actions} actions; expected one "
                "state more than actions. The recording was cut off."
            )
        return n

    def robot(self) -> Robot:
        """The one robot, which the scene file has or else the settings."""
        infos = self.scene_file.get("objects_info", {}).get("init_info", {})
        found = [
            _robot(info["class_name"], {"name": name, **info.get("args", {})})
            for name, info in infos.items()
            if str(info.get("class_module", "")).startswith("omnigibson.robots")
        ]
        if not found:
            robots = self.config.get("robots", [])
            found = [_robot(r["type"], r) for r in robots if "name" in r]
        if len(found) != 1:
            names = ", ".join(robot.name for robot in found) or "none"
            raise RefusalError(f"{self.path}: expected one robot with a name, found {names}")
        return found[0]

    def systems_added(self, episode: int) -> set[str]:
        """Names of particle systems that come while it is played."""
        changes = self._transitions(episode).values()
        return {str(n) for change in changes for n in change.get("systems", {}).get("add", [])}

    def sha(self, episode: int) -> str:
        """Hash of everything that determines what is played, in hexadecimal."""
        group = self._group(episode)
        total = hashlib.sha256()
        for part in (self.config, self.scene_file, self._transitions(episode)):
            total.update(json.dumps(part, sort_keys=True).encode())
        for name in (*PER_STATE, "action"):
            for start in range(0, len(group[name]), ROWS_AT_ONCE):
                total.update(group[name][start : start + ROWS_AT_ONCE].tobytes())
        return total.hexdigest()

    def write_excerpt(self, episode: int, chunks: Sequence[Sequence[int]], path: Path) -> None:
        """Write ``path`` with one episode per chunk of successive frames; each is played back as so
        many steps of the environment.

        Cameras of the robot are left out: nothing would use their pictures.
        """
        group, transitions = self._group(episode), self._transitions(episode)
        config = json.loads(json.dumps(self.config))
        config.setdefault("env", {})["automatic_reset"] = False  # it would restart the scene
        config.setdefault("robots", [])
        scene = json.loads(json.dumps(self.scene_file))
        for info in scene.get("objects_info", {}).get("init_info", {}).values():
            if "obs_modalities" in info.get("args", {}):
                info["args"]["obs_modalities"] = []
        with h5py.File(path, "w") as file:
            data = file.create_group("data")
            data.attrs["config"] = json.dumps(config)
            data.attrs["scene_file"] = json.dumps(scene)
            data.attrs["n_episodes"] = len(chunks)
            for k, frames in enumerate(chunks):
                demo = data.create_group(f"demo_{k}")
                # The wrapper loads state 0 first, and then one state per action.
                _copy(group, demo, PER_STATE, [0, *frames])
                _copy(group, demo, PER_ACTION, [max(frame - 1, 0) for frame in frames])
                demo.attrs["transitions"] = json.dumps(excerpt_transitions(transitions, frames))

    def _transitions(self, episode: int) -> dict[int, Change]:
        text = self._group(episode).attrs.get("transitions")
        if text is None:
            raise RefusalError(
                f"{self.path}, demo_{episode}: no attribute 'transitions', so it is unknown which "
                "objects come and go"
            )
        try:
            return {int(step): change for step, change in json.loads(text).items()}
        except (ValueError, AttributeError) as error:
            raise RefusalError(
                f"{self.path}, demo_{episode}: attribute 'transitions' is not JSON ({error})"
            ) from None

    def _group(self, episode: int) -> Any:
        if f"demo_{episode}" not in self._data:
            known = ", ".join(f"demo_{k}" for k in self.episodes()) or "none"
            raise RefusalError(f"{self.path}: no demo_{episode} (there: {known})")
        return self._data[f"demo_{episode}"]

    def _metadata(self, name: str) -> dict[str, Any]:
        text = self._data.attrs.get(name)
        what = "the scene file it was recorded in" if name == "scene_file" else "its settings"
        if text is None:
            raise RefusalError(f"{self.path}: data has no attribute {name!r}, which is {what}")
        try:
            found = json.loads(text)
        except ValueError as error:
            raise RefusalError(f"{self.path}: attribute {name!r} is not JSON ({error})") from None
        if not isinstance(found, dict):
            raise RefusalError(f"{self.path}: attribute {name!r} is not a JSON object")
        return found


def excerpt_transitions(
    transitions: Mapping[int, Change], frames: Sequence[int]
) -> dict[str, Change]:
    """What comes and goes before each of ``frames``, by its place among them.

    ``transitions`` are keyed by step; step i leads to frame i + 1. What came and went in between is
    left out, what went and came again stays.
    """
    found: dict[str, Change] = {}
    done = 0
    for place, frame in enumerate(frames):
        steps = [step for step in sorted(transitions) if done <= step < frame]
        net = _net([transitions[step] for step in steps])
        if net is not None:
            found[str(place)] = net
        done = max(done, frame)
    return found


def _net(changes: Sequence[Change]) -> Change | None:
    net: Change = {}
    for kind in ("systems", "objects"):
        first: dict[str, str] = {}
        last: dict[str, tuple[str, Any]] = {}
        for change in changes:
            for operation, info in _in_order(change.get(kind, {})):
                name = _name(info)
                first.setdefault(name, operation)
                last[name] = (operation, info)
        net[kind] = {
            operation: [i for n, (o, i) in last.items() if o == operation == first[n]]
            for operation in ("add", "remove")
        }
    is_empty = not any(net[kind][o] for kind in net for o in ("add", "remove"))
    return None if is_empty else net


def _in_order(change: Mapping[str, list[Any]]) -> list[tuple[str, Any]]:
    """As the wrapper plays one step: what is added goes first."""
    return [(o, info) for o in ("add", "remove") for info in change.get(o, [])]


def _name(info: Any) -> str:
    return str(info["args"]["name"]) if isinstance(info, dict) else str(info)


def _robot(class_name: str, args: Mapping[str, Any]) -> Robot:
    name = str(args["name"])
    path = args.get("relative_prim_path") or f"/controllable__{class_name.lower()}__{name}"
    unsaid = GRASPING_OF.get(class_name, PHYSICAL)
    return Robot(name, str(path), str(args.get("grasping_mode") or unsaid))


def _copy(group: Any, to: Any, names: Sequence[str], rows: Sequence[int]) -> None:
    for name in names:
        given = group[name]
        copy = to.create_dataset(name, shape=(len(rows), *given.shape[1:]), dtype=given.dtype)
        for start in range(0, len(rows), ROWS_AT_ONCE):
            part = rows[start : start + ROWS_AT_ONCE]
            low, high = min(part), max(part) + 1
            if high - low <= 4 * ROWS_AT_ONCE:
                block = given[low:high][[row - low for row in part]]
                copy[start : start + len(part)] = block
            else:  # far apart: one by one, or the gaps would be read too
                for k, row in enumerate(part):
                    copy[start + k] = given[row]
