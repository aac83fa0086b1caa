"""Assets of others read our tables through Dagster, in this code location and in another."""

import re
from pathlib import Path
from types import ModuleType

import dagster as dg
import polars as pl
import pytest
from daemon_places import Place
from dagster._core.definitions.data_version import CachingStaleStatusResolver
from dagster._core.definitions.partitions.context import partition_loading_context
from dagster._core.loader import LoadingContextForTest

from enact_assets.engine.errors import LakeError, UnknownNameError
from enact_assets.pipeline.dagster.lake_rows import LAKE_ROWS, LakeRows, table_specs
from enact_assets.results.published import query

PAGE = Path(__file__).parents[3] / "docs" / "dagster.md"
QA, THEIRS = dg.AssetKey("qa"), dg.AssetKey("questions_by_kind")


@pytest.fixture
def theirs(place: Place) -> dg.Definitions:
    """The code location that the page shows, made by the page alone."""
    assert place  # its data root is ENACT_HOME
    [code] = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    module = ModuleType("questions_by_kind")
    exec(compile(code, str(PAGE), "exec"), module.__dict__)  # noqa: S102 - our own page
    found = module.defs
    assert isinstance(found, dg.Definitions)
    return found


def status(place: Place, theirs: dg.Definitions) -> str:
    """What the UI shows of the asset: it knows `qa` as our code location declares it."""
    mine = [a for a in theirs.assets or () if isinstance(a, dg.AssetsDefinition)]
    graph = dg.Definitions.merge(place.definitions, dg.Definitions(mine)).resolve_asset_graph()
    context = LoadingContextForTest(place.instance)
    with partition_loading_context(dynamic_partitions_store=place.instance):
        return CachingStaleStatusResolver(place.instance, graph, context).get_status(THEIRS).name


def rows_of(place: Place) -> pl.DataFrame:
    return pl.concat(place.data.lake.read("qa", p) for p in place.data.lake.partitions("qa"))


def make(place: Place, theirs: dg.Definitions) -> dg.ExecuteInProcessResult:
    job = theirs.resolve_implicit_global_asset_job_def()
    return job.execute_in_process(instance=place.instance, asset_selection=[THEIRS])


def test_another_code_location_reads_a_table_and_goes_stale_when_it_changes(
    place: Place, theirs: dg.Definitions
) -> None:
    [made] = make(place, theirs).asset_materializations_for_node("questions_by_kind")
    told = {name: value.value for name, value in made.metadata.items()}
    rows = rows_of(place)
    assert told == {"questions": rows.height, **dict(rows.group_by("kind").len().iter_rows())}
    assert status(place, theirs) == "FRESH"
    [partition, *_] = place.data.lake.partitions("qa")
    key = "|".join(partition.values())
    event = dg.AssetMaterialization(QA, partition=key, tags={"dagster/data_version": "other rows"})
    place.instance.report_runless_asset_event(event)
    assert status(place, theirs) == "STALE"
    make(place, theirs)
    assert status(place, theirs) == "FRESH"


def test_one_partition_is_read_by_an_asset_with_the_same_partitions(place: Place) -> None:
    [spec] = table_specs("qa")
    found = {}

    @dg.asset(partitions_def=spec.partitions_def)
    def shortest(context: dg.AssetExecutionContext, qa: pl.DataFrame) -> None:
        found[context.partition_key] = qa.get_column("length").min()

    [partition, *_] = place.data.lake.partitions("qa")
    key = "|".join(partition.values())
    rows = {LAKE_ROWS: LakeRows(data=place.data)}
    dg.materialize(
        [spec, shortest],
        selection=[shortest],
        instance=place.instance,
        partition_key=key,
        resources=rows,
    )
    assert found == {key: place.data.lake.read("qa", partition).get_column("length").min()}
    value = place.definitions.load_asset_value(QA, partition_key=key, instance=place.instance)
    assert value.equals(place.data.lake.read("qa", partition))


def test_what_is_missing_is_left_out_and_said(
    place: Place, theirs: dg.Definitions, capfd: pytest.CaptureFixture[str]
) -> None:
    partitions = place.data.lake.partitions("qa")
    gone, *kept = partitions
    assert kept
    place.data.lake.path("qa", gone).unlink()
    [made] = make(place, theirs).asset_materializations_for_node("questions_by_kind")
    assert made.metadata["questions"].value == rows_of(place).height
    first = "|".join(gone.values())
    said = f"qa: 1 of {len(partitions)} partitions are not in the lake and left out, first {first}"
    assert said in capfd.readouterr().err
    for partition in kept:
        place.data.lake.path("qa", partition).unlink()
    result = theirs.resolve_implicit_global_asset_job_def().execute_in_process(
        instance=place.instance, asset_selection=[THEIRS], raise_on_error=False
    )
    assert not result.success
    assert "partitions is in the lake" in capfd.readouterr().err


def test_others_write_elsewhere(place: Place) -> None:
    """The lake holds what the pipeline made."""

    @dg.asset(io_manager_key=LAKE_ROWS)
    def strange() -> pl.DataFrame:
        return pl.DataFrame()

    with pytest.raises(LakeError, match="strange: the lake of enact_assets holds its own tables"):
        dg.materialize(
            [strange], instance=place.instance, resources={LAKE_ROWS: LakeRows(data=place.data)}
        )
    with pytest.raises(UnknownNameError, match="unknown table or mart 'leaderbord'"):
        table_specs("leaderbord")


def test_a_mart_is_read_as_it_is_published(place: Place) -> None:
    value = place.definitions.load_asset_value(dg.AssetKey("leaderboard"), instance=place.instance)
    assert value.equals(query(place.data.warehouse_path, "from leaderboard"))
    assert value.height > 0
    [spec] = table_specs("leaderboard")
    assert spec.partitions_def is None
