"""kill -9 at any moment: what was published is whole, and the next run ends as if undisturbed."""

import os
import shutil
from pathlib import Path

import pytest
from tiny_roots import TinyRoot

from benchmarks.bench_crash import Campaign
from benchmarks.crashes import (
    Moment,
    Setting,
    differences,
    find_damage,
    fingerprint,
    leftovers,
    materialize,
)

KILLS = int(os.environ.get("ENACT_KILLS", "20"))


def test_a_killed_run_leaves_whole_files_and_the_next_one_finishes(
    tiny: TinyRoot, tmp_path: Path
) -> None:
    """One real process, killed with its group while it writes the tables of one step."""
    root = tmp_path / "data"
    shutil.copytree(tiny.inputs, root)
    moment = Moment("trajectories", 0.05)
    killed = materialize(root, Setting(tiny.registry), moment)
    assert killed.exit_code is None, killed.printed
    assert killed.orphans == 0
    assert {run.step for run in killed.done} >= {"replays", "segmentation", "path_counts"}
    assert find_damage(root) == []
    again = tiny.walk(root)
    assert again.is_success
    assert again.n_fresh > 0, "what was finished before the kill was made once more"
    assert differences(tiny.content, fingerprint(root)) == []
    assert tiny.walk(root).made == []


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


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_kills_at_random_moments_of_all_steps_do_no_harm(tmp_path: Path, workers: int) -> None:
    """``ENACT_KILLS=100`` for as many; about ten seconds each. An embedded demonstration with its
    pictures, recorded ones, two gatings, three variants.
    """
    campaign = Campaign(tmp_path, seed=workers, workers=workers, told=print)
    tally = campaign.run(KILLS)
    assert tally.n_kills == KILLS
    assert len(tally.kills) > KILLS // 5, "always the same step was hit"
    assert tally.damage == []
    assert tally.mismatches == []
    assert tally.n_orphans == 0
