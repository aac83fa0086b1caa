"""What people find in the Dagster UI after `materialize`: runs, marts, row counts."""

from collections.abc import Iterator

import dagster as dg
import pytest
from made_roots import Materialized

from enact_assets.engine.grids import Partition
from enact_assets.pipeline.lineage.graph import STEP_NAMED
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.pipeline.runs.marts import mart_files
from enact_assets.pipeline.runs.reported import last_materialization
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.running import INVOCATION_TAG, assets_of_jobs
from enact_assets.results.published import query


@pytest.fixture
def instance(materialized: Materialized) -> Iterator[dg.DagsterInstance]:
    opened = open_instance(materialized.root)
    yield opened
    opened.dispose()


def metadata(instance: dg.DagsterInstance, asset: str, names: Partition) -> dict[str, object]:
    record = last_materialization(instance, asset, names)
    assert record is not None, asset
    assert record.asset_materialization is not None
    return {key: value.value for key, value in record.asset_materialization.metadata.items()}


def told(instance: dg.DagsterInstance, run_ids: list[str]) -> set[tuple[str, str | None]]:
    """Asset and partition of every event of these runs."""
    kind = dg.DagsterEventType.ASSET_MATERIALIZATION
    logs = (entry for run_id in run_ids for entry in instance.all_logs(run_id, of_type=kind))
    events = (entry.asset_materialization for entry in logs)
    return {(e.asset_key.to_user_string(), e.partition) for e in events if e is not None}


def test_runs_of_one_command_are_one_group_that_the_timeline_shows(
    materialized: Materialized, instance: dg.DagsterInstance
) -> None:
    """145 runs after the demo belonged to no job and no code location: the timeline was empty."""
    runs = instance.get_runs()
    made = materialized.first.made
    invocations = [run.tags[INVOCATION_TAG] for run in runs]
    first = max(set(invocations), key=invocations.count)
    of_first = [run.run_id for run in runs if run.tags[INVOCATION_TAG] == first]
    # A run makes several partitions of a step, and tells of each.
    assert len(of_first) < len(made)
    landed = {(STEP_NAMED[run.step].assets[0], run.key or None) for run in made}
    assert landed <= told(instance, of_first)
    for run in runs:
        assert run.remote_job_origin is not None
        assert run.remote_job_origin.repository_origin.get_label() == "__repository__@enact_assets"
        assert run.remote_job_origin.job_name == run.job_name
        assert {k.to_user_string() for k in run.asset_selection or ()} <= set(
            assets_of_jobs()[run.job_name]
        )


def test_each_mart_reports_rows_and_columns(
    materialized: Materialized, instance: dg.DagsterInstance
) -> None:
    marts = {file.name for file in mart_files()}
    warehouse = DataResource(root=str(materialized.root)).warehouse_path
    relations = query(warehouse, "select table_name, column_name from duckdb_columns()")
    columns = relations.group_by("table_name", maintain_order=True).agg("column_name")
    columns_of = dict(columns.iter_rows())
    assert "leaderboard" in marts
    for mart in sorted(marts):
        found = metadata(instance, mart, Partition())
        schema = found["dagster/column_schema"]
        assert isinstance(schema, dg.TableSchema)
        assert [column.name for column in schema.columns] == columns_of[mart], mart
    for mart in ("leaderboard", "answers", "stale_partitions"):
        n_rows = query(warehouse, f"from {mart}").height
        assert metadata(instance, mart, Partition())["dagster/row_count"] == n_rows
    lineage = metadata(instance, "leaderboard_details", Partition())["dagster/column_lineage"]
    assert isinstance(lineage, dg.TableColumnLineage)
    assert dg.TableColumnDep(dg.AssetKey("evaluation"), "model") in lineage.deps_by_column["model"]


def test_rows_of_a_partition_are_not_called_rows_of_the_asset(
    materialized: Materialized, instance: dg.DagsterInstance
) -> None:
    lake = DataResource(root=str(materialized.root)).lake
    n_partitions = 0
    for asset in ("facts", "evaluation", "published_accuracies"):
        for partition in lake.partitions(asset):
            n_rows = lake.read(asset, partition).height
            names = Partition(partition[name] for name in sorted(partition))
            found = metadata(instance, asset, names)
            key = "dagster/partition_row_count" if names else "dagster/row_count"
            assert {k: v for k, v in found.items() if "row_count" in k} == {key: n_rows}
            n_partitions += 1
    assert n_partitions > 3
