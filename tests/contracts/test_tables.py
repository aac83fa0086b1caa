"""Table contracts: what breaks them is said with the first offending row."""

import polars as pl
import pytest

from enact_assets.contracts.errors import TableContractError, UnknownNameError
from enact_assets.contracts.tables import TABLES, table

FACT = {
    "demonstration": "d-0",
    "predicate": "Open",
    "subject": "fridge",
    "object": None,
    "frame_from": 3,
    "frame_to": 9,
}


def test_rows_come_back_in_key_order() -> None:
    rows = table("facts").build([{**FACT, "subject": s} for s in ("b", "a")])
    assert rows.get_column("subject").to_list() == ["a", "b"]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([FACT, FACT], "2 of 2 rows share their key"),
        ([{**FACT, "subject": None}], "1 of 1 rows have no 'subject'"),
    ],
)
def test_broken_rows_are_counted_and_shown(rows: list[dict[str, object]], told: str) -> None:
    with pytest.raises(TableContractError, match=told):
        table("facts").build(rows)


@pytest.mark.parametrize("changes", ["one", ["one", 2], [["one"]], 3])
def test_a_list_column_takes_lists_of_its_type_only(changes: object) -> None:
    """A text taken for a list of letters, or a number for null, is found much later."""
    row = {"demonstration": "d-0", "gating": "state", "key_frame": 0, "frame": 20, "frame_id": 20}
    kept = table("segmented_frames").build([{**row, "changes": ["one", "two"]}])
    assert kept["changes"].to_list() == [["one", "two"]]
    with pytest.raises(TableContractError, match="'changes' of 1 rows does not hold List"):
        table("segmented_frames").build([{**row, "changes": changes}])


def test_other_columns_or_types_are_refused() -> None:
    rows = table("facts").build([FACT])
    with pytest.raises(TableContractError, match="missing: \\['frame_to'\\]"):
        table("facts").check(rows.drop("frame_to"))
    with pytest.raises(TableContractError, match="column 'frame_to' is String"):
        table("facts").check(rows.with_columns(pl.col("frame_to").cast(pl.String)))


def test_an_unknown_table_names_the_known() -> None:
    with pytest.raises(UnknownNameError, match="segmented_frames"):
        table("frames")


@pytest.mark.parametrize("name", TABLES)
def test_keys_and_partitions_are_columns_and_everything_is_described(name: str) -> None:
    contract = table(name)
    assert set(contract.key) | set(contract.partitions) <= set(contract.columns)
    assert contract.grain
    assert all(column.meaning for column in contract.columns.values())
    assert contract.check(contract.empty()).is_empty()
