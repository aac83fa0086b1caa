"""Bulk runs: the same rows as one demonstration at a time, whatever happens on the way."""

import fcntl
import json
import multiprocessing
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from pipeline.bulk.bulk_sources import (
    N_FRAMES,
    OTHER_SETTINGS,
    RELEASE_SETTINGS,
    SETTINGS,
    BadSource,
    DeadlySource,
    good,
)
from polars.testing import assert_frame_equal

from benchmarks.chains import QuestionWork
from benchmarks.synthetic import demonstration_name, generate
from enact_assets.demonstrations.replay.recorded_export import write_recorded
from enact_assets.engine.errors import MaterializationError, OutputError
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.progress import Progress
from enact_assets.engine.system.atomic import is_temporary
from enact_assets.engine.system.places import Place
from enact_assets.engine.tables import Table
from enact_assets.pipeline.bulk import batches
from enact_assets.pipeline.bulk.batches import (
    MANIFEST,
    BatchTask,
    batch_folders,
    code_sha,
    make_batch,
)
from enact_assets.pipeline.bulk.chain import TABLES, BulkSettings
from enact_assets.pipeline.bulk.run import run_bulk
from enact_assets.pipeline.bulk.sources import (
    REPLAY_TABLES,
    BulkRecording,
    LakeSource,
    lake_sources,
)
from enact_assets.questions.paths.counting import count_paths

DIES_WHILE_WRITING = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from pipeline.bulk.bulk_sources import SETTINGS, good
from enact_assets.pipeline.bulk import batches
from enact_assets.pipeline.bulk.run import run_bulk
real = batches.write_file
def write(place, name, contract, partition, rows):
    if partition == {"batch": "batch-000001"} and contract.table_name() == "trajectories":
        os.kill(os.getpid(), signal.SIGKILL)
    return real(place, name, contract, partition, rows)
batches.write_file = write
run_bulk(good(0, 1, 2, 3), Path(sys.argv[1]), SETTINGS, workers=1, batch_size=2)
"""


def rows_of(output: Path) -> dict[str, pl.DataFrame]:
    """As users read them, in the order of the run."""
    return {name: pl.read_parquet(output / f"batch-*/{name}.parquet") for name in TABLES}


def one_by_one(seeds: list[int], settings: BulkSettings) -> dict[str, pl.DataFrame]:
    """The tables by the functions of the stages, one demonstration after the other."""
    parts: dict[str, list[pl.DataFrame]] = {name: [] for name in TABLES}
    for seed in seeds:
        work = QuestionWork.of(generate(seed, N_FRAMES), settings.gating)
        made = work.run(settings.questions)
        frames, graph = work.segmented_frames, made["transition_graph"]
        made["path_counts"] = count_paths(frames, graph, settings.gating.profile)
        for name in TABLES:
            holder = work if hasattr(work, name) else work.replay
            parts[name].append(made[name] if name in made else getattr(holder, name))
    return {name: pl.concat(rows) for name, rows in parts.items()}


def assert_same(one: dict[str, pl.DataFrame], other: dict[str, pl.DataFrame]) -> None:
    for name in TABLES:
        assert_frame_equal(one[name], other[name])


def leftovers(output: Path) -> list[Path]:
    return [p for p in output.iterdir() if is_temporary(p)]


@pytest.mark.parametrize("settings", [SETTINGS, RELEASE_SETTINGS], ids=["paper", "release"])
def test_rows_are_those_of_the_stage_functions(tmp_path: Path, settings: BulkSettings) -> None:
    """A short cut in the bulk path would give other questions than Dagster's path."""
    summary = run_bulk(good(0, 1, 2), tmp_path, settings, workers=1, batch_size=2)
    assert summary.is_success
    expected = one_by_one([0, 1, 2], settings)
    assert_same(rows_of(tmp_path), expected)
    assert summary.n_rows == {name: rows.height for name, rows in expected.items()}
    assert expected["qa"].height > 80


@pytest.mark.slow
def test_workers_and_batches_change_no_row(tmp_path: Path) -> None:
    """Rows that depend on who made them cannot be made again."""
    expected = one_by_one([0, 1, 2, 3, 4], SETTINGS)
    for workers, batch_size in ((2, 2), (1, 1), (1, 9)):
        output = tmp_path / f"{workers}-{batch_size}"
        told: list[Progress] = []
        summary = run_bulk(
            good(0, 1, 2, 3, 4),
            output,
            SETTINGS,
            workers=workers,
            batch_size=batch_size,
            on_progress=told.append,
        )
        assert summary.n_made == 5
        assert_same(rows_of(output), expected)
        assert [p.done for p in told] == sorted(p.done for p in told)
        assert (told[-1].done, told[-1].total) == (5, 5)


@pytest.mark.slow
def test_a_run_killed_while_it_writes_leaves_whole_batches_and_is_resumed(tmp_path: Path) -> None:
    """Half a batch read as a whole one loses questions without a sign."""
    tests = str(Path(__file__).parents[2])
    killed = subprocess.run(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, "-c", DIES_WHILE_WRITING, str(tmp_path), tests], check=False
    )
    assert killed.returncode == -9
    assert list(batch_folders(tmp_path)) == [0]
    assert leftovers(tmp_path)
    assert_same(rows_of(tmp_path), one_by_one([0, 1], SETTINGS))
    summary = run_bulk(good(0, 1, 2, 3), tmp_path, SETTINGS, workers=1, batch_size=2)
    assert (summary.n_skipped, summary.n_made) == (2, 2)
    assert not leftovers(tmp_path)
    assert_same(rows_of(tmp_path), one_by_one([0, 1, 2, 3], SETTINGS))


@pytest.mark.slow
def test_a_worker_that_dies_is_an_error_and_its_batch_is_made_by_the_next_run(
    tmp_path: Path,
) -> None:
    """A pool that waits for a dead worker hangs for ever."""
    output, cure = tmp_path / "out", tmp_path / "cure"
    sources = [*good(0, 1), DeadlySource(2, cure)]
    with pytest.raises(MaterializationError, match="worker ended unexpectedly"):
        run_bulk(sources, output, SETTINGS, workers=2, batch_size=1)
    cure.touch()
    summary = run_bulk(sources, output, SETTINGS, workers=1, batch_size=1)
    assert summary.n_skipped + summary.n_made == 3
    assert summary.n_made >= 1
    assert_same(rows_of(output), one_by_one([0, 1, 2], SETTINGS))


@pytest.mark.slow
def test_an_error_of_the_caller_ends_the_workers(tmp_path: Path) -> None:
    """They went on with the other batches for as long as the error was held."""
    before = set(multiprocessing.active_children())

    def refuse(_: Progress) -> None:
        raise RuntimeError("the terminal is gone")

    with pytest.raises(RuntimeError) as error:
        run_bulk(good(0, 1), tmp_path, SETTINGS, workers=2, batch_size=1, on_progress=refuse)
    assert set(multiprocessing.active_children()) <= before, error


@pytest.mark.slow
def test_failures_are_named_and_the_others_finish(tmp_path: Path) -> None:
    """One bad recording of 10,000 must neither stop the run nor vanish from its count."""
    hows = ("contradiction", "raises", "embedded", "disk")
    bad = [BadSource(k, how) for k, how in enumerate(hows, start=1)]
    missing = LakeSource(tmp_path / "lake", demonstration_name(9))
    first, last = good(0, 7)
    sources = [first, *bad, missing, last]
    for n_skipped in (0, 4):
        summary = run_bulk(sources, tmp_path / "out", SETTINGS, workers=1, batch_size=3)
        assert not summary.is_success
        found = {f.demonstration: (f.stage, f.error) for f in summary.failures}
        assert found == {
            demonstration_name(1): ("segmentation", "IntervalError"),
            demonstration_name(2): ("load", "ZeroDivisionError"),
            demonstration_name(3): ("check", "ReplayError"),
            demonstration_name(4): ("load", "OSError"),
            demonstration_name(9): ("load", "MissingPartitionError"),
        }
        messages = [f.message for f in summary.failures]
        assert "end at or before their start" in messages[0]
        assert "bulk_sources.py" in messages[1]
        assert "has no recorded masks" in messages[2]
        assert_same(rows_of(tmp_path / "out"), one_by_one([0, 7], SETTINGS))
        # What failed for a passing reason (the disk, a file not there yet) is tried again.
        assert summary.n_skipped == n_skipped


def test_a_recording_gives_the_rows_of_its_tables(tmp_path: Path) -> None:
    """Reading the files anew must not differ from the tables they were written from."""
    name = demonstration_name(0)
    write_recorded(generate(0, N_FRAMES), tmp_path / "0.json")
    source = BulkRecording(tmp_path / "0.json", name)
    summary = run_bulk([source], tmp_path / "out", RELEASE_SETTINGS, workers=1)
    assert summary.is_success
    found, expected = rows_of(tmp_path / "out"), one_by_one([0], RELEASE_SETTINGS)
    for table_name in ("segmented_frames", "scene_graphs", "visibility", "qa"):
        assert_frame_equal(found[table_name], expected[table_name])


@pytest.mark.slow
def test_why_the_release_asks_nothing_is_told(tmp_path: Path) -> None:
    """No questions, no failure and no word would look like a lost demonstration."""
    sources = [*good(0), BadSource(1, "unheard of")]
    for n_made in (2, 0):
        summary = run_bulk(sources, tmp_path, RELEASE_SETTINGS, workers=1)
        assert summary.failures == []
        assert summary.n_made == n_made
        assert list(summary.notes) == [demonstration_name(1)]
        assert "particles 'juice' appear" in summary.notes[demonstration_name(1)]
    rows = rows_of(tmp_path)
    assert rows["segmented_frames"]["demonstration"].n_unique() == 2
    assert set(rows["qa"]["demonstration"]) == {demonstration_name(0)}


def test_a_changed_input_makes_its_batch_again_and_no_other(tmp_path: Path) -> None:
    """Resuming by name alone would keep the questions of an older recording."""
    lake = Lake(tmp_path / "lake")
    for seed in (0, 1, 2):
        replay = generate(seed, N_FRAMES)
        for name in REPLAY_TABLES:
            partition = {"demonstration": demonstration_name(seed)}
            lake.write(name, getattr(replay, name), partition)
    output = tmp_path / "out"
    sources = lake_sources(lake.root)
    assert [s.demonstration for s in sources] == [demonstration_name(k) for k in (0, 1, 2)]
    run_bulk(sources, output, SETTINGS, workers=1, batch_size=1)
    assert_same(rows_of(output), one_by_one([0, 1, 2], SETTINGS))
    changed = generate(1, N_FRAMES).observability.filter(pl.col("pixels") > 2_000)
    lake.write("observability", changed, {"demonstration": demonstration_name(1)})
    summary = run_bulk(sources, output, SETTINGS, workers=1, batch_size=1)
    assert (summary.n_skipped, summary.n_made) == (2, 1)
    assert rows_of(output)["visibility"]["pixels"].min() < 2_000
    one = rows_of(output)["visibility"].filter(pl.col("demonstration") == demonstration_name(1))
    assert one["pixels"].min() > 2_000


def test_what_is_no_longer_asked_for_goes(tmp_path: Path) -> None:
    """A demonstration left from a longer list would stand in two batches, or in one too many."""
    run_bulk(good(0, 1, 2, 3), tmp_path, SETTINGS, workers=1, batch_size=1)
    summary = run_bulk(good(0, 2), tmp_path, SETTINGS, workers=1, batch_size=1)
    assert (summary.n_skipped, summary.n_made) == (1, 1)
    assert_same(rows_of(tmp_path), one_by_one([0, 2], SETTINGS))
    assert rows_of(tmp_path)["demonstrations"].height == 2


def test_batches_of_other_settings_or_unknown_origin_are_not_overwritten(tmp_path: Path) -> None:
    """Two gatings side by side look like one set of questions."""
    run_bulk(good(0), tmp_path, SETTINGS, workers=1)
    before = rows_of(tmp_path)
    with pytest.raises(OutputError, match="made with other settings"):
        run_bulk(good(0), tmp_path, OTHER_SETTINGS, workers=1)
    assert_same(rows_of(tmp_path), before)
    run_bulk(good(0), tmp_path, OTHER_SETTINGS, workers=1, replace=True)
    assert_same(rows_of(tmp_path), one_by_one([0], OTHER_SETTINGS))
    (tmp_path / "batch-000000" / MANIFEST).write_text("{")
    with pytest.raises(OutputError, match="has no manifest"):
        run_bulk(good(0), tmp_path, OTHER_SETTINGS, workers=1)


@pytest.mark.slow
def test_a_full_disk_stops_the_run_and_keeps_what_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Noted as a failure of its demonstrations, a full disk would look like 10,000 bad inputs."""
    real = batches.write_file

    def write(
        place: Place, name: str, contract: Table, partition: dict[str, str], rows: pl.DataFrame
    ) -> str:
        if partition["batch"] == "batch-000001" and contract.table_name() == "qa":
            raise OSError(28, "No space left on device")
        return real(place, name, contract, partition, rows)

    monkeypatch.setattr(batches, "write_file", write)
    with pytest.raises(OutputError, match=r"batch-000001: .* \(No space left on device\)"):
        run_bulk(good(0, 1), tmp_path, SETTINGS, workers=1, batch_size=1)
    assert not leftovers(tmp_path)
    assert_same(rows_of(tmp_path), one_by_one([0], SETTINGS))


def test_manifests_say_what_a_batch_was_made_from(tmp_path: Path) -> None:
    """Files without their settings cannot be told apart a month later."""
    run_bulk(good(0, 1), tmp_path, SETTINGS, workers=1)
    found = json.loads((tmp_path / "batch-000000" / MANIFEST).read_text())
    assert found["demonstrations"] == [demonstration_name(0), demonstration_name(1)]
    assert found["settings"]["gating"]["name"] == "contact"
    assert found["settings"]["gating"]["profile"]["name"] == "paper"
    assert found["n_rows"]["demonstrations"] == 2
    assert set(found["content"]) == set(TABLES)
    assert {"load", "qa", "write"} <= set(found["seconds"])


def test_runs_that_cannot_be_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MaterializationError, match="given more than once"):
        run_bulk(good(0, 1, 0), tmp_path, SETTINGS)
    with pytest.raises(MaterializationError, match="at least one worker"):
        run_bulk(good(0), tmp_path, SETTINGS, workers=0)
    with (tmp_path / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(MaterializationError, match="another run is writing"):
            run_bulk(good(0), tmp_path, SETTINGS)
    summary = run_bulk([], tmp_path, SETTINGS)
    assert summary.is_success
    assert not batch_folders(tmp_path)


def test_a_worker_whose_code_is_not_the_drivers_writes_nothing_faults_n2(tmp_path: Path) -> None:
    """The code was edited after the driver hashed it: batches that are there stay as they are."""
    (tmp_path / "batch-000000").mkdir()
    (tmp_path / "batch-000000" / "qa.parquet").write_bytes(b"rows")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for number, sources in ((0, good(0)), (1, good(1))):
        task = BatchTask(tmp_path, number, tuple(sources), SETTINGS, "code of before")
        with pytest.raises(MaterializationError, match=f"code changed.*batch {number} was not w"):
            make_batch(task)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert not leftovers(tmp_path)


@pytest.mark.parametrize(
    "file", ["questions/asked/prompts/forward.txt", "questions/asked/wording.py"]
)
def test_the_hash_of_the_code_is_of_every_file_that_decides_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    """What a worker compares that starts after an edit; one that runs keeps what it read."""
    for name in batches._CODE:
        shutil.copytree(batches._PACKAGE / name, tmp_path / name)
    of_driver = code_sha()
    monkeypatch.setattr(batches, "_PACKAGE", tmp_path)
    assert code_sha.__wrapped__() == of_driver
    edited = tmp_path / file
    edited.write_text("Think. " + edited.read_text())
    assert code_sha.__wrapped__() != of_driver
    assert code_sha() == of_driver


EDITED_WHILE_STARTING = """
import sys
from dataclasses import dataclass
from pathlib import Path
code, tests, output = sys.argv[1:]
sys.path[:0] = [code, tests]
import enact_assets
from pipeline.bulk.bulk_sources import SETTINGS, good
from enact_assets.pipeline.bulk.run import run_bulk
from enact_assets.engine.errors import MaterializationError
PROMPT = Path(enact_assets.__file__).parent / "questions" / "asked" / "prompts" / "forward.txt"
assert PROMPT.is_relative_to(code)
WHOLE = PROMPT.read_text()

class Edits(tuple):
    def __reduce__(self):
        PROMPT.write_text("Think. " + WHOLE)
        return tuple, (list(self),)

if __name__ == "__main__":
    from enact_assets.pipeline.bulk import run
    given = run.BatchTask
    run.BatchTask = lambda output, number, sources, *of: given(output, number, Edits(sources), *of)
    try:
        run_bulk(good(0, 1), Path(output), SETTINGS, workers=2, batch_size=1)
    except MaterializationError as error:
        print(error)
    PROMPT.write_text(WHOLE)
"""


@pytest.mark.slow
def test_workers_that_start_after_an_edit_stop_the_run_faults_n2(tmp_path: Path) -> None:
    """The prompt is edited when the driver hands out its first batch, in a copy of the package."""
    shutil.copytree(batches._PACKAGE, tmp_path / "code" / batches._PACKAGE.name)
    script, output = tmp_path / "edits.py", tmp_path / "output"
    script.write_text(EDITED_WHILE_STARTING)
    tests = str(Path(__file__).parents[2])
    command = [sys.executable, str(script), str(tmp_path / "code"), tests, str(output)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - ours
    assert ran.returncode == 0, ran.stderr
    assert "the code changed while batches were made" in ran.stdout
    assert not batch_folders(output)
    assert not leftovers(output)
