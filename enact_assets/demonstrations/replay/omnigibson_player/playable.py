"""Whether and how this machine plays a demonstration, found before minutes are lost.

What the installed OmniGibson can read, whether GPU, data and scene are there, and whether it was
recorded with GPU dynamics (``gm.USE_GPU_DYNAMICS``, off by default), which playback has to repeat:
without them objects lack the states in NEEDS_GPU, whose numbers are in each row of ``state``, so a
row loads only under the switch it was written under.
"""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from enact_assets.demonstrations.replay.omnigibson_player.demonstration_file import (
    INIT_METADATA,
    DemonstrationFile,
)
from enact_assets.demonstrations.replay.omnigibson_player.grasps import PHYSICAL
from enact_assets.demonstrations.replay.omnigibson_player.installed import (
    GRASP_MARKER,
    Installed,
    found_at,
    has_switches,
    is_there,
)
from enact_assets.demonstrations.replay.omnigibson_player.request import RefusalError


def check_playable(source: DemonstrationFile, episode: int, installed: Installed) -> None:
    """Errors: :class:`RefusalError` says in one message why this OmniGibson cannot play it."""
    reason = _reason(source, episode, installed)
    if not reason:
        return
    recorded = f"recorded with OmniGibson {source.recorded_with}, " if source.recorded_with else ""
    raise RefusalError(
        f"{source.path}, demo_{episode}: {recorded}but OMNIGIBSON_PYTHON has OmniGibson "
        f"{installed.version}: {reason} docs/omnigibson.md says how each version is installed."
    )


def restores_grasps(source: DemonstrationFile, episode: int, installed: Installed) -> bool:
    """Whether loading a row of ``episode`` restores what assisted grasps hold: rows of older
    recordings load without error in 3.9, and then nothing is held.
    """
    if installed.grasps != "in_rows" or source.robot().grasping_mode == PHYSICAL:
        return False
    return source.has_in_state(episode, float(found_at(GRASP_MARKER)))


def _reason(source: DemonstrationFile, episode: int, installed: Installed) -> str:
    """Why it cannot be played; empty if nothing is known against it."""
    if source.is_nested and installed.registry == "flat":
        return (
            "its states begin with the pose of the scene, as OmniGibson 3.7 and later write them, "
            "and this version cannot read that."
        )
    if not source.is_nested and installed.registry == "nested":
        return (
            "its states do not begin with the pose of the scene: OmniGibson 1.1.1 wrote them, and "
            "this version cannot read that."
        )
    robot = source.robot()
    if robot.made_by is not None and not is_there(robot.made_by):
        return f"its robot {robot.name!r} is made by {robot.made_by}, which this version lacks."
    if installed.needs_init_metadata == "yes" and INIT_METADATA not in source.group(episode):
        return (
            f"the episode has no group {INIT_METADATA!r}, without which this version plays nothing "
            "and says nothing."
        )
    if installed.grasps == "unloadable" and robot.grasping_mode != PHYSICAL:
        # ManipulationRobot.serialize leaves out what is held, and _load_state expects it.
        return (
            f"it was recorded with grasping_mode {robot.grasping_mode!r}, whose states this "
            "version cannot load again. Record with grasping_mode 'physical'."
        )
    return ""


def check_gpu() -> str:
    """What NVIDIA's driver lists. Errors: :class:`RefusalError` unless that is a GPU."""
    command = shutil.which("nvidia-smi")
    if command is None:
        raise RefusalError(
            "no nvidia-smi on the path: OmniGibson needs an NVIDIA RTX GPU and its driver. Run "
            "this on a machine that has them."
        )
    query = [command, "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    found = subprocess.run(query, capture_output=True, text=True, check=False)  # noqa: S603
    if found.returncode or not found.stdout.strip():
        said = (found.stderr.strip() or found.stdout.strip() or "nothing")[:200]
        raise RefusalError(f"nvidia-smi lists no GPU (it said: {said}). Check the driver.")
    return found.stdout.strip()


@dataclass(frozen=True)
class Data:
    """Where OmniGibson looks for its data."""

    data_set: Path
    assets: Path
    key: Path
    advice: str


def data_of(installed: Installed) -> Data:
    """The places that the installed OmniGibson is set to."""
    from omnigibson.macros import gm

    if installed.data_paths == "one":
        root = Path(gm.DATA_PATH)
        return Data(
            root / "behavior-1k-assets",
            root / "omnigibson-robot-assets",
            root / "omnigibson.key",
            "Install them: ./setup.sh --dataset in the clone of BEHAVIOR-1K (about 36 GB), or set "
            "OMNIGIBSON_DATA_PATH.",
        )
    return Data(
        Path(gm.DATASET_PATH),
        Path(gm.ASSET_PATH),
        Path(gm.KEY_PATH),
        "Install them: python -m omnigibson.install (about 28 GB).",
    )


def check_data(data: Data, scene_model: str | None) -> None:
    """Errors: :class:`RefusalError` if data set, assets, key or the scene are not installed."""
    for what, path in (
        ("data set", data.data_set),
        ("assets", data.assets),
        ("key of the data set", data.key),
    ):
        if not path.exists():
            raise RefusalError(f"OmniGibson's {what} is not at {path}. {data.advice}")
    scenes = data.data_set / "scenes"
    if scene_model is not None and not (scenes / scene_model).is_dir():
        known = ", ".join(sorted(p.name for p in scenes.glob("*"))) or "none"
        raise RefusalError(
            f"the demonstration plays in scene {scene_model!r}, which is not in {scenes} (there: "
            f"{known}). It was recorded with another version of the data set."
        )


def set_switch(name: str, value: object) -> None:
    """Set ``omnigibson.macros.gm.<name>``, which must be done before the simulator starts.

    Errors: :class:`RefusalError` if there is no such switch, or if it was read already.
    """
    from omnigibson.macros import gm

    if not has_switches(name):
        raise RefusalError(f"OmniGibson has no switch gm.{name}")
    try:
        setattr(gm, name, value)
    except AttributeError as error:
        raise RefusalError(
            f"OmniGibson's switch gm.{name} cannot be set to {value!r}: {error}"
        ) from None


NEEDS_GPU = ("ParticleApplier", "ParticleRemover", "ParticleSink", "ParticleSource")
"""States with numbers of their own that objects have under GPU dynamics only."""
RUNS_ON_CPU = ("macro_physical_particle", "macro_visual_particle")
"""Types of particle systems, in the data set's metadata, that do without."""


def uses_gpu_dynamics(
    source: DemonstrationFile,
    episode: int,
    data_set: Path,
    *,
    requested: bool | None,
) -> bool:
    """Whether to play back with GPU dynamics; ``requested`` is the setting, None if there is none.

    Yes, if an object of the scene file has one of NEEDS_GPU; if a particle system that comes later
    cannot do without; or if the scene file of OmniGibson 1.1.1 has particle systems, which that
    version skips otherwise. Later versions keep those that do without. What is no system of
    ``data_set`` is a fluid for OmniGibson. Errors: :class:`RefusalError` if ``requested``
    contradicts the scene file.
    """
    registries = source.registries()
    objects = registries.get("object_registry", {})
    marked = sorted(
        name for name, state in objects.items() if set(NEEDS_GPU) & set(state.get("non_kin", ()))
    )
    if marked and requested is False:
        raise RefusalError(
            f"{source.path}, demo_{episode}: gpu_dynamics is false in omnigibson.json, but "
            f"{len(marked)} objects of the scene file have states that need them, the first: "
            f"{marked[0]!r}. It was recorded with GPU dynamics: remove the field."
        )
    if requested is not None:
        return requested
    return bool(
        marked
        or (registries.get("system_registry") and not source.is_nested)
        or any(not _runs_on_cpu(name, data_set) for name in source.systems_added(episode))
    )


def _runs_on_cpu(system: str, data_set: Path) -> bool:
    try:
        metadata = json.loads((data_set / "systems" / system / "metadata.json").read_text())
    except (OSError, ValueError):
        return False
    return isinstance(metadata, dict) and metadata.get("type") in RUNS_ON_CPU
