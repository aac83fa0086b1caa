"""Clocks that jump, folders that move, others at work: nothing wrong is taken for fresh.

A data root that was made hours or weeks ago works as one made just now."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest
from sql.test_open_for_writing import holding
from tiny_roots import RECORDED, TinyRoot

from benchmarks.crashes import fingerprint
from benchmarks.tiny_root import write_tiny_recording
from enact_assets.cli import main
from enact_assets.engine.errors import OutputError
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.planning.freshness import NOT_MADE
from enact_assets.engine.provenance import Provenance
from enact_assets.engine.system.atomic import replacing
from enact_assets.pipeline.runs.instance import only_driver
from enact_assets.results.published import query
from enact_assets.settings.paths import DataRoot

from reference.undrawn import ASSETS_BUT_REPORT

pytestmark = pytest.mark.slow

YEAR_S = 365 * 24 * 3600.0
EVERYTHING = ("recordings", "lake", "images")


def set_times(folder: Path, at: float) -> None:
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (at, at), follow_symlinks=False)


def run(capsys: pytest.CaptureFixture[str], root: Path, *words: str) -> tuple[int, str]:
    code = main([*words, "--data", str(root)])
    printed = capsys.readouterr()
    return code, printed.out + printed.err


def test_a_root_that_was_moved_or_copied_has_nothing_to_do(
    tiny: TinyRoot, copied: Path, tmp_path: Path
) -> None:
    """A new disk must not cost a day of rendering."""
    assert tiny.walk(copied).made == []  # copied with its times
    moved = copied.rename(tmp_path / "elsewhere")
    again = tiny.walk(moved)
    assert again.made == []
    assert again.is_success
    assert fingerprint(moved) == tiny.content
    assert not copied.exists(), "something still writes to where it was"


def test_times_of_files_decide_nothing(tiny: TinyRoot, copied: Path) -> None:
    """A clock that was wrong for a day would make everything stale, or nothing ever again."""
    for at in (time.time() + 10 * YEAR_S, 0.0, time.time()):
        set_times(copied / "lake", at)
        set_times(copied / "images", at)
        assert tiny.walk(copied).made == []
    assert fingerprint(copied) == tiny.content


@pytest.mark.slow
def test_another_recording_is_read_whatever_its_time(
    tiny: TinyRoot, copied: Path, tmp_path: Path
) -> None:
    """An older file that takes the place of a newer one is another file all the same."""
    place, steps = copied / "recordings" / RECORDED, ("replays", "segmentation")
    for n_moves, years in ((5, -30), (6, 10)):
        other = write_tiny_recording(tmp_path / str(years), RECORDED, n_moves)
        set_times(other, time.time() + years * YEAR_S)
        shutil.rmtree(place)
        shutil.copytree(other, place)
        assert {run.step for run in tiny.walk(copied, *steps).made} == set(steps)
        assert tiny.walk(copied, *steps).made == []
        frames = Lake(copied / "lake").read_all("segmented_frames")
        assert frames.height == n_moves + 1
    assert {"qa", "frame_images", "warehouse"} <= stale(tiny, copied)


def stale(tiny: TinyRoot, root: Path) -> set[str]:
    """Steps that a plan would make or that may follow."""
    plan, _ = tiny.driver(root).plan()
    return {row.step for row in plan.stale} | set(plan.may_follow)


def test_a_recording_with_another_time_is_read_again_and_that_is_all(
    tiny: TinyRoot, copied: Path
) -> None:
    """Copied without its times it may have changed: reading it tells that it has not."""
    set_times(copied / "recordings", time.time() + YEAR_S)
    made = {run.step for run in tiny.walk(copied).made}
    assert made <= {"replays", "frame_images", "clip_images"}
    assert tiny.walk(copied).made == []
    assert fingerprint(copied) == tiny.content


@pytest.mark.slow
def test_temporary_files_of_another_time_disturb_nobody(tiny: TinyRoot, copied: Path) -> None:
    """What was left before the clock was set back looks as if it were being written now."""
    left = [
        copied / ".enact.duckdb.0123456789ab.tmp",
        copied / "lake" / "qa" / RECORDED / ".state.parquet.0123456789ab.tmp",
        copied / "images" / "ab" / ".ab.png.0123456789ab.tmp",
    ]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half")
        os.utime(path, (time.time() + YEAR_S,) * 2)
    (copied / "enact.duckdb").unlink()
    (copied / "lake" / "qa" / RECORDED / "state.parquet").unlink()
    assert {run.step for run in tiny.walk(copied).made} == {"qa", "warehouse"}
    assert all(path.exists() for path in left), "it may be in use"
    assert fingerprint(copied) == tiny.content


def test_a_writer_whose_file_was_swept_says_so(tmp_path: Path) -> None:
    """The clock jumps by a week while a file is written: to others it is a week old."""
    path = tmp_path / "table.parquet"
    path.write_text("old")

    def write() -> None:
        with replacing(path) as temporary:
            temporary.write_text("new")
            os.utime(temporary, (time.time() - YEAR_S,) * 2)
            with replacing(tmp_path / "other.parquet") as other:
                other.write_text("other")

    with pytest.raises(OutputError, match=r"table\.parquet"):
        write()
    assert path.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["other.parquet", "table.parquet"]


def test_a_second_driver_is_told_who_is_at_work(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """'Locked' alone leaves people to delete the lock file, and both go on."""
    for words in ["materialize"], ["gc", "--delete"]:
        with only_driver(copied):
            code, printed = run(capsys, copied, *words)
        assert code == 2
        assert printed.count("enact-assets: ") == 1
        told = " ".join(printed.split())
        assert str(os.getpid()) in told
        assert os.uname().nodename in told
        assert time.strftime("%Y-%m-%dT%H", time.gmtime()) in told.replace(" ", "T")
        assert "Traceback" not in printed


def test_the_lock_of_a_killed_driver_holds_nobody_up(tiny: TinyRoot, copied: Path) -> None:
    """Its file stays behind, with a process number that others have by now."""
    lock = copied / "materialize.lock"
    told = json.loads(lock.read_text())
    lock.write_text(json.dumps({**told, "since": "2199-01-01T00:00:00+00:00"}))
    assert tiny.walk(copied).is_success
    lock.write_text("{half")
    assert tiny.walk(copied).is_success


@pytest.mark.slow
@pytest.mark.parametrize("is_killed", [True, False])
def test_someone_who_opens_the_warehouse_for_writing_harms_nobody(
    tiny: TinyRoot, copied: Path, *, is_killed: bool
) -> None:
    """DuckDB opens files for writing unless told otherwise. His log has the name of our next file,
    to which it does not belong: nobody could open that.
    """
    with holding(DataRoot(copied).warehouse) as stranger:
        # The driver cannot look into a file that someone writes to, and makes another one.
        report = tiny.walk(copied)
        assert report.is_success, [f.message for f in report.failures]
        assert fingerprint(copied) == tiny.content
        stranger.run("create table mine as select range as x from range(100000)")
        assert fingerprint(copied) == tiny.content
        stranger.end(kill=is_killed)
    assert fingerprint(copied) == tiny.content
    assert tiny.walk(copied).made == []


@pytest.mark.slow
def test_the_warehouse_does_not_call_stale_for_ever_what_came_out_as_it_was(
    tiny: TinyRoot, copied: Path
) -> None:
    """What is made again with equal rows changes no input of the warehouse."""

    def listed() -> set[str]:
        rows = query(copied / "enact.duckdb", "select asset from stale_partitions")
        return set(rows.get_column("asset"))

    lake = Lake(copied / "lake")
    (partition,) = lake.partitions("predictions")
    provenance = lake.metadata("predictions", partition).provenance
    assert provenance is not None
    older = Provenance("older code", provenance.inputs)
    lake.write("predictions", lake.read("predictions", partition), partition, older)
    # A walk for another model leaves this one's answers as they are, and publishes them as stale.
    other = {"models": ["identity"], "only": {"model": ["identity"]}}
    assert tiny.driver(copied).run(assets=["warehouse"], **other).is_success
    assert {"predictions", "evaluation", "probes"} < listed()
    assert [run.step for run in tiny.walk(copied).made] == ["predictions", "warehouse"]
    assert listed() == set()
    assert tiny.walk(copied).made == []


@pytest.mark.slow
def test_a_model_that_cannot_be_evaluated_is_listed_as_missing(
    tiny: TinyRoot, copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Left out, it would look as if nobody had asked it; the exit code is gone by tomorrow."""

    def missing() -> dict[str, str]:
        rows = query(
            copied / "enact.duckdb",
            "select asset, why from stale_partitions where state = 'missing'",
        )
        return dict(rows.iter_rows())

    lake = Lake(copied / "lake")
    (partition,) = lake.partitions("evaluation")
    place = lake.path("evaluation", partition)
    for table in ("evaluation", "compared_steps", "compared_components", "probes"):
        lake.path(table, partition).unlink()
    place.mkdir()
    (place / "in the way").touch()
    steps = ("evaluation", "error_analysis", "probes", "model_comparisons", "warehouse")
    code, printed = run(capsys, copied, "materialize", *(f"--asset={step}" for step in steps))
    assert (code, "Failed: evaluation oracle|baseline" in printed) == (1, True), printed
    board = query(copied / "enact.duckdb", "from leaderboard_details where length is null")
    assert set(board["model"]) == {"oracle"}
    assert set(board["state"]) == {"missing"}
    after = "made from evaluation, which is missing"
    assert missing() == {
        "evaluation": NOT_MADE,
        **dict.fromkeys(("compared_steps", "compared_components", "probes"), after),
    }
    n_asked = lake.read("asked_questions", {"variant": "baseline"}).height
    assert board["n_questions"].sum() == board["n_missing"].sum() == n_asked > 0
    assert board["task_accuracy"].is_null().all()
    _, printed = run(capsys, copied, "leaderboard")
    assert "oracle (missing)" in printed
    assert "4 partitions were missing when this was published, first evaluation oracle" in printed
    # The same again changes nothing; and a process that only publishes lists it too.
    assert tiny.walk(copied, *steps).made == []
    (copied / "enact.duckdb").unlink()
    again = tiny.walk(copied, "warehouse")
    assert [failure.run.step for failure in again.failures] == ["evaluation"]
    assert [run.step for run in again.made] == ["warehouse"]
    assert len(missing()) == 4
    shutil.rmtree(place)
    assert tiny.walk(copied, *steps).is_success
    assert missing() == {}


def test_a_demonstration_that_cannot_be_replayed_is_listed_as_missing(
    tiny: TinyRoot, copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing of it is in the lake: only the runs know that it was asked for."""
    broken = copied / "recordings" / "moving_cups-9"
    shutil.copytree(copied / "recordings" / RECORDED, broken)
    for path in broken.glob("*.json*"):
        path.write_bytes(b"{half")
    steps = ("--asset=replays", "--asset=warehouse")
    assert run(capsys, copied, "materialize", *steps)[0] == 1
    rows = query(copied / "enact.duckdb", "from stale_partitions")
    assert set(rows["partition"]) == {"moving_cups-9"}
    assert set(rows["state"]) == {"missing"}
    _, printed = run(capsys, copied, "leaderboard")
    assert "first demonstrations moving_cups-9" in " ".join(printed.split())
    shutil.rmtree(broken)
    tiny.driver(copied).forget("demonstration", "moving_cups-9")
    assert tiny.walk(copied, "warehouse").is_success
    assert query(copied / "enact.duckdb", "from stale_partitions").is_empty()


HOUR = 3600.0
COMPLAINTS = ("warning", "error", "traceback", "stale", "damaged", "cannot", "stopped", "left out")


def age(root: Path, hours: float) -> None:
    """As if everything in ``root`` had been made so long ago, caches and databases too.

    Recordings are the user's files: one with another time is another recording.
    """
    at = time.time() - hours * HOUR
    for path in root.rglob("*"):
        if "recordings" not in path.parts:
            os.utime(path, (at, at), follow_symlinks=False)


def printed_by(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command prints, which must end well and without complaint."""
    code = main(list(words))
    printed = "".join(capfd.readouterr())
    assert code == 0, printed
    assert [word for word in COMPLAINTS if word in printed.lower()] == [], printed
    return " ".join(printed.split())


@pytest.mark.slow
@pytest.mark.parametrize("hours", [2, 1000])
def test_every_command_works_on_an_old_root(
    tiny: TinyRoot, copied: Path, capfd: pytest.CaptureFixture[str], hours: float
) -> None:
    """One hour after `published_results` was made, every second command ended in a traceback."""
    data = ("--data", str(copied))
    age(copied, hours)
    for _ in range(2):  # the second one reads what the first one remembered
        assert "partitions are fresh" in printed_by(capfd, "plan", *ASSETS_BUT_REPORT, *data)
    for words in (["materialize", "--variant", "baseline"], ["demo"]):
        printed_by(capfd, *words, *ASSETS_BUT_REPORT, *data)
        age(copied, hours)
    assert fingerprint(copied) == tiny.content
    assert printed_by(capfd, "gc", "--delete", *data) == "Nothing to remove."
    assert "oracle" in printed_by(capfd, "sql", "select model from leaderboard", *data)
    printed_by(capfd, "materialize", "--asset", "evaluation", "--force", *data)
    assert fingerprint(copied) == tiny.content
    made_whole = "select value from meta.published where key = 'made_whole'"
    before = query(copied / "enact.duckdb", made_whole).item()
    printed_by(capfd, "materialize", "--asset", "warehouse", "--force", *data)
    assert query(copied / "enact.duckdb", made_whole).item() == before
    printed_by(capfd, "materialize", "--asset", "warehouse", "--from-nothing", *data)
    assert query(copied / "enact.duckdb", made_whole).item() > before
    assert fingerprint(copied) == tiny.content


@pytest.mark.slow
def test_a_report_on_an_old_root_is_as_any_other(
    copied: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = ("--data", str(copied))
    printed_by(capfd, "materialize", *data)
    age(copied, 2)
    assert "partitions are fresh" in printed_by(capfd, "plan", *data)
    printed_by(capfd, "report", *data)
    assert printed_by(capfd, "gc", "--delete", *data) == "Nothing to remove."
