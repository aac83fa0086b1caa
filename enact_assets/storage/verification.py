"""Compares very many files of the lake with their seals, or every page with its checksum."""

from collections.abc import Sequence
from pathlib import Path

from enact_assets.contracts.errors import DamagedFileError
from enact_assets.engine.tables import table
from enact_assets.storage.file_metadata import contract_sha, partition_text
from enact_assets.storage.many_files import File
from enact_assets.storage.parquet_files import SEAL_BYTES, Verified, verify_content, verify_pages
from enact_assets.storage.places import Place


def verify_files(
    place: Place, table_name: str, files: Sequence[File], copies: Path | None = None
) -> list[Verified | str]:
    """Each of ``files`` in their order, read whole, or why it cannot be used, in words.

    Those that have rows are copied to the folder ``copies`` if there is one.
    """
    contract = table(table_name)
    contract_hash = contract_sha(contract)
    ends = place.tails([e for _, e in files if e.size <= SEAL_BYTES], SEAL_BYTES)
    found: list[Verified | str] = []
    for values, entry in files:
        where = place.where(entry.name)
        partition = dict(zip(contract.by, values, strict=True))
        is_large = entry.size > SEAL_BYTES
        try:
            content = None if is_large else next(ends)
            if isinstance(content, OSError):
                raise content
            if content is not None:
                try:
                    verified = verify_content(content, where, contract, partition, contract_hash)
                except DamagedFileError:
                    if place.entry(entry.name) == entry:
                        raise
                    # Replaced since it was listed: its length was that of the old file.
                    content = place.read(entry.name)
                    verified = verify_content(content, where, contract, partition, contract_hash)
            else:
                with place.open(entry.name) as handle:
                    verified = verify_pages(handle, where, contract, partition)
            if copies is not None and verified.n_rows:
                _copy(place.read(entry.name) if content is None else content, copies / entry.name)
        except DamagedFileError as error:
            found.append(str(error))
        except OSError as error:
            text = f"{table_name} ({partition_text(partition)}) cannot be read ({error})"
            found.append(f"{where}: {text}")
        else:
            found.append(verified)
    return found


def _copy(content: bytes, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
