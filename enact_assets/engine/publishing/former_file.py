"""Records in a published file how it was made, so that the next one is made from a copy of it.

The hash of a relation covers its SQL and everything it reads, down to the content hashes of files
of the lake. A relation with an unchanged hash is kept. A large table consists of parts of some
dozen demonstrations each, and only changed parts are made again. A file made in this way and a file
made from nothing have the same rows in the same order, so sums of floats agree to the last bit.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

import duckdb
import polars as pl

from enact_assets import __version__
from enact_assets.engine.ids import content_sha
from enact_assets.engine.lake.file_verification import Verified
from enact_assets.engine.lake.settling import settled_before
from enact_assets.engine.publishing.publishable import Remembered, Source
from enact_assets.engine.publishing.relations import PUBLISHED, literal
from enact_assets.engine.publishing.warehouse_checks import Within, is_split
from enact_assets.engine.system.many_files import File
from enact_assets.engine.system.places import Entry
from enact_assets.engine.tables import Table

FORMAT = "3"
"""Increase this when relations differ although SQL, contracts and files are the same."""
BUILDER = "builder"
"""Key of ``meta.published``: the code that made the file."""
PARTS = "parts"
"""Schema of the parts of large tables."""
FEWEST, ONE_IN = 32, 16
"""A part has at least 32 demonstrations. It ends before a demonstration whose name has a hash that
one in 16 names has.
"""
MOST_FREE = 0.5
"""A file with a greater share of free space is made from nothing, as it would never shrink."""
WHOLE_EVERY = timedelta(days=7)
"""How often the file is made from nothing. Then every file of the lake is read, and a damaged block
of the former file is not copied forever."""
MADE_WHOLE = "made_whole"
"""Key of ``meta.published``: when the file was last made from nothing."""
_FILES, _MADE = "meta.files", "meta.made"
_MEANING = {
    _FILES: {
        "": "files of the lake as the publisher saw them, and what it found in them",
        "name": "path of the file in the lake",
        "size": "length of the file (unit: byte)",
        "mtime_ns": "when it changed last (unit: ns since 1970)",
        "mark": "inode, or hash of what an object store says about it",
        "content_sha": "content hash of its rows",
        "n_rows": "rows in it",
        "held": "JSON: column -> names of partitions in that column",
    },
    _MADE: {
        "": "what each relation, part of a relation and check was made of: the next publication "
        "keeps what would be made of the same",
        "name": "relation, or file of a check",
        "kind": "table, view or checks",
        "made_of": "hash of its SQL and of all that it reads",
        "n_rows": "rows in it",
    },
}


class Kept(NamedTuple):
    """A relation or check of the former file: its kind, hash and number of rows."""

    kind: str
    made_of: str
    n_rows: int


class Memory(NamedTuple):
    """Records of the former publication; empty if there was none.

    ``made_whole`` is when the file was made from nothing, ISO 8601.
    """

    files: Remembered
    made: Mapping[str, Kept]
    made_whole: str


NOTHING = Memory({}, {}, "")


class Part(NamedTuple):
    """Some consecutive files of a table, by their numbers, and the name of their relation."""

    name: str
    numbers: range


def builder_of(code_version: str | None) -> str:
    """Identifies the code that makes a file. Nothing is kept of a file that other code made."""
    return content_sha((FORMAT, __version__, duckdb.__version__, code_version))


def parts_of(table: type[Table], files: Sequence[File]) -> list[Part]:
    """Parts of a table, in order. A table that is not large has one part with the table's name.

    The end of a part depends only on names near it, so a new demonstration changes one part or two.
    """
    name = table.table_name()
    if not is_split(table):
        return [Part(name, range(len(files)))]
    starts, n_inside, before = [0], 0, None
    for number, ((demonstration, *_), _) in enumerate(files):
        if demonstration == before:
            continue
        before = demonstration
        if n_inside >= FEWEST and _digest(demonstration)[0] % ONE_IN == 0:
            starts.append(number)
            n_inside = 0
        n_inside += 1
    if len(starts) == 1:
        return [Part(name, range(len(files)))]
    firsts = [files[start][0][0] for start in starts]
    names = [part_from(name, first) for first in firsts]
    ends = [*starts[1:], len(files)]
    return [Part(*of) for of in zip(names, map(range, starts, ends), strict=True)]


def part_from(relation: str, first: str | None) -> str:
    """Name of the part of a relation that begins with demonstration ``first`` (None: the only
    part).
    """
    return f"{PARTS}.{relation}_{_digest(first or '').hex()[:12]}"


def ranges_of(parts: Sequence[Part], files: Sequence[File]) -> list[Within]:
    """The range of demonstrations of each part of a table. Together the ranges cover all names."""
    starts = [None, *(files[part.numbers[0]][0][0] for part in parts[1:])]
    return [Within(*of) for of in zip(starts, [*starts[1:], None], strict=True)]


def _digest(text: str) -> bytes:
    return sha256(text.encode()).digest()


def recall(connection: duckdb.DuckDBPyConnection, builder: str) -> Memory:
    """Records in the copy of a former file; empty if the new file should be made from nothing.

    That is so if other code made it, if too much of it is free space, or if it was made from
    nothing too long ago.

    Errors: ``duckdb.Error``, ``ValueError`` or ``LookupError`` for a file that is damaged or not
    one of ours.
    """
    said = dict(connection.sql(f"from {PUBLISHED}").fetchall())
    if said.get(BUILDER) != builder:
        return NOTHING
    made_whole = said[MADE_WHOLE]
    age = datetime.now(UTC) - datetime.fromisoformat(made_whole)
    if not timedelta() <= age < WHOLE_EVERY:
        return NOTHING
    size = "select free_blocks, total_blocks from pragma_database_size() where database_name = "
    [(n_free, n_blocks)] = connection.sql(f"{size} current_database()").fetchall()
    if n_free > MOST_FREE * n_blocks:
        return NOTHING
    files = connection.sql(f"from {_FILES}").pl()
    entries = map(Entry, *(files.get_column(field).to_list() for field in Entry._fields))
    held = {text: json.loads(text) for text in files.get_column("held").unique()}
    verified = (
        Verified(sha, n_rows, held[text])
        for sha, n_rows, text in files.select("content_sha", "n_rows", "held").iter_rows()
    )
    made = connection.sql(f"from {_MADE}").fetchall()
    return Memory(
        dict(zip(entries, verified, strict=True)),
        {name: Kept(*of) for name, *of in made},
        made_whole,
    )


def remember(
    connection: duckdb.DuckDBPyConnection,
    sources: Sequence[Source],
    listed_ns: int,
    made: Mapping[str, Kept],
) -> None:
    """Write the records for the next publication. Files that may still change without a new time of
    change are left out.
    """
    settled = settled_before(listed_ns, [source.entry.mtime_ns for source in sources])
    believed = [source for source in sources if source.entry.mtime_ns < settled]
    columns = {
        **{field: [getattr(s.entry, field) for s in believed] for field in Entry._fields},
        "content_sha": [s.content_sha for s in believed],
        "n_rows": [s.n_rows for s in believed],
        "held": _as_json([source.held for source in believed]),
    }
    types = {"size": pl.Int64, "mtime_ns": pl.Int64, "mark": pl.UInt64, "n_rows": pl.Int64}
    texts = dict.fromkeys(("name", "content_sha", "held"), pl.String)
    _write(connection, _FILES, pl.DataFrame(columns, schema_overrides={**types, **texts}))
    rows = [(name, *kept) for name, kept in made.items()]
    schema = {"name": pl.String, "kind": pl.String, "made_of": pl.String, "n_rows": pl.Int64}
    _write(connection, _MADE, pl.DataFrame(rows, schema, orient="row"))


def _as_json(held: Sequence[Mapping[str, Sequence[str]]]) -> list[str]:
    """Each as JSON. Equal texts were decoded once (:func:`recall`), so few of them differ."""
    once = {id(of): of for of in held}
    texts = {key: json.dumps(of, sort_keys=True) for key, of in once.items()}
    return [texts[id(of)] for of in held]


def _write(connection: duckdb.DuckDBPyConnection, name: str, rows: pl.DataFrame) -> None:
    connection.register("remembered_rows", rows.to_arrow())
    connection.begin()
    connection.execute(f"create or replace table {name} as from remembered_rows")
    for column, meaning in _MEANING[name].items():
        what = f"column {name}.{column}" if column else f"table {name}"
        connection.execute(f"comment on {what} is {literal(meaning)}")
    connection.commit()
    connection.unregister("remembered_rows")
