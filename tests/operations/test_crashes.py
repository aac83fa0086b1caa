"""kill -9 at any moment: what was published is whole, and the next run ends as if undisturbed."""

import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tiny_roots import TinyRoot

from benchmarks.crashes import (
    Moment,
    Setting,
    differences,
    find_damage,
    fingerprint,
    leftovers,
    materialize,
)
from enact_assets.engine.system.atomic import is_temporary
from enact_assets.pipeline.runs.instance import open_instance

STEPS = ("gating_config", "variant_config", "replays", "segmentation", "visibility")


@pytest.mark.slow
def test_a_killed_run_leaves_whole_files_and_the_next_one_finishes(
    tiny: TinyRoot, tmp_path: Path
) -> None:
    """One real process, killed with its group while it makes the tables of one step."""
    root = tmp_path / "data"
    shutil.copytree(tiny.inputs, root)
    options = tuple(word for step in STEPS for word in ("--asset", step))
    killed = materialize(root, Setting(tiny.registry, 1, options), Moment("segmentation", 0.02))
    assert killed.exit_code is None, killed.printed
    assert killed.orphans == 0
    assert "replays" in {run.step for run in killed.done}
    assert find_damage(root) == []
    again = tiny.walk(root, *STEPS)
    assert again.is_success
    assert "replays" not in {run.step for run in again.made}, "it was finished before the kill"
    tables = ("demonstrations", "facts", "segmented_frames", "scene_graphs", "visibility")
    assert tiny.content_of(*tables).items() <= fingerprint(root).items()
    assert tiny.walk(root, *STEPS).made == []


@pytest.mark.slow
def test_what_is_damaged_is_found(tiny: TinyRoot, copied: Path) -> None:
    """A search that finds nothing anywhere would call every kill harmless."""
    qa = next((copied / "lake" / "qa").rglob("*.parquet"))
    qa.write_bytes(qa.read_bytes()[:-100])
    next((copied / "images").glob("??/*.png")).write_bytes(b"\x89PNG")
    (copied / "lake" / "notes.txt").write_text("x")
    warehouse = copied / "enact.duckdb"
    warehouse.write_bytes(warehouse.read_bytes()[:5000])
    (copied / "lake" / "qa" / ".x.parquet.0123456789ab.tmp").write_text("x")
    found = "\n".join(find_damage(copied))
    for what in ("qa", ".png", "notes.txt: foreign file", "enact.duckdb"):
        assert what in found
    assert ".tmp" not in found
    assert [path.name for path in leftovers(copied)] == [".x.parquet.0123456789ab.tmp"]
    changed = "\n".join(differences(tiny.content, {**tiny.content, "a": "b", "picture x": "x"}))
    assert "a: not in the undisturbed root" in changed
    assert differences(tiny.content, tiny.content) == []


OPEN = """
import sys
from pathlib import Path
from enact_assets.pipeline.runs.instance import open_instance
instance = open_instance(Path(sys.argv[1]))
instance.add_dynamic_partitions("demonstration", ["cups-0"])
print(instance.get_runs(limit=1), instance.event_log_storage.get_concurrency_keys())
"""


@pytest.mark.parametrize("content", [b"", "create table event_logs (id integer)"])
def test_an_event_log_that_was_half_made_is_made_anew(tmp_path: Path, content) -> None:
    """Dagster calls any file complete, and would fail for ever: "no such table"."""
    path = tmp_path / "dagster" / "event_log.db"
    path.parent.mkdir()
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(content)
    instance = open_instance(tmp_path)
    instance.add_dynamic_partitions("demonstration", ["cups-0"])
    assert instance.get_dynamic_partitions("demonstration") == ["cups-0"]
    instance.dispose()
    again = open_instance(tmp_path)
    assert again.get_dynamic_partitions("demonstration") == ["cups-0"], "a whole one was dropped"
    again.dispose()
    assert not any(is_temporary(p) for p in path.parent.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["runs.db", "event_log.db", "schedules.db"])
def test_a_kill_while_dagsters_databases_are_made_does_no_harm(tmp_path: Path, name: str) -> None:
    """The first second of a data root's life."""
    random = np.random.default_rng(0)
    for k in range(4):
        root = tmp_path / str(k)
        command = [sys.executable, "-c", OPEN, str(root)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:  # noqa: S603 - ours
            while not (root / "dagster" / name).exists() and process.poll() is None:
                time.sleep(0.0005)
            time.sleep(random.uniform(0.0, 0.06))
            process.kill()
        assert find_damage(root) == []
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        assert done.returncode == 0, done.stderr
