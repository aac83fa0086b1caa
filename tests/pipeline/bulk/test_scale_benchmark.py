"""The long measurement: told at milestones, resumed where it stopped."""

from pathlib import Path

import pytest

from benchmarks.bench_scale import MILESTONES, Teller, main
from enact_assets.pipeline.bulk.run import BulkProgress


def test_it_says_what_was_made_and_what_was_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An hour's run that starts over, or counts what it found as made, measures nothing."""
    assert main(2, tmp_path, "release", n_frames=2_600, workers=1)
    printed = capsys.readouterr().out
    assert "2 demonstrations of 2,600 frames made, 0 were there, 0 failed" in printed
    assert "| qa | " in printed
    assert "| generate | " in printed
    assert main(2, tmp_path, "release", n_frames=2_600, workers=1)
    assert "0 demonstrations of 2,600 frames made, 2 were there" in capsys.readouterr().out


def test_every_milestone_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    teller = Teller()
    for done in range(50, 10_001, 50):
        teller(BulkProgress(done, 10_000, 0, 0, done / 10, 10**9))
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("**")]
    assert lines == [
        f"**{n:,} demonstrations: {n / 10:.0f} s wall, peak memory 1,000 MB**" for n in MILESTONES
    ]
