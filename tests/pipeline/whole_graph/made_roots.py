"""Data roots that were materialized as a whole, for all tests that look at one."""

import shutil
from pathlib import Path

import pytest
import yaml

from benchmarks.tiny_root import write_tiny_recording
from enact_assets.demonstrations.recordings.folders import CAMERA
from enact_assets.pipeline.driver.materialize import Driver, Report
from enact_assets.settings.registry import DEFAULT_REGISTRY, Registry, load_registry

VARIANTS = ("baseline", "aperture_80", "contact")
RECORDED = "moving_cups-0"
ACTIVITY = "setting_the_table"
"""An embedded one, whose name with any seed is a demonstration."""


def small_registry(folder: Path, n_demonstrations: int) -> Path:
    """The real registry with tiny pictures, few embedded demonstrations and three variants: seconds
    instead of hours.
    """
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text())
    del entries["demo"]
    # Simulated and recorded demonstrations alike: what is tested goes with either.
    del entries["variants"]["baseline"]["sources"]
    entries["variants"] = {name: entries["variants"][name] for name in VARIANTS}
    entries["demonstrations"] = [f"{ACTIVITY}-0", "unloading_groceries-0"][:n_demonstrations]
    entries["models"].remove("identity")
    # The probe questions only, as variants of the pictures do.
    del entries["variants"]["contact"]["asks"]
    entries["variants"]["baseline"]["renderer"] = {"path_depth": 2, "samples": 1, "size_px": 64}
    # Few probe questions, so that they leave some key frames out.
    entries["questions"] |= {"trajectories_per_length": 12, "probe_set_per_stratum": 1}
    path = folder / "registry.yaml"
    path.write_text(yaml.safe_dump(entries))
    return path


def write_recording(folder: Path) -> None:
    """:data:`RECORDED`, with pictures of its own for the variant that has another camera."""
    place = write_tiny_recording(folder, RECORDED, has_contacts=True)
    other = write_tiny_recording(folder.with_name("other_camera"), "other")
    shutil.copytree(other / CAMERA, place / "variant_aperture_80")
    shutil.rmtree(other.parent)


class Materialized:
    """A data root, the registry it was made from, and the report of its first walk."""

    def __init__(self, root: Path, registry_file: Path) -> None:
        self.root = root
        self.registry_file = registry_file
        self.first = self.driver().run()

    @property
    def registry(self) -> Registry:
        return load_registry(self.registry_file)

    def driver(self) -> Driver:
        return Driver(self.root, registry=self.registry, workers=1)

    def copied(self, folder: Path, patch: pytest.MonkeyPatch, *but: str) -> tuple[Path, Path]:
        """Copies of data root and registry, which commands use from now on.

        Files and folders called ``but`` are left out.
        """
        root = folder / "data"
        shutil.copytree(self.root, root, ignore=shutil.ignore_patterns(*but))
        registry_file = Path(shutil.copy(self.registry_file, folder / "registry.yaml"))
        patch.setenv("ENACT_REGISTRY", str(registry_file))
        patch.setenv("ENACT_HOME", str(root))
        return root, registry_file

    def again(self) -> Report:
        return self.driver().run()
