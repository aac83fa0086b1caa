"""A plan from the catalogue is that from the footers of all files, whatever became of them."""

from pathlib import Path

import pytest

from benchmarks.many_partitions import build
from benchmarks.tiny_root import write_small_registry
from enact_assets.engine.planning.plan import Lineage, Plan
from enact_assets.engine.planning.states import State, States
from enact_assets.pipeline.lineage.code import code_version
from enact_assets.pipeline.lineage.lake_states import LakeStates
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.pipeline.runs.names import current_names
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.registry import load_registry

from reference.row_wise_plan import row_wise_plan


@pytest.mark.slow
def test_a_plan_from_the_catalogue_is_that_from_the_files(tmp_path: Path) -> None:
    registry = load_registry(write_small_registry(tmp_path / "registry.yaml"))
    root = tmp_path / "data"
    n_files = build(root, 3, registry, processes=1)
    instance = open_instance(root)
    names = current_names(instance, registry)
    instance.dispose()
    states = DataResource(root=str(root), lake_url=None).states(registry)

    def plans() -> tuple[Plan, Plan]:
        now = states.current(names)
        lineage = Lineage(names, now, code_version, {})
        plain = States({asset: dict(of) for asset, of in now.of.items()})
        for table, of in states.index.scan().items():
            problems = {p: s.problem for p, s in now.of[table].items()}
            plain.of[table].clear()
            for partition, record in of.items():
                if names.has(table, partition):
                    problem = record.problem or problems[partition]
                    said = (record.content_sha or "", record.provenance, problem)
                    plain.of[table][partition] = State(*said, record.mtime_ns)
        return lineage.plan(), row_wise_plan(Lineage(names, plain, code_version, {}))

    first, expected = plans()
    assert first == expected
    assert first.n_fresh > n_files / 2
    stale = {step.name for step in first.stale}
    spoil(states)
    changed, expected = plans()
    assert changed == expected
    made_again = {"segmentation", "qa", "trajectories", "frame_images"}
    assert {step.name for step in changed.stale} - stale == made_again
    texts = " ".join(step.why for step in changed.stale if step.name in made_again)
    for why in (
        "truncated or damaged",
        "never materialized",
        "of its pictures are gone",
        "(embedded",
    ):
        assert why in texts or why == "(embedded"
    (root / "catalogue.db").unlink()
    assert plans()[0] == changed


def spoil(states: LakeStates) -> None:
    """A file cut short, one deleted, one of another partition in its place, a picture deleted."""
    lake = states.lake.root
    one, other, *_ = sorted((lake / "qa").iterdir())
    cut = min((lake / "segmented_frames" / one.name).iterdir())
    cut.write_bytes(cut.read_bytes()[:-40])
    min((lake / "qa" / one.name).iterdir()).unlink()
    here, there = (min((lake / "trajectories" / d.name).iterdir()) for d in (one, other))
    here.write_bytes(there.read_bytes())
    named = states.index.scan(["frame_images"])["frame_images"]
    head = f"{int(next(iter(named.values())).images[0]):016x}"  # type: ignore[index]
    next(states.images.root.glob(f"{head[:2]}/{head}*.png")).unlink()
