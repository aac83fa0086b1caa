"""Raw demonstrations in robomimic layout: what is in a file, whichever OmniGibson wrote it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py

from enact_assets.replay.omnigibson_player.grasps import PHYSICAL
from enact_assets.replay.omnigibson_player.request import (
    ALL,
    BASE_LINK,
    BASE_ORIENTATION_XYZW,
    BASE_POSITION_M,
    ENACT,
    RefusalError,
    View,
)

Change = dict[str, dict[str, list[Any]]]
"""systems/objects -> add/remove -> names, or how to make an object."""

PER_STATE = ("state", "state_size")
PER_ACTION = ("action", "reward", "terminated", "truncated")
INIT_METADATA = "init_metadata"
"""Group of what objects look like from the start; playback from 3.7 on does nothing without it."""
ROWS_AT_ONCE = 1000
BEHAVIOR_TASK = "BehaviorTask"
HAS_ZED_LINK = ("r1pro",)
"""Models of robots with a head camera where the authors' replay mounts its own."""
GRASPING_OF: Mapping[str, str] = {"BehaviorRobot": "assisted"}
"""Classes of robots that grasp otherwise if nothing is said; scene files hold what was said."""


@dataclass(frozen=True)
class Robot:
    """The robot of a demonstration, as far as a camera on it and its hands need to know."""

    name: str
    prim_path: str
    grasping_mode: str
    made_by: str | None = None
    """Module and class that make it, ``package.module:Class``; None if the file leaves it open."""
    model: str = ""
    """Its model, or else its class, in lower case."""


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
        """``demonstrations``: episode, frames, activity, frame rate, rules and camera of each, the
        longest first: a file may hold attempts that were given up; ``unusable``: episodes that
        cannot be played, and why.
        """
        usable: list[dict[str, Any]] = []
        unusable: list[dict[str, Any]] = []
        about = {
            "activity": self.activity,
            "frame_rate_hz": self.frame_rate_hz,
            "rules": ENACT if self.config.get("task", {}).get("type") == BEHAVIOR_TASK else ALL,
            **self._camera(),
        }
        for k in self.episodes():
            try:
                self.transitions(k)
                usable.append({"episode": k, "n_frames": self.n_frames(k), **about})
            except RefusalError as error:
                unusable.append({"episode": k, "reason": str(error)})
        usable.sort(key=lambda one: -one["n_frames"])
        return {"demonstrations": usable, "unusable": unusable}

    def _camera(self) -> dict[str, Any]:
        """Where the camera is unless somebody says otherwise: on R1Pro, that of the authors."""
        try:
            is_known = self.robot().model in HAS_ZED_LINK
        except RefusalError:  # playing says so
            is_known = False
        place = (View.link, View.position_m, View.orientation_xyzw)
        if not is_known:
            place = (BASE_LINK, BASE_POSITION_M, BASE_ORIENTATION_XYZW)
        return dict(zip(("link", "position_m", "orientation_xyzw"), place, strict=True))

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

    @property
    def recorded_with(self) -> str:
        """Version of OmniGibson, as the scene file says; empty if it does not."""
        versions = self.scene_file.get("versions", {})
        found = versions.get("omnigibson", {}) if isinstance(versions, dict) else {}
        return str(found.get("version") or "") if isinstance(found, dict) else ""

    @property
    def is_nested(self) -> bool:
        """Whether states are nested as from 3.7 on: pose of the scene first, then its registry."""
        return "registry" in self.scene_file.get("state", {})

    def has_grasps(self, episode: int) -> bool:
        """Whether rows of ``episode`` say what assisted grasps hold: written by 3.8 or later, which
        write as many states as actions.
        """
        group = self.group(episode)
        return len(group["state"]) == len(group["action"])

    def registries(self) -> dict[str, Any]:
        """States in the scene file, below ``object_registry`` and ``system_registry``."""
        state = self.scene_file.get("state", {})
        return dict(state["registry"] if self.is_nested else state)

    def n_frames(self, episode: int) -> int:
        """Frames, which are states: one more than actions, or from 3.8 on as many."""
        group = self.group(episode)
        missing = [n for n in (*PER_STATE, *PER_ACTION) if n not in group]
        if missing:
            raise RefusalError(
                f"{self.path}, demo_{episode}: no {', '.join(missing)}. Only raw demonstrations, "
                "written by OmniGibson's DataCollectionWrapper, can be played back."
            )
        n, n_actions = len(group["state"]), len(group["action"])
        if n != n_actions + 1 and not (n == n_actions and self.is_nested):
            raise RefusalError(
                f"{self.path}, demo_{episode}: {n} states and {n_actions} actions; expected one "
                "state more than actions, or as many (OmniGibson 3.8 and later). The recording was "
                "cut off."
            )
        return n

    def robot(self) -> Robot:
        """The one robot, which the scene file has or else the settings."""
        infos = self.scene_file.get("objects_info", {}).get("init_info", {})
        found = [
            _robot(info["class_name"], {"name": name, **info.get("args", {})}, info["class_module"])
            for name, info in infos.items()
            if str(info.get("class_module", "")).startswith("omnigibson.robots")
        ]
        if not found:
            robots = self.config.get("robots", [])
            found = [_robot(r.get("type", ""), r, None) for r in robots if "name" in r]
        if len(found) != 1:
            names = ", ".join(robot.name for robot in found) or "none"
            raise RefusalError(f"{self.path}: expected one robot with a name, found {names}")
        return found[0]

    def systems_added(self, episode: int) -> set[str]:
        """Names of particle systems that come while it is played."""
        changes = self.transitions(episode).values()
        return {str(n) for change in changes for n in change.get("systems", {}).get("add", [])}

    def sha(self, episode: int) -> str:
        """Hash of everything that determines what is played, in hexadecimal."""
        group = self.group(episode)
        total = hashlib.sha256()
        for part in (self.config, self.scene_file, self.transitions(episode)):
            total.update(json.dumps(part, sort_keys=True).encode())
        for name in (*PER_STATE, "action"):
            for start in range(0, len(group[name]), ROWS_AT_ONCE):
                total.update(group[name][start : start + ROWS_AT_ONCE].tobytes())
        for name in sorted(group[INIT_METADATA]) if INIT_METADATA in group else ():
            total.update(name.encode() + group[INIT_METADATA][name][()].tobytes())
        return total.hexdigest()

    def transitions(self, episode: int) -> dict[int, Change]:
        """What comes and goes, by step; step i leads to frame i + 1."""
        text = self.group(episode).attrs.get("transitions")
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

    def group(self, episode: int) -> Any:
        """The HDF5 group of ``episode``."""
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


def _robot(class_name: str, args: Mapping[str, Any], module: str | None) -> Robot:
    """A robot of a class of its own, or of class ``Robot`` with a model."""
    name = str(args["name"])
    kind = str(args.get("model") or class_name).lower()
    path = args.get("relative_prim_path") or f"/controllable__{kind}__{name}"
    unsaid = GRASPING_OF.get(class_name, PHYSICAL)
    made_by = None if module is None else f"{module}:{class_name}"
    return Robot(name, str(path), str(args.get("grasping_mode") or unsaid), made_by, kind)
