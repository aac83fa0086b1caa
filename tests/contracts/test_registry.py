"""The registry: every wrong entry ends in one message that names file, entry and field."""

import dataclasses
from pathlib import Path

import pytest
import yaml

from enact_assets.contracts.errors import SettingsError, UnknownNameError
from enact_assets.contracts.registry import DEFAULT_REGISTRY, load_registry, settings_sha

ENTRIES = yaml.safe_load(DEFAULT_REGISTRY.read_text())


def write(folder: Path, change) -> Path:
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text())
    change(entries)
    path = folder / "registry.yaml"
    path.write_text(yaml.safe_dump(entries))
    return path


def test_a_variant_takes_what_it_does_not_name_from_the_baseline() -> None:
    registry = load_registry()
    base, wide = registry.variants["baseline"], registry.variants["aperture_80"]
    assert wide.camera == dataclasses.replace(base.camera, aperture_mm=80.0)
    assert (wide.renderer, wide.gating) == (base.renderer, base.gating)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda e: e.pop("models"), "expected exactly"),
        (lambda e: e["variants"].pop("baseline"), "no 'baseline'"),
        (lambda e: e["variants"]["aperture_80"].update(lens={}), "'lens'"),
        (lambda e: e["variants"]["aperture_80"]["camera"].update(zoom=2), "'zoom'"),
        (lambda e: e["variants"]["aperture_80"]["camera"].update(aperture_mm=-1.0), "above 0"),
        (lambda e: e["variants"]["aperture_80"]["camera"].update(aperture_mm="wide"), "'wide'"),
        (lambda e: e["variants"]["aperture_80"].update(gating="touch"), "'touch'"),
        (lambda e: e["gatings"]["state"].update(contact="no"), "true|false"),
        (lambda e: e["questions"].update(seed=True), "seed"),
        (lambda e: e["models"].append("random"), "twice"),
        (lambda e: e["gatings"]["state"].update(profile="draft"), "'draft'"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path: Path, change, told: str) -> None:
    """A misspelt setting that is ignored would render the wrong pictures for hours."""
    with pytest.raises(SettingsError, match=told.replace("|", r"\|")):
        load_registry(write(tmp_path, change))


def test_a_missing_file_or_bad_yaml_is_a_settings_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        load_registry(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_text("gatings: [")
    with pytest.raises(SettingsError, match="not valid YAML"):
        load_registry(tmp_path / "bad.yaml")


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="aperture_80, baseline, contact"):
        load_registry().variant("fisheye")


def test_a_constant_of_the_profile_is_part_of_the_gating(tmp_path: Path) -> None:
    """Changing persistence must make segmentation stale, though the registry file is the same."""
    gating = load_registry().gatings["state"]
    longer = dataclasses.replace(gating.profile, persistence_frames=41)
    changed = dataclasses.replace(gating, profile=longer)
    assert settings_sha(changed) != settings_sha(gating)
