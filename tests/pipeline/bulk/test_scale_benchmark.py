"""The long measurement: told at milestones, resumed where it stopped.

Generated demonstrations are what benchmarks say they are."""

import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from benchmarks.bench_scale import MILESTONES, Teller, main
from benchmarks.synthetic import SyntheticSource, generate
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.engine.progress import Progress
from enact_assets.engine.tables import table
from enact_assets.questions.key_frames.segment import segment
from enact_assets.settings.predicates import CONTACT_PREDICATES, EXISTS
from enact_assets.settings.profile import PAPER
from enact_assets.settings.registry import Gating


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


def test_every_milestone_is_told_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = 0
    monkeypatch.setattr(time, "monotonic", lambda: done / 10)
    teller = Teller()
    for done in range(50, 10_001, 50):
        teller(Progress(done, 10_000, note="peak memory 1,000 MB"))
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("**")]
    assert lines == [
        f"**{n:,} demonstrations: {n / 10:.0f} s wall, peak memory 1,000 MB**" for n in MILESTONES
    ]


N_FRAMES = 20_000


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_demonstration_is_as_busy_as_a_recorded_one(seed: int) -> None:
    """A benchmark on an emptier world than the real one measures nothing."""
    replay = generate(seed)
    for name in ("demonstrations", "facts", "objects", "observability"):
        rows = getattr(replay, name)
        assert table(name).check(rows).equals(rows)
    check_replay(replay.demonstrations, replay.facts, replay.objects)
    facts = replay.facts.filter(pl.col("predicate") != EXISTS)
    frames = pl.DataFrame({"frame": np.arange(0, N_FRAMES, 250)})
    at = (pl.col("frame_from") <= pl.col("frame")) & (pl.col("frame") < pl.col("frame_to"))
    holding = facts.join(frames, how="cross").filter(at)
    assert 45 <= holding.height / frames.height <= 65
    pairs = holding.filter(pl.col("object").is_not_null()).unique(["frame", "subject", "object"])
    assert 38 <= pairs.height / frames.height <= 52
    existing = replay.facts.filter(pl.col("predicate") == EXISTS).join(frames, how="cross")
    assert 36 <= existing.filter(at).height / frames.height <= 46
    seen = replay.observability.join(frames, how="cross").filter(at)
    assert 15 <= seen.height / frames.height <= 30
    moved = set(replay.observability["frame_from"]) | set(replay.observability["frame_to"])
    assert len(moved) / N_FRAMES == pytest.approx(0.15, abs=0.02)
    gating = Gating("contact", PAPER, CONTACT_PREDICATES)
    found = segment(replay.demonstrations, replay.facts, replay.objects, gating)
    assert 45 <= found.segmented_frames.height <= 80


def test_a_seed_says_all() -> None:
    """Runs on different worlds cannot be compared."""
    one, same, other = (generate(seed, 3_000) for seed in (5, 5, 6))
    assert one.facts.equals(same.facts)
    assert one.observability.equals(same.observability)
    assert not one.facts.drop("demonstration").equals(other.facts.drop("demonstration"))
    identities = {SyntheticSource(s, n).identity for s, n in ((5, 3_000), (6, 3_000), (5, 3_001))}
    assert len(identities) == 3
