"""Compiled kernels never outlive their source."""

import os
from pathlib import Path

from enact_assets.system.kernel_cache import PACKAGE, drop_stale_kernels, kernel_files


def test_every_module_with_a_kernel_is_watched() -> None:
    """One that is not would go on running as it was before an edit."""
    found = {p for p in PACKAGE.rglob("*.py") if "import njit" in p.read_text(encoding="utf-8")}
    assert found <= set(kernel_files())


def test_an_inner_kernel_that_changes_takes_all_compiled_ones_along(tmp_path: Path) -> None:
    stage = tmp_path / "segmentation"
    (stage / "__pycache__").mkdir(parents=True)
    inner, outer = stage / "bit_sets.py", stage / "pair_kernels.py"
    for path in (inner, outer):
        path.write_text("")
    compiled = stage / "__pycache__" / "pair_kernels.f-1.py311.1.nbc"
    compiled.write_text("")
    assert drop_stale_kernels(tmp_path)
    assert not compiled.exists()
    compiled.write_text("")
    assert not drop_stale_kernels(tmp_path)
    assert compiled.exists()
    os.utime(inner, ns=(1, 1))
    assert drop_stale_kernels(tmp_path)
    assert not compiled.exists()
