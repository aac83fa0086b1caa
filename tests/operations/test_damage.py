"""Files that went bad on the disk: found when they are read, made again, on a real data root.

Disks that are full or may not be written to: one message, nothing damaged, go on later."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import polars as pl
import pytest
from tiny_roots import RECORDED, Disk, TinyRoot

from benchmarks.crashes import find_damage, fingerprint
from enact_assets.cli import main
from enact_assets.demonstrations.replay.tables import Facts
from enact_assets.engine.errors import OutputError
from enact_assets.engine.lake.damage import ANSWERS
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.publishing.sql_files import STAGES
from enact_assets.engine.publishing.warehouse import publish

from reference.undrawn import ASSETS_BUT_REPORT, BUT_REPORT

pytestmark = pytest.mark.slow

ANSWERED = {"model": "oracle", "variant": "baseline"}
EVALUATION = "evaluation/oracle/baseline.parquet"


def flip(path: Path) -> None:
    """One bit, in a page: the footer, which is all that a plan reads, is as it was."""
    content = bytearray(path.read_bytes())
    content[40] ^= 1
    path.write_bytes(content)


def command(capsys: pytest.CaptureFixture[str], root: Path, *words: str) -> tuple[int, str]:
    capsys.readouterr()
    code = main([*words, "--data", str(root)])
    printed = capsys.readouterr()
    return code, " ".join(f"{printed.out} {printed.err}".split())


@pytest.mark.parametrize(
    "reader",
    [
        "enact.duckdb",
        pytest.param("lake/compared_steps/oracle/baseline.parquet", marks=pytest.mark.slow),
    ],
)
def test_a_walk_that_finds_damage_mends_it(
    tiny: TinyRoot, copied: Path, capsys: pytest.CaptureFixture[str], reader: str
) -> None:
    """When it publishes, or in a step that reads the damaged table: both are made again."""
    flip(copied / "lake" / EVALUATION)
    code, printed = command(capsys, copied, "plan")
    assert (code, "evaluation" in printed) == (0, False)  # nobody has read it yet
    (copied / reader).unlink()
    code, printed = command(capsys, copied, "materialize", "--workers", "1", *ASSETS_BUT_REPORT)
    assert code == 0, printed
    assert f"set aside as {EVALUATION}.damaged-" in printed
    assert fingerprint(copied) == tiny.content
    assert tiny.walk(copied).made == []
    assert len(list((copied / "lake/evaluation/oracle").iterdir())) == 2


def test_a_walk_does_not_publish_what_it_was_not_asked_to_make_again(
    tiny: TinyRoot, copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The warehouse would have a hole; the next walk over everything makes it whole."""
    driver = tiny.driver(copied)
    assert driver.run(assets=BUT_REPORT, models=["identity"]).is_success
    whole = fingerprint(copied)
    flip(copied / "lake" / EVALUATION)
    (copied / "enact.duckdb").unlink()
    # Of inputs that are read with all their partitions, those of the named model.
    [failure] = driver.run(assets=["warehouse"], only={"model": ["identity"]}).failures
    assert "1 of " in failure.message
    assert "1 damaged file was set aside; the next `enact-assets materialize`" in failure.message
    assert not (copied / "enact.duckdb").exists()
    _, printed = command(capsys, copied, "plan")
    assert "evaluation 1 partition (oracle|baseline): its file was damaged, and set" in printed
    made = [run.step for run in tiny.walk(copied).made]
    assert made == ["evaluation", "warehouse"]
    assert fingerprint(copied) == whole


def test_verify_finds_what_nobody_reads(
    tiny: TinyRoot, copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tables and pictures; afterwards a plan knows, and a walk makes it whole."""
    code, printed = command(capsys, copied, "verify")
    assert (code, "none damaged." in printed) == (0, True)
    images = ImageStore(copied / "images")
    sha, _ = next(images.entries())
    flip(images.path(sha))
    flip(copied / f"lake/facts/{RECORDED}.parquet")
    code, printed = command(capsys, copied, "verify")
    assert code == 1
    assert "2 damaged." in printed
    assert f"{sha}.png.damaged-" in printed
    assert f"facts/{RECORDED}.parquet.damaged-" in printed
    assert command(capsys, copied, "verify")[0] == 0
    plan, _ = tiny.driver(copied).plan()
    assert {row.step for row in plan.stale} == {"replays", "frame_images", "report"}
    assert tiny.walk(copied).is_success
    assert fingerprint(copied) == tiny.content
    assert images.exists(sha)
    assert command(capsys, copied, "gc", "--delete")[1] == "Nothing to remove."


def test_what_others_wrote_into_the_published_file_is_found_and_gone(
    tiny: TinyRoot, copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By a plan, by ``verify``, and before a report is made of it (faults N1)."""
    warehouse = copied / "enact.duckdb"
    assert "enact.duckdb: as it was published." in command(capsys, copied, "verify")[1]
    Path(f"{warehouse}.wal").unlink()  # as DuckDB 1.2 to 1.4 does
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute("update leaderboard_details set task_accuracy = 0.99")
    code, printed = command(capsys, copied, "verify")
    assert (code, "another program changed it" in printed) == (1, True)
    code, printed = command(capsys, copied, "report")
    assert (code, "another program changed it" in printed) == (2, True)
    plan, _ = tiny.driver(copied).plan()
    causes = {row.step: row.why for row in plan.stale}
    assert causes["warehouse"] == "another program changed it after it was published"
    assert tiny.walk(copied).is_success
    assert fingerprint(copied) == tiny.content


def test_damaged_answers_are_asked_for_again_and_kept(
    tiny: TinyRoot, copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also if the damage shows in the footer, where a plan finds it: nothing is written over."""
    lake = Lake(copied / "lake")
    path = lake.path("predictions", ANSWERED)
    path.write_bytes(path.read_bytes()[:-1])
    damaged = path.read_bytes()
    assert tiny.walk(copied).is_success
    assert fingerprint(copied) == tiny.content
    [aside] = path.parent.glob("*.damaged-*")
    assert aside.read_bytes() == damaged
    code, printed = command(capsys, copied, "gc", "--delete", "--grace", "0")
    assert (code, ANSWERS in printed) == (0, True)
    assert aside.exists()


READS = (("leaderboard",), ("sql", "select count(*) as n from qa"), ("list",))
NEED_THE_INSTANCE = (
    ("materialize",),
    ("plan",),
    ("gc",),
    ("gc", "--delete"),
    ("forget", "model", "oracle"),
)
"""Dagster's database cannot even be read where nothing may be written beside it."""


def process(*words: str) -> tuple[int, str]:
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


@contextmanager
def refused(path: Path, reason: str, advice: str) -> Iterator[None]:
    """What is done within ends in one message about ``path``, not about a temporary file."""
    with pytest.raises(OutputError) as caught:
        yield
    message = str(caught.value)
    assert f"{path}: cannot be written ({reason})" in message
    assert advice in message
    assert ".tmp" not in message


FULL = ("No space left on device", "Free some space")
READ_ONLY = ("Read-only file system", "mounted read-only")


def test_a_full_disk_leaves_what_was_there(disk: Disk) -> None:
    """Half a file in place of a whole one would be the end of both."""
    lake, images = Lake(disk.folder / "lake"), ImageStore(disk.folder / "images")
    where = {"demonstration": "cups-0"}
    sha = lake.write("facts", facts(10), where)
    disk.fill(leave_kb=64)
    with refused(disk.folder / "lake/facts/cups-0.parquet", *FULL):
        lake.write("facts", facts(50_000), where)
    assert lake.verify("facts", where) == sha
    disk.clear()
    assert lake.write("facts", facts(50_000), where) != sha
    assert lake.foreign_files() == images.foreign_files() == []
    assert list(lake.place.temporary_files()) == []


def test_a_full_disk_leaves_the_warehouse(tiny: TinyRoot, disk: Disk) -> None:
    """DuckDB writes megabytes before it swaps them in: the old file answers until then."""
    warehouse, first = disk.folder / "enact.duckdb", disk.folder / "first" / "enact.duckdb"
    shutil.copy(tiny.root / "enact.duckdb", warehouse)
    before = warehouse.read_bytes()
    disk.fill(leave_kb=300)
    for path in (warehouse, first):
        with refused(path, *FULL):
            publish(Lake(tiny.root / "lake"), path)
    assert warehouse.read_bytes() == before
    assert sorted(p.name for p in disk.folder.iterdir()) == ["enact.duckdb", "filler", "first"]
    assert list(first.parent.iterdir()) == []
    disk.clear()
    publish(Lake(tiny.root / "lake"), warehouse)


def test_a_read_only_disk_is_read_and_not_written_to(
    tiny: TinyRoot, disk: Disk, tmp_path: Path
) -> None:
    lake, where = Lake(disk.folder / "lake"), {"demonstration": "cups-0"}
    lake.write("facts", facts(10), where)
    before = sorted(disk.folder.rglob("*"))
    disk.set_writable(False)
    with refused(disk.folder / "lake/facts/cups-0.parquet", *READ_ONLY):
        lake.write("facts", facts(20), where)
    with refused(disk.folder / "enact.duckdb", *READ_ONLY):
        publish(Lake(tiny.root / "lake"), disk.folder / "enact.duckdb")
    assert lake.read("facts", where).height == 10
    for stage in STAGES:
        (tmp_path / "sql" / stage).mkdir(parents=True)
    publish(lake, tmp_path / "enact.duckdb", tmp_path / "sql")
    assert sorted(disk.folder.rglob("*")) == before


@pytest.mark.slow
@pytest.mark.parametrize("leave_kb", [0, 500, 1500, 3000])
def test_a_walk_on_a_full_disk_says_so_and_goes_on_when_there_is_space(
    tiny: TinyRoot, disk: Disk, monkeypatch: pytest.MonkeyPatch, leave_kb: int
) -> None:
    """Wherever it is that the disk runs full: the instance, the lake, pictures, the warehouse."""
    monkeypatch.setenv("ENACT_REGISTRY", str(tiny.registry))
    root = disk.folder / "data"
    shutil.copytree(tiny.inputs, root)
    assert process("plan", "--data", str(root))[0] == 0
    disk.fill(leave_kb)
    walk = ("materialize", "--workers", "1", "--data", str(root), *ASSETS_BUT_REPORT)
    code, printed = process(*walk)
    assert code in (1, 2), printed
    # SQLite, where not even its log can grow, speaks of an I/O error.
    reasons = ("No space left", "disk is full", "disk I/O error")
    assert any(told_once(printed, reason) for reason in reasons), printed
    disk.clear()  # SQLite needs some space even to look into its files
    assert find_damage(root) == []
    code, printed = process(*walk)
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
        code, printed = process(*words, "--data", str(root))
        assert (code, "Traceback" in printed) == (0, False), (words, printed)
    for words in NEED_THE_INSTANCE:
        code, printed = process(*words, "--data", str(root))
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
    code, printed = process("materialize", "--workers", "1", "--data", str(copied))
    assert code == 1, printed
    assert told_once(printed, "Read-only file system"), printed
    assert printed.count("failed: qa ") == 1
    assert find_damage(copied) == []
    disk.set_writable(True)
    assert tiny.walk(copied).is_success
    assert fingerprint(copied) == tiny.content
