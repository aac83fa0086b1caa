"""A table file's metadata: key-value pairs in its footer, and its record in a scan of the lake."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.ids import content_sha
from enact_assets.engine.provenance import Provenance
from enact_assets.engine.tables import Table

NOT_OURS = "written by something else (no enact metadata)"
HEADS = "enact.pictures"
"""Key of the pictures that the rows of a file name."""
_REQUIRED = ("table", "partition", "content_sha", "contract_sha", "package_version")
_MADE_FROM = "enact.provenance"
HEAD_CHARACTERS = 16
"""Leading hex digits of a picture's hash that identify it: 64 bits."""

Heads = NDArray[np.uint64]
"""First 64 bits of pictures' hashes, ascending, without repetition."""
NO_HEADS: Heads = np.empty(0, np.uint64)


class FileRecord(NamedTuple):
    """A file of the lake.

    ``problem`` says why its rows cannot be used; then there is no ``content_sha``. ``made_from`` is
    the provenance as text, decoded only when needed. ``images`` are the pictures that a partition
    of ``frame_images`` names, None for other tables.
    """

    content_sha: str | None
    made_from: str | None
    problem: str | None
    size: int
    mtime_ns: int
    images: Heads | None = None

    @property
    def provenance(self) -> Provenance | None:
        """What the partition was made from; None if its file does not say. Decoded each time."""
        return None if self.made_from is None else Provenance.decoded(self.made_from)


def encoded_heads(named: Heads) -> str:
    """As hexadecimal digits."""
    return named.astype(">u8").tobytes().hex()


def decoded_heads(text: str) -> Heads:
    """Inverse of :func:`encoded_heads`. Errors: ``ValueError`` for any other text."""
    return np.frombuffer(bytes.fromhex(text), dtype=">u8").astype(np.uint64)


def heads(image_shas: Sequence[str]) -> Heads:
    """First 64 bits of pictures' hashes. Errors: ``ValueError`` for what is not hexadecimal."""
    digits = "".join([sha[:HEAD_CHARACTERS] for sha in image_shas])
    return np.unique(np.frombuffer(bytes.fromhex(digits), dtype=">u8").astype(np.uint64))


@dataclass(frozen=True)
class FileMetadata:
    """Metadata in the footer of a table file.

    ``made_from`` is the provenance as text, None if its writer gave no provenance; ``named`` are
    the pictures its rows name (:func:`encoded_heads`), None for tables without pictures.
    """

    table: str
    partition: str
    content_sha: str
    contract_sha: str
    package_version: str
    made_from: str | None = None
    named: str | None = None

    @property
    def heads(self) -> Heads | None:
        """The pictures that the rows name; None if the metadata have no pictures.

        Errors: ``ValueError`` if the text is not one of :func:`encoded_heads`.
        """
        return None if self.named is None else decoded_heads(self.named)

    @property
    def provenance(self) -> Provenance | None:
        """Provenance of the rows; None if the metadata have no provenance."""
        return None if self.made_from is None else Provenance.decoded(self.made_from)

    def encoded(self) -> dict[str, str]:
        """As Parquet key-value metadata."""
        fields = {f"enact.{name}": getattr(self, name) for name in _REQUIRED}
        return fields if self.made_from is None else {**fields, _MADE_FROM: self.made_from}

    @classmethod
    def decoded(cls, metadata: Mapping[str, str]) -> "FileMetadata | None":
        """Inverse of :meth:`encoded`; None if any of it but the provenance is missing."""
        try:
            fields = {name: metadata[f"enact.{name}"] for name in _REQUIRED}
        except KeyError:
            return None
        return cls(**fields, made_from=metadata.get(_MADE_FROM), named=metadata.get(HEADS))

    def misfit(self, table: type[Table], contract: str, partition: str) -> str | None:
        """Reason why the file is not ``partition`` of ``table``; None if it is.

        ``contract`` is the table's :func:`contract_sha`, ``partition`` its :func:`partition_text`.
        """
        if self.table != table.table_name() or self.partition != partition:
            return f"its file is of {self.table} ({self.partition}), expected ({partition})"
        if self.contract_sha != contract:
            return "its columns are those of an older version of the table"
        return None


@cache
def contract_sha(table: type[Table]) -> str:
    """Fingerprint of a table's columns and types. A file with another contract cannot be read."""
    return content_sha([[name, str(dtype)] for name, dtype in table.schema().items()])


def partition_text(partition: Mapping[str, str]) -> str:
    """How a partition is written in messages and metadata: ``demonstration=a, gating=state``."""
    return ", ".join(f"{dimension}={value}" for dimension, value in partition.items())
