"""Small worlds for the fake OmniGibson: demonstrations written by hand, and where to play them.

The second interpreter is a virtual environment made here, without network: it sees NumPy, Pillow
and dagster-pipes of this one by links, the fake, and a small h5py (or, if ENACT_H5PY_SITE names a
folder with the real one, that).
"""

import json
import os
import subprocess
import venv
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from enact_assets.replay.omnigibson import RawDemonstration, write_demonstration

FAKE = Path(__file__).with_name("omnigibson_fake")
LINKED = ("numpy", "numpy.libs", "PIL", "pillow.libs", "dagster_pipes", "typing_extensions.py")

_WRITER = """
import json, sys, h5py, numpy as np
what = json.load(sys.stdin)
with h5py.File(what["path"], "w") as file:
    data = file.create_group("data")
    for name, text in what["attributes"].items():
        data.attrs[name] = text
    for name, demo in what["demos"].items():
        group = data.create_group(name)
        group.attrs["transitions"] = demo.pop("transitions")
        for key, rows in demo.items():
            group.create_dataset(key, data=np.array(rows, np.float32))
"""


def make_interpreter(folder: Path) -> Path:
    """A Python without Dagster, polars or this package."""
    venv.create(folder, with_pip=False, symlinks=True)
    site = next(folder.glob("lib/python3*/site-packages"))
    ours = Path(str(find_spec("numpy").origin)).parents[1]  # type: ignore[union-attr]
    for name in LINKED:
        if (ours / name).exists():
            (site / name).symlink_to(ours / name)
    h5py = os.environ.get("ENACT_H5PY_SITE") or str(FAKE / "h5py_site")
    (site / "fake.pth").write_text(f"{FAKE / 'site'}\n{h5py}\n")
    return folder / "bin" / "python"


Fact = tuple[str, str, str | None]


@dataclass
class World:
    """One demonstration: which facts hold at which frames, and what comes and goes.

    ``facts`` maps a fact to its frames; ``changes`` maps a step (step i leads to frame i + 1) to
    what it adds and removes: names of objects with categories, or of systems.
    """

    n_frames: int
    objects: dict[str, str]
    facts: dict[Fact, Any] = field(default_factory=dict)
    added: dict[int, dict[str, str]] = field(default_factory=dict)
    removed: dict[int, list[str]] = field(default_factory=dict)
    systems_added: dict[int, list[str]] = field(default_factory=dict)
    systems_removed: dict[int, list[str]] = field(default_factory=dict)
    arms: tuple[str, ...] = ("left", "right")
    grasping_mode: str = "physical"

    def demo(self, facts: list[Fact]) -> dict[str, Any]:
        """Its data sets, for the facts of the whole file."""
        states = [
            [t, *(float(t in self.facts.get(fact, ())) for fact in facts)]
            for t in range(self.n_frames)
        ]
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
        n = self.n_frames - 1
        return {
            "transitions": json.dumps(transitions),
            # Rows are padded, as rows of the real one are.
            "state": [[*row, 0.0, 0.0] for row in states],
            "state_size": [len(row) for row in states],
            "action": [[0.0, float(t)] for t in range(n)],
            **{name: [0.0] * n for name in ("reward", "terminated", "truncated")},
        }


def _info(name: str, category: str) -> dict[str, Any]:
    return {
        "class_module": "omnigibson.objects.dataset_object",
        "class_name": "DatasetObject",
        "args": {"name": name, "category": category},
    }


def write_worlds(python: Path, path: Path, *worlds: World, **attributes: Any) -> Path:
    """A file of demonstrations, one per world; ``attributes`` of None are left out of it."""
    facts = list(dict.fromkeys(fact for world in worlds for fact in world.facts))
    first = worlds[0] if worlds else World(1, {})
    robot = {
        "class_module": "omnigibson.robots.r1",
        "class_name": "R1",
        "args": {
            "name": "robot_r1",
            "arms": list(first.arms),
            "grasping_mode": first.grasping_mode,
            "obs_modalities": ["rgb"],
        },
    }
    objects = {name: _info(name, category) for name, category in first.objects.items()}
    given = {
        "config": {
            "env": {"action_frequency": 30.0, "automatic_reset": True},
            "scene": {"scene_model": "Rs_int"},
            "robots": [],
            "task": {"type": "BehaviorTask", "activity_name": "slicing_apples"},
        },
        "scene_file": {
            "objects_info": {"init_info": {"robot_r1": robot, **objects}},
            "fake_facts": facts,
        },
        **attributes,
    }
    what = {
        "path": str(path),
        "attributes": {k: json.dumps(v) for k, v in given.items() if v is not None},
        "demos": {f"demo_{k}": world.demo(facts) for k, world in enumerate(worlds)},
    }
    subprocess.run(  # noqa: S603 - our own interpreter, our own code
        [python, "-c", _WRITER], input=json.dumps(what), text=True, check=True
    )
    return path


@dataclass
class Machine:
    """Where the fake is installed, and what it needs; ``root`` is its folder."""

    root: Path
    python: Path
    monkeypatch: pytest.MonkeyPatch

    def set_up(self) -> None:
        """All that a real one has: a driver, the data set, the assets, the key, the variable."""
        (self.root / "data_set/scenes/Rs_int").mkdir(parents=True)
        (self.root / "assets").mkdir()
        (self.root / "key").write_text("key")
        self.set_gpu("NVIDIA GeForce RTX 4090")
        set_variable = self.monkeypatch.setenv
        set_variable("OMNIGIBSON_PYTHON", str(self.python))
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
        file = write_worlds(self.python, self.root / "raw.hdf5", *worlds, **attributes)
        folder = self.root / "recordings" / f"raw.demo_{episode}"
        folder.mkdir(parents=True, exist_ok=True)
        about = RawDemonstration(str(file), episode, worlds[episode].n_frames, size_px=64)
        write_demonstration(folder / "omnigibson.json", about)
        return folder / "omnigibson.json"
