"""The seal of a Parquet file: a hash of all its bytes, kept in its own footer.

Page checksums cover pages, not what stands between them, and to compare them every page must be
decoded. A seal covers every bit, and is compared as fast as the file is read. It is the SHA-256 of
the file with zeros in the place of the seal.
"""

import hashlib
import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

SEAL = "enact.seal"
_KEY = SEAL.encode()
_ZEROS = b"0" * 64
_BETWEEN = b"\x18\x40"
"""Thrift: the next field is a string of 64 characters."""


def sealed_parquet(table: pa.Table, more: dict[str, str], **options: Any) -> bytes:
    """``table`` as a Parquet file with a seal, and with ``more`` key-value metadata.

    ``options`` are those of ``ParquetWriter``, and ``row_group_size``.
    """
    row_group_size = options.pop("row_group_size", None)
    buffer = io.BytesIO()
    with pq.ParquetWriter(buffer, table.schema, **options) as writer:
        writer.write_table(table, row_group_size=row_group_size)
        writer.add_key_value_metadata({**more, SEAL: _ZEROS.decode()})
    content = bytearray(buffer.getbuffer())
    at = _place_of_seal(content)
    if at is None or content[at : at + len(_ZEROS)] != _ZEROS:
        raise AssertionError("Parquet metadata do not stand as they did: the seal has no place")
    content[at : at + len(_ZEROS)] = hashlib.sha256(content).hexdigest().encode()
    return bytes(content)


def is_intact(content: bytes, seal: str) -> bool:
    """Whether a whole file is as it was sealed; ``seal`` is what its metadata say."""
    at = _place_of_seal(content)
    if at is None or content[at : at + len(_ZEROS)] != seal.encode():
        return False
    view = memoryview(content)
    digest = hashlib.sha256(view[:at])
    digest.update(_ZEROS)
    digest.update(view[at + len(_ZEROS) :])
    return digest.hexdigest() == seal


def _place_of_seal(content: bytes | bytearray) -> int | None:
    key = content.rfind(_KEY + _BETWEEN)
    return None if key < 0 else key + len(_KEY) + len(_BETWEEN)
