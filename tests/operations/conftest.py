"""A tiny data root, materialized once, and a small disk."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny_roots import Disk, TinyRoot, system

from reference.misbehaving_server import Server, running


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> TinyRoot:
    """Quick tests ask models: what follows evaluation, those of `tests/pipeline/whole_graph`
    make."""
    is_quick = request.config.option.markexpr == "not slow"
    return TinyRoot(tmp_path_factory.mktemp("tiny"), "evaluation" if is_quick else None)


@pytest.fixture
def copied(tiny: TinyRoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the data root, free to be spoiled; the registry is the small one."""
    monkeypatch.setenv("ENACT_REGISTRY", str(tiny.registry))
    return tiny.copy(tmp_path / "data")


@pytest.fixture
def server() -> Iterator[Server]:
    """A provider of models, of this machine."""
    with running() as found:
        yield found


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """48 MB that nobody else uses. Skips where nothing may be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if system("mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", str(folder)) != 0:
        pytest.skip("needs to mount a small file system: run as root, or under `unshare -rm`")
    found = Disk(folder)
    try:
        yield found
    finally:
        found.set_writable(True)
        system("umount", "-l", str(folder))
