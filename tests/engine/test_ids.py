"""Ids and hashes: what lineage and stable names stand on.

The content hash decides what Dagster rebuilds, so it must tell exactly the different apart."""

import subprocess
import sys

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.ids import (
    content_sha,
    encoded,
    seed_from,
    seeds_from,
    sha256_bytes,
    short_id,
    table_sha,
)

from reference.table_sha import canonical_text


def test_neighbouring_cells_do_not_run_together() -> None:
    """ "ab" + "c" and "a" + "bc" are different rows."""
    one = pl.DataFrame({"s": ["ab", "c"]})
    two = pl.DataFrame({"s": ["a", "bc"]})
    assert table_sha(one, []) != table_sha(two, [])
    lists = [pl.DataFrame({"s": [["a", "b"], ["c"]]}), pl.DataFrame({"s": [["a"], ["b", "c"]]})]
    assert table_sha(lists[0], []) != table_sha(lists[1], [])


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
    given = [encoded(*texts) for texts in more]
    assert seeds_from(("phrasing", 3), given) == [seed_from("phrasing", 3, *m) for m in more]
    assert seeds_from((), given) == [seed_from(*m) for m in more]


SCHEMA = {
    "name": pl.String,
    "part": pl.Int64,
    "size": pl.Float64,
    "weights": pl.List(pl.Float32),
    "words": pl.List(pl.String),
    "groups": pl.List(pl.List(pl.String)),
    "is_new": pl.Boolean,
}
KEY = ("name", "part")

# Few values, so that generated tables are often equal, nearly equal, or equal but for the borders
# between neighbouring strings and lists.
texts = st.sampled_from(["", "a", "aa", "b", "\0"])
words = st.lists(st.none() | texts, max_size=2)
rows = st.fixed_dictionaries(
    {
        "name": texts,
        "part": st.none() | st.integers(0, 1),
        "size": st.none() | st.sampled_from([0.0, 0.5, -1.0]),
        "weights": st.none() | st.lists(st.sampled_from([0.0, 0.5]), max_size=2),
        "words": st.none() | words,
        "groups": st.none() | st.lists(st.none() | words, max_size=2),
        "is_new": st.none() | st.booleans(),
    }
)
tables = st.lists(rows, max_size=3, unique_by=lambda row: (row["name"], row["part"])).map(
    lambda chosen: pl.DataFrame(chosen, schema=SCHEMA)
)
focus = st.sampled_from([[*KEY], [*KEY, "words"], [*KEY, "groups"], [*KEY, "weights"], [*SCHEMA]])


@given(tables, tables, focus)
def test_hashes_are_equal_exactly_when_the_rows_are(
    one: pl.DataFrame, other: pl.DataFrame, columns: list[str]
) -> None:
    """Two contents under one hash would hide a change; two hashes of one rebuild for nothing."""
    one, other = one.select(columns), other.select(columns)
    are_equal = canonical_text(one, KEY) == canonical_text(other, KEY)
    assert (table_sha(one, KEY) == table_sha(other, KEY)) == are_equal


@given(tables, st.randoms(use_true_random=False))
def test_the_hash_knows_neither_row_order_nor_column_order(
    table: pl.DataFrame, random: object
) -> None:
    """Workers finish in any order: the rows they leave must have one hash."""
    order = list(range(table.height))
    columns = list(table.columns)
    random.shuffle(order)  # type: ignore[attr-defined]
    random.shuffle(columns)  # type: ignore[attr-defined]
    assert table_sha(table[order].select(columns), KEY) == table_sha(table, KEY)


def test_one_changed_cell_anywhere_changes_the_hash() -> None:
    """A column that the hash skips would freeze everything downstream of it."""
    row = {
        "name": "a",
        "part": 1,
        "size": 0.5,
        "weights": [0.5, 1.0],
        "words": ["x", "y"],
        "groups": [["x"], ["y"]],
        "is_new": True,
    }
    changed = {
        "name": "b",
        "part": 2,
        "size": 0.25,
        "weights": [1.0, 0.5],
        "words": ["xy", ""],
        "groups": [["x", "y"], []],
    }
    # What the bytes of a null could be taken for.
    nothing = {"name": "", "part": 0, "size": 0.0, "is_new": False}
    nothing |= {"weights": [], "words": [], "groups": []}
    variations = [row, {**row, "groups": [["x"], ["y"], []]}]
    for others in (changed, nothing, dict.fromkeys(row)):
        variations += [{**row, name: value} for name, value in others.items()]
    hashes = {table_sha(pl.DataFrame([v], schema=SCHEMA), KEY) for v in variations}
    assert len(hashes) == len(variations)


def test_a_long_string_cannot_imitate_two_rows() -> None:
    """Without the number of rows these two tables fed the very same bytes to the hash."""
    first = "\0" + "w\x7f" + "\0" * 6
    one = pl.DataFrame({"s": [first + "x" * (32768 - len(first))]})
    two = pl.DataFrame({"s": ["x" * 128, "x" * 32631]})
    assert (32768).to_bytes(8, "little")[:2] == b"\x00\x80"  # low byte 0: reads as a null flag
    assert table_sha(one, ()) != table_sha(two, ())


def test_equal_values_of_another_type_are_other_content() -> None:
    """An integer column that became float is a changed contract, not the same data."""
    one, other = pl.DataFrame({"x": [1]}), pl.DataFrame({"x": [1.0]})
    assert table_sha(one, ("x",)) != table_sha(other, ("x",))


def test_the_hash_of_a_known_table_stays_what_it_is() -> None:
    """Data versions outlive a process: a hash that drifts marks every partition as changed."""
    table = pl.DataFrame({"name": ["b", "a"], "words": [["x", None], []]})
    pinned = "24ef5bfdd2a41a53a5ea60bd4a338b0e129dfa37445fbbcb6b421ab2ff804251"
    assert table_sha(table, ("name",)) == pinned
