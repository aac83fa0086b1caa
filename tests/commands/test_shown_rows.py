"""`enact-assets sql` in a terminal: what does not fit is named, never left out silently."""

import re
from pathlib import Path

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from enact_assets.cli import main
from enact_assets.commands.shown_rows import MAX_CELL, record_lines, table_lines

NOTES = ("The same in all rows: ", "No room for: ")
texts = st.text("ab \n\t\x1b日💡", max_size=60)
columns = st.lists(st.one_of(st.none(), texts), min_size=3, max_size=3)


def notes(lines: list[str]) -> dict[str, str]:
    return {n: line.removeprefix(n) for line in lines for n in NOTES if line.startswith(n)}


@given(st.lists(columns, min_size=1, max_size=12), st.integers(20, 120))
def test_each_column_is_shown_or_named_and_the_table_fits(found, width: int) -> None:
    """31 columns became strips of three characters each."""
    rows = pl.DataFrame({f"c{k}": pl.Series(v, dtype=pl.String) for k, v in enumerate(found)})
    lines = list(table_lines(rows, width, None))
    told = notes(lines)
    table = [line for line in lines if not line.startswith(NOTES)]
    assert table[-1] == "3 rows"
    assert all(cell_len(line) <= width for line in table)
    header = table[0].split() if len(table) > 1 else []
    same = re.findall(r"(c\d+) = ", told.get(NOTES[0], ""))
    left_out = told.get(NOTES[1], "").partition(". ")[0].split(", ") if NOTES[1] in told else []
    assert {*header, *same, *left_out} == set(rows.columns)
    for name in header:
        assert name not in left_out
    if rows.width * (MAX_CELL + 2) <= width:
        assert not told


def test_nothing_that_a_terminal_obeys_is_printed() -> None:
    """Neither names of columns nor values: both may be a model's."""
    rows = pl.DataFrame({"a\x1b[2J": ["\x1b]52;c;aaaa\x07"], "a\x07[2J": ["b\x9b"]})
    for lines in (table_lines(rows, None, None), record_lines(rows, None)):
        text = "\n".join(lines)
        assert "a [2J (1)" in text
        assert all(c.isprintable() or c == "\n" for c in text)


def test_what_is_the_same_in_all_rows_gives_way_to_what_is_not() -> None:
    rows = pl.DataFrame({"variant": ["baseline"] * 2, "model": ["oracle", "random"], "n": [3, 4]})
    assert list(table_lines(rows, 11, None)) == [
        "model   n",
        "──────  ─",
        "oracle  3",
        "random  4",
        "The same in all rows: variant = baseline.",
        "2 rows",
    ]
    assert next(table_lines(rows, None, None)) == "variant   model   n"


def test_one_row_that_does_not_fit_is_a_record_with_whole_values() -> None:
    prompt = "Which picture\ncomes first? " * 20
    rows = pl.DataFrame({"id": [7], "prompt": [prompt], "order": [[2, 1]], "x": [None]})
    lines = list(table_lines(rows, 40, None))
    assert lines == list(record_lines(rows, None))
    assert lines[0] == "id      7"
    assert lines[1].replace("\n        ", "\n") == f"prompt  {prompt}"
    assert lines[2:] == ["order   [2, 1]", "x       null"]


@pytest.mark.parametrize("form", [[], ["--record"]], ids=["table", "record"])
def test_rows_that_are_not_shown_are_counted(tmp_path: Path, capsys, form: list[str]) -> None:
    """`show tables` showed 50 of 58 without a hint."""
    with duckdb.connect(str(tmp_path / "enact.duckdb")) as connection:
        connection.execute("create table t as select k as number from range(58) as r(k)")
    command = ["sql", "from t", "--data", str(tmp_path), *form]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert said.endswith("50 of 58 rows are shown; --all shows all.\n")
    assert main([*command, "--all"]) == 0
    said = capsys.readouterr().out
    assert said.endswith("58 rows\n")
    assert re.search(r"\b57\b", said)


def test_long_names_of_columns_are_broken_before_columns_are_left_out() -> None:
    """The leaderboard has 13 to 17 characters above numbers of 6."""
    rows = pl.DataFrame(
        {"model": ["oracle", "random"], "pairwise_accuracy": [1.0, 0.1234], "n_scored": [9, 10]}
    )
    whole = list(table_lines(rows, 33 + 2, None))
    assert whole[0] == "model   pairwise_accuracy  n_scored"
    assert list(table_lines(rows, 34, None)) == [
        "        pairwise_      n_",
        "model    accuracy  scored",
        "──────  ─────────  ──────",
        "oracle          1       9",
        "random     0.1234      10",
        "2 rows",
    ]
