"""Drops compiled kernels that no longer match their source.

Numba keeps compiled kernels beside their source and looks at the file of the outermost kernel only.
Kernels here call kernels of other files: after an edit, or a pull, of an inner one the old machine
code would go on running without a sign. So all of it goes as soon as any kernel file changed.
"""

import os
from contextlib import suppress
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
STAMP = "kernels.stamp"
KERNEL_FILES = ("*/*kernels.py", "segmentation/bit_sets.py", "segmentation/release_arrays.py")
"""Every module with a kernel in it; a test compares."""
INDEXES = "*/__pycache__/*.nbi"


def kernel_files(package: Path = PACKAGE) -> list[Path]:
    """Source files with kernels, sorted."""
    return sorted(path for pattern in KERNEL_FILES for path in package.glob(pattern))


def has_kernels(package: Path = PACKAGE) -> bool:
    """Whether any compiled kernel is there, or the package cannot hold them."""
    is_elsewhere = bool(os.environ.get("NUMBA_CACHE_DIR")) or not os.access(package, os.W_OK)
    return is_elsewhere or any(package.glob(INDEXES))


def drop_stale_kernels(package: Path = PACKAGE) -> bool:
    """Remove compiled kernels below ``package`` if a kernel file changed; whether they were.

    Files are told apart by time and size, as Numba does. Where the package cannot be written,
    Numba keeps its files elsewhere and an installation replaces every file at once.
    """
    found = [(path, path.stat()) for path in kernel_files(package)]
    stamp = "\n".join(f"{p.relative_to(package)} {s.st_mtime_ns} {s.st_size}" for p, s in found)
    place = package / "__pycache__" / STAMP
    with suppress(OSError):
        if place.read_text(encoding="utf-8") == stamp:
            return False
    with suppress(OSError):
        for pattern in (INDEXES, "*/__pycache__/*.nbc"):
            for compiled in package.glob(pattern):
                compiled.unlink(missing_ok=True)
        place.parent.mkdir(exist_ok=True)
        place.write_text(stamp, encoding="utf-8")
    return True
