"""A tiny data root that is really materialized, and a disk that can be filled or made read-only."""

import os
import shutil
import subprocess
from functools import cached_property
from pathlib import Path

import pytest

from benchmarks.crashes import fingerprint
from benchmarks.tiny_root import write_small_registry, write_tiny_recording
from enact_assets.pipeline.driver.materialize import Driver, Report
from enact_assets.settings.registry import load_registry

from reference.undrawn import BUT_REPORT

RECORDED = "moving_cups-0"
N_MOVES = 4


class TinyRoot:
    """One recording of four moves from nothing to leaderboard: pictures are its own."""

    def __init__(self, folder: Path, until: str | None = None) -> None:
        """``until``: the step that is made, with all that it needs (default: every step)."""
        self.registry = write_small_registry(
            folder / "registry.yaml", variants=["baseline"], models=["oracle"]
        )
        self.inputs = folder / "inputs"
        write_tiny_recording(self.inputs / "recordings", RECORDED, N_MOVES, has_contacts=True)
        self.root = folder / "data"
        shutil.copytree(self.inputs, self.root)
        first = self.walk(self.root, *([until] if until else []))
        assert first.is_success, [f.message for f in first.failures]

    @cached_property
    def content(self) -> dict[str, str]:
        """As :func:`fingerprint`. Nobody changes the root itself."""
        return fingerprint(self.root)

    def driver(self, root: Path) -> Driver:
        return Driver(root, registry=load_registry(self.registry), workers=1)

    def walk(self, root: Path, *assets: str) -> Report:
        """Bring ``root`` up to date but for the report, or only some of its assets or steps."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("ENACT_REGISTRY", str(self.registry))
            return self.driver(root).run(assets=assets or BUT_REPORT)

    def content_of(self, *tables: str) -> dict[str, str]:
        """Part of what :func:`fingerprint` gives for an undisturbed root."""
        return {name: sha for name, sha in self.content.items() if name.split()[0] in tables}

    def copy(self, to: Path) -> Path:
        return Path(shutil.copytree(self.root, to, symlinks=True))


class Disk:
    """A small file system of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self, leave_kb: int) -> None:
        """Leave so much of it free."""
        free = shutil.disk_usage(self.folder).free - leave_kb * 1024
        with (self.folder / "filler").open("wb") as file:
            file.write(b"\1" * max(free, 0))

    def clear(self) -> None:
        (self.folder / "filler").unlink()

    def set_writable(self, is_writable: bool) -> None:
        option = "remount,rw" if is_writable else "remount,ro"
        system("mount", "-o", option, str(self.folder))


def system(program: str, *arguments: str) -> int:
    """Run a program of the system; its exit code, 1 if there is none of that name."""
    place = shutil.which(program)
    if place is None or os.name != "posix":
        return 1
    return subprocess.run([place, *arguments], capture_output=True, check=False).returncode  # noqa: S603 - fixed arguments


def write_models(root: Path, url: str, more: str = "") -> None:
    """A model that costs money, ``seer``, and what else the file says."""
    (root / "models.yaml").write_text(
        "models:\n"
        f"  seer: {{id: openrouter/seer-1, base_url: '{url}', price: {{in: 1, out: 2}}, "
        f"picture_tokens: {{rule: fixed, numbers: [256]}}, parameters: {{max_tokens: 60}}}}\n{more}"
    )
