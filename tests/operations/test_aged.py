"""A data root that was made hours or weeks ago works as one made just now."""

import os
import time
from pathlib import Path

import pytest
from tiny_roots import BUT_REPORT, TinyRoot

from benchmarks.crashes import fingerprint
from enact_assets.cli import main
from enact_assets.results.published import query

pytestmark = pytest.mark.slow

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


def run(capfd: pytest.CaptureFixture[str], *words: str) -> str:
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
    but_report = [word for step in BUT_REPORT for word in ("--asset", step)]
    age(copied, hours)
    for _ in range(2):  # the second one reads what the first one remembered
        assert "partitions are fresh" in run(capfd, "plan", *but_report, *data)
    for words in (["materialize", "--variant", "baseline"], ["demo"]):
        run(capfd, *words, *but_report, *data)
        age(copied, hours)
    assert fingerprint(copied) == tiny.content
    assert run(capfd, "gc", "--delete", *data) == "Nothing to remove."
    assert "oracle" in run(capfd, "sql", "select model from leaderboard", *data)
    run(capfd, "materialize", "--asset", "evaluation", "--force", *data)
    assert fingerprint(copied) == tiny.content
    made_whole = "select value from meta.published where key = 'made_whole'"
    before = query(copied / "enact.duckdb", made_whole).item()
    run(capfd, "materialize", "--asset", "warehouse", "--force", *data)
    assert query(copied / "enact.duckdb", made_whole).item() == before
    run(capfd, "materialize", "--asset", "warehouse", "--from-nothing", *data)
    assert query(copied / "enact.duckdb", made_whole).item() > before
    assert fingerprint(copied) == tiny.content


@pytest.mark.slow
def test_a_report_on_an_old_root_is_as_any_other(
    copied: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = ("--data", str(copied))
    run(capfd, "materialize", *data)
    age(copied, 2)
    assert "partitions are fresh" in run(capfd, "plan", *data)
    run(capfd, "report", *data)
    assert run(capfd, "gc", "--delete", *data) == "Nothing to remove."
