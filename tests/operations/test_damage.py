"""Files that went bad on the disk: found when they are read, made again, on a real data root."""

from pathlib import Path

import duckdb
import pytest
from tiny_roots import BUT_REPORT, RECORDED, TinyRoot

from benchmarks.crashes import fingerprint
from enact_assets.cli import main
from enact_assets.engine.lake.damage import ANSWERS
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake

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
    but_report = [word for step in BUT_REPORT for word in ("--asset", step)]
    code, printed = command(capsys, copied, "materialize", "--workers", "1", *but_report)
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
    made = [step.name for step in tiny.walk(copied).made]
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
    assert {step.name for step in plan.stale} == {"replays", "frame_images", "report"}
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
    causes = {step.name: step.why for step in plan.stale}
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


def test_verify_names_a_folder_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed = command(capsys, tmp_path / "nowhere", "verify")
    assert (code, "no such folder" in printed) == (2, True)
    assert not (tmp_path / "nowhere").exists()
