"""Raw demonstrations in robomimic layout: what is in a file, whichever OmniGibson wrote it.

Attributes are JSON; their parts are checked when they are read, so that a file of another kind is
refused by name and not by a traceback later on.
"""

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from enact_assets.demonstrations.replay.omnigibson_player.grasps import PHYSICAL
from enact_assets.demonstrations.replay.omnigibson_player.request import (
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

WHAT = {
    "config": "its settings",
    "scene_file": "the scene file it was recorded in",
    "transitions": "a list of the objects that come and go",
}
PARTS: Mapping[str, Mapping[str, type]] = {
    "config": {
        "task": dict,
        "env": dict,
        "scene": dict,
        "robots": list,
        "robots.*": dict,
    },
    "scene_file": {
        "objects_info": dict,
        "objects_info.init_info": dict,
        "objects_info.init_info.*": dict,
        "objects_info.init_info.*.args": dict,
        "state": dict,
        "state.registry": dict,
        "state.object_registry": dict,
        "state.object_registry.*": dict,
        "state.registry.object_registry": dict,
        "state.registry.object_registry.*": dict,
    },
    "transitions": {
        "*": dict,
        **{f"*.{kind}": dict for kind in ("systems", "objects")},
        **{f"*.{kind}.{do}": list for kind in ("systems", "objects") for do in ("add", "remove")},
    },
}
"""Attribute -> part -> its type, a part after the one that contains it; ``*`` is each. A part may
be missing.
"""


def read_metadata(attributes: Mapping[str, Any], name: str, where: str) -> dict[str, Any]:
    """The attribute ``name``, one of ``PARTS``, of what is at ``where``.

    Errors: :class:`RefusalError` if it is missing, is not a JSON object, or names the first part of
    another type.
    """
    text = attributes.get(name)
    if text is None:
        raise RefusalError(f"{where} has no attribute {name!r}, which is {WHAT[name]}")
    try:
        found = json.loads(text)
    except (ValueError, TypeError) as error:
        raise RefusalError(f"{where}: attribute {name!r} is not JSON ({error})") from None
    for part, kind in {"": dict, **PARTS[name]}.items():
        for place, value in _parts(found, part.split(".") if part else ()):
            if not isinstance(value, kind):
                what = f"attribute {name!r}" + (f", {place}" if place else "")
                expected = "object" if kind is dict else "list"
                raise RefusalError(
                    f"{where}: {what} is not a JSON {expected}, but {json.dumps(value)[:40]}"
                )
    return dict(found)


def _parts(found: Any, keys: Sequence[str], place: str = "") -> Iterator[tuple[str, Any]]:
    """Place and value of everything in ``found`` that ``keys`` lead to."""
    if not keys:
        yield place[1:], found
        return
    children = found if isinstance(found, dict) else dict(enumerate(found))
    for key in children if keys[0] == "*" else keys[:1]:
        if key in children:
            yield from _parts(children[key], keys[1:], f"{place}.{key}")


PER_STATE = ("state", "state_size")
PER_ACTION = ("action", "reward", "terminated", "truncated")
INIT_METADATA = "init_metadata"
"""Group of what objects look like from the start; playback from 3.7 on does nothing without it."""
ROWS_AT_ONCE = 1000
EPISODE = re.compile(r"demo_(0|[1-9][0-9]*)")
AS_MANY_SINCE = (3, 8)
"""First OmniGibson that writes as many states as actions."""
DEFAULT_RATE_HZ = 30.0
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
        import h5py

        self.path = path
        if not Path(path).is_file():
            raise RefusalError(f"{path}: there is no such file")
        try:
            self._file = h5py.File(path, "r")
        except OSError as error:
            raise RefusalError(f"{path}: is not a readable HDF5 file ({error})") from None
        if not isinstance(_opened(self._file, "data"), Mapping):
            raise RefusalError(f"{path}: no group 'data'; expected robomimic layout, data/demo_N")
        self._data = self._file["data"]
        where = f"{path}, data"
        self.config = read_metadata(self._data.attrs, "config", where)
        self.scene_file = read_metadata(self._data.attrs, "scene_file", where)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def episodes(self) -> list[int]:
        """Numbers of its demonstrations, ascending."""
        return sorted(int(n[5:]) for n in self._data if EPISODE.fullmatch(n))

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
            except Exception as error:  # noqa: BLE001 # damaged HDF5; the others can be played
                reason = f"{self.path}, demo_{k}: cannot be read ({error})"
                unusable.append({"episode": k, "reason": reason})
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
        rate = self.config.get("env", {}).get("action_frequency", DEFAULT_RATE_HZ)
        if type(rate) not in (int, float) or not 0 < rate < math.inf:
            raise RefusalError(
                f"{self.path}: action_frequency of attribute 'config' is not a number above 0, but "
                f"{rate!r:.40}"
            )
        return float(rate)

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

    def has_in_state(self, episode: int, number: float) -> bool:
        """Whether a row of ``state`` contains ``number``, rounded as the data set stores it."""
        state = self.group(episode)["state"]
        stored = state.dtype.type(number)
        starts = range(0, len(state), ROWS_AT_ONCE)
        return any((state[start : start + ROWS_AT_ONCE] == stored).any() for start in starts)

    def registries(self) -> dict[str, Any]:
        """States in the scene file, below ``object_registry`` and ``system_registry``."""
        state = self.scene_file.get("state", {})
        return dict(state["registry"] if self.is_nested else state)

    def n_frames(self, episode: int) -> int:
        """Frames, which are states: one more than actions, or from 3.8 on as many."""
        where, group = f"{self.path}, demo_{episode}", self.group(episode)
        rows = {name: _n_rows(group, name) for name in (*PER_STATE, *PER_ACTION)}
        missing = [name for name, count in rows.items() if count is None]
        if missing:
            raise RefusalError(
                f"{where}: no rows of {', '.join(missing)}. Only raw demonstrations, written by "
                "OmniGibson's DataCollectionWrapper, can be played back."
            )
        n, n_actions = rows["state"] or 0, rows["action"] or 0
        if n != n_actions + 1 and not (n == n_actions and self._may_have_as_many):
            since = ".".join(map(str, AS_MANY_SINCE))
            raise RefusalError(
                f"{where}: {n} states and {n_actions} actions; expected one state more than "
                f"actions, or as many (OmniGibson {since} and later). The recording was cut off."
            )
        if n_actions == 0:
            raise RefusalError(f"{where}: no action was recorded, so nothing can be played")
        for names, expected in ((PER_STATE, n), (PER_ACTION, n_actions)):
            for name in names:
                if rows[name] != expected:
                    raise RefusalError(
                        f"{where}: {name} has {rows[name]} rows, but {names[0]} has {expected}. "
                        "The recording was cut off."
                    )
        return n

    @property
    def _may_have_as_many(self) -> bool:
        """Whether an OmniGibson with as many states as actions recorded it, or may have."""
        version = re.match(r"(\d+)\.(\d+)", self.recorded_with)
        if version is None:
            return self.is_nested
        return (int(version[1]), int(version[2])) >= AS_MANY_SINCE

    def robot(self) -> Robot:
        """The one robot, which the scene file has or else the settings."""
        infos = self.scene_file.get("objects_info", {}).get("init_info", {})
        infos = {
            name: info
            for name, info in infos.items()
            if str(info.get("class_module", "")).startswith("omnigibson.robots")
        }
        nameless = [name for name, info in infos.items() if not info.get("class_name")]
        if nameless:
            raise RefusalError(f"{self.path}: robot {nameless[0]!r} has no class_name")
        found = [
            _robot(info["class_name"], {"name": name, **info.get("args", {})}, info["class_module"])
            for name, info in infos.items()
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
        where = f"{self.path}, demo_{episode}"
        found = read_metadata(self.group(episode).attrs, "transitions", where)
        try:
            return {int(step): change for step, change in found.items()}
        except ValueError as error:
            raise RefusalError(f"{where}: attribute 'transitions': {error}") from None

    def group(self, episode: int) -> Any:
        """The HDF5 group of ``episode``."""
        found = _opened(self._data, f"demo_{episode}")
        if not isinstance(found, Mapping):
            if episode in self.episodes():
                raise RefusalError(f"{self.path}: demo_{episode} cannot be opened as a group")
            known = ", ".join(f"demo_{k}" for k in self.episodes()) or "none"
            raise RefusalError(f"{self.path}: no demo_{episode} (there: {known})")
        return found


def _opened(group: Any, name: str) -> Any:
    """What is at ``name``; None if there is nothing, or a link that leads nowhere."""
    try:
        return group[name]
    except (KeyError, OSError):
        return None


def _n_rows(group: Any, name: str) -> int | None:
    """Rows of a data set; None if there is no data set of that name, or it has no rows."""
    shape = getattr(_opened(group, name), "shape", ())
    return int(shape[0]) if shape else None


def _robot(class_name: str, args: Mapping[str, Any], module: str | None) -> Robot:
    """A robot of a class of its own, or of class ``Robot`` with a model."""
    name = str(args["name"])
    kind = str(args.get("model") or class_name).lower()
    path = args.get("relative_prim_path") or f"/controllable__{kind}__{name}"
    unsaid = GRASPING_OF.get(class_name, PHYSICAL)
    made_by = None if module is None else f"{module}:{class_name}"
    return Robot(name, str(path), str(args.get("grasping_mode") or unsaid), made_by, kind)
