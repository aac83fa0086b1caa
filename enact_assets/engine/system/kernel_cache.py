"""Keeps compiled kernels of different sources apart, in any folder that Numba writes to.

Numba checks the file of the outermost kernel only. Kernels here call kernels of other files: after
a change of an inner one, the old machine code would silently keep running. So all compiled kernels
beside their source are removed when any kernel file changed. In other folders, each content of all
kernel files has its own sub-folder.
"""

import os
import re
import sys
from collections.abc import Mapping, MutableMapping, Sequence
from contextlib import suppress
from pathlib import Path

PACKAGE = Path(__file__).parents[2]
STAMP = "kernels.stamp"
KERNEL_FILES = ("kernels.py", "bit_sets.py", "release_arrays.py")
"""How the names of all modules with kernels end; a test checks that none is missing."""
INDEXES = "**/__pycache__/*.nbi"
VARIABLE = "NUMBA_CACHE_DIR"
_OWN_FOLDER = re.compile(r"enact_kernels_[0-9a-f]{16}")


def place_kernels(
    package: Path = PACKAGE, environment: MutableMapping[str, str] = os.environ
) -> None:
    """Set the folder of compiled kernels by :data:`VARIABLE`, which child processes inherit.

    If the user set a folder there, kernels go into a sub-folder of it. Otherwise they stay beside
    their source or, if that cannot be written, go to the user's cache folder or a temporary one.
    Call it before Numba is imported.
    """
    named = environment.get(VARIABLE)
    if not named:
        files = kernel_files(package)
        if is_writable(package, files):
            drop_stale_kernels(package, files)
            return
    name = f"enact_kernels_{kernel_sha(package)[:16]}"
    if named:
        # A parent process may have set it already, for another source.
        given = Path(named)
        folder = (given.parent if _OWN_FOLDER.fullmatch(given.name) else given) / name
    else:
        folder = (user_cache(environment) or _temporary_cache()) / name
        _bring_along(package, folder)
    environment[VARIABLE] = str(folder)
    if "numba" in sys.modules and environment is os.environ:
        sys.modules["numba"].config.CACHE_DIR = str(folder)


def kernel_files(package: Path = PACKAGE) -> list[Path]:
    """Source files with kernels, sorted. Every start looks for them: each folder is read once."""
    found = []
    for folder, folders, names in os.walk(package):
        folders[:] = [name for name in folders if name != "__pycache__"]
        found += [Path(folder, name) for name in names if name.endswith(KERNEL_FILES)]
    return sorted(found)


def kernel_sha(package: Path = PACKAGE) -> str:
    """Hash of names and contents of all kernel files."""
    from hashlib import sha256

    found = sha256()
    for path in kernel_files(package):
        content = path.read_bytes()
        found.update(f"{path.relative_to(package)} {len(content)}\n".encode() + content)
    return found.hexdigest()


def is_writable(package: Path, files: Sequence[Path]) -> bool:
    """Whether Numba can write beside each of ``files`` with kernels."""
    folders = {path.parent for path in files} | {package}
    caches = (folder / "__pycache__" for folder in folders)
    return all(os.access(c if c.exists() else c.parent, os.W_OK | os.X_OK) for c in caches)


def has_kernels(package: Path = PACKAGE) -> bool:
    """Whether there is any compiled kernel."""
    named = os.environ.get(VARIABLE)
    return any(Path(named).glob("*/*.nbi") if named else package.glob(INDEXES))


def drop_stale_kernels(package: Path, files: Sequence[Path]) -> bool:
    """Remove compiled kernels below ``package`` if one of its ``files`` with kernels changed;
    returns whether it did.

    Changes are detected by time and size.
    """
    if _is_fresh(package, files):
        return False
    with suppress(OSError):
        for compiled in _compiled(package):
            compiled.unlink(missing_ok=True)
        place = package / "__pycache__" / STAMP
        place.parent.mkdir(exist_ok=True)
        place.write_text(_stamp(package, files), encoding="utf-8")
    return True


def _compiled(package: Path) -> list[Path]:
    return [path for pattern in (INDEXES, "**/__pycache__/*.nbc") for path in package.glob(pattern)]


def _stamp(package: Path, files: Sequence[Path]) -> str:
    found = [(path, path.stat()) for path in files]
    return "\n".join(f"{p.relative_to(package)} {s.st_mtime_ns} {s.st_size}" for p, s in found)


def _is_fresh(package: Path, files: Sequence[Path]) -> bool:
    """Whether the kernels compiled beside the source were compiled from the current source."""
    with suppress(OSError):
        stamp = (package / "__pycache__" / STAMP).read_text(encoding="utf-8")
        return stamp == _stamp(package, files)
    return False


def _bring_along(package: Path, folder: Path) -> None:
    """Copy kernels compiled beside the source into ``folder``, which does not exist yet.

    So kernels compiled when an image was built are used even if the image is read-only.
    """
    import shutil
    import tempfile
    from hashlib import sha1

    compiled = _compiled(package)
    if folder.exists() or not compiled or not _is_fresh(package, kernel_files(package)):
        return
    with suppress(OSError), tempfile.TemporaryDirectory(dir=folder.parent) as made:
        for path in compiled:
            stage = path.parents[1]
            # The name that Numba expects; under another name it would compile again.
            sha = sha1(os.path.abspath(stage).encode(), usedforsecurity=False).hexdigest()  # noqa: PTH100 - Numba resolves no links either
            place = Path(made, folder.name, f"{stage.name}_{sha}")
            place.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place / path.name)
        # This fails if another process was quicker; nothing is lost.
        Path(made, folder.name).rename(folder)


def user_cache(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Our folder in the user's cache folder, if it can be written."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - without a home it gives "~", where Path raises
    named = environment.get("XDG_CACHE_HOME")
    folder = Path(named or home / ".cache") / "enact_assets"
    is_there = folder.is_absolute() and (named or home.is_dir())
    return folder if is_there and _is_ours(folder) else None


def _temporary_cache() -> Path:
    """Our folder for temporary files, the same in every process of this user."""
    import tempfile

    folder = Path(tempfile.gettempdir()) / f"enact_assets-{os.getuid()}"
    # Numba runs the code it finds, so no other user may own the folder or write there.
    return folder if _is_ours(folder) else Path(tempfile.mkdtemp(prefix="enact_assets-"))


def _is_ours(folder: Path) -> bool:
    """Whether only this user owns and can write a folder; a missing folder is made."""
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
        is_private = folder.is_dir() and not folder.is_symlink() and not found.st_mode & 0o022
        return found.st_uid == os.getuid() and is_private and os.access(folder, os.W_OK | os.X_OK)
    return False
