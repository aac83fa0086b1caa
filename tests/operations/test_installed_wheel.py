"""The wheel, where nothing but the data root and a temporary folder can be written.

Root may write whatever modes say, so as root commands run without the capabilities for that.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CAPABILITIES = "-dac_override,-dac_read_search,-fowner"
IN_CHECKOUT_ONLY = re.compile(r"/__pycache__/|\.pyc$")
DEMONSTRATION = "setting_the_table-0"

pytestmark = pytest.mark.slow

Run = Callable[..., subprocess.CompletedProcess[str]]


def built_wheel(folder: Path) -> Path:
    """The wheel of this checkout, by the pinned backend; no network is needed."""
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)  # noqa: S603 - our own backend
    (wheel,) = folder.glob("*.whl")
    return wheel


def installed(wheel: Path, folder: Path) -> Path:
    """The package in a new environment, which borrows all other packages from this one.

    ``.pth`` files of a borrowed folder are not read: that of the editable installation is one.
    """
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    (site_packages,) = folder.glob("lib/python*/site-packages")
    (site_packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    install = ["install", "--quiet", "--no-deps", "--no-index", "--force-reinstall", wheel]
    subprocess.run([*pip, *install], check=True, capture_output=True)  # noqa: S603 - our own wheel
    return site_packages / "enact_assets"


def set_modes(folder: Path, *, is_writable: bool) -> None:
    """Allow or forbid to write files and folders below."""
    for place, _, files in os.walk(folder):
        for path in (Path(place), *(Path(place, name) for name in files)):
            if not path.is_symlink():
                path.chmod(
                    path.stat().st_mode | 0o200 if is_writable else path.stat().st_mode & ~0o222
                )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the environment ``venv``, a home, both read-only, and a writable ``work``."""
    place = tmp_path_factory.mktemp("wheel")
    package = installed(built_wheel(place), place / "venv")
    for name in ("home", "work", "temporary"):
        (place / name).mkdir()
    text = (package / "registry.yaml").read_text()
    for before, after in (
        ("size_px: 512", "size_px: 64"),
        ("trajectories_per_length: 48", "trajectories_per_length: 4"),
    ):
        assert before in text
        text = text.replace(before, after)
    (place / "work" / "small.yaml").write_text(text)
    read_only = (place / "venv", place / "home")
    for folder in read_only:
        set_modes(folder, is_writable=False)
    yield place
    for folder in read_only:
        set_modes(folder, is_writable=True)


@pytest.fixture(scope="module")
def run(place: Path) -> Run:
    """Runs a program of the environment in ``work``, with nothing of the checkout or its user."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root can write everything, and setpriv, which changes that, is not here")
    options = (f"--bounding-set={CAPABILITIES}", f"--inh-caps={CAPABILITIES}")
    limited = ["setpriv", *options] if os.geteuid() == 0 else []
    environment = {
        "PATH": os.defpath,
        "HOME": str(place / "home"),
        "TMPDIR": str(place / "temporary"),
        "ENACT_REGISTRY": str(place / "work" / "small.yaml"),
        "LANG": "C.UTF-8",
    }

    def call(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 - our own programs
            [*limited, str(place / "venv" / "bin" / program), *arguments],
            cwd=place / "work", env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return call


def said(done: subprocess.CompletedProcess[str]) -> str:
    """What a command printed; it must have succeeded."""
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def test_nothing_of_the_package_or_the_home_can_be_written(place: Path, run: Run) -> None:
    """Otherwise the other tests here would pass for another reason."""
    program = (
        "import pathlib, sys, enact_assets; place = pathlib.Path(enact_assets.__file__).parent\n"
        "print(place); tried = [place, *place.rglob('*'), pathlib.Path.home()]\n"
        "for path in tried:\n"
        "    try:\n"
        "        path.joinpath('new').touch() if path.is_dir() else path.open('a').close()\n"
        "    except PermissionError:\n"
        "        continue\n"
        "    sys.exit(f'{path} can be written')"
    )
    imported = Path(said(run("python", "-c", program)).strip())
    assert imported.is_relative_to(place / "venv")


def test_all_that_is_data_comes_along(place: Path) -> None:
    """Every file of the package and of sql/ that git knows, and nothing else."""
    listed = ["git", "ls-files", "enact_assets", "sql"]
    found = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S603 - git made the checkout
    known = {name.removeprefix("enact_assets/") for name in found.splitlines()}
    (package,) = place.glob("venv/lib/python*/site-packages/enact_assets")
    there = {str(p.relative_to(package)) for p in package.rglob("*") if p.is_file()}
    assert {name for name in there if not IN_CHECKOUT_ONLY.search(name)} == known


def test_the_demo_of_one_demonstration_runs_from_the_wheel(place: Path, run: Run) -> None:
    """And what reads it. N11 of found_3/faults.md: Numba found no folder for compiled kernels."""
    assert "materialize" in said(run("enact-assets", "--help"))
    one = ("--demonstration", DEMONSTRATION, "--variant", "baseline")
    few = ("--model", "oracle", "--model", "text_prior")
    printed = said(run("enact-assets", "demo", *one, *few))
    assert "no answer is missing" in printed
    assert (place / "work" / "data" / "report" / "report.html").stat().st_size > 100_000
    assert list(place.glob("temporary/enact_assets-*/enact_kernels_*/*/*.nbi"))
    assert "oracle" in said(run("enact-assets", "leaderboard"))
    assert "fresh" in said(run("enact-assets", "plan"))
    shown = said(run("enact-assets", "sql", "select count(*) as n from leaderboard", "--csv"))
    assert int(shown.split()[-1]) == 4
    assert not (place / "work" / "dagster.yaml").exists()
    assert sorted(p.name for p in (place / "work").iterdir()) == ["data", "small.yaml"]


def test_the_code_location_loads_from_the_wheel(run: Run) -> None:
    """What `ui` opens: assets, jobs and sensors need no file of the checkout."""
    program = (
        "from enact_assets.definitions import defs\n"
        "print(len(list(defs.resolve_asset_graph().get_all_asset_keys())))"
    )
    assert int(said(run("python", "-c", program)).split()[-1]) > 50
