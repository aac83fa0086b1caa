"""Table contracts: what breaks them is said with the first offending row."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.demonstrations.replay.tables import Facts
from enact_assets.engine.errors import TableContractError, UnknownNameError
from enact_assets.engine.tables import TABLES, Table, table, text
from enact_assets.questions.key_frames.tables import SegmentedFrames

FACT = {
    "demonstration": "d-0",
    "predicate": "Open",
    "subject": "fridge",
    "object": None,
    "frame_from": 3,
    "frame_to": 9,
}


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([FACT, FACT], "2 of 2 rows share their key"),
        ([{**FACT, "subject": None}], "1 of 1 rows have no 'subject'"),
    ],
)
def test_broken_rows_are_counted_and_shown(rows: list[dict[str, object]], told: str) -> None:
    built = Facts.build(rows)
    with pytest.raises(TableContractError, match=told):
        Facts.check(built)


@pytest.mark.parametrize("changes", ["one", ["one", 2], [["one"]], 3])
def test_a_list_column_takes_lists_of_its_type_only(changes: object) -> None:
    """A text taken for a list of letters, or a number for null, is found much later."""
    row = {"demonstration": "d-0", "gating": "state", "key_frame": 0, "frame": 20, "frame_id": 20}
    kept = SegmentedFrames.build([{**row, "changes": ["one", "two"]}])
    assert kept["changes"].to_list() == [["one", "two"]]
    with pytest.raises(TableContractError, match="'changes' of 1 rows does not hold List"):
        SegmentedFrames.build([{**row, "changes": changes}])


def test_other_columns_or_types_are_refused() -> None:
    rows = Facts.build([FACT])
    with pytest.raises(TableContractError, match="missing: \\['frame_to'\\]"):
        Facts.check(rows.drop("frame_to"))
    with pytest.raises(TableContractError, match="column 'frame_to' has type String"):
        Facts.check(rows.with_columns(pl.col("frame_to").cast(pl.String)))


def test_an_unknown_table_names_the_known() -> None:
    with pytest.raises(UnknownNameError, match="segmented_frames"):
        table("frames")


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["x", "y", None])), unique=True))
def test_rows_are_sorted_as_a_plain_sort_does(keys: list[tuple[str, str | None]]) -> None:
    """Most tables come in order, and sorting a million questions takes two seconds."""
    rows = [{**FACT, "subject": s, "object": o} for s, o in keys]
    found = Facts.build(rows)
    expected = pl.DataFrame(rows, schema=dict(Facts.schema())).sort(list(Facts.key()))
    assert found.equals(expected)


def test_two_tables_of_one_name_are_refused() -> None:
    with pytest.raises(TableContractError, match="two tables are called facts"):
        type("Facts", (Table,), {"a": text("a", key=True)})


def test_a_key_must_be_there() -> None:
    with pytest.raises(TableContractError, match="no_key"):
        type("NoKey", (Table,), {"a": text("a")})
    with pytest.raises(TableContractError, match="no column \\['b'\\]"):
        type("NoColumn", (Table,), {"a": text("a", key=True), "by": ("b",)})


@pytest.mark.parametrize("name", TABLES)
def test_keys_and_partitions_are_columns_and_everything_is_described(name: str) -> None:
    contract = table(name)
    assert set(contract.key()) | set(contract.by) <= set(contract.schema())
    assert contract.grain()
    assert all(column.description for column in contract.columns().values())
    assert contract.check(contract.empty()).is_empty()
