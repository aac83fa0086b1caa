"""What the image is built with: every kernel compiled."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from enact_assets.engine.system.kernel_cache import PACKAGE, kernel_files

pytestmark = pytest.mark.slow

WARM_UP = PACKAGE.parent / "deploy" / "warm_up.py"


def kernels_in(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            decorators = map(ast.unparse, node.decorator_list)
            if any(text.startswith("njit") for text in decorators):
                yield f"{file.stem}.{node.name}"


def test_the_warm_up_of_the_image_compiles_every_kernel(tmp_path: Path) -> None:
    """Fifteen were missed: each run in a container compiled them again, for 4 CPU seconds."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, WARM_UP], env=environment, check=True)  # noqa: S603 - our own
    compiled = {path.name.rsplit("-", 1)[0] for path in tmp_path.rglob("*.nbi")}
    kernels = {name for file in kernel_files() for name in kernels_in(file)}
    assert len(kernels) > 100
    assert kernels - compiled == set()
