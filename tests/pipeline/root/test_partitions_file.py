"""The file that says how many shards of demonstrations Dagster has."""

from pathlib import Path

import pytest

from enact_assets.engine.errors import SettingsError
from enact_assets.engine.planning.shards import Shards
from enact_assets.pipeline.root.partitions_file import read_shards
from enact_assets.settings.paths import PARTITIONS_FILE


def test_without_a_file_a_partition_is_a_demonstration(tmp_path: Path) -> None:
    assert read_shards(tmp_path) is None
    (tmp_path / PARTITIONS_FILE).write_text("demonstration_shards: 100\n")
    assert read_shards(tmp_path) == Shards("demonstration", 100)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "demonstration_shards: many",
        "demonstrations: 100",
        "demonstration_shards: 1.5",
        "\xff: [",
        "100",
    ],
)
def test_a_file_that_says_nothing_else_is_refused_with_an_example(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / PARTITIONS_FILE).write_text(text, "latin-1")
    with pytest.raises(SettingsError, match=r"partitions\.yaml: .*`demonstration_shards: 100`"):
        read_shards(tmp_path)


@pytest.mark.parametrize("n", [0, -1, 4_001])
def test_numbers_that_dagster_cannot_hold_are_refused(tmp_path: Path, n: int) -> None:
    (tmp_path / PARTITIONS_FILE).write_text(f"demonstration_shards: {n}")
    with pytest.raises(SettingsError, match=f"demonstration_shards: {n}; must be between 1 and 4,"):
        read_shards(tmp_path)
