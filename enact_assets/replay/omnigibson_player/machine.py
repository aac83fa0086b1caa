"""Checks that this machine and installation can play back, before minutes are lost."""

import importlib
import inspect
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from enact_assets.replay.omnigibson_player.request import RefusalError

SIGNATURES = Path(__file__).with_name("signatures.json")
"""What of OmniGibson is used, as OmniGibson's source has it: facts, read by the tests too."""


def check_gpu() -> None:
    """Errors: :class:`RefusalError` unless NVIDIA's driver lists a GPU."""
    command = shutil.which("nvidia-smi")
    if command is None:
        raise RefusalError(
            "no nvidia-smi on the path: OmniGibson needs an NVIDIA RTX GPU and its driver. Run "
            "this on a machine that has them."
        )
    query = [command, "--query-gpu=name", "--format=csv,noheader"]
    found = subprocess.run(query, capture_output=True, text=True, check=False)  # noqa: S603
    if found.returncode or not found.stdout.strip():
        said = (found.stderr.strip() or found.stdout.strip() or "nothing")[:200]
        raise RefusalError(f"nvidia-smi lists no GPU (it said: {said}). Check the driver.")


def check_data(scene_model: str | None) -> None:
    """Errors: :class:`RefusalError` if data set, assets, key or the scene are not installed."""
    from omnigibson.macros import gm

    advice = "Install them: python -m omnigibson.install (about 28 GB)."
    for what, path in (
        ("data set", gm.DATASET_PATH),
        ("assets", gm.ASSET_PATH),
        ("key of the data set", gm.KEY_PATH),
    ):
        if not Path(path).exists():
            raise RefusalError(f"OmniGibson's {what} is not at {path}. {advice}")
    scenes = Path(gm.DATASET_PATH) / "scenes"
    if scene_model is not None and not (scenes / scene_model).is_dir():
        known = ", ".join(sorted(p.name for p in scenes.glob("*"))) or "none"
        raise RefusalError(
            f"the demonstration plays in scene {scene_model!r}, which is not in {scenes} (there: "
            f"{known}). It was recorded with another version of the data set."
        )


def check_api() -> None:
    """Errors: :class:`RefusalError` lists what this OmniGibson has not, or has otherwise."""
    try:
        import omnigibson
    except ImportError as error:
        raise RefusalError(
            f"OmniGibson cannot be imported by this interpreter ({error}). OMNIGIBSON_PYTHON must "
            "name the interpreter it is installed in."
        ) from None
    wanted = json.loads(SIGNATURES.read_text())
    problems = [p for entry in wanted["functions"] for p in _problems(entry)]
    if problems:
        raise RefusalError(
            f"OmniGibson {omnigibson.__version__} is not the one this was written for "
            f"({wanted['version']}): {len(problems)} differences, the first: {problems[0]}"
        )


def check_grasping(where: str, grasping_mode: str) -> None:
    """Errors: :class:`RefusalError` for a way of grasping that playback cannot restore.

    In version 1.1.1 the serialized state of a robot leaves out what assisted grasping holds, and
    loading such a state fails (``ManipulationRobot.serialize`` and ``_load_state``).
    """
    import omnigibson

    wanted = json.loads(SIGNATURES.read_text())["version"]
    if grasping_mode != "physical" and omnigibson.__version__ == wanted:
        raise RefusalError(
            f"{where}: recorded with grasping_mode {grasping_mode!r}, whose states OmniGibson "
            f"{wanted} cannot load again. Record with grasping_mode 'physical'."
        )


def _problems(entry: dict[str, Any]) -> list[str]:
    """How what is installed differs from ``entry``; parameters with defaults may have come."""
    module = entry["file"][: -len(".py")].replace("/", ".").replace(".__init__", "")
    where = f"{module}.{entry['name']}"
    if entry["kind"] == "variable" or entry["name"].startswith("Simulator."):
        return []  # made at run time
    try:
        found: Any = importlib.import_module(module)
        for part in entry["name"].split("."):
            found = inspect.getattr_static(found, part)
    except (ImportError, AttributeError):
        return [f"no {where}"]
    found = getattr(found, "__func__", found)
    if not inspect.isfunction(found):
        return []  # a property
    names = [name.lstrip("*") for name, _ in entry["parameters"]]
    there = inspect.signature(found).parameters
    missing = [name for name in names if name not in there]
    required = [
        name
        for name, p in there.items()
        if name not in names
        and p.default is inspect.Parameter.empty
        and p.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    ]
    return [f"{where} has no parameter {name!r}" for name in missing] + [
        f"{where} needs {name!r}" for name in required
    ]
