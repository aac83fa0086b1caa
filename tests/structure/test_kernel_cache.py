"""Compiled kernels never outlive their source."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from enact_assets.engine.system.kernel_cache import (
    PACKAGE,
    drop_stale_kernels,
    kernel_files,
    kernel_sha,
    place_kernels,
)

INNER = """from enact_assets.engine.system.compiled import njit


@njit(cache=True)
def inner(x):
    return x + 1
"""
OUTER = """from bit_sets import inner
from enact_assets.engine.system.compiled import njit


@njit(cache=True)
def outer(x):
    return inner(x)
"""


def test_every_module_with_a_kernel_is_watched() -> None:
    """One that is not would go on running as it was before an edit."""
    found = {p for p in PACKAGE.rglob("*.py") if "\n@njit" in p.read_text(encoding="utf-8")}
    assert found
    assert found <= set(kernel_files())


def test_an_inner_kernel_that_changes_takes_all_compiled_ones_along(tmp_path: Path) -> None:
    stage = tmp_path / "segmentation"
    (stage / "__pycache__").mkdir(parents=True)
    inner, outer = stage / "bit_sets.py", stage / "pair_kernels.py"
    for path in (inner, outer):
        path.write_text("")
    compiled = stage / "__pycache__" / "pair_kernels.f-1.py311.1.nbc"
    compiled.write_text("")
    assert drop_stale_kernels(tmp_path, [inner, outer])
    assert not compiled.exists()
    compiled.write_text("")
    assert not drop_stale_kernels(tmp_path, [inner, outer])
    assert compiled.exists()
    os.utime(inner, ns=(1, 1))
    assert drop_stale_kernels(tmp_path, [inner, outer])
    assert not compiled.exists()


def small_package(folder: Path) -> Path:
    """A package with a kernel in one file that calls one of another file."""
    package = folder / "package"
    stage = package / "segmentation"
    stage.mkdir(parents=True)
    (stage / "bit_sets.py").write_text(INNER)
    (stage / "pair_kernels.py").write_text(OUTER)
    return package


def answered_with(package: Path, environment: dict[str, str], more: str = "") -> str:
    """What the outer kernel gives in a process of its own."""
    program = (
        "from pathlib import Path; from enact_assets.engine.system.kernel_cache import "
        "place_kernels\n"
        f"place_kernels(Path({str(package)!r}))\n"
        f"import sys; sys.path.insert(0, {str(package / 'segmentation')!r})\n"
        "from pair_kernels import outer; print(outer(1), sum(outer.stats.cache_hits.values()))"
        f"{more}"
    )
    command = [sys.executable, "-c", program]
    plain = {name: text for name, text in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    # Bytecode knows its source by size and whole seconds: an edit within one would not be seen.
    plain["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run(  # noqa: S603 - this Python
        command, env=plain | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_a_kernel_in_the_cache_is_loaded_without_what_only_compiling_needs(tmp_path: Path) -> None:
    """That was half a CPU second of each command with kernels."""
    package = small_package(tmp_path)
    named = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    ready = "; print('numba.np.linalg' in sys.modules)"
    assert answered_with(package, named, ready).split() == ["2", "0", "True"]
    assert answered_with(package, named, ready).split() == ["2", "1", "False"]


@pytest.mark.slow
def test_a_kernel_in_the_cache_that_hashes_text_runs(tmp_path: Path) -> None:
    """The process crashed: the secret of hashes was not known to the machine code."""
    package = small_package(tmp_path)
    outer = OUTER.replace("inner(x)", "inner(x) + 0 * hash('abc'[:x])")
    (package / "segmentation" / "pair_kernels.py").write_text(outer)
    named = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert answered_with(package, named) == "2 0"
    assert answered_with(package, named) == "2 1"


@pytest.mark.slow
def test_n7_an_inner_kernel_that_changes_is_compiled_anew_in_a_named_cache(tmp_path: Path) -> None:
    """N7 of found_3/faults.md: old machine code went on running under a new code version."""
    package = small_package(tmp_path)
    inner = package / "segmentation" / "bit_sets.py"
    named = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert answered_with(package, named) == "2 0"
    inner.write_text(INNER.replace("x + 1", "x + 2"))
    assert answered_with(package, named) == "3 0"


def test_n7_a_child_process_uses_the_folder_of_its_parent(tmp_path: Path) -> None:
    """Or, if the source changed since, the folder beside it: folders never nest."""
    package = small_package(tmp_path)
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    place_kernels(package, environment)
    first = Path(environment["NUMBA_CACHE_DIR"])
    place_kernels(package, environment)
    assert Path(environment["NUMBA_CACHE_DIR"]) == first
    (package / "segmentation" / "bit_sets.py").write_text("")
    place_kernels(package, environment)
    second = Path(environment["NUMBA_CACHE_DIR"])
    assert second != first
    assert second.parent == first.parent == tmp_path / "cache"


@pytest.fixture
def read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small package that cannot be written: root ignores modes, so the system call says so."""
    package = small_package(tmp_path)
    access = os.access

    def is_allowed(path: Path, mode: int) -> bool:
        return not Path(path).is_relative_to(package) and access(path, mode)

    monkeypatch.setattr(os, "access", is_allowed)
    return package


def test_n11_kernels_of_a_read_only_package_go_to_the_cache_of_the_user(
    read_only: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """N11 of found_3/faults.md: "cannot cache function ... no locator available"."""
    environment = {"XDG_CACHE_HOME": str(tmp_path / "caches")}
    place_kernels(read_only, environment)
    expected = f"enact_kernels_{kernel_sha(read_only)[:16]}"
    assert environment["NUMBA_CACHE_DIR"] == str(tmp_path / "caches" / "enact_assets" / expected)
    monkeypatch.setenv("HOME", str(tmp_path))
    environment = {}
    place_kernels(read_only, environment)
    assert environment["NUMBA_CACHE_DIR"] == str(tmp_path / ".cache" / "enact_assets" / expected)


def test_n11_without_a_home_they_go_to_a_temporary_folder_of_this_user(
    read_only: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numba runs what it finds there: a folder that others may write is not used."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere"))
    environment: dict[str, str] = {}
    place_kernels(read_only, environment)
    folder = tmp_path / f"enact_assets-{os.getuid()}"
    assert Path(environment["NUMBA_CACHE_DIR"]).parent == folder
    assert not (tmp_path / "nowhere").exists()
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    environment = {}
    place_kernels(read_only, environment)
    assert Path(environment["NUMBA_CACHE_DIR"]).parent not in {folder, tmp_path}
    assert Path(environment["NUMBA_CACHE_DIR"]).is_relative_to(tmp_path)


@pytest.mark.slow
def test_n11_what_a_read_only_image_was_built_with_is_not_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = small_package(tmp_path)
    assert answered_with(package, {}) == "2 0"
    monkeypatch.setattr("enact_assets.engine.system.kernel_cache.is_writable", lambda *_: False)
    environment = {"XDG_CACHE_HOME": str(tmp_path / "caches")}
    place_kernels(package, environment)
    assert answered_with(package, environment) == "2 1"
