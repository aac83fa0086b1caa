"""Stable ids and hashes from content, equal on every machine and in every process."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from json.encoder import encode_basestring_ascii

import polars as pl

ID_CHARACTERS = 12
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def sha256_bytes(data: bytes) -> str:
    """Hex SHA-256 of raw bytes (64 characters)."""
    return hashlib.sha256(data).hexdigest()


def content_sha(value: object) -> str:
    """Hex SHA-256 of a JSON-serializable value, independent of dictionary order."""
    return sha256_bytes(_ENCODER.encode(value).encode())


def short_id(*parts: object) -> str:
    """First 12 hex digits of the hash of ``parts``: short enough to read, 48 bits wide."""
    return content_sha([str(p) if not isinstance(p, (list, int, str)) else p for p in parts])[
        :ID_CHARACTERS
    ]


def seed_from(*parts: object) -> int:
    """A 63-bit seed that depends only on ``parts``."""
    return int(content_sha([str(p) for p in parts])[:16], 16) >> 1


def seeds_from(parts: Sequence[object], more: Iterable[str]) -> list[int]:
    """``seed_from(*parts, *last)`` for each ``last`` that :func:`encoded` made one of ``more`` of,
    five times as fast.
    """
    opened = "[" + "".join([f"{encode_basestring_ascii(str(part))}," for part in parts])
    hashes = [hashlib.sha256(f"{opened}{last}]".encode()).digest() for last in more]
    return [int.from_bytes(found[:8], "big") >> 1 for found in hashes]


def encoded(*texts: str) -> str:
    """Texts as :func:`seeds_from` takes them."""
    return ",".join(map(encode_basestring_ascii, texts))


def table_sha(table: pl.DataFrame, key: Sequence[str]) -> str:
    """Hash of a table's rows in canonical order (by ``key``): its Dagster data version.

    Parquet bytes would not do: compression and writer version change them although the rows are the
    same. Column names and types are hashed; row order and column order are not.
    """
    digest = hashlib.sha256()
    columns = sorted(table.columns)
    # The number of rows makes the bytes below unambiguous: without it a long string could equal the
    # null flags and lengths of further rows.
    types = [(c, str(table.schema[c])) for c in columns]
    digest.update(json.dumps([table.height, types]).encode())
    rows = table.select(columns)
    if key:
        rows = rows.sort(list(key), nulls_last=False)
    for name in columns:
        column = rows.get_column(name)
        digest.update(name.encode() + b"\0")
        _update(digest, column)
    return digest.hexdigest()


def _update(digest: "hashlib._Hash", column: pl.Series) -> None:
    """Feed one column as plain buffers: nulls, then list lengths or values, recursively."""
    has_nulls = column.null_count() > 0
    # There are many small tables, so calls of polars that a column does not need are avoided.
    digest.update(column.is_null().to_numpy().tobytes() if has_nulls else bytes(len(column)))
    if isinstance(column.dtype, pl.List):
        lengths = column.list.len()
        lengths = lengths.fill_null(0) if has_nulls else lengths
        digest.update(lengths.to_numpy().astype("<i8").tobytes())
        inner = column.drop_nulls() if has_nulls else column
        _update(digest, inner.explode(empty_as_null=False))
    elif column.dtype == pl.String:
        values = column.fill_null("") if has_nulls else column
        lengths = values.str.len_bytes()
        digest.update(lengths.to_numpy().astype("<i8").tobytes())
        digest.update("".join(values.to_list()).encode())
    elif column.dtype == pl.Boolean:
        values = column.fill_null(value=False) if has_nulls else column
        digest.update(values.to_numpy().tobytes())
    else:
        is_integer = column.dtype.is_integer()
        values = column.fill_null(0 if is_integer else 0.0) if has_nulls else column
        digest.update(values.to_numpy().astype("<i8" if is_integer else "<f8").tobytes())
