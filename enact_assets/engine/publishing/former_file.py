"""What a published file remembers of its making, so that the next one is made from a copy of it.

Each relation is made of its SQL and of what it reads, down to the content hashes of files of the
lake. A relation that would be made of the same is kept as it is. A large table consists of parts,
each of some dozen demonstrations, of which only those are made again that changed; so both ways
give the same rows in the same order, and sums of floats agree to the last bit.
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
"""Raise when what is made differs though SQL, contracts and files are the same."""
BUILDER = "builder"
"""Key of ``meta.published``: by what code the file was made."""
PARTS = "parts"
"""Schema of the parts of large tables."""
FEWEST, ONE_IN = 32, 16
"""A part ends before a demonstration whose name hashes to one in 16, once it has 32."""
MOST_FREE = 0.5
"""Of a file with more free space than that nothing is kept: it would never shrink."""
WHOLE_EVERY = timedelta(days=7)
"""So often a file is made from nothing: every file of the lake is read, and a block of the former
file that the disk has spoilt is not copied for ever."""
MADE_WHOLE = "made_whole"
"""Key of ``meta.published``: when that was done last."""
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
    """A relation or check of the former file: its kind, what it was made of, number of rows."""

    kind: str
    made_of: str
    n_rows: int


class Memory(NamedTuple):
    """What a former publication left; empty if there was none.

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
    """Identifies the code that makes a file; of other code's file nothing is kept."""
    return content_sha((FORMAT, __version__, duckdb.__version__, code_version))


def parts_of(table: type[Table], files: Sequence[File]) -> list[Part]:
    """Parts of a table, in order; one that has its name if it is not large.

    Where a part ends depends on names near its end only: one more demonstration changes one or two.
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
    """Name of the part of a relation that begins with a demonstration (None: with any)."""
    return f"{PARTS}.{relation}_{_digest(first or '').hex()[:12]}"


def ranges_of(parts: Sequence[Part], files: Sequence[File]) -> list[Within]:
    """The demonstrations of each part of a table; together with those of no part, they are all."""
    starts = [None, *(files[part.numbers[0]][0][0] for part in parts[1:])]
    return [Within(*of) for of in zip(starts, [*starts[1:], None], strict=True)]


def _digest(text: str) -> bytes:
    return sha256(text.encode()).digest()


def recall(connection: duckdb.DuckDBPyConnection, builder: str) -> Memory:
    """What the copy of a former file says; nothing if it should be made from nothing.

    Other code made it, it has grown empty, or it was made from nothing too long ago.

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
    """Write what the next publication needs. Files that may still change unseen are left out."""
    settled = settled_before(listed_ns, [source.entry.mtime_ns for source in sources])
    believed = [source for source in sources if source.entry.mtime_ns < settled]
    columns = {
        **{field: [getattr(s.entry, field) for s in believed] for field in Entry._fields},
        "content_sha": [s.content_sha for s in believed],
        "n_rows": [s.n_rows for s in believed],
        "held": [json.dumps(s.held, sort_keys=True) if s.held else "{}" for s in believed],
    }
    types = {"size": pl.Int64, "mtime_ns": pl.Int64, "mark": pl.UInt64, "n_rows": pl.Int64}
    texts = dict.fromkeys(("name", "content_sha", "held"), pl.String)
    _write(connection, _FILES, pl.DataFrame(columns, schema_overrides={**types, **texts}))
    rows = [(name, *kept) for name, kept in made.items()]
    schema = {"name": pl.String, "kind": pl.String, "made_of": pl.String, "n_rows": pl.Int64}
    _write(connection, _MADE, pl.DataFrame(rows, schema, orient="row"))


def _write(connection: duckdb.DuckDBPyConnection, name: str, rows: pl.DataFrame) -> None:
    connection.register("remembered_rows", rows.to_arrow())
    connection.begin()
    connection.execute(f"create or replace table {name} as from remembered_rows")
    for column, meaning in _MEANING[name].items():
        what = f"column {name}.{column}" if column else f"table {name}"
        connection.execute(f"comment on {what} is {literal(meaning)}")
    connection.commit()
    connection.unregister("remembered_rows")
