"""A disk that is full, and one that is read-only: one message, the old file, no leftovers.

With real file systems of a few hundred kilobytes, mounted in a name space of their own.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from enact_assets.engine.publishing.sql_files import STAGES

pytestmark = pytest.mark.slow

SCRIPT = """
import json, subprocess, sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from sql.tiny_lake import TABLE, tiny_rows, write_lake
from enact_assets.demonstrations.replay.tables import Facts
from enact_assets.engine.errors import EnactError
from enact_assets.engine.lake.lake import Lake
from enact_assets.results.published import query
from enact_assets.engine.publishing.warehouse import publish

root = Path(sys.argv[1])
disk = root / "disk"

def mount(options):
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(disk)], check=True)

def told(work):
    try:
        work()
    except EnactError as error:
        return [type(error).__name__, str(error)]
    return ["none", ""]

def files():
    return sorted(str(p.relative_to(disk)) for p in disk.rglob("*") if not p.is_dir())

facts = [r for r in tiny_rows()["facts"] if r["demonstration"] == TABLE][:1]
few = Facts.build(facts)
subjects = [f"{i * 7919 % 999983} {i}" for i in range(90000)]
many = Facts.build([{**facts[0], "subject": subject} for subject in subjects])
key = {"demonstration": TABLE}
tiny = write_lake(root / "tiny", tiny_rows())
found = {}

mount("size=400k")
lake = Lake(disk / "lake")
lake.write("facts", few, key)
found["landing"] = told(lambda: lake.write("facts", many, key))
found["landing left"] = files()
found["landed before"] = lake.read("facts", key).equals(few)
found["publishing"] = told(lambda: publish(tiny, disk / "enact.duckdb"))
found["publishing left"] = files()
(disk / "enact.duckdb").write_bytes(b"published before")
found["publishing again"] = told(lambda: publish(tiny, disk / "enact.duckdb"))
found["published before"] = (disk / "enact.duckdb").read_bytes() == b"published before"

subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
before = files()
found["landing read-only"] = told(lambda: lake.write("facts", few, {"demonstration": TABLE}))
found["publishing read-only"] = told(lambda: publish(tiny, disk / "enact.duckdb"))
found["read-only reads"] = lake.read("facts", key).equals(few)
found["read-only published"] = told(lambda: publish(lake, root / "enact.duckdb", root / "own"))
found["read-only unchanged"] = files() == before
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    root = tmp_path_factory.mktemp("disks")
    (root / "disk").mkdir()
    for stage in STAGES:
        (root / "own" / stage).mkdir(parents=True)
    may = subprocess.run(  # noqa: S603 - fixed words
        ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", str(root / "disk")],  # noqa: S607
        check=False,
        capture_output=True,
        text=True,
    )
    if may.returncode:
        pytest.skip(f"no file system can be mounted here: {may.stderr.strip()}")
    script = root / "script.py"
    script.write_text(SCRIPT)
    here = Path(__file__).parent
    paths = [str(here), str(here.parent)]
    run = subprocess.run(  # noqa: S603 - our own code
        ["unshare", "-rm", sys.executable, str(script), str(root), *paths],  # noqa: S607
        check=False,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def assert_told(found: list[str], path: str, reason: str, advice: str) -> None:
    name, message = found
    assert name == "OutputError"
    assert f"{path}: cannot be written ({reason})" in message
    assert advice in message
    assert ".tmp" not in message


def test_a_full_disk_keeps_the_old_rows_and_says_so(found: dict[str, Any]) -> None:
    """A run of weeks ends on it some night: the error must say which disk, and nothing be lost."""
    path = "disk/lake/facts/setting_the_table-0.parquet"
    assert_told(found["landing"], path, "No space left on device", "Free some space")
    assert found["landing left"] == ["lake/facts/setting_the_table-0.parquet"]
    assert found["landed before"]


def test_a_full_disk_keeps_the_old_warehouse_and_says_so(found: dict[str, Any]) -> None:
    """DuckDB tells of a temporary file that is gone when people look for it."""
    for when in ("publishing", "publishing again"):
        assert_told(found[when], "disk/enact.duckdb", "No space left on device", "Free some space")
    assert found["publishing left"] == found["landing left"]
    assert found["published before"]


def test_a_read_only_disk_is_read_and_not_written_to(found: dict[str, Any]) -> None:
    reason, advice = "Read-only file system", "mounted read-only"
    path = "disk/lake/facts/setting_the_table-0.parquet"
    assert_told(found["landing read-only"], path, reason, advice)
    assert_told(found["publishing read-only"], "disk/enact.duckdb", reason, advice)
    assert found["read-only reads"]
    assert found["read-only published"] == ["none", ""]
    assert found["read-only unchanged"]
