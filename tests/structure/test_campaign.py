"""Campaigns of kills, faults and fuzz cases add up over runs."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from campaign.tally import FILE, Tally, as_text, read_tally

REPOSITORY = Path(__file__).parents[2]


def test_a_tally_is_read_as_it_was_written(tmp_path: Path) -> None:
    tally = Tally(seed=3)
    tally.units.update(kills=1, faults=2)
    tally.kills.update({"qa, replays": 2})
    tally.faults["disk full"] += 1
    tally.skipped["object store goes away: not installed: s3fs"] += 1
    tally.cases["registry"] = Counter(read=4, refused=3)
    tally.found("disk full", 1, ["qa: missing"])
    tally.write(tmp_path)
    again = read_tally(tmp_path, 3)
    assert again == tally
    with pytest.raises(ValueError, match=rf"{FILE} was begun with --seed 3, not 4"):
        read_tally(tmp_path, 4)
    text = as_text(again, ["qa", "replays", "report"])
    for line in (
        "| object store goes away: not installed: s3fs | NOT TRIED: 1 |",
        "steps never hit: report",
        "faults: 1 tried, 1 not tried",
        "fuzz cases: 7",
        "findings: 1",
        "- disk full 1: qa: missing",
    ):
        assert line in text


@pytest.mark.slow
def test_the_campaign_goes_on_and_adds_up(tmp_path: Path) -> None:
    """``--keep``: the second run begins where the first stopped."""
    for n in (1, 2):
        done = subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "tests/campaign", "--kinds", "people", "--kills", str(n),
             "--keep", str(tmp_path)],
            cwd=REPOSITORY, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"kill {n}, chain {n - 1} (people)" in done.stdout
        assert done.stdout.count("kill ") == 1, "none twice"
        tally = read_tally(tmp_path, 0)
        assert (tally.n_kills, tally.units["kills"]) == (n, n)
