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


STEPS = ("gating_config", "variant_config", "replays", "segmentation", "visibility")


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
    assert "replays" not in {step.name for step in again.made}, "it was finished before the kill"
    tables = ("demonstrations", "facts", "segmented_frames", "scene_graphs", "visibility")
    assert tiny.content_of(*tables).items() <= fingerprint(root).items()
    assert tiny.walk(root, *STEPS).made == []


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
