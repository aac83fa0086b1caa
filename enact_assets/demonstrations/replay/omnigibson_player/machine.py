"""Checks that this machine and installation can play back, before minutes are lost."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from enact_assets.demonstrations.replay.omnigibson_player import code_probes
from enact_assets.demonstrations.replay.omnigibson_player.installed import Installed
from enact_assets.demonstrations.replay.omnigibson_player.request import RefusalError


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

    if not code_probes.has_switches(name):
        raise RefusalError(f"OmniGibson has no switch gm.{name}")
    try:
        setattr(gm, name, value)
    except AttributeError as error:
        raise RefusalError(
            f"OmniGibson's switch gm.{name} cannot be set to {value!r}: {error}"
        ) from None
