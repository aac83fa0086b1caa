"""The fake, the signatures that are checked in, and OmniGibson's own source say the same.

OMNIGIBSON_SOURCE names the unpacked source distribution of the version in signatures.json.
"""

import ast
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from omnigibson_signatures import PLAYER, recorded, signature_at
from omnigibson_worlds import FAKE

from enact_assets.replay.omnigibson_player import look_settings

ROOT = Path(__file__).parents[2]
ENTRIES = recorded()["functions"]
MODULES = sorted(PLAYER.glob("*.py"))
NEEDED = {"h5py", "numpy", "PIL", "omnigibson", "dagster_pipes"}
"""What OmniGibson 1.1.1 brings, and dagster-pipes."""


def told(entry: dict[str, Any]) -> dict[str, Any]:
    return {k: entry[k] for k in ("kind", "parameters")}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: str(e["name"]))
def test_the_fake_has_the_recorded_signatures(entry: dict[str, Any]) -> None:
    found = signature_at(FAKE / "site", entry["file"], entry["name"])
    assert found == told(entry)


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: str(e["name"]))
def test_omnigibson_has_the_recorded_signatures(source: Path, entry: dict[str, Any]) -> None:
    assert signature_at(source, entry["file"], entry["name"]) == told(entry)


@pytest.mark.slow
def test_omnigibson_knows_our_settings_switches_and_version(source: Path) -> None:
    kept = recorded()
    text = "\n".join(p.read_text() for p in sorted((source / "omnigibson").rglob("*.py")))
    assert f'__version__ = "{kept["version"]}"' in text
    assert not [p for p in kept["renderer_settings"] if f'"{p}"' not in text]
    macros = (source / "omnigibson/macros.py").read_text()
    assert not [m for m in kept["macros"] if f"gm.{m} = " not in macros]
    # The same calls into Isaac Sim that OmniGibson itself makes.
    assert "lazy.carb.settings.get_settings().set(" in text
    assert "lazy.pxr.Sdf." in text


@pytest.mark.slow
def test_omnigibson_leaves_assisted_grasps_out_of_serialized_states(source: Path) -> None:
    """Why the player refuses such demonstrations; a version without this gap would play them."""
    path = source / "omnigibson/robots/manipulation_robot.py"
    functions = {
        node.name: ast.unparse(node)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
    }
    assert "state['ag_obj_constraint_params']" in functions["_load_state"]
    for name in ("serialize", "deserialize"):
        assert "ag_obj" not in functions[name]


@pytest.fixture
def source() -> Path:
    named = os.environ.get("OMNIGIBSON_SOURCE")
    if not named:
        pytest.skip("OMNIGIBSON_SOURCE names no unpacked source distribution of omnigibson")
    return Path(named)


def test_what_is_recorded_is_what_is_used() -> None:
    """A setting, switch or import of the player that is not compared would drift unseen."""
    kept = recorded()
    used = {path for settings in look_settings.RENDERERS.values() for path in settings}
    assert used == set(kept["renderer_settings"])
    texts = {p.name: p.read_text() for p in MODULES}
    assert {m for t in texts.values() for m in re.findall(r"\bgm\.([A-Z_]+)", t)} == set(
        kept["macros"]
    )
    modules = {e["file"][: -len(".py")].replace("/", ".") for e in ENTRIES}
    imported = {
        node.module
        for text in texts.values()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("omnigibson.")
    }
    assert imported <= modules


def test_the_extra_and_the_signatures_name_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pins = project["optional-dependencies"]["omnigibson"]
    assert f"omnigibson=={recorded()['version']}" in pins
    pipes = [d for d in project["dependencies"] if d.startswith("dagster-pipes")]
    assert pipes[0] in pins


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.name))
def test_the_player_runs_on_python_3_10_without_our_packages(path: Path) -> None:
    tree = ast.parse(path.read_text(), feature_version=(3, 10))
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [str(node.module)]
        for name in names:
            top = name.partition(".")[0]
            if top == "enact_assets":
                assert name.startswith("enact_assets.replay.omnigibson_player"), name
            else:
                assert top in NEEDED or top in STANDARD_3_10, name


STANDARD_3_10 = {
    "collections", "colorsys", "dataclasses", "hashlib", "importlib", "inspect", "json", "math",
    "os", "pathlib", "shutil", "subprocess", "sys", "tempfile", "time", "traceback", "types",
    "typing",
}  # fmt: skip
