"""Compares every page of very many files of the lake with its checksum."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from enact_assets.contracts.errors import LakeError
from enact_assets.contracts.tables import table
from enact_assets.storage.many_files import File
from enact_assets.storage.parquet_files import (
    SEAL_BYTES,
    contract_sha,
    partition_text,
    verify_content,
    verify_pages,
)
from enact_assets.storage.places import Place


class Verified(NamedTuple):
    """What came of a file: hash and number of its rows, or why it cannot be used, in words."""

    content_sha: str
    n_rows: int
    problem: str | None = None


def verify_files(
    place: Place, table_name: str, files: Sequence[File], copies: Path | None = None
) -> list[Verified]:
    """Each of ``files`` in their order, read whole; nothing in a file is an error.

    Those that have rows are copied to the folder ``copies`` if there is one.
    """
    contract = table(table_name)
    contract_hash = contract_sha(contract)
    ends = place.tails([e for _, e in files if e.size <= SEAL_BYTES], SEAL_BYTES)
    found = []
    for values, entry in files:
        where = place.where(entry.name)
        partition = dict(zip(contract.partitions, values, strict=True))
        is_large = entry.size > SEAL_BYTES
        try:
            content = None if is_large else next(ends)
            if isinstance(content, OSError):
                raise content
            if content is not None:
                metadata, n_rows = verify_content(
                    content, where, contract, partition, contract_hash
                )
            else:
                with place.open(entry.name) as handle:
                    metadata, n_rows = verify_pages(handle, where, contract, partition)
            if copies is not None and n_rows:
                _copy(place.read(entry.name) if content is None else content, copies / entry.name)
        except LakeError as error:
            found.append(Verified("", 0, str(error)))
        except OSError as error:
            text = f"{table_name} ({partition_text(partition)}) cannot be read ({error})"
            found.append(Verified("", 0, f"{where}: {text}"))
        else:
            found.append(Verified(metadata.content_sha, n_rows))
    return found


def _copy(content: bytes, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
