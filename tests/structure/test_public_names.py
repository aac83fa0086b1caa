"""What users import from ``enact_assets`` itself: there, cheap, and in nobody's way."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import enact_assets
from enact_assets.engine import errors
from enact_assets.engine.system.public_names import names_by_need, names_of_stub

PACKAGE = Path(enact_assets.__file__).parent
STUB = PACKAGE / "__init__.pyi"
NAMES = names_of_stub(STUB)
LIBRARIES = {"dagster", "dataframely", "duckdb", "msgspec", "numba", "numpy", "polars", "pyarrow"}


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_imported_from_where_the_stub_says(name: str) -> None:
    found = getattr(enact_assets, name)
    assert callable(found)
    # Not from a module that imports it itself: that one could stop to.
    assert (found.__module__, found.__name__) == NAMES[name]


def test_names_are_found_by_tools_that_list_them() -> None:
    assert set(NAMES) < set(dir(enact_assets))
    assert enact_assets.__all__ == sorted(NAMES)
    with pytest.raises(AttributeError, match="'enact_assets' has no attribute 'segmnt'"):
        _ = enact_assets.segmnt
    with pytest.raises(ImportError, match="cannot import name 'segmnt'"):
        exec("from enact_assets import segmnt")  # noqa: S102 - as a user would write it


def test_every_error_is_public() -> None:
    tree = {
        name
        for name, found in vars(errors).items()
        if isinstance(found, type) and found.__module__ == errors.__name__
    }
    assert tree <= set(NAMES)


def test_importing_the_package_loads_nothing_that_takes_time() -> None:
    code = "import sys, enact_assets; dir(enact_assets); print(*sys.modules)"
    command = [sys.executable, "-c", code]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own interpreter, our own code
    loaded = printed.stdout.split()
    assert {name.partition(".")[0] for name in loaded} & LIBRARIES == set()
    ours = {name for name in loaded if name.startswith("enact_assets.")}
    assert ours == {
        f"enact_assets.engine{name}"
        for name in ("", ".system", ".system.kernel_cache", ".system.public_names")
    }


def test_no_public_name_is_that_of_a_module() -> None:
    """Importing ``enact_assets.x`` sets the attribute ``x`` of the package, whatever it was."""
    beside = {path.stem for path in PACKAGE.iterdir() if path.suffix in {"", ".py"}}
    # sql/ comes into the package when it is installed.
    assert {"answers", "settings", "cli"} < beside
    assert set(NAMES) & (beside | {"sql"}) == set()


@pytest.mark.slow
def test_the_package_itself_imports_from_where_names_live() -> None:
    """Imports by public names would be seen by no import contract and no hash of a step's code."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.module == "enact_assets":
                assert {alias.name for alias in node.names} & set(NAMES) == set(), path
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert node.value.id != "enact_assets" or node.attr not in NAMES, path


def test_a_stub_is_read_once_and_only_for_names_that_could_be_in_it(tmp_path: Path) -> None:
    stub = tmp_path / "__init__.pyi"
    given: dict[str, object] = {}
    get, _ = names_by_need("enact_assets", str(stub.with_suffix(".py")), given)
    with pytest.raises(AttributeError):
        get("__wrapped__")
    stub.write_text(
        "from json import loads as _read\nfrom json import dumps as dumps\nread = _read\n"
    )
    assert get("read")("[1]") == [1]
    assert list(given) == ["read"]
    stub.unlink()
    assert get("dumps")([1]) == "[1]"
    with pytest.raises(AttributeError):
        get("_read")
