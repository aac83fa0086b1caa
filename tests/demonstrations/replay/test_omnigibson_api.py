"""Fakes, the signatures that are checked in, and OmniGibson's own source say the same.

OMNIGIBSON_SOURCE names the unpacked source distribution of version 1.1.1, the one that a package
index has.
"""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
import types
from pathlib import Path
from typing import Any

import pytest
from omnigibson_fakes import FAKE, arguments_of, make_fake, signatures
from omnigibson_signatures import (
    PLAYER,
    boolean_states,
    entries,
    gpu_states,
    grasping_modes,
    recorded,
    signature_at,
)

from enact_assets.demonstrations.replay.omnigibson_player import facts, installed, look, playable
from enact_assets.demonstrations.replay.omnigibson_player.installed import (
    FUNCTIONS,
    NAMES,
    SWITCHES,
    read_installed,
    used_functions,
)

ROOT = Path(__file__).parents[3]
ENTRIES = entries()
MODULES = sorted(PLAYER.glob("*.py"))
NEEDED = {"h5py", "numpy", "PIL", "omnigibson", "dagster_pipes"}
"""What OmniGibson 1.1.1 brings, and dagster-pipes."""


def told(entry: dict[str, Any]) -> dict[str, Any]:
    return {k: entry[k] for k in ("kind", "parameters")}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fake of 1.1.1."""
    return make_fake("1.1.1", tmp_path_factory.mktemp("release"))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: str(e["name"]))
def test_the_fake_has_the_recorded_signatures(release: Path, entry: dict[str, Any]) -> None:
    assert signature_at(release, entry["file"], entry["name"]) == told(entry)


FEATURES = """
import dataclasses, json
from enact_assets.demonstrations.replay.omnigibson_player.installed import read_installed
from enact_assets.demonstrations.replay.omnigibson_player.installed import check_api
installed = read_installed()
check_api(installed)
print(json.dumps([installed.version, installed.profile]))
"""


@pytest.mark.parametrize(
    ("profile", "version"),
    [
        ("1.1.1", "1.1.1"),
        pytest.param("3.7", "3.7.2", marks=pytest.mark.slow),
        pytest.param("enact", "3.7.1", marks=pytest.mark.slow),
        ("3.9", "3.9.2"),
    ],
)
def test_2_a_version_is_told_by_its_features(profile: str, version: str, tmp_path: Path) -> None:
    """Acceptance point 2; in processes of their own, since all are called omnigibson."""
    paths = [make_fake(profile, tmp_path / "fake"), FAKE / "h5py_site", ROOT]
    variables = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "OMNIGIBSON_DATA_PATH": str(tmp_path),
    }
    command = [sys.executable, "-c", FEATURES]
    said = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)  # noqa: S603
    assert said.stdout, said.stderr
    assert json.loads(said.stdout) == [version, profile]


def test_every_version_takes_the_arguments_that_the_player_passes() -> None:
    """By the recorded signatures, so also where a fake would be more patient."""
    for profile, features in installed.PROFILES.items():
        there = read_like(profile, features)
        recorded_ones = signatures(profile)
        compared = 0
        for place, passed in used_functions(there).items():
            at = place.replace("hdf5_data_wrapper:HDF5", "data_wrapper:Data")  # it inherits them
            if at in recorded_ones:
                arguments = arguments_of(recorded_ones[at])
                known = {a.arg for a in (*arguments.args, *arguments.kwonlyargs)}
                assert set(passed) <= known, (profile, place)
                compared += 1
        assert compared >= 2, profile


def read_like(profile: str, features: Any) -> Any:
    from enact_assets.demonstrations.replay.omnigibson_player.installed import Installed

    return Installed(version=profile, **features)


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: str(e["name"]))
def test_omnigibson_has_the_recorded_signatures(source: Path, entry: dict[str, Any]) -> None:
    assert signature_at(source, entry["file"], entry["name"]) == told(entry)


@pytest.mark.slow
def test_omnigibson_knows_our_settings_switches_and_version(source: Path) -> None:
    kept = recorded()
    text = "\n".join(p.read_text() for p in sorted((source / "omnigibson").rglob("*.py")))
    assert f'__version__ = "{kept["does"]["number"]}"' in text
    assert not [p for p in kept["renderer_settings"] if f'"{p}"' not in text]
    macros = (source / "omnigibson/macros.py").read_text()
    assert not [m for m in kept["macros"] if f"gm.{m} = " not in macros]
    # The same calls into Isaac Sim that OmniGibson itself makes.
    assert "lazy.carb.settings.get_settings().set(" in text
    assert "lazy.pxr.Sdf." in text


@pytest.mark.slow
def test_omnigibson_has_the_recorded_states_and_robots(source: Path) -> None:
    kept = recorded()
    assert boolean_states(source) == kept["boolean_states"]
    assert gpu_states(source) == kept["gpu_states"]
    assert grasping_modes(source) == kept["grasping_modes"]


def test_every_state_is_recorded_or_left_out_by_name() -> None:
    named = [*facts.RECORDED, *facts.LEFT_OUT]
    assert sorted(named) == recorded()["boolean_states"]
    assert set(facts.PARTICLES_ONLY) <= set(named)
    assert sorted(playable.NEEDS_GPU) == recorded()["gpu_states"]


def test_robots_that_do_not_grasp_physically_by_default_are_known() -> None:
    text = (PLAYER / "demonstration_file.py").read_text()
    (line,) = [n for n in ast.parse(text).body if _assigns(n, "GRASPING_OF")]
    assert ast.literal_eval(line.value) == {  # type: ignore[attr-defined]
        name: mode for name, mode in recorded()["grasping_modes"].items() if mode != "physical"
    }


def _assigns(node: ast.stmt, name: str) -> bool:
    return isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == name


def test_what_is_left_out_or_about_particles_is_not_asked_of_objects() -> None:
    """What no fact comes of would still cost a question per pair and frame."""
    text = (PLAYER / "facts.py").read_text()
    assert "name in RECORDED and name not in PARTICLES_ONLY" in text


@pytest.mark.slow
def test_the_source_of_1_1_1_has_the_features_of_its_profile(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The probes look at the real functions, compiled out of their modules."""
    monkeypatch.setitem(sys.modules, "omnigibson", types.ModuleType("omnigibson"))
    for module, name in (
        ("omnigibson.envs.data_wrapper", "DataPlaybackWrapper"),
        ("omnigibson.envs.env_base", "Environment"),
        ("omnigibson.robots.manipulation_robot", "ManipulationRobot"),
        ("omnigibson.scenes.scene_base", "Scene"),
        ("omnigibson.scene_graphs.graph_builder", "SceneGraphBuilder"),
    ):
        made = types.ModuleType(module)
        tree = ast.parse((source / f"{module.replace('.', '/')}.py").read_text())
        (owner,) = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name]
        owner.bases = []
        owner.body = [n for n in owner.body if isinstance(n, ast.FunctionDef)]
        for function in owner.body:
            function.decorator_list = []  # type: ignore[attr-defined]
            arguments = function.args  # type: ignore[attr-defined]
            arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
            function.returns = None  # type: ignore[attr-defined]
            for argument in ast.walk(arguments):
                if isinstance(argument, ast.arg):
                    argument.annotation = None
        code = ast.fix_missing_locations(ast.Module([owner], []))
        exec(compile(code, module, "exec"), made.__dict__)  # noqa: S102 # what is looked at
        monkeypatch.setitem(sys.modules, module, made)
    macros = types.ModuleType("omnigibson.macros")
    text = (source / "omnigibson/macros.py").read_text()
    macros.gm = dict.fromkeys(re.findall(r"^gm\.([A-Z_]+) =", text, re.MULTILINE))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "omnigibson.macros", macros)
    assert read_installed().profile == "1.1.1"


@pytest.mark.slow
def test_omnigibson_records_no_sleeping_objects_and_skips_them_when_it_loads(source: Path) -> None:
    """Why all frames are played; a version whose rows are complete would not need it."""
    wrapper = (source / "omnigibson/envs/data_wrapper.py").read_text()
    assert "set_dump_filter(dump_filter=lambda obj: obj.is_active)" in wrapper
    registry = (source / "omnigibson/utils/registry_utils.py").read_text()
    assert "is not in the state dict to load from. Skip loading its state." in registry


@pytest.mark.slow
def test_omnigibson_asks_cloth_about_no_physical_particles(source: Path) -> None:
    covered = (source / "omnigibson/object_states/covered.py").read_text()
    assert "Cloth objects currently cannot be Covered by physical particles!" in covered
    systems = (source / "omnigibson/systems/system_base.py").read_text()
    for kind in playable.RUNS_ON_CPU:
        assert f'system_type == "{kind}"' in systems
    micro = (source / "omnigibson/systems/micro_particle_system.py").read_text()
    assert "if not gm.USE_GPU_DYNAMICS or gm.ENABLE_FLATCACHE:\n            raise" in micro


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


def test_what_is_compared_is_what_is_used() -> None:
    """A setting, switch or import of the player that is not compared would drift unseen."""
    kept = recorded()
    used = {path for settings in look.RENDERERS.values() for path in settings}
    assert used == set(kept["renderer_settings"])
    texts = {p.name: p.read_text() for p in MODULES}
    read = {
        node.attr
        for text in texts.values()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "gm"
    }
    assert read == {"DATA_PATH", "DATASET_PATH", "ASSET_PATH", "KEY_PATH"}
    set_ones = set(re.findall(r'^        "([A-Z_]+)":', texts["playback.py"], re.MULTILINE))
    assert set_ones == set(SWITCHES)
    assert set_ones | read - {"DATA_PATH"} == set(kept["macros"])
    modules = {place.partition(":")[0] for place in (*NAMES, *FUNCTIONS)}
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
    assert f"omnigibson=={recorded()['does']['number']}" in pins
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
                assert name.startswith("enact_assets.demonstrations.replay.omnigibson_player"), name
            else:
                assert top in NEEDED or top in STANDARD_3_10, name


STANDARD_3_10 = {
    "argparse", "collections", "colorsys", "contextlib", "dataclasses", "dis", "hashlib",
    "importlib", "inspect", "json", "math", "os", "pathlib", "platform", "re", "shutil",
    "subprocess", "sys", "tempfile", "time", "traceback", "types", "typing",
}  # fmt: skip
