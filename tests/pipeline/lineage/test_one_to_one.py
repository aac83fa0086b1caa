"""What is fresh or stale, what Dagster runs, and what is written: three notions, one to one."""

import pytest
from pipeline.lineage.small_world import NAMES

from enact_assets.engine.graph import partition_key, partition_tuple
from enact_assets.engine.lake.lake import file_name, values_of
from enact_assets.engine.tables import TABLES, table


@pytest.mark.parametrize("name", TABLES)
def test_a_partition_is_one_key_in_dagster_and_one_file(name: str) -> None:
    """Two partitions in one file would overwrite each other; one key for both would run once."""
    contract, partitions = table(name), NAMES.partitions(name)
    keys = [partition_key(partition) for partition in partitions]
    files = [file_name(contract, dict(zip(contract.by, p, strict=True))) for p in partitions]
    assert len(set(keys)) == len(set(files)) == len(partitions) > 0
    assert [partition_tuple(key) for key in keys] == partitions
    assert [values_of(contract, file) for file in files] == partitions
