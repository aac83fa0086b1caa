"""Disks that are full or may not be written to: one message, nothing damaged, go on later."""

import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from tiny_roots import Disk, TinyRoot

from benchmarks.crashes import find_damage, fingerprint
from enact_assets.demonstrations.replay.tables import Facts
from enact_assets.engine.errors import EnactError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.publishing.warehouse import publish

pytestmark = pytest.mark.slow

READS = (("leaderboard",), ("sql", "select count(*) as n from qa"), ("list",))
NEED_THE_INSTANCE = (
    ("materialize",),
    ("plan",),
    ("gc",),
    ("gc", "--delete"),
    ("forget", "model", "oracle"),
)
"""Dagster's database cannot even be read where nothing may be written beside it."""


def command(*words: str) -> tuple[int, str]:
    """``enact-assets`` in a process of its own, as people run it: exit code, what it printed."""
    done = subprocess.run(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, "-m", "enact_assets.cli", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def told_once(printed: str, reason: str) -> bool:
    """Whether ``printed`` gives the reason, and no traceback."""
    return reason in printed and "Traceback" not in printed


def facts(n: int) -> pl.DataFrame:
    rows = pl.DataFrame({"frame_from": range(n)}).with_columns(
        demonstration=pl.lit("cups-0"),
        predicate=pl.lit("OnTop"),
        subject=pl.col("frame_from").hash(0).cast(pl.String),
        object=pl.lit(None, pl.String),
        frame_to=pl.col("frame_from") + 1,
    )
    return rows.select(list(Facts.schema()))


def test_a_full_disk_leaves_what_was_there(disk: Disk) -> None:
    """Half a file in place of a whole one would be the end of both."""
    lake, images = Lake(disk.folder / "lake"), ImageStore(disk.folder / "images")
    where = {"demonstration": "cups-0"}
    sha = lake.write("facts", facts(10), where)
    disk.fill(leave_kb=64)
    with pytest.raises(EnactError, match=r"cups-0\.parquet.*No space left"):
        lake.write("facts", facts(50_000), where)
    assert lake.verify("facts", where) == sha
    disk.clear()
    assert lake.write("facts", facts(50_000), where) != sha
    assert lake.foreign_files() == images.foreign_files() == []
    assert list(lake.place.temporary_files()) == []


def test_a_full_disk_leaves_the_warehouse(tiny: TinyRoot, disk: Disk) -> None:
    """DuckDB writes megabytes before it swaps them in: the old file answers until then."""
    warehouse = disk.folder / "enact.duckdb"
    shutil.copy(tiny.root / "enact.duckdb", warehouse)
    before = warehouse.read_bytes()
    disk.fill(leave_kb=300)
    with pytest.raises(EnactError, match=r"enact\.duckdb"):
        publish(Lake(tiny.root / "lake"), warehouse)
    assert warehouse.read_bytes() == before
    assert sorted(p.name for p in disk.folder.iterdir()) == ["enact.duckdb", "filler"]
    disk.clear()
    publish(Lake(tiny.root / "lake"), warehouse)


@pytest.mark.slow
@pytest.mark.parametrize("leave_kb", [0, 100, 500, 1000, 1500, 2000, 3000])
def test_a_walk_on_a_full_disk_says_so_and_goes_on_when_there_is_space(
    tiny: TinyRoot, disk: Disk, monkeypatch: pytest.MonkeyPatch, leave_kb: int
) -> None:
    """Wherever it is that the disk runs full: the instance, the lake, pictures, the warehouse."""
    monkeypatch.setenv("ENACT_REGISTRY", str(tiny.registry))
    root = disk.folder / "data"
    shutil.copytree(tiny.inputs, root)
    assert command("plan", "--data", str(root))[0] == 0
    disk.fill(leave_kb)
    code, printed = command("materialize", "--workers", "1", "--data", str(root))
    assert code in (1, 2), printed
    # SQLite, where not even its log can grow, speaks of an I/O error.
    reasons = ("No space left", "disk is full", "disk I/O error")
    assert any(told_once(printed, reason) for reason in reasons), printed
    disk.clear()  # SQLite needs some space even to look into its files
    assert find_damage(root) == []
    code, printed = command("materialize", "--workers", "1", "--data", str(root))
    assert code == 0, printed
    assert fingerprint(root) == tiny.content


@pytest.mark.slow
def test_a_read_only_root_can_be_read_and_nothing_else(
    tiny: TinyRoot, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else's data root, or a disk that the kernel has set read-only after an error."""
    monkeypatch.setenv("ENACT_REGISTRY", str(tiny.registry))
    root = tiny.copy(disk.folder / "data")
    disk.set_writable(False)
    for words in READS:
        code, printed = command(*words, "--data", str(root))
        assert (code, "Traceback" in printed) == (0, False), (words, printed)
    for words in NEED_THE_INSTANCE:
        code, printed = command(*words, "--data", str(root))
        assert code == 2, (words, printed)
        assert printed.count("enact-assets: ") == 1
        assert told_once(printed, "Read-only file system") or told_once(printed, "readonly")
    assert fingerprint(root) == tiny.content


@pytest.mark.slow
def test_a_read_only_lake_fails_what_must_be_written(
    tiny: TinyRoot, copied: Path, disk: Disk
) -> None:
    """The lake alone, on a disk of its own: the partition says why, what hangs on it is not made,
    and what was published stays.
    """
    shutil.move(copied / "lake", disk.folder / "lake")
    (copied / "lake").symlink_to(disk.folder / "lake")
    qa = next((disk.folder / "lake" / "qa").rglob("*.parquet"))
    qa.unlink()
    disk.set_writable(False)
    code, printed = command("materialize", "--workers", "1", "--data", str(copied))
    assert code == 1, printed
    assert told_once(printed, "Read-only file system"), printed
    assert printed.count("failed: qa ") == 1
    assert find_damage(copied) == []
    disk.set_writable(True)
    assert tiny.walk(copied).is_success
    assert fingerprint(copied) == tiny.content
