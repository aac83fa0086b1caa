"""Ids and hashes: what lineage and stable names stand on."""

import subprocess
import sys

import polars as pl

from enact_assets.engine.ids import (
    content_sha,
    seed_from,
    seeds_from,
    sha256_bytes,
    short_id,
    table_sha,
)

ROWS = pl.DataFrame(
    {
        "name": ["b", "a", "c"],
        "n": [1, None, 3],
        "x": [0.5, -1.0, None],
        "tags": [["u", "v"], [], ["w"]],
        "nested": [[["p"], []], [], [["q", "r"]]],
        "flag": [True, None, False],
    }
)


def test_the_hash_of_a_table_ignores_the_order_of_rows_and_columns() -> None:
    """A resorted table must not look changed, or everything downstream is rebuilt."""
    other = ROWS.reverse().select(sorted(ROWS.columns, reverse=True))
    assert table_sha(ROWS, ["name"]) == table_sha(other, ["name"])


def test_any_changed_cell_changes_the_hash() -> None:
    """A change the hash misses would leave everything downstream silently old."""
    before = table_sha(ROWS, ["name"])
    changed = {
        "n": pl.Series([1, 0, 3]),
        "x": pl.Series([0.5, -1.0, 0.0]),
        "tags": pl.Series([["u", "v"], None, ["w"]], dtype=pl.List(pl.String)),
        "nested": pl.Series([[["p"]], [], [["q", "r"]]]),
        "flag": pl.Series([True, False, False]),
    }
    for column, values in changed.items():
        assert table_sha(ROWS.with_columns(values.alias(column)), ["name"]) != before, column


def test_neighbouring_cells_do_not_run_together() -> None:
    """ "ab" + "c" and "a" + "bc" are different rows."""
    one = pl.DataFrame({"s": ["ab", "c"]})
    two = pl.DataFrame({"s": ["a", "bc"]})
    assert table_sha(one, []) != table_sha(two, [])
    lists = [pl.DataFrame({"s": [["a", "b"], ["c"]]}), pl.DataFrame({"s": [["a"], ["b", "c"]]})]
    assert table_sha(lists[0], []) != table_sha(lists[1], [])


def test_the_type_of_a_column_is_part_of_its_content() -> None:
    """An Int64 column that became Float64 is another table."""
    numbers = pl.DataFrame({"n": [1, 2]})
    assert table_sha(numbers, ["n"]) != table_sha(numbers.cast(pl.Float64), ["n"])


def test_ids_do_not_depend_on_the_process() -> None:
    """Python's own hash is salted per process: ids built on it would change every run."""
    code = (
        "from enact_assets.engine.ids import *; "
        "print(short_id('question', [1, 2]), seed_from('x', 7), content_sha({'b': 1, 'a': 2}))"
    )
    printed = subprocess.run(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert printed == [
        short_id("question", [1, 2]),
        str(seed_from("x", 7)),
        content_sha({"a": 2, "b": 1}),
    ]


def test_an_id_tells_its_parts_apart() -> None:
    """Concatenated parts would give two trajectories one name."""
    assert short_id("a", "bc") != short_id("ab", "c")
    assert short_id("a", [1, 2]) != short_id("a", [12])


def test_content_is_hashed_as_sorted_ascii_json() -> None:
    """A faster way to write JSON that differs in one space renames every question."""
    text = '{"a":[1,2.5,"\\u00fc\\"",null],"b":true}'
    assert content_sha({"b": True, "a": [1, 2.5, 'ü"', None]}) == sha256_bytes(text.encode())


def test_many_seeds_at_once_are_those_one_by_one() -> None:
    """Phrasings are chosen by them: another seed words every question anew."""
    more = [("+OnTop(mug, table)",), ('ü"', "2"), ("",)]
    assert seeds_from(("phrasing", 3), more) == [seed_from("phrasing", 3, *m) for m in more]
    assert seeds_from((), more) == [seed_from(*m) for m in more]
