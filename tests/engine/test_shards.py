"""The unit of freshness, what Dagster runs and what is written need not be one to one.

Rows are made for each demonstration; here three of them share a file and a run. Steps and their
loading know neither, so the tables are equal.
"""

from collections.abc import Mapping
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from benchmarks.synthetic import demonstration_name, generate
from enact_assets.engine.graph import Names
from enact_assets.engine.grids import Partition
from enact_assets.engine.ids import table_sha
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.loading import StepContext, call
from enact_assets.engine.steps import STEPS, Step
from enact_assets.engine.tables import dimensions, table
from enact_assets.pipeline.lineage.graph import GRAPH
from enact_assets.pipeline.steps.frame_steps import visibility
from enact_assets.pipeline.steps.inputs import OF_ENACT
from enact_assets.pipeline.steps.question_steps import qa, question_set
from enact_assets.pipeline.steps.segmentation_steps import segmentation
from enact_assets.pipeline.steps.trajectory_steps import path_counts, trajectories, visible_changes
from enact_assets.settings.classes import Gating, QuestionSetSettings, QuestionSettings, Variant
from enact_assets.settings.predicates import CONTACT_PREDICATES
from enact_assets.settings.profile import PAPER
from enact_assets.settings.registry import BASELINE
from enact_assets.settings.world import EnvironmentSettings

pytestmark = pytest.mark.slow

N, SHARD = 5, 3
DEMONSTRATIONS = tuple(demonstration_name(k) for k in range(N))
NAMES = Names(
    GRAPH,
    {
        **dict.fromkeys(dimensions(), ()),
        "demonstration": DEMONSTRATIONS,
        "gating": ("contact",),
        "question_set": ("contact",),
        "variant": (BASELINE,),
    },
    {"variant": {BASELINE: "contact"}, "question_set": {"contact": "contact"}},
    {"release": frozenset(), OF_ENACT: frozenset({"contact"})},
)
ENTRIES = {
    Gating: Gating("contact", PAPER, CONTACT_PREDICATES),
    QuestionSetSettings: QuestionSetSettings("contact", "contact"),
    QuestionSettings: QuestionSettings(trajectories_per_length=3),
    Variant: Variant(BASELINE, "contact"),
    EnvironmentSettings: EnvironmentSettings(),
}
CHAIN = (segmentation, visibility, visible_changes, path_counts, trajectories, qa, question_set)
DECLARED = [STEPS[function.__name__] for function in CHAIN]


class Shards:
    """A store in which ``SHARD`` demonstrations share a file: rows of one are a part of it."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def shard(self, table_name: str, partition: Mapping[str, str]) -> Partition:
        names = dict(partition)
        if "demonstration" in names:
            names["demonstration"] = (
                f"shard-{DEMONSTRATIONS.index(names['demonstration']) // SHARD}"
            )
        return (table_name, *names.values())

    def file(self, shard: Partition) -> Path:
        return self._root / f"{'|'.join(shard)}.parquet"

    def read(self, table_name: str, partition: Mapping[str, str], /) -> pl.DataFrame:
        rows = pl.read_parquet(self.file(self.shard(table_name, partition)))
        return rows.filter(*(pl.col(name) == value for name, value in partition.items()))

    def content_sha(self, table_name: str, partition: Mapping[str, str], /) -> str:
        return table_sha(self.read(table_name, partition), table(table_name).key())

    def partitions(self, table_name: str, /) -> list[Mapping[str, str]]:
        by = table(table_name).by
        found = [dict(zip(by, p, strict=True)) for p in NAMES.partitions(table_name)]
        return [p for p in found if self.file(self.shard(table_name, p)).exists()]


def partitions_of(step: Step) -> list[dict[str, str]]:
    by = step.outputs[0].by
    every = NAMES.partitions(step.outputs[0].table_name())
    return [dict(zip(by, partition, strict=True)) for partition in every]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> tuple[Lake, Shards]:
    root = tmp_path_factory.mktemp("shards")
    lake, shards = Lake(root / "lake"), Shards(root)
    landed: dict[Partition, list[pl.DataFrame]] = {}
    for k, demonstration in enumerate(DEMONSTRATIONS):
        replay = generate(k, 1_000)
        for name in ("demonstrations", "facts", "objects", "later_parents", "observability"):
            rows, partition = getattr(replay, name), {"demonstration": demonstration}
            if name in GRAPH.dimensions:
                lake.write(name, rows, partition)
                landed.setdefault(shards.shard(name, partition), []).append(rows)
    for shard, parts in landed.items():
        pl.concat(parts).write_parquet(shards.file(shard))

    def entry(kind: type, _name: str | None) -> object:
        return ENTRIES[kind]

    for step in DECLARED:
        runs: dict[Partition, list[dict[str, str]]] = {}
        for partition in partitions_of(step):
            for made, rows, _ in call(step, partition, StepContext(lake, NAMES, entry)):
                lake.write(made.table_name(), rows, partition)
            runs.setdefault(shards.shard("", partition), []).append(partition)
        # One run for a shard: all its demonstrations, and one file of each table.
        for together in runs.values():
            world, found = StepContext(shards, NAMES, entry), {}
            for partition in together:
                for made, rows, _ in call(step, partition, world):
                    found.setdefault(made.table_name(), []).append(rows)
            for name, parts in found.items():
                pl.concat(parts).write_parquet(shards.file(shards.shard(name, together[0])))
    return lake, shards


@pytest.mark.parametrize("name", [made.table_name() for step in DECLARED for made in step.outputs])
def test_shards_of_three_demonstrations_give_equal_tables(
    stores: tuple[Lake, Shards], name: str
) -> None:
    lake, shards = stores
    partitions = [dict(p) for p in shards.partitions(name)]
    assert partitions == [dict(p) for p in lake.partitions(name)]
    files = {shards.file(shards.shard(name, partition)) for partition in partitions}
    assert len(files) == (2 if len(partitions) == N else 1)
    for partition in partitions:
        assert_frame_equal(shards.read(name, partition), lake.read(name, partition))
    if name == "qa":
        assert sum(lake.read(name, partition).height for partition in partitions) > 0
