"""The seal of a Parquet file: a hash of all its bytes, kept in its own footer.

Page checksums cover pages, not the bytes between them, and checking them means decoding every page.
A seal covers every bit, and is checked as fast as the file is read. It is the SHA-256 of the file
with zeros in place of the seal.
"""

import hashlib
import io
import os
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

SEAL = "enact.seal"
_KEY = SEAL.encode()
_ZEROS = b"0" * 64
_CHUNK_BYTES = 1 << 22
_BETWEEN = b"\x18\x40"
"""Thrift: the next field is a string of 64 characters."""


def sealed_parquet(table: pa.Table, more: dict[str, str], **options: Any) -> bytes:
    """``table`` as a Parquet file with a seal, and with ``more`` key-value metadata.

    ``options`` are options of ``ParquetWriter``, and ``row_group_size``.
    """
    row_group_size = options.pop("row_group_size", None)
    buffer = io.BytesIO()
    with pq.ParquetWriter(buffer, table.schema, **options) as writer:
        writer.write_table(table, row_group_size=row_group_size)
        writer.add_key_value_metadata({**more, SEAL: _ZEROS.decode()})
    content = bytearray(buffer.getbuffer())
    at = _place_of_seal(content)
    if at is None or content[at : at + len(_ZEROS)] != _ZEROS:
        raise AssertionError("the layout of Parquet metadata changed: the seal has no place")
    content[at : at + len(_ZEROS)] = hashlib.sha256(content).hexdigest().encode()
    return bytes(content)


def is_intact(content: bytes) -> bool:
    """Whether the bytes of a file match its seal, which is found without parsing the file."""
    return _is_intact(hashlib.sha256(), content)


def shows_seal(end: bytes) -> bool:
    """Whether the ``end`` of a file has a place for a seal, found without parsing it."""
    return _place_of_seal(end) is not None


def is_intact_file(file: IO[bytes], n_footer: int) -> bool:
    """As :func:`is_intact`, for a file that is too large for memory.

    ``n_footer`` is the number of bytes at its end that hold the footer.
    """
    n_before = file.seek(0, os.SEEK_END) - n_footer
    file.seek(0)
    digest = hashlib.sha256()
    while chunk := file.read(min(_CHUNK_BYTES, n_before - file.tell())):
        digest.update(chunk)
    return _is_intact(digest, file.read(n_footer))


def _is_intact(before: "hashlib._Hash", end: bytes) -> bool:
    """``before`` is the digest of the bytes before ``end``; ``end`` holds the seal."""
    at = _place_of_seal(end)
    if at is None:
        return False
    view = memoryview(end)
    found = view[at : at + len(_ZEROS)]
    before.update(view[:at])
    before.update(_ZEROS)
    before.update(view[at + len(_ZEROS) :])
    return before.hexdigest().encode() == found


def _place_of_seal(content: bytes | bytearray) -> int | None:
    key = content.rfind(_KEY + _BETWEEN)
    return None if key < 0 else key + len(_KEY) + len(_BETWEEN)
