"""Small worlds for the fake OmniGibson: demonstrations written by hand, and where to play them.

The second interpreter is a virtual environment made here, without network: it sees NumPy, Pillow
and dagster-pipes of this one by links, the fake, and a small h5py (or, if ENACT_H5PY_SITE names a
folder with the real one, that).
"""

import atexit
import json
import os
import subprocess
import venv
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from hashlib import md5
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from omnigibson_fakes import FAKE, make_fake

from enact_assets.demonstrations.replay.omnigibson import RawDemonstration, write_demonstration

LINKED = ("numpy", "numpy.libs", "PIL", "pillow.libs", "dagster_pipes", "typing_extensions.py")

_WRITER = """
import json, sys, h5py, numpy as np
for line in sys.stdin:
    what = json.loads(line)
    with h5py.File(what["path"], "w") as file:
        data = file.create_group("data")
        for name, text in what["attributes"].items():
            data.attrs[name] = text
        for name, demo in what["demos"].items():
            group = data.create_group(name)
            for text in [t for t in ("transitions",) if t in demo]:
                group.attrs[text] = demo.pop(text)
            for key, rows in demo.items():
                if isinstance(rows, dict):
                    below = group.create_group(key)
                    for name, values in rows.items():
                        below.create_dataset(name, data=np.array(values, np.float32))
                    continue
                group.create_dataset(key, data=np.array(rows, np.float32), compression="gzip")
    print("written", flush=True)
"""


def make_interpreter(folder: Path, profile: str = "1.1.1") -> Path:
    """A Python without Dagster, polars or this package, with the fake of ``profile``."""
    venv.create(folder, with_pip=False, symlinks=True)
    site = next(folder.glob("lib/python3*/site-packages"))
    ours = Path(str(find_spec("numpy").origin)).parents[1]  # type: ignore[union-attr]
    for name in LINKED:
        if (ours / name).exists():
            (site / name).symlink_to(ours / name)
    h5py = os.environ.get("ENACT_H5PY_SITE") or str(FAKE / "h5py_site")
    fake = make_fake(profile, folder / "fake")
    (site / "fake.pth").write_text(f"{fake}\n{h5py}\n")
    return folder / "bin" / "python"


@dataclass(frozen=True)
class Layout:
    """How a version writes files: states that begin with the pose of the scene, as many states as
    actions, group ``init_metadata``, robots as models of one class, grasps in rows.
    """

    is_nested: bool = False
    is_as_many: bool = False
    has_metadata: bool = False
    model: str | None = None
    has_grasps: bool = False
    version: str | None = None


LAYOUTS = {
    "1.1.1": Layout(),
    "3.7": Layout(is_nested=True, has_metadata=True, version="3.7.2"),
    "enact": Layout(is_nested=True, has_metadata=True, version="3.7.1"),
    "3.9": Layout(True, True, True, model="r1pro", has_grasps=True, version="3.9.2"),
}
"""Of the files that each fake records and plays."""
PROFILES = list(LAYOUTS)
"""The known versions."""
AG_MAGIC = 1e8 + 123456
"""Before what assisted grasps hold, in rows from 3.9 on."""
ROBOT = "robot_r1"
Fact = tuple[str, str, str | None]


@dataclass
class World:
    """One demonstration: which facts hold at which frames, and what comes and goes. The scene file
    has the particle systems ``systems_saved``.

    ``facts`` maps a fact to its frames; ``added`` and so on map a step (step i leads to frame
    i + 1) to what it adds and removes: names of objects with categories, or of systems.
    ``asleep`` maps an object to the frames whose state leaves it out. ``removers`` have a state of
    their own under GPU dynamics. ``scope`` are the names in the task's scope, all of them unless it
    says so; ``moved_m`` is how far objects stand from where the scene file says.
    """

    n_frames: int
    objects: dict[str, str]
    facts: dict[Fact, Any] = field(default_factory=dict)
    added: dict[int, dict[str, str]] = field(default_factory=dict)
    removed: dict[int, list[str]] = field(default_factory=dict)
    systems_added: dict[int, list[str]] = field(default_factory=dict)
    systems_removed: dict[int, list[str]] = field(default_factory=dict)
    asleep: dict[str, Any] = field(default_factory=dict)
    cloths: tuple[str, ...] = ()
    removers: tuple[str, ...] = ()
    on_gpu: bool = False
    systems_saved: tuple[str, ...] = ()
    arms: tuple[str, ...] = ("left", "right")
    robot_class: str = "R1"
    grasping_mode: str | None = "physical"
    scope: tuple[str, ...] = ()
    moved_m: dict[str, float] = field(default_factory=dict)

    def there(self) -> list[set[str]]:
        """Names of objects and systems at each frame."""
        now, found = {ROBOT, *self.objects}, []
        for t in range(self.n_frames):
            found.append(set(now))
            now |= {*self.added.get(t, ()), *self.systems_added.get(t, ())}
            now -= {*self.removed.get(t, ()), *self.systems_removed.get(t, ())}
        return found

    def demo(self, facts: list[Fact], layout: Layout) -> dict[str, Any]:
        """Its data sets, for the facts of the whole file, in the layout of a version."""
        pose = [0.0] * 6 + [1.0] if layout.is_nested else []
        states = []
        for t, there in enumerate(self.there()):
            awake = {name for name in there if t not in self.asleep.get(name, ())}
            pairs = [
                (k, t in self.facts.get(fact, ()))
                for k, fact in enumerate(facts)
                if fact[1] in awake
            ]
            more = [0.0] * len(self.removers) if self.on_gpu else []
            held = self._held(t) if layout.has_grasps else []
            row = [t, len(pairs), *(float(x) for pair in pairs for x in pair)]
            states.append([*pose, *row, *more, *held])
        width = max(map(len, states))
        steps = {
            *self.added, *self.removed, *self.systems_added, *self.systems_removed
        }  # fmt: skip
        transitions = {
            str(step): {
                "systems": {
                    "add": self.systems_added.get(step, []),
                    "remove": self.systems_removed.get(step, []),
                },
                "objects": {
                    "add": [_info(n, c) for n, c in self.added.get(step, {}).items()],
                    "remove": self.removed.get(step, []),
                },
            }
            for step in steps
        }
        n = self.n_frames if layout.is_as_many else self.n_frames - 1
        metadata = {"init_metadata": {"visible": [1.0] * (len(self.objects) + 1)}}
        return {
            **(metadata if layout.has_metadata else {}),
            "transitions": json.dumps(transitions),
            # Rows are padded, as rows of the real one are.
            "state": [[*row, *[0.0] * (width - len(row) + 2)] for row in states],
            "state_size": [len(row) for row in states],
            "action": [[0.0, float(t), *self._grippers(t + 1)] for t in range(n)],
            **{name: [0.0] * n for name in ("reward", "terminated", "truncated")},
        }

    def _grippers(self, t: int) -> list[float]:
        """Targets of the grippers at frame ``t``: 0 where ``Closed:<arm>`` holds."""
        closed = {f[0] for f, frames in self.facts.items() if t in frames}
        return [0.0 if f"Closed:{arm}" in closed else 0.05 for arm in self.arms]

    def _held(self, t: int) -> list[float]:
        """What facts ``Attached:<arm>`` say: per arm whether, of what, and fifteen numbers more."""
        if self.grasping_mode in (None, "physical"):
            return []
        block = [AG_MAGIC]
        for arm in self.arms:
            of = [f[2] for f, at in self.facts.items() if f[0] == f"Attached:{arm}" and t in at]
            uuid = int(md5(str(of[0]).encode()).hexdigest(), 16) % 10**8 if of else 0  # noqa: S324
            block += [float(bool(of)), float(uuid), *[0.0] * 16]
        return block


ROBOTS = {"R1": "r1", "R1Pro": "r1pro", "BehaviorRobot": "behavior_robot"}
"""Class -> module."""


def _info(name: str, category: str, **more: Any) -> dict[str, Any]:
    return {
        "class_module": "omnigibson.objects.dataset_object",
        "class_name": "DatasetObject",
        "args": {"name": name, "category": category, **more},
    }


def write_worlds(
    python: Path,
    path: Path,
    *worlds: World,
    cut_off: dict[int, str] | None = None,
    layout: Layout = LAYOUTS["1.1.1"],
    damage: Callable[[dict[str, Any]], None] = lambda _what: None,
    **attributes: Any,
) -> Path:
    """A file of demonstrations, one per world; ``attributes`` of None are left out of it, and of
    episodes in ``cut_off`` the end of their ``action``, or all of something else. ``damage``
    changes the file's ``attributes``, which are JSON texts, and ``demos`` before they are written.
    """
    facts = list(dict.fromkeys(fact for world in worlds for fact in world.facts))
    first = worlds[0] if worlds else World(1, {})
    robot: dict[str, Any] = {
        "class_module": f"omnigibson.robots.{ROBOTS[first.robot_class]}",
        "class_name": first.robot_class,
        "args": {"name": ROBOT, "arms": list(first.arms), "obs_modalities": ["rgb"]},
    }
    if layout.model is not None:
        robot |= {"class_module": "omnigibson.robots.robot", "class_name": "Robot"}
        robot["args"]["model"] = layout.model
    if first.grasping_mode is not None:
        robot["args"]["grasping_mode"] = first.grasping_mode
    objects = {
        name: _info(
            name,
            category,
            prim_type=int(name in first.cloths),
            abilities={"particleRemover": {}} if name in first.removers else {},
            fake_position=[0.0, first.moved_m.get(name, 0.0), 0.0],
        )
        for name, category in first.objects.items()
    }
    non_kin = {"ParticleRemover": {"current_step": 0}} if first.on_gpu else {}
    state: dict[str, Any] = {
        "object_registry": {
            n: {
                "root_link": {"pos": [0.0, 0.0, 0.0]},
                "non_kin": non_kin if n in first.removers else {},
            }
            for n in objects
        },
        "system_registry": {name: {} for name in first.systems_saved},
    }
    if layout.is_nested:
        state = {"pos": [0.0] * 3, "ori": [0.0, 0.0, 0.0, 1.0], "registry": state}
    versions = {"omnigibson": {"version": layout.version}}
    given = {
        "config": {
            "env": {"action_frequency": 30.0, "automatic_reset": True},
            "scene": {"scene_model": "Rs_int"},
            "robots": [],
            "task": {"type": "BehaviorTask", "activity_name": "slicing_apples"},
        },
        "scene_file": {
            "objects_info": {"init_info": {ROBOT: robot, **objects}},
            "state": state,
            **({"versions": versions} if layout.version else {}),
            "fake_facts": facts,
            "fake_scope": list(first.scope),
            "fake_state": [k for k, f in enumerate(facts) if 0 in first.facts.get(f, ())],
        },
        **attributes,
    }
    what: dict[str, Any] = {
        "path": str(path),
        "attributes": {k: json.dumps(v) for k, v in given.items() if v is not None},
        "demos": {f"demo_{k}": world.demo(facts, layout) for k, world in enumerate(worlds)},
    }
    for k, name in (cut_off or {}).items():
        demo = what["demos"][f"demo_{k}"]
        if name == "action":
            demo[name].pop()
        else:
            del demo[name]
    damage(what)
    writer = _writer(python)
    assert writer.stdin is not None
    assert writer.stdout is not None
    writer.stdin.write(json.dumps(what) + "\n")
    writer.stdin.flush()
    assert writer.stdout.readline() == "written\n"
    return path


@cache
def _writer(python: Path) -> subprocess.Popen[str]:
    """One process that writes all files: each of its own would import NumPy again."""
    writer = subprocess.Popen(  # noqa: S603 - our own interpreter, our own code
        [python, "-c", _WRITER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(writer.communicate)
    return writer


@dataclass
class Machine:
    """Where the fake is installed, and what it needs; ``root`` is its folder."""

    root: Path
    python: Path
    monkeypatch: pytest.MonkeyPatch
    profile: str = "1.1.1"

    @property
    def data_set(self) -> Path:
        """Folder of scenes and systems."""
        return self.root / ("data_set" if self.profile == "1.1.1" else "data/behavior-1k-assets")

    def set_up(self) -> None:
        """All that a real one has: a driver, the data set, the assets, the key, the variable."""
        (self.data_set / "scenes/Rs_int").mkdir(parents=True)
        if self.profile == "1.1.1":
            (self.root / "assets").mkdir()
            (self.root / "key").write_text("key")
        else:
            (self.root / "data/omnigibson-robot-assets").mkdir()
            (self.root / "data/omnigibson.key").write_text("key")
        self.set_gpu("NVIDIA GeForce RTX 4090")
        set_variable = self.monkeypatch.setenv
        set_variable("ENACT_HOME", str(self.root))
        set_variable("OMNIGIBSON_PYTHON", str(self.python))
        set_variable("OMNIGIBSON_DATA_PATH", str(self.root / "data"))
        set_variable("OMNIGIBSON_DATASET_PATH", str(self.root / "data_set"))
        set_variable("OMNIGIBSON_ASSET_PATH", str(self.root / "assets"))
        set_variable("OMNIGIBSON_KEY_PATH", str(self.root / "key"))
        set_variable("FAKE_OMNIGIBSON_LOG", str(self.root / "seen.jsonl"))
        set_variable("PATH", f"{self.root / 'bin'}{os.pathsep}{os.environ['PATH']}")

    def set_gpu(self, says: str, code: int = 0) -> None:
        """What nvidia-smi says."""
        command = self.root / "bin" / "nvidia-smi"
        command.parent.mkdir(exist_ok=True)
        command.write_text(f"#!/bin/sh\necho '{says}'\nexit {code}\n")
        command.chmod(0o755)

    def crash_at(self, frame: int, times: int) -> None:
        """Let the fake kill itself at ``frame``, so many times."""
        file = self.root / "crashes"
        self.monkeypatch.setenv("FAKE_OMNIGIBSON_CRASH", f"{frame}:{times}:{file}")

    def seen(self) -> list[dict[str, Any]]:
        """What cameras saw, in order."""
        file = self.root / "seen.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def demonstration(self, *worlds: World, episode: int = 0, **attributes: Any) -> Path:
        """A file of ``worlds``, and the ``omnigibson.json`` of one of them."""
        given = {"layout": LAYOUTS[self.profile], **attributes}
        file = write_worlds(self.python, self.root / "raw.hdf5", *worlds, **given)
        folder = self.root / "recordings" / f"raw.demo_{episode}"
        folder.mkdir(parents=True, exist_ok=True)
        about = RawDemonstration(str(file), episode, worlds[episode].n_frames, size_px=64)
        write_demonstration(folder / "omnigibson.json", about)
        return folder / "omnigibson.json"
